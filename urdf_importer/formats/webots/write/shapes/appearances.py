# SPDX-License-Identifier: GPL-3.0-or-later
"""Appearances of shapes: colours and images."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .....core.geometry.mesh_data import MeshMaterial
from .....core.model import Color, Surface
from .....core.writers.textures import Textures
from ..vrml import Node, Value, keep_given

_WITHOUT_COLOR: Color = (0.8, 0.8, 0.8, 1.0)
_DIGITS = 6


class Appearances:
    """`find` gives the same node for the same look, so that it is written once.

    Colours go in unchanged: Webots takes them as sRGB, like RViz. Without data on metal or gloss,
    all is matt.
    """

    def __init__(self, textures: Textures) -> None:
        self._textures = textures
        self._nodes: dict[tuple[Any, ...], Node] = {}

    def find(self, look: MeshMaterial | None, subject: str, line: int) -> Node:
        """Returns the appearance of a look; `subject` (a link's name) and `line` are for
        diagnostics."""
        color = _rounded(look.color if look is not None else _WITHOUT_COLOR)
        url = self._textures.find(look, subject, line) if look is not None else None
        surface = (look.surface if look is not None else None) or Surface()
        maps = {
            name: self._textures.find(MeshMaterial(texture=Path(file)), subject, line)
            for name, file in surface.maps.items()
        }
        key = (color, url or "", surface, *maps.values())
        if key not in self._nodes:
            self._nodes[key] = _make(color, url, surface, maps)
        return self._nodes[key]


_MAPS = {
    "roughness_map": "roughnessMap",
    "metalness_map": "metalnessMap",
    "normal_map": "normalMap",
    "emission_map": "emissiveColorMap",
}


def _make(color: Color, url: str | None, surface: Surface, maps: Mapping[str, str | None]) -> Node:
    """Makes an appearance. An image takes the place of the colour or number, which Webots would
    multiply it by."""
    white = (1.0, 1.0, 1.0)
    fields: dict[str, Value] = {
        "baseColor": white if url else color[:3],
        "baseColorMap": _image(url),
        "transparency": round(1.0 - color[3], _DIGITS) if color[3] < 1.0 else None,
        "roughness": _number(surface.roughness, maps.get("roughness_map"), 1.0),
        "metalness": _number(surface.metalness, maps.get("metalness_map"), 0.0),
    }
    fields |= {field: _image(maps.get(name)) for name, field in _MAPS.items()}
    fields["emissiveColor"] = white if maps.get("emission_map") else surface.emission
    return Node("PBRAppearance", keep_given(fields))


def _image(url: str | None) -> Node | None:
    return Node("ImageTexture", {"url": [url]}) if url else None


def _number(said: float | None, image: str | None, default: float) -> float:
    if image:
        return 1.0
    return default if said is None else round(said, _DIGITS)


def _rounded(color: Color) -> Color:
    red, green, blue, alpha = (round(min(max(part, 0.0), 1.0), _DIGITS) for part in color)
    return (red, green, blue, alpha)
