# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages -> bags of ROS 1, MCAP files, and recordings of ROS 2 in SQLite."""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from struct import pack
from typing import BinaryIO

from ..trajectory import NANOSECONDS
from . import bags, mcap
from .encode import MD5, Messages, WrittenTopic

_CHUNK_BYTES = 768 * 1024
_VERSION = 5
"""Of metadata.yaml: the oldest layout that is still met."""
_ENDLESS = "{sec: 9223372036, nsec: 854775807}"
_LATCHED = (
    "- {history: 1, depth: 1, reliability: 1, durability: 1, "
    f"deadline: {_ENDLESS}, lifespan: {_ENDLESS}, liveliness: 1, "
    f"liveliness_lease_duration: {_ENDLESS}, avoid_ros_namespace_conventions: false}}\n"
)
"""The quality of service of /tf_static, as all versions of rosbag2 read it."""


@dataclass(slots=True)
class _Chunk:
    """The records of a chunk, and the times and offsets of its messages by topic."""

    data: bytearray = field(default_factory=bytearray)
    entries: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, number: int, log: int, record: bytes) -> None:
        self.entries.setdefault(number, []).append((log, len(self.data)))
        self.data += record

    @property
    def times(self) -> tuple[int, int]:
        """The first and the last time."""
        logs = [log for entries in self.entries.values() for log, _ in entries]
        return min(logs), max(logs)


def _sized(data: bytes) -> bytes:
    """Returns bytes behind their length."""
    return pack("<I", len(data)) + data


def _join_fields(fields: Sequence[bytes]) -> bytes:
    return b"".join(map(_sized, fields))


def _record(header: Sequence[bytes], data: bytes) -> bytes:
    return _sized(_join_fields(header)) + _sized(data)


def _bag_time(nanoseconds: int) -> bytes:
    return pack("<II", *divmod(nanoseconds, NANOSECONDS))


def write_bag(messages: Messages, path: Path) -> Iterator[int]:
    """Writes a bag, version 2.0, with its index; yields the time of each message."""
    topics = messages.topics
    numbers = {topic.name: index for index, topic in enumerate(topics)}
    connections = [_connection(index, topic) for index, topic in enumerate(topics)]
    with path.open("wb") as file:
        file.write(bags.MAGIC)
        file.write(_bag_header(0, 0, 0))
        infos: list[bytes] = []
        chunk = _Chunk(bytearray().join(connections))
        for message in messages.stream:
            if len(chunk.data) > _CHUNK_BYTES:
                infos.append(_close_chunk(file, chunk))
                chunk = _Chunk()
            number = numbers[message.topic]
            head = [b"op=\x02", b"conn=" + pack("<I", number), b"time=" + _bag_time(message.log)]
            chunk.add(number, message.log, _record(head, message.data))
            yield message.log
        infos.append(_close_chunk(file, chunk))
        index = file.tell()
        file.write(b"".join([*connections, *infos]))
        file.seek(len(bags.MAGIC))
        file.write(_bag_header(index, len(topics), len(infos)))


def _bag_header(index: int, connections: int, chunks: int) -> bytes:
    """Returns the header record. It takes 4096 bytes beside its two lengths, since ROS writes it
    anew in its place."""
    fields = [
        b"op=\x03",
        b"index_pos=" + pack("<Q", index),
        b"conn_count=" + pack("<I", connections),
        b"chunk_count=" + pack("<I", chunks),
    ]
    length = sum(4 + len(each) for each in fields)
    return _record(fields, b" " * (4096 - length))


def _connection(number: int, topic: WrittenTopic) -> bytes:
    details = {"topic": topic.name, "type": topic.type, "md5sum": MD5[topic.type]}
    details["message_definition"] = topic.definition
    if topic.is_latched:
        details["latching"] = "1"
    data = _join_fields([f"{key}={value}".encode() for key, value in details.items()])
    head = [b"op=\x07", b"conn=" + pack("<I", number), b"topic=" + topic.name.encode()]
    return _record(head, data)


