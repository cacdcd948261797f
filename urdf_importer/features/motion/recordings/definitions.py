# SPDX-License-Identifier: GPL-3.0-or-later
"""The structure of messages: the definitions that recordings carry, and built-in ones for motions.

A definition is text: a line for each field, then, after lines of `=`, the definitions of the types
that it uses. So any message that contains a motion can be read, also of types unknown to this
program.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ....core.diagnostics import ReadError, quote

Encoding = Literal["ros1", "cdr"]
MOST_TEXT = 4 * 1024 * 1024
MOST_FIELDS = 20_000
MOST_LEVELS = 24

_MESSAGES = """
sensor_msgs/JointState: Header header; string[] name; float64[] position; float64[] velocity;
  float64[] effort
trajectory_msgs/JointTrajectory: Header header; string[] joint_names; JointTrajectoryPoint[] points
trajectory_msgs/JointTrajectoryPoint: float64[] positions; float64[] velocities;
  float64[] accelerations; float64[] effort; duration time_from_start
trajectory_msgs/MultiDOFJointTrajectory: Header header; string[] joint_names;
  MultiDOFJointTrajectoryPoint[] points
trajectory_msgs/MultiDOFJointTrajectoryPoint: geometry_msgs/Transform[] transforms;
  geometry_msgs/Twist[] velocities; geometry_msgs/Twist[] accelerations; duration time_from_start
sensor_msgs/MultiDOFJointState: Header header; string[] joint_names;
  geometry_msgs/Transform[] transforms; geometry_msgs/Twist[] twist; geometry_msgs/Wrench[] wrench
tf2_msgs/TFMessage: geometry_msgs/TransformStamped[] transforms
tf/tfMessage: geometry_msgs/TransformStamped[] transforms
nav_msgs/Odometry: Header header; string child_frame_id; geometry_msgs/PoseWithCovariance pose;
  geometry_msgs/TwistWithCovariance twist
std_msgs/String: string data
sensor_msgs/LaserScan: Header header; float32 angle_min; float32 angle_max; float32 angle_increment;
  float32 time_increment; float32 scan_time; float32 range_min; float32 range_max; float32[] ranges;
  float32[] intensities
sensor_msgs/Range: Header header; uint8 ULTRASOUND=0; uint8 INFRARED=1; uint8 radiation_type;
  float32 field_of_view; float32 min_range; float32 max_range; float32 range
sensor_msgs/Image: Header header; uint32 height; uint32 width; string encoding; uint8 is_bigendian;
  uint32 step; uint8[] data
sensor_msgs/CompressedImage: Header header; string format; uint8[] data
sensor_msgs/CameraInfo: Header header; uint32 height; uint32 width; string distortion_model;
  float64[] D; float64[9] K; float64[9] R; float64[12] P; uint32 binning_x; uint32 binning_y;
  RegionOfInterest roi
sensor_msgs/RegionOfInterest: uint32 x_offset; uint32 y_offset; uint32 height; uint32 width;
  bool do_rectify
sensor_msgs/PointCloud2: Header header; uint32 height; uint32 width; PointField[] fields;
  bool is_bigendian; uint32 point_step; uint32 row_step; uint8[] data; bool is_dense
sensor_msgs/PointField: uint8 INT8=1; uint8 UINT8=2; uint8 INT16=3; uint8 UINT16=4; uint8 INT32=5;
  uint8 UINT32=6; uint8 FLOAT32=7; uint8 FLOAT64=8; string name; uint32 offset; uint8 datatype;
  uint32 count
sensor_msgs/Imu: Header header; geometry_msgs/Quaternion orientation;
  float64[9] orientation_covariance; geometry_msgs/Vector3 angular_velocity;
  float64[9] angular_velocity_covariance; geometry_msgs/Vector3 linear_acceleration;
  float64[9] linear_acceleration_covariance
