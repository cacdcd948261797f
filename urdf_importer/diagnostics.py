# SPDX-License-Identifier: GPL-3.0-or-later
"""What went wrong and what was done about it.

    RobotError                no robot; scene and disk are as they were
    |-- ReadError             the file is not a robot description that can be read
    |-- KinematicsError       its joints make no robot that can move
    |-- MeshError             a mesh file cannot be read (becomes a diagnostic of one visual)
    |-- BuildError            Blender cannot hold it
    `-- WriteError            the result cannot be written

A Diagnostic is the milder thing: a WARNING says which substitute was used, an ERROR which single
element was lost; the robot is there in both cases.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    WARNING = "warning"
    ERROR = "error"


class RobotError(Exception):
    """One clear sentence; with file and line where they are known."""

    def __init__(self, message: str, *, source: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line

    def __str__(self) -> str:
        return f"{_place(self.source, self.line)}{self.message}"


class ReadError(RobotError):
    pass


class KinematicsError(RobotError):
    pass


class MeshError(RobotError):
    """`code` is the diagnostic that the visual or collision gets."""

    def __init__(
        self, message: str, *, code: str = "unreadable-mesh", source: str = "", line: int = 0
    ) -> None:
        super().__init__(message, source=source, line=line)
        self.code = code


class BuildError(RobotError):
    pass


class WriteError(RobotError):
    pass


# Code that works on one element without knowing which (a mesh loader, the search for a file) states
# a substitute: report(code, message). Its caller says where:
# functools.partial(diagnostics.warning, subject=link.name, line=visual.line).
Report = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """`subject` names the link, joint or material concerned."""

    severity: Severity
    code: str
    message: str
    subject: str = ""
    source: str = ""
    line: int = 0

    def __str__(self) -> str:
        place = _place(self.source, self.line)
        return f"{place}{self.severity.value}: {self.message} [{self.code}]"


class Diagnostics:
    """Collects diagnostics in the order in which they come up, about the file `source`, or about
    another that belongs to it and that a diagnostic names."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self._items: list[Diagnostic] = []

    def warning(
        self, code: str, message: str, *, subject: str = "", line: int = 0, source: str = ""
    ) -> None:
        """Adds a WARNING: a substitute was used, which the message names."""
        self._add(Severity.WARNING, code, message, subject, line, source)

    def error(
        self, code: str, message: str, *, subject: str = "", line: int = 0, source: str = ""
    ) -> None:
        """Adds an ERROR: one element was lost; the robot is there."""
        self._add(Severity.ERROR, code, message, subject, line, source)

    def _add(
        self, severity: Severity, code: str, message: str, subject: str, line: int, source: str
    ) -> None:
        self._items.append(
            Diagnostic(
                severity=severity,
                code=code,
                message=message,
                subject=subject,
                source=source or self.source,
                line=line,
            )
        )

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def quote(name: str) -> str:
    """Returns a name from a file, for a message: quoted, on one line, shortened, without control
    characters."""
    shown = name if len(name) <= 80 else name[:77] + "..."
    return (
        "'"
        + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
        + "'"
    )


def name_choices(words: Sequence[str]) -> str:
    """Returns words as a choice for a message: "a, b or c"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _place(source: str, line: int) -> str:
    if not source:
        return ""
    return f"{source}:{line}: " if line else f"{source}: "
