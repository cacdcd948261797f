# SPDX-License-Identifier: GPL-3.0-or-later
"""A rule of the check: a code, how severe its findings are, and the function that yields them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ....core.diagnostics import Named, Severity
from ..survey import RobotSurvey

NOTE, WARNING, ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a part: a sentence with the measured number, the bound, and a guess of the cause.
    A `line` or `level` of its own takes the place of the part's or the rule's."""

    part: Named
    text: str
    line: int = 0
    level: Severity | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """With `targets` it counts only where the robot is for one of them."""

    code: str
    level: Severity
    find: Callable[[RobotSurvey], Iterator[Fault]]
    targets: tuple[str, ...] = ()
