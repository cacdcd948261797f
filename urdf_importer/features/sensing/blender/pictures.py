# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the scene as it is, by Cycles, in a copy of the scene that is gone afterwards."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np
from numpy.typing import NDArray

from ....core.blender.standing.display import walk_layers
from ....core.diagnostics import BuildError
from ....core.images import decode_image
from ....core.interrupts import hold_interrupt
from ....core.sensors.intrinsics import BLENDER_FROM_OPTICAL, SENSOR_WIDTH, lens_of_matrix
from ..dataset import Shot

Picture = NDArray[np.uint8]
_LEAST = 4
"""Pixels of Blender's pictures in each direction."""


def render_view(
    view: Shot,
    samples: int,
    *,
    hidden: frozenset[Any] = frozenset(),
    fisheye: float = 0.0,
    denoise: bool = False,
) -> Picture:
    """Renders the current scene, without the collections `hidden`, into (height, width, 3); by a
    fisheye of so many radians in place of K, where these are given. With `denoise` the scene's own
    setting for that counts. The scene stays as it is, and so does everything else in the file.
    Raises BuildError."""
    if bpy.app.is_job_running("RENDER"):
        raise BuildError("Blender is rendering; a sensor can take its picture when that is done")
    if min(view.width, view.height) < _LEAST:
        raise BuildError(
            f"a picture of {view.width} x {view.height} pixels cannot be rendered; "
            f"{_LEAST} x {_LEAST} are the least"
        )
    with _scene_for(view, hidden, fisheye) as scene, tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "picture.bmp")
        scene.render.filepath, scene.cycles.samples = str(path), samples
        scene.cycles.use_denoising &= denoise
        try:
            with hold_interrupt():
                bpy.ops.render.render(write_still=True, scene=scene.name)
            found = decode_image(path.read_bytes())
        except (RuntimeError, OSError) as error:
            raise BuildError(f"the picture cannot be rendered: {error}") from None
    if found is None or found.shape[:2] != (view.height, view.width):
        raise BuildError("the picture cannot be rendered: Blender wrote none")
    return np.ascontiguousarray(found[..., :3])


def has_lights() -> bool:
    """Whether the current scene has a light that is rendered; surfaces that glow and the sky are
    not looked at."""
    lights = (item for item in bpy.context.scene.objects if item.type == "LIGHT")
    return any(not item.hide_render and item.data.energy > 0.0 for item in lights)


@contextmanager
def _scene_for(view: Shot, hidden: frozenset[Any], fisheye: float) -> Iterator[Any]:
    """Gives a copy of the scene with a camera of its own: resolution and aspect of pixels are the
    scene's, so the user's cannot serve."""
    results = set(bpy.data.images)
    scene = bpy.context.scene.copy()
    data = bpy.data.cameras.new("Sensor")
    camera = bpy.data.objects.new("Sensor", data)
    try:
        scene.collection.objects.link(camera)
        scene.camera = camera
        camera.matrix_world = mathutils.Matrix((view.world @ BLENDER_FROM_OPTICAL).tolist())
        _set_up(scene, view)
        _aim(scene, data, view, fisheye)
        for layer in scene.view_layers:
            for each in walk_layers(layer.layer_collection):
                if each.collection in hidden:
                    each.exclude = True
        yield scene
    finally:
        bpy.data.scenes.remove(scene)
        made = [camera, data, *(image for image in bpy.data.images if image not in results)]
        bpy.data.batch_remove(made)


def _set_up(scene: Any, view: Shot) -> None:
    render = scene.render
    try:
        render.engine = "CYCLES"
    except TypeError:
        raise BuildError("a picture needs Cycles, which this Blender has not enabled") from None
    render.resolution_x, render.resolution_y = view.width, view.height
    render.resolution_percentage = 100
    render.use_border = render.use_crop_to_border = render.use_motion_blur = False
    render.use_file_extension = render.use_multiview = False
    render.use_compositing = render.use_sequencer = False
    render.film_transparent = False
    render.dither_intensity = 0.0
    settings = render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    # Without compression: quicker to read.
    settings.file_format, settings.color_mode = "BMP", "RGB"
    scene.view_settings.view_transform = "Standard"
    scene.cycles.use_adaptive_sampling = False


def _aim(scene: Any, data: Any, view: Shot, fisheye: float) -> None:
    data.clip_start, data.clip_end = view.near, view.far
    data.sensor_fit, data.sensor_width = "HORIZONTAL", SENSOR_WIDTH
    render = scene.render
    render.pixel_aspect_x = render.pixel_aspect_y = 1.0
    if fisheye:
        data.type = "PANO"
        # Blender 5 has the kinds of panoramas itself, before they were Cycles'.
        lens = data if hasattr(data, "panorama_type") else data.cycles
        lens.panorama_type = "FISHEYE_EQUIDISTANT"
        lens.fisheye_fov = fisheye
        return
    lens = lens_of_matrix(view.K, view.width, view.height)
    data.lens, data.shift_x, data.shift_y = lens.lens, lens.shift_x, lens.shift_y
    render.pixel_aspect_x, render.pixel_aspect_y = lens.aspect_x, lens.aspect_y
