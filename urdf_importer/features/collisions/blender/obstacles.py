# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of a rig in the world, and objects of the scene that it may touch."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import mathutils
import numpy as np
from numpy.typing import NDArray

from ....core.blender.curves import frame_rate
from ....core.blender.extract.meshes import extract_mesh, transform_mesh
from ....core.blender.scene_objects import choose_objects
from ....core.blender.span import find_range
from ....core.diagnostics import ArgumentError, KinematicsError, quote
from ....core.model import Collision, Mesh
from ...motion.blender.own_curves import pose_of_matrix, shown_pose
from ...motion.blender.sample import walk_frames
from ..link_motion import Way
from ..parts import TestedPart, make_part

_WITH_FACES = ("MESH", "CURVE", "SURFACE", "META", "FONT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacles:
    """Objects by name: their parts, and their places (S, 7) or (1, 7) in the world."""

    parts: Mapping[str, tuple[TestedPart, ...]]
    poses: Mapping[str, NDArray[np.float64]]


def place_armature(armature: Any, way: Way) -> Way:
    """Returns a way whose base is where the armature is, unless the motion moves it."""
    if len(way.base) > 1:
        return way
    return replace(way, base=np.array([shown_pose(armature)]))


def find_obstacles(armature: Any, objects: Any, way: Way, start_frame: float | None) -> Obstacles:
    """Finds objects, in their present shape; if one may move, it is looked at in the
    frames of the samples. Raises KinematicsError for objects that are not in the scene and for
    a scaled armature, ArgumentError for objects without faces."""
    found = list(choose_objects(objects))
    if found and max(abs(part - 1.0) for part in armature.matrix_world.to_scale()) > 1e-5:
        raise KinematicsError(
            f"armature {quote(armature.name)} is scaled: objects can be compared with robots of "
            "their described size only"
        )
    parts, poses = {}, {}
    for item in found:
        data = extract_mesh(item, bare=True) if item.type in _WITH_FACES else None
        if data is None or not len(data.corners):
            raise ArgumentError(f"object {quote(item.name)} has no faces that links could touch")
        poses[item.name], linear = split_place(item)
        shape = Collision(geometry=Mesh(filename=item.name))
        parts[item.name] = (make_part(item.name, shape, transform_mesh(data, linear)),)
    moving = [item for item in found if may_move(item)] if len(way.times) > 1 else []
    if moving:
        first = find_range(armature)[0] if start_frame is None else start_frame
        poses |= follow(moving, first + way.times * frame_rate())
    return Obstacles(parts=parts, poses=poses)


def split_place(item: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the place of an object in the world (1, 7), and the change of its shape by its
    scale (3, 3)."""
    place, world = _rigid(item.matrix_world), np.array(item.matrix_world)
    linear = np.linalg.solve(np.array(place)[:3, :3], world[:3, :3])
    return np.array([pose_of_matrix(place)]), linear


def _rigid(world: Any) -> Any:
    location, rotation, _ = world.decompose()
    return mathutils.Matrix.LocRotScale(location, rotation, None)


def may_move(item: Any) -> bool:
    """Whether an object may be somewhere else in other frames."""
    if item is None:
        return False
    data, body = item.animation_data, item.rigid_body
    is_animated = data is not None and bool(
        data.action or data.drivers or any(not track.mute for track in data.nla_tracks)
    )
    is_simulated = body is not None and (body.type == "ACTIVE" or body.kinematic)
    return is_animated or is_simulated or bool(item.constraints) or may_move(item.parent)


def follow(moving: list[Any], frames: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Returns the places of objects in frames. The frame that was shown is shown again."""
    poses = {item.name: np.empty((len(frames), 7)) for item in moving}
    for row, _ in enumerate(walk_frames(frames.tolist())):
        for item in moving:
            poses[item.name][row] = pose_of_matrix(_rigid(item.matrix_world))
    return poses
