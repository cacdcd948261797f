# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials as builder scripts of Blender 2.7 see them: one colour, one transparency, shown in the
nodes of today's materials."""

from collections.abc import Iterator, Sequence
from typing import Any

import bpy

from .defaults import MATERIAL, PHYSICS
from .scene_objects import find_below
from .storage import KeptSettings, set_setting


def apply_color(material: Any, color: Sequence[float]) -> None:
    """Gives a material a colour (r, g, b), linear; its alpha stays."""
    material.diffuse_color = (*color, material.diffuse_color[3])
    for shader in _shaders(material):
        shader.inputs["Base Color"].default_value = (*color, 1.0)


def apply_alpha(material: Any, alpha: float) -> None:
    """Gives a material an alpha: 0 for invisible, 1 for opaque."""
    material.diffuse_color = (*material.diffuse_color[:3], alpha)
    material.surface_render_method = "BLENDED" if alpha < 1.0 else "DITHERED"
    for shader in _shaders(material):
        shader.inputs["Alpha"].default_value = alpha


def _shaders(material: Any) -> Iterator[Any]:
    nodes = material.node_tree.nodes if material.node_tree else ()
    return (node for node in nodes if node.type == "BSDF_PRINCIPLED")


_RAY = "RayMat"
_RED = (0.9, 0.05, 0.2)
_THIN = 0.3


def paint(item: Any, color: Sequence[float]) -> None:
    """Gives an object a colour (r, g, b) in Blender's linear values, and a material if it has
    none."""
    if item.active_material is None:
        item.active_material = _add_material("Material")
    apply_color(item.active_material, color)


def paint_below(item: Any, color: Sequence[float]) -> None:
    """Paints an object and everything parented below it, but only where there is a material."""
    for each in find_below(item):
        if each.active_material is not None:
            apply_color(each.active_material, color)


def fade_below(item: Any, alpha: float) -> None:
    """Makes an object and everything below it transparent, and lets other bodies pass through.
    `alpha` is 0 for invisible and 1 for opaque."""
    for each in find_below(item):
        set_setting(each, "physics_type", "NO_COLLISION")
        for slot in each.material_slots:
            if slot.material is not None:
                _fade(slot.material, alpha)


def set_friction(item: Any, friction: float) -> None:
    """Sets the friction of all materials of an object, 0 to 100."""
    for slot in item.material_slots:
        if slot.material is not None:
            KeptSettings(slot.material, PHYSICS, "physics.").friction = friction


def make_ray_material() -> Any:
    """Returns the material of laser rays, red and thin; the same one for all."""
    found = bpy.data.materials.get(_RAY)
    if found is None:
        found = _add_material(_RAY)
        apply_color(found, _RED)
        _fade(found, _THIN)
    return found


def _add_material(name: str) -> Any:
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    return made


def _fade(material: Any, alpha: float) -> None:
    kept = KeptSettings(material, MATERIAL)
    kept.use_transparency = True
    kept.transparency_method = "Z_TRANSPARENCY"
    kept.alpha = alpha
    apply_alpha(material, alpha)
