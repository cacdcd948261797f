# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of the time that something takes, on machines that others use too."""

import time
from collections.abc import Callable, Iterator


def within(seconds: float, clock: Callable[[], float] = time.thread_time) -> Iterator[None]:
    """Bounds the time of a loop's body: `for _ in within(5.0): read(path)`.

    A pause of a virtual machine counts as time of the processor. It only adds, and seldom comes
    twice: a body that takes too long runs once more.
    Raises AssertionError where that takes too long as well.
    """
    for _ in range(2):
        began = clock()
        yield
        spent = clock() - began
        if spent < seconds:
            return
    raise AssertionError(f"took {spent:.2f} s, and longer before; {seconds:g} s are allowed")
