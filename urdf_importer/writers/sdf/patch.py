# SPDX-License-Identifier: GPL-3.0-or-later
"""SDF with as little changed as can be.

A file says poses in frames of its own choice, leaves defaults out and spells numbers as it likes.
So the robot of the text and the robot to be written are both written plainly, and only where these
two differ is the text edited. It is read again then: a text that says another robot is not handed
out. Where the poses of the text do not go with the change, all of them are written in the frames of
the plain text, before the whole is given up.
"""

import math
from collections.abc import Callable, Sequence

from ...diagnostics import ReadError
from ...markup.edit import XmlEditor, keep_numbers
from ...markup.encoding import open_text
from ...markup.patch import STEP, NodeWriter, UnpatchableError, WrittenNode, write_lines
from ...markup.write import XmlWriter
from ...markup.xml import Element, parse_xml, text_of
from ...model import Robot

Read = Callable[[bytes], Robot]
Write = Callable[[Robot, XmlWriter], None]
"""Writes the whole document of a robot."""
_PLACED = frozenset({"link", "joint", "frame"})
_CLOSE = 1e-9
_RELATIVE_SINCE = (1, 7)


def patch_text(raw: bytes, robot: Robot, read: Read, write: Write) -> bytes | None:
    """Returns the text `raw` with the differences of `robot`; None where that cannot be done.
    `read` raises ReadError."""
    try:
        before = read(raw)
        old, new = _describe(before, write), _describe(robot, write)
        if old == new:
            return raw
        for poses in (False, True):
            patched = _Patch(raw, before.source, poses=poses).apply(old, new)
            if _is_same(_describe(read(patched), write), new):
                return patched
    except (ReadError, UnpatchableError):
        pass
    return None


def _describe(robot: Robot, write: Write) -> WrittenNode:
    writer = NodeWriter()
    write(robot, writer)
    return writer.root.children[0]


def _is_same(one: WrittenNode, other: WrittenNode) -> bool:
    """Whether two documents say the same, numbers up to rounding."""
    if (one.tag, one.attributes, one.xml) != (other.tag, other.attributes, other.xml):
        return False
    if len(one.children) != len(other.children) or not _is_close(one.text, other.text):
        return False
    return all(map(_is_same, one.children, other.children))


def _is_close(one: str, other: str) -> bool:
    if one == other:
        return True
    first, second = one.split(), other.split()
    try:
        pairs = list(zip(map(float, first), map(float, second), strict=True))
    except ValueError:
        return False
    return all(math.isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE) for a, b in pairs)


_Key = tuple[str, str, int]


def _number_keys(items: Sequence[tuple[str, str]]) -> list[_Key]:
    """Tag and name, and how many of the same come before."""
    counts: dict[tuple[str, str], int] = {}
    keys = []
    for item in items:
        counts[item] = counts.get(item, -1) + 1
        keys.append((*item, counts[item]))
    return keys


def _key_nodes(nodes: Sequence[WrittenNode]) -> dict[_Key, WrittenNode]:
    pairs = [(node.xml or node.tag, node.attributes.get("name", "")) for node in nodes]
    return dict(zip(_number_keys(pairs), nodes, strict=True))


class _Patch:
    """The edits of one text. With `poses` all poses of links, joints and frames are written in the
    frames of the plain text."""

    def __init__(self, raw: bytes, source: str, *, poses: bool) -> None:
        self._poses = poses
        self._data, self._encode = open_text(raw, source)
        self._editor = XmlEditor(self._data)
        self._elements: list[Element] = []
        self._version = (0, 0)
        parse_xml(self._data, source, self, ("sdf",))

    def read_root(self, element: Element) -> None:
        """Is called by the parser."""
        words = element.attributes.get("version", "").split(".")
        if len(words) == 2 and all(word.isdigit() for word in words):
            self._version = (int(words[0]), int(words[1]))

    def read_child(self, element: Element) -> None:
        """Is called by the parser."""
        self._elements.append(element)

    def apply(self, old: WrittenNode, new: WrittenNode) -> bytes:
        models = [each for each in self._elements if each.tag == "model"]
        for world in (each for each in self._elements if each.tag == "world"):
            models += [each for each in world if each.tag == "model"]
        if len(models) != 1:
            raise UnpatchableError
        self._bring(models[0], old.children[0], new.children[0])
        return self._encode(self._editor.apply())

    def _bring(self, element: Element, old: WrittenNode, new: WrittenNode) -> None:
        for name in {**old.attributes, **new.attributes}:
            value = new.attributes.get(name)
            if old.attributes.get(name) != value:
                self._editor.set_attribute(element, name, value)
        befores, afters = _key_nodes(old.children), _key_nodes(new.children)
        pairs = [(each.tag, each.attributes.get("name", "")) for each in element]
        found = dict(zip(_number_keys(pairs), element, strict=True))
        for key, before in befores.items():
            if key not in afters and key in found and not before.xml:
                self._editor.remove(found[key])
            elif key not in afters and before.xml:
                raise UnpatchableError
        forced = self._poses and new.tag in _PLACED
        behind: Element | None = None
        for key, after in afters.items():
            place = found.get(key)
            unchanged = befores.get(key) == after and not (forced and after.tag == "pose")
            if unchanged and not (self._poses and after.children):
                pass
            elif place is None:
                self._insert(element, behind, after)
            elif key in befores and after.children:
                self._bring(place, befores[key], after)
            else:
                self._set(place, befores.get(key, after), after)
            behind = behind if place is None else place

    def _insert(self, element: Element, behind: Element | None, node: WrittenNode) -> None:
        self._check(node)
        if behind is not None:
            lines = write_lines(node, self._editor.indent_of(behind.offset))
            self._editor.insert_behind(behind, lines)
            return
        indent = self._editor.indent_of(element.offset) + STEP
        self._editor.insert_within(element, write_lines(node, indent))

    def _set(self, place: Element, old: WrittenNode, new: WrittenNode) -> None:
        """Changes an element without children: its text where all else is as it was."""
        if place.attributes == old.attributes == new.attributes and not new.children:
            before = text_of(place, self._data)
            self._editor.set_text(place, keep_numbers(before, new.text) or new.text)
            return
        self._check(new)
        lines = write_lines(new, self._editor.indent_of(place.offset))
        text = self._editor.newline.join(lines).lstrip(" \t")
        self._editor.replace(*self._editor.span(place), text)

    def _check(self, node: WrittenNode) -> None:
        """Old versions have no frames to be relative to."""
        if "relative_to" in node.attributes and self._version < _RELATIVE_SINCE:
            raise UnpatchableError
        for child in node.children:
            self._check(child)
