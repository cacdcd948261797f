# SPDX-License-Identifier: GPL-3.0-or-later
"""What a link is made of: mass, shapes, materials."""

from collections.abc import Callable

from ...diagnostics import quote
from ...markup.xml import Element
from ...model import (
    Box,
    Capsule,
    Collision,
    Color,
    Cylinder,
    Geometry,
    Link,
    Material,
    Mesh,
    Sphere,
    Visual,
)
from ...model.visual_material import find_gazebo_color
from .masses import read_inertial
from .models import place_beside
from .page import Page, all_of, find
from .scope import Node, place_part

_BLACK: Color = (0.0, 0.0, 0.0, 1.0)
_GREY: Color = (0.7, 0.7, 0.7, 1.0)
_HANDLED = frozenset({"pose", "inertial", "visual", "collision"})


def read_link(node: Node) -> Link:
    """Reads a link under its full name. Raises ReadError for what is not a number."""
    element = node.element
    collisions = _read_collisions(node)
    return Link(
        name=node.full_name,
        inertial=read_inertial(node, collisions),
        visuals=tuple(_read_visuals(node)),
        collisions=tuple(each for _, each in collisions if each is not None),
        line=element.line,
    )


def others_of(element: Element) -> list[Element]:
    """Returns the children of a link that are read nowhere else."""
    return [child for child in element if child.tag not in _HANDLED]


# Shapes


class Reporter:
    """Says what is lost of a shape."""

    def __init__(self, node: Node, element: Element) -> None:
        self._node = node
        self._element = element

    def __call__(self, finding: str) -> None:
        node, element = self._node, self._element
        text = f"a {element.tag} of link {quote(node.full_name)} {finding}"
        node.page.error("sdf-geometry", text, element, node.full_name)


def _read_visuals(node: Node) -> list[Visual]:
    found = []
    for element in all_of(node.element, "visual"):
        geometry = _read_geometry(element, node, Reporter(node, element))
        if geometry is not None:
            page = node.page
            others = ("pose", "geometry", "material", "transparency")
            visual = Visual(
                geometry=geometry,
                origin=place_part(element, node),
                name=element.attributes.get("name", ""),
                material=_read_material(element, page, geometry),
                extras=tuple(page.extra(each) for each in element if each.tag not in others),
                line=element.line,
            )
            found.append(visual)
    return found


def _read_collisions(node: Node) -> list[tuple[Element, Collision | None]]:
    found: list[tuple[Element, Collision | None]] = []
    for element in all_of(node.element, "collision"):
        geometry = _read_geometry(element, node, Reporter(node, element))
        collision = None
        if geometry is not None:
            page = node.page
            others = ("pose", "geometry")
            collision = Collision(
                geometry=geometry,
                origin=place_part(element, node),
                name=element.attributes.get("name", ""),
                extras=tuple(page.extra(each) for each in element if each.tag not in others),
                line=element.line,
            )
        found.append((element, collision))
    return found


_Lose = Callable[[str], None]


def _read_geometry(element: Element, node: Node, lose: _Lose) -> Geometry | None:
    page = node.page
    holder = find(element, "geometry")
    shape = next((each for each in holder or () if each.tag in _READERS), None)
    if shape is not None:
        return _READERS[shape.tag](shape, page, lose)
    other = next((each.tag for each in holder or ()), "empty")
    if other != "empty":
        lose(f"is {quote(other)}, which is not shown; it is left out")
    return None


def _box(shape: Element, page: Page, lose: _Lose) -> Geometry:
    return Box(size=page.vector(shape, "size", default=(1.0, 1.0, 1.0)))


def _sphere(shape: Element, page: Page, lose: _Lose) -> Geometry:
    return Sphere(radius=page.size(shape, "radius", default=1.0))


def _cylinder(shape: Element, page: Page, lose: _Lose) -> Geometry:
    radius = page.size(shape, "radius", default=1.0)
    return Cylinder(radius=radius, length=page.size(shape, "length", default=1.0))


def _capsule(shape: Element, page: Page, lose: _Lose) -> Geometry:
    radius = page.size(shape, "radius", default=0.5)
    return Capsule(radius=radius, length=page.size(shape, "length", default=1.0))


def _plane(shape: Element, page: Page, lose: _Lose) -> Geometry | None:
    """A thin box across the normal; only planes across z are known."""
    sizes = find(shape, "size")
    numbers = [] if sizes is None else page.numbers(sizes)
    x, y = (numbers[0], numbers[1]) if len(numbers) >= 2 else (1.0, 1.0)
    normal = page.vector(shape, "normal", default=(0.0, 0.0, 1.0))
    if normal[0] or normal[1]:
        lose("is a plane across another axis than z; it is left out")
        return None
    lose("is a plane; it is read as a box of no height, and ends at its edges")
    return Box(size=(x, y, 1e-4))


def _mesh(shape: Element, page: Page, lose: _Lose) -> Geometry | None:
    uri = page.text(shape, "uri").strip() or page.text(shape, "filename").strip()
    if not uri:
        lose("is a mesh without a uri; it is left out")
        return None
    part = page.text(shape, "submesh", "name").strip()
    if part:
        lose(f"is part {quote(part)} of a mesh; the whole of it is read")
    scale = page.vector(shape, "scale", default=(1.0, 1.0, 1.0))
    return Mesh(filename=place_beside(uri, page.home), scale=scale)


_READERS: dict[str, Callable[[Element, Page, _Lose], Geometry | None]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "plane": _plane,
    "mesh": _mesh,
}


# Materials


def _read_material(element: Element, page: Page, geometry: Geometry) -> Material | None:
    """Reads the material of a visual. One without any is grey, but for meshes, which may bring
    their own."""
    material = find(element, "material")
    clear = page.size(element, "transparency", default=0.0)
    if material is None:
        return None if isinstance(geometry, Mesh) and not clear else _plain(_GREY, clear)
    color = _read_color(material, page)
    map_name = page.text(material, "pbr", "metal", "albedo_map").strip()
    return Material(
        color=_fade(color, clear),
        texture=place_beside(map_name, page.home) or None,
        extras=tuple(page.extra(each) for each in material if each.tag != "diffuse"),
        line=material.line,
    )


def _plain(color: Color, clear: float) -> Material:
    return Material(color=_fade(color, clear))


def _fade(color: Color, clear: float) -> Color:
    red, green, blue, alpha = color
    return red, green, blue, alpha * min(max(1.0 - clear, 0.0), 1.0)


def _read_color(material: Element, page: Page) -> Color:
    """Reads `diffuse`; where there is none, the colour that a script's name stands for."""
    diffuse = find(material, "diffuse")
    numbers = [] if diffuse is None else page.numbers(diffuse)
    if len(numbers) in (3, 4):
        red, green, blue, *rest = (min(max(number, 0.0), 1.0) for number in numbers)
        return red, green, blue, rest[0] if rest else 1.0
    name = page.text(material, "script", "name").strip() or page.text(material, "script").strip()
    found = find_gazebo_color(name) if name else None
    if found is not None:
        return found
    is_bare = find(material, "ambient") is None and find(material, "pbr") is None
    return _GREY if name or is_bare else (1.0, 1.0, 1.0, 1.0) if _has_map(material) else _BLACK


def _has_map(material: Element) -> bool:
    return find(material, "pbr", "metal", "albedo_map") is not None
