# SPDX-License-Identifier: GPL-3.0-or-later
"""A studio in the user's own scene: ground, three lights, and a camera that goes around robots.

All of it lies in one collection of the scene, marked by a property; robots, the world and the rest
of the scene stay unchanged, but for its active camera, which the removal brings back. Light falls
off with the square of the distance, so that robots of any size are as bright.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import bpy
import mathutils
import numpy as np

from ....core.arguments import rigs_of
from ....core.blender.nodes import add_node, node_tree
from ....core.blender.standing.armatures import check_robot
from ....core.blender.standing.keys import find_curves
from ....core.blender.standing.links import visuals_of
from ....core.blender.standing.placing import find_lowest, outline
from ....core.diagnostics import BuildError
from ....core.geometry.transforms import Matrix, Vector
from .studio import Color, find_dark, frame_points, light_only

Turntable = Literal["plate", "camera", "none"]

STUDIO = "urdf_studio"
"""Property of the studio's collection and of its objects: the latter's role."""
_CAMERA_BEFORE = "urdf_camera_before"

_FROM = (1.0, -0.8, 0.45)
"""Where the camera is, seen from the robots: they look along +X, so front and side are seen."""
_LENS = 70.0
_MARGIN = 1.15
_STEPS = 24
"""Directions from which a camera that goes around must see all of the robots."""
_LEAST_SIZE = 1e-3
_GROUND_SHARE = 30.0
_GROUND = (0.25, 0.257, 0.27)
_LIGHTS: tuple[tuple[str, Vector, float, float, Color], ...] = (
    ("Studio Key", np.array((0.9, -1.5, 1.6)), 0.5, 0.8, (1.0, 0.96, 0.91)),
    ("Studio Fill", np.array((1.6, 0.9, 0.8)), 0.13, 1.4, (0.88, 0.94, 1.0)),
    ("Studio Rim", np.array((-1.5, 0.9, 1.5)), 0.4, 0.8, (1.0, 1.0, 1.0)),
)
"""Name, place in sizes of the robots, how bright a white surface that faces it becomes, width in
sizes, colour. Together they stay below 1, so that white robots keep their shape."""


_SHEEN = ("Studio Sheen", np.array((1.4, -1.1, 0.9)), 2.5, 2.5, (1.0, 1.0, 1.0))
"""For dark robots alone: black plastic shows its shape by its reflections."""


def build_studio(
    armatures: Sequence[Any], *, turntable: Turntable = "plate", frames: int = 0
) -> Any:
    """Builds a studio around imported robots, in their present poses, in the scene: ground, three
    lights (a fourth for dark robots) and the active camera, in one collection, which is returned.
    An existing one is replaced. Robots, world and render settings stay unchanged.

    `turntable`: "plate" takes camera and lights around the robots, so that they seem to turn on a
    plate; "camera" the camera alone; "none" nothing. Once around takes `frames` from the scene's
    first frame on, and continues without a jump; 0 means the scene's own range.

    Raises BuildError for an object that is not an imported robot, and without robots.
    """
    armatures = rigs_of(armatures)
    points = _outline_all(armatures)
    scene = bpy.context.scene
    remove_studio()
    home = bpy.data.collections.new("Studio")
    home[STUDIO] = True
    scene.collection.children.link(home)
    low, high = points.min(axis=0), points.max(axis=0)
    low[2] = min((each for each in map(find_lowest, armatures) if each is not None), default=low[2])
    middle = (low + high) / 2
    size = max(float(np.linalg.norm(high - low)), _LEAST_SIZE)
    centre = _put_into(home, bpy.data.objects.new("Studio Turntable", None))
    centre.location = (middle[0], middle[1], low[2])
    centre.empty_display_type, centre.empty_display_size = "PLAIN_AXES", 0.25 * size
    _add_ground(home, low, middle, size)
    lights = [_add_light(home, each, middle, size) for each in _LIGHTS]
    dark = find_dark(shape for each in armatures for shape in visuals_of(each))
    if dark:
        lights.append(_add_light(home, _SHEEN, middle, size))
        light_only(lights[-1], dark)
    camera = _add_camera(home, scene, _turn_around(points, middle, turntable))
    for turned in (camera, *lights) if turntable == "plate" else (camera,):
        turned.parent = centre
        turned.location = turned.location - centre.location
    if turntable != "none":
        _key_turn(centre, scene.frame_start, frames or scene.frame_end - scene.frame_start + 1)
    if scene.camera is not None:
        home[_CAMERA_BEFORE] = scene.camera
    scene.camera = camera
    bpy.context.view_layer.update()
    return home


def remove_studio() -> bool:
    """Removes the scene's studio; the camera that was active before it is so again. Returns whether
    there was one."""
    scene = bpy.context.scene
    home = find_studio(scene)
    if home is None:
        return False
    made = [item for item in home.objects if STUDIO in item]
    before = home.get(_CAMERA_BEFORE)
    if scene.camera in made:
        scene.camera = before if before is not None and before.name in scene.objects else None
    bpy.data.batch_remove(
        [lit for item in made if (lit := item.light_linking.receiver_collection) is not None]
    )
    kinds = [dict.fromkeys(kind) for kind in zip(*map(_data_of, made), strict=True)]
    bpy.data.batch_remove(made)
    for kind in kinds:
        bpy.data.batch_remove([each for each in kind if each is not None and not each.users])
    if home.objects or home.children:
        del home[STUDIO]
    else:
        bpy.data.collections.remove(home)
    return True


def find_studio(scene: Any) -> Any | None:
    """Finds the collection of a scene's studio."""
    return next((each for each in scene.collection.children if STUDIO in each), None)


