# SPDX-License-Identifier: GPL-3.0-or-later
"""<site>: frames of a body, which become links without mass, as frames of SDF do.

Tool points, places of cameras and of sensors are frames that people look for. Sites that only
tendons, equalities and sensors of touch name are not: the muscles of a human have hundreds of them.
They stay in the text that the body keeps.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ....core.geometry.transforms import Matrix
from ....core.markup.write import Value, format_element
from ....core.model import Extra
from .document import Compiler, MjcfElement
from .geoms import place_geom

SITE = "site"
_KINDS = ("sphere", "capsule", "cylinder", "box", "ellipsoid")
_LOOKS = ("rgba", "group")
_NAMING = ("site", "refsite", "cranksite", "slidersite")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Site:
    """A site in its body: `frame` (4, 4), and its look where it is a frame that people look for;
    None for other sites."""

    frame: Matrix
    look: Extra | None


def read_site(node: MjcfElement, holder: Matrix, compiler: Compiler, *, is_frame: bool) -> Site:
    """Reads a site, whose attributes are resolved, in a body in which `holder` (4, 4) holds it.
    Raises ReadError for text that is not a number."""
    kind = node.text("type", "sphere")
    frame, size = place_geom(node, holder, kind, node.numbers("size"), compiler)
    if not is_frame:
        return Site(frame=frame, look=None)
    attributes: dict[str, Value] = {"name": node.text("name")}
    attributes["type"] = kind if kind in _KINDS and kind != "sphere" else None
    attributes["size"] = size or None
    attributes |= {name: node.numbers(name) or None for name in _LOOKS}
    return Site(
        frame=frame,
        look=Extra(tag=SITE, xml=format_element(SITE, attributes), line=node.line),
    )


def list_frameless(root: MjcfElement) -> frozenset[str]:
    """Returns the names of the sites of a model that only tendons, equalities and sensors of touch
    name."""
    used = {name for tag in ("tendon", "equality") for name in _list_named(root, tag)}
    sensors = [node for section in root.all("sensor") for node in section.children]
    used |= {node.text("site") for node in sensors if node.tag == "touch"}
    seen = {name for node in sensors if node.tag != "touch" for name in _names_in(node)}
    return frozenset(used - seen - set(_list_named(root, "actuator")))


def _list_named(root: MjcfElement, tag: str) -> Iterator[str]:
    waiting = list(root.all(tag))
    while waiting:
        node = waiting.pop()
        yield from _names_in(node)
        waiting += node.children


def _names_in(node: MjcfElement) -> Iterator[str]:
    """Yields the sites that an element names."""
    for attribute in (*_NAMING, "site1", "site2", "sidesite"):
        if name := node.text(attribute):
            yield name
    for kind, name in (("objtype", "objname"), ("reftype", "refname")):
        if node.text(kind) == SITE:
            yield node.text(name)
