# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras, which look along +x with z up: Camera for colours, RangeFinder for depths."""

from dataclasses import replace

from .....core.kinematics.sensor_frames import WIDEST_PLANE, frame_of_camera
from .....core.model import Camera, CameraSensor, Lens
from ..vrml import Node, Value, keep_given
from .plan import DevicePlan, find_deviation


def plan_cameras(sensor: CameraSensor, notes: list[str]) -> list[DevicePlan]:
    """Plans the devices of each camera of a sensor: both for colours and depths from one place,
    with one size and field of view, where it has both."""
    devices = []
    for camera in sensor.cameras:
        if sensor.kind == "depth":
            devices.append(_plan_depth(sensor, camera, sensor.name))
        elif sensor.kind == "rgbd":
            devices.append(_plan_camera(sensor, camera, f"{sensor.name}_color", notes))
            devices.append(_plan_depth(sensor, camera, f"{sensor.name}_depth"))
        else:
            name = f"{sensor.name}_{camera.label}" if camera.label else sensor.name
            devices.append(_plan_camera(sensor, camera, name, notes))
    return devices


def _plan_camera(sensor: CameraSensor, camera: Camera, name: str, notes: list[str]) -> DevicePlan:
    fields = _plan_size(sensor, camera)
    fields |= {"near": camera.near, "far": camera.far}
    if camera.noise.deviation:
        fields["noise"] = camera.noise.deviation
    if camera.lens is not None:
        fields["lens"] = _plan_lens(camera.lens)
    if not camera.is_color:
        notes.append("its pictures are coloured")
    find_deviation(camera.noise, notes)
    return _make(sensor, camera, name, fields)


def _plan_depth(sensor: CameraSensor, camera: Camera, name: str) -> DevicePlan:
    fields = _plan_size(sensor, camera)
    near, far = camera.depth
    fields |= {"near": near, "minRange": near, "maxRange": far}
    if camera.noise.deviation:
        fields["noise"] = camera.noise.deviation / far
    return replace(
        _make(sensor, camera, name, fields), kind="RangeFinder", stream=sensor.depth_stream
    )


def _make(sensor: CameraSensor, camera: Camera, name: str, fields: dict[str, Value]) -> DevicePlan:
    frame = frame_of_camera(sensor, camera)
    return DevicePlan(
        kind="Camera", wanted_name=name, frame=frame, fields=fields, stream=camera.stream
    )


def _plan_size(sensor: CameraSensor, camera: Camera) -> dict[str, Value]:
    """Plans size and field of view. A plane takes less than half a turn."""
    is_wide = camera.field_of_view > WIDEST_PLANE
    fields = {
        "fieldOfView": camera.field_of_view,
        "width": camera.width,
        "height": camera.height,
        "projection": "spherical" if sensor.kind == "wide" else "cylindrical" if is_wide else None,
    }
    return keep_given(fields)


def _plan_lens(lens: Lens) -> Node:
    fields = {
        "radialCoefficients": lens.radial,
        "tangentialCoefficients": lens.tangential,
        "center": lens.center,
    }
    return Node("Lens", keep_given(fields))
