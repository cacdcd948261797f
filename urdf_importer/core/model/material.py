# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials: colours and textures by name."""

from collections.abc import Mapping
from dataclasses import dataclass

from .extra import Holder

Color = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """How a surface reflects and glows; None where nothing says it.

    `metalness` and `roughness` are in 0..1, `emission` is red, green, blue in 0..1, sRGB. The maps
    are images, which take the place of their numbers: paths or URIs as written.
    """

    metalness: float | None = None
    roughness: float | None = None
    emission: tuple[float, float, float] | None = None
    normal_map: str | None = None
    roughness_map: str | None = None
    metalness_map: str | None = None
    emission_map: str | None = None

    @property
    def maps(self) -> dict[str, str]:
        """The maps that there are, by the names of their fields."""
        found = {name: getattr(self, name) for name in MAPS}
        return {name: each for name, each in found.items() if each}


MAPS = ("normal_map", "roughness_map", "metalness_map", "emission_map")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Material(Holder):
    """A material as one place of the description writes it.

    `color` is red, green, blue, alpha in 0..1, sRGB (as RViz shows it). `texture` is the path or
    URI as written. A material with neither refers to a definition of its name elsewhere. `surface`
    is None where the description has no such data: then it is matt.
    """

    name: str = ""
    color: Color | None = None
    texture: str | None = None
    surface: Surface | None = None

    @property
    def is_reference(self) -> bool:
        return self.color is None and self.texture is None

    @property
    def images(self) -> tuple[str, ...]:
        """The names of its images: the texture, then the maps of its surface."""
        maps = () if self.surface is None else self.surface.maps.values()
        return tuple(filter(None, (self.texture, *maps)))


def resolve_material(
    material: Material | None, definitions: Mapping[str, Material]
) -> Material | None:
    """Returns the definition to which a visual's material refers; None where nothing defines it.

    A name means the same material everywhere in a robot (the first definition wins, as in urdfdom);
    nameless materials are independent, since exporters write many different colours under the empty
    name.
    """
    if material is None:
        return None
    if material.name and material.name in definitions:
        return definitions[material.name]
    return None if material.is_reference else material
