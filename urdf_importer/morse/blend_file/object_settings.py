# SPDX-License-Identifier: GPL-3.0-or-later
"""The physics of an object in the game engine, under the names of Blender 2.7's object.game.

The settings of a new object in Blender 2.79 are left out. The price: a margin of 0, which older
Blenders gave, is a setting of nearly all objects in their files.
"""

import struct
from collections.abc import Mapping

from .fields import Field, Fields, Item, Setting, Settings, choice, flag, number, read_fields, whole

_ACTOR, _GHOST, _SLEEPLESS = 1 << 2, 1 << 9, 1 << 12
_DYNAMIC, _RIGID_BODY, _SOFT_BODY = 1 << 0, 1 << 10, 1 << 17
_COLLISION, _OCCLUDER, _SENSOR = 1 << 16, 1 << 18, 1 << 19
_NAVMESH, _OBSTACLE, _CHARACTER = 1 << 20, 1 << 21, 1 << 22
_NEEDED_AN_ACTOR = _GHOST | _DYNAMIC | _RIGID_BODY | _SOFT_BODY | _SLEEPLESS

_BOUNDS = {
    0: "BOX",
    1: "SPHERE",
    2: "CYLINDER",
    3: "CONE",
    4: "TRIANGLE_MESH",
    5: "CONVEX_HULL",
    7: "CAPSULE",
}


def _single(value: float) -> float:
    """Rounds to single precision, as Blender gives it back."""
    (stored,) = struct.unpack("f", struct.pack("f", value))
    return float(stored)


DEFAULTS: Mapping[str, Setting] = {
    "physics_type": "STATIC",
    "use_actor": False,
    "use_ghost": False,
    "use_sleep": False,
    "mass": 1.0,
    "radius": 1.0,
    "damping": _single(0.04),
    "rotation_damping": _single(0.1),
    "form_factor": _single(0.4),
    "velocity_min": 0.0,
    "velocity_max": 0.0,
    "angular_velocity_min": 0.0,
    "angular_velocity_max": 0.0,
    "step_height": _single(0.15),
    "jump_speed": 10.0,
    "fall_speed": 55.0,
    "jump_max": 1,
    "lock_location_x": False,
    "lock_location_y": False,
    "lock_location_z": False,
    "lock_rotation_x": False,
    "lock_rotation_y": False,
    "lock_rotation_z": False,
    "use_activity_culling": True,
    "use_material_physics_fh": False,
    "use_rotate_from_normal": False,
    "use_anisotropic_friction": False,
    "use_collision_bounds": False,
    "collision_bounds_type": "BOX",
    "use_collision_compound": False,
    "collision_margin": _single(0.04),
    "use_obstacle_create": False,
    "obstacle_radius": 1.0,
    "use_record_animation": False,
}

# (body type, flags that must be set, flags that must not): the first match counts.
_BODIES = (
    ("OCCLUDE", _OCCLUDER, _COLLISION),
    ("NAVMESH", _NAVMESH, _COLLISION),
    ("NO_COLLISION", 0, _COLLISION),
    ("SENSOR", _SENSOR, 0),
    ("CHARACTER", _CHARACTER, 0),
    ("STATIC", 0, _DYNAMIC),
    ("RIGID_BODY", _RIGID_BODY, 0),
    ("SOFT_BODY", _SOFT_BODY, 0),
    ("DYNAMIC", 0, 0),
)


def _read_flags(item: Item) -> int | None:
    """Reads the flags as Blender does: before 2.47 all objects collided, and only actors could
    move."""
    flags = item.view.read_whole("gameflag")
    if flags is None:
        return None
    if item.version < (247, 2):
        flags |= _COLLISION
    if item.version < (247, 3) and not flags & _ACTOR:
        flags &= ~_NEEDED_AN_ACTOR
    return flags


def _game_flag(bits: int) -> Field:
    def read(item: Item) -> bool | None:
        flags = _read_flags(item)
        return None if flags is None else bool(flags & bits)

    return read


def _read_body(item: Item) -> str | None:
    """Reads the body type from the flags, which decide; Blender never uses the stored type."""
    flags = _read_flags(item)
    if flags is None:
        return None
    return next(
        name for name, needed, barred in _BODIES if flags & needed == needed and not flags & barred
    )


def _read_bounds(item: Item) -> Setting | None:
    """Reads the collision bounds. Up to 2.60 the drawn bounds were also the colliding ones."""
    member = "collision_boundtype" if item.version >= (260, 1) else "boundtype"
    return choice(member, _BOUNDS)(item)


def _read_margin(item: Item) -> float | None:
    return _single(0.06) if item.version < (247, 2) else _first(item, "margin")


def _read_damping(item: Item) -> float | None:
    """Reads the damping, whose numbers had another meaning before 2.48."""
    damping = _first(item, "damping")
    return damping if damping is None or item.version >= (248, 3) else _single(0.635 * damping)


def _read_rotation_damping(item: Item) -> float | None:
    damping = _first(item, "rdamping")
    return damping if damping is None or item.version >= (248, 3) else _single(0.1 + 0.8 * damping)


def _read_obstacle_radius(item: Item) -> float | None:
    """Reads the radius of an obstacle. On other objects it is whatever Blender left there."""
    return _first(item, "obstacleRad") if _game_flag(_OBSTACLE)(item) else None


def _first(item: Item, member: str) -> float | None:
    return next(iter(item.view.read_numbers(member)), None)


_FIELDS: Fields = {
    "physics_type": _read_body,
    "use_actor": _game_flag(_ACTOR),
    "use_ghost": _game_flag(_GHOST),
    "use_sleep": _game_flag(_SLEEPLESS),
    "mass": number("mass"),
    "radius": number("inertia"),
    "damping": _read_damping,
    "rotation_damping": _read_rotation_damping,
    "form_factor": number("formfactor"),
    "velocity_min": number("min_vel"),
    "velocity_max": number("max_vel"),
    "angular_velocity_min": number("min_angvel"),
    "angular_velocity_max": number("max_angvel"),
    "step_height": number("step_height"),
    "jump_speed": number("jump_speed"),
    "fall_speed": number("fall_speed"),
    "jump_max": whole("max_jumps"),
    "lock_location_x": flag("gameflag2", 1 << 2),
    "lock_location_y": flag("gameflag2", 1 << 3),
    "lock_location_z": flag("gameflag2", 1 << 4),
    "lock_rotation_x": flag("gameflag2", 1 << 5),
    "lock_rotation_y": flag("gameflag2", 1 << 6),
    "lock_rotation_z": flag("gameflag2", 1 << 7),
    "use_activity_culling": flag("gameflag2", 1 << 0, inverted=True),
    "use_material_physics_fh": _game_flag(1 << 6),
    "use_rotate_from_normal": _game_flag(1 << 7),
    "use_anisotropic_friction": _game_flag(1 << 8),
    "use_collision_bounds": _game_flag(1 << 11),
    "collision_bounds_type": _read_bounds,
    "use_collision_compound": _game_flag(1 << 1),
    "collision_margin": _read_margin,
    "use_obstacle_create": _game_flag(_OBSTACLE),
    "obstacle_radius": _read_obstacle_radius,
    "use_record_animation": _game_flag(1 << 23),
}


def read_object_settings(item: Item) -> Settings:
    """Reads the settings of a structure Object that differ from a new object's."""
    return {
        name: value for name, value in read_fields(_FIELDS, item).items() if value != DEFAULTS[name]
    }
