# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to take a picture in: camera, light, floor, and the subject.

Cycles on the CPU is the only engine that works on every machine without a graphics driver.
Everything is made in a scene of its own and removed with it: the user's scene, render settings and
materials are never touched.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import bpy
import mathutils
import numpy as np

from ....core.blender.nodes import add_node, node_tree
from ....core.diagnostics import BuildError, WriteError
from ....core.geometry.transforms import Matrix, make_frame
from ....core.images import encode_png
from ....core.interrupts import hold_interrupt

Color = tuple[float, float, float]

_FROM = (1.0, -0.8, 0.5)
"""Where the camera is, seen from the robot: robots look along +X, so front and side are seen."""
_SUN_FROM = (0.55, -0.9, 1.35)
_SUN_WIDTH = math.radians(12)
_SUN_STRENGTH = 1.6
_SUN = (1.0, 0.97, 0.93)
_ZENITH = (0.44, 0.46, 0.5)
"""Light from above; none comes from the horizon, so that undersides and sides are darker. With the
sun, a white surface that faces the light stays below 1: it keeps its shape."""
_HORIZON = (0.22, 0.225, 0.24)
_BACKGROUND = (0.68, 0.695, 0.72)
"""The background of the picture: darker than white in the light, brighter than all else."""
SHEEN = 9.0
"""Light, in W/m2, that black plastic mirrors enough of to show its shape."""
_DARK = 0.05
_LENS = 70.0
_MARGIN = 1.12
_FLOOR_SHARE = 6.0
_RIM = 4
"""Pixels around the picture that are cut off: there the denoiser makes coloured lines."""
_WITH_GRAIN = 1.5
"""Samples are so many times as many where nothing takes the grain out."""


