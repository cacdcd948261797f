# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings that say more than they hold, and damaged ones: one sentence, or what is there."""

import bz2
import io
import json
import struct
import time
import tracemalloc
import zipfile

import numpy as np
import pytest

from support.paths import ROOT
from support.raw_recordings import (
    BAG,
    bag_chunk,
    bag_connection,
    bag_message,
    bag_record,
    joint_state,
    lz4_bomb,
    lz4_frame,
    make_database,
    nested,
    sized,
)
from support.recorded import START, record, serialize
from support.recorded import joint_state as state
from support.seconds import within
from urdf_importer import Diagnostics, MotionOptions, ReadError, list_topics, read_trajectory
from urdf_importer.features.motion.recordings import compression
from urdf_importer.features.motion.recordings.compression import unpack
from urdf_importer.features.motion.recordings.definitions import read_definition
from urdf_importer.features.motion.recordings.layouts import Decoder
from urdf_importer.features.motion.recordings.motions import Collector

STATES = [bag_message(joint_state("ab", [i, 2.0], i + 1), i + 1) for i in range(8)]


def seconds_of(action):
    """The shorter time of two: a pause of the machine only adds."""
    return min(_once(action), _once(action))


def _once(action):
    began = time.thread_time()
    action()
    return time.thread_time() - began


@pytest.mark.parametrize("length", ["9" * 5000, "1" * 10])
def test_lengths_of_many_digits_are_refused(tmp_path, length):
    text = f"float64[{length}] x\nstring[] name\nfloat64[] position"
    with pytest.raises(ReadError, match="digits"):
        read_definition("a/B", text, "ros1")
    path = tmp_path / "long.bag"
    path.write_bytes(BAG + bag_connection(text, "a/B") + STATES[0])
    assert [each.motion for each in list_topics(path)] == [""]


def test_lengths_are_written_in_plain_digits():
    with pytest.raises(ReadError, match="has no definition of 'a/x'"):
        read_definition("a/B", "x[\u0665] y\nx z", "ros1")
    found = read_definition("a/B", "float64[\u00b2] x\nfloat64[\u0663] y\nfloat64 z", "ros1")
    assert [field.name for field in found.types["a/B"]] == ["z"]


