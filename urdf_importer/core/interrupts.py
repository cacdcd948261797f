# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C where Blender cannot take it, and SIGTERM as Ctrl-C."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Terminated(KeyboardInterrupt):
    """SIGTERM came, as `timeout` and schedulers send it: everything unwinds as after Ctrl-C."""


@contextmanager
def hold_interrupt() -> Iterator[None]:
    """Lets the block end before Ctrl-C or SIGTERM goes to its handler: Blender takes a
    KeyboardInterrupt raised in the midst of its start for fatal, and one in the midst of a render
    for nothing."""
    held: list[int] = []
    with (
        _handle(signal.SIGINT, lambda number, frame: held.append(number)),
        _handle(signal.SIGTERM, lambda number, frame: held.append(number)),
    ):
        yield
    for number in dict.fromkeys(held):
        signal.raise_signal(number)


@contextmanager
def end_on_termination() -> Iterator[None]:
    """Has SIGTERM raise Terminated in the block, unless it is ignored or has another handler:
    files half written are removed then."""
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    with _handle(signal.SIGTERM, _terminate):
        yield


def _terminate(number: int, frame: Any) -> None:
    raise Terminated


@contextmanager
def _handle(number: int, handler: Callable[[int, Any], Any]) -> Iterator[None]:
    """Handles a signal, but for one whose handler was not installed from Python, as Ctrl-C's in
    Blender's own program: it could not be put back."""
    before = signal.getsignal(number)
    try:
        if before is not None:
            signal.signal(number, handler)
    except ValueError:  # Signals go to the main thread, and this is another one.
        before = None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(number, before)