class Studio:
    """Use in a `with` block; all lengths in metres, all frames in world space."""

    def __init__(self, width: int, height: int, samples: int) -> None:
        self._made: list[Any] = []
        self._images = set(bpy.data.images)
        self._scene = bpy.data.scenes.new("Preview")
        self._ratio = width / height
        self._rim = 0
        try:
            self._set_up(width, height, samples)
        except BaseException:
            self._remove()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._remove()

    def _remove(self) -> None:
        bpy.data.scenes.remove(self._scene)
        results = [image for image in bpy.data.images if image not in self._images]
        bpy.data.batch_remove(self._made + results)
        self._made.clear()

    def _set_up(self, width: int, height: int, samples: int) -> None:
        render = self._scene.render
        try:
            render.engine = "CYCLES"
        except TypeError:
            raise BuildError("a picture needs Cycles, which this Blender has not enabled") from None
        render.resolution_percentage = 100
        render.use_file_extension = False
        render.image_settings.file_format = "PNG"
        render.image_settings.color_mode = "RGB"
        self._scene.view_settings.view_transform = "Khronos PBR Neutral"
        cycles = self._scene.cycles
        cycles.device = "CPU"
        if denoise(cycles):
            self._rim = _RIM
            cycles.samples = samples
        else:
            cycles.samples = math.ceil(_WITH_GRAIN * samples)
        render.resolution_x, render.resolution_y = width + 2 * self._rim, height + 2 * self._rim
        cycles.use_adaptive_sampling = False
        cycles.use_light_tree = False
        cycles.max_bounces = 3
        cycles.diffuse_bounces = cycles.glossy_bounces = 1
        cycles.transparent_max_bounces = 128
        # No path ends by chance: costs little here and spares most of the grain.
        cycles.min_light_bounces = 3
        cycles.min_transparent_bounces = 128

    def add(self, shown: Any) -> Any:
        """Puts a new object here; it is removed in the end."""
        self._made.append(shown)
        self._scene.collection.objects.link(shown)
        return shown

    def add_mesh(self, mesh: Any, frame: Matrix) -> Any:
        """Adds an object of a mesh at `frame` (4, 4), which may scale."""
        shown = self.add(bpy.data.objects.new(mesh.name, mesh))
        shown.matrix_world = mathutils.Matrix(frame.tolist())
        return shown

    def new_mesh(
        self, name: str, vertices: Matrix, faces: Sequence[Sequence[int]], material: Any
    ) -> Any:
        """Makes a flat shaded mesh of vertices (n, 3)."""
        mesh = bpy.data.meshes.new(name)
        self._made.append(mesh)
        mesh.from_pydata(vertices.tolist(), [], [list(face) for face in faces])
        mesh.materials.append(material)
        return mesh

    def new_material(self, name: str, color: Color, roughness: float = 0.5) -> Any:
        """Makes an opaque material of a linear colour."""
        material, tree = self._new_node_material(name)
        look = {"Base Color": (*color, 1.0), "Roughness": roughness}
        shader = add_node(tree, "BsdfPrincipled", look)
        add_node(tree, "OutputMaterial", {"Surface": shader.outputs[0]})
        return material

    def new_glass(self, name: str, color: Color) -> Any:
        """Makes a transparent material, denser towards the outline of its object."""
        material, tree = self._new_node_material(name)
        facing = add_node(tree, "LayerWeight", {"Blend": 0.3}).outputs["Facing"]
        density = add_node(tree, "MapRange", {"To Min": 0.07, "To Max": 0.62, "Value": facing})
        side = add_node(tree, "NewGeometry").outputs["Backfacing"]
        outside = add_node(tree, "Math", {0: side, 1: 0.5}, operation="LESS_THAN")
        factors = {0: density.outputs["Result"], 1: outside.outputs[0]}
        shown = add_node(tree, "Math", factors, operation="MULTIPLY")
        glow = add_node(tree, "Emission", {"Color": (*color, 1.0)})
        clear = add_node(tree, "BsdfTransparent")
        parts = enumerate((shown, clear, glow))
        mix = add_node(tree, "MixShader", {place: part.outputs[0] for place, part in parts})
        add_node(tree, "OutputMaterial", {"Surface": mix.outputs[0]})
        return material

    def light(
        self, points: Matrix, shapes: Sequence[Any] = (), ground: float | None = None
    ) -> None:
        """Adds sun, sky, and a floor under the points (n, 3), or at the height `ground`. Of the
        shapes the dark ones get a light of their own."""
        self._build_world()
        self._add_sun("Preview Sun", _SUN_FROM, _SUN_STRENGTH, _SUN_WIDTH)
        dark = find_dark(shapes)
        if dark:
            lamp = self._add_sun("Preview Sheen", _FROM, SHEEN, math.pi)
            self._made.append(light_only(lamp, dark))
        self._build_floor(points, ground)

    def _add_sun(self, name: str, place: Sequence[float], strength: float, width: float) -> Any:
        sun = bpy.data.lights.new(name, "SUN")
        self._made.append(sun)
        sun.energy, sun.angle, sun.color = strength, width, _SUN
        lamp = self.add(bpy.data.objects.new(name, sun))
        direction = mathutils.Vector(place)
        lamp.matrix_world = direction.to_track_quat("Z", "Y").to_matrix().to_4x4()
        return lamp

    def _build_world(self) -> None:
        """Builds a world of one colour for the camera; as light it has two, by height."""
        world = bpy.data.worlds.new("Preview World")
        self._made.append(world)
        self._scene.world = world
        # Rays that leave the scene find this light well enough; aiming at it only adds noise.
        world.cycles.sampling_method = "NONE"
        tree = node_tree(world)
        seen = add_node(tree, "Background", {"Color": (*_BACKGROUND, 1.0)})
        light = add_node(tree, "Background", {"Color": _sky_color(tree)})
        rays = add_node(tree, "LightPath").outputs["Is Camera Ray"]
        choice = add_node(tree, "MixShader", {0: rays, 1: light.outputs[0], 2: seen.outputs[0]})
        add_node(tree, "OutputWorld", {"Surface": choice.outputs[0]})

    def _build_floor(self, points: Matrix, ground: float | None) -> None:
        """Builds a floor as bright as the background where no shadow falls, so it has no edge and
        no horizon."""
        low, high = points.min(axis=0), points.max(axis=0)
        radius = _FLOOR_SHARE * float(np.linalg.norm(high - low))
        frame = np.diag([radius, radius, radius, 1.0])
        height = low[2] if ground is None else ground
        frame[:3, 3] = [*((low + high) / 2)[:2], height - 1e-4 * radius]
        corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], float)
        mesh = self.new_mesh("Preview Floor", corners, [(0, 1, 2, 3)], self._new_floor_material())
        self.add_mesh(mesh, frame)

    def _new_floor_material(self) -> Any:
        material, tree = self._new_node_material("Preview Floor")
        height = _SUN_FROM[2] / math.sqrt(sum(part * part for part in _SUN_FROM))
        sunlight = _SUN_STRENGTH * height / math.pi
        color = [
            seen
            / (low + (high - low) * 2 / 3 + sunlight * sun)  # The mean of the sky over cosines.
            for seen, low, high, sun in zip(_BACKGROUND, _HORIZON, _ZENITH, _SUN, strict=True)
        ]
        diffuse = add_node(tree, "BsdfDiffuse", {"Color": (*color, 1.0)})
        add_node(tree, "OutputMaterial", {"Surface": diffuse.outputs[0]})
        return material

    def _new_node_material(self, name: str) -> tuple[Any, Any]:
        material = bpy.data.materials.new(name)
        self._made.append(material)
        return material, node_tree(material)

    def aim(self, points: Matrix) -> None:
        """Puts the camera where all points (n, 3) are in the picture, with a margin."""
        data = bpy.data.cameras.new("Preview Camera")
        self._made.append(data)
        data.sensor_fit = "HORIZONTAL" if self._ratio >= 1 else "VERTICAL"
        render = self._scene.render
        longest = max(render.resolution_x, render.resolution_y)
        data.sensor_width = data.sensor_height = 36.0 * longest / (longest - 2 * self._rim)
        data.lens = _LENS
        view = 18.0 / _LENS / _MARGIN
        half = (view, view / self._ratio) if self._ratio >= 1 else (view * self._ratio, view)
        frame, nearest, farthest = frame_points(points, np.array(_FROM), half)
        data.clip_start, data.clip_end = nearest / 2, 100 * farthest
        camera = self.add(bpy.data.objects.new("Preview Camera", data))
        camera.matrix_world = mathutils.Matrix(frame.tolist())
        self._scene.camera = camera

    def render(self, path: Path, shown: str) -> None:
        """Writes the picture. Raises WriteError, in whose sentence the file is called `shown`."""
        self._scene.render.filepath = str(path)
        try:
            with hold_interrupt():
                bpy.ops.render.render(write_still=True, scene=self._scene.name)
        except RuntimeError as error:
            reason = str(error).strip().rsplit(": ", 1)[-1]
            raise WriteError(
                f"cannot render {shown}: {reason.replace(str(path), shown)}"
            ) from error
        if self._rim:
            path.write_bytes(_cut_rim(path, self._rim))


