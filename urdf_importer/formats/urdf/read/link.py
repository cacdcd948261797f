# SPDX-License-Identifier: GPL-3.0-or-later
"""<link>: a rigid part with its mass and shapes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from ....core.diagnostics import Report
from ....core.markup.xml import Element
from ....core.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Extra,
    Geometry,
    Inertia,
    Inertial,
    Leaf,
    Link,
    Mesh,
    Sphere,
    Vector3,
    Visual,
)
from .document import Document
from .extras import add_beyond, read_attributes, read_geometry_leaves, read_leaves
from .material import read_material
from .numbers import LARGEST, padded, plain_number
from .pose import read_origin

_UNIT_SCALE: Vector3 = (1.0, 1.0, 1.0)
_Reader = Callable[[Element, Element, Document], Geometry | None]
_Shape = TypeVar("_Shape", Visual, Collision)


def read_geometry(element: Element | None, owner: Element, document: Document) -> Geometry | None:
    """Reads the shape in the <geometry> of `owner`, a <visual> or <collision>.

    None, and an ERROR diagnostic, where there is no shape that can be built: then `owner` is lost.
    Of several shapes the first that is known counts.
    """
    if element is None:
        _lose(owner, "missing-geometry", "has no <geometry>", owner, document)
        return None
    if len(element) == 1 and element[0].tag in _SHAPES:
        return _SHAPES[element[0].tag](element[0], owner, document)
    known = [shape for shape in element if shape.tag in _SHAPES]
    if not known:
        if not element:
            _lose(owner, "empty-geometry", "has an empty <geometry>", element, document)
            return None
        odd = element[0]
        document.refuse_xacro(odd)
        what = f"has the unknown shape <{odd.tag[:80]}>"
        _lose(owner, "unknown-geometry", what, odd, document)
        return None
    shape = known[0]
    finding = f"has {len(element)} shapes; the first <{shape.tag}> counts"
    document.remark("several-shapes", finding, element)
    return _SHAPES[shape.tag](shape, owner, document)


def read_box(element: Element, owner: Element, document: Document) -> Box | None:
    if not element.attributes.get("size", "").strip():
        _lose_sizeless(element, owner, document)
        return None
    size = document.vector(element, "size")
    if min(size) < 0.0:
        document.warn_of_negative_size(element)
        size = abs(size[0]), abs(size[1]), abs(size[2])
    return Box(size=size)


def _of_lengths(kind: Callable[..., Geometry], *names: str) -> _Reader:
    """Returns the reader of a shape whose sizes are lengths."""

    def read(element: Element, owner: Element, document: Document) -> Geometry | None:
        sizes = {name: document.length(element, name) for name in names}
        if None in sizes.values():
            _lose_sizeless(element, owner, document)
            return None
        return kind(**sizes)

    return read


def read_mesh(element: Element, owner: Element, document: Document) -> Mesh | None:
    filename = document.filename(element)
    if filename is None:
        _lose(owner, "missing-filename", "has a <mesh> without filename", element, document)
        return None
    return Mesh(filename=filename, scale=_read_scale(element, document))


def _read_scale(element: Element, document: Document) -> Vector3:
    text = element.attributes.get("scale")
    if text is None:
        return _UNIT_SCALE
    if "," not in text and len(text.split()) == 3:
        return document.vector(element, "scale")
    is_uniform = "," not in text and len(text.split()) == 1
    substitute = "it scales all three axes" if is_uniform else "the missing ones are zero"
    numbers = document.number_list(element, "scale", text, 3, substitute=substitute)
    if not numbers:
        return _UNIT_SCALE
    x, y, z = numbers * 3 if len(numbers) == 1 else padded(numbers, 3)
    return x, y, z


_SHAPES: dict[str, _Reader] = {
    "box": read_box,
    "capsule": _of_lengths(Capsule, "radius", "length"),
    "cylinder": _of_lengths(Cylinder, "radius", "length"),
    "drake:capsule": _of_lengths(Capsule, "radius", "length"),
    "drake:ellipsoid": _of_lengths(lambda a, b, c: Ellipsoid(radii=(a, b, c)), "a", "b", "c"),
    "mesh": read_mesh,
    "sphere": _of_lengths(Sphere, "radius"),
}


def _lose_sizeless(element: Element, owner: Element, document: Document) -> None:
    what = f"has a <{element.tag}> without its size"
    _lose(owner, "missing-size", what, element, document)


def _lose(owner: Element, code: str, what: str, at: Element, document: Document) -> None:
    document.error(code, f"{document.describe(owner)} {what}; it is left out", at)


_KNOWN = frozenset({"origin", "mass", "inertia"})
_LEAVES = ("origin", "mass")
_LEAVES_WITHOUT_INERTIA = (*_LEAVES, "inertia")
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# Of the trace. Files round: the moments of a plate written with four digits break the triangle
# rule by less than this.
_ROUNDING = 1e-3
_NEGATIVE = "has a negative principal moment; it is kept, but no body can have it"
_TRIANGLE = (
    "has a principal moment greater than the sum of the others; it is kept, but no body can have it"
)


def read_inertial(element: Element, link: Element, document: Document) -> Inertial:
    """Reads mass and inertia of a link."""
    first, extras = document.children(element, _KNOWN)
    mass = read_mass(first.get("mass"), element, link, document)
    inertia = read_inertia(first.get("inertia"), element, document)
    return Inertial(
        origin=read_origin(first.get("origin"), document),
        mass=mass,
        inertia=inertia,
        attributes=read_attributes(element) if element.attributes else (),
        leaves=read_leaves(
            first, _LEAVES if inertia else _LEAVES_WITHOUT_INERTIA, extras, document
        ),
        extras=extras,
        line=element.line,
    )


def read_mass(
    element: Element | None, inertial: Element, link: Element, document: Document
) -> float | None:
    """Reads the mass. Zero is normal for frames: links without shapes, markers and cameras, which
    do not move against their parent. The joints say later which of the others these are."""
    mass = None
    if element is not None:
        mass = document.number(element, "value")
        if mass is None and "value" not in element.attributes:
            text = document.text_instead(element, "value")
            mass = None if text is None else document.odd_number(element, "value", text, LARGEST)
    if mass is None:
        document.warning(
            "missing-mass",
            f"{document.describe(inertial)} has no mass; it stays without",
            element or inertial,
        )
    elif mass < 0.0 or (mass == 0.0 and _has_shapes(link)):
        assert element is not None
        if mass:
            warn_of_mass(mass, element, document)
        else:
            document.massless[document.name] = element
    return mass


def warn_of_mass(mass: float, element: Element, document: Document) -> None:
    finding = f"is {mass:g}; it is kept, but no body can have it"
    document.remark("mass-not-positive", finding, element)


def read_inertia(element: Element | None, inertial: Element, document: Document) -> Inertia | None:
    """Reads the inertia tensor; missing elements are zero. None where nothing is given."""
    if element is None or element.attributes.keys().isdisjoint(_MOMENTS):
        document.warning(
            "missing-inertia",
            f"{document.describe(inertial)} has no inertia; it stays without",
            element or inertial,
        )
        return None
    attributes = element.attributes
    try:
        inertia = Inertia(
            ixx=plain_number(attributes["ixx"]),
            ixy=plain_number(attributes["ixy"]),
            ixz=plain_number(attributes["ixz"]),
            iyy=plain_number(attributes["iyy"]),
            iyz=plain_number(attributes["iyz"]),
            izz=plain_number(attributes["izz"]),
        )
    except (KeyError, ValueError):
        inertia = _read_odd_inertia(element, document)
    inertia = add_beyond(inertia, element, document)
    check_inertia(inertia, partial(document.remark, element=element))
    return inertia


def _read_odd_inertia(element: Element, document: Document) -> Inertia:
    moments = [document.number(element, name) for name in _MOMENTS]
    missing = [name for name in _MOMENTS if name not in element.attributes]
    if missing:
        finding = f"has no {', '.join(missing)}; zero is used"
        document.remark("incomplete-inertia", finding, element)
    ixx, ixy, ixz, iyy, iyz, izz = (moment or 0.0 for moment in moments)
    return Inertia(ixx=ixx, ixy=ixy, ixz=ixz, iyy=iyy, iyz=iyz, izz=izz)


def check_inertia(inertia: Inertia, report: Report) -> None:
    """Reports a tensor that no body has, as (code, message).

    With T half the trace and I the tensor, a body's I and T*1 - I are both positive semidefinite:
    the second holds the integrals of x^2, y^2, z^2, and is equivalent to the triangle rule of the
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
            report("inertia-not-positive", _NEGATIVE)
        return
    slack = _ROUNDING * trace
    half = 0.5 * trace + slack
    if not _is_positive((a + slack, b + slack, c + slack), (d, e, f), trace):
        report("inertia-not-positive", _NEGATIVE)
    elif not _is_positive((half - a, half - b, half - c), (-d, -e, -f), trace):
        report("inertia-triangle", _TRIANGLE)


