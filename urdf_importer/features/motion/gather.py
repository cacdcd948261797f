# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded samples -> one trajectory.

Several publishers may report different joints at different times. Each joint keeps its own samples:
the others are NaN at its times, never filled up.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import Diagnostics, ReadError, quote
from .trajectory import KINDS, MOST_TIME, FrameTrack, Interpolation, Numbers, Trajectory, to_seconds

Times = NDArray[np.int64]
MOST_VALUES = 2**24
"""Positions that are held at once: 128 MB, and as many velocities and efforts."""
_FREE_VALUES, _MOST_APART = 1_000_000, 256
"""Of times and joints, so many and no more for each number: as many joints that come apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleBlock:
    """Samples of the same joints: `times` (m,) in nanoseconds, `order` (m,) when each arrived,
    arrays (m, n) or None for missing quantities."""

    names: tuple[str, ...]
    times: Times
    order: Times
    positions: Numbers
    velocities: Numbers | None = None
    accelerations: Numbers | None = None
    efforts: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameBlock:
    """Poses of one frame: times (m,) in nanoseconds, translations (m, 3), quaternions (m, 4);
    `is_static` where one pose holds always; `origin` names the source."""

    parent: str
    child: str
    times: Times
    order: Times
    translations: Numbers
    quaternions: Numbers
    is_static: bool = False
    origin: str = ""


Block = TypeVar("Block", SampleBlock, FrameBlock)


@dataclass(slots=True)
class Gathered:
    """The content of a recording found so far."""

    samples: list[SampleBlock] = field(default_factory=list)
    frames: list[FrameBlock] = field(default_factory=list)
    interpolation: Interpolation = "linear"
    values: int = 0

    def add(self, block: SampleBlock) -> None:
        """Adds samples. Raises ReadError where there are more than are held."""
        self.count(block.positions.size)
        self.samples.append(block)

    def add_frame(self, block: FrameBlock) -> None:
        """Adds poses of a frame. Raises ReadError where there are more than are held."""
        self.count(7 * len(block.times))
        self.frames.append(block)

    def count(self, number: int) -> None:
        """Counts numbers that are held. Raises ReadError where there are too many."""
        self.values += number
        if self.values > MOST_VALUES:
            raise ReadError(f"it holds more than {MOST_VALUES:,} numbers; record a shorter motion")


def assemble(
    gathered: Gathered, diagnostics: Diagnostics, *, source: str, topic: str
) -> Trajectory:
    """Returns one trajectory of all samples. Raises ReadError where there are none."""
    sound = (_select(block, np.abs(block.times) < MOST_TIME) for block in gathered.samples)
    blocks = _longest_run([block for block in sound if len(block.times)], diagnostics)
    tracks = [block for block in map(drop_bad_poses, gathered.frames) if block is not None]
    times = _unite([block.times for block in blocks])
    start = int(times[0]) if len(times) else _first_time(tracks)
    names = tuple(dict.fromkeys(name for block in blocks for name in block.names))
    _check_size(len(times) * len(names), sum(block.positions.size for block in blocks))
    arrays = {kind: _merge(blocks, names, times, kind) for kind in KINDS}
    for array in arrays.values():
        if array is not None:
            array.setflags(write=False)
    positions = arrays.pop("positions")
    if positions is None:
        positions = np.empty((len(times), len(names)))
    seen = ~np.isnan(positions).all(axis=0)
    if not seen.any() and not tracks:
        raise ReadError(
            "it holds no position of any joint: neither a JointState (name, position) nor a "
            "JointTrajectory (joint_names, points) with numbers, nor poses of frames",
            source=source,
        )
    others: dict[str, Any] = {
        kind: _columns(array, seen) for kind, array in arrays.items() if array is not None
    }
    return Trajectory(
        names=tuple(name for name, is_seen in zip(names, seen, strict=True) if is_seen),
        times=to_seconds(times - start) if seen.any() else np.empty(0),
        positions=_keep(positions, seen) if seen.any() else np.empty((0, 0)),
        frames=_assemble_tracks(tracks, start, diagnostics),
        start_time=start,
        interpolation=gathered.interpolation if seen.any() else "linear",
        source=source,
        topic=topic,
        **others,
    )


def _unite(found: Sequence[Times]) -> Times:
    """Returns all times, each once, in their order. The times of one table are so already; asking
    whether they are takes a hundredth of the time of sorting them."""
    times = np.concatenate([np.empty(0, np.int64), *found])
    return times if (np.diff(times) > 0).all() else np.unique(times)


def _keep(array: Numbers, seen: NDArray[np.bool_]) -> Numbers:
    return array if seen.all() else array[:, seen]


def _columns(array: Numbers, seen: NDArray[np.bool_]) -> Numbers | None:
    kept = _keep(array, seen)
    return kept if kept.size and not np.isnan(kept).all() else None


def _check_size(values: int, said: int) -> None:
    """A small file whose messages are each about another joint would take gigabytes."""
    most = min(2 * MOST_VALUES, _FREE_VALUES + _MOST_APART * said)
    if values > most:
        raise ReadError(
            f"its joints at all its times are more than {most:,} numbers; record a shorter motion"
        )


def _select(block: Block, chosen: NDArray[np.bool_]) -> Block:
    if chosen.all():
        return block
    every = {each.name: getattr(block, each.name) for each in fields(block)}
    arrays: dict[str, Any] = {
        name: each[chosen] for name, each in every.items() if isinstance(each, np.ndarray)
    }
    return replace(block, **arrays)


def _longest_run(blocks: list[SampleBlock], diagnostics: Diagnostics) -> list[SampleBlock]:
    """Where the times of some joints go back, a simulation was restarted or a recording played in
    a circle: the run with the most samples counts."""
    found = [_find_breaks(group) for group in _group(blocks, attrgetter("names"))]
    breaks = np.unique(np.concatenate(found)) if found else np.empty(0)
    if not len(breaks):
        return blocks
    runs = [np.searchsorted(breaks, block.order, side="right") for block in blocks]
    counts = np.bincount(np.concatenate(runs))
    best = int(counts.argmax())
    often = "once" if len(breaks) == 1 else f"{len(breaks)} times"
    diagnostics.warning(
        "time-goes-back",
        f"times go back {often}; the longest of the runs counts "
        f"({counts[best]} of {counts.sum()} samples)",
    )
    chosen = [_select(block, run == best) for block, run in zip(blocks, runs, strict=True)]
    return [block for block in chosen if len(block.times)]


def _group(blocks: Iterable[Block], key: Callable[[Block], Hashable]) -> list[list[Block]]:
    groups: dict[Hashable, list[Block]] = {}
    for block in blocks:
        groups.setdefault(key(block), []).append(block)
    return list(groups.values())


def _find_breaks(blocks: Sequence[SampleBlock]) -> Times:
    """Returns the places of samples that are earlier than the sample that arrived before."""
    order = np.concatenate([block.order for block in blocks])
    times = np.concatenate([block.times for block in blocks])
    ranks = np.argsort(order, kind="stable")
    back = np.diff(times[ranks]) < 0
    found: Times = order[ranks][1:][back]
    return found


def _first_time(tracks: Sequence[FrameBlock]) -> int:
    moving = [block for block in tracks if not block.is_static] or list(tracks)
    return min((int(block.times.min()) for block in moving), default=0)


def _merge(
    blocks: Sequence[SampleBlock], names: Sequence[str], times: Times, kind: str
) -> Numbers | None:
    """Returns (times, names) with each joint's own samples; of equal times the last counts."""
    if all(getattr(block, kind) is None for block in blocks):
        return None
    place = {name: index for index, name in enumerate(names)}
    if len(blocks) == 1 and np.array_equal(blocks[0].times, times):
        # A table stays as it is.
        only: Numbers = getattr(blocks[0], kind)
        if only.shape[1] == len(names) and np.isfinite(only).all():
            return only
    merged = np.full((len(times), len(names)), np.nan)
    for block in blocks:
        values = getattr(block, kind)
        if values is None:
            continue
        rows = np.searchsorted(times, block.times)
        ranks = np.argsort(block.order, kind="stable")
        for column, name in enumerate(block.names):
            said = ranks[np.isfinite(values[ranks, column])]
            merged[rows[said], place[name]] = values[said, column]
    return merged


