# SPDX-License-Identifier: GPL-3.0-or-later
"""Long searches: thousands of damaged files, the time and the memory of each looked at.

A search is the same every time: example number 17 of a reader is always the same file. What fails
is made smaller by leaving changes out, and kept in a file.
"""

import os
import re
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from support.mutations import Mutation, apply, plan_damage
from urdf_importer.core.diagnostics import RobotError

MANY, FEW = 10_000, 60
_LETTERS = 700
_RESET = Path("/proc/self/clear_refs")
"""Linux forgets the most memory that was held where 5 is written there."""
Reads = Callable[[bytes], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What one file may take: seconds of the processor, and megabytes beside those held before."""

    seconds: float = 5.0
    megabytes: float = 250.0


def how_many(is_long: bool) -> int:
    """Returns how many examples a search has."""
    return int(os.environ.get("FUZZ_EXAMPLES", MANY)) if is_long else FEW


def search(name: str, seeds: Sequence[bytes], read: Reads, count: int, bounds: Bounds) -> None:
    """Reads seeds as they are, then `count` damaged ones. Raises AssertionError for whatever is
    neither read nor refused in a sentence, within the bounds."""
    worst = _Worst()
    for number, seed in enumerate(seeds):
        _try(f"{name}, seed {number}", seed, [], read, bounds, worst)
    for number in range(count):
        random = Random(f"{name} {number}")
        seed = random.choice(seeds)
        _try(f"{name}, example {number}", seed, plan_damage(random), read, bounds, worst)
    sys.stdout.write(
        f"{name}: {count} examples, {worst.total:.1f} s; of one {worst.seconds:.2f} s, "
        f"{worst.megabytes:.0f} MB\n"
    )


@dataclass(slots=True)
class _Worst:
    total: float = 0.0
    seconds: float = 0.0
    megabytes: float = 0.0

    def note(self, seconds: float, megabytes: float) -> None:
        self.total += seconds
        self.seconds = max(self.seconds, seconds)
        self.megabytes = max(self.megabytes, megabytes)


def _try(
    what: str, seed: bytes, changes: list[Mutation], read: Reads, bounds: Bounds, worst: _Worst
) -> None:
    """Raises what a file ends in that is left of changes without those that it does not take."""
    error = _find_failure(apply(changes, seed), read, bounds, worst)
    if error is None:
        return
    for change in list(changes):
        fewer = [each for each in changes if each is not change]
        other = _find_failure(apply(fewer, seed), read, bounds, worst)
        if other is not None:
            changes, error = fewer, other
    content = apply(changes, seed)
    kept = Path(tempfile.gettempdir(), f"{re.sub('[^a-z0-9]+', '-', what.lower())}.bad")
    kept.write_bytes(content)
    error.add_note(f"{what}: {len(content)} bytes, kept in {kept}")
    raise error


def _find_failure(content: bytes, read: Reads, bounds: Bounds, worst: _Worst) -> Exception | None:
    try:
        worst.note(*check(content, read, bounds))
    except Exception as error:  # noqa: BLE001
        return error
    return None


def check(content: bytes, read: Reads, bounds: Bounds) -> tuple[float, float]:
    """Reads a file. Returns the seconds and megabytes that it took; raises AssertionError where it
    is neither read nor refused in a sentence, within the bounds.

    A pause of a virtual machine counts as time of the processor. It only adds, and seldom comes
    twice: a file that takes too long is read once more, and the shorter time counts.
    """
    spent, taken = _measure(content, read)
    if spent >= bounds.seconds:
        spent = min(spent, _measure(content, read)[0])
    assert spent < bounds.seconds, f"{spent:.1f} s"
    assert taken < bounds.megabytes, f"{taken:.0f} MB"
    return spent, taken


def _measure(content: bytes, read: Reads) -> tuple[float, float]:
    """Returns the seconds of this thread and the megabytes that reading a file takes."""
    held = _start_peak()
    began = time.thread_time()
    try:
        read(content)
    except RobotError as error:
        assert error.message and "\n" not in error.message, error.message
        assert len(error.message) < _LETTERS, error.message
    return time.thread_time() - began, _end_peak(held)


def _start_peak() -> float:
    """Returns the megabytes that are held, and forgets the most that was."""
    try:
        _RESET.write_text("5")
    except OSError:
        tracemalloc.start()
        return 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _end_peak(held: float) -> float:
    """Returns the most megabytes that were held since, beside those of before."""
    if not tracemalloc.is_tracing():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - held
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return peak
