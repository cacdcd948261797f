# SPDX-License-Identifier: GPL-3.0-or-later
"""Arriving messages -> the newest state, and a recording of all of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...core.diagnostics import Diagnostics, KinematicsError, ReadError
from ..motion.gather import FrameBlock, Gathered, SampleBlock, assemble, drop_bad_poses
from ..motion.options import MotionOptions
from ..motion.recordings.motions import Collector
from ..motion.trajectory import FrameTrack, Trajectory
from .dialect import Arrival

MOST_NAMES = 2_000
"""Joints, and frames, that are kept of one server."""
_UNREADABLE = (ReadError, KinematicsError, ValueError, OverflowError)
_PACKED = 1_000
"""Messages after which a recording is made smaller."""
Publisher = tuple[str, ...]
"""The names of joints that come together: how one publisher is known from another."""


@dataclass(slots=True)
class Newest:
    """The newest position of each joint of each publisher, and the newest pose of each frame."""

    joints: dict[Publisher, dict[str, tuple[int, float]]] = field(default_factory=dict)
    frames: dict[tuple[str, str], FrameTrack] = field(default_factory=dict)
    dropped: int = 0

    def update(self, arrivals: Sequence[Arrival]) -> tuple[set[Publisher], bool]:
        """Takes new arrivals. Returns whose joints changed, and whether frames did."""
        found = self._gather(arrivals)
        changed = {block.names for block in found.samples if self._take_block(block)}
        moved = [self._take_frame(block) for block in found.frames]
        return changed, any(moved)

    def _gather(self, arrivals: Sequence[Arrival]) -> Gathered:
        collector = Collector(MotionOptions(clock="log"), MOST_NAMES)
        try:
            for each in arrivals:
                if not _collect(collector, each):
                    self.dropped += len(each.order)
            return collector.finish()
        except _UNREADABLE:
            self.dropped += len(arrivals)
            return Gathered()

    def _take_block(self, block: SampleBlock) -> bool:
        known = self.joints.get(block.names)
        if known is None:
            if sum(map(len, self.joints)) + len(block.names) > MOST_NAMES:
                self.dropped += len(block.order)
                return False
            known = self.joints[block.names] = {}
        said = np.isfinite(block.positions)
        ranks = np.argsort(block.order, kind="stable")
        for column, name in enumerate(block.names):
            rows = ranks[said[ranks, column]]
            if len(rows):
                row = rows[-1]
                known[name] = (int(block.order[row]), float(block.positions[row, column]))
        return True

    def _take_frame(self, block: FrameBlock) -> bool:
        found, key = drop_bad_poses(block), (block.parent, block.child)
        full = key not in self.frames and len(self.frames) >= MOST_NAMES
        if found is None or full:
            self.dropped += 1
            return False
        self.frames[key] = FrameTrack(
            parent=block.parent,
            child=block.child,
            times=np.zeros(1),
            translations=found.translations[-1:],
            quaternions=found.quaternions[-1:],
        )
        return True

    def tracks(self) -> tuple[FrameTrack, ...]:
        """Returns the present frames."""
        return tuple(self.frames.values())


class Recording:
    """Keeps all that arrives, up to as many numbers as a motion may have."""

    def __init__(self) -> None:
        self._collector = Collector(MotionOptions(), MOST_NAMES)
        self.count = 0
        self._packed = 0
        self.is_full = False

    def add(self, arrivals: Iterable[Arrival]) -> None:
        """Keeps messages; none after it is full."""
        for each in arrivals:
            if self.is_full:
                return
            try:
                if _collect(self._collector, each):
                    self.count += len(each.order)
            except ReadError:
                self.is_full = True
        if self.count - self._packed > _PACKED:
            self._packed = self.count
            self._collector.pack()

    def finish(self, diagnostics: Diagnostics, *, source: str, topic: str) -> Trajectory:
        """Returns the motion. Raises ReadError where nothing of one arrived."""
        if self.is_full:
            diagnostics.warning(
                "recording-full", "the recording ends here: it holds as much as a motion can"
            )
        try:
            return assemble(self._collector.finish(), diagnostics, source=source, topic=topic)
        except KinematicsError as error:
            raise ReadError(error.message, source=source) from None


def _collect(collector: Collector, arrival: Arrival) -> bool:
    """Returns whether there was sense in a message. Raises ReadError where no more is held."""
    try:
        collector.collect(
            arrival.tree,
            arrival.logs,
            arrival.order,
            is_static=arrival.is_static,
            origin=arrival.topic,
        )
    except (ValueError, OverflowError, KinematicsError):
        return False
    return True
