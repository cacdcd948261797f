# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot that a recording holds."""

import json
from pathlib import Path

import pytest
from mcap.writer import Writer

from support.paths import ROOT
from support.recorded import START, joint_state, record
from urdf_importer import ReadError, find_description, read_robot, read_trajectory
from urdf_importer.cli import main

URDF = (ROOT / "tests/data/so_arm.urdf").read_text()


def described(path_or_topic="/robot_description", text=URDF):
    return (path_or_topic, "std_msgs/msg/String", START, {"data": text})


@pytest.mark.parametrize("kind", ["mcap", "bag", "mcap zstd", "sqlite"])
def test_the_robot_of_a_recording_is_read(tmp_path, kind):
    later = ("/robot_description", "std_msgs/msg/String", START + 5, {"data": URDF})
    messages = [described(text="<robot/>"), later, joint_state(START + 9, {"elbow_flex": 0.5})]
    path = record(tmp_path, kind, messages)
    assert find_description(path) == URDF
    robot = read_robot(path)
    assert robot.name == "so_arm" and len(robot.joints) == 6
    assert read_trajectory(path, robot=robot).names == ("elbow_flex",)
    assert main(["check", str(path)]) == 0


def test_several_robots_are_a_choice_and_none_is_said(tmp_path):
    second = described("/b/robot_description", "<robot name='b'/>")
    path = record(tmp_path, "mcap", [described("/a/robot_description"), second])
    with pytest.raises(ReadError, match="several robots, choose a topic: '/a/robot_description'"):
        read_robot(path)
    assert find_description(path, topic="b/robot_description") == "<robot name='b'/>"
    other = tmp_path / "o"
    other.mkdir()
    path = record(other, "mcap", [joint_state(START, {"a": 1.0})])
    with pytest.raises(ReadError, match="has no robot_description: ROS 1 keeps it as a parameter"):
        read_robot(path)


def test_json_and_damage(tmp_path):
    def write(data):
        path = Path(tmp_path, "j.mcap")
        with path.open("wb") as file:
            writer = Writer(file)
            writer.start()
            schema = writer.register_schema("std_msgs/String", "jsonschema", b"{}")
            channel = writer.register_channel("/robot_description", "json", schema)
            writer.add_message(channel, START, data, START)
            writer.finish()
        return path

    assert find_description(write(json.dumps({"data": URDF}).encode())) == URDF
    for data in (b"[]", b"{}", b'{"data": "\\ud800"}', b"\xff"):
        with pytest.raises(ReadError, match="robot_description is damaged"):
            find_description(write(data))
