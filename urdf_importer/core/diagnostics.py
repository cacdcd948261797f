# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults that were found and the remedies taken.

    RobotError                no robot; scene and disk are unchanged
    |-- ReadError             the file is not a robot description that can be read
    |   |-- FragmentError     it is a part of one: macros alone, or arguments are missing
    |   `-- NoLinksError      nothing in it makes a robot
    |-- KinematicsError       its joints make no robot that can move
    |-- MeshError             a mesh file cannot be read (becomes a diagnostic of one visual)
    |-- BuildError            Blender cannot hold it
    |-- ArgumentError         a caller handed over an impossible value; also a TypeError and a
    |                         ValueError
    |-- ConnectError          no live link can be made, or a request to it is impossible
    `-- WriteError            the result cannot be written

A Diagnostic is the milder thing: a NOTE tells of something healthy that is good to know, a WARNING
says which substitute was used, an ERROR which single element was lost; the robot is there in all
cases. Strict mode takes warnings and errors as failures, never notes.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from itertools import islice
from typing import Any, Protocol

BLENDERS = "4.2 to 5.3"
"""The oldest and the newest Blender that is tested: the only place to change."""
_BLENDER_PYTHONS = {"3.11": "4.2 to 4.5", "3.13": "5.2 and 5.3"}
"""For which Blender as a module exists."""


class Severity(Enum):
    WARNING = "warning"
    ERROR = "error"
    NOTE = "note"


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


class FragmentError(ReadError):
    """Other files, or a user's arguments, make a robot of it."""


class NoLinksError(ReadError):
    """There is a robot, and no link in it."""


class KinematicsError(RobotError):
    pass


