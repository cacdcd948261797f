# SPDX-License-Identifier: GPL-3.0-or-later
"""LeRobot's datasets onto a robot."""

import json
import math

import numpy as np
import pandas
import pytest

from support.lerobot import MOTORS, make_states, write_dataset
from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    MotionOptions,
    ReadError,
    RobotError,
    list_topics,
    read_robot,
    read_trajectory,
)
from urdf_importer.cli import main

URDF = ROOT / "tests/data/so_arm.urdf"
DEGREES = MotionOptions(units=(("*", "deg"),))


@pytest.fixture(scope="module")
def robot():
    return read_robot(URDF)


@pytest.mark.parametrize("version", ["v3.0", "v2.1", "v2.0"])
def test_an_episode_is_bit_equal(tmp_path, version):
    states = write_dataset(tmp_path / "d", version)
    for topic, wanted in (("1", states[1]), ("2/action", -states[2])):
        found = read_trajectory(tmp_path / "d", topic=topic)
        assert np.array_equal(found.positions, wanted)
        assert found.names == tuple(f"{motor}.pos" for motor in MOTORS)
        assert np.array_equal(found.times, np.arange(40) / 30)
    by_file = read_trajectory(tmp_path / "d/meta/info.json", topic="1")
    assert np.array_equal(by_file.positions, states[1])


@pytest.mark.parametrize("nest", [lambda names: [names], lambda names: {"axes": names},
                                  lambda names: [names[:2], names[2:]]])  # fmt: skip
def test_names_may_be_in_lists(tmp_path, nest):
    states = write_dataset(tmp_path / "d", names=nest(list(MOTORS)))
    found = read_trajectory(tmp_path / "d", topic="1")
    assert found.names == MOTORS
    assert np.array_equal(found.positions, states[1])


@pytest.mark.parametrize("name", ["meta/info.json", "data/chunk-000/file-000.parquet",
                                  "meta/episodes.jsonl"])  # fmt: skip
def test_a_pointer_of_git_lfs_is_named(tmp_path, name):
    write_dataset(tmp_path / "d", "v2.1" if name.endswith("jsonl") else "v3.0")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 82515\n"
    (tmp_path / "d" / name).write_text(pointer)
    with pytest.raises(ReadError, match="Git LFS pointer, not the file itself; 'git lfs pull'"):
        read_trajectory(tmp_path / "d", topic="0")


