# SPDX-License-Identifier: GPL-3.0-or-later
"""The physics of an object in the game engine, under the names of Blender 2.7's object.game.

The settings of a new object in Blender 2.79 are left out. The price: a margin of 0, which older
Blenders gave, is a setting of nearly all objects in their files.
"""

import struct
from collections.abc import Mapping

from .fields import Field, Item, Setting, Settings, choice, flag, number, whole

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


_SETTINGS: Mapping[str, tuple[bool | int | float | str, Field]] = {
    "physics_type": ("STATIC", _read_body),
    "use_actor": (False, _game_flag(_ACTOR)),
    "use_ghost": (False, _game_flag(_GHOST)),
    "use_sleep": (False, _game_flag(_SLEEPLESS)),
    "mass": (1.0, number("mass")),
    "radius": (1.0, number("inertia")),
    "damping": (0.04, _read_damping),
    "rotation_damping": (0.1, _read_rotation_damping),
    "form_factor": (0.4, number("formfactor")),
    "velocity_min": (0.0, number("min_vel")),
    "velocity_max": (0.0, number("max_vel")),
    "angular_velocity_min": (0.0, number("min_angvel")),
    "angular_velocity_max": (0.0, number("max_angvel")),
    "step_height": (0.15, number("step_height")),
    "jump_speed": (10.0, number("jump_speed")),
    "fall_speed": (55.0, number("fall_speed")),
    "jump_max": (1, whole("max_jumps")),
    "lock_location_x": (False, flag("gameflag2", 1 << 2)),
    "lock_location_y": (False, flag("gameflag2", 1 << 3)),
    "lock_location_z": (False, flag("gameflag2", 1 << 4)),
    "lock_rotation_x": (False, flag("gameflag2", 1 << 5)),
    "lock_rotation_y": (False, flag("gameflag2", 1 << 6)),
    "lock_rotation_z": (False, flag("gameflag2", 1 << 7)),
    "use_activity_culling": (True, flag("gameflag2", 1 << 0, inverted=True)),
    "use_material_physics_fh": (False, _game_flag(1 << 6)),
    "use_rotate_from_normal": (False, _game_flag(1 << 7)),
    "use_anisotropic_friction": (False, _game_flag(1 << 8)),
    "use_collision_bounds": (False, _game_flag(1 << 11)),
    "collision_bounds_type": ("BOX", _read_bounds),
    "use_collision_compound": (False, _game_flag(1 << 1)),
    "collision_margin": (0.04, _read_margin),
    "use_obstacle_create": (False, _game_flag(_OBSTACLE)),
    "obstacle_radius": (1.0, _read_obstacle_radius),
    "use_record_animation": (False, _game_flag(1 << 23)),
}
DEFAULTS: Mapping[str, bool | int | float | str] = {
    name: default for name, (default, _) in _SETTINGS.items()
}
"""A new object's settings."""


def read_object_settings(item: Item) -> Settings:
    """Reads the settings of a structure Object that differ from a new object's."""
    found = {name: field(item) for name, (_, field) in _SETTINGS.items()}
    return {
        name: value
        for name, value in found.items()
        if value is not None and value != _stored(DEFAULTS[name])
    }


def _stored(default: Setting) -> Setting:
    return _single(default) if isinstance(default, float) else default
