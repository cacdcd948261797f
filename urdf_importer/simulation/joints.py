# SPDX-License-Identifier: GPL-3.0-or-later
"""States of links and joints to the positions of joints, and how far two of them are apart."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..geometry.transforms import (
    matrix_from_pose,
    quaternion_from_rotation,
    rotation_from_quaternion,
)
from ..kinematics.forward import local_matrices
from ..kinematics.tree import KinematicTree, retrace_tree
from ..model import Robot
from ..motion.frames import align_signs
from ..motion.trajectory import Numbers
from .states import Position


class JointReader:
    """Reads positions of joints off `frames`, link -> (n, 4, 4) in the world, and `numbers`, joint
    -> (n, k) of its slides and hinges."""

    def __init__(
        self, robot: Robot, frames: Mapping[str, Numbers], numbers: Mapping[str, Numbers]
    ) -> None:
        self._joints = {joint.name: joint for joint in robot.joints}
        self._frames = frames
        self._numbers = numbers

    def read(self, start: Mapping[str, Position]) -> dict[str, Numbers]:
        """Returns joint -> its positions in the n states, in the words of get_joint_positions,
        of the joints in `start`."""
        found = {}
        for name, position in start.items():
            if name not in self._numbers:
                continue
            size = len(position) if isinstance(position, tuple) else 1
            if size == 1:
                found[name] = self._numbers[name][:, 0]
            elif size == 3:
                found[name] = self._numbers[name]
            else:
                found[name] = self._read_motion(name)[:, -size:]
        return found

    def _read_motion(self, name: str) -> Numbers:
        """Returns (n, 7): how a joint that turns freely moves its child."""
        joint = self._joints[name]
        parent, child = self._frames[joint.parent], self._frames[joint.child]
        above = parent @ matrix_from_pose(joint.origin)
        seat = np.linalg.inv(matrix_from_pose(joint.child_origin))
        return poses_of(np.linalg.solve(above, child @ seat))


def measure_drift(
    robot: Robot,
    one: tuple[Mapping[str, Numbers], Numbers],
    other: tuple[Mapping[str, Numbers], Numbers],
) -> float:
    """Returns the worst distance in m between origins of links in two motions (positions, base) of
    one robot. Followers are where each motion has them."""
    free = replace(robot, joints=tuple(replace(joint, mimic=None) for joint in robot.joints))
    tree = retrace_tree(free)
    return max(
        float(np.linalg.norm(_origins(tree, one, row) - _origins(tree, other, row), axis=1).max())
        for row in range(len(one[1]))
    )


def _origins(
    tree: KinematicTree, motion: tuple[Mapping[str, Numbers], Numbers], row: int
) -> Numbers:
    """Returns (N, 3) origins of the links in one state."""
    positions, base = motion
    local = local_matrices(tree, {name: as_position(each[row]) for name, each in positions.items()})
    frames = np.empty((len(tree.links), 4, 4))
    for place, parent in enumerate(tree.parents):
        frames[place] = (base[row] if parent < 0 else frames[parent]) @ local[place]
    return frames[:, :3, 3]


def frames_of(poses: Numbers) -> Numbers:
    """Returns (n, 4, 4) of poses (n, 7): x, y, z and a quaternion x, y, z, w."""
    frames = np.tile(np.eye(4), (len(poses), 1, 1))
    frames[:, :3, 3] = poses[:, :3]
    frames[:, :3, :3] = [rotation_from_quaternion(quat) for quat in poses[:, 3:]]
    return frames


def poses_of(frames: Numbers) -> Numbers:
    """Returns poses (n, 7) of rigid frames (n, 4, 4), the quaternions without jumps."""
    turns = np.array([quaternion_from_rotation(each) for each in frames[:, :3, :3]])
    return np.hstack([frames[:, :3, 3], align_signs(turns)])


def as_position(value: Numbers) -> Position:
    """Returns a joint's position, () or (k,), in the words of set_joint_positions."""
    return tuple(value.tolist()) if value.ndim else float(value)
