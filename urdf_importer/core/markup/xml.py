# SPDX-License-Identifier: GPL-3.0-or-later
"""Text -> light elements with their places: one expat pass without namespaces.

Namespaces stay off, since many descriptions use prefixes that they never declare. Nothing but the
text itself is ever looked at: no external document type, no entity.
"""

import re
from collections.abc import Callable, Collection
from typing import NamedTuple, NoReturn, Protocol
from xml.parsers import expat

from ..diagnostics import ReadError, quote
from .encoding import find_bad_byte, line_at

MOST_TAGS = 4_000_000

_START_TAG = re.compile(rb"""<(?:"[^"]*"|'[^']*'|[^>"']++)*+>""")
# Without attributes and of nothing but plain text: nearly all elements that have text at all.
_LEAF = re.compile(rb"""<[^<>/"']*>([^<&]*)</""")

_ROOTS = {
    "html": "this is a web page, not a robot description",
    "sdf": "this is an SDF file",
    "gazebo": "this is a model of Gazebo from before SDF 1.2",
    "mujoco": "this is a MuJoCo model (MJCF)",
    "COLLADA": "this is a COLLADA mesh, not a robot description",
}


class Element(list["Element"]):
    """An element: the list of its child elements, with the content of its start tag.

    `offset` is the byte at which the start tag begins; `end` the byte at which the end tag begins,
    or for <empty/> elements the next byte after them.
    """

    __slots__ = ("attributes", "end", "line", "offset", "tag")
    tag: str
    attributes: dict[str, str]
    line: int
    offset: int
    end: int


class Junk(NamedTuple):
    """Where something follows the root."""

    offset: int
    line: int


class RootReader(Protocol):
    """Receives the parsed elements."""

    def read_root(self, element: Element) -> None: ...

    def read_child(self, element: Element) -> None: ...


def parse_xml(
    data: bytes, source: str, reader: RootReader, roots: Collection[str] = ("robot",)
) -> Junk | None:
    """Hands the root to `reader` as soon as its start tag is known, then each complete child.
    Returns where something follows the root.

    No more than one child is held in memory: that is faster, and a long file needs little.
    Raises ReadError where the text is not well-formed or its root is not in `roots`.
    """
    if len(data) > 4 * MOST_TAGS and data.count(b"<") > MOST_TAGS:
        raise ReadError(
            f"the file has more than {MOST_TAGS} tags, too many for a robot", source=source
        )
    builder = _Builder(source, reader, roots)
    parser = builder.parser
    _refuse_document_types(parser, source, roots)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        if not builder.is_complete:
            _refuse(error, parser.ErrorByteIndex, data, builder.open_elements, source)
        return Junk(parser.ErrorByteIndex, error.lineno)
    finally:
        # The handlers hold the parser and the parser the handlers.
        parser.StartElementHandler = parser.EndElementHandler = None
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = None
        parser.AttlistDeclHandler = None
    return None


class _Builder:
    """Makes elements from expat's reports; `open_elements` have not ended yet."""

    def __init__(self, source: str, reader: RootReader, roots: Collection[str]) -> None:
        self.source = source
        self.reader = reader
        self.roots = roots
        self.parser = expat.ParserCreate("utf-8")
        self.open_elements: list[Element] = []
        self.is_complete = False
        self.start, self.end = self._handlers()
        self.parser.StartElementHandler = self.start_root
        self.parser.EndElementHandler = self.end

    def start_root(self, tag: str, attributes: dict[str, str]) -> None:
        if tag not in self.roots:
            raise _not_a_robot(tag, self.roots, self.source, self.parser.CurrentLineNumber)
        root = Element()
        root.tag = tag
        root.attributes = attributes
        root.line = self.parser.CurrentLineNumber
        root.offset = self.parser.CurrentByteIndex
        self.open_elements.append(root)
        self.reader.read_root(root)
        self.parser.StartElementHandler = self.start

    def _handlers(self) -> tuple[Callable[[str, dict[str, str]], None], Callable[[str], None]]:
        """The handlers that run for each tag and take a third of the time of reading; so they
        look nothing up in self."""
        parser = self.parser
        read_child = self.reader.read_child
        open_elements = self.open_elements
        push = open_elements.append
        pop = open_elements.pop

        def start(tag: str, attributes: dict[str, str]) -> None:
            element = Element()
            element.tag = tag
            element.attributes = attributes
            element.line = parser.CurrentLineNumber
            element.offset = parser.CurrentByteIndex
            open_elements[-1].append(element)
            push(element)

        def end(_tag: str) -> None:
            element = pop()
            element.end = parser.CurrentByteIndex
            if len(open_elements) == 1:
                open_elements[0].clear()
                read_child(element)
            elif not open_elements:
                self.is_complete = True
                parser.StartElementHandler = None

        return start, end