def _close_chunk(file: BinaryIO, chunk: _Chunk) -> bytes:
    """Writes the chunk and its message indices; returns its record in the bag's index."""
    place, size = file.tell(), b"size=" + pack("<I", len(chunk.data))
    file.write(_record([b"op=\x05", b"compression=none", size], bytes(chunk.data)))
    for number, entries in chunk.entries.items():
        head = [b"op=\x04", b"ver=" + pack("<I", 1), b"conn=" + pack("<I", number)]
        head.append(b"count=" + pack("<I", len(entries)))
        data = b"".join(_bag_time(log) + pack("<I", offset) for log, offset in entries)
        file.write(_record(head, data))
    start, end = chunk.times
    head = [
        b"op=\x06",
        b"ver=" + pack("<I", 1),
        b"chunk_pos=" + pack("<Q", place),
        b"start_time=" + _bag_time(start),
        b"end_time=" + _bag_time(end),
        b"count=" + pack("<I", len(chunk.entries)),
    ]
    counts = ((number, len(entries)) for number, entries in chunk.entries.items())
    return _record(head, b"".join(pack("<II", *each) for each in counts))


def write_mcap(messages: Messages, path: Path) -> Iterator[int]:
    """Writes an MCAP file of the profile ros2, chunked, with summary and footer; yields the time of
    each message."""
    topics = messages.topics
    numbers = {topic.name: index for index, topic in enumerate(topics, start=1)}
    described = b"".join(_describe(index, topic) for index, topic in enumerate(topics, start=1))
    with path.open("wb") as file:
        file.write(mcap.MAGIC + _mcap_record(1, _text("ros2") + _text("urdf-importer")))
        counts: dict[int, int] = {}
        infos: list[bytes] = []
        logs: list[int] = []
        chunk = _Chunk(bytearray(described))
        for message in messages.stream:
            number, log = numbers[message.topic], message.log
            head = pack("<HIQQ", number, counts.get(number, 0), log, log)
            chunk.add(number, log, _mcap_record(5, head + message.data))
            counts[number] = counts.get(number, 0) + 1
            if len(chunk.data) > _CHUNK_BYTES:
                infos.append(_close_mcap_chunk(file, chunk))
                chunk = _Chunk()
            logs = [*logs[:1], log]
            yield log
        if chunk.entries:
            infos.append(_close_mcap_chunk(file, chunk))
        file.write(_mcap_record(15, pack("<I", 0)))
        start, count = file.tell(), len(topics)
        ends = (logs[0], logs[-1]) if logs else (0, 0)
        facts = (sum(counts.values()), count, count, 0, 0, len(infos), *ends)
        pairs = b"".join(pack("<HQ", *each) for each in counts.items())
        statistics = _mcap_record(11, pack("<QHIIIIQQ", *facts) + _sized(pairs))
        file.write(b"".join([described, statistics, *infos]))
        file.write(_mcap_record(2, pack("<QQI", start, 0, 0)) + mcap.MAGIC)


def _text(text: str) -> bytes:
    return _sized(text.encode())


def _mcap_record(kind: int, data: bytes) -> bytes:
    return pack("<BQ", kind, len(data)) + data


def _describe(number: int, topic: WrittenTopic) -> bytes:
    """Returns the schema and the channel of a topic, of one number."""
    package, _, name = topic.type.partition("/")
    schema = pack("<H", number) + _text(f"{package}/msg/{name}") + _text("ros2msg")
    channel = pack("<HH", number, number) + _text(topic.name) + _text("cdr")
    quality = _text("offered_qos_profiles") + _text(_LATCHED) if topic.is_latched else b""
    return _mcap_record(3, schema + _text(topic.definition)) + _mcap_record(
        4, channel + _sized(quality)
    )


