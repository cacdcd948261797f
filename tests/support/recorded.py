# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of every kind, written by rosbags and mcap: others' programs, as users have them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import CompressionType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as BagWriter
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as FolderWriter
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

ROS1, ROS2 = get_typestore(Stores.ROS1_NOETIC), get_typestore(Stores.ROS2_HUMBLE)
MOVEIT = {
    "moveit_msgs/msg/RobotTrajectory": "trajectory_msgs/JointTrajectory joint_trajectory\n"
    "trajectory_msgs/MultiDOFJointTrajectory multi_dof_joint_trajectory",
    "moveit_msgs/msg/DisplayTrajectory": "string model_id\nuint8 KIND=3\n"
    "moveit_msgs/RobotTrajectory[] trajectory",
    "control_msgs/msg/JointTrajectoryControllerState": "std_msgs/Header header\n"
    "string[] joint_names\ntrajectory_msgs/JointTrajectoryPoint desired\n"
    "trajectory_msgs/JointTrajectoryPoint actual\ntrajectory_msgs/JointTrajectoryPoint error",
}
ROS1.register(
    get_types_from_msg("geometry_msgs/TransformStamped[] transforms", "tf2_msgs/msg/TFMessage")
)
for _store in (ROS1, ROS2):
    for _name, _text in MOVEIT.items():
        _store.register(get_types_from_msg(_text, _name))

Message = tuple[str, str, int, Any]
"""Topic, type as pkg/msg/Name, nanoseconds of recording, fields as dicts."""
BAGS = ("bag", "bag bz2", "bag lz4")
FOLDERS = ("sqlite", "sqlite messages", "sqlite files", "folder mcap", "folder mcap zstd")
MCAPS = ("mcap", "mcap zstd", "mcap lz4")
KINDS = (*BAGS, *FOLDERS, *MCAPS)
START = 1_700_000_000 * 10**9


def make(store: Any, kind: str, fields: Any) -> Any:
    """A message of a type, of plain values; times are nanoseconds."""
    if kind in ("builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration"):
        seconds, rest = divmod(int(fields), 10**9)
        return store.types[kind](sec=seconds, nanosec=rest)
    values = {}
    for name, (form, detail) in store.get_msgdef(kind).fields:
        values[name] = _make_field(store, form, detail, fields.get(name))
    return store.types[kind](**values)


def _make_field(store: Any, form: Any, detail: Any, value: Any) -> Any:
    if form.name == "BASE":
        return value if value is not None else "" if detail[0] == "string" else 0
    if form.name == "NAME":
        whole = detail.endswith(("/Time", "/Duration"))
        return make(store, detail, value or (0 if whole else {}))
    (inner, name), length = detail
    if inner.name == "BASE":
        kind = name[0]
        if kind == "string":
            return list(value or ())
        return np.array(value if value is not None else [0] * length, dtype=kind)
    return [make(store, name, each) for each in value or ()]


def record(folder: Path, kind: str, messages: Sequence[Message]) -> Path:
    """Writes a recording of one of KINDS and returns its path."""
    if kind in BAGS:
        return _record_bag(folder / "run.bag", kind, messages)
    if kind in MCAPS:
        return _record_mcap(folder / "run.mcap", kind, messages)
    return _record_folder(folder / "run", kind, messages)


def _record_bag(path: Path, kind: str, messages: Sequence[Message]) -> Path:
    with _bag_writer(path, kind) as writer:
        opened: dict[str, Any] = {}
        for topic, name, log, fields in messages:
            if topic not in opened:
                opened[topic] = writer.add_connection(topic, name, typestore=ROS1)
            data = ROS1.serialize_ros1(make(ROS1, name, fields), name)
            writer.write(opened[topic], log, data)
    return path


def _record_folder(path: Path, kind: str, messages: Sequence[Message]) -> Path:
    with _folder(path, kind) as writer:
        opened: dict[str, Any] = {}
        for topic, name, log, fields in messages:
            if topic not in opened:
                opened[topic] = writer.add_connection(topic, name, typestore=ROS2)
            writer.write(opened[topic], log, serialize(name, fields))
    return path