def _outline_all(armatures: Iterable[Any]) -> Matrix:
    points = []
    for armature in armatures:
        check_robot(armature)
        points.append(outline(armature))
    if not points:
        raise BuildError("a studio is built around robots, and there is none")
    return np.concatenate(points)


def _data_of(item: Any) -> tuple[Any, Any, Any]:
    """Returns the data of a studio's object, or None: action, data, and the data's material."""
    animation = item.animation_data
    action = animation.action if animation is not None else None
    return action, item.data, item.active_material


def _put_into(home: Any, item: Any) -> Any:
    item[STUDIO] = item.name
    home.objects.link(item)
    return item


def _add_ground(home: Any, low: Vector, middle: Vector, size: float) -> None:
    """Adds a disc under the robots, which fades out before it ends."""
    angles = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    corners = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    mesh = bpy.data.meshes.new("Studio Ground")
    mesh.from_pydata((_GROUND_SHARE * size * corners).tolist(), [], [list(range(64))])
    mesh.materials.append(_new_ground_material(size))
    ground = _put_into(home, bpy.data.objects.new("Studio Ground", mesh))
    # A little lower than the robots, or soles on it would flicker.
    ground.location = (middle[0], middle[1], low[2] - 1e-4 * size)
    ground.hide_select = True


def _new_ground_material(size: float) -> Any:
    material = bpy.data.materials.new("Studio Ground")
    tree = node_tree(material)
    place = add_node(tree, "TexCoord").outputs["Object"]
    length = add_node(tree, "VectorMath", {0: place}, operation="LENGTH").outputs["Value"]
    first, last = 0.3 * _GROUND_SHARE * size, 0.98 * _GROUND_SHARE * size
    bounds = {"From Min": first, "From Max": last, "To Min": 1.0, "To Max": 0.0, "Value": length}
    fade = add_node(tree, "MapRange", bounds, interpolation_type="SMOOTHSTEP").outputs["Result"]
    look = {"Base Color": (*_GROUND, 1.0), "Roughness": 0.6, "Alpha": fade}
    shader = add_node(tree, "BsdfPrincipled", look)
    add_node(tree, "OutputMaterial", {"Surface": shader.outputs[0]})
    return material


def _add_light(
    home: Any, kind: tuple[str, Vector, float, float, Color], middle: Vector, size: float
) -> Any:
    """Adds a square light that looks at the middle. At a distance d its power P makes a white
    surface that faces it as bright as P / (pi d)^2."""
    name, aside, brightness, width, color = kind
    light = bpy.data.lights.new(name, "AREA")
    light.size = width * size
    light.color = color
    light.energy = brightness * (math.pi * size) ** 2 * float(aside @ aside)
    lamp = _put_into(home, bpy.data.objects.new(name, light))
    lamp.location = middle + size * aside
    lamp.rotation_euler = mathutils.Vector(aside).to_track_quat("Z", "Y").to_euler()
    return lamp


def _turn_around(points: Matrix, middle: Vector, turntable: Turntable) -> Matrix:
    """Returns the points (n, 3) that the camera must see: for a turntable at every angle."""
    if turntable == "none":
        return points
    turned = []
    for angle in np.linspace(0.0, 2.0 * np.pi, _STEPS, endpoint=False):
        rotation = np.eye(3)
        rotation[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        turned.append((points - middle) @ rotation.T + middle)
    return np.concatenate(turned)


def _add_camera(home: Any, scene: Any, points: Matrix) -> Any:
    render = scene.render
    width = render.resolution_x * render.pixel_aspect_x
    height = render.resolution_y * render.pixel_aspect_y
    view = 18.0 / _LENS / _MARGIN
    longest = max(width, height)
    half = (view * width / longest, view * height / longest)
    frame, nearest, farthest = frame_points(points, np.array(_FROM), half)
    data = bpy.data.cameras.new("Studio Camera")
    data.lens, data.sensor_width = _LENS, 36.0
    data.clip_start, data.clip_end = nearest / 10, 100 * farthest
    camera = _put_into(home, bpy.data.objects.new("Studio Camera", data))
    matrix = mathutils.Matrix(frame.tolist())
    camera.location, camera.rotation_euler = matrix.translation, matrix.to_euler()
    return camera


def _key_turn(centre: Any, first: int, frames: int) -> None:
    """Turns an empty once around in so many frames, evenly and on and on: the frame after the last
    equals the first."""
    for frame, angle in ((first, 0.0), (first + frames, 2.0 * math.pi)):
        centre.rotation_euler.z = angle
        centre.keyframe_insert("rotation_euler", index=2, frame=frame)
    centre.rotation_euler.z = 0.0
    for curve in find_curves(centre) or ():
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
        curve.modifiers.new("CYCLES")
