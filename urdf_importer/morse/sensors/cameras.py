# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's cameras: VideoCamera for colours, DepthCamera for points, SemanticCamera for names.

All three take the same properties. `cam_focal` is in millimetres for a sensor that is 32 wide along
the larger side of the picture: the game engine fits it there, whatever Blender camera is used.
"""

import math

from ...sensors.cameras import (
    WIDEST_PLANE,
    Picture,
    kind_of,
    point_cloud_topic,
    read_field_of_view,
    read_pictures,
)
from ...sensors.reading import WrittenSensor, frame_of
from ...sensors.streams import read_stream
from .plan import ComponentPlan, Properties

_HALF_SENSOR = 16.0
_LEAST_FOCAL = 1.0
"""Of Blender's cameras, both in millimetres."""
_NARROWEST = 1e-4
_LEAST_PIXELS = 4
"""Of a scene's picture in Blender; MORSE makes a scene for each size."""
_LOGICAL_WIDTH = 512


def plan_cameras(sensor: WrittenSensor, notes: list[str]) -> list[ComponentPlan]:
    kind = kind_of(sensor)
    plans = []
    for picture in read_pictures(sensor):
        if kind != "depth":
            suffix = "color" if kind == "rgbd" else picture.label
            plans.append(_plan_video(sensor, picture, suffix, notes))
        if kind in ("depth", "rgbd"):
            suffix = "depth" if kind == "rgbd" else ""
            plans.append(_plan_depth(sensor, picture, suffix, notes))
    return plans


def plan_logical(sensor: WrittenSensor, notes: list[str]) -> list[ComponentPlan]:
    """Plans the camera that sees objects with their names and places."""
    place = sensor.element.find("logical_camera") or sensor.element
    near = max(place.number("near") or 0.0, 1e-3)
    far = place.number("far") or 1.0
    aspect = min(max(place.number("aspect_ratio") or 1.0, 0.01), 100.0)
    width, height = _LOGICAL_WIDTH, max(round(_LOGICAL_WIDTH / aspect), _LEAST_PIXELS)
    notes.append("it sees objects that have the property Object")
    frame = frame_of(sensor.element, sensor.dialect, looks=True)
    focal = _find_focal(read_field_of_view(sensor, place), width, height, notes)
    properties = _make_properties(width, height, focal, near, far if far > near else near + 1.0)
    return [
        ComponentPlan(
            component="SemanticCamera",
            frame=frame,
            properties=(*properties, ("relative", True)),
            topic=read_stream(sensor.element).topic,
        )
    ]


def _plan_video(
    sensor: WrittenSensor, picture: Picture, suffix: str, notes: list[str]
) -> ComponentPlan:
    properties = _plan_picture(sensor, picture, (picture.near, picture.far), notes)
    if not picture.is_color:
        notes.append("its pictures are coloured")
    if picture.lens is not None:
        notes.append("its lens does not distort")
    return ComponentPlan(
        component="VideoCamera",
        frame=picture.frame,
        properties=properties,
        suffix=suffix,
        topic=picture.stream.topic,
    )


def _plan_depth(
    sensor: WrittenSensor, picture: Picture, suffix: str, notes: list[str]
) -> ComponentPlan:
    properties = _plan_picture(sensor, picture, picture.depth, notes)
    notes.append("its depths are points in space, not a picture")
    return ComponentPlan(
        component="DepthCamera",
        frame=picture.frame,
        properties=properties,
        suffix=suffix,
        topic=point_cloud_topic(sensor),
    )


def _plan_picture(
    sensor: WrittenSensor, picture: Picture, clip: tuple[float, float], notes: list[str]
) -> Properties:
    width, height = (max(size, _LEAST_PIXELS) for size in (picture.width, picture.height))
    if sensor.type == "wide":
        notes.append("its picture is plane")
    if picture.noise:
        notes.append("it has no noise")
    if height > width:
        notes.append("MORSE's intrinsic matrix is wrong for pictures that are higher than wide")
    focal = _find_focal(picture.field_of_view, width, height, notes)
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
