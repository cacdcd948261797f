# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of a robot, without a window."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import bpy
import mathutils
import numpy as np

from ..diagnostics import BuildError, quote
from ..files.outputs import replace_file
from ..geometry.transforms import Matrix
from . import properties
from .armatures import armatures_of, children_of, objects_of
from .preview_rig import build_rig_shapes
from .studio import Studio

_LEAST_SIZE = 1e-3
"""Metres; a robot smaller than this is looked at from the distance of one of this size."""
_GLASS = (0.27, 0.34, 0.43)


def render_preview(
    armature: Any,
    path: str | PathLike[str],
    *,
    width: int = 960,
    height: int = 720,
    samples: int = 24,
    bones: bool = False,
) -> None:
    """Renders the robot as it is posed into a PNG file of `width` x `height` pixels.

    `bones` shows the rig through a transparent robot: moving joints in colour with the axis of
    each, fixed ones in grey. A robot without visuals is shown by its bones and links in any case.
    An existing file is overwritten. Raises BuildError for an object that is no imported robot,
    WriteError where the file cannot be written.
    """
    if armature.type != "ARMATURE" or properties.ROBOT not in armature:
        raise BuildError(f"object {quote(armature.name)} is not an imported robot")
    with replace_file(path) as temporary, Studio(width, height, samples) as studio:
        points = _set_scene(armature, studio, bones)
        studio.light(points)
        studio.aim(points)
        studio.render(temporary)


def _set_scene(armature: Any, studio: Studio, bones: bool) -> Matrix:
    """Puts the robot into the studio; gives the points (n, 3) that shall be in the picture."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    posed = [each.evaluated_get(depsgraph) for each in armatures_of(armature)]
    shapes = _copy_visuals(armature, depsgraph, studio)
    points = _corners(shapes)
    if bones or not shapes:
        points = np.concatenate([points, *map(_bone_ends, posed)])
    links = np.empty((0, 4, 4)) if shapes else _link_frames(armature, depsgraph)
    points = np.concatenate([points, links[:, :3, 3]])
    size = max(float(np.ptp(points, axis=0).max()), _LEAST_SIZE)
    if bones or not shapes:
        _see_through(shapes, studio)
        marked = build_rig_shapes(posed, links, size, studio)
        points = np.concatenate([points, marked])
    return _widen(points, size)


def _copy_visuals(armature: Any, depsgraph: Any, studio: Studio) -> list[Any]:
    """Copies of what the robot shows when rendered, each standing where it is now."""
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


def _link_frames(armature: Any, depsgraph: Any) -> Matrix:
    """(n, 4, 4) frames of all links in world space."""
    return np.array(
        [
            np.array(child.evaluated_get(depsgraph).matrix_world)
            for child in children_of(armature)
            if properties.LINK in child
        ]
    ).reshape(-1, 4, 4)


def _corners(shapes: Sequence[Any]) -> Matrix:
    """(n, 3) corners of the shapes' bounding boxes, in world space."""
    corners = [
        shape.matrix_world @ mathutils.Vector(c) for shape in shapes for c in shape.bound_box
    ]
    return np.array(corners, float).reshape(-1, 3)


def _bone_ends(posed: Any) -> Matrix:
    """(n, 3) heads and tails of the bones in world space."""
    world = posed.matrix_world
    bones = posed.pose.bones if posed.pose else ()
    ends = [world @ point for bone in bones for point in (bone.head, bone.tail)]
    return np.array(ends, float).reshape(-1, 3)


def _widen(points: Matrix, size: float) -> Matrix:
    """The points and a little around them, so that no view is of size zero."""
    around = 0.02 * size * np.concatenate([np.eye(3), -np.eye(3)])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return np.concatenate([points, middle + around])


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