def _is_positive(moments: Vector3, products: Vector3, scale: float) -> bool:
    """Whether the symmetric matrix (a d e, d b f, e f c) / scale is positive definite: whether
    its leading minors are (Sylvester)."""
    a, b, c, d, e, f = (number / scale for number in (*moments, *products))
    minor = a * b - d * d
    return a > 0.0 and minor > 0.0 and c * minor - a * f * f - b * e * e + 2.0 * d * e * f > 0.0


_VISUAL = frozenset({"origin", "geometry", "material"})
_COLLISION = frozenset({"origin", "geometry"})


def read_link(element: Element, document: Document) -> Link | None:
    """Reads the link; None, and an ERROR diagnostic, where it has no name."""
    document.kind = "link"
    document.name = name = document.name_of(element)
    if not name:
        document.error("missing-link-name", "a link has no name; it is left out", element)
        return None
    inertial: Inertial | None = None
    visuals: list[Visual] = []
    collisions: list[Collision] = []
    extras: list[Extra] = []
    for child in element:
        tag = child.tag
        if tag == "visual":
            visuals += _read_shape(Visual, _VISUAL, child, document)
        elif tag == "collision":
            collisions += _read_shape(Collision, _COLLISION, child, document)
        elif tag != "inertial":
            extras.append(document.extra(child))
        elif inertial is None:
            inertial = read_inertial(child, element, document)
        else:
            document.warn_of_duplicate(child)
            extras.append(document.extra(child))
    return Link(
        name=name,
        inertial=inertial,
        visuals=tuple(visuals),
        collisions=tuple(collisions),
        attributes=read_attributes(element),
        extras=tuple(extras),
        line=element.line,
    )


