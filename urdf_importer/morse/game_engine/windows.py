# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown: the scene, and how views look at it. Without a window only the scene counts."""

from collections.abc import Iterator
from typing import Any

import bpy

from ...diagnostics import BuildError
from .settings import check_choice

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
    """The window of the script, else the first: Blender in the background keeps that of its start
    file. Raises BuildError where there is none."""
    window = _first_window()
    if window is None:
        raise BuildError("Blender has no window here, so no scene can be shown")
    return window


def show_scene(scene: Any) -> None:
    """Makes a scene the one that scripts work on."""
    find_window().scene = scene
    add_to_scene()


def add_to_scene() -> None:
    """Lets what is added go into the scene itself."""
    view_layer = find_window().view_layer
    view_layer.active_layer_collection = view_layer.layer_collection


def set_viewport(viewport_shade: str = "WIREFRAME", clip_end: float = 1000) -> None:
    """How all views of the window draw, and how far (metres). Raises TypeError for a way to draw
    that Blender 2.7 had not."""
    shading = _SHADINGS[check_choice(viewport_shade, tuple(_SHADINGS))]
    for space in _views():
        space.shading.type = shading
        space.clip_end = clip_end


def set_viewport_perspective(perspective: str = "CAMERA") -> None:
    """How all views of the window look: through the camera, PERSP or ORTHO. Raises TypeError for
    anything else."""
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
