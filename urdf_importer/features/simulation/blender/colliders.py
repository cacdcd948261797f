# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh objects of the scene, as robots hit them."""

from collections.abc import Iterator, Sequence
from typing import Any

import bpy
import numpy as np

from ....core.blender.extract.meshes import extract_mesh, transform_mesh
from ....core.blender.scene_objects import VISIBLE, choose_objects
from ....core.blender.standing.armatures import objects_of
from ....core.diagnostics import ArgumentError, Diagnostics, quote
from ....core.geometry.triangles import make_triangles
from ...collisions.blender.obstacles import follow, may_move, split_place
from ...motion.trajectory import Numbers
from ..motions import frames_of
from ..shapes import make_solids
from ..states import Collider

_MOST_TRIANGLES = 1_000_000
_FAR = 1e6
_STILL = 1e-7


def read_colliders(
    names: Sequence[str],
    armatures: Sequence[Any],
    count: int,
    scale: float,
    diagnostics: Diagnostics,
) -> tuple[Collider, ...]:
    """Returns the named mesh objects, or all that are visible and belong to no robot, with
    modifiers applied, in metres of the robots, one of them `scale` long in the scene. Objects that
    move have their places in `count` frames from the current one on. Raises
    KinematicsError for unknown names, ArgumentError for objects that are not meshes, and for meshes
    without faces or with numbers that make no sense."""
    found = list(dict.fromkeys(_find(names, armatures)))
    moving = [item for item in found if may_move(item)]
    frames = bpy.context.scene.frame_current + np.arange(count, dtype=np.float64)
    poses = follow(moving, frames) if moving else {}
    return tuple(_read(item, poses.get(item.name), scale, diagnostics) for item in found)


def _find(names: Sequence[str], armatures: Sequence[Any]) -> Iterator[Any]:
    own = {item for main in armatures for item in objects_of(main)}
    if VISIBLE in names:
        yield from (item for item in choose_objects(VISIBLE) if item not in own)
    for item in choose_objects([name for name in names if name != VISIBLE]):
        if item.type != "MESH":
            raise ArgumentError(f"object {quote(item.name)} is not a mesh, so nothing can hit it")
        if item in own:
            raise ArgumentError(f"object {quote(item.name)} is a part of a robot that is simulated")
        yield item


def _read(item: Any, moved: Numbers | None, scale: float, diagnostics: Diagnostics) -> Collider:
    called = f"object {quote(item.name)}"
    place, linear = split_place(item)
    poses = place if moved is None or np.ptp(moved, axis=0).max() <= _STILL else moved
    triangles, _ = make_triangles(transform_mesh(extract_mesh(item, bare=True), linear))
    faces = triangles.faces.astype(np.int64)
    if not len(faces):
        raise ArgumentError(f"{called} has no faces, so nothing can hit it")
    if len(faces) > _MOST_TRIANGLES:
        raise ArgumentError(f"{called} has {len(faces)} triangles; {_MOST_TRIANGLES} are the most")
    points = triangles.vertices.astype(np.float64) / scale
    if not (np.isfinite(points).all() and np.isfinite(poses).all()):
        raise ArgumentError(f"{called} has numbers that are not finite")
    if np.abs(points).max() > _FAR:
        raise ArgumentError(f"{called} is larger than {_FAR:g} m")
    edges = points[faces[:, 1:]] - points[faces[:, :1]]
    if not np.cross(edges[:, 0], edges[:, 1]).any():
        raise ArgumentError(f"{called} has no area, so nothing can hit it")
    if any(each.type == "ARMATURE" for each in item.modifiers) or item.data.shape_keys:
        diagnostics.warning(
            "collider-deforms",
            f"{called} deforms; it keeps its first shape in the simulation",
            subject=item.name,
        )
    frames = frames_of(poses)
    frames[:, :3, 3] /= scale
    solids = make_solids(item.name, points, faces, frames[0, 2, :3], diagnostics)
    return Collider(name=item.name, solids=solids, poses=frames)
