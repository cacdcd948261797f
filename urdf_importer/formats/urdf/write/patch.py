# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF with as little changed as can be: comments, white space and spelling stay unchanged.

No XML library writes exactly its input; but elements know their byte offsets. So the text itself is
edited, only where the robot differs from it, and read again: an unequal result is not handed out.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ....core.diagnostics import ReadError
from ....core.markup.edit import Located, XmlEditor
from ....core.markup.encoding import open_text
from ....core.markup.lenient import mend_text
from ....core.markup.patch import (
    STEP,
    NodeWriter,
    Patcher,
    Rules,
    UnpatchableError,
    WrittenNode,
    align,
    place_new,
    write_lines,
)
from ....core.markup.xml import Element, parse_again
from ....core.model import Robot
from ....core.model.drake import join_drake_joints
from .order import Part
from .plain import write_part

_SHAPES = frozenset(
    {"box", "capsule", "cylinder", "drake:capsule", "drake:ellipsoid", "mesh", "sphere"}
)
_ZERO = {"xyz": "0 0 0", "rpy": "0 0 0"}
_DEFAULTS = {
    "origin": _ZERO,
    "mimic": {"multiplier": "1", "offset": "0"},
    "mesh": {"scale": "1 1 1"},
}


Locate = Callable[[bytes], Located]
"""Reads URDF; raises ReadError."""


def patch_text(raw: bytes, robot: Robot, locate: Locate) -> bytes | None:
    """Returns the URDF `raw` with the differences of `robot`; None where that cannot be done.
    Raises WriteError where no file can express the robot."""
    try:
        raw = mend_text(raw, robot.source, "robot")
        found = locate(raw)
        found = found._replace(robot=join_drake_joints(found.robot))
        if found.robot == robot:
            return raw
        patched = _patch(raw, found, robot)
        return patched if join_drake_joints(locate(patched).robot) == robot else None
    except (ReadError, UnpatchableError):
        return None


def _patch(raw: bytes, found: Located, new: Robot) -> bytes:
    data, encode = open_text(raw, found.robot.source)
    if len(found.data) != len(data.partition(b"\0")[0]):
        raise UnpatchableError  # It was repaired, by characters that are not in the file.
    editor = XmlEditor(data)
    patcher = Patcher(editor, found.data, _RULES)
    old = found.robot
    patcher.patch(found.root, _node(old), _node(new))
    work = _Work(editor, patcher, found)
    for kind in ("material", "link", "joint", "loop", "transmission", "extra"):
        work.bring(kind, getattr(old, f"{kind}s"), getattr(new, f"{kind}s"))
    return encode(editor.apply())


def _is_read(element: Element) -> bool:
    """Whether a visual or collision has a shape: the others are not in the robot."""
    if element.tag not in ("visual", "collision"):
        return True
    geometry = next((child for child in element if child.tag == "geometry"), None)
    return geometry is not None and any(shape.tag in _SHAPES for shape in geometry)


def _key(node: WrittenNode) -> Hashable:
    """The tag of elements that come once; of shapes, and of verbatim elements, all of them."""
    if node.tag in ("visual", "collision") or node.xml:
        return (node.tag, node.xml, repr(node))
    return (node.tag, node.attributes.get("name", ""))


_RULES = Rules(defaults=_DEFAULTS, optional=frozenset({"origin"}), key=_key, is_read=_is_read)


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """Brings the children of <robot>, kind by kind, to their new content."""

    editor: XmlEditor
    patcher: Patcher
    found: Located

    def bring(self, kind: str, old: Sequence[Any], new: Sequence[Any]) -> None:
        if old == new:
            return
        elements = self.found.elements[kind]
        if len(elements) != len(old):
            raise UnpatchableError  # One element may have become several of them.
        key = attrgetter("xml" if kind in ("transmission", "extra") else "name")
        pairs = align([key(item) for item in old], [key(item) for item in new])
        places: list[Element | None] = [None] * len(new)
        for i, j in pairs:
            places[j] = elements[i]
            if old[i] != new[j]:
                element = parse_again(elements[i], self.found.data)
                self.patcher.patch(element, _node(old[i]), _node(new[j]))
        kept = {i for i, _ in pairs}
        for i, element in enumerate(elements):
            if i not in kept:
                self.editor.remove(element)
        if all(place is None for place in places):
            self._append(new)
        else:
            place_new(
                self.editor,
                self.found.root,
                places,
                lambda index, indent: write_lines(_node(new[index]), indent),
            )

    def _append(self, parts: Sequence[Part]) -> None:
        """At the end, where the text has none of the kind."""
        everything = [element for group in self.found.elements.values() for element in group]
        last = max(everything, key=lambda element: element.offset)
        indent = self.editor.indent_of(last.offset) or STEP
        lines = [line for part in parts for line in write_lines(_node(part), indent)]
        self.editor.insert_behind(last, lines)


def _node(part: Part | Robot) -> WrittenNode:
    writer = NodeWriter()
    write_part(part, writer)
    return writer.root.children[0]
