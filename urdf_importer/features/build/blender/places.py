# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in the world as origins of joints, in double precision: by the armature's matrix and by
forward kinematics at the shown positions, never by matrices of bones."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....core.arguments import numbers_of
from ....core.blender.standing.pose import get_joint_positions
from ....core.diagnostics import ArgumentError
from ....core.geometry.rounding import SAME, shortest, tidy_pose
from ....core.geometry.transforms import Matrix, matrix_from_pose, nearest_turn, pose_of
from ....core.kinematics.loops import forward_kinematics
from ....core.model import IDENTITY, Pose, Robot, Vector3
from ....core.reshape.making.steps import check_axis
from ..axes import FittedAxis

World = Sequence[float]
Place = World | Sequence[Sequence[float]] | FittedAxis | None


class ShownFrames:
    """The frames of a robot's links in the world, as shown."""

    def __init__(self, armature: Any, robot: Robot) -> None:
        known = {each.name for each in robot.joints}
        shown = get_joint_positions(armature).items()
        positions = {name: each for name, each in shown if name in known}
        self._frames = forward_kinematics(robot, positions)
        self._world = np.array(armature.matrix_world, dtype=np.float64)

    def of(self, link: str) -> Matrix:
        """Returns the frame (4, 4) of a link; its scale is the armature's."""
        frame: Matrix = self._world @ self._frames[link]
        return frame


def place_joint(
    parent: Matrix, place: Place, first: Matrix | None, *, like: Pose = IDENTITY
) -> Pose:
    """Returns the origin of a joint at a place, in a parent link whose frame (4, 4) in the world
    this is. `first` is the world matrix of the first object, `like` gives the rotation of a place
    that has none. Raises ArgumentError."""
    inverse = np.linalg.inv(parent)
    if place is None:
        if first is None:
            return like
        return _point(inverse, first[:3, 3], like, tidy=True)
    if isinstance(place, FittedAxis):
        return _point(inverse, np.array(place.point), like, tidy=True)
    given = np.array(place, dtype=object)
    if given.shape != (4, 4):
        return _point(inverse, np.array(numbers_of(place, "place", 3)), like, tidy=False)
    frame = np.array(place, dtype=np.float64)
    if not np.isfinite(frame).all() or abs(np.linalg.det(frame[:3, :3])) < 1e-12:
        raise ArgumentError("place needs finite numbers, and axes that are not flat")
    local = inverse @ frame
    local[:3, :3] = nearest_turn(local[:3, :3])
    return pose_of(local, rounding=1e-15)


def _point(inverse: Matrix, point: Any, like: Pose, *, tidy: bool) -> Pose:
    frame = matrix_from_pose(like)
    frame[:3, 3] = inverse[:3, :3] @ point + inverse[:3, 3]
    if tidy:
        return tidy_pose(frame, Pose(rpy=like.rpy, quat_xyzw=like.quat_xyzw))
    x, y, z = (frame[:3, 3] + 0.0).tolist()
    return Pose(xyz=(x, y, z), rpy=like.rpy, quat_xyzw=like.quat_xyzw)


def turn_axis(parent: Matrix, origin: Pose, axis: Any) -> Vector3:
    """Returns an axis in the world, or the name of one of its own, in the frame of a joint; near
    numbers of few digits become these. Raises ArgumentError."""
    if isinstance(axis, str):
        if axis not in ("x", "y", "z"):
            raise ArgumentError(f"axis is {axis!r}; it must be 'x', 'y', 'z' or three numbers")
        return tuple(float(axis == word) for word in "xyz")  # type: ignore[return-value]
    along = np.array(check_axis(axis.direction if isinstance(axis, FittedAxis) else axis))
    frame = parent @ matrix_from_pose(origin)
    local = np.linalg.inv(frame[:3, :3]) @ along
    x, y, z = (shortest(each, SAME / 2) for each in (local / np.linalg.norm(local)).tolist())
    return x, y, z
