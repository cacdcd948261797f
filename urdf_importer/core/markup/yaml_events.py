# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML 1.1 -> values, by rules that a subclass gives.

ruamel.yaml only parses here. Its own builders recurse, follow an alias before anything counts its
content, forget lines and may make objects.
"""

from typing import Any

from ..diagnostics import ReadError, one_line, quote

MOST_LEVELS = 100
MOST_VALUES = 200_000

Item = tuple[Any, int]
"""A value and the line in which it begins."""


class YamlReader:
    """Makes values of the events of a parser; nothing recurses. Messages call the text `called`. A
    subclass says which value a scalar, a list and a mapping become."""

    def __init__(
        self,
        called: str,
        source: str = "",
        *,
        most_levels: int = MOST_LEVELS,
        most_values: int = MOST_VALUES,
    ) -> None:
        self.called = called
        self.source = source
        self._most_levels = most_levels
        self._most_values = most_values
        self._open: list[tuple[Any, list[Item]]] = []
        self._sizes = [0]
        self._anchors: dict[str, tuple[Any, int, int]] = {}
        self._documents: list[Any] = []

    def make_scalar(self, event: Any) -> Any:
        """Returns the value of a text. Raises ReadError."""
        raise NotImplementedError

    def make_list(self, event: Any, items: list[Item]) -> Any:
        """Returns the value of a list. Raises ReadError."""
        raise NotImplementedError

    def make_mapping(self, event: Any, pairs: list[tuple[Item, Item]]) -> Any:
        """Returns the value of a mapping. Raises ReadError."""
        raise NotImplementedError

    def read(self, data: bytes | str) -> list[Any]:
        """Returns the values of all documents. Raises ReadError, with the line, for text that is
        not UTF-8 or YAML, too deep, or that aliases blow up."""
        try:
            text = data if isinstance(data, str) else data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise ReadError(f"{self.called} is not UTF-8", source=self.source, line=line) from None
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
                self.handle(event)
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "characters that YAML forbids"
            raise ReadError(
                f"{self.called} is not YAML: {one_line(problem)}",
                source=self.source,
                line=mark.line + 1 if mark is not None else 0,
            ) from None
        return self._documents

    def handle(self, event: Any) -> None:
        """Takes the next event of the parser. Raises ReadError."""
        kind, line = type(event).__name__, event.start_mark.line + 1
        if kind == "ScalarEvent":
            self._place(self.make_scalar(event), 1, line, event.anchor)
        elif kind == "AliasEvent":
            if event.anchor not in self._anchors:
                raise self.refusal(f"the alias {quote(event.anchor)} names nothing before it", line)
            self._place(*self._anchors[event.anchor])
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            if len(self._open) >= self._most_levels:
                raise self.refusal(f"it nests more than {self._most_levels} levels deep", line)
            self._open.append((event, []))
            self._sizes.append(1)
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            start, items = self._open.pop()
            if kind == "SequenceEndEvent":
                value = self.make_list(start, items)
            else:
                value = self.make_mapping(start, list(zip(items[::2], items[1::2], strict=True)))
            self._place(value, self._sizes.pop(), start.start_mark.line + 1, start.anchor)

    def _place(self, value: Any, size: int, line: int, anchor: str | None = None) -> None:
        """Puts a finished value where it belongs. Aliases count with all their content: a few lines
        could expand to gigabytes."""
        if anchor:
            self._anchors[anchor] = (value, size, line)
        self._sizes[-1] += size
        if self._sizes[-1] > self._most_values:
            raise self.refusal("its aliases expand to too much", line)
        if self._open:
            self._open[-1][1].append((value, line))
        else:
            self._documents.append(value)

    def refusal(self, problem: str, line: int) -> ReadError:
        """Returns the exception to raise where nothing can be made of the text."""
        return ReadError(f"{self.called} cannot be read: {problem}", source=self.source, line=line)
