# SPDX-License-Identifier: GPL-3.0-or-later
"""The look that a material of Blender 2.7 had, in the nodes of today's."""

from collections.abc import Iterator, Sequence
from typing import Any


def apply_color(material: Any, color: Sequence[float]) -> None:
    """`color` is (r, g, b), linear; alpha stays."""
    material.diffuse_color = (*color, material.diffuse_color[3])
    for shader in _shaders(material):
        shader.inputs["Base Color"].default_value = (*color, 1.0)


def apply_alpha(material: Any, alpha: float) -> None:
    """0 for invisible, 1 for opaque."""
    material.diffuse_color = (*material.diffuse_color[:3], alpha)
    material.surface_render_method = "BLENDED" if alpha < 1.0 else "DITHERED"
    for shader in _shaders(material):
        shader.inputs["Alpha"].default_value = alpha


def _shaders(material: Any) -> Iterator[Any]:
    nodes = material.node_tree.nodes if material.node_tree else ()
    return (node for node in nodes if node.type == "BSDF_PRINCIPLED")
