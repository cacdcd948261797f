# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot>: the whole description, from a file or from text, and its children as they come in."""

import gc
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from ....core.diagnostics import Diagnostics, FragmentError, NoLinksError, quote
from ....core.gazebo import interpret_extras
from ....core.markup.encoding import Text, decode_text
from ....core.markup.lenient import Finding, read_leniently
from ....core.markup.xml import Element, Junk, parse_xml
from ....core.model import Attributes, Extra, Joint, Link, LoopJoint, Material, Robot, Transmission
from ....core.model.drake import DRAKE_JOINT, split_drake_joints
from ....core.model.semantic import ELEMENTS
from ....core.names import Claims
from ....core.readers.formats import Description, ReaderFormat
from ..xacro.expand import expand_xacro, is_xacro
from .document import Document
from .extras import read_attributes
from .gazebo_joint import GazeboLoops, read_gazebo_loops
from .joint import read_joint, read_transmission
from .link import read_link, warn_of_mass
from .loop import BALL_CONSTRAINT, check_loops, read_ball_constraint, read_loop_joint, report_unread
from .material import check_materials, read_material
from .package import find_in_package
from .second_parents import find_second_parents

_Part = TypeVar("_Part", Link, Joint)
_ROBOT = re.compile(rb"<robot[\s/>]")
_NEWEST_VERSION = (1, 2)
_VERSION = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,6}))?").fullmatch
_XACRO_NAMESPACE = re.compile(
    r"https?://(?:www\.)?(?:ros\.org/wiki|wiki\.ros\.org)/xacro/?"
).fullmatch


def read_urdf(given: Description) -> Robot:
    """Reads a description of URDF or xacro, exactly as the file says it.

    xacro is expanded first, with the arguments of the options. Lines are lines of the file itself
    then too. Raises ReadError, with file and line, where the file describes no robot: it is not
    well-formed, not URDF, xacro that cannot be expanded, without links, or has an invalid number.
    Mere oddities go to the diagnostics.
    """
    data, source, diagnostics = given.data, given.source, given.diagnostics
    if is_xacro(data, source):
        if not diagnostics.source:
            diagnostics.source = source
        arguments, environment = given.options.xacro_args, given.options.xacro_env
        data = expand_xacro(
            data, source, given.resolver, arguments, diagnostics, environment=environment
        )
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
    description="Load robots as armatures: a bone for each moving joint, "
    "turning about its X axis within the joint's limits, and an empty in the frame of each link",
    suffixes=(".urdf", ".xacro"),
    roots=("robot",),
    read=read_urdf,
    find_in_package=find_in_package,
)


def read_robot_text(data: bytes, source: str, diagnostics: Diagnostics) -> Robot:
    """Reads the robot that the URDF text `data` describes; `source` is the file that it came from.

    Lines in diagnostics are lines of `data`. Raises ReadError as `read_urdf` does.
    """
    if not diagnostics.source:
        diagnostics.source = source
    with paused_garbage_collection():
        return _read_text(data, source, diagnostics)


def _read_text(raw: bytes, source: str, diagnostics: Diagnostics) -> Robot:
    parts, robot = read_parts(decode_text(raw, source), source, Parts)
    robot = replace(robot, text=raw)
    for item in parts.document.diagnostics:
        diagnostics.add(replace(item, source=""))
    return robot


def read_parts(text: Text, source: str, kind: type["Parts"]) -> tuple["Parts", Robot]:
    """Reads the parts of a robot into an object of this kind, and makes the robot of them. Raises
    ReadError."""

    def read(data: bytes) -> tuple[Parts, Junk | None]:
        # With diagnostics of this attempt alone.
        parts = kind(Document(data, source, Diagnostics(source)))
        return parts, parse_xml(data, source, parts)

    (parts, junk), findings = read_leniently(text.data, read)
    _report_syntax(findings, junk, text.junk_line, parts.document)
    return parts, parts.robot()


