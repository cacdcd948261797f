# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories as NumPy's own files: exactly the arrays of a Trajectory.

names (n) texts, times (m), positions (m, n)
velocities, accelerations, efforts (m, n), start_time, interpolation      where they are known
frames (k, 2) parent and child; times_0, translations_0, quaternions_0 ...  where frames move
"""

import io
from typing import Any

import numpy as np

from ....core.diagnostics import ReadError, quote
from ....core.geometry.array_cache import ArraysOfFile, open_arrays
from ..fitting.layouts import read_layout
from ..fitting.recorded import Recorded
from ..gather import MOST_VALUES
from ..trajectory import KINDS, MOST_TIME, FrameTrack, Numbers, Trajectory
from .trees import TRACK_ARRAYS

_MOST_FRAMES = 10_000
_MOST_NAMES = 100_000


def read_arrays(data: bytes, rate: float, source: str) -> Recorded:
    """Returns the content of an .npz file, ours or of a layout that its keys tell. Raises
    ReadError, and KinematicsError for arrays that do not fit each other."""
    with open_arrays(io.BytesIO(data), MOST_VALUES) as file:
        found = None if "names" in file.names else read_layout(file, rate, source)
        return found or Recorded(motion=_Reader(file).read(source), source=source)


class _Reader:
    """Reads array by array."""

    def __init__(self, file: ArraysOfFile) -> None:
        self._array = file.read
        self._names = file.names

    def read(self, source: str) -> Trajectory:
        names = self._texts("names")
        times = self._numbers("times")
        first = float(times[0]) if times.ndim == 1 and len(times) else 0.0
        start = round(first * 1e9)
        if self._has("start_time"):
            start = int(self._array("start_time"))
        if abs(start) >= MOST_TIME:
            raise ReadError("the start time is not a time")
        kinds = [kind for kind in KINDS if kind == "positions" or self._has(kind)]
        known: dict[str, Any] = {kind: self._numbers(kind) for kind in kinds}
        known["frames"] = self._frames()
        if self._has("interpolation"):
            known["interpolation"] = str(self._array("interpolation"))
        joints = tuple(map(str, names.tolist()))
        return Trajectory(
            names=joints, times=times - first, start_time=start, source=source, **known
        )

    def _frames(self) -> tuple[FrameTrack, ...]:
        if not self._has("frames"):
            return ()
        edges = self._texts("frames")
        if edges.ndim != 2 or edges.shape[1:] != (2,) or len(edges) > _MOST_FRAMES:
            raise ReadError("the frames are not pairs of names")
        tracks = []
        for index, (parent, child) in enumerate(edges.tolist()):
            arrays: dict[str, Any] = {
                kind: self._numbers(f"{kind}_{index}") for kind in TRACK_ARRAYS
            }
            tracks.append(FrameTrack(parent=parent, child=child, **arrays))
        return tuple(tracks)

    def _has(self, name: str) -> bool:
        return name in self._names

    def _numbers(self, name: str) -> Numbers:
        found = self._array(name)
        if found.dtype.kind not in "fiu":
            raise ReadError(f"the array {quote(name)} is not of numbers")
        numbers: Numbers = found.astype(np.float64)
        return numbers

    def _texts(self, name: str) -> Any:
        found = self._array(name)
        if found.dtype.kind != "U" or found.size > _MOST_NAMES:
            raise ReadError(f"the array {quote(name)} is not of names")
        return found


def format_arrays(trajectory: Trajectory) -> bytes:
    """Returns the bytes of an .npz file."""
    arrays: dict[str, Any] = {
        "names": np.array(trajectory.names, dtype=str),
        "times": trajectory.times,
        "positions": trajectory.positions,
        "start_time": np.array(trajectory.start_time, dtype=np.int64),
        "interpolation": np.array(trajectory.interpolation),
    }
    arrays |= {kind: a for kind in KINDS[1:] if (a := getattr(trajectory, kind)) is not None}
    if trajectory.frames:
        edges = [(track.parent, track.child) for track in trajectory.frames]
        arrays["frames"] = np.array(edges, dtype=str)
    for index, track in enumerate(trajectory.frames):
        for kind in TRACK_ARRAYS:
            arrays[f"{kind}_{index}"] = getattr(track, kind)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()
