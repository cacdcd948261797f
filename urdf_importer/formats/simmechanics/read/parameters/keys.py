# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of a parameter file: the keys of both old converters and ours, as plain data.

Links, joints and frames are texts as in the file, resolved later.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from .....core.markup.xml import parse_fragment
from .....core.markup.yaml_tree import YamlNode
from .....core.model import Box, Cylinder, Extra, Pose, Quaternion, Sphere, Vector3
from .fields import Reader, entry_of, keys_of, list_of, mapping_of, one_of, read_entry, said
from .values import Values

Dialect = Literal["ros", "robotology"]

SENSOR_TYPES = (
    "altimeter", "camera", "contact", "depth", "gps", "gpu_ray", "imu", "accelerometer",
    "gyroscope", "logical_camera", "magnetometer", "multicamera", "ray", "rfid", "rfidtag",
    "sonar", "wireless_receiver", "wireless_transmitter",
)  # fmt: skip
_JOINT_TYPES = (
    "continuous", "revolute", "prismatic", "fixed", "planar", "floating", "spherical",
)  # fmt: skip
_PLANES = {"yz": 0, "xz": 1, "xy": 2, "zy": 0, "zx": 1, "yx": 2}


def _words(*words: str) -> Reader:
    return one_of(dict(zip(words, words, strict=True)))


# How values of one key each are read


def _line(_values: Values, node: YamlNode, _key: str) -> int:
    return node.line


def _amount(values: Values, node: YamlNode, key: str) -> float | None:
    number = values.number(node, key)
    if number is None or number >= 0.0:
        return number
    values.bad(key, "it is negative; it is left out", node.line)
    return None


def _numbers(
    *counts: int,
    holds: Callable[[tuple[float, ...]], bool] = bool,
    fault: str = "",
    make: Callable[[tuple[float, ...]], Any] = tuple,
) -> Reader:
    """Returns a reader of as many numbers; numbers for which `holds` is false are reported with
    the `fault`."""

    def read(values: Values, node: YamlNode, key: str) -> Any:
        numbers = values.numbers(node, key, counts)
        if numbers is None or holds(numbers):
            return numbers and make(numbers)
        values.bad(key, fault, node.line)
        return None

    return read


_vector = _numbers(3)
_pose = _numbers(6, make=lambda n: Pose(xyz=(n[0], n[1], n[2]), rpy=(n[3], n[4], n[5])))
_scale = _numbers(
    1, 3, holds=all, fault="a factor is zero; it is left out", make=lambda n: (n * 3)[:3]
)
_axis = _numbers(
    3,
    holds=lambda axis: math.hypot(*axis) >= 1e-9,
    fault="an axis has no length; it is left out",
)
_size = _numbers(
    3,
    holds=lambda size: min(size) > 0.0,
    fault="a box has a size of zero or less; it is left out",
)
_quaternion = _numbers(
    4,
    holds=lambda turn: 1e-9 < math.hypot(*turn) < 1e30,
    fault="it is a quaternion of length zero",
    make=lambda turn: tuple(part / math.hypot(*turn) for part in turn),
)
_color = _numbers(
    3, 4,
    holds=lambda color: all(0.0 <= part <= 1.0 for part in color),
    fault="a colour is outside 0 to 1",
    make=lambda color: (*color, 1.0)[:4],
)  # fmt: skip


def _rate(values: Values, node: YamlNode, key: str) -> str | None:
    return None if values.positive(node, key) is None else node.text.strip()


def _blobs(values: Values, node: YamlNode, key: str) -> tuple[Extra, ...]:
    """XML that users bring along, kept word for word."""
    found = []
    for text, line in values.texts(node, key):
        element = parse_fragment(text.encode("utf-8", "surrogatepass"))
        if element is None:
            values.bad(key, "it is not one well-formed XML element; it is left out", line)
        else:
            found.append(Extra(tag=element.tag, xml=text))
    return tuple(found)


def _mirrored_links(values: Values, node: YamlNode, key: str) -> tuple[str, ...]:
    links: tuple[str, ...] = ()
    for name, value in values.pairs(node, key).items():
        if name == "mirroredLinks":
            links = values.names(value, key)
        else:
            values.unknown(name, value.line, ("mirroredLinks",), key)
    return links


_SHAPES: dict[str, tuple[type[Box | Cylinder | Sphere], dict[str, Reader]]] = {
    "box": (Box, {"size": _size}),
    "cylinder": (Cylinder, {"radius": Values.positive, "length": Values.positive}),
    "sphere": (Sphere, {"radius": Values.positive}),
}


