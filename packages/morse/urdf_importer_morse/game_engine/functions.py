# SPDX-License-Identifier: GPL-3.0-or-later
"""The functions of Blender 2.7 that MORSE's builder calls, for its module bpymorse.

All that MORSE does through Blender's operators and lists goes through that module, so Blender
itself is not touched here. Functions that are not replaced work unchanged.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import bpy

from urdf_importer.core.diagnostics import BuildError, quote

from .appending import ReadGame, append, parents_first
from .dae import import_collada
from .defaults import CAMERA
from .game_data import add_logic_brick, add_property
from .replacements import Replacements
from .scene_setup import (
    add_to_scene,
    find_window,
    set_viewport,
    set_viewport_perspective,
    show_scene,
)
from .scene_views import DataList, SceneView

_LAMPS = {"HEMI": "SUN"}


# The names of the newest of each list: in 2.7 as today lists are sorted by name, and MORSE takes
# the last for the newest. With a text "walk.py" in the file it would have written over that.
_newest: dict[str, str] = {}


def install_functions(
    replacements: Replacements, bpymorse: ModuleType, read_game: ReadGame
) -> None:
    """Replaces functions that today's Blender lacks, or that behave differently, in MORSE's module
    bpymorse."""
    functions: dict[str, Any] = {**_ALWAYS, "append": partial(append, read_game)}
    if not _has_operator(bpy.ops.object, "game_property_new"):
        functions |= _GAME
    if not _has_operator(bpy.ops.wm, "collada_import"):
        functions["collada_import"] = import_collada
    for name, function in functions.items():
        replacements.put(bpymorse, name, function)


def _has_operator(group: Any, name: str) -> bool:
    return name in dir(group)


def is_alive(item: Any) -> bool:
    """Tells whether an object is still in the file that is open."""
    try:
        return bool(item.name)
    except ReferenceError:
        return False


def select_only(item: Any) -> None:
    """Selects an object and makes it the active one. Raises BuildError if that is impossible, since
    MORSE would go on with another object."""
    select_all("DESELECT")
    if item.name not in bpy.context.view_layer.objects:
        # Objects that a script has just linked to the scene are known to the view layer after an
        # update.
        bpy.context.view_layer.update()
    try:
        item.select_set(True)
    except RuntimeError as error:
        raise BuildError(
            f"object {quote(item.name)} is not in the scene that is shown, or its collection is "
            "excluded there: a builder script cannot work on it"
        ) from error
    bpy.context.view_layer.objects.active = item


def select_all(action: str = "TOGGLE") -> None:
    """Replaces object.select_all. Every operator brings the whole scene up to date twice, and MORSE
    calls this one for every game property: seconds for each component of a large scene."""
    objects = bpy.context.view_layer.objects
    if action == "DESELECT" or (action == "TOGGLE" and len(objects.selected)):
        # A removed object leaves an empty place until the view layer is updated.
        for item in filter(None, objects.selected):
            item.select_set(False)
        return
    for item in (each for each in objects if each.visible_get()):
        item.select_set(action != "INVERT" or not item.select_get())


def get_selected_objects() -> list[Any]:
    """Returns the selected objects, parents before their children."""
    return parents_first(bpy.context.selected_objects)


def get_first_selected_object() -> Any:
    """Returns the first selected object, or the active one: a hidden object cannot be selected, but
    it can be active."""
    selected = get_selected_objects()
    return selected[0] if selected else bpy.context.view_layer.objects.active


def add_camera(**options: Any) -> set[str]:
    """Calls object.camera_add and sets the lens and the sensor that cameras of 2.7 had."""
    done: set[str] = bpy.ops.object.camera_add(**options)
    for name, value in CAMERA.items():
        setattr(bpy.context.object.data, name, value)
    return done


def add_lamp(type: str = "POINT", **options: Any) -> set[str]:
    """Replaces object.lamp_add: lamps are lights now. Hemispheres are gone and become suns."""
    done: set[str] = bpy.ops.object.light_add(type=_LAMPS.get(type, type), **options)
    _newest["lights"] = bpy.context.object.data.name
    return done


def get_lamps() -> Any:
    return bpy.data.lights


def get_lamp(name_or_id: str | int) -> Any:
    return bpy.data.lights[name_or_id]


def new_material() -> None:
    """Replaces material.new, wherever it is called: today's operator asks for a mesh."""
    _newest["materials"] = bpy.data.materials.new("Material").name


def create_new_material() -> Any:
    new_material()
    return _get_newest("materials")


