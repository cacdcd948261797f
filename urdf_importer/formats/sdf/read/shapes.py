# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of a link."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ....core.diagnostics import MeshError, quote
from ....core.geometry.transforms import matrix_from_pose, pose_of, turn_z_onto
from ....core.markup.xml import Element
from ....core.meshes import RobotFiles
from ....core.meshes.heightmaps import HEIGHTMAP_SUFFIXES, is_heightmap
from ....core.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Extra,
    Extrusion,
    Geometry,
    Link,
    Mesh,
    MeshPart,
    Outline,
    Pose,
    Sphere,
    Vector3,
    Visual,
)
from .masses import read_inertial
from .materials import read_material
from .page import Page, all_of, find
from .scope import ROUNDING, FramedElement, place_part

_ONE: Vector3 = (1.0, 1.0, 1.0)
_UP: Vector3 = (0.0, 0.0, 1.0)
_OF_HEIGHTMAPS = frozenset({"uri", "size", "pos", "sampling"})
_OF_VISUALS = ("pose", "geometry", "material", "transparency")


def read_link(node: FramedElement, files: RobotFiles) -> Link:
    """Reads a link under its full name. Raises ReadError for text that is not a number."""
    page = node.page
    collisions: list[tuple[Element, Collision | None]] = []
    for element, said in _read_shapes("collision", node, files):
        extras = _extras(element, page, ("pose", "geometry"))
        collisions.append((element, Collision(**said, extras=extras) if said else None))
    return Link(
        name=node.full_name,
        inertial=read_inertial(node, collisions, files),
        visuals=tuple(
            Visual(
                **said,
                material=read_material(element, page, said["geometry"], files),
                extras=(*_others_of_heightmap(element, page), *_extras(element, page, _OF_VISUALS)),
            )
            for element, said in _read_shapes("visual", node, files)
            if said
        ),
        collisions=tuple(each for _, each in collisions if each is not None),
        line=node.element.line,
    )


def _read_shapes(
    tag: str, node: FramedElement, files: RobotFiles
) -> Iterator[tuple[Element, dict[str, Any]]]:
    """Yields the visuals or collisions with the fields that both have; none, and reported, for one
    without a shape."""
    for element in all_of(node.element, tag):
        said: dict[str, Any] = {}
        geometry = _read_geometry(element, node, files)
        if geometry is not None:
            name, origin = element.attributes.get("name", ""), _place(element, node)
            said = {"geometry": geometry, "origin": origin, "name": name, "line": element.line}
        yield element, said


def _extras(element: Element, page: Page, handled: tuple[str, ...]) -> tuple[Extra, ...]:
    return tuple(page.extra(each) for each in element if each.tag not in handled)


def _others_of_heightmap(element: Element, page: Page) -> tuple[Extra, ...]:
    """A heightmap word for word, where it holds more than its form: its textures."""
    heightmap = find(element, "geometry", "heightmap")
    if heightmap is None or all(each.tag in _OF_HEIGHTMAPS for each in heightmap):
        return ()
    return (page.extra(heightmap),)


def _place(element: Element, node: FramedElement) -> Pose:
    """The pose of a shape in its link; planes look along their normal."""
    pose = place_part(element, node)
    heightmap = find(element, "geometry", "heightmap")
    if heightmap is not None:
        return _lift(pose, heightmap, node.page)
    plane = find(element, "geometry", "plane")
    if plane is None:
        return pose
    normal = np.array(node.page.vector(plane, "normal", default=_UP))
    length = float(np.sqrt(normal @ normal))
    if not length > 0.0 or tuple(normal / length) == _UP:
        return pose
    frame = matrix_from_pose(pose)
    frame[:3, :3] = frame[:3, :3] @ turn_z_onto(normal / length)
    return pose_of(frame, rounding=ROUNDING)


def _lift(pose: Pose, heightmap: Element, page: Page) -> Pose:
    """The pose of a heightmap: its own; one whose height is negative is turned over, and black is
    at the top."""
    x, y, z = page.vector(heightmap, "pos", default=(0.0, 0.0, 0.0))
    height = page.vector(heightmap, "size", default=_ONE)[2]
    frame = matrix_from_pose(pose)
    frame[:3, 3] += frame[:3, :3] @ (x, y, z + max(0.0, -height))
    return pose_of(frame, rounding=ROUNDING)


# Shapes

_PICTURES = ("heightmap", "image")
_Lose = Callable[[str], None]