def _geometry(values: Values, node: YamlNode, key: str) -> Box | Cylinder | Sphere | None:
    written = values.pairs(node, key)
    shape = one_of(_SHAPES)(values, written.get("shape", YamlNode(line=node.line)), f"{key}: shape")
    if shape is None:
        return None
    kind, needed = shape
    found: dict[str, Any] = {}
    for name, read in needed.items():
        if name not in written:
            values.bad(key, f"it has no {name}; it is left out", node.line)
            return None
        found[name] = read(values, written[name], f"{key}: {name}")
    return None if None in found.values() else kind(**found)


def _origin(values: Values, node: YamlNode, key: str) -> Pose | None:
    origin = values.pairs(node, key).get("origin")
    return Pose() if origin is None else _pose(values, origin, f"{key}: origin")


def _sensors(values: Values, node: YamlNode, key: str) -> "tuple[LinkSensor, ...]":
    """Sensors called `default` hold the defaults of others of their type, except names and
    frames."""
    defaults: dict[str, dict[str, YamlNode]] = {}
    found = []
    for line, entry in values.entries(node, key, keys_of(LinkSensor)):
        kind = entry.get("sensorType", YamlNode(line=line)).text.strip()
        if entry.get("sensorName", YamlNode(line=line)).text.strip() != "default":
            found.append((line, entry, kind))
        elif kind not in SENSOR_TYPES:
            values.bad(key, f"the sensor type {kind[:80]!r} is unknown", line)
        else:
            kept = ("updateRate", "sensorBlobs", "exportFrameInURDF")
            defaults.setdefault(kind, {name: entry[name] for name in kept if name in entry})
    sensors = [
        read_entry(LinkSensor, {**defaults.get(kind, {}), **entry}, line, key, values)
        for line, entry, kind in found
    ]
    return tuple(sensor for sensor in sensors if sensor is not None)


