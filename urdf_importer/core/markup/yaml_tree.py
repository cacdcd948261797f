# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML 1.1 -> plain nodes with their lines: texts, lists and mappings, and nothing else.

The tables below decide the meaning of a word.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from ..diagnostics import Diagnostics, ReadError, quote
from .yaml_events import Item, YamlReader

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
    reader = _Nodes(called, source)
    reader.diagnostics = diagnostics
    root: YamlNode | None = next(iter(reader.read(data)), None)
    if root is None or root.is_null:
        return YamlNode(line=1, pairs={})
    if root.pairs is None:
        raise ReadError(
            f"{called} is not a mapping of keys to values", source=source, line=root.line
        )
    return root


class _Nodes(YamlReader):
    """Makes nodes."""

    diagnostics: Diagnostics

    def make_scalar(self, event: Any) -> YamlNode:
        self._check_tag(event)
        line = event.start_mark.line + 1
        return YamlNode(line=line, text=event.value, is_plain=event.implicit[0])

    def make_list(self, event: Any, items: list[Item]) -> YamlNode:
        self._check_tag(event)
        return YamlNode(line=event.start_mark.line + 1, items=[node for node, _ in items])

    def make_mapping(self, event: Any, pairs: list[tuple[Item, Item]]) -> YamlNode:
        self._check_tag(event)
        found: dict[str, YamlNode] = {}
        lines: dict[str, int] = {}
        for (key, line), (node, _) in pairs:
            if not key.is_scalar:
                raise self.refusal("a key is a list or a mapping", line)
            name = key.text.strip()
            lines.setdefault(name, line)
            if found.setdefault(name, node) is not node:
                self.diagnostics.error(
                    "bad-parameter",
                    f"the key {quote(name)} comes twice; the first counts",
                    subject=name,
                    line=node.line,
                    source=self.source,
                )
        return YamlNode(line=event.start_mark.line + 1, pairs=found, lines=lines)

    def _check_tag(self, event: Any) -> None:
        tag = str(event.tag) if event.tag else ""
        if tag and tag != "!" and tag not in _SAFE_TAGS:
            problem = f"the tag {quote(tag)} would build an object, which is refused"
            raise self.refusal(problem, event.start_mark.line + 1)
