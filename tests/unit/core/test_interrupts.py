# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that are held back go to their own handlers."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from urdf_importer.core.interrupts import Terminated, end_on_termination, hold_interrupt


@pytest.fixture
def handle() -> Iterator[Callable[[int, Any], None]]:
    """Sets handlers of signals, for the test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield lambda number, handler: signal.signal(number, handler) and None
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_held_signal_goes_to_the_handler_of_the_program(
    number: int, handle: Callable[[int, Any], None]
) -> None:
    heard: list[int] = []
    handle(number, lambda number, frame: heard.append(number))
    with hold_interrupt():
        signal.raise_signal(number)
        assert heard == []
    assert heard == [number]


def test_an_ignored_signal_stays_ignored(handle: Callable[[int, Any], None]) -> None:
    handle(signal.SIGTERM, signal.SIG_IGN)
    with end_on_termination(), hold_interrupt():
        signal.raise_signal(signal.SIGTERM)


def test_a_held_termination_ends_the_command(handle: Callable[[int, Any], None]) -> None:
    handle(signal.SIGTERM, signal.SIG_DFL)
    done = []
    with pytest.raises(Terminated), end_on_termination(), hold_interrupt():
        signal.raise_signal(signal.SIGTERM)
        done.append(True)
    assert done and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
