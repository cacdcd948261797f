# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF with as little changed as can be: comments, white space and spelling stay unchanged.

No XML library writes exactly its input; but elements know their byte offsets. So the text itself is
edited, only where the robot differs from it, and read again: an unequal result is not handed out.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Protocol, TypeVar

from ...diagnostics import ReadError
from ...markup.edit import XmlEditor
from ...markup.encoding import open_text
from ...markup.patch import (
    STEP,
    NodeWriter,
    Patcher,
    Rules,
    UnpatchableError,
    WrittenNode,
    align,
    place_new,
)
from ...markup.write import XmlWriter
from ...markup.xml import Element, parse_again
from ...model import Extra, Joint, Link, LoopJoint, Material, Robot, Transmission
from .order import Part
from .plain import write_part

_SHAPES = frozenset({"box", "capsule", "cylinder", "mesh", "sphere"})
_ZERO = {"xyz": "0 0 0", "rpy": "0 0 0"}
_DEFAULTS = {
    "origin": _ZERO,
    "mimic": {"multiplier": "1", "offset": "0"},
    "mesh": {"scale": "1 1 1"},
}
_Item = TypeVar("_Item", Link, Joint, LoopJoint, Material, Transmission, Extra)


class PatchedText(Protocol):
    """A robot with its text: see readers/urdf/located.py."""

    @property
    def robot(self) -> Robot: ...

    @property
    def data(self) -> bytes: ...

    @property
    def root(self) -> Element: ...

    @property
    def elements(self) -> Mapping[str, Sequence[Element]]: ...


def patch_text(
    raw: bytes, robot: Robot, locate: Callable[[bytes], PatchedText], read: Callable[[bytes], Robot]
) -> bytes | None:
    """Returns the URDF `raw` with the differences of `robot`; None where that cannot be done.

    `locate` and `read` read URDF and raise ReadError. Raises WriteError where no file can express
    the robot.
    """
    try:
        found = locate(raw)
        if found.robot == robot:
            return raw
        patched = _patch(raw, found, robot)
        return patched if read(patched) == robot else None
    except (ReadError, UnpatchableError):
        return None


def _patch(raw: bytes, found: PatchedText, new: Robot) -> bytes:
    data, encode = open_text(raw, found.robot.source)
    if len(found.data) != len(data.partition(b"\0")[0]):
        raise UnpatchableError  # It was repaired, by characters that are not in the file.
    editor = XmlEditor(data)
    patcher = Patcher(editor, found.data, _RULES)
    old = found.robot
    patcher.patch(found.root, _node(old), _node(new))
    work = _Work(editor, patcher, found)
    work.bring("material", old.materials, new.materials, _name)
    work.bring("link", old.links, new.links, _name)
    work.bring("joint", old.joints, new.joints, _name)
    work.bring("loop", old.loops, new.loops, _name)
    work.bring("transmission", old.transmissions, new.transmissions, _xml)
    work.bring("extra", old.extras, new.extras, _xml)
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


class _Work:
    """Brings the children of <robot>, kind by kind, to their new content."""

    def __init__(self, editor: XmlEditor, patcher: Patcher, found: PatchedText) -> None:
        self._editor = editor
        self._patcher = patcher
        self._found = found

    def bring(
        self,
        kind: str,
        old: Sequence[_Item],
        new: Sequence[_Item],
        key: Callable[[_Item], Hashable],
    ) -> None:
        if old == new:
            return
        elements = self._found.elements[kind]
        if len(elements) != len(old):
            raise UnpatchableError  # One element may have become several of them.
        pairs = align([key(item) for item in old], [key(item) for item in new])
        places: list[Element | None] = [None] * len(new)
        for i, j in pairs:
            places[j] = elements[i]
            if old[i] != new[j]:
                element = parse_again(elements[i], self._found.data)
                self._patcher.patch(element, _node(old[i]), _node(new[j]))
        kept = {i for i, _ in pairs}
        for i, element in enumerate(elements):
            if i not in kept:
                self._editor.remove(element)
        if all(place is None for place in places):
            self._append(new)
        else:
            place_new(
                self._editor,
                self._found.root,
                places,
                lambda index, indent: _lines(new[index], indent),
            )

    def _append(self, parts: Sequence[Part]) -> None:
        """At the end, where the text has none of the kind."""
        everything = [element for group in self._found.elements.values() for element in group]
        last = max(everything, key=lambda element: element.offset)
        indent = self._editor.indent_of(last.offset) or STEP
        lines = [line for part in parts for line in _lines(part, indent)]
        self._editor.insert_behind(last, lines)


def _name(item: Link | Joint | LoopJoint | Material) -> str:
    return item.name


def _xml(item: Transmission | Extra) -> str:
    return item.xml


def _node(part: Part | Robot) -> WrittenNode:
    writer = NodeWriter()
    write_part(part, writer)
    return writer.root.children[0]


def _lines(part: Part, indent: str) -> Sequence[str]:
    xml = XmlWriter(indent=indent, step=STEP)
    write_part(part, xml)
    return xml.lines()
