# SPDX-License-Identifier: GPL-3.0-or-later
"""The finish of a robot's materials: plastic, aluminium or rubber. Descriptions give colours and
images alone; these stay."""

import colorsys
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from ...arguments import rig_of
from . import properties
from .armatures import check_robot, objects_of

Preset = Literal["auto", "plastic", "aluminium", "rubber"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Inputs of a Principled BSDF, and words of names that speak for it."""

    metallic: float
    roughness: float
    specular: float
    words: tuple[str, ...]


FINISHES = {
    "rubber": Finish(
        metallic=0.0, roughness=0.85, specular=0.25,
        words=("rubber", "tire", "tyre", "gummi", "grip", "sole", "bumper"),
    ),
    "aluminium": Finish(
        metallic=1.0, roughness=0.38, specular=0.5,
        words=("alu", "metal", "steel", "chrome", "silver", "iron", "inox"),
    ),
    "plastic": Finish(
        metallic=0.0, roughness=0.35, specular=0.5,
        words=("plastic", "abs", "pla", "nylon", "cover", "shell", "paint"),
    ),
}  # fmt: skip

_INPUTS = (("Metallic", "metallic"), ("Roughness", "roughness"), ("Specular IOR Level", "specular"))


def set_material_preset(
    armature: Any, *, preset: Preset = "auto", objects: Collection[Any] | None = None
) -> int:
    """Gives the materials of a robot's visuals, or of the visuals among `objects`, the roughness
    and metal of a preset; "auto" goes by their names, else by their colours. Colours and images
    stay. Materials that something else shows too are copied first. Returns how many were set.

    Raises BuildError for an object that is not an imported robot.
    """
    armature = rig_of(armature)
    check_robot(armature)
    shapes = [
        item
        for item in objects_of(armature)
        if item.get(properties.PART) == properties.VISUALS and (objects is None or item in objects)
    ]
    others = set(bpy.data.objects) - set(shapes)
    elsewhere = {slot.material for item in others for slot in item.material_slots}
    own: dict[Any, Any] = {}
    for slot in (slot for shape in shapes for slot in shape.material_slots):
        material = slot.material
        if material is None or material in own.values():
            continue
        if material in elsewhere and material.library is None:
            if material not in own:
                own[material] = material.copy()
            slot.link = "OBJECT"
            slot.material = own[material]
        else:
            own[material] = material
    return sum(_set(material, preset) for material in dict.fromkeys(own.values()))


def guess_finish(name: str, color: tuple[float, float, float]) -> str:
    """Guesses a finish by a word of a material's name, else by its linear colour: black is rubber,
    grey is aluminium, all else plastic."""
    words = re.split(r"[^a-z]+", name.lower())
    for finish, kind in FINISHES.items():
        if any(word.startswith(kind.words) for word in words):
            return finish
    _, saturation, value = colorsys.rgb_to_hsv(*color)
    if saturation > 0.25 or value > 0.75:
        return "plastic"
    return "rubber" if value < 0.03 else "aluminium" if value > 0.12 else "plastic"


def _set(material: Any, preset: Preset) -> bool:
    tree = material.node_tree
    shader = next((n for n in tree.nodes if n.type == "BSDF_PRINCIPLED"), None) if tree else None
    if shader is None or not material.is_editable:
        return False
    base = shader.inputs["Base Color"]
    color = (1.0, 1.0, 1.0) if base.is_linked else tuple(base.default_value)[:3]
    finish = FINISHES[guess_finish(material.name, color) if preset == "auto" else preset]
    for socket, field in _INPUTS:
        if not shader.inputs[socket].is_linked:
            shader.inputs[socket].default_value = getattr(finish, field)
    material.metallic, material.roughness = finish.metallic, finish.roughness
    return True
