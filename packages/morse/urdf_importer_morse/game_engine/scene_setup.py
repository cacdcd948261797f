# SPDX-License-Identifier: GPL-3.0-or-later
"""A builder script's settings of the scene: texts, the camera of the simulator, the game engine's
settings, and the content of windows. Blender's own settings are set; the rest is kept in the
scene's game record. Without a window only the scene counts."""

from collections.abc import Iterator, Sequence
from typing import Any

import bpy

from urdf_importer.core.diagnostics import BuildError, WriteError, quote

from .defaults import SCENE
from .game_data import GameData, add_property
from .scene_objects import add_camera, find_object
from .scene_views import SceneView
from .storage import KeptSettings, check_choice

CAMERA = "CameraFP"
"""The viewer's camera."""


def game_settings() -> KeptSettings:
    """Returns the game engine's settings of the scene."""
    return KeptSettings(bpy.context.scene, SCENE)


def set_gravity(gravity: float) -> None:
    """Sets gravity in m/s^2, downwards."""
    scene = bpy.context.scene
    scene.gravity = (0.0, 0.0, -gravity)
    game_settings().physics_gravity = gravity


def set_background(name: str) -> bool:
    """Shows a scene behind this one; False if there is none with that name."""
    found = bpy.data.scenes.get(name)
    if found is not None:
        bpy.context.scene.background_set = found
    return found is not None


def set_engine(engine: str) -> None:
    """Notes that the game engine runs the scene; Blender keeps its own engine."""
    SceneView(bpy.context.scene).render.engine = engine


def use_metric_units() -> None:
    bpy.context.scene.unit_settings.system = "METRIC"


def set_world_color(color: Sequence[float]) -> None:
    """Sets the colour (r, g, b) around everything, in Blender's linear values."""
    world = _find_world()
    world.color = color
    for node in world.node_tree.nodes if world.node_tree else ():
        if node.type == "BACKGROUND":
            node.inputs["Color"].default_value = (*color, 1.0)


def set_mist(**settings: Any) -> None:
    """Sets use_mist, intensity, start, depth (metres), falloff. Raises TypeError for values that
    Blender does not take."""
    mist = _find_world().mist_settings
    for name, value in settings.items():
        setattr(mist, name, value)


def _find_world() -> Any:
    """Finds the scene's world, made if missing."""
    scene = bpy.context.scene
    if scene.world is None:
        scene.world = bpy.data.worlds.new("World")
    return scene.world


def write_text(name: str, text: str) -> None:
    """Writes a text of the file, in place of its former contents."""
    found = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    found.from_string(text)


def place_camera(
    location: Sequence[float], rotation: Sequence[float], *, lens: float, near: float, far: float
) -> Any:
    """Puts the simulator's camera in its place, made if missing, and shows the scene through it.

    Location in metres, rotation as Euler angles in radians, lens in millimetres.
    """
    camera = find_object(CAMERA) or add_camera(CAMERA)
    camera.location = location
    camera.rotation_euler = rotation
    camera.data.lens = lens
    camera.data.clip_start = near
    camera.data.clip_end = far
    bpy.context.scene.camera = camera
    return camera


def update_scene() -> None:
    """Brings the places of all objects up to date."""
    bpy.context.view_layer.update()


def set_debug(debug: bool) -> None:
    """Sets Blender's own debug mode."""
    bpy.app.debug = debug


def add_debug_property(item: Any, name: str, value: str) -> None:
    """Adds a game property that is shown while the simulation runs. It is always a new one: an
    existing one of the same name gets another name."""
    add_property(item, kind="STRING")
    made = GameData(item).properties[-1]
    made.name = name
    made.value = value
    made.show_debug = True


def save_file(path: str, *, check_existing: bool, compress: bool) -> None:
    """Saves the open file, under another name if given. Raises WriteError."""
    named = path or bpy.data.filepath
    if not named:
        raise WriteError("the file has no name yet: give one to save it")
    try:
        bpy.ops.wm.save_as_mainfile(
            filepath=named, check_existing=check_existing, compress=compress
        )
    except RuntimeError as error:
        reason = str(error).strip().rsplit(": ", 1)[-1]
        raise WriteError(f"cannot write {quote(named)}: {reason}") from error


_SHADINGS = {
    "BOUNDBOX": "WIREFRAME",
    "WIREFRAME": "WIREFRAME",
    "SOLID": "SOLID",
    "TEXTURED": "MATERIAL",
    "MATERIAL": "MATERIAL",
    "RENDERED": "RENDERED",
}
_PERSPECTIVES = ("CAMERA", "PERSP", "ORTHO")


def find_window() -> Any:
    """Returns the window of the script, else the first: Blender in the background keeps its start
    file's. Raises BuildError if there is none."""
    window = _first_window()
    if window is None:
        raise BuildError("Blender has no window here, so no scene can be shown")
    return window


def show_scene(scene: Any) -> None:
    """Makes a scene the active one for scripts."""
    find_window().scene = scene
    add_to_scene()


def add_to_scene() -> None:
    """Lets new objects go into the scene itself."""
    view_layer = find_window().view_layer
    view_layer.active_layer_collection = view_layer.layer_collection


def set_viewport(viewport_shade: str = "WIREFRAME", clip_end: float = 1000) -> None:
    """Sets how all views of the window draw, and how far (metres). Raises TypeError for a mode that
    Blender 2.7 did not have."""
    shading = _SHADINGS[check_choice(viewport_shade, tuple(_SHADINGS))]
    for space in _views():
        space.shading.type = shading
        space.clip_end = clip_end


def set_viewport_perspective(perspective: str = "CAMERA") -> None:
    """Sets how all views of the window look: through the camera, PERSP or ORTHO. Raises TypeError
    for anything else."""
    check_choice(perspective, _PERSPECTIVES)
    for space in _views():
        space.region_3d.view_perspective = perspective


def _views() -> Iterator[Any]:
    window = _first_window()
    for area in window.screen.areas if window else ():
        if area.type == "VIEW_3D":
            yield from (space for space in area.spaces if space.type == "VIEW_3D")


def _first_window() -> Any | None:
    windows = bpy.context.window_manager.windows
    return bpy.context.window or (windows[0] if windows else None)
