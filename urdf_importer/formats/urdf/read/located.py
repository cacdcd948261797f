# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot with its text and the element of each of its parts, so that the text can be edited."""

from collections.abc import Collection, Iterable

from ....core.markup.edit import Located
from ....core.markup.encoding import decode_text
from ....core.markup.xml import Element
from ....core.model import LoopJoint, Robot
from ....core.model.drake import DRAKE_JOINT
from .document import Document
from .loop import BALL_CONSTRAINT
from .robot import Parts, paused_garbage_collection, read_parts

_DEFINED = {
    "link": "link",
    "joint": "joint",
    DRAKE_JOINT: "joint",
    "loop_joint": "loop",
    BALL_CONSTRAINT: "loop",
    "material": "material",
    "transmission": "transmission",
}
"""Tag -> the kind of its part."""


def read_located(data: bytes, source: str) -> Located:
    """Returns the robot that the URDF text `data` describes, and the element of each of its parts,
    so that the text can be edited. Raises ReadError as `read_urdf` does."""
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

    def add_loops(
        self,
        robot: Robot,
        loops: Iterable[LoopJoint],
        kind: str,
        owners: Iterable[int],
        gone: Collection[int],
    ) -> tuple[LoopJoint, ...]:
        """Keeps the element of the part that a loop comes from as its element."""
        of_kind, found = self.elements[kind], (*robot.loops, *loops)
        elements = (*self.elements["loop"], *(of_kind[number] for number in owners))
        places = sorted(zip(found, elements, strict=True), key=lambda place: place[0].line)
        self.elements["loop"] = [element for _, element in places]
        self.elements[kind] = [e for number, e in enumerate(of_kind) if number not in gone]
        return super().add_loops(robot, loops, kind, owners, gone)