def find_dark(shapes: Iterable[Any]) -> list[Any]:
    """Finds the shapes that common light shows only in outline: all of their materials are nearly
    black, and none has an image."""
    return [
        shape
        for shape in shapes
        if shape.material_slots and all(_is_dark(slot.material) for slot in shape.material_slots)
    ]


def _is_dark(material: Any) -> bool:
    tree = material.node_tree if material is not None else None
    if tree is None or any(node.type == "TEX_IMAGE" for node in tree.nodes):
        return False
    return bool(max(material.diffuse_color[:3]) < _DARK)


def light_only(lamp: Any, shapes: Iterable[Any]) -> Any:
    """Lets a lamp light these objects alone; returns their light-linking collection."""
    lit = bpy.data.collections.new(lamp.name)
    for shape in shapes:
        lit.objects.link(shape)
    lamp.light_linking.receiver_collection = lit
    return lit


def frame_points(
    points: Matrix, direction: Matrix, half: tuple[float, float]
) -> tuple[Matrix, float, float]:
    """Returns the camera's frame (4, 4), looking along its -Z, in which all points (n, 3) are just
    seen, and the distances of the nearest and the farthest point along the view.

    `direction` (3,) leads from the points to the camera; `half` are the tangents of half the view's
    width and height.
    """
    back = direction / np.linalg.norm(direction)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(back, right), back])
    seen = points @ axes.T
    place = np.empty(3)
    depths = []
    for axis in (0, 1):
        above = (seen[:, axis] + half[axis] * seen[:, 2]).max()
        below = (-seen[:, axis] + half[axis] * seen[:, 2]).max()
        place[axis] = (above - below) / 2
        depths.append((above + below) / 2 / half[axis])
    place[2] = max(depths)
    frame = make_frame(axes.T, axes.T @ place)
    return frame, float(place[2] - seen[:, 2].max()), float(place[2] - seen[:, 2].min())


def denoise(cycles: Any) -> bool:
    """Takes the grain out of the picture, where this Blender has Intel's denoiser; returns whether
    it has."""
    try:
        cycles.denoiser = "OPENIMAGEDENOISE"
    except TypeError:
        cycles.use_denoising = False
        return False
    cycles.use_denoising = True
    # The best quality costs a third of the whole picture, and shows nowhere.
    cycles.denoising_prefilter = cycles.denoising_quality = "FAST"
    return True


def _cut_rim(path: Path, rim: int) -> bytes:
    """Returns a PNG of a PNG without its outer pixels."""
    image = bpy.data.images.load(str(path))
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    rows = pixels.reshape(*tuple(image.size)[::-1], -1)[rim:-rim, rim:-rim, :3]
    bpy.data.images.remove(image)
    return encode_png(np.ascontiguousarray(np.rint(255.0 * rows[::-1]).astype(np.uint8)))


def _sky_color(tree: Any) -> Any:
    """Adds the sky's colour, by the height of a direction; returns the socket. Below the horizon it
    is the horizon's."""
    place = add_node(tree, "TexCoord").outputs["Generated"]
    parts = add_node(tree, "SeparateXYZ", {0: place})
    ramp = add_node(tree, "ValToRGB", {"Fac": parts.outputs["Z"]})
    for element, color in zip(ramp.color_ramp.elements, (_HORIZON, _ZENITH), strict=True):
        element.color = (*color, 1.0)
    return ramp.outputs["Color"]
