# SPDX-License-Identifier: GPL-3.0-or-later
"""One file of SDF: its elements, and the texts, numbers and poses in them.

Rules follow the specification (sdformat.org), for versions 1.2 to 1.12.
"""

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.geometry.transforms import Matrix, rotation_from_quaternion, rotation_from_rpy
from ....core.kinematics.tree import KinematicTree
from ....core.markup.encoding import decode_text
from ....core.markup.lenient import read_leniently
from ....core.markup.xml import Element, parse_xml, text_of, verbatim
from ....core.model import Extra, Vector3

ROOT_TAGS = ("sdf",)
NEWEST = (1, 12)
UNBOUNDED = 1e16
"""From here on a limit does not count."""

_VERSION = re.compile(r"\s*([0-9]{1,3})\.([0-9]{1,3})\s*").fullmatch
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?").fullmatch
_STRAY = re.compile(r"""["']*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)(?:["',;]*|[fF])""").fullmatch
_INFINITY = re.compile(r"([-+]?)inf(?:inity)?", re.IGNORECASE).fullmatch
_TEMPLATE = b"<%"
"""No XML has it, and every template of Ruby."""

_MOST_CHARACTERS = 2000
_QUATERNION = "quat_xyzw"
_ANGLES = "euler_rpy"
_TRUE = ("1", "true")


@dataclass(slots=True, eq=False)
class Page:
    """A file that is read: `data` is its text, `version` its stated version. `home` is how files
    beside it are named from the file that includes it: "model://NAME/", a relative folder with a
    slash, or "" for the file that was asked for. `urdf` is the robot of a file of URDF;
    `is_stock` is for one that is built in. `origins`
    are the pages of elements that come from elsewhere, by their offsets."""

    data: bytes
    source: str
    diagnostics: Diagnostics
    home: str = ""
    version: tuple[int, int] = NEWEST
    elements: list[Element] = field(default_factory=list)
    urdf: KinematicTree | None = None
    is_stock: bool = False
    origins: dict[int, "Page"] = field(default_factory=dict)
    _stray: set[int] = field(default_factory=set)

    def origin(self, element: Element) -> "Page":
        """Returns the page on which an element was written."""
        return self.origins.get(element.offset, self)

    def read_root(self, element: Element) -> None:
        """Reads the version. Is called by the parser."""
        said = element.attributes.get("version", "")
        version = read_version(said)
        if version is not None:
            self.version = version
            return
        newest = ".".join(map(str, NEWEST))
        if not said:
            self.warning("missing-version", f"the file has no version; read as {newest}", element)
        else:
            finding = f"the version of SDF is {quote(said)}; it is read as {newest}"
            self.warning("unknown-version", finding, element)

    def read_child(self, element: Element) -> None:
        """Keeps a child of the root. Is called by the parser."""
        self.elements.append(element)

    # Reports of oddities

    def warning(self, code: str, message: str, element: Element, subject: str = "") -> None:
        source = self.origin(element).source
        self.diagnostics.warning(code, message, subject=subject, line=element.line, source=source)

    def error(self, code: str, message: str, element: Element, subject: str = "") -> None:
        source = self.origin(element).source
        self.diagnostics.error(code, message, subject=subject, line=element.line, source=source)

    def refusal(self, message: str, element: Element) -> ReadError:
        """Returns the exception to raise where an element leaves no robot."""
        return ReadError(message, source=self.origin(element).source, line=element.line)

    # Elements

    def text(self, element: Element | None, *path: str, default: str = "") -> str:
        """Returns the text at the end of a path of tags; `default` where there is none."""
        found = find(element, *path)
        return default if found is None else text_of(found, self.data) or default

    def file(self, element: Element | None, *path: str) -> str:
        """Returns the name of a file at the end of a path of tags, as the file that was asked for
        would say it; "" where there is none."""
        found = find(element, *path)
        uri = "" if found is None else text_of(found, self.data).strip()
        return "" if found is None else place_beside(uri, self.origin(found).home)

    def flag(self, element: Element | None, *path: str) -> bool:
        return self.text(element, *path).strip().lower() in _TRUE

    def extra(self, element: Element) -> Extra:
        return Extra(tag=element.tag, xml=verbatim(element, self.data), line=element.line)

    def verbatim(self, element: Element) -> str:
        return verbatim(element, self.data)

    # Numbers

    def numbers(self, element: Element) -> list[float]:
        """Returns the numbers of an element's text. Raises ReadError for other text."""
        text = text_of(element, self.data)
        if len(text) > _MOST_CHARACTERS:
            raise self.refusal(f"<{element.tag}> has {len(text)} characters", element)
        return [self._number(word, element) for word in text.split()]

    def _number(self, word: str, element: Element) -> float:
        infinite = _INFINITY(word)
        if infinite is not None:
            return -math.inf if infinite[1] == "-" else math.inf
        if not word.isascii() or _NUMBER(word) is None:
            return self._read_beginning(word, element)
        return float(word)

    def _read_beginning(self, word: str, element: Element) -> float:
        """Reads a number with quotes, commas or C's suffix about it, as Gazebo does."""
        stray = _STRAY(word)
        if stray is None or _NUMBER(stray[1]) is None:
            raise self.refusal(f"{quote(word)} in <{element.tag}> is not a number", element)
        if element.offset not in self._stray:
            self._stray.add(element.offset)
            finding = f"{quote(word)} in <{element.tag}> is read as {stray[1]}"
            self.warning("stray-characters", finding, element)
        return float(stray[1])

    def number(self, element: Element | None, *path: str) -> float | None:
        """Returns the number at the end of a path of tags; None where there is none."""
        found = find(element, *path)
        if found is None:
            return None
        numbers = self.numbers(found)
        return numbers[0] if numbers else None

    def size(self, element: Element | None, *path: str, default: float) -> float:
        """Returns a finite number at the end of a path; raises ReadError for an infinite one."""
        found = find(element, *path)
        value = self.number(found)
        if value is not None and found is not None and not abs(value) <= 1e9:
            raise self.refusal(f"<{found.tag}> is beyond 1e9", found)
        return default if value is None else value

    def vector(self, element: Element | None, *path: str, default: Vector3) -> Vector3:
        """Returns three finite numbers. Raises ReadError for another count."""
        found = find(element, *path)
        numbers = [] if found is None else self.numbers(found)
        if found is None or not numbers:
            return default
        if len(numbers) != 3 or not all(abs(number) <= 1e9 for number in numbers):
            raise self.refusal(f"<{found.tag}> must hold three finite numbers", found)
        return numbers[0], numbers[1], numbers[2]

    def pose(self, element: Element | None) -> Matrix:
        """Returns the frame (4, 4) of a <pose>, in whatever it is relative to. Raises ReadError
        for another count of numbers than six, or seven with a quaternion."""
        frame = np.eye(4)
        numbers = [] if element is None else self.numbers(element)
        if element is None or not numbers:
            return frame
        form = element.attributes.get("rotation_format", "").strip() or _ANGLES
        if form not in (_ANGLES, _QUATERNION):
            finding = f"<{element.tag}> has the rotation_format {quote(form)}; {_ANGLES} and"
            raise self.refusal(f"{finding} {_QUATERNION} are known", element)
        turned = form == _QUATERNION
        if len(numbers) != (7 if turned else 6) or not all(abs(n) <= 1e9 for n in numbers):
            wanted = "seven" if turned else "six"
            raise self.refusal(f"<{element.tag}> must hold {wanted} finite numbers", element)
        frame[:3, 3] = numbers[:3]
        if turned:
            if not any(numbers[3:]):
                raise self.refusal(f"<{element.tag}> has a quaternion of length zero", element)
            frame[:3, :3] = rotation_from_quaternion(numbers[3:])
        elif any(numbers[3:]):
            in_degrees = element.attributes.get("degrees", "").strip().lower() in _TRUE
            angles = map(math.radians, numbers[3:]) if in_degrees else numbers[3:]
            frame[:3, :3] = rotation_from_rpy(tuple(angles))
        return frame


def read_version(text: str) -> tuple[int, int] | None:
    """Returns a version that is known; None for an unknown one."""
    match = _VERSION(text)
    found = (0, 0) if match is None else (int(match[1]), int(match[2]))
    return found if (1, 0) <= found <= NEWEST else None


def read_page(data: bytes, source: str, diagnostics: Diagnostics, home: str = "") -> Page:
    """Reads the elements of a file. Raises ReadError for other text, and for templates."""
    refuse_template(data, source)

    def read(text: bytes) -> Page:
        page = Page(data=text, source=source, diagnostics=Diagnostics(source), home=home)
        parse_xml(text, source, page, ROOT_TAGS)
        return page

    page, findings = read_leniently(decode_text(data, source).data, read)
    diagnostics.extend(page.diagnostics)
    for code, message, line in findings:
        diagnostics.warning(code, message, line=line, source=source)
    page.diagnostics = diagnostics
    return page


def place_beside(uri: str, home: str) -> str:
    """Returns a file's name as the file that was asked for would say it."""
    if not (home and uri) or "://" in uri or os.path.isabs(uri):
        return uri
    return home + uri


def refuse_template(data: bytes, source: str) -> None:
    """Raises ReadError for a template of Ruby, which says how to expand it."""
    if _TEMPLATE in data:
        raise ReadError(
            "this is a template of Ruby, which is not run here: expand it first, with "
            "`erb FILE > model.sdf`",
            source=source,
        )


def find(element: Element | None, *path: str) -> Element | None:
    """Returns the element at the end of a path, by the first child of each tag."""
    for tag in path:
        if element is None:
            return None
        element = next((child for child in element if child.tag == tag), None)
    return element


def all_of(element: Element, *tags: str) -> Iterator[Element]:
    """Yields the children with these tags, in their order."""
    return (child for child in element if child.tag in tags)
