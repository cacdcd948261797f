# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of xacro -> the DOM tree that xacro works on, and back to text.

Every element knows the file and line it was written in, also when it is copied, and the line of the
main file that it comes from: its own, or the line of the call of the macro or include that made it.
The text that comes out has each element in that line, as far as the order allows, so that whatever
reads it talks about lines of the main file. Comments are left out.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.dom import expatbuilder, minidom
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from ....core.diagnostics import ReadError, quote
from ....core.markup.encoding import decode_text
from .values import Allowance

_PLACE = "place"
_LINE = "line of the main file"
_CLONED = 1

_NAME = re.compile(r"[^\W\d][\w.:\-]*").fullmatch
_BLANKS = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Place(NamedTuple):
    """Where an element is written; `characters` are the characters of its tag and of its text."""

    file: str
    line: int
    characters: int = 0


def place_of(node: Any) -> Place | None:
    place: Place | None = node.getUserData(_PLACE)
    return place


def mark_line(node: Any, line: int) -> None:
    """Notes the line of the main file that an element comes from."""
    node.setUserData(_LINE, line, None)


def parse_tree(raw: bytes, source: str, budget: Allowance) -> minidom.Document:
    """Parses the tree of a file. Raises ReadError where it is not well-formed or declares
    entities."""
    data = decode_text(raw, source).data
    budget.spend(len(data))
    builder = _Builder(source, budget)
    try:
        document: minidom.Document = builder.parseString(data.decode("utf-8"))
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise ReadError(f"the XML is broken: {reason}", source=source, line=error.lineno) from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError("the file is not UTF-8", source=source, line=line) from None
    return document


class _Builder(expatbuilder.ExpatBuilderNS):
    """Python's own builder, with places, without comments and document types."""

    curNode: Any

    def __init__(self, source: str, budget: Allowance) -> None:
        super().__init__()
        self._source = source
        self._budget = budget
        self._copies = _Copies(budget)

    def start_element_handler(self, name: str, attributes: list[str]) -> None:
        self._budget.spend_element()
        super().start_element_handler(name, attributes)
        characters = len(name) + sum(map(len, attributes))
        self._locate(self.curNode, Place(self._source, self._line(), characters))

    def character_data_handler_cdata(self, data: str) -> None:
        super().character_data_handler_cdata(data)
        place = place_of(self.curNode)
        if place is not None:
            self._locate(self.curNode, place._replace(characters=place.characters + len(data)))

    def comment_handler(self, data: str) -> None:
        """Comments say nothing that becomes part of a robot."""

    def pi_handler(self, target: str, data: str) -> None:
        """Nor do instructions for other programs."""

    def start_doctype_decl_handler(
        self, doctypeName: str, systemId: str | None, publicId: str | None, has_subset: bool
    ) -> None:
        if systemId is not None or publicId is not None or has_subset:
            what = "entities or an external file in its document type"
            raise ReadError(
                f"the file declares {what}, which is refused",
                source=self._source,
                line=self._line(),
            )

    def end_doctype_decl_handler(self) -> None:
        """There is nothing in it."""

    def _locate(self, node: Any, place: Place) -> None:
        node.setUserData(_PLACE, place, self._copies)

    def _line(self) -> int:
        line: int = self.getParser().CurrentLineNumber
        return line


class _Copies:
    """The DOM's reports of copied elements: the copy has the same place, and costs."""

    def __init__(self, budget: Allowance) -> None:
        self._budget = budget

    def handle(self, operation: int, key: str, data: Place, _source: Any, copy: Any) -> None:
        if operation == _CLONED:
            self._budget.spend_element(data.characters)
            copy.setUserData(key, data, self)


