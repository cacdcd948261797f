# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C where Blender cannot take it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hold_interrupt() -> Iterator[None]:
    """Lets the block end before Ctrl-C counts: Blender takes a KeyboardInterrupt raised in the
    midst of its start for fatal, and one in the midst of a render for nothing.

    Where Ctrl-C's handler was not installed from Python, as in Blender's own program, it could not
    be put back: it is left alone, and so is Ctrl-C.
    """
    held: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    try:
        if before is not None:
            signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    except ValueError:  # Ctrl-C goes to the main thread, and this is another one.
        before = None
    if before is None:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt
