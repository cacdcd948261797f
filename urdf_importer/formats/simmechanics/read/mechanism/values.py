# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts and numbers of both generations: quotes, units, triples, rotations."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .....core.diagnostics import Diagnostics, ReadError, quote
from .....core.geometry.transforms import nearest_rotation as nearest
from .....core.markup.xml import Element, text_of
from .graph import Matrix, Vector

FARTHEST = 1e9  # metres
LARGEST = 1e30

LENGTHS = {
    "m": 1.0, "meter": 1.0, "metre": 1.0,
    "cm": 0.01, "centimeter": 0.01,
    "mm": 0.001, "millimeter": 0.001,
    "in": 0.0254, "inch": 0.0254,
    "ft": 0.3048, "foot": 0.3048,
}  # fmt: skip
MASSES = {
    "kg": 1.0, "kilogram": 1.0,
    "g": 0.001, "gram": 0.001,
    "slug": 14.593902937206364,
    "lbm": 0.45359237, "lb": 0.45359237, "pound": 0.45359237,
}  # fmt: skip

# Exporters write six digits. Beyond this a matrix means something other than a rotation.
ROTATION_SLACK = 1e-3
MOST_CHARACTERS = 1000


class NoNumberError(ValueError):
    """A text that should hold numbers does not; its message says how."""


def read_numbers(text: str, count: int) -> list[float]:
    """Returns `count` finite numbers, parted by commas or blanks. Raises NoNumberError for anything
    else: float() alone would also take 1_000, Arabic digits and nan."""
    if len(text) > MOST_CHARACTERS:
        raise NoNumberError(f"has {len(text)} characters")
    words = text.replace(",", " ").split()
    if len(words) != count:
        raise NoNumberError(f"has {len(words)} of {count} numbers")
    return [read_number(word) for word in words]


def read_number(word: str) -> float:
    """Returns a number of at most LARGEST, whose square is one too. Raises NoNumberError for
    anything else."""
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not abs(number) <= LARGEST or not word.isascii() or "_" in word:
        too_large = LARGEST < abs(number) < math.inf
        problem = f"beyond {LARGEST:g}" if too_large else "not a number"
        raise NoNumberError(f"holds {quote(word)}, which is {problem}")
    return number


def clamp_share(number: float) -> float:
    """Returns a share of colour within 0 to 1."""
    return min(max(number, 0.0), 1.0)


def length_unit(text: str) -> float | None:
    """Metres in a unit of length; None for an unknown one."""
    return LENGTHS.get(_singular(text))


def mass_unit(text: str) -> float | None:
    """Kilograms in a unit of mass; None for an unknown one."""
    return MASSES.get(_singular(text))


def inertia_unit(text: str) -> float | None:
    """Returns kg m^2 in a unit written as mass*length^2; None for an unknown one."""
    mass, _, length = text.replace(" ", "").partition("*")
    if not length.endswith("^2"):
        return None
    in_mass, in_length = mass_unit(mass), length_unit(length.removesuffix("^2"))
    return None if in_mass is None or in_length is None else in_mass * in_length**2


def _singular(text: str) -> str:
    word = text.strip().lower()
    return word.removesuffix("s") if len(word) > 3 else word


def nearest_rotation(matrix: Matrix) -> Matrix | None:
    """Returns the rotation nearest to a (3, 3) that was rounded to a few digits; None where it is
    far from any. By singular values, as in the orthogonal Procrustes problem."""
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = matrix.ravel().tolist()
    r0 = m00 * m00 + m01 * m01 + m02 * m02 - 1.0
    r1 = m10 * m10 + m11 * m11 + m12 * m12 - 1.0
    r2 = m20 * m20 + m21 * m21 + m22 * m22 - 1.0
    d01 = m00 * m10 + m01 * m11 + m02 * m12
    d02 = m00 * m20 + m01 * m21 + m02 * m22
    d12 = m10 * m20 + m11 * m21 + m12 * m22
    worst = max(abs(r0), abs(r1), abs(r2), abs(d01), abs(d02), abs(d12))
    handed = (
        m00 * (m11 * m22 - m12 * m21)
        - m01 * (m10 * m22 - m12 * m20)
        + m02 * (m10 * m21 - m11 * m20)
    )
    if not worst <= ROTATION_SLACK or handed <= 0.0:
        return None
    return matrix if worst == 0.0 else nearest(matrix)


class Fields(dict[str, Element]):
    """The first child of each tag of an element, and their texts."""

    def __init__(self, element: Element, data: bytes) -> None:
        super().__init__({child.tag: child for child in reversed(element)})
        self._data = data

    def text(self, tag: str) -> str:
        """Returns the text of a child without the double quotes around it; "" without a child."""
        element = self.get(tag)
        return "" if element is None else _unquoted(text_of(element, self._data))


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == '"' and text[-1] == '"':
        return text[1:-1].strip()
    return text


@dataclass(slots=True)
class XmlPage:
    """An XML file while it is read."""

    data: bytes
    source: str
    diagnostics: Diagnostics

    def fields(self, element: Element) -> Fields:
        return Fields(element, self.data)

    def text(self, element: Element) -> str:
        """Returns the text of an element without the double quotes around it."""
        return _unquoted(text_of(element, self.data))

    def refusal(self, message: str, line: int) -> ReadError:
        return ReadError(message, source=self.source, line=line)

    def unit(self, text: str, known: Callable[[str], float | None], what: str, line: int) -> float:
        """Returns the unit of a text in SI units, 1 without a text. Raises ReadError for an unknown
        unit."""
        unit = known(text) if text else 1.0
        if unit is None:
            short = ", ".join(word for word in LENGTHS if len(word) < 3)
            hint = f" (known are {short})" if known is length_unit else ""
            raise self.refusal(f"{what} is {quote(text)}, an unknown unit{hint}", line)
        return unit

    def warning(self, code: str, message: str, subject: str, line: int) -> None:
        self.diagnostics.warning(code, message, subject=subject, line=line)

    def error(self, code: str, message: str, subject: str, line: int) -> None:
        self.diagnostics.error(code, message, subject=subject, line=line)

    def report_bad_color(self, place: str, line: int) -> None:
        finding = "has no colour that can be read; a colour of the palette takes its place"
        self.warning("bad-color", f"{place} {finding}", "", line)

    def numbers(self, element: Element, count: int, what: str) -> list[float]:
        """Raises ReadError, with the line, where the element does not hold `count` numbers."""
        try:
            return read_numbers(self.text(element), count)
        except NoNumberError as problem:
            raise self.refusal(f"{what} {problem}", element.line) from None

    def point(self, element: Element, unit: float, what: str) -> Vector:
        """Returns three lengths in metres. Raises ReadError where they are invalid, or beyond any
        machine."""
        point = np.array(self.numbers(element, 3, what)) * unit
        if not np.abs(point).max() <= FARTHEST:
            raise self.refusal(f"{what} is farther away than {FARTHEST:g} m", element.line)
        return point

    def rotation(self, element: Element, what: str, *, by_columns: bool) -> Matrix:
        """Returns the (3, 3) that nine numbers are, row by row or column by column. Raises
        ReadError where they are not numbers."""
        written = f"the {'orientation' if by_columns else 'rotation'} of {what}"
        rows = np.array(self.numbers(element, 9, written)).reshape(3, 3)
        rotation = nearest_rotation(rows.T if by_columns else rows)
        if rotation is not None:
            return rotation
        finding = f"the orientation of {what} is not a rotation; it is read as not turned"
        self.error("bad-orientation", finding, what, element.line)
        return np.eye(3)
