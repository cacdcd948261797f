# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of recordings put together byte by byte, as no program writes them."""

import sqlite3
import struct
from collections.abc import Sequence
from pathlib import Path

BAG = b"#ROSBAG V2.0\n"
STATE = "sensor_msgs/JointState"
RULE = "=" * 80


def sized(data: bytes) -> bytes:
    """Bytes behind their length."""
    return struct.pack("<I", len(data)) + data


def bag_record(header: Sequence[bytes], data: bytes) -> bytes:
    """A record of a ROS 1 bag."""
    return sized(b"".join(map(sized, header))) + sized(data)


def bag_connection(definition: str = "", name: str = STATE, number: int = 0) -> bytes:
    """The record of a topic /joint_states."""
    details = [b"type=" + name.encode(), b"message_definition=" + definition.encode()]
    head = [b"op=\x07", b"conn=" + struct.pack("<I", number), b"topic=/joint_states"]
    return bag_record(head, b"".join(map(sized, details)))


def bag_message(data: bytes, seconds: int = 1, number: int = 0) -> bytes:
    """The record of a message."""
    time = struct.pack("<II", seconds, 0)
    return bag_record([b"op=\x02", b"conn=" + struct.pack("<I", number), b"time=" + time], data)


def bag_chunk(data: bytes, size: int, packing: bytes = b"lz4") -> bytes:
    """A chunk that says to hold `size` bytes."""
    head = [b"op=\x05", b"compression=" + packing, b"size=" + struct.pack("<I", size)]
    return bag_record(head, data)


def joint_state(names: Sequence[str], positions: Sequence[float], seconds: int = 1) -> bytes:
    """A JointState of ROS 1."""
    head = struct.pack("<III", 0, seconds, 0) + sized(b"")
    named = struct.pack("<I", len(names)) + b"".join(sized(each.encode()) for each in names)
    numbers = struct.pack(f"<I{len(positions)}d", len(positions), *positions)
    return head + named + numbers + bytes(8)


def nested(name: str, fields: int, levels: int) -> str:
    """The definition of a type with a list of items, each of `fields` types without a field, so
    many levels deep."""
    parts = [f"float64 x\n{name}0[] items"]
    for level in range(levels):
        inner = "\n".join(f"{name}{level + 1} f{i}" for i in range(fields))
        parts.append(f"MSG: p/{name}{level}\n{inner}")
    parts.append(f"MSG: p/{name}{levels}\n")
    return f"\n{RULE}\n".join(parts)


def lz4_frame(*blocks: bytes) -> bytes:
    """A frame of packed blocks; checksums are not looked at."""
    return b"\x04\x22\x4d\x18\x40\x70\x00" + b"".join(map(sized, blocks)) + bytes(4)


def lz4_bomb(count: int) -> bytes:
    """A block that is one byte, repeated 255 times for each of its `count` bytes."""
    return b"\x1fa\x01\x00" + b"\xff" * count + b"\x00"


def make_database(path: Path, rows: Sequence[tuple[int, bytes]], definition: str = "") -> Path:
    """A database of ROS 2 with joint states, each with its time."""
    database = sqlite3.connect(path)
    with database:
        database.execute("PRAGMA page_size = 512")
        database.execute("CREATE TABLE topics (id INTEGER PRIMARY KEY, name, type, "
                         "serialization_format)")  # fmt: skip
        database.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id, timestamp, "
                         "data)")  # fmt: skip
        database.execute(
            "CREATE TABLE message_definitions (topic_type, encoding, encoded_message_definition)"
        )
        database.execute(
            "INSERT INTO topics VALUES (1, '/joint_states', 'sensor_msgs/msg/JointState', 'cdr')"
        )
        if definition:
            database.execute(
                "INSERT INTO message_definitions VALUES ('sensor_msgs/msg/JointState', 'ros2msg', "
                "?)",
                (definition,),
            )
        database.executemany(
            "INSERT INTO messages (topic_id, timestamp, data) VALUES (1, ?, ?)", rows
        )
    database.close()
    return path
