# SPDX-License-Identifier: GPL-3.0-or-later
"""<inertial>: mass, centre of mass and inertia, kept even where no body can have them."""

from ..model import Inertia, Inertial
from .assembly import make_inertia, make_inertial
from .document import Document
from .numbers import LARGEST, plain_number
from .pose import read_origin
from .xml import Element

_KNOWN = frozenset({"origin", "mass", "inertia"})
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# Of the trace. Files round: the moments of a plate written with four digits break the triangle
# rule by less than this.
_ROUNDING = 1e-3
_PROBLEMS = {
    "inertia-not-positive": "has a negative principal moment",
    "inertia-triangle": "has a principal moment greater than the sum of the others",
}


def read_inertial(element: Element, document: Document) -> Inertial:
    first, extras = document.children(element, _KNOWN)
    mass = read_mass(first.get("mass"), element, document)
    inertia = read_inertia(first.get("inertia"), element, document)
    return make_inertial(
        origin=read_origin(first.get("origin"), document),
        mass=mass,
        inertia=inertia,
        extras=extras,
        line=element.line,
    )


def read_mass(element: Element | None, inertial: Element, document: Document) -> float | None:
    mass = None
    if element is not None:
        mass = document.number(element, "value")
        if mass is None and "value" not in element.attributes:
            mass = _mass_as_text(element, document)
    if mass is None:
        document.warning(
            "missing-mass",
            f"{document.place(inertial)} has no mass; it stays without",
            element or inertial,
        )
    elif mass <= 0.0:
        assert element is not None
        document.warning(
            "mass-not-positive",
            f"{document.place(element)} is {mass:g}; it is kept, but no body can have it",
            element,
        )
    return mass


def _mass_as_text(element: Element, document: Document) -> float | None:
    text = document.text_instead(element, "value")
    if text is None:
        return None
    try:
        return plain_number(text)
    except ValueError:
        return document.odd_number(element, "value", text, LARGEST)


def read_inertia(element: Element | None, inertial: Element, document: Document) -> Inertia | None:
    """The inertia tensor; what is missing in it is zero. None where nothing is given."""
    if element is None or not any(name in element.attributes for name in _MOMENTS):
        document.warning(
            "missing-inertia",
            f"{document.place(inertial)} has no inertia; it stays without",
            element or inertial,
        )
        return None
    attributes = element.attributes
    try:
        inertia = make_inertia(
            ixx=plain_number(attributes["ixx"]),
            ixy=plain_number(attributes["ixy"]),
            ixz=plain_number(attributes["ixz"]),
            iyy=plain_number(attributes["iyy"]),
            iyz=plain_number(attributes["iyz"]),
            izz=plain_number(attributes["izz"]),
        )
    except (KeyError, ValueError):
        inertia = _read_odd_inertia(element, document)
    _check_inertia(inertia, element, document)
    return inertia


def _read_odd_inertia(element: Element, document: Document) -> Inertia:
    moments = {name: document.number(element, name) for name in _MOMENTS}
    missing = [name for name in _MOMENTS if name not in element.attributes]
    if missing:
        document.warning(
            "incomplete-inertia",
            f"{document.place(element)} has no {', '.join(missing)}; zero is used",
            element,
        )
    return Inertia(**{name: moment or 0.0 for name, moment in moments.items()})


def _check_inertia(inertia: Inertia, element: Element, document: Document) -> None:
    """Warns of a tensor that no body has.

    With T half the trace and I the tensor, a body's I and T*1 - I are both positive semidefinite:
    the second holds the integrals of x^2, y^2, z^2, and says what the triangle rule says of the
    principal moments, without computing them.
    """
    a, b, c = inertia.ixx, inertia.iyy, inertia.izz
    d, e, f = inertia.ixy, inertia.ixz, inertia.iyz
    trace = a + b + c
    off_diagonal = abs(d) + abs(e) + abs(f)
    if off_diagonal <= min(a, b, c) and max(a, b, c) + off_diagonal <= 0.5 * trace:
        return  # both matrices are diagonally dominant: so it is for nearly all links
    if trace <= 0.0:
        if not a == b == c == d == e == f == 0.0:
            _warn_of_inertia("inertia-not-positive", element, document)
        return
    slack = _ROUNDING * trace
    half = 0.5 * trace + slack
    if not _is_positive(a + slack, b + slack, c + slack, d, e, f, trace):
        _warn_of_inertia("inertia-not-positive", element, document)
    elif not _is_positive(half - a, half - b, half - c, -d, -e, -f, trace):
        _warn_of_inertia("inertia-triangle", element, document)


def _warn_of_inertia(code: str, element: Element, document: Document) -> None:
    document.warning(
        code,
        f"{document.place(element)} {_PROBLEMS[code]}; it is kept, but no body can have it",
        element,
    )


def _is_positive(a: float, b: float, c: float, d: float, e: float, f: float, scale: float) -> bool:
    """Whether the symmetric matrix (a d e, d b f, e f c) / scale is positive definite: whether
    its leading minors are (Sylvester)."""
    a, b, c, d, e, f = a / scale, b / scale, c / scale, d / scale, e / scale, f / scale
    minor = a * b - d * d
    return a > 0.0 and minor > 0.0 and c * minor - a * f * f - b * e * e + 2.0 * d * e * f > 0.0
