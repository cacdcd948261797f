# SPDX-License-Identifier: GPL-3.0-or-later
"""XML errors that the parsers of simulators tolerate: read as they read them, and reported.

Gazebo, MuJoCo and urdfdom read with tinyxml2: files that work there are often not XML. Only a text
that a strict parser refuses is looked at. Its lines stay where they were; other places move where
characters must be added.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ..diagnostics import ReadError
from .encoding import DECLARATION, blank, decode_text, line_at, open_text
from .xml import Element, parse_xml

MOST_ADDED = 100_000
"""Characters that a text may lack."""
MOST_ITEMS = 1_000_000
"""The most tags, comments and the like in a text that is repaired."""

_T = TypeVar("_T")
_LOST_START = re.compile(rb"\s*(\??xml\s[^<>]{0,200}\?>)\s*<")
_DECLARATION = re.compile(rb"<\?xml\s")
_TAG = re.compile(rb"""<[^\s<>/!?"'=]++""")
_ATTRIBUTE = re.compile(rb"""(\s*+)[^\s<>/"'=]++\s*+=\s*+("[^"]*+"|'[^']*+')""")
_END_OF_TAG = re.compile(rb"\s*+/?>")
_AMPERSAND = re.compile(rb"&(?!#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|(?:lt|gt|amp|quot|apos);)")
_BAD_IN_VALUE = re.compile(rb"<|" + _AMPERSAND.pattern)
_LONGER = {b"&": b"&amp;", b"<": b"&lt;"}

_MESSAGES = {
    "comment": "with '--' within, which XML forbids; read as if not there",
    "start": "the declaration has lost its '<'; passed over",
    "late": "<?xml ...?> is not the first thing in the file; passed over",
    "joined": "without a blank before, which XML forbids; read as if one were there",
    "character": "in place of '&amp;' or '&lt;'; read as written",
}
_COUNTED = {"comment": "comment", "joined": "attribute", "character": "'&' or '<'"}


class Finding(NamedTuple):
    """XML errors of one kind: code and message of a diagnostic, and the first line."""

    code: str
    message: str
    line: int


def read_leniently(data: bytes, read: Callable[[bytes], _T]) -> tuple[_T, list[Finding]]:
    """Returns the result of `read` for a text and, where it raises ReadError and the text can be
    repaired, for the repaired text, with the faults found."""
    try:
        return read(data), []
    except ReadError:
        repaired, findings = repair_xml(data)
        if not findings:
            raise
    return read(repaired), findings


def mend_text(raw: bytes, source: str, root: str) -> bytes:
    """Returns a text unchanged where every parser reads it, else as it was read: repaired, from the
    declaration to the end of its root. Raises ReadError where it cannot be read."""
    data, encode = open_text(raw, source)
    body = decode_text(raw, source).data
    declaration = DECLARATION.match(data)
    start = 0 if declaration is None else declaration.end()
    is_first = declaration is None or data.startswith(b"<")
    (mended, junk), findings = read_leniently(
        body, lambda text: (text, parse_xml(text, source, _Nobody(), (root,)))
    )
    if is_first and junk is None and not findings and len(body) == len(data):
        return raw
    end = len(mended) if junk is None else junk.offset
    return encode(data[:start].lstrip() + mended[start:end].rstrip() + b"\n")


class _Nobody:
    def read_root(self, element: Element) -> None:
        pass

    def read_child(self, element: Element) -> None:
        pass


def repair_xml(data: bytes) -> tuple[bytes, list[Finding]]:
    """Returns a text as lenient parsers read it, and the XML errors in it; in linear time.

    The rest stays unchanged behind a tag that no parser takes, and behind a document type with
    declarations.
    """
    if data.count(b"<") > MOST_ITEMS:
        return data, []
    repair = _Repair(data)
    lost = _LOST_START.match(data)
    if lost is not None:
        repair.replace(lost.start(1), lost.end(1), blank(lost[1]), "start")
    done = 0
    while (place := data.find(b"<", done)) >= 0:
        repair.lengthen(_AMPERSAND, done, place)
        end = repair.pass_item(place)
        if end <= place or repair.added > MOST_ADDED:
            break
        done = end
    return (data, []) if repair.added > MOST_ADDED else (repair.text(), [*repair.findings()])


@dataclass(slots=True, eq=False)
class _Repair:
    """`places` says kind -> where it was found."""

    data: bytes
    added: int = 0
    done: int = 0
    pieces: list[bytes] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)

    def text(self) -> bytes:
        return b"".join((*self.pieces, self.data[self.done :])) if self.pieces else self.data

    def findings(self) -> Iterator[Finding]:
        for kind, places in self.places.items():
            message, noun, count = _MESSAGES[kind], _COUNTED.get(kind), len(places)
            if noun is not None:
                plural = "s" if count > 1 and noun.isalpha() else ""
                message = f"{count} {noun}{plural} {message}"
            code = "bad-comment" if kind == "comment" else "repaired-xml"
            yield Finding(code, message, line_at(self.data, places[0]))

    def replace(self, start: int, end: int, new: bytes, kind: str) -> None:
        self.added += len(new) - (end - start)
        self.pieces += self.data[self.done : start], new
        self.done = end
        self.places.setdefault(kind, []).append(start)

    def lengthen(self, pattern: re.Pattern[bytes], start: int, end: int) -> None:
        """Writes out the characters of a match as references."""
        if self.added > MOST_ADDED:
            return
        for found in pattern.finditer(self.data, start, end):
            self.replace(found.start(), found.start() + 1, _LONGER[found[0][:1]], "character")

    def pass_item(self, place: int) -> int:
        """Returns where the tag, comment or the like ends that begins at a place; 0 where nothing
        behind it can be repaired."""
        data = self.data
        if data.startswith(b"<!--", place):
            end = data.find(b"-->", place + 4) + 3
            body = data[place + 4 : end - 3]
            if end > 2 and (b"--" in body or body.endswith(b"-")):
                self.replace(place, end, blank(data[place:end]), "comment")
            return end
        if data.startswith(b"<![CDATA[", place):
            return data.find(b"]]>", place) + 3
        if data.startswith(b"<?", place):
            end = data.find(b"?>", place) + 2
            if place and end > 1 and _DECLARATION.match(data, place):
                self.replace(place, end, blank(data[place:end]), "late")
            return end
        if data.startswith((b"</", b"<!"), place):
            end = data.find(b">", place) + 1
            return 0 if b"[" in data[place:end] else end
        return self._pass_start_tag(place)

    def _pass_start_tag(self, place: int) -> int:
        tag = _TAG.match(self.data, place)
        end = 0 if tag is None else tag.end()
        while end and (attribute := _ATTRIBUTE.match(self.data, end)):
            if not attribute[1]:
                self.replace(end, end, b" ", "joined")
            self.lengthen(_BAD_IN_VALUE, attribute.start(2), attribute.end())
            end = attribute.end()
        closing = _END_OF_TAG.match(self.data, end)
        return 0 if closing is None else closing.end()
