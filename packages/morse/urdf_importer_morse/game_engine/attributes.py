# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of data-blocks that Blender 2.7 had, on the types of today's Blender.

A type gets an attribute only if it has none of the name: in a Blender with the game engine
Object.game is the engine's own.
"""

from contextlib import suppress
from typing import Any

import bpy

from .defaults import GAME_MATERIAL, MATERIAL, PHYSICS, SCENE
from .game_data import GameData
from .paint import apply_alpha, apply_color
from .replacements import Replacements
from .storage import KeptSettings, get_setting, set_setting

_RENAMED = {
    "empty_draw_type": "empty_display_type",
    "empty_draw_size": "empty_display_size",
    "draw_type": "display_type",
    "show_x_ray": "show_in_front",
}
_DISTANCE = 25.0


def install_attributes(replacements: Replacements) -> None:
    """Adds missing attributes. Data-blocks do not change by that."""
    types = bpy.types
    _add(replacements, types.Object, _object_attributes())
    _add(replacements, types.Scene, _scene_attributes())
    _add(replacements, types.World, {"horizon_color": property(_get_horizon, _set_horizon)})
    _add(replacements, types.Light, {"distance": property(_get_distance, _set_distance)})
    if _add(replacements, types.Material, _material_attributes()):
        replacements.put(types.Material, "__setattr__", _set_material)


def lacks_attribute(kind: Any, name: str) -> bool:
    """Tells whether neither Blender nor an add-on gave this type an attribute of the name."""
    return name not in kind.bl_rna.properties and not hasattr(kind, name)


def _add(replacements: Replacements, kind: Any, attributes: dict[str, Any]) -> bool:
    missing = [name for name in attributes if lacks_attribute(kind, name)]
    for name in missing:
        replacements.put(kind, name, attributes[name])
    return bool(missing)


def _object_attributes() -> dict[str, Any]:
    return {
        "game": property(GameData),
        "hide": property(_is_hidden, _set_hidden),
        "select": property(lambda item: item.select_get(), _set_selected),
        **{old: _renamed(new) for old, new in _RENAMED.items()},
    }


def _scene_attributes() -> dict[str, Any]:
    return {
        "game_settings": property(lambda scene: KeptSettings(scene, SCENE)),
        "update": _update_scene,
    }


def _material_attributes() -> dict[str, Any]:
    return {
        "physics": property(lambda material: KeptSettings(material, PHYSICS, "physics.")),
        "game_settings": property(lambda material: KeptSettings(material, GAME_MATERIAL, "game.")),
        **{name: _kept(name) for name in MATERIAL},
        "use_transparency": _transparency("use_transparency"),
        "alpha": _transparency("alpha"),
    }


def _renamed(name: str) -> property:
    return property(
        lambda item: getattr(item, name), lambda item, value: setattr(item, name, value)
    )


def _kept(name: str) -> property:
    """Makes a property for a setting of a material that today's Blender ignores."""
    return property(
        lambda material: getattr(KeptSettings(material, MATERIAL), name),
        lambda material, value: setattr(KeptSettings(material, MATERIAL), name, value),
    )


def _transparency(name: str) -> property:
    """Makes a property of a material's transparency: in 2.7 its alpha counts only if it uses
    transparency."""

    def change(material: Any, value: Any) -> None:
        kept = KeptSettings(material, MATERIAL)
        setattr(kept, name, value)
        apply_alpha(material, kept.alpha if kept.use_transparency else 1.0)

    return property(lambda material: getattr(KeptSettings(material, MATERIAL), name), change)


def _set_material(material: Any, name: str, value: Any) -> None:
    """Sets an attribute of a material. Colours of materials had no alpha in 2.7, so three numbers
    will do, here only. They also colour the material's nodes, which 2.7 did not have."""
    if name == "diffuse_color" and len(value) == 3:
        apply_color(material, value)
    else:
        bpy.types.ID.__setattr__(material, name, value)


def _is_hidden(item: Any) -> bool:
    return bool(item.hide_viewport or item.hide_get())


def _set_hidden(item: Any, hidden: bool) -> None:
    item.hide_viewport = hidden
    if not hidden:
        # Today it can also be hidden in one scene alone; RuntimeError in scenes without it.
        with suppress(RuntimeError):
            item.hide_set(False)


def _set_selected(item: Any, selected: bool) -> None:
    """Selects or deselects an object. In 2.7 objects of other scenes could be selected too, to no
    effect."""
    with suppress(RuntimeError):
        item.select_set(selected)


def _update_scene(scene: Any) -> None:
    """Does the work of 2.7's Scene.update(): brings places and modifiers up to date."""
    for view_layer in scene.view_layers:
        view_layer.update()


def _get_horizon(world: Any) -> Any:
    return world.color


def _set_horizon(world: Any, color: Any) -> None:
    world.color = color
    nodes = world.node_tree.nodes if world.node_tree else ()
    for node in nodes:
        if node.type == "BACKGROUND":
            node.inputs["Color"].default_value = (*color, 1.0)


def _get_distance(light: Any) -> float:
    found = get_setting(light, "distance")
    return _DISTANCE if found is None else float(found)


def _set_distance(light: Any, distance: float) -> None:
    """Sets how far a lamp of 2.7 shone, in metres; today's light may shine as far."""
    set_setting(light, "distance", float(distance))
    light.use_custom_distance = True
    light.cutoff_distance = distance
