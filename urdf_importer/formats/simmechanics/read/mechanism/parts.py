# SPDX-License-Identifier: GPL-3.0-or-later
"""<Part> of the second generation: mass, geometry, look, and the units of their numbers."""

from dataclasses import dataclass

import numpy as np

from .....core.diagnostics import quote
from .....core.markup.xml import Element
from .graph import BodyColors, Matrix, Vector
from .values import (
    NoNumberError,
    XmlPage,
    clamp_share,
    length_unit,
    mass_unit,
    read_number,
    read_numbers,
)


@dataclass(frozen=True, slots=True)
class Units:
    """Metres and kilograms in one unit of the file."""

    length: float = 1.0
    mass: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeighedPart:
    """`center` in the part's frame in metres; `inertia` (3, 3) about it in the part's axes."""

    name: str
    mass: float | None
    center: Vector | None
    inertia: Matrix | None
    geometry: str
    look: BodyColors | None


def read_units(element: Element, page: XmlPage) -> Units:
    """Raises ReadError for an unknown unit."""
    length, mass = (
        page.unit(
            element.attributes.get(attribute, ""), known, f"{attribute} in <{element.tag}>",
            element.line,
        )
        for attribute, known in (("length", length_unit), ("mass", mass_unit))
    )  # fmt: skip
    return Units(length, mass)


def read_part(
    element: Element, data_units: Units | None, model: Units, page: XmlPage
) -> WeighedPart:
    """Returns a part; without a mass, and with an ERROR diagnostic, where its mass is not a
    number."""
    name = element.attributes.get("name", "")
    fields = page.fields(element)
    own = fields.get("ModelUnits")
    units = data_units or (model if own is None else read_units(own, page))
    mass, center, inertia = _read_mass(fields.get("MassProperties"), name, units, page)
    look = fields.get("VisualProperties")
    geometry = fields.get("GeometryFile")
    return WeighedPart(
        name=name,
        mass=mass,
        center=center,
        inertia=inertia,
        geometry="" if geometry is None else geometry.attributes.get("name", "").strip(),
        look=None if look is None else read_look(look, page),
    )


def _read_mass(
    element: Element | None, name: str, units: Units, page: XmlPage
) -> tuple[float | None, Vector | None, Matrix | None]:
    if element is None or "Mass" not in (fields := page.fields(element)):
        return None, None, None
    center, inertia = np.zeros(3), None
    try:
        mass = read_number(fields.text("Mass")) * units.mass
        if "CenterOfMass" in fields:
            center = np.array(read_numbers(fields.text("CenterOfMass"), 3)) * units.length
        if "Inertia" in fields:
            xx, yy, zz, yz, zx, xy = read_numbers(fields.text("Inertia"), 6)
            inertia = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
            inertia *= units.mass * units.length**2
    except NoNumberError as problem:
        finding = f"mass, centre or inertia of part {quote(name)} {problem}; the part has none"
        page.error("bad-mass", finding, name, element.line)
        return None, None, None
    return mass, center, inertia


def read_look(element: Element, page: XmlPage) -> BodyColors | None:
    """Returns the colour of <Diffuse>; None where it cannot be read."""
    diffuse = page.fields(element).get("Diffuse")
    if diffuse is None:
        return None
    written = {"a": "1", **diffuse.attributes}
    try:
        red, green, blue, alpha = (
            clamp_share(read_number(written.get(key, ""))) for key in ("r", "g", "b", "a")
        )
    except NoNumberError:
        page.report_bad_color("a <Diffuse>", diffuse.line)
        return None
    return BodyColors(color=(red, green, blue), alpha=alpha)