def serialize(name: str, fields: Any, *, little: bool = True) -> bytes:
    """A message in CDR."""
    message = make(ROS2, name, fields)
    return bytes(ROS2.serialize_cdr(message, name, little_endian=little))


def _record_mcap(path: Path, kind: str, messages: Sequence[Message]) -> Path:
    with path.open("wb") as file:
        writer = McapWriter(file, compression=_mcap_packing(kind), chunk_size=2048)
        writer.start(profile="ros2", library="test")
        opened: dict[str, int] = {}
        for topic, name, log, fields in messages:
            if topic not in opened:
                opened[topic] = _add_channel(writer, topic, name)
            data = serialize(name, fields)
            writer.add_message(opened[topic], log, data, publish_time=log)
        writer.finish()  # type: ignore[no-untyped-call]
    return path


def record_raw(folder: Path, kind: str, messages: Sequence[tuple[int, bytes]]) -> Path:
    """Writes joint states (nanoseconds, serialized) as a recording of one of KINDS."""
    name, topic = "sensor_msgs/msg/JointState", "/joint_states"
    if kind in MCAPS:
        path = folder / "run.mcap"
        with path.open("wb") as file:
            written = McapWriter(file, compression=_mcap_packing(kind))
            written.start(profile="ros2", library="test")
            channel = _add_channel(written, topic, name)
            for log, data in messages:
                written.add_message(channel, log, data, publish_time=log)
            written.finish()  # type: ignore[no-untyped-call]
        return path
    path = folder / ("run.bag" if kind in BAGS else "run")
    writer, store = (_bag_writer(path, kind), ROS1) if kind in BAGS else (_folder(path, kind), ROS2)
    with writer:
        connection = writer.add_connection(topic, name, typestore=store)
        for log, data in messages:
            writer.write(connection, log, data)
    return path


def _mcap_packing(kind: str) -> CompressionType:
    return CompressionType[{"mcap": "NONE", "mcap zstd": "ZSTD", "mcap lz4": "LZ4"}[kind]]


def _add_channel(writer: McapWriter, topic: str, name: str) -> int:
    text = ROS2.generate_msgdef(name, ros_version=2)[0]
    schema = writer.register_schema(name, "ros2msg", text.encode())
    return writer.register_channel(topic, "cdr", schema)


def _bag_writer(path: Path, kind: str) -> Any:
    writer = BagWriter(path)
    if kind != "bag":
        writer.set_compression(BagWriter.CompressionFormat[kind.split()[1].upper()])
    return writer


def _folder(path: Path, kind: str) -> Any:
    plugin = StoragePlugin.MCAP if "mcap" in kind else StoragePlugin.SQLITE3
    writer = FolderWriter(path, version=9, storage_plugin=plugin)
    modes = {"messages": "MESSAGE", "files": "FILE", "zstd": "STORAGE"}
    mode = modes.get(kind.split()[-1])
    if mode:
        writer.set_compression(CompressionMode[mode], CompressionFormat.ZSTD)
    return writer


def joint_state(log: int, positions: dict[str, float], topic: str = "/joint_states") -> Message:
    """A joint state that was recorded at its stamp."""
    return (
        topic,
        "sensor_msgs/msg/JointState",
        log,
        {
            "header": {"stamp": log},
            "name": list(positions),
            "position": list(positions.values()),
        },
    )


def transform(log: int, parent: str, child: str, x: float, topic: str = "/tf") -> Message:
    """A frame that is moved along X and turned half about Z."""
    moved = {"translation": {"x": x}, "rotation": {"z": 1.0, "w": 0.0}}
    stamped = {"header": {"stamp": log, "frame_id": parent}, "child_frame_id": child}
    return topic, "tf2_msgs/msg/TFMessage", log, {"transforms": [stamped | {"transform": moved}]}