geometry_msgs/PoseStamped: Header header; Pose pose
geometry_msgs/PoseWithCovarianceStamped: Header header; PoseWithCovariance pose
geometry_msgs/TransformStamped: Header header; string child_frame_id; Transform transform
geometry_msgs/PoseWithCovariance: Pose pose; float64[36] covariance
geometry_msgs/TwistWithCovariance: Twist twist; float64[36] covariance
geometry_msgs/Pose: Point position; Quaternion orientation
geometry_msgs/Transform: Vector3 translation; Quaternion rotation
geometry_msgs/Twist: Vector3 linear; Vector3 angular
geometry_msgs/Wrench: Vector3 force; Vector3 torque
geometry_msgs/Vector3: float64 x; float64 y; float64 z
geometry_msgs/Point: float64 x; float64 y; float64 z
geometry_msgs/Quaternion: float64 x; float64 y; float64 z; float64 w
"""
_BUILT_IN = {
    name: fields.replace("; ", "\n")
    for name, fields in re.findall(r"^(\S+): (.*)$", _MESSAGES.replace("\n  ", " "), re.MULTILINE)
}
_LONGER = {
    "Header": "std_msgs/Header", "time": "builtin_interfaces/Time",
    "duration": "builtin_interfaces/Duration",
}  # fmt: skip
_HEADERS = {"ros1": "uint32 seq\ntime stamp\nstring frame_id", "cdr": "time stamp\nstring frame_id"}
PRIMITIVES = {
    "bool": "u1", "byte": "u1", "char": "u1", "int8": "i1", "uint8": "u1", "int16": "i2",
    "uint16": "u2", "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8",
    "float32": "f4", "float64": "f8",
}  # fmt: skip
TIMES = {
    "time": "time", "duration": "duration",
    "builtin_interfaces/Time": "time", "builtin_interfaces/Duration": "duration",
}  # fmt: skip
"""Read as whole nanoseconds."""
_SIMPLE = {*PRIMITIVES, *TIMES, "string", "wstring"}
_JOINTS = {
    "sensor_msgs/JointState", "trajectory_msgs/JointTrajectory",
    "trajectory_msgs/JointTrajectoryPoint",
}  # fmt: skip
_FRAMES = {
    "tf2_msgs/TFMessage", "tf/tfMessage", "geometry_msgs/TransformStamped", "nav_msgs/Odometry",
    "geometry_msgs/PoseStamped", "geometry_msgs/PoseWithCovarianceStamped",
    "sensor_msgs/MultiDOFJointState", "trajectory_msgs/MultiDOFJointTrajectory",
}  # fmt: skip
_FIELD = re.compile(
    r"(?P<type>[A-Za-z][\w/]*)(?:<=[0-9]+)?(?P<list>\[(?:<=)?[0-9]*\])?\s+(?P<name>[A-Za-z]\w*)"
)
_MOST_DIGITS = 9
"""Of an array's length: more numbers are in no message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """`count`: -1 for a single value, 0 for a list of any length, else the length of an array."""

    name: str
    type: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The fields of a type and of all types in it."""

    type: str
    types: Mapping[str, Sequence[Field]]

    @property
    def motion(self) -> Literal["joints", "frames", ""]:
        """The kind of motion in it."""
        found = _reach(self.type, self.types)
        return "joints" if found & _JOINTS else "frames" if found & _FRAMES else ""


def short_name(name: str) -> str:
    """Returns a type's name as ROS 1 spells it: pkg/msg/Name is pkg/Name."""
    parts = name.split("/")
    return f"{parts[0]}/{parts[-1]}" if len(parts) == 3 else name


def read_definition(name: str, text: str, encoding: Encoding) -> Definition:
    """Returns the definition of a type, from `text` where a recording carries one in the words of
    .msg files, else the built-in one. Raises ReadError for a type that has neither, or that
    contains itself."""
    name = short_name(name)
    types = _parse_all(name, text) if text and len(text) <= MOST_TEXT else {}
    if not types.get(name):
        types = {}
    types = {"std_msgs/Header": _parse(_HEADERS[encoding], "std_msgs"), **types}
    wanted, known = [name], set[str]()
    while wanted:
        each = wanted.pop()
        if each in known or each in _SIMPLE:
            continue
        known.add(each)
        if each not in types:
            if each not in _BUILT_IN:
                raise ReadError(f"the recording has no definition of {quote(each)}")
            types[each] = _parse(_BUILT_IN[each], each.partition("/")[0])
        wanted += [field.type for field in types[each]]
    _measure(name, types, 0)
    return Definition(type=name, types=types)


