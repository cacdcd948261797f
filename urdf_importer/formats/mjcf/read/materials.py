# SPDX-License-Identifier: GPL-3.0-or-later
"""<material> and <texture>: colours, images, and how surfaces reflect and glow.

MuJoCo's own lighting model is OpenGL's: a highlight of the strength `specular`, the smaller the
greater `shininess` is. A material's roughness, for renderers of today, counts first.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ....core.diagnostics import Diagnostics, quote
from ....core.model import Color, Material, Surface
from .document import Compiler, MjcfElement

_WHITE: Color = (1.0, 1.0, 1.0, 1.0)
_ROLES = ("rgb", "rgba", "normal", "roughness", "metallic", "emissive")
_UNSAID = 0.5
"""MuJoCo's default for `specular` and `shininess`."""
_EXPONENT = 128.0


class Materials:
    """Reads the materials of one model."""

    def __init__(
        self,
        nodes: Sequence[MjcfElement],
        compiler: Compiler,
        diagnostics: Diagnostics,
        prefix: str,
    ) -> None:
        self._diagnostics = diagnostics
        self._prefix = prefix
        self._images = {
            name: compiler.place_file(file, compiler.texturedir)
            for node in nodes
            if node.tag == "texture" and (file := node.text("file"))
            if (name := node.text("name") or PurePosixPath(file).stem)
            if node.text("type", "cube") == "2d"
        }
        self.by_name: Mapping[str, Material] = {
            name: self._read(node)
            for node in nodes
            if node.tag == "material" and (name := node.text("name"))
        }

    def _read(self, node: MjcfElement) -> Material:
        """Reads a material, whose attributes are resolved. Raises ReadError for text that is not a
        number."""
        layers = dict(self._list_layers(node))
        maps = {role: self._images.get(name) for role, name in layers.items()}
        color = read_color(node, _WHITE)
        texture = self._images.get(node.text("texture")) or maps.get("rgb") or maps.get("rgba")
        surface = _read_surface(node, color, texture)
        surface = replace(
            surface,
            normal_map=maps.get("normal"),
            roughness_map=maps.get("roughness"),
            metalness_map=maps.get("metallic"),
            emission_map=maps.get("emissive") or surface.emission_map,
        )
        return Material(
            name=self._prefix + node.text("name"),
            color=color,
            texture=texture,
            surface=None if surface == Surface() else surface,
            line=node.line,
        )

    def _list_layers(self, node: MjcfElement) -> Iterator[tuple[str, str]]:
        """Yields role -> texture; says once for each material which of them have no place."""
        lost = []
        for layer in node.all("layer"):
            role = layer.text("role")
            if role in _ROLES:
                yield role, layer.text("texture")
            else:
                lost.append(role)
        if lost:
            name = node.text("name")
            roles = ", ".join(map(quote, lost))
            message = f"material {quote(name)}: the layers {roles} are left out"
            node.report("mjcf-layer-lost", message, name, self._diagnostics.warning)


def _read_surface(node: MjcfElement, color: Color, texture: str | None) -> Surface:
    """Reads the numbers; emission has the material's own colour, or image."""
    roughness, metalness = node.number("roughness", -1.0), node.number("metallic", -1.0)
    glow = min(max(node.number("emission"), 0.0), 1.0)
    red, green, blue, _ = color
    glows = bool(glow and any(color[:3]))
    return Surface(
        metalness=_share(metalness) if metalness >= 0.0 else None,
        roughness=_share(roughness) if roughness >= 0.0 else _read_highlight(node),
        emission=(glow * red, glow * green, glow * blue) if glows and not texture else None,
        emission_map=texture if glows else None,
    )


def _read_highlight(node: MjcfElement) -> float | None:
    """Returns the roughness that has a highlight of the same size; None where the file sets none,
    or none is visible. An exponent n is a Beckmann width alpha with alpha^2 = 2 / (n + 2) (Walter
    et al., Microfacet Models for Refraction, 2007), and a roughness its root."""
    if not ("specular" in node.attributes or "shininess" in node.attributes):
        return None
    if not node.number("specular", _UNSAID) > 0.0:
        return None
    exponent = _EXPONENT * _share(node.number("shininess", _UNSAID))
    return math.sqrt(math.sqrt(2.0 / (exponent + 2.0)))


def _share(number: float) -> float:
    return min(max(number, 0.0), 1.0)


def read_color(node: MjcfElement, default: Color) -> Color:
    """Reads `rgba`. Raises ReadError for text that is not a number."""
    red, green, blue, alpha = map(_share, node.vector("rgba", 4) or default)
    return (red, green, blue, alpha)
