# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings that are written: read again, and read by others' programs."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.rosbag1 import Reader as BagReader
from rosbags.typesys import Stores, get_typestore

from support.motions import trajectories, wave
from support.recorded import START
from urdf_importer import WriteError, list_topics, read_trajectory, write_trajectory
from urdf_importer.features.motion.recordings.definitions import text_of
from urdf_importer.features.motion.recordings.encode import MD5

TARGETS = ("motion.bag", "motion.mcap", "motion")


def without_loss(trajectory):
    """What a JointState can say: only of joints that have a position, and no accelerations."""
    if trajectory.interpolation == "spline":
        return trajectory
    gone = np.isnan(trajectory.positions)
    arrays = {
        kind: None if array is None else np.where(gone, np.nan, array)
        for kind in ("velocities", "efforts")
        for array in [getattr(trajectory, kind)]
    }
    return replace(trajectory, accelerations=None, **arrays)


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=40)
@given(trajectory=trajectories())
def test_what_is_written_is_read(target, trajectory):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, target)
        for written in write_trajectory(trajectory, path):
            assert written.is_file()
        assert read_trajectory(path) == without_loss(trajectory)


@pytest.mark.parametrize("target", TARGETS)
def test_other_programs_read_it(tmp_path, target):
    """More than one chunk, with the index."""
    motion = wave(20, 3000)
    path = tmp_path / target
    write_trajectory(motion, path)
    store = get_typestore(Stores.ROS2_HUMBLE)
    with AnyReader([path], default_typestore=store) as reader:
        assert {topic: info.msgcount for topic, info in reader.topics.items()} == {
            "/joint_states": 3000,
            "/tf": 300,
        }
        assert reader.start_time == START and reader.end_time == START + 29_990_000_001
        states = [
            reader.deserialize(raw, connection.msgtype)
            for connection, log, raw in reader.messages()
            if connection.topic == "/joint_states" and log < START + 10**9
        ]
        first = next(reader.messages(start=START + 20 * 10**9))
        assert first[1] == START + 20 * 10**9
    assert len(states) == 100 and list(states[5].name) == list(motion.names)
    assert np.array_equal([each.position for each in states], motion.positions[:100])
    assert np.array_equal([each.velocity for each in states], motion.velocities[:100])
    assert states[7].header.stamp.nanosec == 70_000_000
    assert read_trajectory(path) == motion
    assert [topic.count for topic in list_topics(path)] == [3000, 300]


def test_mcap_s_own_reader_takes_index_and_checksums(tmp_path):
    path = tmp_path / "motion.mcap"
    write_trajectory(wave(20, 3000), path)
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary.statistics.message_count == 3300
        assert summary.statistics.chunk_count == len(summary.chunk_indexes) > 1
        end = START + 29 * 10**9
        late = [each for each in reader.iter_messages(topics=["/tf"]) if each[2].log_time >= end]
        assert len(late) == 10 and late[0][2].log_time == end


def test_definitions_have_the_sums_of_ros(tmp_path):
    write_trajectory(wave(20, 10), tmp_path / "a.bag")
    with BagReader(tmp_path / "a.bag") as reader:
        for connection in reader.connections:
            kind = connection.msgtype.replace("/msg/", "/")
            assert connection.digest == MD5[kind]
    store = get_typestore(Stores.ROS1_NOETIC)
    for kind in ("sensor_msgs/JointState", "trajectory_msgs/JointTrajectory"):
        name = kind.replace("/", "/msg/")
        assert store.generate_msgdef(name)[1] == MD5[kind]
    assert "builtin_interfaces/Duration time_from_start" in text_of(
        "trajectory_msgs/JointTrajectory", "cdr"
    )


def test_nothing_is_left_of_what_cannot_be_written(tmp_path):
    early = replace(wave(20, 5), start_time=-5)
    for target in TARGETS:
        with pytest.raises(WriteError, match="1970"):
            write_trajectory(early, tmp_path / target)
    assert list(tmp_path.iterdir()) == []
    write_trajectory(wave(20, 5), tmp_path / "one")
    write_trajectory(wave(20, 6), tmp_path / "one")
    assert len(read_trajectory(tmp_path / "one").times) == 6
    (tmp_path / "one" / "other_0.db3").write_bytes(b"")
    with pytest.raises(WriteError, match="another recording"):
        write_trajectory(wave(20, 5), tmp_path / "one")
    with pytest.raises(WriteError, match="not as"):
        write_trajectory(wave(20, 5), tmp_path / "x.db3")