class MeshError(RobotError):
    """`code` is the diagnostic that the visual or collision gets; `package` names a package that
    was not found."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "unreadable-mesh",
        package: str = "",
        source: str = "",
        line: int = 0,
    ) -> None:
        super().__init__(message, source=source, line=line)
        self.code = code
        self.package = package


class BuildError(RobotError):
    pass


class WriteError(RobotError):
    pass


class ConnectError(RobotError):
    pass


class ArgumentError(RobotError, TypeError, ValueError):
    """It names the argument or option, the given value and the accepted ones."""


class Named(Protocol):
    """An element that messages can name, at its line."""

    @property
    def name(self) -> str: ...

    @property
    def line(self) -> int: ...


# Code that works on one element without knowing which (a mesh loader, the search for a file) states
# a substitute: report(code, message). Its caller says where:
# functools.partial(diagnostics.warning, subject=link.name, line=visual.line).
Report = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """`subject` names the link, joint or material concerned, `lost` the kind of file that is not
    shown ("mesh" or "texture") and `package` the package that was not found."""

    severity: Severity
    code: str
    message: str
    subject: str = ""
    source: str = ""
    line: int = 0
    lost: str = ""
    package: str = ""

    def __str__(self) -> str:
        place = _place(self.source, self.line)
        return f"{place}{self.severity.value}: {self.message} [{self.code}]"


class MovedNote(str):
    """The message about a `file` that is not where a description says, with both `folders`, where
    it should be and where it is, without their common end, and `why` it is this one of several."""

    file: str
    why: str
    folders: tuple[str, str]

    @classmethod
    def about(cls, file: str, wanted: str, found: str, why: str) -> "MovedNote":
        """Returns the message for a file (kind and name) at the path `found`, and why there."""
        note = cls(f"{file} is not where it says; {quote_path(found)} was read{why}")
        old, new = (path.replace("\\", "/").split("/") for path in (wanted, found))
        most = min(len(old) - (3 if "://" in wanted else 1), len(new) - 1)
        equal = (n for n in range(1, most) if old[-n - 1] != new[-n - 1])
        end = max(1, next(equal, most))
        note.file, note.why = file, why
        note.folders = "/".join(old[:-end]) or "/", "/".join(new[:-end]) or "/"
        return note

    def tell(self, count: int) -> str:
        """Returns one message for as many files with the same folders."""
        wanted, found = map(quote_path, self.folders)
        return f"{count} files, such as {self.file}, are not in {wanted}; read from {found}"


class Diagnostics:
    """Collects diagnostics in the order in which they come up, about the file `source`, or about
    another that belongs to it and that a diagnostic names."""

    def __init__(self, source: str = "") -> None:
        self.source = source
        self._items: list[Diagnostic] = []
        self._moved: dict[tuple[str, ...], tuple[int, MovedNote, set[str]]] = {}

    def remark(
        self, code: str, message: str, *, subject: str = "", line: int = 0, source: str = ""
    ) -> None:
        """Adds a NOTE: something healthy that is good to know."""
        self._add_diagnostic(
            Severity.NOTE, code, message, subject=subject, line=line, source=source
        )

    def warning(
        self, code: str, message: str, *, subject: str = "", line: int = 0, source: str = ""
    ) -> None:
        """Adds a WARNING: a substitute was used, which the message names."""
        self._add_diagnostic(
            Severity.WARNING, code, message, subject=subject, line=line, source=source
        )

    def error(
        self, code: str, message: str, *, subject: str = "", line: int = 0, source: str = ""
    ) -> None:
        """Adds an ERROR: one element was lost; the robot is there."""
        self._add_diagnostic(
            Severity.ERROR, code, message, subject=subject, line=line, source=source
        )

    def _add_diagnostic(self, severity: Severity, code: str, message: str, **place: Any) -> None:
        self.add(Diagnostic(severity=severity, code=code, message=message, **place))

    def add(self, item: Diagnostic) -> None:
        """Adds a diagnostic; without a file of its own it is about `source`. Files that were moved
        together become one diagnostic."""
        self.extend((item if item.source else replace(item, source=self.source),))

    def extend(self, others: Iterable[Diagnostic]) -> None:
        """Adds diagnostics that were collected apart."""
        for item in others:
            note = item.message
            if not isinstance(note, MovedNote):
                self._items.append(item)
                continue
            key = (item.code, *note.folders)
            place, first, files = self._moved.setdefault(key, (len(self._items), note, set()))
            files.add(note.file)
            if place == len(self._items):
                self._items.append(item)
            elif len(files) > 1:
                self._items[place] = replace(self._items[place], message=first.tell(len(files)))

    def about(self, source: str) -> "Diagnostics":
        """Returns a collector into the same list, for another file."""
        found = Diagnostics(source)
        found._items, found._moved = self._items, self._moved
        return found

    def count_faults(self) -> int:
        """Returns how many there are for strict mode: warnings and errors."""
        return sum(item.severity is not Severity.NOTE for item in self._items)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return "\n".join(map(str, self._items)) or "no diagnostics"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosticGroup:
    """Diagnostics of one code, about one kind of lost file and one package; `places` are their
    places among all, from 0."""

    items: tuple[Diagnostic, ...]
    places: tuple[int, ...]

    @property
    def key(self) -> str:
        """A key that no other group of diagnostics has."""
        first = self.items[0]
        return f"{first.code} {first.lost} {first.package}"

    @property
    def title(self) -> str:
        """One line for all: the missing package, else the first message and the number of
        similar messages."""
        first, number = self.items[0], len(self.items)
        if first.package:
            return f"Package {quote(first.package)} not found: {_count_lost(first.lost, number)}"
        return first.message if number == 1 else f"{first.message} ({number - 1} more like it)"


def group_diagnostics(diagnostics: Iterable[Diagnostic]) -> list[DiagnosticGroup]:
    """Returns the diagnostics by code and package: files of packages that were not found first,
    then other lost files, then the rest in their order."""
    found: dict[tuple[str, str, str], list[tuple[int, Diagnostic]]] = {}
    for place, item in enumerate(diagnostics):
        found.setdefault((item.code, item.lost, item.package), []).append((place, item))
    groups = [
        DiagnosticGroup(
            items=tuple(item for _, item in members), places=tuple(place for place, _ in members)
        )
        for members in found.values()
    ]
    return sorted(groups, key=lambda each: (not each.items[0].package, not each.items[0].lost))


def describe_missing(diagnostics: Iterable[Diagnostic]) -> str:
    """Returns which files are missing and why, as "19 meshes missing (package 'x' not found)";
    empty where none is."""
    lost = [item for item in diagnostics if item.lost]
    numbers = Counter(item.lost for item in lost)
    if not numbers:
        return ""
    what = " and ".join(_count_lost(kind, number) for kind, number in numbers.items())
    packages = [quote(name) for name in dict.fromkeys(item.package for item in lost) if name]
    if not packages:
        return f"{what} missing"
    shown, more = packages[:MOST_PACKAGES], len(packages) - MOST_PACKAGES
    names = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    return f"{what} missing ({'package' if len(packages) == 1 else 'packages'} {names} not found)"


MOST_PACKAGES = 3
"""Named in one sentence."""
_PLURALS = {"mesh": "meshes", "texture": "textures"}


def _count_lost(kind: str, number: int) -> str:
    return f"{number} {kind if number == 1 else _PLURALS[kind]}"


def quote(name: str) -> str:
    """Returns a name from a file, for a message: quoted, on one line, shortened, without control
    characters."""
    shown = name if len(name) <= 80 else name[:77] + "..."
    return (
        "'"
        + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
        + "'"
    )


def one_line(words: object) -> str:
    """Returns another library's message on one line, shortened."""
    return " ".join(str(words)[:200].split())


