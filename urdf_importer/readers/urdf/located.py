# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot with its text and the element of each of its parts, so that the text can be edited."""

from typing import NamedTuple

from ...markup.encoding import decode_text
from ...markup.xml import Element
from ...model import LoopJoint, Robot
from .document import Document
from .gazebo_joint import GazeboLoops
from .loop import BALL_CONSTRAINT
from .robot import Parts, paused_garbage_collection, read_parts

_DEFINED = {
    "link": "link",
    "joint": "joint",
    "loop_joint": "loop",
    BALL_CONSTRAINT: "loop",
    "material": "material",
    "transmission": "transmission",
}
"""Tag -> the kind of its part."""


class Located(NamedTuple):
    """A robot with the text that it was parsed from, and the elements that it was read from: tag,
    or "extra", -> elements in the robot's order, without their children, which cost more to keep
    than to parse again. `data` is the text without XML errors."""

    robot: Robot
    data: bytes
    root: Element
    elements: dict[str, list[Element]]


def read_located(data: bytes, source: str) -> Located:
    """Returns the robot that the URDF text `data` describes, and the element of each of its parts,
    so that the text can be edited. Raises ReadError as `read_robot` does."""
    with paused_garbage_collection():
        parts, robot = read_parts(decode_text(data, source), source, LocatedParts)
    assert isinstance(parts, LocatedParts)
    return Located(robot, parts.document.data, parts.root, parts.elements)


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
