# SPDX-License-Identifier: GPL-3.0-or-later
"""A description while it is read: its text, where to report, and the attributes of its elements."""

from dataclasses import dataclass

from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.markup.xml import Element, text_of, verbatim
from ....core.model import Extra, Vector3
from .numbers import (
    FARTHEST,
    LARGEST,
    OddNumberError,
    is_infinite,
    padded,
    plain_number,
    plain_vector,
    split_numbers,
    to_number,
)

ZERO: Vector3 = (0.0, 0.0, 0.0)

MOST_FILENAME_CHARACTERS = 65_536
"""A longer path costs its mesh; every other text of a description is shorter."""
MOST_NAME_CHARACTERS = 1024

# Blender holds no limit beyond 1e5, and descriptions write 1e16 for "none".
UNLIMITED = 1e16
_LARGEST_FLOAT = 1.7976931348623157e308


# Half of all vectors are among these.
_VECTORS: dict[str, Vector3] = {
    **{f"{x} {y} {z}": (float(x), float(y), float(z)) for x in "01" for y in "01" for z in "01"},
    "0.0 0.0 0.0": (0.0, 0.0, 0.0),
    "0.001 0.001 0.001": (0.001, 0.001, 0.001),
}

# xacro's own tags: where URDF contains one, something was not expanded. Its leftovers change
# nothing (arg, property), and any other name is the call of an undefined macro, which every other
# reader of URDF takes for an unknown element.
_XACRO_INSTRUCTIONS = (
    *("attribute", "call", "element", "if", "include"),
    *("insert_block", "insert_blocks", "macro", "unless"),
)


@dataclass(slots=True)
class Tally:
    """Many diagnostics of one kind as a single one, at the line of the first."""

    count: int = 0
    line: int = 0
    subject: str = ""

    def add(self, line: int, subject: str) -> None:
        if not self.count:
            self.line, self.subject = line, subject
        self.count += 1