@pytest.mark.parametrize("size", [0, 1, 1000, 100_000])
def test_a_match_makes_no_more_than_is_wanted(size):
    """A block of one match: programs that pack end their blocks at 4 MB, others need not."""
    packed = lz4_frame(lz4_bomb(200_000), lz4_bomb(100))
    tracemalloc.start()
    found = unpack(packed, "lz4", size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == b"a" * size
    assert peak < 1_000_000 + 3 * size


def test_what_is_packed_by_hand_is_unpacked():
    words = b"\x50abcde\x03\x00" + b"\x20xy"  # abcde, then 4 bytes from 3 back, then xy
    assert unpack(lz4_frame(words, lz4_bomb(2)), "lz4", 5000) == (
        b"abcdecdecxy" + b"a" * (1 + 19 + 2 * 255)
    )


@pytest.mark.parametrize("header", [[b"op="], [b"op=\x02\x02"], [b"x=1"], []])
def test_a_record_that_does_not_say_what_it_is(tmp_path, header):
    path = tmp_path / "odd.bag"
    for content in (
        bag_record(header, b"data"),
        bag_chunk(bag_connection() + bag_record(header, b""), 5000, b"none"),
    ):
        path.write_bytes(BAG + bag_connection() + STATES[0] + content + STATES[1])
        for read in (read_trajectory, list_topics):
            with pytest.raises(ReadError, match="does not name its kind, at byte"):
                read(path)


def bag_with_index(gap, after=b""):
    """A bag of two chunks, with bytes between the last one and the index."""
    start = len(BAG)
    head = bag_record([b"op=\x03", b"index_pos=" + bytes(8)], b" " * 20)
    chunks, places = b"", []
    for part in (STATES[:4], STATES[4:]):
        places.append(start + len(head) + len(chunks))
        chunks += bag_chunk(bag_connection() + b"".join(part), 5000, b"none") + gap
    index = start + len(head) + len(chunks)
    head = bag_record([b"op=\x03", b"index_pos=" + struct.pack("<Q", index)], b" " * 20)
    infos = [
        bag_record(
            [b"op=\x06", b"ver=\1\0\0\0", b"chunk_pos=" + struct.pack("<Q", place)],
            struct.pack("<II", 0, 4),
        )
        for place in places
    ]
    return BAG + head + chunks + bag_connection() + b"".join(infos) + after


@pytest.mark.parametrize("gap", [bytes(1), bytes(4096), b"\xff" * 70, b"\4\0\0\0abcd"])
def test_bytes_between_records_are_skipped_by_the_index(tmp_path, gap):
    path = tmp_path / "gap.bag"
    path.write_bytes(bag_with_index(b""))
    whole = read_trajectory(path)
    assert whole.positions.tolist() == [[i, 2] for i in range(8)]
    path.write_bytes(bag_with_index(gap))
    diagnostics = Diagnostics()
    assert np.array_equal(read_trajectory(path, diagnostics=diagnostics).positions, whole.positions)
    assert [item.code for item in diagnostics] == ["skipped-bytes"]
    assert f"{2 * len(gap)} bytes" in next(iter(diagnostics)).message
    assert [each.count for each in list_topics(path)] == [8]


def test_zeros_at_the_end_are_those_of_a_recorder_that_died(tmp_path):
    path = tmp_path / "zeros.bag"
    plain = BAG + bag_connection() + b"".join(STATES)
    path.write_bytes(plain + bytes(3_000_000))
    diagnostics = Diagnostics()
    assert len(read_trajectory(path, diagnostics=diagnostics).times) == 8
    assert [item.code for item in diagnostics] == ["cut-recording"]
    path.write_bytes(plain + bytes(3_000_000) + b"x")
    with pytest.raises(ReadError, match="at byte"):
        read_trajectory(path)
    path = record(tmp_path, "mcap", [state(START + i, {"a": i}) for i in range(5)])
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"\x0f", 0, -100)] + bytes(9 * 10**6))
    assert seconds_of(lambda: read_trajectory(path)) < 2


def test_types_without_fields_take_no_time():
    """A few bytes of such items could stand for hours."""
    definition = read_definition("p/M", nested("A", 40, 2), "ros1")
    message = bytes(8) + (60_000).to_bytes(4, "little") + bytes(100_000)
    spent = seconds_of(lambda: Decoder(definition, "ros1").decode([message]))
    assert spent < 2
    small = [bytes(8) + (9 + i).to_bytes(4, "little") for i in range(300)]
    assert seconds_of(lambda: Decoder(definition, "ros1").decode(small)) < 3


def test_long_lists_are_read():
    """As long as messages are: 30,000 points of a trajectory, 50,000 names."""
    names = [f"j{i}" for i in range(50_000)]
    definition = read_definition("sensor_msgs/JointState", "", "ros1")
    [(_, tree)] = Decoder(definition, "ros1").decode([joint_state(names, range(50_000))])
    assert tree["name"] == tuple(names)
    point = struct.pack("<Id", 1, 0.5) + bytes(12) + struct.pack("<II", 3, 0)
    head = bytes(16) + sized(b"")[4:] + struct.pack("<I", 1) + sized(b"a")
    message = head + struct.pack("<I", 30_000) + point * 30_000
    definition = read_definition("trajectory_msgs/JointTrajectory", "", "ros1")
    [(_, tree)] = Decoder(definition, "ros1").decode([message])
    assert len(tree["points"]) == 30_000


def test_many_channels_share_one_definition(tmp_path):
    text = nested("A", 1000, 1) + "\n# " + "x" * 200_000
    channels = [bag_connection(text, "p/M", number) for number in range(300)]
    path = tmp_path / "many.bag"
    path.write_bytes(BAG + b"".join(channels))
    one = seconds_of(lambda: read_definition("p/M", text, "ros1"))
    assert seconds_of(lambda: list_topics(path)) < 15 * one + 1


