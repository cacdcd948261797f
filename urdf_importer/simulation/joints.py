# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and frames, and how far two motions of a robot are apart."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..geometry.transforms import quaternion_from_rotation, rotation_from_quaternion
from ..kinematics.forward import local_matrices
from ..kinematics.tree import KinematicTree, retrace_tree
from ..model import Robot
from ..motion.frames import align_signs
from ..motion.trajectory import Numbers
from .states import Position


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
