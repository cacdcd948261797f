# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh objects of the scene, as robots hit them."""

from collections.abc import Iterator, Sequence
from typing import Any

import bpy
import numpy as np

from ...diagnostics import ArgumentError, Diagnostics, quote, unknown_name
from ...geometry.transforms import Matrix
from ...motion.trajectory import Numbers
from ...simulation.options import VISIBLE
from ...simulation.states import Collider
from ..standing import properties
from ..standing.armatures import objects_of

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
    KinematicsError for unknown names, ArgumentError for objects that are no meshes, and for meshes
    without faces or with numbers that make no sense."""
    found = list(dict.fromkeys(_find(names, armatures)))
    graph = bpy.context.evaluated_depsgraph_get()
    poses = {item: [np.array(item.evaluated_get(graph).matrix_world)] for item in found}
    moving = [item for item in found if _may_move(item)]
    if moving:
        _follow(moving, poses, count)
    graph = bpy.context.evaluated_depsgraph_get()
    colliders = (_read(item, graph, poses[item], scale, diagnostics) for item in found)
    return tuple(each for each in colliders if each is not None)


def _find(names: Sequence[str], armatures: Sequence[Any]) -> Iterator[Any]:
    own = {item for main in armatures for item in objects_of(main)}
    meshes = {item.name: item for item in bpy.context.scene.objects if item.type == "MESH"}
    for name in names:
        if name == VISIBLE and name not in meshes:
            yield from (
                item
                for item in meshes.values()
                if item not in own and item.visible_get() and not _is_of_robot(item)
            )
            continue
        if name not in meshes:
            if name in bpy.context.scene.objects:
                raise ArgumentError(f"object {quote(name)} is not a mesh, so nothing can hit it")
            raise unknown_name("the scene has no object", name, meshes)
        if meshes[name] in own:
            raise ArgumentError(f"object {quote(name)} is a part of a robot that is simulated")
        yield meshes[name]


def _is_of_robot(item: Any) -> bool:
    """Whether an object hangs on a robot, or is there for one: a marker or a custom shape."""
    while item is not None:
        if properties.ROBOT in item or properties.WIDGET in item:
            return True
        item = item.parent
    return False


def _may_move(item: Any) -> bool:
    while item is not None:
        data = item.animation_data
        if item.constraints or (data is not None and (data.action or data.drivers)):
            return True
        if data is not None and any(not track.mute for track in data.nla_tracks):
            return True
        item = item.parent
    return False


def _follow(moving: Sequence[Any], poses: dict[Any, list[Matrix]], count: int) -> None:
    """Adds the places in all further frames."""
    scene = bpy.context.scene
    first, rest = scene.frame_current, scene.frame_subframe
    try:
        for frame in range(first + 1, first + count):
            scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            for item in moving:
                poses[item].append(np.array(item.evaluated_get(graph).matrix_world))
    finally:
        scene.frame_set(first, subframe=rest)


def _read(
    item: Any, graph: Any, poses: list[Matrix], scale: float, diagnostics: Diagnostics
) -> Collider | None:
    shown = item.evaluated_get(graph)
    mesh = shown.to_mesh()
    try:
        mesh.calc_loop_triangles()
        count, faces = len(mesh.vertices), len(mesh.loop_triangles)
        points = np.empty(3 * count, dtype=np.float32)
        corners = np.empty(3 * faces, dtype=np.int32)
        mesh.vertices.foreach_get("co", points)
        mesh.loop_triangles.foreach_get("vertices", corners)
    finally:
        shown.to_mesh_clear()
    if not faces:
        raise ArgumentError(f"object {quote(item.name)} has no faces, so nothing can hit it")
    if faces > _MOST_TRIANGLES:
        raise ArgumentError(
            f"object {quote(item.name)} has {faces} triangles; {_MOST_TRIANGLES} are the most"
        )
    frames = np.array(poses, dtype=np.float64)
    rigid, stretch = _split(frames)
    placed = points.reshape(-1, 3).astype(np.float64) @ stretch.T / scale
    rigid[:, :3, 3] /= scale
    if not (np.isfinite(placed).all() and np.isfinite(rigid).all()):
        raise ArgumentError(f"object {quote(item.name)} has numbers that are not finite")
    if np.abs(placed).max() > _FAR:
        raise ArgumentError(f"object {quote(item.name)} is larger than {_FAR:g} m")
    if np.ptp(rigid, axis=0).max() <= _STILL:
        rigid = rigid[:1]
    triangles = corners.reshape(-1, 3).astype(np.int64)
    if np.linalg.det(stretch) < 0.0:
        triangles = triangles[:, ::-1]
    edges = placed[triangles[:, 1:]] - placed[triangles[:, :1]]
    if not np.cross(edges[:, 0], edges[:, 1]).any():
        raise ArgumentError(f"object {quote(item.name)} has no area, so nothing can hit it")
    if any(each.type == "ARMATURE" for each in item.modifiers) or item.data.shape_keys:
        diagnostics.warning(
            "collider-deforms",
            f"object {quote(item.name)} deforms; it keeps its first shape in the simulation",
            subject=item.name,
        )
    return Collider(name=item.name, vertices=placed, triangles=triangles, poses=rigid)


def _split(frames: Numbers) -> tuple[Numbers, Matrix]:
    """Returns the rigid parts (n, 4, 4) of frames, and the stretch (3, 3) of the first: its axes
    are rotation @ stretch."""
    rigid = np.tile(np.eye(4), (len(frames), 1, 1))
    rigid[:, :3, 3] = frames[:, :3, 3]
    left, _, right = np.linalg.svd(frames[:, :3, :3])
    signs = np.sign(np.linalg.det(left @ right))
    left[:, :, 2] *= np.where(signs == 0.0, 1.0, signs)[:, None]
    rigid[:, :3, :3] = left @ right
    return rigid, np.asarray(rigid[0, :3, :3].T @ frames[0, :3, :3])