def test_topics_are_the_episodes(tmp_path, capsys):
    write_dataset(tmp_path / "d")
    topics = list_topics(tmp_path / "d")
    assert [each.name for each in topics[:3]] == ["0/observation.state", "0/action",
                                                  "1/observation.state"]  # fmt: skip
    assert (topics[0].count, topics[0].motion, topics[0].type) == (40, "joints", "so101_follower")
    assert main(["topics", str(tmp_path / "d")]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 6


def test_the_first_episode_is_read_with_a_word(tmp_path):
    states = write_dataset(tmp_path / "d")
    diagnostics = Diagnostics()
    found = read_trajectory(tmp_path / "d", diagnostics=diagnostics)
    assert np.array_equal(found.positions, states[0])
    assert [each.code for each in diagnostics] == ["first-episode"]


def test_degrees_and_a_gripper_in_percent(tmp_path, robot):
    states = make_states()
    for state in states:
        state[:, 5] = np.abs(state[:, 5])
    write_dataset(tmp_path / "d", given=states)
    diagnostics = Diagnostics()
    found = read_trajectory(tmp_path / "d", topic="0", robot=robot, options=DEGREES,
                            diagnostics=diagnostics)  # fmt: skip
    assert found.names == MOTORS
    assert found.positions[:, :5] == pytest.approx(np.radians(states[0][:, :5].astype(float)))
    grip = -0.17 + states[0][:, 5].astype(float) / 100 * 1.92
    assert found.positions[:, 5] == pytest.approx(grip)
    assert [each.code for each in diagnostics] == ["joints-matched", "gripper-percent"]
    named = MotionOptions(units=(("*", "deg"), ("gripper", "deg")))
    found = read_trajectory(tmp_path / "d", topic="0", robot=robot, options=named,
                            diagnostics=Diagnostics())  # fmt: skip
    assert found.positions[:, 5] == pytest.approx(np.radians(states[0][:, 5].astype(float)))


def test_signed_numbers_by_a_calibration(tmp_path, robot):
    write_dataset(tmp_path / "d", names=[f"{motor}.pos" for motor in MOTORS])
    motor = {"id": 1, "drive_mode": 0, "homing_offset": 7, "range_min": 1024, "range_max": 3071}
    (tmp_path / "c.json").write_text(json.dumps({name: motor for name in MOTORS}))
    options = MotionOptions(units=(("*", "signed"),), servos=str(tmp_path / "c.json"))
    found = read_trajectory(tmp_path / "d", topic="0", robot=robot, options=options,
                            diagnostics=Diagnostics())  # fmt: skip
    wanted = make_states()[0].astype(float) / 100 * (2047 / 2) * math.tau / 4095
    assert found.positions == pytest.approx(wanted, abs=1e-12)


def test_degrees_are_never_guessed(tmp_path, robot):
    write_dataset(tmp_path / "d")
    with pytest.raises(RobotError, match=r"go to [\d.]+, so they are not radians: say --unit"):
        read_trajectory(tmp_path / "d", topic="0", robot=robot, diagnostics=Diagnostics())
    radians = MotionOptions(units=(("*", "rad"),))
    read_trajectory(tmp_path / "d", topic="0", robot=robot, options=radians,
                    diagnostics=Diagnostics())  # fmt: skip


def test_names_may_be_a_dict_or_missing(tmp_path, robot):
    states = write_dataset(tmp_path / "a", names={"motors": list(MOTORS)})
    found = read_trajectory(tmp_path / "a", topic="0", robot=robot, options=DEGREES,
                            diagnostics=Diagnostics())  # fmt: skip
    assert found.names == MOTORS
    write_dataset(tmp_path / "b", names="motors")
    found = read_trajectory(tmp_path / "b", topic="0", robot=robot, options=DEGREES)
    assert found.positions[:, :5] == pytest.approx(np.radians(states[0][:, :5].astype(float)))
    with pytest.raises(ReadError, match="names no joints; name the robot"):
        read_trajectory(tmp_path / "b", topic="0")


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"codebase_version": "v1.6"}, "version 'v1.6'; v2.0 to v3.0 are read"),
        ({"data_path": "../{x.__class__}"}, "data_path is .* which is not read"),
        ({"fps": 0}, "fps are 0"),
        ({"features": []}, "no features"),
        ({"features": {"observation.state": {"dtype": "string"}}}, "not numbers"),
        ({"features": {"x": {"dtype": "float32"}}}, "no feature 'action'; there are 'x'"),
    ],
)
def test_datasets_that_make_no_sense(tmp_path, changes, message):
    write_dataset(tmp_path / "d", **changes)
    with pytest.raises(ReadError, match=message):
        read_trajectory(tmp_path / "d", topic="0", diagnostics=Diagnostics())


@pytest.mark.parametrize(
    "topic, message",
    [("50", "episodes 0 to 2, not 50"), ("x", "called as in 7 or 7/action"), ("0/y", "no feature")],
)
def test_episodes_that_are_not_there(tmp_path, topic, message):
    write_dataset(tmp_path / "d")
    with pytest.raises(ReadError, match=message):
        read_trajectory(tmp_path / "d", topic=topic)


def test_a_plain_parquet_file_is_a_table(tmp_path):
    table = pandas.DataFrame({
        "timestamp": pandas.date_range("2026-03-01", periods=4, freq="20ms"),
        "arm": [0.1, np.nan, 0.3, 0.4], "task": ["reach"] * 4,
    })  # fmt: skip
    table.to_parquet(tmp_path / "t.parquet")
    found = read_trajectory(tmp_path / "t.parquet")
    assert found.times.tolist() == [0.0, 0.02, 0.04, 0.06]
    assert np.array_equal(found.positions[:, 0], table["arm"], equal_nan=True)
    assert found.start_time == 1_772_323_200 * 10**9
    write_dataset(tmp_path / "d")
    with pytest.raises(ReadError, match="part of a LeRobot dataset"):
        read_trajectory(tmp_path / "d/data/chunk-000/file-000.parquet")


@pytest.mark.parametrize(
    ("length", "fps"), [("1" + "0" * 400, 30), ("-5", 30), ("1e300", 30), ("3", 1e-300)]
)
def test_numbers_that_no_episode_has_are_refused(tmp_path, length, fps):
    (tmp_path / "meta").mkdir()
    path = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
    state = {"dtype": "float32", "names": ["a"]}
    info = {"codebase_version": "v2.1", "data_path": path, "fps": fps,
            "features": {"observation.state": state}}  # fmt: skip
    (tmp_path / "meta" / "info.json").write_text(json.dumps(info))
    (tmp_path / "meta" / "episodes.jsonl").write_text(f'{{"episode_index":0,"length":{length}}}\n')
    with pytest.raises(ReadError, match=r"none can have|no number above 0"):
        list_topics(tmp_path)
