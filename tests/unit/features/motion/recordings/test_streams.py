# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of messages, written by others' programs, read with nothing but Python."""

import sqlite3
import struct
import tracemalloc

import numpy as np
import pytest

from support.recorded import (
    BAGS,
    KINDS,
    MCAPS,
    START,
    joint_state,
    record,
    serialize,
    transform,
)
from urdf_importer import Diagnostics, MotionOptions, ReadError, list_topics, read_trajectory
from urdf_importer.features.motion.recordings.compression import unpack
from urdf_importer.features.motion.recordings.streams import MOST_CHUNK

MS = 1_000_000


def run_of_an_arm(count=300):
    """An arm at 100 Hz, a gripper at 10 Hz on the same topic, a base, and something else."""
    rng = np.random.default_rng(5)
    arm = rng.normal(size=(count, 3))
    messages = []
    for i in range(count):
        log = START + i * 10 * MS
        messages.append(joint_state(log, dict(zip("abc", arm[i], strict=True))))
        if i % 10 == 5:
            messages.append(joint_state(log + MS, {"grip": i / 100}))
            messages.append(transform(log + 2 * MS, "odom", "base", i / 10))
    messages.append(transform(START, "map", "odom", 7.0, topic="/tf_static"))
    messages.append(("/chatter", "std_msgs/msg/String", START + 5, {"data": "hello"}))
    return arm, sorted(messages, key=lambda each: each[2])


ARM, RUN = run_of_an_arm()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_recording_gives_the_same_motion(tmp_path, kind):
    path = record(tmp_path, kind, RUN)
    diagnostics = Diagnostics()
    found = read_trajectory(path, diagnostics=diagnostics)
    assert not list(diagnostics)
    assert (found.names, found.topic, found.start_time) == (
        ("a", "b", "c", "grip"), "/joint_states", START,
    )  # fmt: skip
    arm = ~np.isnan(found.positions[:, 0])
    assert np.array_equal(found.positions[arm, :3], ARM)
    assert np.array_equal(found.times[arm], np.arange(300) * 10 / 1000)
    grip = ~np.isnan(found.positions[:, 3])
    assert not (arm & grip).any() and (arm | grip).all()
    assert found.positions[grip, 3].tolist() == [i / 100 for i in range(5, 300, 10)]
    base, fixed = sorted(found.frames, key=lambda each: -len(each.times))
    assert (base.parent, base.child, len(base.times)) == ("odom", "base", 30)
    assert base.times[0] == 0.052 and base.translations[1].tolist() == [1.5, 0, 0]
    assert (fixed.parent, fixed.times.tolist()) == ("map", [0.0])
    assert fixed.quaternions.tolist() == [[0, 0, 1, 0]]


@pytest.mark.parametrize("kind", ["bag lz4", "sqlite", "mcap zstd"])
def test_topics_are_listed(tmp_path, kind):
    topics = {each.name: each for each in list_topics(record(tmp_path, kind, RUN))}
    assert list(topics) == ["/chatter", "/joint_states", "/tf", "/tf_static"]
    assert [each.motion for each in topics.values()] == ["", "joints", "frames", "frames"]
    states = topics["/joint_states"]
    assert (states.type, states.count, states.start) == ("sensor_msgs/JointState", 330, START)
    assert states.end == START + 2990 * MS


def test_the_topic_is_chosen_or_asked_for(tmp_path):
    arms = [joint_state(START + i, {"a": i}, f"/{side}/states") for i in (0, 1) for side in "lr"]
    path = record(tmp_path, "mcap", arms)
    with pytest.raises(ReadError, match=r"'/l/states' \(2 of sensor_msgs/JointState\)"):
        read_trajectory(path)
    assert read_trajectory(path, topic="r/states").topic == "/r/states"
    with pytest.raises(ReadError, match="no topic '/x'"):
        read_trajectory(path, topic="/x")
    chatter = [("/chatter", "std_msgs/msg/String", START, {"data": "x"})]
    other = record(tmp_path, "bag", chatter)
    with pytest.raises(ReadError, match="no topic is a motion"):
        read_trajectory(other)
    with pytest.raises(ReadError, match="holds no motion"):
        read_trajectory(other, topic="/chatter")


POINTS = [
    {"positions": [0.0, 1.0], "velocities": [0.0, 0.5], "time_from_start": 0},
    {"positions": [2.0, 3.0], "velocities": [0.0, 0.5], "time_from_start": 1500 * MS},
]
COMMAND = {"joint_names": ["a", "b"], "points": POINTS}


