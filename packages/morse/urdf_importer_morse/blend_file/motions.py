# SPDX-License-Identifier: GPL-3.0-or-later
"""The stored settings of actuators that move or replace objects."""

from collections.abc import Callable

from .fields import (
    Field,
    Fields,
    Item,
    by_version,
    choice,
    data_block,
    flag,
    number,
    scaled,
    text,
    vector,
    whole,
)
from .sensors import angle

_MOTIONS = ("OBJECT_NORMAL", "OBJECT_SERVO", "OBJECT_CHARACTER")
_CONSTRAINTS = ("LOC", "DIST", "ORI", "FH")
_LIMITS = {0: "NONE", 1: "LOCX", 2: "LOCY", 4: "LOCZ"}
_DIRECTIONS = {
    0: "NONE",
    1: "DIRPX",
    2: "DIRPY",
    4: "DIRPZ",
    8: "DIRNX",
    16: "DIRNY",
    32: "DIRNZ",
}
_EDITS = ("ADDOBJECT", "ENDOBJECT", "REPLACEMESH", "TRACKTO", "DYNAMICS")
_DYNAMICS = ("RESTOREDYN", "SUSPENDDYN", "ENABLERIGIDBODY", "DISABLERIGIDBODY", "SETMASS")
_UP_AXES = ("UPAXISX", "UPAXISY", "UPAXISZ")
_TRACK_AXES = (
    "TRACKAXISX",
    "TRACKAXISY",
    "TRACKAXISZ",
    "TRACKAXISNEGX",
    "TRACKAXISNEGY",
    "TRACKAXISNEGZ",
)
_FACING_AXES = {1: "X", 2: "Y", 3: "Z", 4: "NEG_X", 5: "NEG_Y", 6: "NEG_Z"}
_OBJECT_AXES = ("OBJECT_AXIS_X", "OBJECT_AXIS_Y", "OBJECT_AXIS_Z")


# A turn was stored in units of 0.8727 radians before 2.55, and the other way round before 2.46.
_TURN = by_version(
    (255, 1),
    by_version(
        (246, 0),
        scaled(vector("drot"), -0.8726646259971648),
        scaled(vector("drot"), 0.8726646259971648),
    ),
    vector("drot"),
)


def _by_axis(member: str, find_axis: Callable[[int, int], int | None]) -> Field:
    """Makes a field for the element of a constraint's array that its mode and flags select."""

    def read(item: Item) -> float | None:
        mode, flags = item.view.read_whole("mode"), item.view.read_whole("flag")
        values = item.view.read_numbers(member)
        if mode is None or flags is None or len(values) != 3:
            return None
        axis = find_axis(mode, flags)
        return None if axis is None else values[axis]

    return read


def _ray_axis(mode: int, flags: int) -> int | None:
    return 0 if mode & (1 | 8) else 1 if mode & (2 | 16) else 2


def _limited_axis(mode: int, flags: int) -> int | None:
    return next((axis for axis in range(3) if flags & 1 << axis), None)


MOTION: Fields = {
    "mode": choice("type", _MOTIONS),
    "reference_object": data_block("reference"),
    "damping": whole("damping"),
    "offset_location": vector("dloc"),
    "offset_rotation": _TURN,
    "force": vector("forceloc"),
    "torque": vector("forcerot"),
    "linear_velocity": vector("linearvelocity"),
    "angular_velocity": vector("angularvelocity"),
    "use_local_location": flag("flag", 4),
    "use_local_rotation": flag("flag", 8),
    "use_local_force": flag("flag", 1),
    "use_local_torque": flag("flag", 2),
    "use_local_linear_velocity": flag("flag", 16),
    "use_local_angular_velocity": flag("flag", 32),
    "use_add_linear_velocity": flag("flag", 64),
    "use_add_character_location": flag("flag", 128),
    "use_character_jump": flag("flag", 256),
}

CONSTRAINT: Fields = {
    "mode": choice("type", _CONSTRAINTS),
    "limit": choice("flag", _LIMITS, 7),
    "limit_min": _by_axis("minloc", _limited_axis),
    "limit_max": _by_axis("maxloc", _limited_axis),
    "damping": whole("damp"),
    "direction": choice("mode", _DIRECTIONS),
    "range": _by_axis("maxloc", _ray_axis),
    "distance": _by_axis("minloc", _ray_axis),
    "material": text("matprop"),
    "property": text("matprop"),
    "time": whole("time"),
    "damping_rotation": whole("rotdamp"),
    "rotation_max": vector("maxrot"),
    "angle_min": angle("minloc"),
    "angle_max": angle("maxloc"),
    "fh_height": _by_axis("minloc", _ray_axis),
    "fh_force": _by_axis("maxloc", _ray_axis),
    "fh_damping": number("maxrot"),
    "use_normal": flag("flag", 64),
    "use_material_detect": flag("flag", 128),
    "use_persistent": flag("flag", 256),
    "use_force_distance": flag("flag", 512),
    "use_local": flag("flag", 1024),
    "use_fh_paralel_axis": flag("flag", 2048),
    "use_fh_normal": flag("flag", 64),
}

EDIT_OBJECT: Fields = {
    "mode": choice("type", _EDITS),
    "dynamic_operation": choice("dyn_operation", _DYNAMICS),
    "object": data_block("ob"),
    "track_object": data_block("ob"),
    "mesh": data_block("me"),
    "time": whole("time"),
    "mass": number("mass"),
    "linear_velocity": vector("linVelocity"),
    "angular_velocity": vector("angVelocity"),
    "use_local_linear_velocity": flag("localflag", 2),
    "use_local_angular_velocity": flag("localflag", 4),
    "use_replace_display_mesh": flag("flag", 2, inverted=True),
    "use_replace_physics_mesh": flag("flag", 4),
    "use_3d_tracking": flag("flag", 1),
    "up_axis": choice("upflag", _UP_AXES),
    "track_axis": choice("trackflag", _TRACK_AXES),
}

STEERING: Fields = {
    "mode": choice("type", ("SEEK", "FLEE", "PATHFOLLOWING")),
    "target": data_block("target"),
    "navmesh": data_block("navmesh"),
    "velocity": number("velocity"),
    "acceleration": number("acceleration"),
    "turn_speed": number("turnspeed"),
    "distance": number("dist"),
    "update_period": whole("updateTime"),
    "self_terminated": flag("flag", 1),
    "show_visualization": flag("flag", 2),
    "facing": flag("flag", 4),
    "facing_axis": choice("facingaxis", _FACING_AXES),
    "normal_up": flag("flag", 8),
    "lock_z_velocity": flag("flag", 16),
}

MOUSE: Fields = {
    "mode": choice("type", ("VISIBILITY", "LOOK")),
    "visible": flag("flag", 1),
    "use_axis_x": flag("flag", 2),
    "use_axis_y": flag("flag", 4),
    "reset_x": flag("flag", 8),
    "reset_y": flag("flag", 16),
    "local_x": flag("flag", 32),
    "local_y": flag("flag", 64),
    "threshold_x": number("threshold", 0),
    "threshold_y": number("threshold", 1),
    "sensitivity_x": number("sensitivity", 0),
    "sensitivity_y": number("sensitivity", 1),
    "min_x": number("limit_x", 0),
    "max_x": number("limit_x", 1),
    "min_y": number("limit_y", 0),
    "max_y": number("limit_y", 1),
}
