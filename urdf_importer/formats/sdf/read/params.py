# SPDX-License-Identifier: GPL-3.0-or-later
"""<experimental:params> of an <include>, read; and elements that may be changed, to their text.

A parameter names an element of the model by `element_id`, the names on the way to it with ::
between, and its `action` decides the change; without an action each of its children has one for a
child of that element. The rules follow the specification (sdformat.org, "parameter passing"):
parameters act one after the other, and ineffective ones are passed over.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ....core.diagnostics import quote
from ....core.markup.write import quote_attribute
from ....core.markup.xml import Element, find_end, find_start_tag_end
from .page import Page, all_of
from .scope import PARAMETERS, SEPARATOR

ACTIONS = ("add", "modify", "remove", "replace")
MOST_DEPTH = 64
OWN = frozenset({"element_id", "action"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parameter:
    """A change of a model. `element`, in `page`, holds the change, `path` its place: the names on
    the way, "" for the model itself; `children` are the element's children that count."""

    element: Element
    page: Page
    path: str
    children: tuple[Element, ...]

    @property
    def action(self) -> str:
        return self.element.attributes.get("action", "").strip()

    def pass_over(self, finding: str, element: Element | None = None) -> None:
        """Reports why a parameter, or one of its elements, has no effect."""
        said = self.element.attributes.get("element_id", "")
        message = f"parameter <{self.element.tag}> {quote(said)}: {finding}; it is passed over"
        self.page.error("sdf-params", message, self.element if element is None else element, said)


def read_parameters(include: Element, page: Page) -> list[Parameter]:
    """Reads the parameters of an <include>, except parameters that name no place."""
    found = []
    for params in all_of(include, PARAMETERS):
        for element in params:
            path = element.attributes.get("element_id", "").strip()
            one = Parameter(element=element, page=page, path=path, children=tuple(element))
            if "element_id" not in element.attributes:
                one.pass_over("it has no element_id")
            elif path.endswith(SEPARATOR) or not (path or one.action == "add"):
                one.pass_over("its element_id ends without a name")
            elif path.count(SEPARATOR) > MOST_DEPTH:
                one.pass_over(f"its element_id leads deeper than {MOST_DEPTH}")
            elif "action" in element.attributes and one.action not in ACTIONS:
                one.pass_over(
                    f"{quote(one.action)} is not an action; these are {', '.join(ACTIONS)}"
                )
            else:
                found.append(one)
    return found


class EditedElement:
    """An element that may be changed. `text` replaces its own, verbatim; its children become parts
    when they are asked for. `passed` are the parameters that the model of an <include> gets from
    further out."""

    __slots__ = ("_parts", "attributes", "element", "page", "passed", "text")

    def __init__(self, element: Element, page: Page) -> None:
        self.element, self.page = element, page
        self.attributes = element.attributes
        self.text: bytes | None = None
        self.passed: list[Parameter] = []
        self._parts: list[EditedElement] | None = None

    @property
    def tag(self) -> str:
        return self.element.tag

    @property
    def parts(self) -> "list[EditedElement]":
        if self._parts is None:
            self._parts = [EditedElement(child, self.page) for child in self.element]
        return self._parts

    @property
    def is_merged(self) -> bool:
        merge = self.attributes.get("merge", "").strip().lower()
        return self.tag == "include" and merge in ("1", "true")

    def is_as_written(self) -> bool:
        is_same = self._parts is None and self.text is None
        return is_same and self.attributes is self.element.attributes

    def set_text(self, text: bytes) -> None:
        self.text, self._parts = text, []

    def find(self, tag: str, name: str | None = None) -> "EditedElement | None":
        """Returns the first child of a tag, and of a name where one is given."""
        found = (each for each in self.parts if each.tag == tag)
        return next(
            (each for each in found if name is None or each.attributes.get("name") == name), None
        )


def new_part(element: Element, page: Page) -> EditedElement:
    """Returns an element of a parameter in the form for the model."""
    part = EditedElement(element, page)
    part.attributes = {name: said for name, said in element.attributes.items() if name not in OWN}
    return part


def inner_text(element: Element, page: Page) -> bytes:
    """Returns the text between the tags of an element, verbatim."""
    start = find_start_tag_end(element, page.data)
    return b"" if page.data[start - 2] == ord("/") else page.data[start : element.end]


def text_of_part(part: EditedElement) -> Iterator[bytes]:
    """Yields the text of a part in pieces, unchanged pieces verbatim."""
    element, page = part.element, part.page
    if part.is_as_written():
        yield page.data[element.offset : find_end(element, page.data)]
        return
    said = "".join(f" {name}={quote_attribute(text)}" for name, text in part.attributes.items())
    yield f"<{element.tag}{said}>".encode()
    if part.text is not None:
        yield part.text
    elif part.parts:
        for each in part.parts:
            yield b"\n"
            yield from text_of_part(each)
        yield b"\n"
    elif not len(element):
        yield inner_text(element, page)
    yield f"</{element.tag}>".encode()


def elements_of(part: EditedElement) -> Iterator[tuple[Element, Page, list[Parameter]]]:
    """Yields the elements that the text of a part is made of, in their order, with their pages and
    the parameters that are passed to them."""
    if part.is_as_written():
        first = True
        for element in elements_within(part.element):
            yield element, part.page, part.passed if first else []
            first = False
        return
    yield part.element, part.page, part.passed
    for each in part.parts:
        yield from elements_of(each)


def elements_within(element: Element) -> Iterator[Element]:
    """Yields an element and all within it, in their order."""
    waiting = [element]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(each)
