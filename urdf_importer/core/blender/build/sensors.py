# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of sensors in a scene: cameras of Blender, wires along the rays of scanners, empties
in the frames of all others. They see and measure nothing by themselves."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...model import Lidar, Sonar
from ...sensors.intrinsics import BLENDER_FROM_OPTICAL, SENSOR_WIDTH, lens_of_matrix
from ...sensors.placed import PlacedSensor
from ...sensors.rays import draw_fan
from ..ledger import Ledger
from ..standing import properties
from ..standing.armatures import objects_of
from .links import lock, place

_CAMERA_SHARE, _EMPTY_SHARE, _FAN_SHARE = 0.06, 0.04, 1.5
"""Sizes as shares of the robot's size."""
_LENS = ("type", "sensor_fit", "sensor_width", "lens", "shift_x", "shift_y")
_CLIP = ("clip_start", "clip_end")


def sensor_objects(armature: Any) -> dict[str, Any]:
    """Returns the objects of a robot's sensors by the sensors' names; of copies that the user made
    the first. Takes time for every object below the robot."""
    found: dict[str, Any] = {}
    for item in objects_of(armature):
        name = item.get(properties.SENSOR)
        if name is not None and item.get(properties.PART) == properties.SENSORS:
            found.setdefault(str(name), item)
    return found


def build_sensors(
    sensors: Iterable[PlacedSensor],
    links: Mapping[str, Any],
    collection: Any,
    size: float,
    ledger: Ledger,
) -> dict[str, Any]:
    """Makes the objects of sensors on the empties of their links, into a collection, and returns
    them by name. `size` is the robot's, in metres."""
    made = {}
    for each in sensors:
        if each.link not in links:
            continue
        if each.camera is not None:
            item = _build_camera(each, size, ledger)
        elif isinstance(each.sensor, Lidar | Sonar):
            item = _build_fan(each.name, each.sensor, size, ledger)
        else:
            item = ledger.new_object(each.name, None)
            item.empty_display_type = "ARROWS"
            item.empty_display_size = _EMPTY_SHARE * size
        item.parent = links[each.link]
        place(item, each.frame if each.camera is None else each.frame @ BLENDER_FROM_OPTICAL)
        lock(item)
        item[properties.PART] = properties.SENSORS
        item[properties.SENSOR] = each.name
        collection.objects.link(item)
        made[each.name] = item
    return made


def _build_camera(sensor: PlacedSensor, size: float, ledger: Ledger) -> Any:
    data = ledger.new_camera(sensor.name)
    data.display_size = _CAMERA_SHARE * size
    set_lens(data, sensor)
    return ledger.new_object(sensor.name, data)


def set_lens(data: Any, sensor: PlacedSensor) -> None:
    """Sets the angle, shift and clip of a Blender camera as described. Angles that no plane picture
    can hold make a panorama."""
    assert sensor.camera is not None
    data.clip_start, data.clip_end = sensor.camera.near, sensor.camera.far
    data.sensor_fit, data.sensor_width = "HORIZONTAL", SENSOR_WIDTH
    if sensor.K is None or sensor.width is None or sensor.height is None:
        data.type = "PANO"
        return
    lens = lens_of_matrix(sensor.K, sensor.width, sensor.height)
    data.lens, data.shift_x, data.shift_y = lens.lens, lens.shift_x, lens.shift_y


def copy_lens(old: Any, twin: Any) -> None:
    """Gives a Blender camera the lens and clip of another; other settings of the user stay."""
    for name in (*_LENS, *_CLIP):
        setattr(old, name, getattr(twin, name))


def _build_fan(name: str, sensor: Lidar | Sonar, size: float, ledger: Ledger) -> Any:
    """Rays, which are never rendered, seen through the robot."""
    mesh = ledger.new_mesh(name)
    points, edges = draw_fan(sensor, _FAN_SHARE * size)
    mesh.from_pydata(points.tolist(), edges, ())
    fan = ledger.new_object(name, mesh)
    fan.display_type = "WIRE"
    fan.hide_render = True
    return fan
