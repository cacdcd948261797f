# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones as meshes, since Blender renders no bones.

Moving joints are coloured and carry their axes: a ring for what turns, an arrow for what slides,
red for the bone's X, green for Y, blue for Z. Fixed bones are grey; mechanism bones are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..geometry.transforms import Matrix
from ..rig.rig_plan import FIXED, JOINTS
from . import properties
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
"""Radius of the ball that stands for a link without bone, as a share of the robot's size."""


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

    Gives the points (n, 3) around what marks the joints: it may stick out of the robot.
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
    """Gives how far what marks its joints reaches around its head."""
    joints = bone.bone.get(properties.JOINTS, ())
    thickness = min(0.1 * bone.length, 0.024 * size)
    shape = np.diag([thickness, bone.length, thickness, 1.0])
    studio.add_mesh(kit.moving if joints else kit.static, frame @ shape)
    least = min(0.6 * bone.length, 0.025 * size)
    reach = min(max(0.3 * bone.length, least), 0.05 * size)
    for joint in joints:
        for prop, index in zip(joint["properties"], joint["indices"], strict=True):
            marks = kit.arrows if prop == "location" else kit.rings
            studio.add_mesh(marks[index], frame @ _scale(reach))
    return reach if joints else 0.0


def _scale(factor: float) -> Matrix:
    return np.diag([factor, factor, factor, 1.0])


def _build_kit(studio: Studio) -> _Kit:
    moving = studio.new_material("Preview Joint", _MOVING, 0.35)
    static = studio.new_material("Preview Fixed", _STATIC)
    axes = [studio.new_material(f"Preview {n}", c) for n, c in zip("XYZ", _AXES, strict=True)]
    return _Kit(
        moving=studio.new_mesh("Preview Joint", _OCTAHEDRON, _OCTAHEDRON_FACES, moving),
        static=studio.new_mesh("Preview Fixed", _OCTAHEDRON, _OCTAHEDRON_FACES, static),
        rings=tuple(_build_ring(i, axes[i], studio) for i in range(3)),
        arrows=tuple(_build_arrow(i, axes[i], studio) for i in range(3)),
        bead=_build_bead(static, studio),
    )


def _build_ring(axis: int, material: Any, studio: Studio) -> Any:
    """A ring of radius 1 about the axis, with a pin along it."""
    profile = [(1 + 0.07 * math.cos(a), 0.07 * math.sin(a)) for a in _angles(8)]
    ring, faces = _revolve(profile, closed=True)
    pin, more = _revolve([(0.0, -0.7), (0.05, -0.7), (0.05, 1.15), (0.16, 1.15), (0.0, 1.6)])
    faces += [tuple(i + len(ring) for i in face) for face in more]
    return studio.new_mesh(
        f"Ring {axis}", _turn(np.concatenate([ring, pin]), axis), faces, material
    )


def _build_arrow(axis: int, material: Any, studio: Studio) -> Any:
    """A double arrow along the axis."""
    profile = [
        (0.0, -2.2), (0.3, -1.4), (0.12, -1.4), (0.12, 1.4), (0.3, 1.4), (0.0, 2.2)
    ]  # fmt: skip
    vertices, faces = _revolve(profile)
    return studio.new_mesh(f"Arrow {axis}", _turn(vertices, axis), faces, material)


def _build_bead(material: Any, studio: Studio) -> Any:
    profile = [(math.sin(a), -math.cos(a)) for a in np.linspace(0, math.pi, 9)]
    vertices, faces = _revolve(profile)
    return studio.new_mesh("Bead", vertices, faces, material)


def _revolve(
    profile: list[tuple[float, float]], *, closed: bool = False
) -> tuple[Matrix, list[tuple[int, ...]]]:
    """Vertices (n, 3) and faces of a profile of (radius, height) turned about Z."""
    vertices = np.array(
        [
            (radius * math.cos(a), radius * math.sin(a), height)
            for radius, height in profile
            for a in _angles(_SIDES)
        ]
    )
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
    """The same with Z laid on another axis, without mirroring."""
    return np.roll(vertices, axis + 1, axis=1)
