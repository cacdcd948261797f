# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements -> XML text: the same bytes for the same calls, on every machine.

    xml = XmlWriter()
    xml.declare()
    xml.open("robot", {"name": "arm"})
    xml.leaf("link", {"name": "base"})
    xml.close()
    xml.text()

Numbers are written with as few digits as read back as the same double, never rounded. Attributes
keep the order in which they are given; attributes with the value None are not written. Everything
else is escaped, so that any text comes back unchanged; characters that XML does not allow at all
raise ValueError, since no file can hold them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from xml.sax.saxutils import escape, quoteattr

Value = str | float | Iterable[float] | None
"""Values of attributes: text, one number, or several, which blanks separate. True and False are
written as words."""
Attributes = Mapping[str, Value]

NO_ATTRIBUTES: Attributes = {}
_DEEPEST = 40
"""Elements around a line that indent it: more would make long chains of nested elements grow with
the square of their length."""
_SPECIAL = re.compile('[&<>"\x00-\x1f\ud800-\udfff\ufffe\uffff]').search
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]").search


def format_number(number: float) -> str:
    """Returns the shortest text that reads back as the same double: whole numbers without a point,
    no minus before zero. Raises ValueError for nan and infinities."""
    text = repr(number) if type(number) is float else _format_other(number)
    if text.endswith(".0"):
        text = text[:-2]
        return "0" if text == "-0" else text
    if text[-1] in "fn":  # inf, nan
        raise ValueError(f"{text} is not a number that XML files can hold")
    return text


def _format_other(number: float) -> str:
    """The text of an int, a bool or a number of another library."""
    if isinstance(number, bool):
        return "true" if number else "false"
    return str(number) if isinstance(number, int) else repr(float(number))


def format_numbers(numbers: Iterable[float]) -> str:
    """Returns numbers parted by blanks. Raises ValueError as format_number does."""
    return " ".join([format_number(number) for number in numbers])


def quote_attribute(text: str) -> str:
    """Returns text as the value of an attribute, with its quotes. Raises ValueError where it has a
    character that XML does not allow."""
    if not _SPECIAL(text):
        return f'"{text}"'
    _refuse_forbidden(text)
    return quoteattr(text)


def format_element(tag: str, attributes: Attributes = NO_ATTRIBUTES, content: str = "") -> str:
    """Returns one element on one line. `content` is XML, not text; without it the tag closes
    itself. Raises ValueError as XmlWriter does."""
    start = f"<{tag}{_format_attributes(attributes)}"
    return f"{start}>{content}</{tag}>" if content else f"{start}/>"


def format_text(tag: str, text: str, attributes: Attributes = NO_ATTRIBUTES) -> str:
    """Returns one element with text in it, on one line. Raises ValueError as XmlWriter does."""
    _refuse_forbidden(text)
    # An unescaped carriage return would be read as a line feed.
    inner = escape(text, {"\r": "&#13;"})
    return f"<{tag}{_format_attributes(attributes)}>{inner}</{tag}>"


class XmlWriter:
    """Lines of XML, one element a line, two blanks for each element around it, up to forty.

    All methods raise ValueError for text that no XML file can hold and for nan and infinities.
    """

    def __init__(self, *, indent: str = "", step: str = "  ") -> None:
        """`indent` is the white space before everything, `step` the extra indentation of each
        level."""
        self._lines: list[str] = []
        self._open: list[tuple[str, int]] = []
        self._indent = indent
        self._step = step

    def declare(self) -> None:
        """Writes the first line, which says that the text is UTF-8."""
        self._lines.append('<?xml version="1.0" encoding="utf-8"?>')

    def leaf(self, tag: str, attributes: Attributes = NO_ATTRIBUTES, text: str = "") -> None:
        """Writes an element with nothing in it but text."""
        if text:
            self._lines.append(self._indent + format_text(tag, text, attributes))
        else:
            self._lines.append(f"{self._indent}<{tag}{_format_attributes(attributes)}/>")

    def open(self, tag: str, attributes: Attributes = NO_ATTRIBUTES) -> None:
        """Begins an element, which everything is written into until `close`."""
        self._open.append((tag, len(self._lines)))
        self._lines.append(f"{self._indent}<{tag}{_format_attributes(attributes)}>")
        if len(self._open) <= _DEEPEST:
            self._indent += self._step

    def close(self) -> None:
        """Ends the element that was begun last; <tag/> where nothing was written into it."""
        tag, line = self._open.pop()
        if len(self._open) < _DEEPEST:
            self._indent = self._indent[: len(self._indent) - len(self._step)]
        if line == len(self._lines) - 1:
            self._lines[line] = self._lines[line][:-1] + "/>"
        else:
            self._lines.append(f"{self._indent}</{tag}>")

    @contextmanager
    def element(self, tag: str, attributes: Attributes = NO_ATTRIBUTES) -> Iterator[None]:
        """Begins an element and ends it with the `with` block."""
        self.open(tag, attributes)
        yield
        self.close()

    def verbatim(self, *pieces: str) -> None:
        """Writes pieces of XML verbatim; their further lines are not indented."""
        self._lines += [self._indent + xml for xml in pieces]

    def comment(self, text: str) -> None:
        """Writes a comment. XML forbids "--" in comments: blanks part such dashes."""
        _refuse_forbidden(text)
        shown = re.sub("-(?=-)", "- ", text)
        self._lines.append(f"{self._indent}<!-- {shown} -->")

    def text(self) -> str:
        """Returns everything written so far, with a line feed at its end."""
        return "\n".join([*self._lines, ""])

    def lines(self) -> tuple[str, ...]:
        """Returns the lines written so far, without line ends; verbatim text may contain some."""
        return tuple(self._lines)


def format_value(value: Value) -> str | None:
    """Returns the text of an attribute, not escaped; None where it is not written. Raises
    ValueError for nan and infinities."""
    if value is None or isinstance(value, str):
        return value
    return format_numbers(value) if isinstance(value, Iterable) else format_number(value)


def _format_attributes(attributes: Attributes) -> str:
    pieces = []
    for name, value in attributes.items():
        if type(value) is str:
            # The usual case without one more call.
            quoted = quote_attribute(value) if _SPECIAL(value) else f'"{value}"'
        elif value is None:
            continue
        elif type(value) is float:
            quoted = f'"{format_number(value)}"'
        elif isinstance(value, str):
            quoted = quote_attribute(value)
        elif isinstance(value, Iterable):
            quoted = f'"{format_numbers(value)}"'
        else:
            quoted = f'"{format_number(value)}"'
        pieces.append(f" {name}={quoted}")
    return "".join(pieces)


def _refuse_forbidden(text: str) -> None:
    found = _FORBIDDEN(text)
    if found is not None:
        raise ValueError(f"{text!r:.80} has a character that no XML file can hold")