def test_many_commands_take_linear_time():
    def collect(count):
        points = [
            {"positions": np.ones((count, 20)), "time_from_start": np.full(count, i)}
            for i in range(60)
        ]
        tree = {"joint_names": tuple("abcdefghijklmnopqrst"), "points": points}
        Collector(MotionOptions()).collect(tree, np.arange(count), np.arange(count))

    small = min(seconds_of(lambda: collect(300)) for _ in range(2))
    assert seconds_of(lambda: collect(3000)) < 30 * small + 0.1


def rows(count):
    return [
        (START + i * 10**6, serialize("sensor_msgs/msg/JointState", state(i, {"a": i})[3]))
        for i in range(count)
    ]


@pytest.mark.parametrize("word", [b"CREATE TABLE messages", b"CREATE TABLE topics"])
def test_a_damaged_schema_is_one_sentence(tmp_path, word):
    path = make_database(tmp_path / "run.db3", rows(5))
    data = path.read_bytes()
    at = data.index(word)
    for place in range(at - 40, at + len(word) + 20):
        for byte in b"\xff\n(":
            path.write_bytes(data[:place] + bytes([byte]) + data[place + 1 :])
            try:
                read_trajectory(path)
            except ReadError as error:
                assert error.source == str(path) and "\n" not in error.message


def test_a_schema_that_is_too_large_for_memory_is_one_sentence():
    """SQLite itself runs out of memory over its damaged pages, which Python raises as its own."""
    path = ROOT / "tests" / "data" / "schema_too_large_for_memory.db3"
    with pytest.raises(ReadError) as refused:
        list_topics(path)
    assert refused.value.source == str(path) and "\n" not in refused.value.message


def test_definitions_that_are_no_texts_are_none(tmp_path):
    import sqlite3

    path = make_database(tmp_path / "run.db3", rows(5), "float64 x")
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE message_definitions SET encoded_message_definition = 5")
    database.close()
    assert read_trajectory(path).positions.tolist() == [[i] for i in range(5)]


def test_only_the_time_of_the_database_counts(tmp_path, monkeypatch):
    """A render, or another reader, may use the processor as long as it likes between two rows."""
    path = make_database(tmp_path / "run.db3", rows(3000))
    clock, late = time.thread_time, [0.0]
    for name in ("thread_time", "process_time"):
        monkeypatch.setattr(time, name, lambda: clock() + late[0])
    from urdf_importer.features.motion.recordings.rosbag2 import read_database

    count = 0
    for piece in read_database(path, lambda _: True, Diagnostics()):
        count += len(piece.messages)
        late[0] += 1000.0
    assert count == 3000


