# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion as a file has it, before a robot says what its numbers mean."""

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
    is_open     whether other numbers may follow those of the joints
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recorded:
    """A motion with names, or `unnamed` columns; a `dataset`, LeRobot's, has units of its own."""

    motion: Trajectory = field(default_factory=lambda: make_motion((), [], np.empty((0, 0))))
    unnamed: Unnamed | None = None
    is_dataset: bool = False
    source: str = ""


_UNIT_LENGTH, _FARTHEST = 1e-3, 1e12


def are_quaternions(table: Numbers) -> bool:
    """Whether all rows (m, 4) are of length one."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(table, axis=1)
    return bool((np.abs(lengths - 1.0) < _UNIT_LENGTH).all())


def make_motion(
    names: tuple[str, ...],
    times: Any,
    positions: Numbers,
    *,
    velocities: Numbers | None = None,
    base: tuple[Numbers, Numbers] | None = None,
    source: str = "",
    topic: str = "",
) -> Trajectory:
    """Returns a motion, with a base of places (m, 3) and quaternions x, y, z, w (m, 4). Raises
    ReadError for quaternions of length zero and numbers that are not finite."""
    frames: tuple[FrameTrack, ...] = ()
    if base is not None:
        poses = np.hstack(base)
        if not (np.abs(poses) < _FARTHEST).all():
            raise ReadError("the poses of its base are not all numbers of poses", source=source)
        if (np.abs(poses[:, 3:]).max(axis=1) < 1e-6).any():
            raise ReadError("a quaternion of its base has the length 0", source=source)
        frames = (track_poses("", "", times, poses),) if len(poses) else ()
    others: dict[str, Any] = {} if velocities is None else {"velocities": velocities}
    return Trajectory(
        names=names,
        times=times,
        positions=positions,
        frames=frames,
        source=source,
        topic=topic,
        **others,
    )
