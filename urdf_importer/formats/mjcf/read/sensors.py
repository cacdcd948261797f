# SPDX-License-Identifier: GPL-3.0-or-later
"""<camera> of bodies, and sensors at sites -> Gazebo's <sensor>, which all of a robot's ways know:
in rigs, in other formats, in measurements.

A camera looks along -z with y up, a rangefinder along z of its site. Accelerometer and gyroscope of
one site are an IMU. Touch, force, and sensors of joints and bodies stay in the text that is kept.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ....core.geometry.transforms import FROM_CAMERA, Matrix, pose_of
from ....core.markup.write import format_element, format_text
from ....core.model import Extra
from ....core.names import Claims
from .bodies import BodyReading, Built
from .document import MjcfElement
from .models import Model

# From MuJoCo's frames to x forward, z up.
_RAY = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
_SIZE = (640, 480)
"""Pixels, where the model says none."""
_CLIP = (0.01, 50.0)
"""Metres: MuJoCo's own, for a model one metre large."""
_LEAST, _FARTHEST = 0.001, 1000.0
"""Metres of a rangefinder without a cutoff."""
_MOST_ANGLE = 179.0
_INERTIAL = ("accelerometer", "gyro")
_ORIENTED = ("framequat", "framexaxis", "framezaxis")


_Place = tuple[str, Matrix]
"""A link, and a frame (4, 4) in it, x forward and z up."""


def list_sensors(bodies: Sequence[BodyReading], built: Built, model: Model) -> list[Extra]:
    """Lists the cameras of bodies, and the sensors of a model at their sites. Raises ReadError for
    text that is not numbers."""
    links = {link.name for link in built.links}
    names = Claims()
    found: list[Extra] = []
    sites: dict[str, _Place] = {}
    for body in bodies:
        # Where the world has no link, its own are on the one body, which is where it is.
        link = body.name if body.name in links else bodies[1].name
        for node, frame in body.cameras:
            place = link, _turn(frame, FROM_CAMERA)
            name = names.claim(node.text("name") or f"{link}_camera")
            found.append(_wrap(place, node, name, "camera", _describe_camera(node)))
        sites |= {name: (link, site.frame) for name, site in body.sites.items()}
    readings = [node for section in model.root.all("sensor") for node in section.children]
    found += _list_ranges(readings, sites, names)
    found += _list_inertial(readings, sites, names)
    return found


def _turn(frame: Matrix, turn: Matrix) -> Matrix:
    turned = frame.copy()
    turned[:3, :3] = frame[:3, :3] @ turn
    return turned


def _wrap(place: _Place, node: MjcfElement, name: str, kind: str, content: str) -> Extra:
    link, frame = place
    pose = pose_of(frame, rounding=1e-12)
    where = format_text("pose", _join((*pose.xyz, *pose.rpy)))
    sensor = format_element("sensor", {"name": name, "type": kind}, f"{where}{content}")
    xml = format_element("gazebo", {"reference": link}, sensor)
    return Extra(tag="gazebo", xml=xml, line=node.line)


def _join(numbers: Sequence[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def _describe_camera(node: MjcfElement) -> str:
    width, height = (
        int(min(max(each, 1.0), 1e5)) for each in node.vector("resolution", 2) or _SIZE
    )
    if (width, height) == (1, 1):
        width, height = _SIZE
    lens = _read_lens(node, width, height)
    if lens is None:
        fovy = math.radians(min(max(node.number("fovy", 45.0), 1e-3), _MOST_ANGLE))
        across = 2.0 * math.atan(math.tan(fovy / 2.0) * width / height)
    else:
        across = 2.0 * math.atan(width / 2.0 / lens["fx"])
    near, far = _CLIP
    size = _tags({"width": width, "height": height})
    content = _tags({"horizontal_fov": across})
    content += format_element("image", content=size)
    content += format_element("clip", content=_tags({"near": near, "far": far}))
    if lens is not None:
        inner = format_element("intrinsics", content=_tags({**lens, "s": 0}))
        content += format_element("lens", content=inner)
    return format_element("camera", content=content)


def _tags(values: Mapping[str, float]) -> str:
    return "".join(format_text(tag, repr(value)) for tag, value in values.items())


def _read_lens(node: MjcfElement, width: int, height: int) -> dict[str, float] | None:
    """Reads a calibration in pixels, whose centres are whole numbers; None without a size of the
    sensor. MuJoCo's principal point is how far the picture's middle lies from the axis: to the
    right, and down."""
    size = node.vector("sensorsize", 2)
    if size is None or min(size) <= 0.0:
        return None
    pixels = (width / size[0], height / size[1])

    def read(name: str) -> tuple[float, ...] | None:
        direct = node.vector(f"{name}pixel", 2)
        written = node.vector(name, 2)
        if direct is not None or written is None:
            return direct
        return tuple(number * scale for number, scale in zip(written, pixels, strict=True))

    fx, fy = read("focal") or (0.0, 0.0)
    if min(fx, fy) <= 0.0:
        return None
    right, down = read("principal") or (0.0, 0.0)
    return {"fx": fx, "fy": fy, "cx": (width - 1) / 2 - right, "cy": (height - 1) / 2 - down}


def _list_ranges(
    readings: Sequence[MjcfElement], sites: Mapping[str, _Place], names: Claims
) -> Iterator[Extra]:
    for node in readings:
        place = sites.get(node.text("site")) if node.tag == "rangefinder" else None
        if place is None:
            continue
        cutoff = node.number("cutoff")
        far = cutoff if cutoff > _LEAST else _FARTHEST
        within = format_element("range", content=_tags({"min": _LEAST, "max": far}))
        link, frame = place
        name = names.claim(node.text("name") or node.text("site"))
        yield _wrap(
            (link, _turn(frame, _RAY)), node, name, "ray", format_element("ray", content=within)
        )


def _list_inertial(
    readings: Sequence[MjcfElement], sites: Mapping[str, _Place], names: Claims
) -> Iterator[Extra]:
    """Yields an IMU for each site that has an accelerometer or a gyroscope."""
    oriented = {node.text("objname") for node in readings if node.tag in _ORIENTED}
    done: set[str] = set()
    for node in readings:
        site = node.text("site")
        if node.tag not in _INERTIAL or site in done or site not in sites:
            continue
        done.add(site)
        said = format_text("enable_orientation", "true" if site in oriented else "false")
        content = format_element("imu", content=said)
        name = node.text("name").removesuffix(f"_{node.tag}") or site
        yield _wrap(sites[site], node, names.claim(name), "imu", content)