def drop_bad_poses(block: FrameBlock) -> FrameBlock | None:
    """Returns the poses that are finite, with quaternions of length one; None where none is."""
    with np.errstate(over="ignore"):
        lengths: Numbers = np.linalg.norm(block.quaternions, axis=1)
    good = np.isfinite(block.translations).all(axis=1) & np.isfinite(lengths) & (lengths > 1e-6)
    good &= np.abs(block.times) < MOST_TIME
    if not good.any():
        return None
    kept = _select(block, good)
    return replace(kept, quaternions=_normalize(kept.quaternions, lengths[good]))


def _normalize(quaternions: Numbers, lengths: Numbers) -> Numbers:
    """Leaves quaternions alone that have length one up to rounding, so that nothing changes on its
    way through files."""
    off = np.abs(lengths - 1.0) > 1e-12
    scaled: Numbers = np.where(off[:, None], quaternions / lengths[:, None], quaternions)
    return scaled


def _assemble_tracks(
    blocks: Sequence[FrameBlock], start: int, diagnostics: Diagnostics
) -> tuple[FrameTrack, ...]:
    tracks = []
    for edge in _group(blocks, attrgetter("parent", "child")):
        # Odometry and tf may report the same frame: the more frequent source counts.
        origins = _group(edge, attrgetter("origin"))
        best = max(origins, key=lambda group: sum(len(block.times) for block in group))
        tracks.append(_assemble_track(best, start, diagnostics))
    return tuple(tracks)


def _assemble_track(
    blocks: Sequence[FrameBlock], start: int, diagnostics: Diagnostics
) -> FrameTrack:
    order = np.concatenate([block.order for block in blocks])
    ranks = np.argsort(order, kind="stable")
    times = np.concatenate([block.times for block in blocks])[ranks]
    translations = np.concatenate([block.translations for block in blocks])[ranks]
    quaternions = np.concatenate([block.quaternions for block in blocks])[ranks]
    first = blocks[0]
    if all(block.is_static for block in blocks):
        times = times[-1:] * 0 + start
    begin, end = _find_longest(times)
    if end - begin < len(times):
        diagnostics.warning(
            "time-goes-back",
            f"times of frame {quote(first.child)} go back; the longest of the runs counts "
            f"({end - begin} of {len(times)} samples)",
            subject=first.child,
        )
    kept = slice(begin, end) if len(times) > 1 else slice(-1, None)
    times, translations, quaternions = times[kept], translations[kept], quaternions[kept]
    last = np.append(np.diff(times) > 0, True)
    return FrameTrack(
        parent=first.parent,
        child=first.child,
        times=to_seconds(times[last] - start),
        translations=translations[-len(times) :][last],
        quaternions=quaternions[-len(times) :][last],
    )


def _find_longest(times: Times) -> tuple[int, int]:
    """Returns the first and the end of the longest run of times that do not go back."""
    ends = np.append(np.flatnonzero(np.diff(times) < 0) + 1, len(times))
    begins = np.concatenate([[0], ends[:-1]])
    best = int((ends - begins).argmax())
    return int(begins[best]), int(ends[best])