def quote_path(path: str | os.PathLike[str]) -> str:
    """Returns a path for a message, as `quote` does: its end says more than its beginning."""
    shown = os.fspath(path)
    return quote(shown if len(shown) <= 80 else "..." + shown[-77:])


def quote_value(value: object) -> str:
    """Returns any value for a message, as Python writes it, on one line and shortened."""
    if isinstance(value, str):
        return quote(value)
    shown = " ".join(repr(value).split())
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def nearest(word: str, known: Collection[str]) -> str:
    """Returns a hint at the known names most like `word`, else at the first known names, for the
    end of a sentence."""
    # difflib compares all pairs of letters: long words and long lists of them would take for ever.
    if len(word) > 200 or len(known) > 5000:
        return ""
    by_lower = {name.lower(): name for name in known if len(name) <= 200}
    lower = word.lower()
    holding = [each for each in by_lower if lower in each] if len(lower) > 2 else []
    found = list(dict.fromkeys(get_close_matches(lower, by_lower) + holding))[:_MOST_NEAR]
    if found:
        return f"; did you mean {name_choices([quote(by_lower[each]) for each in found])}?"
    shown = [quote(name) for name in by_lower.values()][:_MOST_NEAR]
    more = f" and {len(known) - len(shown)} more" if len(known) > len(shown) else ""
    return f"; there are {', '.join(shown)}{more}" if shown else ""


def unknown_name(
    lack: str, name: str, known: Iterable[str], *, after: str = "", source: str = ""
) -> KinematicsError:
    """Returns the error for an unknown name, with a hint at similar known names: `lack` is the
    beginning of the message, such as "the robot has no joint"."""
    hint = nearest(name, tuple(known))
    return KinematicsError(f"{lack} {quote(name)}{after}{hint}", source=source)


_MOST_NEAR = 3


def hint_at_blanks(name: str, known: Collection[str]) -> str:
    """Returns a hint at a known name that differs only in blanks at an end, for a sentence."""
    bare = name.strip()
    other = next((each for each in islice(known, 1000) if each.strip() == bare), "")
    odd = other if other != bare else name
    return f"; {quote(odd)} has blanks at an end" if other else ""


def name_choices(words: Sequence[str]) -> str:
    """Returns words as a choice for a message: "a, b or c"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def advise_blender() -> str:
    """Returns the ways to a Blender, for a message where this Python has none: as a module it
    exists for few versions of Python, and pip says nothing of them."""
    running = "{}.{}".format(*sys.version_info[:2])
    modules = " and ".join(f"{python} (Blender {of})" for python, of in _BLENDER_PYTHONS.items())
    if running in _BLENDER_PYTHONS:
        module = "install it with `pip install 'urdf-importer[blender]'`"
    else:
        module = (
            f"this is Python {running}, and Blender as a module exists for "
            f"{modules}: use one of them with "
            "`pip install 'urdf-importer[blender]'`"
        )
    return f"{module}, or use a Blender program, {BLENDERS}"


def _place(source: str, line: int) -> str:
    if not source:
        return ""
    return f"{source}:{line}: " if line else f"{source}: "
