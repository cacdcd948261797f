# SPDX-License-Identifier: GPL-3.0-or-later
"""<Part> of the second generation: mass, geometry, look, and the units of their numbers."""

from dataclasses import dataclass

import numpy as np

from ....diagnostics import quote
from ....markup.xml import Element
from .graph import BodyColors, Matrix, Vector
from .values import NoNumberError, XmlPage, length_unit, mass_unit, read_number, read_numbers


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
    found = {}
    for attribute, known in (("length", length_unit), ("mass", mass_unit)):
        text = element.attributes.get(attribute, "")
        unit = known(text) if text else 1.0
        if unit is None:
            raise page.refusal(
                f"{attribute} in <{element.tag}> is {quote(text)}, an unknown unit", element.line
            )
        found[attribute] = unit
    return Units(found["length"], found["mass"])


def read_part(
    element: Element, data_units: Units | None, model: Units, page: XmlPage
) -> WeighedPart:
    """Returns a part; without a mass, and with an ERROR diagnostic, where its mass is not a
    number."""
    name = element.attributes.get("name", "")
    fields = {child.tag: child for child in reversed(element)}
    units = data_units or (
        read_units(fields["ModelUnits"], page) if "ModelUnits" in fields else model
    )
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
    if element is None:
        return None, None, None
    texts = {child.tag: page.text(child) for child in reversed(element)}
    try:
        mass = read_number(texts["Mass"]) * units.mass
        center = np.array(read_numbers(texts.get("CenterOfMass", "0 0 0"), 3)) * units.length
        inertia = None
        if "Inertia" in texts:
            xx, yy, zz, yz, zx, xy = read_numbers(texts["Inertia"], 6)
            inertia = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
            inertia *= units.mass * units.length**2
    except KeyError:
        return None, None, None
    except NoNumberError as problem:
        page.diagnostics.error(
            "bad-mass",
            f"mass, centre or inertia of part {quote(name)} {problem}; the part has none",
            subject=name,
            line=element.line,
        )
        return None, None, None
    return mass, center, inertia


def read_look(element: Element, page: XmlPage) -> BodyColors | None:
    """Returns the colour of <Diffuse>; None where there is none that can be read."""
    diffuse = next((child for child in element if child.tag == "Diffuse"), None)
    if diffuse is None:
        return None
    try:
        red, green, blue, alpha = (
            min(max(read_number(diffuse.attributes.get(key, default)), 0.0), 1.0)
            for key, default in (("r", ""), ("g", ""), ("b", ""), ("a", "1"))
        )
    except NoNumberError:
        page.diagnostics.warning(
            "bad-color",
            "a <Diffuse> has no colour that can be read; a colour of the palette takes its place",
            line=diffuse.line,
        )
        return None
    return BodyColors(color=(red, green, blue), alpha=alpha)
