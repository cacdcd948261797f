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

from ....core.diagnostics import ReadError
from ....core.markup.edit import XmlEditor, keep_numbers
from ....core.markup.encoding import open_text
from ....core.markup.lenient import mend_text
from ....core.markup.patch import STEP, NodeWriter, UnpatchableError, WrittenNode, write_lines
from ....core.markup.write import XmlWriter
from ....core.markup.xml import Element, parse_whole, text_of, verbatim
from ....core.model import Robot

Read = Callable[[bytes], Robot]
Write = Callable[[Robot, XmlWriter], None]
"""Writes the whole document of a robot."""
_PLACED = frozenset({"link", "joint", "frame", "model"})
_POSE = ("pose", "", 0)
_IMPLIED = frozenset({"ambient"})
"""Elements that a text may lack and mean the same."""
_CLOSE = 1e-9
_RELATIVE_SINCE = (1, 7)


def patch_text(raw: bytes, robot: Robot, read: Read, write: Write) -> bytes | None:
    """Returns the text `raw` with the differences of `robot`; None where that cannot be done.
    `read` raises ReadError."""
    try:
        raw = mend_text(raw, robot.source, "sdf")
        before = read(raw)
        old, new = _describe(before, write), _describe(robot, write)
        if old == new:
            return raw
        places = _list_places(new)
        moved = _find_moved(_list_places(old), places)
        for names in (frozenset[str](), moved, frozenset(places)):
            patched = _Patch(raw, before.source, names).apply(old, new)
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


def _list_places(node: WrittenNode) -> dict[str, WrittenNode | None]:
    """Maps the kind and name of each link, joint, frame and model within -> its pose."""
    found: dict[str, WrittenNode | None] = {}
    for child in node.children:
        if child.tag in _PLACED and node.tag == "model":
            pose = next((each for each in child.children if each.tag == "pose"), None)
            found[_place_key(child)] = pose
        found |= _list_places(child) if child.tag == "model" else {}
    return found


def _place_key(node: WrittenNode) -> str:
    return f"{node.tag} {node.attributes.get('name', '')}"


def _find_moved(
    old: dict[str, WrittenNode | None], new: dict[str, WrittenNode | None]
) -> frozenset[str]:
    """Parts with another pose, and all that are placed by these."""
    moved = {key for key, pose in new.items() if old.get(key) != pose}
    below: dict[str, list[str]] = {}
    for key, pose in new.items():
        base = "" if pose is None else pose.attributes.get("relative_to", "")
        below.setdefault(base.rpartition("::")[2], []).append(key)
    waiting = list(moved)
    while waiting:
        for key in below.pop(waiting.pop().partition(" ")[2], ()):
            if key not in moved:
                moved.add(key)
                waiting.append(key)
    return frozenset(moved)


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
    """The edits of one text. The poses of `placed` parts are written in the frames of the plain
    text, whatever they are in."""

    def __init__(self, raw: bytes, source: str, placed: frozenset[str]) -> None:
        self._placed = placed
        self._data, self._encode = open_text(raw, source)
        self._editor = XmlEditor(self._data)
        self._root = parse_whole(self._data, source, ("sdf",))
        words = self._root.attributes.get("version", "").split(".")
        is_version = len(words) == 2 and all(word.isdigit() for word in words)
        self._version = (int(words[0]), int(words[1])) if is_version else (0, 0)

    def apply(self, old: WrittenNode, new: WrittenNode) -> bytes:
        holders = (self._root, *(each for each in self._root if each.tag == "world"))
        models = [each for holder in holders for each in holder if each.tag == "model"]
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
        for key, gone in befores.items():
            if key not in afters:
                self._remove(element, found.get(key), gone)
        forced = _place_key(new) in self._placed
        if forced and _POSE in found and _POSE not in afters:
            self._editor.remove(found[_POSE])
        behind: Element | None = None
        for key, after in afters.items():
            place, before = found.get(key), befores.get(key)
            is_forced = forced and key == _POSE
            if place is not None:
                behind = place
                self._change(place, None if is_forced else before, after)
            elif is_forced or before is None or (before != after and after.tag not in _IMPLIED):
                self._insert(element, behind, after)

    def _change(self, place: Element, before: WrittenNode | None, after: WrittenNode) -> None:
        """Makes an element say something else; without `before` in any case."""
        if before is None:
            self._set(place, WrittenNode(), after)
        elif (after.tag in _PLACED and self._placed) or (before != after and after.children):
            self._bring(place, before, after)
        elif before != after:
            self._set(place, before, after)

    def _remove(self, element: Element, place: Element | None, node: WrittenNode) -> None:
        if node.xml:
            texts = (each for each in element if verbatim(each, self._data) == node.xml)
            place = next(texts, None)
            if place is None:
                raise UnpatchableError
        if place is not None:
            self._editor.remove(place)

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
        self._editor.write_over(place, write_lines(new, self._editor.indent_of(place.offset)))

    def _check(self, node: WrittenNode) -> None:
        """Old versions have no frames to be relative to."""
        if "relative_to" in node.attributes and self._version < _RELATIVE_SINCE:
            raise UnpatchableError
        for child in node.children:
            self._check(child)