def test_pages_that_are_read_again_and_again_come_to_an_end(tmp_path):
    """A tree of messages in which each branch leads to the same next one: rows without end."""
    path = make_database(tmp_path / "run.db3", rows(400))
    data = bytearray(path.read_bytes())
    size = struct.unpack(">H", data[16:18])[0]
    roots = [at for at in range(size, len(data), size) if data[at] == 5]
    first = {at: struct.unpack(">I", data[at + 8 : at + 12])[0] for at in roots}
    for level in range(6):
        last = level == 5
        child = next(iter(first.values())) if last else len(data) // size + 2
        data += branch(child, size)
    for root in roots:
        data[root : root + size] = branch(len(data) // size - 5, size)
    data[28:32] = struct.pack(">I", len(data) // size)
    path.write_bytes(data)
    for _ in within(10):
        for read in (list_topics, read_trajectory):
            with pytest.raises(ReadError, match=r"takes too long|lead in circles"):
                read(path)


def branch(child, size):
    """An inner page of SQLite: 60 cells of a child and a row's number."""
    count = 60
    cells = [size - 5 * (i + 1) for i in range(count)]
    head = struct.pack(">BHHHBI", 5, 0, count, cells[-1], 0, child)
    head += b"".join(struct.pack(">H", each) for each in cells)
    return head.ljust(cells[-1], b"\0") + struct.pack(">IB", child, 100) * count


@pytest.mark.parametrize(
    "heading",
    [
        "%time,field.header.stamp,field.name", "%time,field.name,field.position",
        "%time,field.names0,field.position0", "%time,field.pose.pose.position.x",
        "%time,field.header.stamp,field.name1,field.position1", "%time,field.name0,field.effort0",
    ],
)  # fmt: skip
def test_tables_of_other_messages_hold_no_joints(tmp_path, heading):
    path = tmp_path / "echo.csv"
    path.write_text(f"{heading}\n{','.join(['1'] * (heading.count(',') + 1))}\n")
    with pytest.raises(ReadError, match="no positions of joints"):
        read_trajectory(path)


def peak_of(read, path):
    """The bytes held at most while a file is refused."""
    tracemalloc.start()
    with pytest.raises(ReadError):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    ("name", "array", "packing"),
    [
        ("positions", np.zeros((1, 40_000_000), "i1"), zipfile.ZIP_DEFLATED),
        ("names", np.zeros(4_000_000, "U1"), zipfile.ZIP_DEFLATED),
        ("positions", np.zeros((1, 10_000_000)), zipfile.ZIP_LZMA),
        ("positions", np.zeros((1, 10_000_000)), zipfile.ZIP_BZIP2),
    ],
)
def test_arrays_are_no_bombs(tmp_path, name, array, packing):
    """Few bytes that are gigabytes of numbers or texts, or packed in a way without a bound."""
    content = {"names": np.array(["a"]), "times": np.zeros(1), "positions": np.zeros((1, 1))}
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", packing) as archive:
        for key, each in (content | {name: array}).items():
            file = io.BytesIO()
            np.save(file, each)
            archive.writestr(f"{key}.npy", file.getvalue())
    assert path.stat().st_size < 200_000
    assert peak_of(read_trajectory, path) < 3 * array.nbytes + 5_000_000


def test_a_few_aliases_stand_for_little(tmp_path):
    path = tmp_path / "bomb.yaml"
    lines = ["a: &a {x: 1, y: 2, z: 3, w: 4}"]
    lines += [f"b{i}: &b{i} [{', '.join([f'*{b}'] * 9)}]" for i, b in enumerate(["a"])]
    lines += [f"b{i}: &b{i} [{', '.join([f'*b{i - 1}'] * 9)}]" for i in range(1, 6)]
    path.write_text("\n".join(lines))
    assert peak_of(read_trajectory, path) < 5_000_000


def test_joints_that_each_come_alone_take_no_gigabytes(tmp_path):
    path = tmp_path / "apart.json"
    each = ({"name": [f"j{i}"], "position": [1.0], "header": {"stamp": {"sec": i}}}
            for i in range(4000))  # fmt: skip
    path.write_text("\n".join(map(json.dumps, each)))
    assert peak_of(read_trajectory, path) < 40_000_000
    each = [{"name": [f"r{i % 90}"], "position": [1.0], "header": {"stamp": {"sec": i}}}
            for i in range(4000)]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, each)))
    assert read_trajectory(path).positions.shape == (4000, 90)


def test_packed_parts_are_bounded_together(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "MOST_UNPACKED", 20_000_000)
    path = tmp_path / "bombs.bag"
    zeros = bag_record([b"op=\x09"], bytes(9_000_000))
    chunk = bag_chunk(bz2.compress(zeros), len(zeros), b"bz2")
    path.write_bytes(BAG + bag_connection() + chunk * 4)
    with pytest.raises(ReadError, match="times its size"):
        read_trajectory(path)
    path.write_bytes(BAG + bag_connection() + chunk * 2 + STATES[0])
    assert read_trajectory(path).positions.tolist() == [[0, 2]]
