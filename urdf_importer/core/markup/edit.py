# SPDX-License-Identifier: GPL-3.0-or-later
"""XML text changed in place: attribute values, elements that come and go, and not a byte more.

All places are byte offsets of the unedited text; the edits are made at once by `apply`. Inserted
elements take the indentation and the line ends of their neighbours.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.sax.saxutils import escape

from ..model import Robot
from .write import format_value, quote_attribute
from .xml import Element, find_end, find_start_tag_end

_ATTRIBUTE = re.compile(rb"""(\s+)([^\s=<>"'/]+)\s*=\s*("[^"]*"|'[^']*')""")
_NAME = re.compile(rb"<[^\s<>/]+")
_COMMENTS = re.compile(rb"(?:\s*<!--(?:(?!-->).)*-->)*\s*").fullmatch
_CONTROLS = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


class Located(NamedTuple):
    """A robot with the text that it was parsed from, and the elements that it was read from: tag,
    or "extra", -> elements in the robot's order, without their children, which cost more to keep
    than to parse again. `data` is the text without XML errors."""

    robot: Robot
    data: bytes
    root: Element
    elements: dict[str, list[Element]]


class XmlEditor:
    """Edits of the UTF-8 text `data`."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.newline = "\r\n" if 0 < data.find(b"\n") == data.find(b"\r\n") + 1 else "\n"
        self._edits: list[tuple[int, int, int, bytes]] = []

    def apply(self) -> bytes:
        """Returns the text with all edits made."""
        pieces: list[bytes] = []
        done = 0
        for start, end, _, text in sorted(self._edits, key=lambda edit: edit[:3]):
            pieces += self.data[done : max(start, done)], text
            done = max(done, end)
        return b"".join([*pieces, self.data[done:]])

    def replace(self, start: int, end: int, text: str) -> None:
        self._edits.append((start, end, len(self._edits), text.encode("utf-8")))

    def span(self, element: Element) -> tuple[int, int]:
        """Returns where an element begins, and the byte behind it."""
        return element.offset, find_end(element, self.data)

    def indent_of(self, place: int) -> str:
        """Returns the white space that the line of a place begins with."""
        begin = self.data.rfind(b"\n", 0, place) + 1
        line = self.data[begin:place]
        return line[: len(line) - len(line.lstrip(b" \t"))].decode()

    def remove(self, element: Element) -> None:
        """Takes out an element, with its lines where they hold nothing else."""
        start, end = self.span(element)
        begin = self.data.rfind(b"\n", 0, start) + 1
        stop = self.data.find(b"\n", end) + 1 or len(self.data)
        if not self.data[begin:start].strip() and not self.data[end:stop].strip():
            start, end = begin, stop
        self.replace(start, end, "")

    def write_over(self, element: Element, lines: Iterable[str]) -> None:
        """Puts lines in the place of an element, at which the first one begins."""
        self.replace(*self.span(element), self.newline.join(lines).lstrip(" \t"))

    def insert_behind(self, element: Element, lines: Iterable[str]) -> None:
        """Puts lines, whose indentation is there already, behind an element and the comments that
        follow it in its line."""
        _, end = self.span(element)
        stop = self.data.find(b"\n", end)
        rest = self.data[end:stop].removesuffix(b"\r")
        if stop >= 0 and _COMMENTS(rest):
            end += len(rest)
        self.replace(end, end, "".join(self.newline + line for line in lines))

    def insert_before(self, element: Element, lines: Iterable[str]) -> None:
        """Puts lines in front of an element, at whose place the first one begins."""
        text = "".join(line + self.newline for line in lines) + self.indent_of(element.offset)
        self.replace(element.offset, element.offset, text.lstrip(" \t"))

    def insert_within(self, element: Element, lines: Iterable[str]) -> None:
        """Puts lines into an element, at its beginning."""
        text = "".join(self.newline + line for line in lines)
        end = find_start_tag_end(element, self.data)
        close = self.newline + self.indent_of(element.offset)
        if self.data[end - 2] == ord("/"):
            blanks = len(self.data[: end - 2]) - len(self.data[: end - 2].rstrip())
            self.replace(end - 2 - blanks, end, f">{text}{close}</{element.tag}>")
        else:
            is_empty = not self.data[end : element.end].strip() and not element
            self.replace(end, element.end if is_empty else end, text + (close if is_empty else ""))

    def set_text(self, element: Element, text: str) -> None:
        """Gives an element without children another text; the white space around it stays."""
        start = find_start_tag_end(element, self.data)
        inner = self.data[start : element.end]
        begin = start + len(inner) - len(inner.lstrip())
        self.replace(begin, begin + len(inner.strip()), escape(text))

    def set_attribute(self, element: Element, name: str, value: str | None) -> None:
        """Gives an attribute its value, adds it or, where the value is None, removes it.

        Of several numbers, unchanged ones keep their spelling.
        """
        end = find_start_tag_end(element, self.data)
        match = None
        behind = _NAME.match(self.data, element.offset)
        assert behind is not None
        place = behind.end()
        for found in _ATTRIBUTE.finditer(self.data, place, end):
            place = found.end()
            if found[2].decode("utf-8") == name:
                match = found
        if match is None:
            if value is not None:
                self.replace(place, place, f" {name}={quote_attribute(value)}")
        elif value is None:
            self.replace(match.start(), match.end(), "")
        else:
            quotes = match[3][:1].decode()
            text = keep_numbers(match[3][1:-1].decode("utf-8"), value)
            if text is None:
                quoted = "&quot;" if quotes == '"' else "&apos;"
                text = escape(value, {**_CONTROLS, quotes: quoted})
            self.replace(match.start(3) + 1, match.end(3) - 1, text)


def keep_numbers(before: str, after: str) -> str | None:
    """Returns `after` with the spelling and the blanks of `before`; None unless both are as many
    numbers."""
    old, new = before.split(), after.split()
    if len(old) != len(new) or "&" in before or "," in before:
        return None
    try:
        words = [
            one if format_value(float(one)) == format_value(float(other)) else other
            for one, other in zip(old, new, strict=True)
        ]
    except ValueError:
        return None
    blanks = re.split(r"\S+", before)
    return "".join(blank + word for blank, word in zip(blanks, [*words, ""], strict=True))