def parse_whole(data: bytes, source: str, roots: Collection[str] = ("robot",)) -> Element:
    """Returns the root of a text with all of its children. Raises ReadError as parse_xml does."""
    found = _Whole()
    parse_xml(data, source, found, roots)
    found.root.extend(found.children)
    return found.root


class _Whole:
    """Keeps the root and its children."""

    def __init__(self) -> None:
        self.root = Element()
        self.children: list[Element] = []
        self.read_child = self.children.append

    def read_root(self, element: Element) -> None:
        self.root = element


def parse_again(element: Element, data: bytes) -> Element:
    """Returns an element of a text that was parsed, with its children."""
    again = parse_fragment(data[element.offset : find_end(element, data)], element.offset)
    assert again is not None
    return again


def parse_fragment(data: bytes, offset: int = 0) -> Element | None:
    """Returns the one element that a text is; None where it is not well-formed. `offset` is the
    place of the text in a longer one."""
    before = b"<robot>"
    try:
        children = parse_whole(before + data + b"</robot>", "")
    except ReadError:
        return None
    if len(children) != 1:
        return None
    waiting = list(children)
    while waiting:
        each = waiting.pop()
        each.offset += offset - len(before)
        each.end += offset - len(before)
        waiting += each
    return children[0]


def verbatim(element: Element, data: bytes) -> str:
    """Returns the exact text of an element in `data`."""
    return data[element.offset : find_end(element, data)].decode("utf-8")


def find_end(element: Element, data: bytes) -> int:
    """Returns the byte behind an element."""
    end = find_start_tag_end(element, data)
    return end if data[end - 2] == ord("/") else data.index(b">", element.end) + 1


def text_of(element: Element, data: bytes) -> str:
    """Returns the character data directly and deeper within an element, without outer white
    space."""
    leaf = _LEAF.match(data, element.offset)
    if leaf is not None:
        return leaf[1].decode("utf-8").strip()
    start = find_start_tag_end(element, data)
    if data[start - 2] == ord("/"):
        return ""
    inner = data[start : element.end]
    pieces: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.CharacterDataHandler = pieces.append
    parser.Parse(b"<text>" + inner + b"</text>", True)
    return "".join(pieces).strip()


def find_start_tag_end(element: Element, data: bytes) -> int:
    """Returns the byte behind the start tag of an element."""
    match = _START_TAG.match(data, element.offset)
    assert match is not None
    return match.end()


def _not_a_robot(tag: str, roots: Collection[str], source: str, line: int) -> ReadError:
    message = _ROOTS.get(tag, "this is not a robot description")
    wanted = " or ".join(map(quote, sorted(roots)))
    return ReadError(
        f"{message}: its root is {quote(tag)} instead of {wanted}", source=source, line=line
    )


def _refuse_document_types(
    parser: expat.XMLParserType, source: str, roots: Collection[str]
) -> None:
    """Entities and default attributes can make gigabytes out of a line, external types can read
    any file, and no robot needs them."""

    def refuse(what: str) -> Callable[..., None]:
        def handler(*_declaration: object) -> None:
            raise ReadError(
                f"the file declares {what} in its document type, which is refused",
                source=source,
                line=parser.CurrentLineNumber,
            )

        return handler

    def start_document_type(name: str, system: str | None, public: str | None, _: int) -> None:
        if name.lower() == "html":
            raise _not_a_robot("html", roots, source, parser.CurrentLineNumber)
        if system is not None or public is not None:
            refuse("an external file")()

    parser.StartDoctypeDeclHandler = start_document_type
    parser.EntityDeclHandler = refuse("an entity")
    parser.AttlistDeclHandler = refuse("default attributes")


def _refuse(
    error: expat.ExpatError, offset: int, data: bytes, open_elements: list[Element], source: str
) -> NoReturn:
    """Raises ReadError that says why the text is not XML."""
    line = error.lineno
    bad_byte = find_bad_byte(data)
    if bad_byte is not None and bad_byte <= offset + 4:
        line = line_at(data, bad_byte)
        message = (
            f"the byte 0x{data[bad_byte]:02x} is not UTF-8, and the file declares no other encoding"
            ' (such as <?xml version="1.0" encoding="ISO-8859-1"?>).'
        )
    elif offset >= len(data) or error.code in _TRUNCATED:
        message = "the file is cut off: it ends before its first element is complete"
        if open_elements:
            last = open_elements[-1]
            message = f"the file is cut off: it ends within {quote(last.tag)} of line {last.line}"
    elif not open_elements:
        message = f"this is not XML: {expat.ErrorString(error.code)}"
    else:
        message = f"the XML is broken: {expat.ErrorString(error.code)}"
    raise ReadError(message, source=source, line=line) from None


_TRUNCATED = tuple(
    expat.errors.codes[reason]
    for reason in (
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
)
