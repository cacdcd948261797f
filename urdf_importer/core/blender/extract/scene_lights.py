# SPDX-License-Identifier: GPL-3.0-or-later
"""The lights, the camera, the background and the gravity of a scene."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Matrix, nearest_turn, quaternion_from_rotation
from ...images.colors import srgb_from_linear
from ...model import IDENTITY, Pose, Vector3
from ...model.world import LightKind, WorldLight, WorldView
from ...names import Claims
from .scene_source import shorten

_ANGLE = 0.785
"""Radians, of lights and cameras without an angle."""
_KINDS: dict[str, LightKind] = {"POINT": "point", "SUN": "sun", "SPOT": "spot", "AREA": "point"}


def short_pose(matrix: Matrix, like: Pose = IDENTITY) -> Pose:
    """Returns the pose of a frame, without its scale and with short numbers."""
    rotation = nearest_turn(matrix[:3, :3])
    x, y, z = (shorten(float(part)) for part in matrix[:3, 3])
    if np.abs(rotation - np.eye(3)).max() < 1e-7:
        return Pose(xyz=(x, y, z))
    return Pose(xyz=(x, y, z), quat_xyzw=quaternion_from_rotation(rotation))


def read_lights(
    lamps: Sequence[tuple[Any, Matrix]], diagnostics: Diagnostics
) -> tuple[WorldLight, ...]:
    """Reads lamps of the scene, with their places (4, 4); each name is given once."""
    strongest: dict[bool, float] = {}
    for item, _ in lamps:
        is_sun = item.data.type == "SUN"
        strongest[is_sun] = max(strongest.get(is_sun, 0.0), float(item.data.energy))
    names, found = Claims(), []
    for item, matrix in lamps:
        lamp = item.data
        if lamp.type == "AREA":
            diagnostics.warning(
                "world-area-light",
                f"light {quote(item.name)} is an area; it becomes a point",
                subject=item.name,
            )
        most = strongest[lamp.type == "SUN"]
        found.append(
            WorldLight(
                name=names.claim(item.name),
                kind=_KINDS[lamp.type],
                place=short_pose(matrix),
                color=_read_color(lamp.color),
                strength=shorten(lamp.energy / most) if most > 0.0 else 0.0,
                angle=shorten(lamp.spot_size) if lamp.type == "SPOT" else _ANGLE,
                shadows=bool(lamp.use_shadow),
            )
        )
    return tuple(found)


def read_view(scene: Any) -> WorldView | None:
    """Reads the camera of a scene; None where it has none."""
    camera = scene.camera
    if camera is None or camera.type != "CAMERA":
        return None
    matrix = np.array(camera.matrix_world)
    if not np.isfinite(matrix).all():
        return None
    angle = _ANGLE
    if camera.data.type != "ORTHO":
        corner = camera.data.view_frame(scene=scene)[0]
        angle = float(2.0 * np.arctan2(abs(corner.y), abs(corner.z)))
    render = scene.render
    width = render.resolution_x * render.pixel_aspect_x
    aspect = width / (render.resolution_y * render.pixel_aspect_y)
    return WorldView(name=camera.name, place=short_pose(matrix), angle=angle, aspect=aspect)


def read_background(world: Any | None) -> Vector3 | None:
    """Reads the colour of the background; None where the scene has no world."""
    if world is None:
        return None
    nodes = world.node_tree.nodes if world.node_tree is not None else ()
    shader = next((node for node in nodes if node.type == "BACKGROUND"), None)
    if shader is None or (bpy.app.version < (5, 0) and not world.use_nodes):
        return _read_color(world.color)
    strength = shader.inputs["Strength"].default_value
    return _read_color([strength * part for part in shader.inputs["Color"].default_value[:3]])


def read_gravity(scene: Any) -> Vector3:
    """Reads gravity, in m/s^2."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    x, y, z = (shorten(part) for part in scene.gravity)
    return (x, y, z)


def _read_color(linear: Sequence[float]) -> Vector3:
    red, green, blue = (round(srgb_from_linear(float(part)), 6) for part in linear)
    return (red, green, blue)
