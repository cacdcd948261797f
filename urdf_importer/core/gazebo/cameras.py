# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras of all kinds: their frames, images, and ROS topics."""

import math
from dataclasses import replace
from typing import cast

from ..markup.elements import ExtraElement
from ..model import IDENTITY, Camera, CameraSensor, Intrinsics, Lens, LogicalCamera, Pose, Stream
from ..model.sensor import CameraKind
from .parts import CLOUD_TOPICS, DEPTH_TOPICS, Head, find_topic, plugin_files, read_noise, read_pose

_WIDTH, _HEIGHT, _FIELD_OF_VIEW = 320, 240, 1.047
_NEAR, _FAR = 0.1, 100.0
_LEAST_NEAR = 0.001
_MOST_PIXELS = 16384
# Plugins of classic depth sensors that publish colours as well.
_COLOR_TOO = ("openni_kinect", "depth_camera", "realsense", "gazebo_ros_camera")


def read_camera_sensor(head: Head) -> CameraSensor:
    """Reads a sensor of one camera, or of as many as a multicamera has."""
    element = head.element
    several = head.kind == "multicamera"
    common = head.common | {"is_optical": False} if several else head.common
    cameras = _read_several(head) if several else (_read_only(head),)
    return CameraSensor(
        kind=_kind_of(head),
        cameras=cameras,
        depth_topic=find_topic(element, DEPTH_TOPICS),
        cloud_topic=find_topic(element, CLOUD_TOPICS),
        **common,
    )


def read_logical_camera(head: Head) -> LogicalCamera:
    """Reads a camera that sees objects by their names."""
    place = head.element.find("logical_camera") or head.element
    return LogicalCamera(
        field_of_view=_read_field_of_view(head, place),
        aspect=place.number("aspect_ratio") or 1.0,
        near=place.number("near") or 0.0,
        far=place.number("far") or 1.0,
        **head.common,
    )


def _kind_of(head: Head) -> CameraKind:
    """Returns "rgbd" also for a depth sensor whose plugin publishes colours too."""
    files = plugin_files(head.element)
    if head.kind == "depth" and any(word in files for word in _COLOR_TOO):
        return "rgbd"
    return cast(CameraKind, head.kind)


def _read_only(head: Head) -> Camera:
    inner = head.element.find("camera")
    element = inner or head.element
    origin = read_pose(inner) if inner is not None else IDENTITY
    return _read(head, element, origin, "", head.common["stream"])


def _read_several(head: Head) -> tuple[Camera, ...]:
    cameras = []
    stream: Stream = head.common["stream"]
    for index, element in enumerate(head.element.all("camera")):
        label = element.attributes.get("name", "").strip() or str(index)
        own = replace(stream, topic=f"{stream.topic}/{label}" if stream.topic else "")
        cameras.append(_read(head, element, read_pose(element), label, own))
    return tuple(cameras)


def _read_field_of_view(head: Head, element: ExtraElement) -> float:
    """Reads the radians across of a camera's element, as written or Gazebo's own 60 degrees."""
    image = element.find("image")
    angle = element.number("horizontal_fov", "hfov")
    if angle is None and image is not None:
        angle = image.number("hfov")
    if angle is None or angle <= 0.0:
        return _FIELD_OF_VIEW
    return math.radians(angle) if head.dialect == "old" else angle


def _read(head: Head, element: ExtraElement, origin: Pose, label: str, stream: Stream) -> Camera:
    width, height = _read_size(element)
    near, far = _read_clip(element)
    return Camera(
        label=label,
        origin=origin,
        width=width,
        height=height,
        field_of_view=min(_read_field_of_view(head, element), 2.0 * math.pi),
        near=near,
        far=far,
        depth=_read_clip(element.find("depth_camera") or element, element),
        noise=read_noise(element.find("noise")),
        lens=_read_lens(element.find("distortion")),
        intrinsics=_read_intrinsics(element.find("lens")),
        is_color=_is_color(element.find("image")),
        stream=stream,
    )


def _read_size(element: ExtraElement) -> tuple[int, int]:
    image = element.find("image")
    size = element.numbers("imagesize")
    if image is not None:
        size = (image.number("width") or _WIDTH, image.number("height") or _HEIGHT)
    width, height = size[:2] if len(size) >= 2 else (_WIDTH, _HEIGHT)
    return min(max(int(width), 1), _MOST_PIXELS), min(max(int(height), 1), _MOST_PIXELS)


def _read_clip(*elements: ExtraElement) -> tuple[float, float]:
    """Reads the nearest and the farthest visible distance, from the first element that has them."""
    near = far = None
    for element in elements:
        for place in (element.find("clip"), element.find("image"), element):
            if place is None:
                continue
            near = place.number("near", "nearclip") if near is None else near
            far = place.number("far", "farclip") if far is None else far
    near = _NEAR if near is None else max(near, _LEAST_NEAR)
    far = _FAR if far is None else far
    return near, far if far > near else near + _FAR


def _read_lens(distortion: ExtraElement | None) -> Lens | None:
    """Reads a lens; None for one without distortion."""
    if distortion is None:
        return None
    words = ("k1", "k2", "k3", "p1", "p2")
    k1, k2, k3, p1, p2 = (distortion.number(word) or 0.0 for word in words)
    center = distortion.numbers("center")
    lens = Lens(
        radial=(k1, k2),
        tangential=(p1, p2),
        center=(center[0], center[1]) if len(center) == 2 else None,
        k3=k3,
    )
    return lens or None


def _read_intrinsics(lens: ExtraElement | None) -> Intrinsics | None:
    """Reads the calibration in a <lens>; <projection> counts where there are no <intrinsics>."""
    if lens is None:
        return None
    for tag, prefix in (("intrinsics", ""), ("projection", "p_")):
        place = lens.find(tag)
        if place is None:
            continue
        fx, fy, cx, cy = (place.number(f"{prefix}{word}") for word in ("fx", "fy", "cx", "cy"))
        if fx and fy and cx is not None and cy is not None and min(fx, fy) > 0.0:
            return Intrinsics(fx=fx, fy=fy, cx=cx, cy=cy, skew=place.number("s") or 0.0)
    return None


def _is_color(image: ExtraElement | None) -> bool:
    written = image.read("format").upper() if image is not None else ""
    return not written or not written.startswith(("L", "MONO", "GR"))