def _read_geometry(element: Element, node: FramedElement, files: RobotFiles) -> Geometry | None:
    page = node.page
    holder = find(element, "geometry")

    def lose(finding: str) -> None:
        text = f"a {element.tag} of link {quote(node.full_name)} {finding}"
        page.error("sdf-geometry", text, element, node.full_name)

    shape = next((each for each in holder or () if each.tag in _READERS), None)
    if shape is not None and holder is not None:
        if shape.tag == "polyline":
            return _extrusion(holder, page)
        return _READERS[shape.tag](shape, page, lose)
    other = next((each.tag for each in holder or ()), "empty")
    if other in _PICTURES:
        return _read_picture(element, other, node, files)
    if other != "empty":
        lose(f"is {quote(other)}, which is not shown; it is left out")
    return None


def _read_picture(
    element: Element, tag: str, node: FramedElement, files: RobotFiles
) -> Geometry | None:
    """The surface of an image; None, and reported, where that cannot be shown."""
    page, heightmap = node.page, find(element, "geometry", "heightmap")
    reason = "which are not shown"
    if tag == "heightmap" and heightmap is not None:
        x, y, z = page.vector(heightmap, "size", default=_ONE)
        name = page.file(heightmap, "uri")
        mesh = Mesh(filename=name, scale=(abs(x), abs(y), z))
        try:
            if not is_heightmap(mesh):
                known = ", ".join(HEIGHTMAP_SUFFIXES)
                raise MeshError(
                    f"{quote(name)} is not an image that can be read ({known})", code=""
                )
            files.peek(mesh)
        except MeshError as error:
            reason = f"which cannot be shown: {error.message}"
        else:
            return mesh
    what = f"a {element.tag} of link {quote(node.full_name)} is {quote(tag)}, heights of an image,"
    text = f"{what} {reason}; the link's empty alone represents it"
    page.warning("sdf-heightmap", text, element, node.full_name)
    return None


_Part = tuple[str, float | Vector3]
# Tag -> the shape, and its sizes with their defaults.
_SIMPLE: dict[str, tuple[Callable[..., Geometry], tuple[_Part, ...]]] = {
    "box": (Box, (("size", _ONE),)),
    "sphere": (Sphere, (("radius", 1.0),)),
    "ellipsoid": (Ellipsoid, (("radii", _ONE),)),
    "cylinder": (Cylinder, (("radius", 1.0), ("length", 1.0))),
    "capsule": (Capsule, (("radius", 0.5), ("length", 1.0))),
    "cone": (Cone, (("radius", 0.5), ("length", 1.0))),
}


def _simple(shape: Element, page: Page, lose: _Lose) -> Geometry:
    kind, parts = _SIMPLE[shape.tag]
    sizes: dict[str, float | Vector3] = {}
    for name, default in parts:
        if isinstance(default, float):
            sizes[name] = page.size(shape, name, default=default)
        else:
            sizes[name] = page.vector(shape, name, default=default)
    return kind(**sizes)


def _extrusion(holder: Element, page: Page) -> Geometry:
    """All polylines of a shape are one: polylines within others are holes."""
    lines = list(all_of(holder, "polyline"))
    outlines = []
    for each in lines:
        points: list[float] = []
        for point in all_of(each, "point"):
            numbers = page.numbers(point)
            if len(numbers) != 2 or not all(abs(number) <= 1e9 for number in numbers):
                raise page.refusal("<point> must hold two finite numbers", point)
            points += numbers
        outlines.append(Outline(points=tuple(points)))
    height = page.size(lines[0], "height", default=1.0)
    return Extrusion(outlines=tuple(outlines), height=height)


def _plane(shape: Element, page: Page, lose: _Lose) -> Geometry | None:
    """A thin box across z; `_place` turns it."""
    sizes = find(shape, "size")
    numbers = [] if sizes is None else page.numbers(sizes)
    x, y = (numbers[0], numbers[1]) if len(numbers) >= 2 else (1.0, 1.0)
    lose("is a plane; it is read as a box of no height, and ends at its edges")
    return Box(size=(x, y, 1e-4))


def _mesh(shape: Element, page: Page, lose: _Lose) -> Geometry | None:
    uri = page.file(shape, "uri") or page.file(shape, "filename")
    if not uri:
        lose("is a mesh without a uri; it is left out")
        return None
    submesh = find(shape, "submesh")
    name = page.text(submesh, "name").strip()
    return Mesh(
        filename=uri,
        scale=page.vector(shape, "scale", default=(1.0, 1.0, 1.0)),
        part=MeshPart(name=name, centered=page.flag(submesh, "center")) if name else None,
    )


_READERS: dict[str, Callable[[Element, Page, _Lose], Geometry | None]] = {
    **dict.fromkeys(_SIMPLE, _simple),
    "polyline": lambda shape, page, lose: None,
    "plane": _plane,
    "mesh": _mesh,
}
