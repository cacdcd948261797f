# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras, which look along +x with z up: Camera for colours, RangeFinder for depths."""

from ....sensors.cameras import (
    WIDEST_PLANE,
    Lens,
    Picture,
    read_depth_stream,
    read_pictures,
)
from ....sensors.reading import WrittenSensor
from ....sensors.streams import Stream
from ..vrml import Node, Value
from .plan import DevicePlan


def plan_camera(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """A Camera each."""
    devices = []
    for picture in read_pictures(sensor):
        name = f"{sensor.name}_{picture.label}" if picture.label else sensor.name
        devices.append(_camera(sensor, picture, name, notes))
    return devices


def plan_depth(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    (picture,) = read_pictures(sensor)
    return [_depth(sensor, picture, sensor.name, read_depth_stream(sensor, "depth"))]


def plan_rgbd(sensor: WrittenSensor, notes: list[str]) -> list[DevicePlan]:
    """Colours and depths from one place, with one size and field of view."""
    (picture,) = read_pictures(sensor)
    return [
        _camera(sensor, picture, f"{sensor.name}_color", notes),
        _depth(sensor, picture, f"{sensor.name}_depth", read_depth_stream(sensor, "rgbd")),
    ]


def _camera(sensor: WrittenSensor, picture: Picture, name: str, notes: list[str]) -> DevicePlan:
    fields = _size(sensor, picture)
    fields["near"] = picture.near
    fields["far"] = picture.far
    if picture.noise.deviation:
        fields["noise"] = picture.noise.deviation
    if picture.lens is not None:
        fields["lens"] = _lens(picture.lens)
    if not picture.is_color:
        notes.append("its pictures are coloured")
    if picture.noise.mean:
        notes.append("its noise has no mean")
    return DevicePlan(
        kind="Camera", wanted_name=name, frame=picture.frame, fields=fields, stream=picture.stream
    )


def _depth(sensor: WrittenSensor, picture: Picture, name: str, stream: Stream) -> DevicePlan:
    fields = _size(sensor, picture)
    near, far = picture.depth
    fields |= {"near": near, "minRange": near, "maxRange": far}
    if picture.noise.deviation:
        fields["noise"] = picture.noise.deviation / far
    return DevicePlan(
        kind="RangeFinder", wanted_name=name, frame=picture.frame, fields=fields, stream=stream
    )


def _size(sensor: WrittenSensor, picture: Picture) -> dict[str, Value]:
    """Size and field of view. A plane takes less than half a turn."""
    fields: dict[str, Value] = {
        "fieldOfView": picture.field_of_view,
        "width": picture.width,
        "height": picture.height,
    }
    if sensor.type == "wide":
        fields["projection"] = "spherical"
    elif picture.field_of_view > WIDEST_PLANE:
        fields["projection"] = "cylindrical"
    return fields


def _lens(lens: Lens) -> Node:
    fields: dict[str, Value] = {
        "radialCoefficients": lens.radial,
        "tangentialCoefficients": lens.tangential,
    }
    if lens.center is not None:
        fields["center"] = lens.center
    return Node("Lens", fields)
