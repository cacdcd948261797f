# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking through a sensor's camera: for that time the scene has the sensor's camera, resolution
and aspect of pixels. The scene's own are kept on the scene, so that undo, a saved file and another
session can give them back."""

from collections.abc import Collection
from typing import Any

import bpy

from ....core.diagnostics import BuildError, quote
from ....core.sensors.intrinsics import lens_of_matrix
from ....core.sensors.placed import PlacedSensor

_BEFORE = "urdf_before_looking"
_RENDER = (
    "resolution_x", "resolution_y", "resolution_percentage", "use_border",
    "pixel_aspect_x", "pixel_aspect_y",
)  # fmt: skip


def look_through(scene: Any, sensor: PlacedSensor) -> None:
    """Gives a scene the camera of a sensor, its resolution and the aspect of its pixels. Raises
    BuildError for a sensor without plane pictures, or without an object."""
    if sensor.K is None or sensor.width is None or sensor.height is None:
        raise BuildError(f"sensor {quote(sensor.name)} takes no plane pictures to look at")
    camera = scene.objects.get(sensor.object) if sensor.object else None
    if camera is None or camera.type != "CAMERA":
        raise BuildError(f"sensor {quote(sensor.name)} has no camera in this scene")
    if _BEFORE not in scene:
        before = {name: getattr(scene.render, name) for name in _RENDER}
        camera_before = scene.camera.name if scene.camera is not None else ""
        scene[_BEFORE] = before | {"camera": camera_before}
    render = scene.render
    lens = lens_of_matrix(sensor.K, sensor.width, sensor.height)
    render.resolution_x, render.resolution_y = sensor.width, sensor.height
    render.resolution_percentage, render.use_border = 100, False
    render.pixel_aspect_x, render.pixel_aspect_y = lens.aspect_x, lens.aspect_y
    scene.camera = camera


def look_back(scene: Any) -> None:
    """Undoes look_through; does nothing where a scene has its own camera."""
    before = scene.get(_BEFORE)
    if before is None:
        return
    for name in _RENDER:
        setattr(scene.render, name, before[name])
    scene.camera = bpy.data.objects.get(before["camera"])
    del scene[_BEFORE]


def look_back_from(cameras: Collection[Any]) -> None:
    """Undoes look_through in the scenes that look through one of these, before they are removed."""
    for scene in bpy.data.scenes:
        if find_looked(scene) in cameras:
            look_back(scene)


def keep_of(scene: Any) -> Any | None:
    """Returns the view that a scene had before it looked through a sensor; None where it does
    not.
    """
    return scene.get(_BEFORE)


def find_looked(scene: Any) -> Any | None:
    """Finds the camera of a sensor that a scene looks through; None where it does not, also where
    the user chose another camera since."""
    return scene.camera if _BEFORE in scene else None
