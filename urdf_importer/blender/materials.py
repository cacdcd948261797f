# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender materials for the description's materials, one for each distinct one."""

from typing import Any

from ..model import Color, Material
from .ledger import Ledger


class MaterialBuilder:
    """Builds each distinct material of a robot once."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._built: dict[tuple[str, Color], Any] = {}

    def build(self, material: Material) -> Any | None:
        """The Blender material; None where the description gives no colour."""
        if material.color is None:
            return None
        key = (material.name, material.color)
        if key not in self._built:
            self._built[key] = self._make(material.name, material.color)
        return self._built[key]

    def _make(self, name: str, color: Color) -> Any:
        made = self._ledger.new_material(name or _name_color(color))
        linear = (*(linear_from_srgb(part) for part in color[:3]), color[3])
        if made.node_tree is None:
            made.use_nodes = True
        shader = next(n for n in made.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = (*linear[:3], 1.0)
        shader.inputs["Alpha"].default_value = color[3]
        shader.inputs["Roughness"].default_value = 0.5
        made.diffuse_color = linear
        return made


def linear_from_srgb(value: float) -> float:
    """The sRGB transfer function (IEC 61966-2-1), inverted. RViz shows rgba as sRGB; Blender's
    colours are linear, and robots look washed out where nobody converts."""
    value = min(max(value, 0.0), 1.0)
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _name_color(color: Color) -> str:
    return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in color)
