# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of links: from <inertial>, or from their collisions at their densities."""

from collections.abc import Sequence
from dataclasses import replace

from ....core.diagnostics import quote
from ....core.geometry.volumes import MassProperties, inertia_of, join_masses
from ....core.markup.xml import Element
from ....core.meshes import RobotFiles
from ....core.meshes.weighing import weigh
from ....core.model import Collision, Inertia, Inertial, Pose
from ...urdf.read.link import check_inertia
from .page import find
from .scope import FramedElement, place_part

_WATER = 1000.0
"""kg/m^3, where no density is given."""
_HANDLED = ("mass", "inertia", "pose")
Read = Sequence[tuple[Element, Collision | None]]
"""Elements, and the shapes made from them."""

_PLAIN = Inertial(mass=1.0, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0))
"""The default of the specification."""


def read_inertial(node: FramedElement, collisions: Read, files: RobotFiles) -> Inertial:
    """Reads the mass of a link; `files` hold the meshes that are weighed. Raises ReadError for text
    that is not a number."""
    page, element = node.page, find(node.element, "inertial")
    if element is None:
        return _PLAIN
    if element.attributes.get("auto", "").strip().lower() in ("1", "true"):
        return _measure(node, element, collisions, files)
    inertia = find(element, "inertia")
    defaults = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
    ixx, ixy, ixz, iyy, iyz, izz = (
        page.size(inertia, tag, default=default) for tag, default in defaults.items()
    )
    tensor = Inertia(ixx=ixx, ixy=ixy, ixz=ixz, iyy=iyy, iyz=iyz, izz=izz)
    others = [child for child in element if child.tag not in _HANDLED]
    mass = page.size(element, "mass", default=1.0)

    def report(code: str, fault: str) -> None:
        finding = f"the inertia of link {quote(node.full_name)} {fault}"
        page.warning(code, finding, inertia or element, node.full_name)

    check_inertia(tensor, report)
    if mass <= 0.0:
        finding = f"the mass of link {quote(node.full_name)} is {mass:g}; it is kept, but no body"
        where = find(element, "mass")
        assert where is not None  # The default is 1.
        page.warning("mass-not-positive", f"{finding} can have it", where, node.full_name)
    return Inertial(
        origin=place_part(element, node),
        mass=mass,
        inertia=tensor,
        extras=tuple(page.extra(child) for child in others),
        line=element.line,
    )


def _measure(
    node: FramedElement, element: Element, collisions: Read, files: RobotFiles
) -> Inertial:
    """The mass of the collisions that enclose a volume, each of its density."""
    page = node.page
    bodies: list[MassProperties] = []
    for each, collision in collisions:
        body = None if collision is None else weigh(collision, files.peek)
        if body is None:
            finding = f"a collision of link {quote(node.full_name)} has no mass that can be worked"
            page.warning("sdf-auto-inertia", f"{finding} out of its shape", each, node.full_name)
            continue
        given = (page.size(where, "density", default=0.0) for where in (each, element))
        density = next(filter(None, given), _WATER)
        bodies.append(body.times(density))
    total = join_masses(bodies)
    if total is None:
        if not collisions:
            finding = f"link {quote(node.full_name)} has no collision to work its mass out of; it"
            page.warning("sdf-auto-inertia", f"{finding} weighs 1 kg", element, node.full_name)
        return replace(_PLAIN, line=element.line)
    x, y, z = map(float, total.centre)
    return Inertial(
        origin=Pose(xyz=(x, y, z)),
        mass=total.volume,
        inertia=inertia_of(total.inertia),
        line=element.line,
    )
