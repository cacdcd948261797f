# SPDX-License-Identifier: GPL-3.0-or-later
"""Which material a visual has when the description is the only source. Gazebo's standard materials
go by name. Many descriptions colour their links by these alone, and some name them in a plain
<material> that nothing defines.
"""

from .link import Link, Visual
from .material import Color, Material, resolve_material
from .robot import Robot

GAZEBO_PREFIX = "gazebo/"
"""In lower case: how the names of Gazebo's materials begin."""
_GREY = (0.7, 0.7, 0.7)
_COLORS = {
    "grey": _GREY,
    "gray": _GREY,
    "darkgrey": (0.175, 0.175, 0.175),
    "darkgray": (0.175, 0.175, 0.175),
    "white": (1.0, 1.0, 1.0),
    "flatblack": (0.1, 0.1, 0.1),
    "black": (0.0, 0.0, 0.0),
    "red": (1.0, 0.0, 0.0),
    "redbright": (0.87, 0.26, 0.07),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "skyblue": (0.13, 0.44, 0.70),
    "yellow": (1.0, 1.0, 0.0),
    "zincyellow": (0.9725, 0.9529, 0.2078),
    "darkyellow": (0.7, 0.7, 0.0),
    "purple": (1.0, 0.0, 1.0),
    "turquoise": (0.0, 1.0, 1.0),
    "orange": (1.0, 0.5088, 0.0468),
    "indigo": (0.33, 0.0, 0.5),
    "gold": (0.8, 0.6491, 0.0),
}


def find_gazebo_color(name: str) -> Color | None:
    """Returns the colour of Gazebo's standard material of this name, with or without `Gazebo/`.

    Upper and lower case count alike; `Transparent` at the end halves the alpha, `Glow` changes
    nothing here.
    """
    key = name.strip().lower().removeprefix(GAZEBO_PREFIX)
    plain = key.removesuffix("overlay")
    base = plain.removesuffix("transparent").removesuffix("glow")
    color = _COLORS.get(base)
    return None if color is None else (*color, 0.5 if plain.endswith("transparent") else 1.0)


class VisualMaterials:
    """The rule of RViz: the description's material, by definition or in place; else Gazebo's, by a
    standard colour's name, in the visual or for the whole link.

    A mesh file that brings materials along keeps them: this is not asked then.
    """

    def __init__(self, robot: Robot) -> None:
        self._definitions = robot.material_definitions()
        self._settings = robot.settings
        self._of_links: dict[str, Material] | None = None

    def find(self, visual: Visual, link: Link) -> Material | None:
        """Returns the material of a visual; None where nothing says any."""
        material = resolve_material(visual.material, self._definitions)
        if material is not None:
            return material
        name = visual.material.name if visual.material is not None else ""
        color = find_gazebo_color(name)
        return Material(name=name, color=color) if color else self._find_of_link(link.name)

    def _find_of_link(self, link: str) -> Material | None:
        if self._of_links is None:
            self._of_links = {}
            for said in self._settings:
                if said.material is not None:
                    self._of_links.setdefault(said.reference, said.material)
        return self._of_links.get(link)
