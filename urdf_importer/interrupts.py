# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C where Blender cannot take it."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hold_interrupt() -> Iterator[None]:
    """Lets the block end before Ctrl-C counts: Blender takes a KeyboardInterrupt raised in the
    midst of its start for fatal, and one in the midst of a render for nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt
