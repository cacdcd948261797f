# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements, shown: pictures and depths as images, scans and clouds as points in the scene. They
are never rendered, and no sensor sees them."""

from collections.abc import Iterable
from typing import Any

import bpy
import mathutils
import numpy as np

from ....core.blender.standing import properties
from ....core.geometry.transforms import Matrix
from ..reading import Reading

READINGS = "Sensor Readings"
"""The name of the collection."""


def show_reading(robot: str, sensor: str, reading: Reading, frame: Matrix) -> tuple[Any, ...]:
    """Shows a measurement in place of the sensor's last one, and returns the images and the object
    that were made. `frame` (4, 4) is the sensor's in the world: its points stay there when the
    robot moves on."""
    remove_readings(robot, sensor)
    made: list[Any] = []
    title = f"{robot} {sensor}"
    if reading.rgb is not None:
        made.append(_make_image(title, reading.rgb / np.float32(255.0), is_color=True))
    if reading.depth is not None:
        made.append(_make_image(f"{title} depth", reading.depth[..., None], is_color=False))
    if reading.points is not None and len(reading.points):
        made.append(_make_points(title, reading.points, frame))
    for each in made:
        each[properties.READING] = [robot, sensor]
    return tuple(made)


def describe_reading(reading: Reading) -> str:
    """Describes a measurement in a few words."""
    if reading.acceleration is not None and reading.angular_velocity is not None:
        felt, turned = (
            ", ".join(f"{number:.3g}" for number in numbers.round(9) + 0.0)
            for numbers in (reading.acceleration, reading.angular_velocity)
        )
        return f"{felt} m/s2, {turned} rad/s"
    if reading.ranges is not None:
        hits = reading.ranges[np.isfinite(reading.ranges)]
        nearest = f", the nearest at {hits.min():.4g} m" if len(hits) else ""
        return f"{len(hits)} of {reading.ranges.size} rays hit something{nearest}"
    pictures = (("picture", reading.rgb), ("depths", reading.depth))
    found = [(name, pixels.shape) for name, pixels in pictures if pixels is not None]
    return ", ".join(f"{name} of {shape[1]} x {shape[0]}" for name, shape in found)


def remove_readings(robot: str, sensor: str | None = None) -> int:
    """Removes the shown measurements of a robot, or of one sensor of it; returns how many."""
    found = [each for each in _list_shown() if _is_of(each, robot, sensor)]
    meshes = [each.data for each in found if isinstance(each, bpy.types.Object)]
    count = len(found)
    bpy.data.batch_remove([*found, *meshes])
    home = _find_home()
    if home is not None and not home.objects and not home.children:
        bpy.data.collections.remove(home)
    return count


def remove_all_readings(armature: Any) -> None:
    """Removes the shown measurements of a robot before it is deleted."""
    remove_readings(armature.name)


def has_readings(robot: str) -> bool:
    """Whether measurements of a robot are shown."""
    return any(_is_of(each, robot, None) for each in _list_shown())


def _list_shown() -> Iterable[Any]:
    home = _find_home()
    objects = () if home is None else home.objects
    return (each for group in (bpy.data.images, objects) for each in group)


def _is_of(item: Any, robot: str, sensor: str | None) -> bool:
    if properties.READING not in item:
        return False
    of_robot, of_sensor = item[properties.READING]
    return of_robot == robot and sensor in (None, of_sensor)


def _find_home() -> Any | None:
    return next((c for c in bpy.data.collections if c.get(properties.PART) == READINGS), None)


def _make_image(name: str, values: Any, *, is_color: bool) -> Any:
    """Makes an image of rows from above, (h, w, 3) colours or (h, w, 1) metres."""
    height, width = values.shape[:2]
    plain = {"float_buffer": not is_color, "is_data": not is_color}
    image = bpy.data.images.new(name, width, height, **plain)
    pixels = np.ones((height, width, 4), dtype=np.float32)
    pixels[..., :3] = values
    image.pixels.foreach_set(pixels[::-1].ravel())
    image.update()
    image.pack()
    return image


def _make_points(name: str, points: Matrix, frame: Matrix) -> Any:
    home = _find_home()
    if home is None:
        home = bpy.data.collections.new(READINGS)
        home[properties.PART] = READINGS
        home.hide_render = True
    if READINGS not in bpy.context.scene.collection.children:
        bpy.context.scene.collection.children.link(home)
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, dtype=np.float32).ravel())
    mesh.update()
    item = bpy.data.objects.new(name, mesh)
    item.matrix_world = mathutils.Matrix(frame.tolist())
    item.hide_render = True
    home.objects.link(item)
    return item