def new_text() -> None:
    _newest["texts"] = bpy.data.texts.new("Text").name


def open_sound(filepath: str) -> None:
    """Replaces sound.open; the sound is kept in the file, although nothing in today's Blender plays
    it."""
    sound = bpy.data.sounds.load(filepath)
    sound.use_fake_user = True
    _newest["sounds"] = sound.name


def new_mesh(name: str) -> Any:
    """Makes a mesh. Blender's list is looked up each time, as in DataList."""
    return bpy.data.meshes.new(name)


def new_object(name: str, data: Any) -> Any:
    return bpy.data.objects.new(name, data)


def apply_transform(
    location: bool = False, rotation: bool = False, scale: bool = False
) -> set[str]:
    """Calls object.transform_apply so that unnamed parts stay. Today's operator would apply it."""
    done: set[str] = bpy.ops.object.transform_apply(
        location=location, rotation=rotation, scale=scale
    )
    return done


def get_context_scene() -> SceneView:
    return SceneView(bpy.context.scene)


def get_scene(name_or_id: str | int) -> SceneView:
    return SceneView(bpy.data.scenes[name_or_id])


def set_active_scene(name_or_id: str | int) -> SceneView:
    """Shows a scene. New objects then go into the scene itself, not into a collection that other
    scenes may show as well: in 2.7 objects belonged to scenes alone."""
    scene = bpy.data.scenes[name_or_id]
    show_scene(scene)
    return SceneView(scene)


def new_scene(type: str = "NEW") -> set[str]:
    """Replaces scene.new. LINK_OBJECTS makes a scene that shows all objects of this one and has its
    settings, but gets nothing that is added to this one later."""
    window = find_window()
    add_to_scene()
    with bpy.context.temp_override(window=window):
        done: set[str] = bpy.ops.scene.new(type=_SCENES.get(type, type))
    add_to_scene()
    return done


_SCENES = {"LINK_OBJECTS": "LINK_COPY", "LINK_OBJECT_DATA": "FULL_COPY"}


def make_links_scene(scene: str) -> None:
    """Replaces object.make_links_scene: links the selected objects to that scene too."""
    objects = bpy.data.scenes[scene].collection.objects
    for item in bpy.context.selected_objects:
        if objects.get(item.name) != item:
            objects.link(item)


def new_game_property(type: str = "FLOAT", name: str = "") -> None:
    """Replaces object.game_property_new."""
    add_property(bpy.context.object, name, type)


def add_sensor(type: str = "ALWAYS", name: str = "", object: str = "") -> None:
    """Replaces logic.sensor_add. Like the next two, it works on the active object if none is
    named."""
    add_logic_brick(_named(object), "sensors", type, name)


def add_controller(type: str = "LOGIC_AND", name: str = "", object: str = "") -> None:
    """Replaces logic.controller_add."""
    add_logic_brick(_named(object), "controllers", type, name)


def add_actuator(type: str = "MOTION", name: str = "", object: str = "") -> None:
    """Replaces logic.actuator_add."""
    add_logic_brick(_named(object), "actuators", type, name)


def _named(name: str) -> Any:
    return bpy.data.objects[name] if name else bpy.context.object


def _get_newest(collection: str) -> Any:
    """Returns the newest item of a list of bpy.data, or, as in 2.7, the last one if no script made
    any."""
    there = getattr(bpy.data, collection)
    return there.get(_newest.get(collection, "")) or there[-1]


_GAME: Mapping[str, Any] = {
    "new_game_property": new_game_property,
    "add_sensor": add_sensor,
    "add_controller": add_controller,
    "add_actuator": add_actuator,
}


def _by_name(functions: Iterable[Any]) -> dict[str, Any]:
    return {function.__name__: function for function in functions}


_ALWAYS: Mapping[str, Any] = {
    **_by_name((select_all, select_only, get_selected_objects, get_first_selected_object)),
    **_by_name((add_camera, add_lamp, get_lamps, get_lamp, new_material, create_new_material)),
    **_by_name((new_text, open_sound, new_mesh, new_object, apply_transform)),
    **_by_name((get_context_scene, get_scene, set_active_scene, new_scene, make_links_scene)),
    "armatures": DataList("armatures"),
    "set_viewport": set_viewport,
    "set_viewport_perspective": set_viewport_perspective,
    "get_last_lamp": partial(_get_newest, "lights"),
    "get_last_material": partial(_get_newest, "materials"),
    "get_last_sound": partial(_get_newest, "sounds"),
    "get_last_text": partial(_get_newest, "texts"),
}
