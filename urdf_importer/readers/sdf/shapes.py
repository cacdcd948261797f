# SPDX-License-Identifier: GPL-3.0-or-later
"""What a link is made of: mass, shapes, materials."""

import math
from collections.abc import Callable

import numpy as np

from ...diagnostics import quote
from ...geometry.transforms import Matrix, invert, rpy_from_rotation
from ...markup.xml import Element
from ...model import (
    IDENTITY,
    Box,
    Capsule,
    Collision,
    Color,
    Cylinder,
    Geometry,
    Inertia,
    Inertial,
    Link,
    Material,
    Mesh,
    Pose,
    Sphere,
    Visual,
)
from ...model.visual_material import find_gazebo_color
from .models import place_beside
from .page import Page, all_of, find
from .scope import Node, read_base

_BLACK: Color = (0.0, 0.0, 0.0, 1.0)
_GREY: Color = (0.7, 0.7, 0.7, 1.0)
_SAME = 1e-12
_HANDLED = frozenset({"pose", "inertial", "visual", "collision"})


def pose_of(matrix: Matrix) -> Pose:
    """Returns a frame (4, 4) as the model says it; IDENTITY where it differs from that by rounding
    alone."""
    if np.abs(matrix - np.eye(4)).max() < _SAME:
        return IDENTITY
    x, y, z = (float(number) + 0.0 for number in matrix[:3, 3])
    if np.abs(matrix[:3, :3] - np.eye(3)).max() < _SAME:
        return Pose(xyz=(x, y, z))
    roll, pitch, yaw = (number + 0.0 for number in rpy_from_rotation(matrix[:3, :3]))
    return Pose(xyz=(x, y, z), rpy=(roll, pitch, yaw))


def place_part(element: Element, node: Node) -> Pose:
    """Returns where a part of a link stands in it; one whose frame is unknown stands at its
    origin, which is reported."""
    page = node.page
    pose = find(element, "pose")
    local = page.pose(pose)
    base = read_base(pose)
    if not base:
        return pose_of(local)
    start, own = node.scope.pose_of(base), node.scope.pose_of(node.name)
    if start is None or own is None:
        finding = f"a <{element.tag}> of link {quote(node.full_name)} stands in frame"
        finding = f"{finding} {quote(base)}, which is not there; read as in the link's own"
        page.error("sdf-unknown-frame", finding, element, node.full_name)
        return pose_of(local)
    return pose_of(invert(own) @ start @ local)


def read_link(node: Node) -> Link:
    """Reads a link under its full name. Raises ReadError for what is not a number."""
    element = node.element
    return Link(
        name=node.full_name,
        inertial=_read_inertial(node),
        visuals=tuple(_read_visuals(node)),
        collisions=tuple(_read_collisions(node)),
        line=element.line,
    )


def others_of(element: Element) -> list[Element]:
    """Returns the children of a link that are read nowhere else."""
    return [child for child in element if child.tag not in _HANDLED]


# Mass


def _read_inertial(node: Node) -> Inertial | None:
    page, element = node.page, find(node.element, "inertial")
    if element is None:
        # The default of the specification: one kilogram, and a moment of one about each axis.
        return Inertial(mass=1.0, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0))
    if element.attributes.get("auto", "").strip().lower() in ("1", "true"):
        return _measure(node, element)
    inertia = find(element, "inertia")
    tensor = Inertia(
        ixx=page.size(inertia, "ixx", default=1.0),
        ixy=page.size(inertia, "ixy", default=0.0),
        ixz=page.size(inertia, "ixz", default=0.0),
        iyy=page.size(inertia, "iyy", default=1.0),
        iyz=page.size(inertia, "iyz", default=0.0),
        izz=page.size(inertia, "izz", default=1.0),
    )
    others = [child for child in element if child.tag not in ("mass", "inertia", "pose")]
    return Inertial(
        origin=place_part(element, node),
        mass=page.size(element, "mass", default=1.0),
        inertia=tensor,
        extras=tuple(page.extra(child) for child in others),
        line=element.line,
    )