# Entries of keys


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitKeys(_Entry):
    """In rad and m, N and Nm; None where absent."""

    lower: float | None = said("lower", read=Values.number, default=None)
    upper: float | None = said("upper", read=Values.number, default=None)
    effort: float | None = said("effort", read=Values.number, default=None)
    velocity: float | None = said("velocity", read=Values.number, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointChange(_Entry):
    """The values in redefinedjoints and the attributes of extrajoints; None where absent. `axis` is
    in the frame `axis_frame`, empty for the child link's."""

    name: str = said("name")
    type: str = said("type", read=_words(*_JOINT_TYPES))
    axis: Vector3 | None = said("axis", read=_axis, default=None)
    axis_frame: str = said("referenceFrame", "axisReferenceFrame")
    limits: LimitKeys = said("limits", read=entry_of(LimitKeys), default=LimitKeys())


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraJoint(_Entry):
    parent: str = said("pid", needed=True)
    child: str = said("cid", needed=True)
    origin: str = said("jorigin", needed=True)
    change: JointChange = said("attributes", read=entry_of(JointChange), default=JointChange())


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFrame(_Entry):
    """`offset` in metres and `orientation` (unit x, y, z, w) in the frame `parent`."""

    child: str = said("child", needed=True)
    parent: str = said("parent", needed=True)
    offset: Vector3 = said("offset", read=_vector, default=(0.0, 0.0, 0.0))
    orientation: Quaternion = said("orientation", read=_quaternion, default=(0.0, 0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameChoice(_Entry):
    """A user's frame: by its display name, in the body of link `reference` (empty: any)."""

    frame: str = said("frameName")
    frame_line: int = said("frameName", read=_line, default=0)
    reference: str = said("linkName", "frameReferenceLink")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkFrame(FrameChoice):
    frame: str = said("frameName", needed=True)
    link: str = said("linkName", needed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedFrame(FrameChoice):
    """`transform` is x, y, z, roll, pitch, yaw in the frame itself."""

    frame: str = said("frameName", needed=True)
    reference: str = said("frameReferenceLink")
    name: str = said("frameName", "exportedFrameName")
    transform: Pose = said("additionalTransformation", read=_pose, default=Pose())


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorChoice(FrameChoice):
    """A sensor of a link or of a joint, `owner`."""

    owner: str
    name: str = said("sensorName")
    exported_name: str = said("exportedFrameName")
    is_exported: bool = said("exportFrameInURDF", read=Values.flag, default=False)
    blobs: tuple[Extra, ...] = said("sensorBlobs", read=_blobs, default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSensor(SensorChoice):
    owner: str = said("linkName", needed=True)
    type: str = said("sensorType", read=_words(*SENSOR_TYPES), needed=True)
    rate: str = said("updateRate", read=_rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceSensorChoice(SensorChoice):
    owner: str = said("jointName", needed=True)
    measured_in: str = said("frame", read=_words("child", "parent", "sensor"), default="child")
    is_child_to_parent: bool = said("directionChildToParent", read=Values.flag, default=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedInertia(_Entry):
    link: str = said("linkName", needed=True)
    xx: float | None = said("xx", read=Values.number, default=None)
    yy: float | None = said("yy", read=Values.number, default=None)
    zz: float | None = said("zz", read=Values.number, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredInertia(_Entry):
    """`plane` is the axis (0, 1, 2) that is mirrored."""

    link: str = said("mirroredLink", needed=True)
    original: str = said("originalLink", needed=True)
    reference: str = said("simmetryReferenceLink", needed=True)
    plane: int = said("symmetryPlane", read=one_of(_PLANES), needed=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionShape(_Entry):
    link: str = said("linkName", needed=True)
    geometry: Box | Cylinder | Sphere = said("geometricShape", read=_geometry, needed=True)
    origin: Pose = said("geometricShape", read=_origin, default=Pose())


@dataclass(slots=True, kw_only=True)
class Parameters:
    """All keys with their defaults; `source` is the file, "" for none.

    `lines` maps a key or an entry of it to its line: by key, or by (key, entry).
    """

    source: str = ""
    lines: dict[tuple[str, str], int] = field(default_factory=dict)
    dialect: Dialect = said("dialect", read=_words("ros", "robotology"), default="ros")
    root: str = said("root")
    baseframe: str = said("baseframe", default="WORLD")
    filename_format: str = said("filenameformat", "filenameformatchangeext", default="%s")
    drops_extension: bool = False
    removed_text: str = said("stringToRemoveFromMeshFileName")
    lower_case: bool = said("forcelowercase", read=Values.flag, default=False)
    scale: Vector3 | None = said("scale", read=_scale, default=None)
    remove: tuple[str, ...] = said("remove", read=Values.names, default=())
    freeze: tuple[str, ...] = said("freeze", read=Values.names, default=())
    freeze_all: bool = said("freezeAll", read=Values.flag, default=False)
    redefined: dict[str, JointChange] = said(
        "redefinedjoints", read=mapping_of(entry_of(JointChange)), factory=dict
    )
    extra_joints: dict[str, ExtraJoint] = said(
        "extrajoints", read=mapping_of(entry_of(ExtraJoint)), factory=dict
    )
    more_frames: tuple[NewFrame, ...] = said("moreframes", read=list_of(NewFrame), default=())
    robot_name: str = said("robotName")
    rename: dict[str, str] = said("rename", read=mapping_of(Values.text), factory=dict)
    origin_xyz: Vector3 | None = said("originXYZ", read=_vector, default=None)
    origin_rpy: Vector3 | None = said("originRPY", read=_vector, default=None)
    epsilon: float = said("epsilon", read=Values.positive, default=1e-5)
    link_frames: tuple[LinkFrame, ...] = said("linkFrames", read=list_of(LinkFrame), default=())
    exported_frames: tuple[ExportedFrame, ...] = said(
        "exportedFrames", read=list_of(ExportedFrame), default=()
    )
    export_all: bool = said("exportAllUseradded", read=Values.flag, default=False)
    reversed_axes: tuple[str, ...] = said("reverseRotationAxis", read=Values.names, default=())
    masses: dict[str, float] = said(
        "assignedMasses", read=mapping_of(Values.positive), factory=dict
    )
    inertias: tuple[AssignedInertia, ...] = said(
        "assignedInertias", read=list_of(AssignedInertia), default=()
    )
    mirrored: tuple[MirroredInertia, ...] = said(
        "mirroredInertia", read=list_of(MirroredInertia), default=()
    )
    mirrored_centers: tuple[str, ...] = said("inertiaWorkaround", read=_mirrored_links, default=())
    colors: dict[str, tuple[float, float, float, float]] = said(
        "assignedColors", read=mapping_of(_color), factory=dict
    )
    shapes: tuple[CollisionShape, ...] = said(
        "assignedCollisionGeometry", read=list_of(CollisionShape), default=()
    )
    damping: float | None = said("damping", read=_amount, default=None)
    friction: float | None = said("friction", read=_amount, default=None)
    effort_limit: float | None = said("effort_limit", read=_amount, default=None)
    velocity_limit: float | None = said("velocity_limit", read=_amount, default=None)
    sensors: tuple[LinkSensor, ...] = said("sensors", read=_sensors, default=())
    force_sensors: tuple[ForceSensorChoice, ...] = said(
        "forceTorqueSensors", read=list_of(ForceSensorChoice), default=()
    )
    blobs: tuple[Extra, ...] = said("XMLBlobs", read=_blobs, default=())
    has_chains: bool = said(
        "multiPrimitiveJoints", read=one_of({"chain": True, "fixed": False}), default=True
    )
    joint_parameters: str = said("jointParameters")
    is_stiff: bool = said("tree", read=one_of({"first": False, "stiff": True}), default=False)
    freezes_held: bool = said("freezeHeld", read=Values.flag, default=False)

    def line(self, key: str, entry: str = "") -> int:
        """Returns the line of an entry of a key, else of the key."""
        return self.lines.get((key, entry), self.lines.get((key, ""), 0))
