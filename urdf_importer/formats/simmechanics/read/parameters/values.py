# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a parameter file: the right kind, or one sentence with the line."""

from collections.abc import Collection, Iterator
from typing import TypeVar

from .....core.diagnostics import Diagnostics, Named, ReadError, nearest, quote
from .....core.markup.yaml_tree import YamlNode

Value = TypeVar("Value")


class Values:
    """Takes values out of nodes. A value of the wrong kind is an ERROR diagnostic and None."""

    def __init__(self, source: str, diagnostics: Diagnostics) -> None:
        self.source = source
        self.diagnostics = diagnostics

    def bad(self, key: str, problem: str, line: int) -> None:
        self.diagnostics.error(
            "bad-parameter", f"{key}: {problem}", subject=key, line=line, source=self.source
        )

    def warning(self, code: str, message: str, item: Named) -> None:
        """Adds a WARNING about an element of the assembly."""
        self.diagnostics.warning(code, message, subject=item.name, line=item.line)

    def refusal(self, key: str, problem: str, line: int) -> ReadError:
        return ReadError(f"{key}: {problem}", source=self.source, line=line)

    def unknown(self, key: str, line: int, known: Collection[str], place: str = "") -> None:
        within = f" in {place}" if place else ""
        self.diagnostics.warning(
            "unknown-parameter",
            f"the key {quote(key)}{within} is unknown and changes nothing{nearest(key, known)}",
            subject=key,
            line=line,
            source=self.source,
        )

    def text(self, node: YamlNode, key: str) -> str | None:
        if not node.is_scalar:
            self._wrong(key, "a text", node)
            return None
        return "" if node.is_null else node.text.strip()

    def flag(self, node: YamlNode, key: str) -> bool | None:
        return self._checked(node.flag(), "yes or no", node, key)

    def number(self, node: YamlNode, key: str) -> float | None:
        return self._checked(node.number(), "a number", node, key)

    def positive(self, node: YamlNode, key: str) -> float | None:
        value = self.number(node, key)
        if value is None or value > 0.0:
            return value
        return self._checked(None, "a number above zero", node, key)

    def _checked(self, value: Value | None, wanted: str, node: YamlNode, key: str) -> Value | None:
        if value is None:
            self._wrong(key, wanted, node)
        return value

    def numbers(
        self, node: YamlNode, key: str, counts: tuple[int, ...]
    ) -> tuple[float, ...] | None:
        """Returns a list, or a text with blanks or commas, or a single number."""
        if node.pairs is not None:
            self._wrong(key, "numbers", node)
            return None
        if node.items is not None:
            items = node.items
        else:
            words = node.text.replace(",", " ").split()
            items = [YamlNode(line=node.line, text=word) for word in words[:100]]
        found = [item.number() for item in items]
        known = tuple(number for number in found if number is not None)
        if len(known) != len(items) or len(known) not in counts:
            self._wrong(key, f"{' or '.join(map(str, counts))} numbers", node)
            return None
        return known

    def names(self, node: YamlNode, key: str) -> tuple[str, ...]:
        """Returns a list of names, or one text with blanks between them."""
        if node.is_null:
            return ()
        if node.is_scalar:
            return tuple(node.text.split())
        if node.items is None:
            self._wrong(key, "a list of names", node)
            return ()
        found = []
        for item in node.items:
            if item.is_scalar and item.text.strip():
                found.append(item.text.strip())
            else:
                self._wrong(key, "a name", item)
        return tuple(found)

    def texts(self, node: YamlNode, key: str) -> list[tuple[str, int]]:
        """Returns a list of texts with their lines; a single text is a list of one."""
        items = [node] if node.is_scalar else node.items
        if items is None:
            self._wrong(key, "a list of texts", node)
            return []
        texts = ((self.text(item, key), item.line) for item in items)
        return [(text, line) for text, line in texts if text]

    def pairs(self, node: YamlNode, key: str) -> dict[str, YamlNode]:
        if node.is_null:
            return {}
        if node.pairs is None:
            self._wrong(key, "a mapping", node)
            return {}
        return node.pairs

    def entries(
        self, node: YamlNode, key: str, known: Collection[str]
    ) -> Iterator[tuple[int, dict[str, YamlNode]]]:
        """Yields the mappings of a list with their lines; unknown attributes of them are named and
        left out."""
        if node.items is None and not node.is_null:
            self._wrong(key, "a list", node)
        for item in node.items or ():
            if item.pairs is None:
                self._wrong(key, "a list of mappings", item)
                continue
            for attribute in item.pairs:
                if attribute not in known:
                    self.unknown(attribute, item.lines.get(attribute, item.line), known, key)
            yield item.line, item.pairs

    def _wrong(self, key: str, wanted: str, node: YamlNode) -> None:
        kind = quote(node.text.strip()) if node.is_scalar else "a list or mapping"
        self.bad(key, f"{kind} is in the place of {wanted}; it is left out", node.line)