class Document:
    """State shared by all read_ functions.

    `kind` and `name` say which link, joint or other child of <robot> is being read, for messages.
    `massless` are the <mass> of links with shapes and a mass of zero, by the links' names.
    Attribute readers return the substitute that a diagnostic states where the text is odd, and
    raise ReadError where it has no meaning.
    """

    __slots__ = (
        "data",
        "diagnostics",
        "empty_textures",
        "kind",
        "leftover_calls",
        "massless",
        "name",
        "source",
        "unrated_limits",
        "xacro_prefixes",
    )

    def __init__(self, data: bytes, source: str, diagnostics: Diagnostics) -> None:
        self.data = data
        self.source = source
        self.diagnostics = diagnostics
        self.kind = "robot"
        self.name = ""
        self.unrated_limits = Tally()
        self.empty_textures = Tally()
        self.leftover_calls = Tally()
        self.massless: dict[str, Element] = {}
        self.xacro_prefixes: tuple[str, ...] = ("xacro:",)

    # Reporting

    def describe(self, element: Element) -> str:
        """Returns the element in words: "<limit> of joint 'elbow'"."""
        owner = f"{self.kind} {quote(self.name)}"
        return owner if element.tag == self.kind else f"<{element.tag}> of {owner}"

    def warning(self, code: str, message: str, element: Element) -> None:
        self.diagnostics.warning(code, message, subject=self.name, line=element.line)

    def error(self, code: str, message: str, element: Element) -> None:
        self.diagnostics.error(code, message, subject=self.name, line=element.line)

    def remark(self, code: str, finding: str, element: Element, attribute: str = "") -> None:
        """Warns of an element, or of an attribute of it, with a sentence that begins with it."""
        of = f"{attribute} of " if attribute else ""
        self.warning(code, f"{of}{self.describe(element)} {finding}", element)

    def refusal(self, message: str, element: Element) -> ReadError:
        """Returns the exception to raise where this element leaves no robot."""
        return ReadError(message, source=self.source, line=element.line)

    # Child elements

    def children(
        self, element: Element, known: frozenset[str]
    ) -> tuple[dict[str, Element], tuple[Extra, ...]]:
        """Returns the first child of each known tag, and all other children."""
        first = {child.tag: child for child in element}
        if len(first) == len(element) and known.issuperset(first):
            return first, ()
        first = {}
        extras: list[Extra] = []
        for child in element:
            tag = child.tag
            if tag not in known:
                extras.append(self.extra(child))
            elif tag in first:
                self.warn_of_duplicate(child)
                extras.append(self.extra(child))
            else:
                first[tag] = child
        return first, tuple(extras)

    def warn_of_duplicate(self, element: Element) -> None:
        self.remark("duplicate-element", "comes twice; the first one counts", element)

    def extra(self, element: Element) -> Extra:
        """Returns an element that URDF does not know. Raises ReadError where xacro should expand
        it."""
        self.refuse_xacro(element)
        if element.tag in ("include", "xi:include"):
            named = next(iter(element.attributes.values()), "")
            self.warning(
                "include-not-followed",
                f"<{element.tag}> of {quote(named)} is not followed; expand it before the import",
                element,
            )
        return Extra(tag=element.tag, xml=verbatim(element, self.data), line=element.line)

    def refuse_xacro(self, element: Element) -> None:
        """Raises ReadError for elements that xacro should have replaced, and counts the
        calls of macros that nothing defines."""
        if not element.tag.startswith(self.xacro_prefixes):
            return
        name = element.tag.partition(":")[2]
        if name in _XACRO_INSTRUCTIONS:
            raise self.xacro(f"<{element.tag[:80]}>", element)
        if name not in ("arg", "property"):
            self.leftover_calls.add(element.line, element.tag[:80])

    def text(self, element: Element) -> str:
        return text_of(element, self.data)

    def text_instead(self, element: Element, attribute: str) -> str | None:
        """Returns the text of an element whose attribute is not there, as <mass>0.17</mass>."""
        text = self.text(element)
        if not text:
            return None
        self.warn_of_text(element, attribute)
        return text

    def warn_of_text(self, element: Element, attribute: str) -> None:
        finding = f"has its {attribute} as text; it is read as the attribute"
        self.remark("text-for-attribute", finding, element)

    # Names

    def name_of(self, element: Element) -> str:
        """Returns the name attribute; empty where there is none."""
        return self.checked_name(element.attributes.get("name", ""), element)

    def checked_name(self, name: str, element: Element) -> str:
        """Returns a name unchanged. Raises ReadError for xacro and for absurd length."""
        if len(name) > MOST_NAME_CHARACTERS:
            raise self.refusal(
                f"a name in <{element.tag}> has {len(name)} characters; "
                f"{MOST_NAME_CHARACTERS} are the most",
                element,
            )
        if "$" in name and ("${" in name or "$(" in name):
            raise self.xacro(quote(name), element)
        return name

    def filename(self, element: Element) -> str | None:
        """Returns a path or URI as written; None where there is none. $(find package) is left to
        the search for files, since descriptions use it without xacro too."""
        filename = element.attributes.get("filename")
        if filename is None:
            return None
        if len(filename) > MOST_FILENAME_CHARACTERS:
            raise self.refusal(
                f"the filename in {self.describe(element)} has {len(filename)} characters; "
                f"{MOST_FILENAME_CHARACTERS} are the most",
                element,
            )
        if "${" in filename:
            raise self.xacro(quote(filename), element)
        return filename

    # Numbers

    def number(self, element: Element, attribute: str, largest: float = LARGEST) -> float | None:
        """Reads a number; None where the attribute is not there or empty."""
        text = element.attributes.get(attribute)
        if text is None:
            return None
        try:
            return plain_number(text)
        except ValueError:
            return self.odd_number(element, attribute, text, largest)

    def length(self, element: Element, attribute: str) -> float | None:
        """Reads a length in metres; None where the attribute is not there or empty. A warning
        reports a negative one, whose absolute value is used."""
        length = self.number(element, attribute, FARTHEST)
        if length is not None and length < 0.0:
            self.warn_of_negative_size(element)
        return None if length is None else abs(length)

    def warn_of_negative_size(self, element: Element) -> None:
        finding = "has a negative size; its absolute value is used"
        self.remark("negative-size", finding, element)

    def limit_number(self, element: Element, attribute: str) -> float | None:
        """Reads a number of any finite size; infinities become +-UNLIMITED."""
        text = element.attributes.get(attribute)
        if text is None:
            return None
        try:
            return plain_number(text)
        except ValueError:
            pass
        word = text.strip(" \t\r\n")
        if not is_infinite(word):
            return self.odd_number(element, attribute, text, _LARGEST_FLOAT)
        number = -UNLIMITED if word.startswith("-") else UNLIMITED
        self.remark("infinite-limit", f"is infinite; {number:g} is used", element, attribute)
        return number

    def odd_number(
        self, element: Element, attribute: str, text: str, largest: float
    ) -> float | None:
        numbers = self.number_list(element, attribute, text, 1, largest=largest)
        return numbers[0] if numbers else None

    def vector(self, element: Element, attribute: str) -> Vector3:
        """Reads the three numbers of a present attribute; missing ones are zero."""
        text = element.attributes[attribute]
        known = _VECTORS.get(text)
        if known is not None:
            return known
        try:
            return plain_vector(text)
        except ValueError:
            return self.odd_vector(element, attribute, text)

    def odd_vector(self, element: Element, attribute: str, text: str) -> Vector3:
        x, y, z = padded(self.number_list(element, attribute, text, 3), 3)
        return x, y, z

    def number_list(
        self,
        element: Element,
        attribute: str,
        text: str,
        count: int,
        *,
        largest: float = FARTHEST,
        substitute: str = "the missing ones are zero",
    ) -> list[float]:
        """Reads at most `count` numbers; where there are fewer or more, a warning reports it, and
        names the `substitute` for missing ones."""
        word = text
        try:
            words, has_commas = split_numbers(text, count)
            numbers = []
            for word in words:
                numbers.append(to_number(word, largest))
        except OddNumberError as problem:
            if "${" in text or "$(" in text:
                raise self.xacro(quote(text), element) from None
            place = f"{attribute} of {self.describe(element)}"
            raise self.refusal(f"{quote(word)} as {place} {problem}", element) from None
        if has_commas:
            finding = f"is {quote(text)}; the commas are read as blanks"
            self.remark("comma-separators", finding, element, attribute)
        if len(numbers) != count:
            self._warn_of_count(element, attribute, len(numbers), count, substitute)
        return numbers[:count]

    def _warn_of_count(
        self, element: Element, attribute: str, found: int, count: int, substitute: str
    ) -> None:
        finding = f"has {found} numbers; the first {count} are used"
        if not found:
            finding = "is empty; it is read as if it were not there"
        elif found < count:
            finding = f"has {found} of {count} numbers; {substitute}"
        self.remark("number-count" if found else "empty-number", finding, element, attribute)

    def xacro(self, what: str, element: Element) -> ReadError:
        return self.refusal(
            f"this is xacro, which must be expanded to URDF first: {what} is here", element
        )
