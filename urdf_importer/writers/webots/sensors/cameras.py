# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras, which look along +x with z up: Camera for colours, RangeFinder for depths."""

from ....kinematics.sensor_frames import WIDEST_PLANE, frame_of_camera
from ....model import Camera, CameraSensor, Lens
from ..vrml import Node, Value
from .plan import DevicePlan


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
    fields["near"] = camera.near
    fields["far"] = camera.far
    if camera.noise.deviation:
        fields["noise"] = camera.noise.deviation
    if camera.lens is not None:
        fields["lens"] = _plan_lens(camera.lens)
    if not camera.is_color:
        notes.append("its pictures are coloured")
    if camera.noise.mean:
        notes.append("its noise has no mean")
    frame = frame_of_camera(sensor, camera)
    return DevicePlan(
        kind="Camera", wanted_name=name, frame=frame, fields=fields, stream=camera.stream
    )


def _plan_depth(sensor: CameraSensor, camera: Camera, name: str) -> DevicePlan:
    fields = _plan_size(sensor, camera)
    near, far = camera.depth
    fields |= {"near": near, "minRange": near, "maxRange": far}
    if camera.noise.deviation:
        fields["noise"] = camera.noise.deviation / far
    frame, stream = frame_of_camera(sensor, camera), sensor.depth_stream
    return DevicePlan(
        kind="RangeFinder", wanted_name=name, frame=frame, fields=fields, stream=stream
    )


def _plan_size(sensor: CameraSensor, camera: Camera) -> dict[str, Value]:
    """Plans size and field of view. A plane takes less than half a turn."""
    fields: dict[str, Value] = {
        "fieldOfView": camera.field_of_view,
        "width": camera.width,
        "height": camera.height,
    }
    if sensor.kind == "wide":
        fields["projection"] = "spherical"
    elif camera.field_of_view > WIDEST_PLANE:
        fields["projection"] = "cylindrical"
    return fields


def _plan_lens(lens: Lens) -> Node:
    fields: dict[str, Value] = {
        "radialCoefficients": lens.radial,
        "tangentialCoefficients": lens.tangential,
    }
    if lens.center is not None:
        fields["center"] = lens.center
    return Node("Lens", fields)
