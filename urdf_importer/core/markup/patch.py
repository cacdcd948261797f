# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings a text from its old content to the new content by the smallest edits.

A writer writes both into a NodeWriter in place of an XmlWriter; differences between the two trees
are edited in the text that the first one was read from. The caller checks the result by reading it:
a text can express things in ways that no writer knows.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from .edit import XmlEditor
from .write import NO_ATTRIBUTES, Attributes, XmlWriter, format_value
from .xml import Element, verbatim

STEP = "  "


class UnpatchableError(ValueError):
    """The text does not have the elements that it was thought to have."""


@dataclass(slots=True)
class WrittenNode:
    """An element as a writer says it; `xml` where it is verbatim."""

    tag: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["WrittenNode"] = field(default_factory=list)
    text: str = ""
    xml: str = ""

    def write(self, xml: XmlWriter) -> None:
        """Writes the node as the writer would have."""
        if self.xml:
            xml.verbatim(self.xml)
        elif self.children:
            xml.open(self.tag, self.attributes)
            for child in self.children:
                child.write(xml)
            xml.close()
        else:
            xml.leaf(self.tag, self.attributes, self.text)


class NodeWriter(XmlWriter):
    """Takes the written elements as nodes."""

    def __init__(self) -> None:
        super().__init__()
        self.root = WrittenNode()
        self._nodes = [self.root]

    def leaf(self, tag: str, attributes: Attributes = NO_ATTRIBUTES, text: str = "") -> None:
        self.open(tag, attributes)
        self._nodes.pop().text = text

    def open(self, tag: str, attributes: Attributes = NO_ATTRIBUTES) -> None:
        node = WrittenNode(tag=tag)
        for name, value in attributes.items():
            text = format_value(value)
            if text is not None:
                node.attributes[name] = text
        self._nodes[-1].children.append(node)
        self._nodes.append(node)

    def close(self) -> None:
        self._nodes.pop()

    def verbatim(self, *pieces: str) -> None:
        self._nodes[-1].children += [WrittenNode(xml=xml) for xml in pieces]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """A patcher's knowledge of the format.

    defaults   tag -> attributes that count without being written, and their values: a text that
               writes them gets another value in place instead of losing the element
    optional   tags of elements that say nothing where they say only defaults
    key        the key that distinguishes one child of an element from another
    is_read    whether the reader used an element of the text
    """

    defaults: Mapping[str, Mapping[str, str]]
    optional: frozenset[str]
    key: Callable[[WrittenNode], Hashable]
    is_read: Callable[[Element], bool]


class Patcher:
    """Edits elements of a text that say `old` so that they say `new`.

    `parsed` is the text as parsed, of the same length as the edited one.
    """

    def __init__(self, editor: XmlEditor, parsed: bytes, rules: Rules) -> None:
        self._editor = editor
        self._parsed = parsed
        self._rules = rules

    def patch(self, element: Element, old: WrittenNode, new: WrittenNode) -> None:
        """Raises UnpatchableError where the element does not say `old`."""
        if old == new:
            return
        if old.xml or new.xml or old.text != new.text or old.tag != new.tag:
            lines = write_lines(new, self._editor.indent_of(element.offset))
            self._editor.write_over(element, lines)
            return
        self._patch_attributes(element, old, new)
        self._patch_children(element, old.children, new.children)

    def _patch_attributes(self, element: Element, old: WrittenNode, new: WrittenNode) -> None:
        defaults = self._rules.defaults.get(new.tag, {})
        if not old.attributes.keys() >= new.attributes.keys():
            defaults = {}
        for name in {**old.attributes, **new.attributes}:
            value = new.attributes.get(name)
            if old.attributes.get(name) != value:
                if value is None and name in element.attributes:
                    value = defaults.get(name)
                self._editor.set_attribute(element, name, value)

    def _patch_children(
        self, element: Element, said: Sequence[WrittenNode], wanted: Sequence[WrittenNode]
    ) -> None:
        sources = _Sources(element, self._parsed, self._rules.is_read)
        old, new = list(said), list(wanted)
        for tag in self._rules.optional:
            self._complete(tag, sources, old, new)
        found = [sources.next_match(node) for node in old]
        key = self._rules.key
        pairs = [
            (i, j)
            for i, j in align([key(node) for node in old], [key(node) for node in new])
            if old[i].tag == new[j].tag
        ]
        for i, j in pairs:
            self.patch(found[i], old[i], new[j])
        partners = {j: found[i] for i, j in pairs}
        kept = {i for i, _ in pairs}
        for i, place in enumerate(found):
            if i not in kept:
                self._editor.remove(place)
        place_new(
            self._editor,
            element,
            [partners.get(j) for j in range(len(new))],
            lambda j, indent: write_lines(new[j], indent),
        )

    def _complete(
        self, tag: str, sources: "_Sources", old: list[WrittenNode], new: list[WrittenNode]
    ) -> None:
        """Where only one of both says an element whose values count without it, the other says it
        without values, if the text has it."""
        is_old = any(node.tag == tag for node in old)
        is_new = any(node.tag == tag for node in new)
        if is_old == is_new or not sources.has(tag):
            return
        missing, there = (new, old) if is_old else (old, new)
        index = next(i for i, node in enumerate(there) if node.tag == tag)
        if not there[index].children:
            missing.insert(min(index, len(missing)), WrittenNode(tag=tag))