@pytest.mark.parametrize("kind", ["bag", "mcap"])
@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("trajectory_msgs/msg/JointTrajectory", COMMAND),
        ("moveit_msgs/msg/RobotTrajectory", {"joint_trajectory": COMMAND}),
        ("moveit_msgs/msg/DisplayTrajectory", {"trajectory": [{"joint_trajectory": COMMAND}]}),
    ],
)
def test_commands_are_splines_wherever_they_are(tmp_path, kind, name, fields):
    path = record(tmp_path, kind, [("/plan", name, START, fields)])
    found = read_trajectory(path)
    assert (found.interpolation, found.names, found.start_time) == ("spline", ("a", "b"), START)
    assert found.times.tolist() == [0, 1.5]
    assert found.positions.tolist() == [[0, 1], [2, 3]]
    assert found.velocities.tolist() == [[0, 0.5], [0, 0.5]]
    assert found.accelerations is None


def test_trajectories_of_one_message_follow_each_other(tmp_path):
    two = {"trajectory": [{"joint_trajectory": COMMAND}] * 2}
    path = record(tmp_path, "mcap", [("/show", "moveit_msgs/msg/DisplayTrajectory", START, two)])
    assert read_trajectory(path).times.tolist() == [0, 1.5, 3.0]


def test_a_controller_s_state_and_its_odometry_are_read(tmp_path):
    messages = []
    for i in range(3):
        log = START + i * MS
        state = {"header": {"stamp": log}, "joint_names": ["a"], "actual": POINTS[0] | {
            "positions": [float(i)], "velocities": [1.0]}}  # fmt: skip
        messages.append(("/state", "control_msgs/msg/JointTrajectoryControllerState", log, state))
        pose = {"pose": {"position": {"y": float(i)}, "orientation": {"w": 1.0}}}
        odometry = {"header": {"stamp": log, "frame_id": "/odom"}, "child_frame_id": "base_link"}
        messages.append(("/odom", "nav_msgs/msg/Odometry", log, odometry | {"pose": pose}))
    found = read_trajectory(record(tmp_path, "bag", messages))
    assert found.positions.ravel().tolist() == [0, 1, 2]
    (track,) = found.frames
    assert (track.parent, track.child) == ("odom", "base_link")
    assert track.translations[:, 1].tolist() == [0, 1, 2]


def test_times_of_recording_count_where_stamps_say_nothing(tmp_path):
    messages = [
        (topic, name, log, fields | {"header": {"stamp": 0}})
        for topic, name, log, fields in (joint_state(START + i * MS, {"a": i}) for i in range(4))
    ]
    assert read_trajectory(record(tmp_path, "bag", messages)).times.tolist() == [
        0,
        1e-3,
        2e-3,
        3e-3,
    ]
    late = [
        (t, n, log * 2, f) for t, n, log, f in (joint_state(10**9 * i, {"a": i}) for i in (1, 2))
    ]
    path = record(tmp_path, "mcap", late)
    assert read_trajectory(path).times.tolist() == [0, 1]
    assert read_trajectory(path, options=MotionOptions(clock="log")).times.tolist() == [0, 2]


def test_big_endian_messages_are_read(tmp_path):
    """As machines of the other byte order send them."""
    path = record(tmp_path, "sqlite", RUN[:40])
    database = sqlite3.connect(next(path.glob("*.db3")))
    with database:
        database.execute("DELETE FROM messages")
        for i in range(3):
            _, name, log, fields = joint_state(START + i * MS, {"a": float(i), "bcdef": 2.0})
            data = serialize(name, fields, little=False)
            database.execute(
                "INSERT INTO messages (topic_id, timestamp, data) SELECT id, ?, ? FROM topics "
                "WHERE name = '/joint_states'",
                (log, data),
            )
    database.close()
    found = read_trajectory(path)
    assert found.positions.tolist() == [[0, 2], [1, 2], [2, 2]]
    assert found.times.tolist() == [0, 1e-3, 2e-3]


@pytest.mark.parametrize("kind", [*BAGS, *MCAPS])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.97])
def test_cut_recordings_give_what_is_there(tmp_path, kind, share):
    path = record(tmp_path, kind, RUN)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    diagnostics = Diagnostics()
    try:
        found = read_trajectory(path, diagnostics=diagnostics)
    except ReadError as error:
        assert kind != "bag" and share < 0.5, error
        return
    seen = found.positions[~np.isnan(found.positions[:, 0]), :3]
    assert np.array_equal(seen, ARM[: len(seen)])
    assert len(seen) > 40
    if share < 0.9:
        assert "cut-recording" in [item.code for item in diagnostics]


