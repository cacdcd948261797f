# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion as a file has it, before a robot tells the meaning of its numbers."""

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ....core.diagnostics import ReadError
from ..frames import track_poses
from ..trajectory import FrameTrack, Numbers, Trajectory

Order = Literal["file", "mujoco", "isaac"]
Quaternion = Literal["wxyz", "xyzw"]
TURNS: dict[str, list[int]] = {"wxyz": [1, 2, 3, 0], "xyzw": [0, 1, 2, 3]}
"""Where x, y, z, w are in a quaternion of a file."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unnamed:
    """Columns without names.

    table       (m, n) positions of joints, behind seven numbers of the base where `has_base`, or
                where the robot has so many joints
    velocities  (m, n) or None
    bodies      places (m, b, 3) and quaternions (m, b, 4) of bodies, the base first; or None
    base        places (m, 3) and quaternions (m, 4) of the base; or None
    quaternion  how quaternions are written
    order       the order of the joints, unless it is found
    is_open     whether other numbers may follow the joints'
    names       the joints, where the file has them after all
    """

    times: Numbers
    table: Numbers
    velocities: Numbers | None = None
    bodies: tuple[Numbers, Numbers] | None = None
    base: tuple[Numbers, Numbers] | None = None
    has_base: bool | None = False
    quaternion: Quaternion = "xyzw"
    order: Order = "file"
    is_open: bool = False
    names: tuple[str, ...] = ()


def _make_empty() -> Trajectory:
    return Trajectory(names=(), times=np.empty(0), positions=np.empty((0, 0)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recorded:
    """A motion with names, or `unnamed` columns; a `dataset`, LeRobot's, has units of its own."""

    motion: Trajectory = field(default_factory=_make_empty)
    unnamed: Unnamed | None = None
    is_dataset: bool = False
    source: str = ""


_UNIT_LENGTH, _FARTHEST = 1e-3, 1e12


def are_quaternions(table: Numbers) -> bool:
    """Whether all rows (m, 4) have length one."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(table, axis=1)
    return bool((np.abs(lengths - 1.0) < _UNIT_LENGTH).all())


def track_base(times: Any, base: tuple[Numbers, Numbers] | None) -> tuple[FrameTrack, ...]:
    """Returns the track of a base at places (m, 3), turned by quaternions x, y, z, w (m, 4). Raises
    ReadError for quaternions of length zero and numbers that are not finite."""
    if base is None or not len(times):
        return ()
    poses = np.hstack(base)
    if not (np.abs(poses) < _FARTHEST).all():
        raise ReadError("the poses of its base are not all numbers of poses")
    if (np.abs(poses[:, 3:]).max(axis=1) < 1e-6).any():
        raise ReadError("a quaternion of its base has the length 0")
    return (track_poses("", "", times, poses),)