def text_of(name: str, encoding: Encoding) -> str:
    """Returns the built-in definition of a type, with the definitions of all types in it, as
    recordings carry it."""
    written, wanted = [name], [name]
    types = {**_BUILT_IN, "std_msgs/Header": _HEADERS[encoding]}
    if encoding == "cdr":
        types["builtin_interfaces/Time"] = "int32 sec\nuint32 nanosec"
        types["builtin_interfaces/Duration"] = "int32 sec\nuint32 nanosec"
    texts: list[str] = []
    while wanted:
        each = wanted.pop(0)
        lines = [_spell(line, encoding) for line in types[each].split("\n")]
        heading = [] if not texts else ["=" * 80, f"MSG: {each}"]
        texts.append("\n".join([*heading, *lines]))
        package = each.partition("/")[0]
        for line in lines:
            inner = _qualify(line.partition(" ")[0].partition("[")[0], package)
            if inner in types and inner not in written:
                written.append(inner)
                wanted.append(inner)
    return "\n".join(texts) + "\n"


def _spell(line: str, encoding: Encoding) -> str:
    """Returns a field as the versions of ROS spell it: the second has no words for time."""
    kind, _, name = line.partition(" ")
    if encoding != "cdr":
        return line
    name = name.lower() if len(name) == 1 else name
    return f"{_LONGER.get(kind, kind)} {name}"


def _parse_all(name: str, text: str) -> dict[str, Sequence[Field]]:
    parts = re.split(r"^=+[ \t]*$", text.replace("\r", ""), flags=re.MULTILINE)
    types = {name: _parse(parts[0], name.partition("/")[0])}
    for part in parts[1:]:
        heading, _, rest = part.strip().partition("\n")
        if heading.startswith("MSG:"):
            named = short_name(heading[4:].strip())
            types[named] = _parse(rest, named.partition("/")[0])
    return types


def _parse(text: str, package: str) -> Sequence[Field]:
    fields = []
    for line in text.split("\n"):
        plain = line.partition("#")[0].strip()
        found = _FIELD.match(plain)
        # A constant has `=` behind its name, a default value of ROS 2 does not.
        if found is None or plain[found.end() :].lstrip().startswith("="):
            continue
        count = _read_count(found["list"] or "")
        fields.append(Field(name=found["name"], type=_qualify(found["type"], package), count=count))
        if len(fields) > MOST_FIELDS:
            raise ReadError("a type has too many fields")
    return tuple(fields)


def _read_count(written: str) -> int:
    """Returns the count of a field from its brackets. Raises ReadError."""
    length = written.strip("[]")
    if not written or not length.isdigit():
        return 0 if written else -1
    if len(length) > _MOST_DIGITS:
        raise ReadError(f"an array of a type has a length of {len(length)} digits")
    return int(length)


def _qualify(name: str, package: str) -> str:
    if name in _SIMPLE:
        return name
    if name == "Header":
        return "std_msgs/Header"
    return short_name(name) if "/" in name else f"{package}/{name}"


def _reach(name: str, types: Mapping[str, Sequence[Field]]) -> set[str]:
    found, wanted = set(), [name]
    while wanted:
        each = wanted.pop()
        if each not in found:
            found.add(each)
            wanted += [field.type for field in types.get(each, ())]
    return found


def _measure(name: str, types: Mapping[str, Sequence[Field]], level: int, seen: int = 0) -> int:
    """Returns how many fields a message has at least; ReadError for one without an end."""
    if level > MOST_LEVELS:
        raise ReadError(f"the type {quote(name)} is nested too deeply")
    count = seen
    for field in types.get(name, ()):
        count = _measure(field.type, types, level + 1, count + 1)
        if count > MOST_FIELDS:
            raise ReadError(f"the type {quote(name)} has too many fields")
    return count
