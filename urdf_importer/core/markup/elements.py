# SPDX-License-Identifier: GPL-3.0-or-later
"""Content of a description beyond URDF (Gazebo's tags, sensors) as elements with lines and numbers.

Attributes and child elements count alike, since dialects write <topic>x</topic> or topic="x", and
so do upper and lower case in names.
"""

from collections.abc import Iterator
from xml.parsers import expat

from ..model import Extra

_LARGEST = 1e12


class ExtraElement:
    """`tag` is without a namespace prefix, in lower case, `written` is as in the file; `text` is
    without outer blanks."""

    __slots__ = ("attributes", "children", "line", "prefix", "tag", "text", "written")

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        prefix, colon, name = tag.partition(":")
        self.written = tag
        self.tag = (name if colon else prefix).lower()
        self.prefix = prefix.lower() if colon else ""
        self.attributes = attributes
        self.line = line
        self.text = ""
        self.children: list[ExtraElement] = []

    def find(self, *tags: str) -> "ExtraElement | None":
        """Returns the element at the end of a path of tags, by the first child of each tag."""
        found: ExtraElement | None = self
        for tag in tags:
            found = next((c for c in found.children if c.tag == tag), None) if found else None
        return found

    def all(self, tag: str) -> list["ExtraElement"]:
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator["ExtraElement"]:
        """Yields the element and all within it, in the order of the text."""
        todo = [self]
        while todo:
            element = todo.pop()
            yield element
            todo += reversed(element.children)

    def read(self, *names: str) -> str:
        """Returns the text of the child element or attribute that has one of the names; "" for
        none."""
        for name in names:
            child = self.find(name)
            if child is not None and child.text:
                return child.text
            written = self.attributes.get(name, "").strip()
            if written:
                return written
        return ""

    def number(self, *names: str) -> float | None:
        """Returns the first number of `read`; None where there is none."""
        numbers = self.numbers(*names)
        return numbers[0] if numbers else None

    def numbers(self, *names: str) -> tuple[float, ...]:
        return split_numbers(self.read(*names))

    def flag(self, *names: str) -> bool | None:
        word = self.read(*names).lower()
        return word in ("1", "true") if word else None


def split_numbers(text: str) -> tuple[float, ...]:
    """Returns all numbers of a text; nothing if one is invalid or larger than any robot's."""
    try:
        numbers = tuple(float(word) for word in text.replace(",", " ").split())
    except ValueError:
        return ()
    return numbers if all(abs(number) <= _LARGEST for number in numbers) else ()


def parse_extra(extra: Extra) -> ExtraElement | None:
    """Returns the element of an Extra; None where its text is not XML.

    It cannot contain a document type, so no entity and no file beside it is ever looked at.
    """
    builder = _Builder(extra.line or 1)
    parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.add_text
    builder.parser = parser
    try:
        parser.Parse(f"<extra>{extra.xml}</extra>", True)
    except expat.ExpatError:
        return None
    finally:
        parser.StartElementHandler = parser.EndElementHandler = None
        parser.CharacterDataHandler = None
    (whole,) = builder.root.children
    return whole.children[0] if whole.children else None


class _Builder:
    def __init__(self, first_line: int) -> None:
        self.parser: expat.XMLParserType | None = None
        self.before = first_line - 1
        self.root = ExtraElement("", {}, first_line)
        self.open_elements = [self.root]
        self.texts: list[list[str]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        assert self.parser is not None
        element = ExtraElement(tag, attributes, self.before + self.parser.CurrentLineNumber)
        self.open_elements[-1].children.append(element)
        self.open_elements.append(element)
        self.texts.append([])

    def end(self, _tag: str) -> None:
        self.open_elements.pop().text = "".join(self.texts.pop()).strip()

    def add_text(self, text: str) -> None:
        self.texts[-1].append(text)
