# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as meshes, since Blender renders no bones.

Moving joints are coloured and carry their axes: a ring for turning, an arrow for sliding, red for
the bone's X, green for Y, blue for Z. Fixed bones are grey; mechanism bones are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import bpy
import mathutils
import numpy as np

from ....core.arguments import rig_of
from ....core.blender.standing.armatures import armatures_of, check_robot, objects_of
from ....core.blender.standing.joints import read_joints
from ....core.blender.standing.links import links_of
from ....core.blender.standing.placing import find_lowest
from ....core.diagnostics import quote_path
from ....core.files.outputs import need_suffix, replace_file
from ....core.geometry.transforms import Matrix
from ....core.rig.rig_plan import FIXED, JOINTS
from .studio import Studio

_MOVING = (1.0, 0.42, 0.02)
_STATIC = (0.3, 0.31, 0.33)
_AXES = ((0.75, 0.02, 0.03), (0.08, 0.45, 0.03), (0.02, 0.12, 0.75))
_OCTAHEDRON = np.array(
    [[0, 0, 0], [1, 0.1, 1], [-1, 0.1, 1], [-1, 0.1, -1], [1, 0.1, -1], [0, 1, 0]], float
)
_OCTAHEDRON_FACES = [(0, i % 4 + 1, i) for i in range(1, 5)] + [
    (i, i % 4 + 1, 5) for i in range(1, 5)
]
_CORNERS = np.concatenate([np.eye(3), -np.eye(3)])
_SIDES = 24
_BEADS = 0.012
"""Radius of the ball for a link without bone, as a share of the robot's size."""


@dataclass(frozen=True, slots=True)
class _Kit:
    """The meshes that all bones share."""

    moving: Any
    static: Any
    rings: tuple[Any, ...]
    arrows: tuple[Any, ...]
    bead: Any


def build_rig_shapes(
    armatures: Sequence[Any], links: Matrix, size: float, studio: Studio
) -> Matrix:
    """Puts the bones of evaluated armature objects into the studio, and a ball at the origin of
    each link's frame (n, 4, 4). `size` is the robot's, in metres.

    Returns the points (n, 3) around the marks of joints: they may stick out of the robot.
    """
    kit = _build_kit(studio)
    marked = []
    for bone in (bone for each in armatures if each.pose for bone in each.pose.bones):
        collections = {collection.name for collection in bone.bone.collections}
        if collections & {JOINTS, FIXED}:
            frame = np.array(bone.id_data.matrix_world) @ np.array(bone.matrix)
            reach = _add_bone(bone, frame, size, kit, studio)
            marked += [frame[:3, 3] + reach * _CORNERS]
    for frame in links:
        studio.add_mesh(kit.bead, frame @ _scale(_BEADS * size))
    return np.concatenate([np.empty((0, 3)), *marked])


def _add_bone(bone: Any, frame: Matrix, size: float, kit: _Kit, studio: Studio) -> float:
    """Adds a bone; returns the extent of its joints' marks around its head."""
    joints = read_joints(bone.bone)
    thickness = min(0.1 * bone.length, 0.024 * size)
    shape = np.diag([thickness, bone.length, thickness, 1.0])
    studio.add_mesh(kit.moving if joints else kit.static, frame @ shape)
    least = min(0.6 * bone.length, 0.025 * size)
    reach = min(max(0.3 * bone.length, least), 0.05 * size)
    for joint in joints:
        for channel in joint.channels:
            marks = kit.rings if channel.turns else kit.arrows
            studio.add_mesh(marks[channel.index], frame @ _scale(reach))
    return reach if joints else 0.0


def _scale(factor: float) -> Matrix:
    return np.diag([factor, factor, factor, 1.0])


def _build_kit(studio: Studio) -> _Kit:
    moving = studio.new_material("Preview Joint", _MOVING, 0.35)
    static = studio.new_material("Preview Fixed", _STATIC)
    axes = [studio.new_material(f"Preview {n}", c) for n, c in zip("XYZ", _AXES, strict=True)]
    ball = [(math.sin(a), -math.cos(a)) for a in np.linspace(0, math.pi, 9)]
    return _Kit(
        moving=studio.new_mesh("Preview Joint", _OCTAHEDRON, _OCTAHEDRON_FACES, moving),
        static=studio.new_mesh("Preview Fixed", _OCTAHEDRON, _OCTAHEDRON_FACES, static),
        rings=tuple(_build_ring(i, axes[i], studio) for i in range(3)),
        arrows=tuple(_build_arrow(i, axes[i], studio) for i in range(3)),
        bead=studio.new_mesh("Bead", *_revolve(ball), static),
    )


def _build_ring(axis: int, material: Any, studio: Studio) -> Any:
    """Builds a ring of radius 1 about the axis, with a pin along it."""
    profile = [(1 + 0.07 * math.cos(a), 0.07 * math.sin(a)) for a in _angles(8)]
    ring, faces = _revolve(profile, closed=True)
    pin, more = _revolve([(0.0, -0.7), (0.05, -0.7), (0.05, 1.15), (0.16, 1.15), (0.0, 1.6)])
    faces += [tuple(i + len(ring) for i in face) for face in more]
    return studio.new_mesh(
        f"Ring {axis}", _turn(np.concatenate([ring, pin]), axis), faces, material
    )


