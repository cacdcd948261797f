# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot>: the whole description, from a file or from text."""

import gc
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from ...diagnostics import Diagnostics, FragmentError, NoLinksError, ReadError, Severity, quote
from ...files.packages import PackageResolver
from ...files.regular import read_regular_file
from ...markup.encoding import Text, decode_text
from ...markup.xml import Element, Junk, blank_bad_comments, parse_xml
from ...model import Attributes, Extra, Joint, Link, LoopJoint, Material, Robot, Transmission
from ...options import ImportOptions
from ..formats import Description, ReaderFormat
from ..gazebo import interpret_extras
from ..xacro.expand import XacroArgument, expand_xacro, is_xacro, list_arguments
from .beyond import read_attributes
from .document import Document, Tally
from .joint import read_joint, read_transmission
from .link import read_link
from .loop import read_loop_joint
from .material import check_materials, read_material

_DEFINED = {
    "link": "link",
    "joint": "joint",
    "loop_joint": "loop",
    "material": "material",
    "transmission": "transmission",
}
"""Tag -> the kind of what it becomes."""

_NEWEST_VERSION = (1, 2)
_VERSION = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,6}))?").fullmatch
_ROBOT = re.compile(rb"<robot[\s/>]")
_XACRO_NAMESPACE = re.compile(
    r"https?://(?:www\.)?(?:ros\.org/wiki|wiki\.ros\.org)/xacro/?"
).fullmatch


class Located(NamedTuple):
    """A robot with the text that it was parsed from, and the elements that it was read from: tag,
    or "extra", -> elements in the robot's order, without their children, which cost more to keep
    than to parse again. Comments that XML forbids are blanks in `data`."""

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
    names. Lines are those of the file at `path` then too.

    Raises ReadError, with file and line, where the file describes no robot: it is not a regular
    file, not well-formed, not URDF, xacro that cannot be expanded, without links, or has a number
    that is none. What is merely odd goes to `diagnostics`.
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
            # What came of it is not a text that anyone wrote, so it is not kept.
            return replace(read_robot_text(data, source, diagnostics), text=b"")
        except NoLinksError as error:
            # Macros and properties that other files include.
            raise FragmentError(error.message, source=source, line=error.line) from None
    return read_robot_text(data, source, diagnostics)


