# SPDX-License-Identifier: GPL-3.0-or-later
"""<link>: a rigid part with its mass and shapes."""

from ..model import Collision, Extra, Inertial, Link, Visual
from .assembly import make_collision, make_link, make_visual
from .document import Document
from .geometry import read_geometry
from .inertial import read_inertial
from .material import read_material
from .pose import read_origin
from .xml import Element

_VISUAL = frozenset({"origin", "geometry", "material"})
_COLLISION = frozenset({"origin", "geometry"})


def read_link(element: Element, document: Document) -> Link | None:
    """The link; None, and an ERROR diagnostic, where it has no name."""
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
            visual = read_visual(child, document)
            if visual is not None:
                visuals.append(visual)
        elif tag == "collision":
            collision = read_collision(child, document)
            if collision is not None:
                collisions.append(collision)
        elif tag != "inertial":
            extras.append(document.extra(child))
        elif inertial is None:
            inertial = read_inertial(child, document)
        else:
            document.warn_of_duplicate(child)
    return make_link(
        name=name,
        inertial=inertial,
        visuals=tuple(visuals),
        collisions=tuple(collisions),
        extras=tuple(extras),
        line=element.line,
    )


def read_visual(element: Element, document: Document) -> Visual | None:
    """The visual; None, and an ERROR diagnostic, where it has no shape."""
    first, extras = document.children(element, _VISUAL)
    geometry = read_geometry(first.get("geometry"), element, document)
    origin = read_origin(first.get("origin"), document)
    material = first.get("material")
    if geometry is None:
        return None
    return make_visual(
        geometry=geometry,
        origin=origin,
        name=document.name_of(element),
        material=None if material is None else read_material(material, document),
        extras=extras,
        line=element.line,
    )


def read_collision(element: Element, document: Document) -> Collision | None:
    """The collision; None, and an ERROR diagnostic, where it has no shape."""
    first, extras = document.children(element, _COLLISION)
    geometry = read_geometry(first.get("geometry"), element, document)
    origin = read_origin(first.get("origin"), document)
    if geometry is None:
        return None
    return make_collision(
        geometry=geometry,
        origin=origin,
        name=document.name_of(element),
        extras=extras,
        line=element.line,
    )