class Parts:
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
            self._take(element, read_link(element, document), self.links)
        elif tag in ("joint", DRAKE_JOINT):
            self._take(element, read_joint(element, document), self.joints)
        elif tag in ("loop_joint", BALL_CONSTRAINT):
            self._read_loop(element)
        elif tag == "material":
            document.kind, document.name = "robot", self.name
            self.materials.append(read_material(element, document))
        elif tag == "transmission":
            self.transmissions.append(read_transmission(element, document))
        else:
            self.extras.append(document.extra(element))

    def _take(self, element: Element, part: _Part | None, found: dict[str, _Part]) -> None:
        """Adds a link or joint; a second one of a name is lost."""
        if part is not None and (first := found.setdefault(part.name, part)) is not part:
            document = self.document
            finding = f"is already there in line {first.line}; this one is left out"
            message = f"{document.describe(element)} {finding}"
            document.error(f"duplicate-{document.kind}", message, element)

    def _read_loop(self, element: Element) -> None:
        """Adds a loop; a second one of a name is kept word for word, like an unreadable one."""
        document = self.document
        if element.tag == BALL_CONSTRAINT:
            loop = read_ball_constraint(element, document)
            if loop is not None and not element.attributes.get("name"):
                loop = replace(loop, name=Claims(taken=self.loops).claim(loop.name))
        else:
            loop = read_loop_joint(element, document)
        if loop is not None and self.loops.setdefault(loop.name, loop) is not loop:
            report_unread(
                document, document.describe(element), "has the name of another", element.line
            )
            loop = None
        if loop is None:
            self.extras.append(document.extra(element))

    def robot(self) -> Robot:
        """Returns the robot with all parts added. Raises ReadError where there is no link."""
        document = self.document
        if not self.links:
            tags = {each.tag for each in self.extras}
            is_srdf = not (self.joints or tags.isdisjoint(each.tag for each in ELEMENTS))
            srdf = "this is an SRDF; give it beside a description, by the option srdf (--srdf)"
            raise NoLinksError(
                srdf if is_srdf else f"the robot {quote(self.name)} has no links",
                source=document.source,
                line=self.line,
            )
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
        check_materials(robot, document.diagnostics)
        _report_tallies(document)
        robot = self.part_joints(robot, find_second_parents(robot, document))
        check_loops(robot, document)
        robot = split_drake_joints(self.close(robot, read_gazebo_loops(robot, document)))
        _report_massless(robot, document)
        return interpret_extras(robot)

    def part_joints(self, robot: Robot, seconds: dict[int, LoopJoint]) -> Robot:
        """Returns the robot with these of its joints, by their numbers, as loops."""
        if not seconds:
            return robot
        joints = [joint for number, joint in enumerate(robot.joints) if number not in seconds]
        loops = self.add_loops(robot, seconds.values(), "joint", seconds, seconds)
        return replace(robot, joints=tuple(joints), loops=loops)

    def close(self, robot: Robot, found: GazeboLoops) -> Robot:
        """Returns the robot with the joints read from <gazebo>."""
        if not found.rests:
            return robot
        gone = {number for number, rest in found.rests.items() if rest is None}
        loops = self.add_loops(robot, found.loops, "extra", found.owners, gone)
        return replace(
            robot,
            links=(*robot.links, *found.links),
            joints=(*robot.joints, *found.joints),
            loops=loops,
            extras=found.extras_of(robot),
        )

    def add_loops(
        self,
        robot: Robot,
        loops: Iterable[LoopJoint],
        kind: str,
        owners: Iterable[int],
        gone: Collection[int],
    ) -> tuple[LoopJoint, ...]:
        """Returns the loops of the robot and further ones, which come from its parts `owners` of a
        kind, in the order of the file. The parts `gone` say nothing else."""
        return tuple(sorted((*robot.loops, *loops), key=lambda loop: loop.line))


def read_robot_name(element: Element, document: Document) -> str:
    """Reads the robot's name, or its file's."""
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


def _report_massless(robot: Robot, document: Document) -> None:
    """Warns of links with shapes that move and weigh nothing."""
    moving = {joint.child for joint in robot.joints if joint.type != "fixed"}
    for name, element in document.massless.items():
        if name in moving:
            document.kind, document.name = "link", name
            warn_of_mass(0.0, element, document)


def _report_tallies(document: Document) -> None:
    calls = document.leftover_calls
    unknown = f"of macros of xacro that nothing defines, <{calls.subject}>; kept word for word"
    limits, textures = document.unrated_limits, document.empty_textures
    for tally, code, noun, finding in (
        (limits, "limit-without-effort", "limit", "without effort or velocity; they stay unknown"),
        (textures, "empty-texture", "texture", "without filename; read as if not there"),
        (calls, "leftover-macro", "call", unknown),
    ):
        if tally.count:
            document.diagnostics.warning(
                code,
                f"{counted(tally.count, noun)} {finding}",
                subject=document.name if tally is calls else tally.subject,
                line=tally.line,
            )


def counted(count: int, noun: str) -> str:
    return f"there is one {noun}" if count == 1 else f"there are {count} {noun}s, the first here,"


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

    Reading makes tens of thousands of objects that all stay and are in no cycle, and the
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
