# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of files: whether they have changed since they were read."""

import os
from collections.abc import Iterator, Mapping

FileState = tuple[int, int]
"""The size of a file in bytes, and when it was changed, in nanoseconds."""

MOST_NOTED = 1000
"""Files of a robot that are watched; the first ones read count."""


def read_state(path: str) -> FileState | None:
    """Returns the state of a file; None where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns


def find_changed(states: Mapping[str, FileState]) -> tuple[str, ...]:
    """Finds the files that are not in these states any more, in their order; none while the first
    is not there, which is the description: then there is nothing to read again."""
    return tuple(filter(None, look_for_changed(states)))


def look_for_changed(states: Mapping[str, FileState]) -> Iterator[str]:
    """Does as find_changed, with a look at one file in each step: yields its path if it is not in
    its state any more, else an empty text."""
    first = next(iter(states), None)
    if first is not None and read_state(first) is not None:
        for path, state in states.items():
            yield path if read_state(path) != state else ""
