# SPDX-License-Identifier: GPL-3.0-or-later
"""The children of <robot> as they come in, and the robot that they make."""

import re
from dataclasses import replace
from pathlib import PurePath

from ...diagnostics import NoLinksError, quote
from ...gazebo import interpret_extras
from ...markup.xml import Element
from ...model import Attributes, Extra, Joint, Link, LoopJoint, Material, Robot, Transmission
from ...names import Claims
from .beyond import read_attributes
from .document import Document, Tally
from .gazebo_joint import GazeboLoops, read_gazebo_loops
from .joint import read_joint, read_transmission
from .link import read_link
from .loop import (
    BALL_CONSTRAINT,
    check_loops,
    read_ball_constraint,
    read_loop_joint,
    report_unread,
)
from .material import check_materials, read_material
from .second_parents import find_second_parents

_DEFINED = {
    "link": "link",
    "joint": "joint",
    "loop_joint": "loop",
    BALL_CONSTRAINT: "loop",
    "material": "material",
    "transmission": "transmission",
}
"""Tag -> the kind of its part."""

_NEWEST_VERSION = (1, 2)
_VERSION = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,6}))?").fullmatch
_XACRO_NAMESPACE = re.compile(
    r"https?://(?:www\.)?(?:ros\.org/wiki|wiki\.ros\.org)/xacro/?"
).fullmatch


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
            link = read_link(element, document)
            if link is not None and self.links.setdefault(link.name, link) is not link:
                _lose_duplicate(element, self.links[link.name].line, document)
        elif tag == "joint":
            joint = read_joint(element, document)
            if joint is not None and self.joints.setdefault(joint.name, joint) is not joint:
                _lose_duplicate(element, self.joints[joint.name].line, document)
        elif tag in ("loop_joint", BALL_CONSTRAINT):
            self._read_loop(element)
        elif tag == "material":
            document.kind, document.name = "robot", self.name
            self.materials.append(read_material(element, document))
        elif tag == "transmission":
            self.transmissions.append(read_transmission(element, document))
        else:
            self.extras.append(document.extra(element))

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
                document, document.place(element), "has the name of another", element.line
            )
            loop = None
        if loop is None:
            self.extras.append(document.extra(element))

    def robot(self) -> Robot:
        """Returns the robot with all parts added. Raises ReadError where there is no link."""
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
        robot = self.part_joints(robot, find_second_parents(robot, document))
        check_loops(robot, document)
        return interpret_extras(self.close(robot, read_gazebo_loops(robot, document)))

    def part_joints(self, robot: Robot, seconds: dict[int, LoopJoint]) -> Robot:
        """Returns the robot with these of its joints, by their numbers, as loops."""
        if not seconds:
            return robot
        joints = [joint for number, joint in enumerate(robot.joints) if number not in seconds]
        loops = sorted((*robot.loops, *seconds.values()), key=lambda loop: loop.line)
        return replace(robot, joints=tuple(joints), loops=tuple(loops))

    def close(self, robot: Robot, found: GazeboLoops) -> Robot:
        """Returns the robot with the joints read from <gazebo>; loops in the order of the file."""
        if not found.rests:
            return robot
        loops = sorted((*robot.loops, *found.loops), key=lambda loop: loop.line)
        return replace(
            robot,
            links=(*robot.links, *found.links),
            joints=(*robot.joints, *found.joints),
            loops=tuple(loops),
            extras=found.extras_of(robot),
        )


class LocatedParts(Parts):
    """Keeps the elements of the robot's parts, kind by kind in its order."""

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
        # An element that cannot be read as its tag's kind is kept as an extra.
        is_kept = len(self.extras) > before
        kind = "extra" if is_kept else _DEFINED.get(element.tag, "extra")
        found = self.elements[kind]
        # Second ones and incomplete ones are not in the robot.
        if len(getattr(self, f"{kind}s")) > len(found):
            found.append(element)
        element.clear()

    def part_joints(self, robot: Robot, seconds: dict[int, LoopJoint]) -> Robot:
        """Keeps the <joint> of a loop as its element."""
        joints, loops = self.elements["joint"], self.elements["loop"]
        moved = [joints[number] for number in seconds]
        places = zip((*robot.loops, *seconds.values()), (*loops, *moved), strict=True)
        ordered = sorted(places, key=lambda place: place[0].line)
        self.elements["loop"] = [element for _, element in ordered]
        self.elements["joint"] = [e for number, e in enumerate(joints) if number not in seconds]
        return super().part_joints(robot, seconds)

    def close(self, robot: Robot, found: GazeboLoops) -> Robot:
        """Keeps the <gazebo> of a joint within as its element."""
        extras, loops = self.elements["extra"], self.elements["loop"]
        owners = [extras[number] for number in found.owners]
        places = zip((*robot.loops, *found.loops), (*loops, *owners), strict=True)
        ordered = sorted(places, key=lambda place: place[0].line)
        self.elements["loop"] = [element for _, element in ordered]
        gone = {number for number, rest in found.rests.items() if rest is None}
        self.elements["extra"] = [e for number, e in enumerate(extras) if number not in gone]
        return super().close(robot, found)


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
        text = f"{counted(limits.count, 'limit')} without effort or velocity; they stay unknown"
        _report_tally(limits, "limit-without-effort", text, limits.subject, document)
    if textures.count:
        text = f"{counted(textures.count, 'texture')} without filename; read as if not there"
        _report_tally(textures, "empty-texture", text, textures.subject, document)
    if calls.count:
        text = (
            f"{counted(calls.count, 'call')} of macros of xacro that nothing defines, "
            f"<{calls.subject}>; kept word for word"
        )
        _report_tally(calls, "leftover-macro", text, document.name, document)


def _report_tally(tally: Tally, code: str, text: str, subject: str, document: Document) -> None:
    document.diagnostics.warning(code, text, subject=subject, line=tally.line)


def counted(count: int, noun: str) -> str:
    return f"there is one {noun}" if count == 1 else f"there are {count} {noun}s, the first here,"