URDF = ReaderFormat(
    name="urdf",
    label="URDF",
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
    """Returns the arguments that the file at `path` and what it includes declare, in their order;
    none of a file that is not xacro. Where it cannot be expanded (an argument may be missing, or it
    takes more than `seconds`), those declared up to there. Raises ReadError where there is no such
    file."""
    source = os.fspath(path)
    data = read_regular_file(source)
    if not is_xacro(data, source):
        return ()
    resolver = resolver or PackageResolver(source)
    return list_arguments(data, source, resolver, xacro_args, seconds)


def read_robot_text(data: bytes, source: str, diagnostics: Diagnostics) -> Robot:
    """Reads the robot that the URDF text `data` describes; `source` is the file that it came from.

    Lines in diagnostics are those of `data`. Raises ReadError as `read_robot` does.
    """
    if not diagnostics.source:
        diagnostics.source = source
    with paused_garbage_collection():
        return _read_text(data, source, diagnostics)


def read_located(data: bytes, source: str) -> Located:
    """Returns the robot that the URDF text `data` describes, and which of its elements is what in
    it, for those who edit the text. Raises ReadError as `read_robot` does."""
    with paused_garbage_collection():
        parts, robot = _read_parts(decode_text(data, source), source, _LocatedParts)
    assert isinstance(parts, _LocatedParts)
    return Located(robot, parts.document.data, parts.root, parts.elements)


def _read_text(raw: bytes, source: str, diagnostics: Diagnostics) -> Robot:
    parts, robot = _read_parts(decode_text(raw, source), source, _Parts)
    robot = replace(robot, text=raw)
    for item in parts.document.diagnostics:
        report = diagnostics.warning if item.severity is Severity.WARNING else diagnostics.error
        report(item.code, item.message, subject=item.subject, line=item.line)
    return robot


def _read_parts(text: Text, source: str, kind: type["_Parts"]) -> tuple["_Parts", Robot]:
    try:
        return _read_decoded(text, source, [], kind)
    except ReadError:
        data, bad_comments = blank_bad_comments(text.data)
        if not bad_comments:
            raise
        return _read_decoded(text._replace(data=data), source, bad_comments, kind)


def _read_decoded(
    text: Text, source: str, bad_comments: list[int], kind: type["_Parts"]
) -> tuple["_Parts", Robot]:
    """The robot, with diagnostics of this attempt alone."""
    document = Document(text.data, source, Diagnostics(source))
    parts = kind(document)
    junk = parse_xml(text.data, source, parts)
    _report_syntax(bad_comments, junk, text.junk_line, document)
    return parts, parts.robot()


class _Parts:
    """The children of <robot> as they come in."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.name = self.version = ""
        self.attributes: Attributes = ()
        self.line = 0
        self.links: dict[str, Link] = {}
        self.joints: dict[str, Joint] = {}
        self.loops: dict[str, LoopJoint] = {}
        self.materials: list[Material] = []
        self.transmissions: list[Transmission] = []
        self.extras: list[Extra] = []

    def read_root(self, element: Element) -> None:
        self.document.xacro_prefixes = _find_xacro_prefixes(element)
        self.name = read_robot_name(element, self.document)
        self.version = read_version(element, self.document)
        self.attributes = read_attributes(element)
        self.line = element.line

    def read_child(self, element: Element) -> None:
        document = self.document
        tag = element.tag
        if tag == "link":
            link = read_link(element, document)
            if link is not None and self.links.setdefault(link.name, link) is not link:
                _lose_duplicate(element, self.links[link.name].line, document)
        elif tag == "joint":
            joint = read_joint(element, document)
            if joint is not None and self.joints.setdefault(joint.name, joint) is not joint:
                _lose_duplicate(element, self.joints[joint.name].line, document)
        elif tag == "loop_joint":
            self._read_loop(element)
        elif tag == "material":
            document.kind, document.name = "robot", self.name
            self.materials.append(read_material(element, document))
        elif tag == "transmission":
            self.transmissions.append(read_transmission(element, document))
        else:
            self.extras.append(document.extra(element))

    def _read_loop(self, element: Element) -> None:
        """Adds a loop; a second one of a name is kept as it is, as one that cannot be read."""
        loop = read_loop_joint(element, self.document)
        if loop is None or self.loops.setdefault(loop.name, loop) is not loop:
            self.extras.append(self.document.extra(element))

    def robot(self) -> Robot:
        """What has come in. Raises ReadError where there is no link."""
        document = self.document
        if not self.links:
            raise NoLinksError(
                f"the robot {quote(self.name)} has no links",
                source=document.source,
                line=self.line,
            )
        check_materials(self.materials, self.links.values(), document.diagnostics)
        _report_tallies(document)
        robot = Robot(
            name=self.name,
            links=tuple(self.links.values()),
            joints=tuple(self.joints.values()),
            loops=tuple(self.loops.values()),
            materials=tuple(self.materials),
            transmissions=tuple(self.transmissions),
            extras=tuple(self.extras),
            version=self.version,
            attributes=self.attributes,
            source=document.source,
        )
        return interpret_extras(robot)


class _LocatedParts(_Parts):
    """Keeps the elements of what is in the robot, kind by kind in its order."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.root = Element()
        self.elements: dict[str, list[Element]] = {
            kind: [] for kind in (*_DEFINED.values(), "extra")
        }

    def read_root(self, element: Element) -> None:
        super().read_root(element)
        self.root = element

    def read_child(self, element: Element) -> None:
        before = len(self.extras)
        super().read_child(element)
        # What cannot be read as what its tag says is kept as an extra.
        is_kept = len(self.extras) > before
        kind = "extra" if is_kept else _DEFINED.get(element.tag, "extra")
        found = self.elements[kind]
        # Second ones and those that say too little are not in the robot.
        if len(getattr(self, f"{kind}s")) > len(found):
            found.append(element)
        element.clear()


def read_robot_name(element: Element, document: Document) -> str:
    """Reads the robot's name, or that of its file."""
    name = document.name_of(element)
    if not name:
        name = PurePath(document.source).stem or "robot"
        document.name = name
        document.warning(
            "missing-robot-name", f"the robot has no name; it is called {quote(name)}", element
        )
    document.name = name
    return name


def read_version(element: Element, document: Document) -> str:
    """Reads the version of URDF as written; empty where it is not."""
    version = element.attributes.get("version", "")
    if not version:
        return ""
    match = _VERSION(version.strip())
    if match is None or (int(match[1]), int(match[2] or 0)) > _NEWEST_VERSION:
        document.warning(
            "unknown-version",
            f"the version of URDF is {quote(version)}; it is read as 1.2",
            element,
        )
    return version


def _find_xacro_prefixes(element: Element) -> tuple[str, ...]:
    """How tags of xacro begin: with "xacro:" even where that is not declared."""
    declared = (
        attribute.removeprefix("xmlns:") + ":"
        for attribute, value in element.attributes.items()
        if attribute.startswith("xmlns:") and _XACRO_NAMESPACE(value)
    )
    return ("xacro:", *declared)


def _lose_duplicate(element: Element, line: int, document: Document) -> None:
    document.error(
        f"duplicate-{document.kind}",
        f"{document.place(element)} is already there in line {line}; this one is left out",
        element,
    )


def _report_tallies(document: Document) -> None:
    limits, textures, calls = (
        document.unrated_limits,
        document.empty_textures,
        document.leftover_calls,
    )
    if limits.count:
        text = f"{_counted(limits.count, 'limit')} without effort or velocity; they stay unknown"
        _report_tally(limits, "limit-without-effort", text, limits.subject, document)
    if textures.count:
        text = f"{_counted(textures.count, 'texture')} without filename; read as if not there"
        _report_tally(textures, "empty-texture", text, textures.subject, document)
    if calls.count:
        text = (
            f"{_counted(calls.count, 'call')} of macros of xacro that nothing defines, "
            f"<{calls.subject}>; kept as they are"
        )
        _report_tally(calls, "leftover-macro", text, document.name, document)


def _report_tally(tally: Tally, code: str, text: str, subject: str, document: Document) -> None:
    document.diagnostics.warning(code, text, subject=subject, line=tally.line)


def _counted(count: int, noun: str) -> str:
    return f"there is one {noun}" if count == 1 else f"there are {count} {noun}s, the first here,"


def _report_syntax(
    bad_comments: list[int], junk: Junk | None, nul_line: int, document: Document
) -> None:
    diagnostics = document.diagnostics
    if bad_comments:
        diagnostics.warning(
            "bad-comment",
            f"{_counted(len(bad_comments), 'comment')} with '--' within, which XML forbids; "
            "read as if not there",
            line=bad_comments[0],
        )
    if junk is not None and _ROBOT.match(document.data, junk.offset):
        diagnostics.warning(
            "second-robot", "a second robot follows; the first one is read", line=junk.line
        )
    elif junk is not None or nul_line:
        diagnostics.warning(
            "trailing-content",
            "what follows </robot> is not read",
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