def _has_shapes(link: Element) -> bool:
    return any(child.tag in ("visual", "collision") for child in link)


def _read_shape(
    kind: type[_Shape], known: frozenset[str], element: Element, document: Document
) -> tuple[_Shape, ...]:
    """Reads a visual or collision; none, and an ERROR diagnostic, where it has no shape."""
    first, extras = document.children(element, known)
    geometry = read_geometry(first.get("geometry"), element, document)
    origin = read_origin(first.get("origin"), document)
    if geometry is None:
        return ()
    more: dict[str, Any] = {"name": document.name_of(element)}
    if "material" in first:
        more["material"] = read_material(first["material"], document)
    shape = kind(
        geometry=geometry,
        origin=origin,
        attributes=read_attributes(element) if element.attributes else (),
        leaves=_read_leaves(first, extras, document),
        extras=extras,
        line=element.line,
        **more,
    )
    return (shape,)


def _read_leaves(
    first: Mapping[str, Element], extras: tuple[Extra, ...], document: Document
) -> tuple[Leaf, ...]:
    """Of a visual or collision whose shape is known."""
    geometry = first["geometry"]
    leaves = read_leaves(first, ("origin",), extras, document)
    shape = geometry[0]
    if len(geometry) > 1:
        shape = next(child for child in geometry if child.tag in _SHAPES)
    return leaves + read_geometry_leaves(geometry, shape, document)