def _measure(node: Node, element: Element) -> Inertial:
    """The mass of the collisions that have a closed form, each of its density."""
    page = node.page
    total, moment, bodies = 0.0, np.zeros(3), []
    for each in all_of(node.element, "collision"):
        geometry = _read_geometry(each, node, Reporter(node, each, silent=True))
        body = None if geometry is None else _weigh(geometry)
        if body is None:
            finding = f"a collision of link {quote(node.full_name)} has no mass that can be worked"
            page.warning("sdf-auto-inertia", f"{finding} out of its shape", each, node.full_name)
            continue
        given = page.number(each, "density") or page.number(element, "density") or 1000.0
        volume, about = body
        pose = place_part(each, node)
        bodies.append((volume * given, about * given, pose))
        total += volume * given
        moment += volume * given * np.array(pose.xyz)
    if not total:
        return Inertial(mass=1.0, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0), line=element.line)
    center = moment / total
    tensor = sum((_about(center, *body) for body in bodies), np.zeros((3, 3)))
    x, y, z = (float(number) for number in center)
    return Inertial(
        origin=Pose(xyz=(x, y, z)),
        mass=total,
        inertia=Inertia(
            ixx=float(tensor[0, 0]), ixy=float(tensor[0, 1]), ixz=float(tensor[0, 2]),
            iyy=float(tensor[1, 1]), iyz=float(tensor[1, 2]), izz=float(tensor[2, 2]),
        ),
        line=element.line,
    )  # fmt: skip


def _about(center: Matrix, mass: float, about: Matrix, pose: Pose) -> Matrix:
    """The tensor (3, 3) of a body about a point, by the parallel axis theorem."""
    from ...geometry.transforms import matrix_from_pose

    frame = matrix_from_pose(pose)
    arm = frame[:3, 3] - center
    turned: Matrix = frame[:3, :3] @ about @ frame[:3, :3].T
    return turned + mass * ((arm @ arm) * np.eye(3) - np.outer(arm, arm))


def _weigh(geometry: Geometry) -> tuple[float, Matrix] | None:
    """Volume and tensor (3, 3) at a density of one; None for meshes."""
    if isinstance(geometry, Box):
        x, y, z = geometry.size
        volume = x * y * z
        return volume, np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * volume / 12.0
    if isinstance(geometry, Sphere):
        volume = 4.0 / 3.0 * math.pi * geometry.radius**3
        return volume, np.eye(3) * 0.4 * volume * geometry.radius**2
    if isinstance(geometry, Cylinder):
        r, h = geometry.radius, geometry.length
        volume = math.pi * r * r * h
        across = volume * (3.0 * r * r + h * h) / 12.0
        return volume, np.diag([across, across, 0.5 * volume * r * r])
    if isinstance(geometry, Capsule):
        r, h = geometry.radius, geometry.length
        tube, ball = math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3
        # Two half balls, each 3/8 r beyond the end of the tube.
        ends = ball * (0.4 * r * r + h * h / 4.0 + 3.0 * h * r / 8.0)
        across = tube * (3.0 * r * r + h * h) / 12.0 + ends
        return tube + ball, np.diag([across, across, 0.5 * tube * r * r + 0.4 * ball * r * r])
    return None


# Shapes


class Reporter:
    """Says what is lost of a shape."""

    def __init__(self, node: Node, element: Element, *, silent: bool = False) -> None:
        self._node = node
        self._element = element
        self._silent = silent

    def __call__(self, finding: str) -> None:
        if not self._silent:
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


def _read_collisions(node: Node) -> list[Collision]:
    found = []
    for element in all_of(node.element, "collision"):
        geometry = _read_geometry(element, node, Reporter(node, element))
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
            found.append(collision)
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
