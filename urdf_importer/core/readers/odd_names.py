# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that look like others or break lines where they are shown: kept, and reported."""

import re
import unicodedata
from collections.abc import Callable, Iterator

from ..diagnostics import Diagnostics, quote
from ..model import Robot

MOST_MARKS = 4
"""Marks in a row above or below one letter; no script needs more."""

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_SHOWN = 24


def report_odd_names(robot: Robot, diagnostics: Diagnostics) -> None:
    """Warns of names with characters that cannot be seen, such as line ends, and of names with
    heaps of combining marks: once for each kind, with the first name."""
    _report(robot, diagnostics, _has_unseen, "line ends or other characters that cannot be seen")
    _report(robot, diagnostics, _has_heap, f"more than {MOST_MARKS} combining marks on a letter")


def _report(
    robot: Robot, diagnostics: Diagnostics, is_odd: Callable[[str], bool], what: str
) -> None:
    odd = [(name, line) for name, line in _names(robot) if is_odd(name)]
    if not odd:
        return
    name, line = odd[0]
    shown = quote(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}...")
    which = f"{shown} has" if len(odd) == 1 else f"{len(odd)} names, {shown} first, have"
    diagnostics.warning("odd-name", f"{which} {what}; kept as written", subject=name, line=line)


def _names(robot: Robot) -> Iterator[tuple[str, int]]:
    yield robot.name, 0
    yield from ((each.name, each.line) for each in robot.links)
    yield from ((each.name, each.line) for each in robot.joints)
    yield from ((each.name, each.line) for each in robot.loops)


def _has_unseen(name: str) -> bool:
    return _UNSEEN.search(name) is not None


def _has_heap(name: str) -> bool:
    row = 0
    for letter in "" if name.isascii() else name:
        row = row + 1 if unicodedata.combining(letter) else 0
        if row > MOST_MARKS:
            return True
    return False