def _build_arrow(axis: int, material: Any, studio: Studio) -> Any:
    """Builds a double arrow along the axis."""
    profile = [
        (0.0, -2.2), (0.3, -1.4), (0.12, -1.4), (0.12, 1.4), (0.3, 1.4), (0.0, 2.2)
    ]  # fmt: skip
    vertices, faces = _revolve(profile)
    return studio.new_mesh(f"Arrow {axis}", _turn(vertices, axis), faces, material)


def _revolve(
    profile: list[tuple[float, float]], *, closed: bool = False
) -> tuple[Matrix, list[tuple[int, ...]]]:
    """Returns vertices (n, 3) and faces of a profile of (radius, height) turned about Z."""
    circle = np.array([(math.cos(a), math.sin(a), 1.0) for a in _angles(_SIDES)])
    vertices = np.concatenate([circle * (radius, radius, height) for radius, height in profile])
    rows = len(profile)
    faces: list[tuple[int, ...]] = []
    for row in range(rows if closed else rows - 1):
        here, there = row * _SIDES, (row + 1) % rows * _SIDES
        for i in range(_SIDES):
            j = (i + 1) % _SIDES
            faces.append((here + i, here + j, there + j, there + i))
    return vertices, faces


def _angles(count: int) -> list[float]:
    return [2 * math.pi * i / count for i in range(count)]


def _turn(vertices: Matrix, axis: int) -> Matrix:
    """Returns the vertices with Z laid on another axis, without mirroring."""
    return np.roll(vertices, axis + 1, axis=1)


_LEAST_SIZE = 1e-3
"""Metres; a smaller robot is viewed from the distance for this size."""
_GLASS = (0.27, 0.34, 0.43)


def render_preview(
    armature: Any,
    path: str | PathLike[str],
    *,
    width: int = 960,
    height: int = 720,
    samples: int = 16,
    bones: bool = False,
) -> None:
    """Renders an imported robot, in its present pose, into a PNG file; works without a window.

    `width` and `height` are in pixels, `samples` per pixel. `bones` shows the rig through a
    transparent robot. The scene stays unchanged; an existing file is overwritten. Raises BuildError
    for an object that is not an imported robot, WriteError where the file cannot be written or its
    name does not end in .png.
    """
    armature = rig_of(armature)
    need_suffix(path, ".png", "the file of a picture")
    check_robot(armature)
    with replace_file(path) as temporary, Studio(width, height, samples) as studio:
        points, shapes = set_scene(armature, studio, bones)
        studio.light(points, () if bones else shapes, None if bones else find_lowest(armature))
        studio.aim(points)
        studio.render(temporary, quote_path(path))


def set_scene(armature: Any, studio: Studio, bones: bool) -> tuple[Matrix, list[Any]]:
    """Puts the robot into the studio; returns the points (n, 3) that must be in the picture, and
    its shapes."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    posed = [each.evaluated_get(depsgraph) for each in armatures_of(armature)]
    shapes = _copy_visuals(armature, depsgraph, studio)
    points = _corners(shapes)
    if bones or not shapes:
        points = np.concatenate([points, *map(_bone_ends, posed)])
    found = () if shapes else links_of(armature)
    frames = [np.array(each.evaluated_get(depsgraph).matrix_world) for each in found]
    links = np.array(frames).reshape(-1, 4, 4)
    points = np.concatenate([points, links[:, :3, 3]])
    size = max(float(np.ptp(points, axis=0).max()), _LEAST_SIZE)
    if bones or not shapes:
        _see_through(shapes, studio)
        marked = build_rig_shapes(posed, links, size, studio)
        points = np.concatenate([points, marked])
    # A little around them, so that no view has size zero.
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return np.concatenate([points, middle + 0.02 * size * _CORNERS]), shapes


def _copy_visuals(armature: Any, depsgraph: Any, studio: Studio) -> list[Any]:
    """Copies the robot's visible parts in a render, each at its present place."""
    copies = []
    for source in objects_of(armature):
        if source.type == "MESH" and not source.hide_render and len(source.data.vertices):
            copy = studio.add(source.copy())
            copy.animation_data_clear()
            copy.constraints.clear()
            copy.parent = None
            copy.matrix_world = source.evaluated_get(depsgraph).matrix_world
            copies.append(copy)
    return copies


def _corners(shapes: Sequence[Any]) -> Matrix:
    """Returns the corners (n, 3) of the shapes' bounding boxes, in world space."""
    corners = [
        shape.matrix_world @ mathutils.Vector(c) for shape in shapes for c in shape.bound_box
    ]
    return np.array(corners, float).reshape(-1, 3)


def _bone_ends(posed: Any) -> Matrix:
    """Returns the heads and tails (n, 3) of the bones in world space."""
    world = posed.matrix_world
    bones = posed.pose.bones if posed.pose else ()
    ends = [world @ point for bone in bones for point in (bone.head, bone.tail)]
    return np.array(ends, float).reshape(-1, 3)


def _see_through(shapes: Sequence[Any], studio: Studio) -> None:
    glass = studio.new_glass("Preview Glass", _GLASS)
    for shape in shapes:
        for slot in shape.material_slots:
            slot.link = "OBJECT"
            slot.material = glass
        if not shape.material_slots:
            shape.active_material = glass
        # It neither tints nor is mirrored in the bones; its shadow stays.
        shape.visible_diffuse = shape.visible_glossy = False