def test_other_versions_and_files_are_refused_by_name(tmp_path):
    for name, data, part in (
        ("old.bag", b"#ROSBAG V1.2\n" + bytes(100), "version 1.2"),
        ("empty.bag", b"", "not a bag"),
        ("text.mcap", b"hello", "not a bag"),
        ("none.db3", b"SQLite format 3\0" + bytes(100), "database"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ReadError, match=part) as caught:
            read_trajectory(path)
        assert str(path) in str(caught.value)
    (tmp_path / "folder").mkdir()
    with pytest.raises(ReadError, match="no recording"):
        read_trajectory(tmp_path / "folder")
    with pytest.raises(ReadError, match="no such file"):
        read_trajectory(tmp_path / "gone.bag")


def test_xcdr2_is_refused_by_name(tmp_path):
    path = record(tmp_path, "sqlite", RUN[:40])
    database = sqlite3.connect(next(path.glob("*.db3")))
    with database:
        database.execute("UPDATE messages SET data = CAST(X'00070000' || data AS BLOB)")
    database.close()
    with pytest.raises(ReadError, match="XCDR2"):
        read_trajectory(path)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
        "SELECT i AS id, 1 AS topic_id, i AS timestamp, X'00' AS data FROM n",
        "CREATE VIRTUAL TABLE messages USING fts5(topic_id, timestamp, data)",
    ],
)
def test_tables_that_run_are_refused(tmp_path, sql):
    path = tmp_path / "evil.db3"
    database = sqlite3.connect(path)
    with database:
        database.execute("CREATE TABLE topics (id, name, type, serialization_format)")
        database.execute("INSERT INTO topics VALUES (1, 'j', 'sensor_msgs/msg/JointState', 'cdr')")
        database.execute(sql)
    database.close()
    with pytest.raises(ReadError, match="not a plain table"):
        read_trajectory(path)


def bag_record(header, data):
    fields = b"".join(struct.pack("<I", len(f)) + f for f in header)
    return struct.pack("<I", len(fields)) + fields + struct.pack("<I", len(data)) + data


@pytest.mark.parametrize("packing", [b"bz2", b"lz4"])
def test_a_bomb_gives_no_more_than_it_says(tmp_path, packing):
    import bz2

    import lz4.frame

    pack = bz2.compress if packing == b"bz2" else lz4.frame.compress
    bomb = pack(bytes(200_000_000))
    path = tmp_path / "bomb.bag"
    size = struct.pack("<I", 1000)
    head = [b"op=\x05", b"compression=" + packing, b"size=" + size]
    path.write_bytes(b"#ROSBAG V2.0\n" + bag_record(head, bomb))
    tracemalloc.start()
    with pytest.raises(ReadError):
        read_trajectory(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000


def test_many_packed_messages_take_their_own_room():
    """Room for the most that may come, taken for each, is too much: Linux gives no more than 65,530
    pieces of it."""
    import zstandard

    words = [b"%d" % number * 9 for number in range(70_000)]
    packer = zstandard.ZstdCompressor()
    packed = [packer.compress(word) for word in words]
    assert [unpack(each, "zstd", MOST_CHUNK) for each in packed] == words
    # Frames of which the first does not say its size, and what is cut off.
    stream = packer.compressobj()
    silent = stream.compress(b"x" * 5000) + stream.flush()
    assert unpack(silent + packed[0], "zstd", MOST_CHUNK) == b"x" * 5000 + words[0]
    assert unpack(silent + packed[0], "zstd", 100) == b"x" * 100
    assert unpack(packer.compress(bytes(10**6)), "zstd", 100) == bytes(100)
    with pytest.raises(ReadError, match="zstd"):
        unpack(packed[7][:4] + b"\xff" * 20, "zstd", MOST_CHUNK)


def test_a_chunk_of_gigabytes_is_refused(tmp_path):
    path = tmp_path / "huge.bag"
    head = [b"op=\x05", b"compression=bz2", b"size=\xff\xff\xff\xff"]
    path.write_bytes(b"#ROSBAG V2.0\n" + bag_record(head, b"BZh9"))
    with pytest.raises(ReadError, match="the most that is read"):
        read_trajectory(path)
