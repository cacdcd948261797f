# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's cameras: VideoCamera for colours, DepthCamera for points, SemanticCamera for names.

All three take the same properties. `cam_focal` is in millimetres for a sensor that is 32 wide along
the larger side of the picture: the game engine fits it there, whatever Blender camera is used.
"""

import math

from urdf_importer.core.kinematics.sensor_frames import WIDEST_PLANE, frame_of, frame_of_camera
from urdf_importer.core.model import Camera, CameraSensor, LogicalCamera

from .plan import ComponentPlan, Properties

_HALF_SENSOR = 16.0
_LEAST_FOCAL = 1.0
"""Of Blender's cameras, both in millimetres."""
_NARROWEST = 1e-4
_LEAST_PIXELS = 4
"""Of a scene's picture in Blender; MORSE makes a scene for each size."""
_LOGICAL_WIDTH = 512


def plan_cameras(sensor: CameraSensor, notes: list[str]) -> list[ComponentPlan]:
    """Plans a VideoCamera, a DepthCamera or both for each camera of a sensor."""
    kind = sensor.kind
    plans = []
    for camera in sensor.cameras:
        if kind != "depth":
            suffix = "color" if kind == "rgbd" else camera.label
            plans.append(_plan_video(sensor, camera, suffix, notes))
        if kind in ("depth", "rgbd"):
            suffix = "depth" if kind == "rgbd" else ""
            plans.append(_plan_depth(sensor, camera, suffix, notes))
    return plans


def plan_logical(sensor: LogicalCamera, notes: list[str]) -> list[ComponentPlan]:
    """Plans a sensor that sees objects with their names and places."""
    near, far = max(sensor.near, 1e-3), sensor.far
    aspect = min(max(sensor.aspect, 0.01), 100.0)
    width, height = _LOGICAL_WIDTH, max(round(_LOGICAL_WIDTH / aspect), _LEAST_PIXELS)
    notes.append("it sees objects that have the property Object")
    focal = _find_focal(sensor.field_of_view, width, height, notes)
    properties = _make_properties(width, height, focal, near, far if far > near else near + 1.0)
    return [
        ComponentPlan(
            component="SemanticCamera",
            frame=frame_of(sensor),
            properties=(*properties, ("relative", True)),
            topic=sensor.stream.topic,
        )
    ]


def _plan_video(
    sensor: CameraSensor, camera: Camera, suffix: str, notes: list[str]
) -> ComponentPlan:
    properties = _plan_picture(sensor, camera, (camera.near, camera.far), notes)
    if not camera.is_color:
        notes.append("its pictures are coloured")
    if camera.lens is not None:
        notes.append("its lens does not distort")
    return ComponentPlan(
        component="VideoCamera",
        frame=frame_of_camera(sensor, camera),
        properties=properties,
        suffix=suffix,
        topic=camera.stream.topic,
    )


def _plan_depth(
    sensor: CameraSensor, camera: Camera, suffix: str, notes: list[str]
) -> ComponentPlan:
    properties = _plan_picture(sensor, camera, camera.depth, notes)
    notes.append("its depths are points in space, not a picture")
    return ComponentPlan(
        component="DepthCamera",
        frame=frame_of_camera(sensor, camera),
        properties=properties,
        suffix=suffix,
        topic=sensor.points_topic,
    )


def _plan_picture(
    sensor: CameraSensor, camera: Camera, clip: tuple[float, float], notes: list[str]
) -> Properties:
    width, height = (max(size, _LEAST_PIXELS) for size in (camera.width, camera.height))
    if sensor.kind == "wide":
        notes.append("its picture is plane")
    if camera.noise:
        notes.append("it has no noise")
    if height > width:
        notes.append("MORSE's intrinsic matrix is wrong for pictures that are higher than wide")
    focal = _find_focal(camera.field_of_view, width, height, notes)
    return _make_properties(width, height, focal, *clip)


def _find_focal(angle: float, width: int, height: int, notes: list[str]) -> float:
    """Returns the focal length for the angle across, in radians."""
    larger = max(width, height) / width
    held = min(max(angle, _NARROWEST), WIDEST_PLANE)
    focal = max(_HALF_SENSOR / (math.tan(0.5 * held) * larger), _LEAST_FOCAL)
    seen = 2.0 * math.atan2(_HALF_SENSOR, focal * larger)
    if not math.isclose(seen, angle):
        degrees = f"{math.degrees(seen):.3g} degrees across, not {math.degrees(angle):.3g}"
        notes.append(f"it sees {degrees}")
    return focal


def _make_properties(width: int, height: int, focal: float, near: float, far: float) -> Properties:
    return (
        ("cam_width", width),
        ("cam_height", height),
        ("cam_focal", focal),
        ("cam_near", near),
        ("cam_far", far),
    )
