# SPDX-License-Identifier: GPL-3.0-or-later
"""<geometry>: the shape of a visual or collision."""

from collections.abc import Callable

from ..model import Box, Capsule, Cylinder, Geometry, Mesh, Sphere, Vector3
from .assembly import make_box, make_cylinder, make_mesh
from .document import Document
from .numbers import padded
from .xml import Element

_UNIT_SCALE: Vector3 = (1.0, 1.0, 1.0)


def read_geometry(element: Element | None, owner: Element, document: Document) -> Geometry | None:
    """The shape in the <geometry> of `owner`, a <visual> or <collision>.

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
    document.warning(
        "several-shapes",
        f"{document.place(element)} has {len(element)} shapes; the first <{shape.tag}> counts",
        element,
    )
    return _SHAPES[shape.tag](shape, owner, document)


def read_box(element: Element, owner: Element, document: Document) -> Box | None:
    if not element.attributes.get("size", "").strip():
        _lose_sizeless(element, owner, document)
        return None
    size = document.vector(element, "size")
    if min(size) < 0.0:
        document.warn_of_negative_size(element)
        size = abs(size[0]), abs(size[1]), abs(size[2])
    return make_box(size=size)


def read_cylinder(element: Element, owner: Element, document: Document) -> Cylinder | None:
    radius = document.length(element, "radius")
    length = document.length(element, "length")
    if radius is None or length is None:
        _lose_sizeless(element, owner, document)
        return None
    return make_cylinder(radius=radius, length=length)


def read_sphere(element: Element, owner: Element, document: Document) -> Sphere | None:
    radius = document.length(element, "radius")
    if radius is None:
        _lose_sizeless(element, owner, document)
        return None
    return Sphere(radius=radius)


def read_capsule(element: Element, owner: Element, document: Document) -> Capsule | None:
    radius = document.length(element, "radius")
    length = document.length(element, "length")
    if radius is None or length is None:
        _lose_sizeless(element, owner, document)
        return None
    return Capsule(radius=radius, length=length)


def read_mesh(element: Element, owner: Element, document: Document) -> Mesh | None:
    filename = document.filename(element)
    if filename is None:
        _lose(owner, "missing-filename", "has a <mesh> without filename", element, document)
        return None
    return make_mesh(filename=filename, scale=_read_scale(element, document))


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


_SHAPES: dict[str, Callable[[Element, Element, Document], Geometry | None]] = {
    "box": read_box,
    "capsule": read_capsule,
    "cylinder": read_cylinder,
    "mesh": read_mesh,
    "sphere": read_sphere,
}


def _lose_sizeless(element: Element, owner: Element, document: Document) -> None:
    what = f"has a <{element.tag}> without its size"
    _lose(owner, "missing-size", what, element, document)


def _lose(owner: Element, code: str, what: str, at: Element, document: Document) -> None:
    document.error(code, f"{document.place(owner)} {what}; it is left out", at)
