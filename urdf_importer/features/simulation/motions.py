# SPDX-License-Identifier: GPL-3.0-or-later
"""States of engines as motions, in the scene's measures and in the robot's."""

from dataclasses import replace

import numpy as np

from ...core.geometry.transforms import quaternion_from_rotation, rotation_from_quaternion
from ...core.kinematics.forward import place_links
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ..motion.frames import align_signs, track_poses
from ..motion.joint_frames import poses_of_joint
from ..motion.trajectory import Numbers, Trajectory
from .states import Experiment, Position, RobotStates, StartedRobot


def list_frames(experiment: Experiment) -> Numbers:
    """Returns (n,) the frames of the scene."""
    return np.arange(experiment.first, experiment.first + experiment.count, dtype=np.float64)


def hold(position: Position, count: int) -> Numbers:
    """Returns (n,) a position that stays."""
    return np.full(count, position)


def to_trajectory(robot: StartedRobot, states: RobotStates, fps: float) -> Trajectory:
    """Returns the states of an engine as a motion: joints of one axis, the others as frames by
    their names, and a base that is free as a frame in `world`."""
    times = np.arange(len(states.base)) / fps
    scalars = {name: each for name, each in states.positions.items() if each.ndim == 1}
    tracks = [
        track_poses("", name, times, poses_of_joint(each))
        for name, each in states.positions.items()
        if each.ndim == 2
    ]
    if robot.is_free:
        root = robot.tree.links[0].name
        tracks.append(track_poses("world", root, times, poses_of(states.base)))
    columns = list(scalars.values())
    unknown = np.full(len(times), np.nan)
    efforts = [states.efforts.get(name, unknown) for name in scalars]
    return Trajectory(
        names=tuple(scalars),
        times=times,
        positions=np.stack(columns, axis=1) if columns else np.zeros((len(times), 0)),
        efforts=np.stack(efforts, axis=1) if states.efforts else None,
        frames=tuple(tracks),
    )


APART = 0.003
"""Metres between an engine and a rig, or the two anchors of a joint, that are as good as none."""


def measure_drift(tree: KinematicTree, one: RobotStates, other: RobotStates) -> float:
    """Returns the worst distance in m between origins of links in two motions of one robot.
    Followers are where each motion has them."""
    joints = tuple(replace(joint, mimic=None) for joint in tree.robot.joints)
    free = retrace_tree(replace(tree.robot, joints=joints))
    return max(
        float(np.linalg.norm(_origins(free, one, row) - _origins(free, other, row), axis=1).max())
        for row in range(len(one.base))
    )


def _origins(tree: KinematicTree, states: RobotStates, row: int) -> Numbers:
    """Returns (N, 3) origins of the links in one state."""
    positions = {name: as_position(each[row]) for name, each in states.positions.items()}
    frames: Numbers = states.base[row] @ np.array(list(place_links(tree, positions).values()))
    return frames[:, :3, 3]


def scale_base(base: Numbers, scale: float, *, turned: bool = False) -> Numbers:
    """Returns poses (n, 4, 4) in a world whose metre is so much longer; with `turned` their axes
    are longer too, as in the matrix of a scaled object."""
    scaled = base.copy()
    scaled[:, : 3 if turned else 0, :3] *= scale
    scaled[:, :3, 3] *= scale
    return scaled


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
