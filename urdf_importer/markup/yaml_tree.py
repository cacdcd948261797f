# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML 1.1 -> plain nodes with their lines: texts, lists and mappings, and nothing else.

ruamel.yaml only parses here: the table below decides the meaning of a word, since its own builders
forget lines and may make objects.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from ..diagnostics import Diagnostics, ReadError, quote

MOST_LEVELS = 100
MOST_NODES = 200_000

_TRUE = frozenset({"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE = frozenset({"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_LARGEST = 1e30
"""Squares of numbers are numbers, too."""
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?").fullmatch
_SAFE_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "seq", "map")
)


@dataclass(slots=True, kw_only=True, eq=False)
class YamlNode:
    """A scalar with its `text`, a list with its `items`, or a mapping with its `pairs`; `lines` are
    the lines of its keys."""

    line: int
    text: str = ""
    is_plain: bool = True
    items: list["YamlNode"] | None = None
    pairs: dict[str, "YamlNode"] | None = None
    lines: dict[str, int] = field(default_factory=dict)
    size: int = 1

    @property
    def is_scalar(self) -> bool:
        return self.items is None and self.pairs is None

    @property
    def is_null(self) -> bool:
        return self.is_scalar and self.is_plain and self.text in _NULL

    def flag(self) -> bool | None:
        """Returns the meaning of a word such as Yes or off; None for any other."""
        if not self.is_scalar or (self.text not in _TRUE and self.text not in _FALSE):
            return None
        return self.text in _TRUE

    def number(self) -> float | None:
        """Returns a number of at most 1e30, quoted or not; None for anything else."""
        text = self.text.strip()
        if not self.is_scalar or len(text) > 1000 or not _NUMBER(text):
            return None
        number = float(text)
        return number if abs(number) <= _LARGEST else None

    def whole(self) -> bool:
        """Whether it is a whole number, or text of digits."""
        return self.is_scalar and self.text.isascii() and self.text.strip().isdigit()


def parse_yaml(
    data: bytes, source: str, diagnostics: Diagnostics, *, called: str, most_bytes: int
) -> YamlNode:
    """Returns the mapping in a file, which messages call `called`; an empty one for an empty file.

    Raises ReadError, with the line, for text that is not YAML, not a mapping, too big or too deep,
    and for tags that build objects. A key that comes twice is an ERROR diagnostic; the first
    counts.
    """
    if len(data) > most_bytes:
        raise ReadError(f"{called} is bigger than {most_bytes // 1024} KiB", source=source)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError(f"{called} is not UTF-8", source=source, line=line) from None
    root = _Builder(source, diagnostics, called).build(text)
    if root is None or root.is_null:
        return YamlNode(line=1, pairs={})
    if root.pairs is None:
        raise ReadError(
            f"{called} is not a mapping of keys to values", source=source, line=root.line
        )
    return root


class _Builder:
    """Makes nodes of ruamel's events; nothing recurses."""

    def __init__(self, source: str, diagnostics: Diagnostics, called: str) -> None:
        self.source = source
        self.called = called
        self.diagnostics = diagnostics
        self.open: list[tuple[YamlNode, str | None, str]] = []
        self.anchors: dict[str, YamlNode] = {}
        self.root: YamlNode | None = None

    def build(self, text: str) -> YamlNode | None:
        try:
            from ruamel.yaml import YAML
            from ruamel.yaml.error import YAMLError
        except ImportError:
            raise ReadError(
                f"{self.called} needs the Python package ruamel.yaml, which is not installed",
                source=self.source,
            ) from None

        yaml = YAML(typ="safe", pure=True)
        yaml.version = (1, 1)
        try:
            for event in yaml.parse(text):
                self._take(event)
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "characters that YAML forbids"
            raise ReadError(
                f"{self.called} is not YAML: {problem}",
                source=self.source,
                line=mark.line + 1 if mark is not None else 0,
            ) from None
        return self.root

    def _take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        kind = type(event).__name__
        if kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
            self._check_tag(event, line)
        if kind == "ScalarEvent":
            node = YamlNode(line=line, text=event.value, is_plain=event.implicit[0])
            self._place(node, event.anchor)
        elif kind == "AliasEvent":
            self._alias(event.anchor, line)
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            if len(self.open) >= MOST_LEVELS:
                raise self._refusal(f"it nests more than {MOST_LEVELS} levels deep", line)
            is_list = kind == "SequenceStartEvent"
            node = YamlNode(line=line, items=[]) if is_list else YamlNode(line=line, pairs={})
            self.open.append((node, None, event.anchor or ""))
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            node, _, anchor = self.open.pop()
            self._place(node, anchor)

    def _check_tag(self, event: Any, line: int) -> None:
        tag = str(event.tag) if event.tag else ""
        if tag and tag != "!" and tag not in _SAFE_TAGS:
            raise self._refusal(
                f"the tag {quote(tag)} would build an object, which is refused", line
            )

    def _alias(self, anchor: str, line: int) -> None:
        node = self.anchors.get(anchor)
        if node is None:
            raise self._refusal(f"the alias {quote(anchor)} names nothing before it", line)
        self._place(node, None)

    def _place(self, node: YamlNode, anchor: str | None) -> None:
        """Puts a finished node where it belongs. Aliases count with all their content: a few lines
        could expand to gigabytes."""
        if anchor:
            self.anchors[anchor] = node
        if not self.open:
            self.root = self.root or node
            return
        parent, key, parent_anchor = self.open[-1]
        parent.size += node.size
        if parent.size > MOST_NODES:
            raise self._refusal("its aliases expand to too much", node.line)
        if parent.items is not None:
            parent.items.append(node)
        elif key is None:
            if not node.is_scalar:
                raise self._refusal("a key is a list or a mapping", node.line)
            parent.lines.setdefault(node.text.strip(), node.line)
            self.open[-1] = (parent, node.text.strip(), parent_anchor)
        else:
            self._put(parent, key, node)
            self.open[-1] = (parent, None, parent_anchor)

    def _put(self, parent: YamlNode, key: str, node: YamlNode) -> None:
        assert parent.pairs is not None
        if parent.pairs.setdefault(key, node) is not node:
            self.diagnostics.error(
                "bad-parameter",
                f"the key {quote(key)} comes twice; the first counts",
                subject=key,
                line=node.line,
                source=self.source,
            )

    def _refusal(self, problem: str, line: int) -> ReadError:
        return ReadError(f"{self.called} cannot be read: {problem}", source=self.source, line=line)
