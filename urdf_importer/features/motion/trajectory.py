# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a motion: joints and moving frames over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import KinematicsError, quote, unknown_name
from ...core.kinematics.keys import Numbers as Numbers

Interpolation = Literal["linear", "spline"]
KINDS = ("positions", "velocities", "accelerations", "efforts")
NANOSECONDS = 1_000_000_000
MOST_TIME = 2**62
"""Nanoseconds; later times do not count."""
_MOST_SECONDS = 4.7e9
"""Later than MOST_TIME, and their nanoseconds are whole numbers of 64 bits still."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameTrack:
    """A frame that moves in another.

    parent, child  names of frames; both empty for the robot's base in its surroundings
    times          (m,) seconds after the trajectory's first sample; rising, may begin before it
    translations   (m, 3) metres: where the child's origin is in the parent
    quaternions    (m, 4) x, y, z, w of length one: how the child is turned
    seat           x, y, z and a quaternion, of the track that moves the robot's base: where the
                   base is in its surroundings with this track at zero; None for any other, and
                   where that is not known; not compared, and in no file
    """

    parent: str
    child: str
    times: Numbers
    translations: Numbers
    quaternions: Numbers
    seat: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        _settle(self, ("times", "translations", "quaternions"))
        count = len(self.times)
        what = f"the track of frame {quote(self.child)}"
        if self.translations.shape != (count, 3) or self.quaternions.shape != (count, 4):
            raise KinematicsError(f"{what} has arrays of different lengths")
        if not all(np.isfinite(a).all() for a in (self.translations, self.quaternions)):
            raise KinematicsError(f"{what} has numbers that are not finite")
        _check_times(self.times, what)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrameTrack) and _are_equal(self, other, ("seat",))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trajectory:
    """Joint positions over time, and frames that move with them.

    names          (n) the joints, under their recorded names
    times          (m,) seconds, rising from zero
    positions      (m, n) radians or metres; NaN where a joint has no sample at that time
    velocities, accelerations, efforts  (m, n), NaN where unknown; None where none is known
    frames         the frames that move, such as the robot's base
    start_time     the recording's clock at the first sample, in nanoseconds: since the epoch,
                   or since the beginning where the recording counts from there
    interpolation  "linear" for samples, "spline" for commands: cubic where velocities are given,
                   quintic with accelerations, as ROS controllers take them
    source, topic  the file that it was read from, and the topic; not compared
    """

    names: tuple[str, ...]
    times: Numbers
    positions: Numbers
    velocities: Numbers | None = None
    accelerations: Numbers | None = None
    efforts: Numbers | None = None
    frames: tuple[FrameTrack, ...] = ()
    start_time: int = 0
    interpolation: Interpolation = "linear"
    source: str = ""
    topic: str = ""

    def __post_init__(self) -> None:
        """Raises KinematicsError for arrays that do not fit each other, and times that do not rise
        from zero."""
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "frames", tuple(self.frames))
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        _settle(self, ("times", *given))
        shape = (len(self.times), len(self.names))
        for kind in given:
            found = getattr(self, kind)
            if found.shape != shape:
                raise KinematicsError(f"{kind} have the shape {found.shape}, not {shape}")
            if np.isinf(found).any():
                raise KinematicsError(f"{kind} are not all finite")
        if len(set(self.names)) < len(self.names):
            raise KinematicsError("a trajectory names a joint twice")
        if self.interpolation not in ("linear", "spline"):
            raise KinematicsError(f"{quote(str(self.interpolation))} is not an interpolation")
        _check_times(self.times, "a trajectory")
        if len(self.times) and self.times[0] != 0.0:
            raise KinematicsError("the times of a trajectory begin at zero")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trajectory) and _are_equal(self, other, ("source", "topic"))

    __hash__ = None  # type: ignore[assignment]

    @property
    def duration(self) -> float:
        """Seconds from the first sample of a joint to the last."""
        return float(self.times[-1]) if len(self.times) else 0.0

    def select(self, names: Sequence[str]) -> "Trajectory":
        """Returns the motion of some of the joints, in this order. Raises KinematicsError for
        names that it does not have."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise unknown_name("the motion has no joint", unknown[0], self.names)
        columns = [self.names.index(name) for name in names]
        arrays: dict[str, Any] = {
            kind: array[:, columns] for kind in KINDS if (array := getattr(self, kind)) is not None
        }
        return replace(self, names=tuple(names), **arrays)


def to_seconds(nanoseconds: NDArray[np.int64]) -> Numbers:
    """Returns seconds, each the double nearest to the whole nanoseconds."""
    seconds: Numbers = nanoseconds / np.float64(NANOSECONDS)
    return seconds


def to_nanoseconds(seconds: Numbers) -> NDArray[np.int64]:
    """Returns whole nanoseconds; the inverse of to_seconds within a hundred days. Larger numbers
    become times beyond MOST_TIME."""
    bounded = np.clip(seconds, -_MOST_SECONDS, _MOST_SECONDS)
    rounded: NDArray[np.int64] = np.rint(bounded * NANOSECONDS).astype(np.int64)
    return rounded


def _settle(item: Any, names: Sequence[str]) -> None:
    """Makes doubles of the given numbers, not to be changed afterwards; arrays that cannot be
    changed are not copied."""
    for name in names:
        array = getattr(item, name)
        flags = getattr(array, "flags", None)
        if flags is None or flags.writeable or not flags.owndata or array.dtype != np.float64:
            array = np.array(array, dtype=np.float64)
        array.setflags(write=False)
        object.__setattr__(item, name, array)


def _check_times(times: Numbers, what: str) -> None:
    if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise KinematicsError(f"the times of {what} do not rise")


def _are_equal(one: Any, other: Any, but: Sequence[str] = ()) -> bool:
    for name in one.__dataclass_fields__:
        mine, its = getattr(one, name), getattr(other, name)
        if name in but:
            continue
        if isinstance(mine, np.ndarray) and isinstance(its, np.ndarray):
            if not np.array_equal(mine, its, equal_nan=True):
                return False
        elif isinstance(mine, np.ndarray) or isinstance(its, np.ndarray) or mine != its:
            return False
    return True