def _close_mcap_chunk(file: BinaryIO, chunk: _Chunk) -> bytes:
    """Writes the chunk and its message indices; returns the chunk's index for the summary."""
    times, size, place = pack("<QQ", *chunk.times), len(chunk.data), file.tell()
    body = times + pack("<QI", size, zlib.crc32(chunk.data)) + _text("")
    file.write(_mcap_record(6, body + pack("<Q", size) + bytes(chunk.data)))
    behind, places = file.tell(), b""
    for number, entries in chunk.entries.items():
        places += pack("<HQ", number, file.tell())
        pairs = b"".join(pack("<QQ", *each) for each in entries)
        file.write(_mcap_record(7, pack("<H", number) + _sized(pairs)))
    index = times + pack("<QQ", place, behind - place) + _sized(places)
    index += pack("<Q", file.tell() - behind) + _text("") + pack("<QQ", size, size)
    return _mcap_record(8, index)


_SCHEMA = """
CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL,
  metadata TEXT NOT NULL);
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
  serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL,
  type_description_hash TEXT NOT NULL);
CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL,
  encoding TEXT NOT NULL, encoded_message_definition TEXT NOT NULL,
  type_description_hash TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL,
  timestamp INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
INSERT INTO schema VALUES (4, 'rolling');
"""


def write_folder(messages: Messages, folder: Path, name: str) -> Iterator[int]:
    """Writes a recording of ROS 2 into an empty folder: metadata.yaml and NAME_0.db3; yields the
    time of each message."""
    topics = messages.topics
    numbers = {topic.name: index for index, topic in enumerate(topics, start=1)}
    counts = dict.fromkeys(numbers, 0)
    logs: list[int] = []

    file = f"{name}_0.db3"
    with closing(sqlite3.connect(folder / file)) as database, database:
        database.executescript(_SCHEMA)
        for topic in topics:
            kind = topic.type.replace("/", "/msg/")
            database.execute(
                "INSERT INTO topics VALUES (?, ?, ?, 'cdr', ?, '')",
                (numbers[topic.name], topic.name, kind, _LATCHED if topic.is_latched else ""),
            )
            database.execute(
                "INSERT INTO message_definitions (topic_type, encoding, "
                "encoded_message_definition, type_description_hash) VALUES (?, 'ros2msg', ?, '')",
                (kind, topic.definition),
            )
        for message in messages.stream:
            counts[message.topic] += 1
            logs.append(message.log)
            row = numbers[message.topic], message.log, message.data
            database.execute(
                "INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)", row
            )
            yield message.log
    text = _metadata(topics, counts, min(logs), max(logs), file)
    (folder / "metadata.yaml").write_text(text, encoding="utf-8", newline="\n")


def _metadata(
    topics: Sequence[WrittenTopic], counts: dict[str, int], start: int, end: int, file: str
) -> str:
    """JSON in the lines is YAML, whatever a file is called."""
    number, name = sum(counts.values()), json.dumps(file)
    lines = [
        "rosbag2_bagfile_information:",
        f"  version: {_VERSION}",
        "  storage_identifier: sqlite3",
        f"  duration:\n    nanoseconds: {end - start}",
        f"  starting_time:\n    nanoseconds_since_epoch: {start}",
        f"  message_count: {number}",
        "  topics_with_message_count:",
    ]
    for topic in topics:
        lines += [
            "    - topic_metadata:",
            f"        name: {topic.name}",
            f"        type: {topic.type.replace('/', '/msg/')}",
            "        serialization_format: cdr",
            "        offered_qos_profiles: " + json.dumps(_LATCHED if topic.is_latched else ""),
            f"      message_count: {counts[topic.name]}",
        ]
    lines += [
        '  compression_format: ""\n  compression_mode: ""',
        f"  relative_file_paths:\n    - {name}",
        "  files:",
        f"    - path: {name}",
        f"      starting_time:\n        nanoseconds_since_epoch: {start}",
        f"      duration:\n        nanoseconds: {end - start}",
        f"      message_count: {number}",
    ]
    return "\n".join(lines) + "\n"
