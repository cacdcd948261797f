# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot>: the whole description, from a file or from text."""

import gc
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from ...diagnostics import Diagnostics, FragmentError, NoLinksError, Severity
from ...files.packages import PackageResolver
from ...files.regular import read_regular_file
from ...markup.encoding import Text, decode_text
from ...markup.lenient import Finding, read_leniently
from ...markup.xml import Element, Junk, parse_xml
from ...model import Robot
from ...options import ImportOptions
from ..formats import Description, ReaderFormat
from ..xacro.expand import XacroArgument, expand_xacro, is_xacro, list_arguments
from .document import Document
from .parts import LocatedParts, Parts

_ROBOT = re.compile(rb"<robot[\s/>]")


class Located(NamedTuple):
    """A robot with the text that it was parsed from, and the elements that it was read from: tag,
    or "extra", -> elements in the robot's order, without their children, which cost more to keep
    than to parse again. `data` is the text without XML errors."""

    robot: Robot
    data: bytes
    root: Element
    elements: dict[str, list[Element]]


def read_robot(
    path: str | os.PathLike[str],
    diagnostics: Diagnostics,
    *,
    resolver: PackageResolver | None = None,
    xacro_args: Iterable[tuple[str, str]] = (),
) -> Robot:
    """Reads the robot that the URDF or xacro file at `path` describes, exactly as the file says it.

    xacro is expanded first, with `xacro_args` (name, value); `resolver` finds the files that it
    names. Lines are lines of the file at `path` then too.

    Raises ReadError, with file and line, where the file describes no robot: it is not a regular
    file, not well-formed, not URDF, xacro that cannot be expanded, without links, or has a number
    that is none. Mere oddities go to `diagnostics`.
    """
    source = os.fspath(path)
    return read_urdf(
        Description(
            data=read_regular_file(source),
            source=source,
            resolver=resolver or PackageResolver(source),
            options=ImportOptions(xacro_args=tuple(xacro_args)),
            diagnostics=diagnostics,
        )
    )


def read_urdf(given: Description) -> Robot:
    """Reads a description of URDF or xacro, as read_robot does."""
    data, source, diagnostics = given.data, given.source, given.diagnostics
    if is_xacro(data, source):
        if not diagnostics.source:
            diagnostics.source = source
        arguments = given.options.xacro_args
        data = expand_xacro(data, source, given.resolver, arguments, diagnostics)
        try:
            # The result is not a text that anyone wrote, so it is not kept.
            return replace(read_robot_text(data, source, diagnostics), text=b"")
        except NoLinksError as error:
            # Macros and properties that other files include.
            raise FragmentError(error.message, source=source, line=error.line) from None
    return read_robot_text(data, source, diagnostics)


URDF = ReaderFormat(
    name="urdf",
    label="URDF",
    description="Load URDF robots as armatures, at the origin: a bone for each moving joint, "
    "turning about its X axis within the joint's limits, and an empty in the frame of each link",
    suffixes=(".urdf", ".xacro"),
    roots=("robot",),
    read=read_urdf,
)


def list_xacro_arguments(
    path: str | os.PathLike[str],
    *,
    resolver: PackageResolver | None = None,
    xacro_args: Iterable[tuple[str, str]] = (),
    seconds: float | None = None,
) -> tuple[XacroArgument, ...]:
    """Returns the arguments that the file at `path` and its includes declare, in their order; none
    of a file that is not xacro. Where it cannot be expanded (an argument may be missing, or it
    takes more than `seconds`), the arguments declared up to there. Raises ReadError where there is
    no such file."""
    source = os.fspath(path)
    data = read_regular_file(source)
    if not is_xacro(data, source):
        return ()
    resolver = resolver or PackageResolver(source)
    return list_arguments(data, source, resolver, xacro_args, seconds)


def read_robot_text(data: bytes, source: str, diagnostics: Diagnostics) -> Robot:
    """Reads the robot that the URDF text `data` describes; `source` is the file that it came from.

    Lines in diagnostics are lines of `data`. Raises ReadError as `read_robot` does.
    """
    if not diagnostics.source:
        diagnostics.source = source
    with paused_garbage_collection():
        return _read_text(data, source, diagnostics)


def read_located(data: bytes, source: str) -> Located:
    """Returns the robot that the URDF text `data` describes, and the element of each of its parts,
    so that the text can be edited. Raises ReadError as `read_robot` does."""
    with paused_garbage_collection():
        parts, robot = _read_parts(decode_text(data, source), source, LocatedParts)
    assert isinstance(parts, LocatedParts)
    return Located(robot, parts.document.data, parts.root, parts.elements)


def _read_text(raw: bytes, source: str, diagnostics: Diagnostics) -> Robot:
    parts, robot = _read_parts(decode_text(raw, source), source, Parts)
    robot = replace(robot, text=raw)
    for item in parts.document.diagnostics:
        report = diagnostics.warning if item.severity is Severity.WARNING else diagnostics.error
        report(item.code, item.message, subject=item.subject, line=item.line)
    return robot


def _read_parts(text: Text, source: str, kind: type["Parts"]) -> tuple["Parts", Robot]:
    def read(data: bytes) -> tuple[Parts, Junk | None]:
        # With diagnostics of this attempt alone.
        parts = kind(Document(data, source, Diagnostics(source)))
        return parts, parse_xml(data, source, parts)

    (parts, junk), findings = read_leniently(text.data, read)
    _report_syntax(findings, junk, text.junk_line, parts.document)
    return parts, parts.robot()


def _report_syntax(
    findings: list[Finding], junk: Junk | None, nul_line: int, document: Document
) -> None:
    diagnostics = document.diagnostics
    for code, message, line in findings:
        diagnostics.warning(code, message, line=line)
    if junk is not None and _ROBOT.match(document.data, junk.offset):
        diagnostics.warning(
            "second-robot", "a second robot follows; the first one is read", line=junk.line
        )
    elif junk is not None or nul_line:
        diagnostics.warning(
            "trailing-content",
            "the text after </robot> is not read",
            line=junk.line if junk is not None else nul_line,
        )


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Holds the garbage collector back, which would take a fifth of the time of reading.

    Reading makes tens of thousands of objects that all stay and hang in no cycle, and the
    collector would look through them again and again. In the end they become old at once, by
    freezing and unfreezing, without one more look. The price: garbage of other threads that came
    up meanwhile waits for the next full collection.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            gc.freeze()
            gc.unfreeze()
        gc.enable()