class _Sources:
    """Which children of an element of the text are which nodes."""

    def __init__(self, element: Element, data: bytes, is_read: Callable[[Element], bool]) -> None:
        self._tags: dict[str, deque[Element]] = {}
        self._texts: dict[str, deque[Element]] = {}
        for child in element:
            self._texts.setdefault(verbatim(child, data), deque()).append(child)
            if is_read(child):
                self._tags.setdefault(child.tag, deque()).append(child)

    def has(self, tag: str) -> bool:
        return tag in self._tags

    def next_match(self, node: WrittenNode) -> Element:
        """The next element that corresponds to a node."""
        candidates = self._texts.get(node.xml) if node.xml else self._tags.get(node.tag)
        if not candidates:
            raise UnpatchableError
        return candidates.popleft()


def write_lines(node: WrittenNode, indent: str) -> tuple[str, ...]:
    xml = XmlWriter(indent=indent, step=STEP)
    node.write(xml)
    return xml.lines()


def place_new(
    editor: XmlEditor,
    parent: Element,
    places: Sequence[Element | None],
    write: Callable[[int, str], Sequence[str]],
) -> None:
    """Inserts the items that have no place yet: behind the previous item, else before the next one,
    else at the beginning of the parent. `write(index, indent)` gives its lines."""
    behind: Element | None = None
    waiting: list[int] = []
    for index, place in enumerate(places):
        if place is None:
            waiting.append(index)
            continue
        _insert(editor, parent, waiting, (behind, place), write)
        behind, waiting = place, []
    _insert(editor, parent, waiting, (behind, None), write)


def _insert(
    editor: XmlEditor,
    parent: Element,
    waiting: Sequence[int],
    between: tuple[Element | None, Element | None],
    write: Callable[[int, str], Sequence[str]],
) -> None:
    behind, before = between
    # An element without children is false: it is a list.
    neighbour = behind if behind is not None else before
    indent = editor.indent_of(parent.offset) + STEP
    if neighbour is not None:
        indent = editor.indent_of(neighbour.offset)
    lines = [line for index in waiting for line in write(index, indent)]
    if not lines:
        return
    if behind is not None:
        editor.insert_behind(behind, lines)
    elif before is not None:
        editor.insert_before(before, lines)
    else:
        editor.insert_within(parent, lines)


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs of indices (old, new), rising in both: first equal keys, as many as possible without
    reordering; then the items between two such pairs, where both sides have equally many."""
    waiting: dict[Hashable, deque[int]] = {}
    for i, key in enumerate(old):
        waiting.setdefault(key, deque()).append(i)
    candidates = []
    for j, key in enumerate(new):
        if waiting.get(key):
            candidates.append((waiting[key].popleft(), j))
    pairs: list[tuple[int, int]] = []
    i = j = 0
    for next_i, next_j in [*_longest_rising(candidates), (len(old), len(new))]:
        if next_i - i == next_j - j:
            pairs += zip(range(i, next_i), range(j, next_j), strict=True)
        pairs.append((next_i, next_j))
        i, j = next_i + 1, next_j + 1
    return pairs[:-1]


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs whose first numbers rise; the second ones do already."""
    ends: list[int] = []  # least last number of a rising row of each length
    rows: list[int] = []  # and which pair that is
    before: list[int] = []
    for index, (number, _) in enumerate(pairs):
        length = bisect_left(ends, number)
        before.append(rows[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        rows[length : length + 1] = [index]
    chosen = []
    index = rows[-1] if rows else -1
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]
