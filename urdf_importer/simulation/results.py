# SPDX-License-Identifier: GPL-3.0-or-later
"""States of an engine as motions, in the scene's measures and in the robot's."""

import numpy as np

from ..kinematics.tree import retrace_tree
from ..model import Robot
from ..motion.trajectory import FrameTrack, Numbers, Trajectory
from .joints import poses_of
from .states import Position, RobotStates, StartedRobot


def list_frames(first: int, count: int) -> Numbers:
    """Returns (n,) frames of the scene."""
    return np.arange(first, first + count, dtype=np.float64)


def hold(position: Position, count: int) -> Numbers:
    """Returns (n,) a position that stays."""
    return np.full(count, position)


def scale_base(base: Numbers, scale: float, *, turned: bool = False) -> Numbers:
    """Returns poses (n, 4, 4) in a world whose metre is so much longer; with `turned` their axes
    are longer too, as in the matrix of a scaled object."""
    scaled = base.copy()
    scaled[:, : 3 if turned else 0, :3] *= scale
    scaled[:, :3, 3] *= scale
    return scaled


def to_trajectory(robot: StartedRobot, states: RobotStates, fps: float) -> Trajectory:
    """Returns the states of an engine as a motion: joints of one axis, the others as frames by
    their names, and a base that is free as a frame in `world`."""
    times = np.arange(len(states.base)) / fps
    scalars = {name: each for name, each in states.positions.items() if each.ndim == 1}
    tracks = [
        _track_joint(name, times, each) for name, each in states.positions.items() if each.ndim == 2
    ]
    if robot.is_free:
        tracks.append(track_base("world", find_root(robot.robot), times, states.base))
    columns = list(scalars.values())
    return Trajectory(
        names=tuple(scalars),
        times=times,
        positions=np.stack(columns, axis=1) if columns else np.zeros((len(times), 0)),
        frames=tuple(tracks),
    )


def find_root(robot: Robot) -> str:
    """Returns the root link."""
    return retrace_tree(robot).links[0].name


def track_base(parent: str, child: str, times: Numbers, base: Numbers) -> FrameTrack:
    """Returns a motion of rigid frames (n, 4, 4)."""
    poses = poses_of(base)
    return FrameTrack(
        parent=parent,
        child=child,
        times=times,
        translations=poses[:, :3],
        quaternions=poses[:, 3:],
    )


def _track_joint(name: str, times: Numbers, values: Numbers) -> FrameTrack:
    """Returns the motion of a planar, ball or floating joint as a frame."""
    zeros = np.zeros((len(times), 1))
    size = values.shape[1]
    if size == 3:
        half = 0.5 * values[:, 2:]
        moved = np.hstack([values[:, :2], zeros])
        turned = np.hstack([zeros, zeros, np.sin(half), np.cos(half)])
    else:
        moved = values[:, :3] if size == 7 else np.tile(zeros, (1, 3))
        turned = values[:, -4:]
    return FrameTrack(parent="", child=name, times=times, translations=moved, quaternions=turned)