def replace_node(node: Any, by: Any, content_only: bool = False) -> None:
    """Puts `by` (an element, several, or None for nothing) in the place of `node`; with
    `content_only`, its content.

    xacro's own goes through all siblings once for every new child, which takes quadratic time.
    """
    sources = by if isinstance(by, list) else [] if by is None else [by]
    parent = node.parentNode
    children: list[Any] = []
    for source in sources:
        if content_only:
            children += source.childNodes
            source.childNodes = type(source.childNodes)()
        else:
            children.append(source)
    siblings = parent.childNodes
    index = next(place for place, sibling in enumerate(siblings) if sibling is node)
    before, after = node.previousSibling, node.nextSibling
    siblings[index : index + 1] = children
    node.parentNode = node.previousSibling = node.nextSibling = None
    for child in children:
        child.parentNode = parent
        _link(before, child)
        before = child
    _link(before, after)


_WITH_PREFIX = frozenset({"arg", "if", "include", "insert_block", "macro", "property", "unless"})
_PARTS = _WITH_PREFIX | {
    "robot", "link", "joint", "visual", "collision", "geometry", "inertial"
}  # fmt: skip


def is_bare_instruction(node: Any, calls: list[Any]) -> bool:
    """Whether an element is an instruction of xacro without its "xacro:": by its name, and in parts
    of a robot where URDF has no such element; plugins have their own. `calls` are the calls of
    macros, the innermost last, in whose bodies the element is."""
    if node.tagName not in _WITH_PREFIX:
        return False
    outer = list(calls)
    while True:
        node = node.parentNode or (outer.pop() if outer else None)
        if node is None or node.nodeType != node.ELEMENT_NODE:
            return True
        if node.tagName not in _PARTS and not node.tagName.startswith("xacro:"):
            return False


def _link(before: Any, after: Any) -> None:
    if before is not None:
        before.nextSibling = after
    if after is not None:
        after.previousSibling = before


def write_tree(root: Any, budget: Allowance) -> bytes:
    """Writes the text of an expanded tree, each element in its line of the main file or later.

    Raises ReadError for names and characters that XML cannot hold; expressions can make them.
    """
    pieces: list[str] = []
    line = 1
    for node, is_end in _walk(root):
        if not is_end:
            _check(node)
        if node.nodeType in (node.TEXT_NODE, node.CDATA_SECTION_NODE):
            text = "" if node.data.isspace() else escape(node.data)
            line += text.count("\n")
        elif is_end:
            text = f"</{node.tagName}>"
        else:
            wanted = max(line, node.getUserData(_LINE) or 1)
            text = "\n" * (wanted - line) + _start_tag(node)
            line = wanted
        budget.spend(len(text))
        pieces.append(text)
    return "".join(pieces).encode("utf-8")


def _walk(root: Any) -> Iterator[tuple[Any, bool]]:
    """All nodes in the order of the text; elements with children also at their ends."""
    todo: list[tuple[Any, bool]] = [(root, False)]
    while todo:
        node, is_end = todo.pop()
        yield node, is_end
        if not is_end and node.childNodes:
            todo.append((node, True))
            todo += ((child, False) for child in reversed(node.childNodes))


def _start_tag(element: Any) -> str:
    attributes = "".join(
        f" {name}={quoteattr(str(value), _BLANKS)}" for name, value in element.attributes.items()
    )
    end = ">" if element.childNodes else "/>"
    return f"<{element.tagName}{attributes}{end}"


def _check(node: Any) -> None:
    """Refuses names and characters that XML cannot hold."""
    is_element = node.nodeType == node.ELEMENT_NODE
    attributes = node.attributes.items() if is_element else ()
    names = [str(node.tagName), *(str(name) for name, _ in attributes)] if is_element else []
    texts = [str(value) for _, value in attributes] if is_element else [node.data]
    message = ""
    for name in names:
        if not _NAME(name):
            message = f"{quote(name)} is not the name of an element or attribute"
    for text in texts:
        bad = _NO_XML.search(text)
        if bad is not None:
            message = f"XML cannot hold the character {quote(bad[0])}"
    if message:
        place = place_of(node if is_element else node.parentNode)
        source, line = (place.file, place.line) if place is not None else ("", 0)
        raise ReadError(message, source=source, line=line)
