# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of other kinds that are given for a robot are named, and what takes them."""

from pathlib import Path

import pytest

from support.paths import ROOT
from urdf_importer import ReadError, convert_description, read_robot

SAMPLES = ROOT / "sample_urdfs"
ROBOT = '<robot name="a"><link name="a"/></robot>'


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("arm.blend", b"BLENDER-v402", "a file of Blender, .* open_blend opens it"),
        ("arm.blend", b"\x28\xb5\x2f\xfd\xb5", "a file of Blender"),
        ("arm.png", b"\x89PNG\r\n\x1a\n\xb5", "a picture, not a robot description$"),
        ("arm.urdf", b"\x89PNG\r\n\x1a\n\xb5", "a picture, not a robot description$"),
        ("a.csv", b"time,elbow\n0,1\n", "recording of motion.*apply_trajectory .* animate"),
        ("a.json", b'{"name": ["<b"]}', "recording of motion"),
        ("a.mcap", b"\x89MCAP0\r\n", "recording of motion"),
        ("a.bag", b"#ROSBAG V2.0\n", "recording of motion"),
        ("a.stl", bytes(84), "a mesh, .* names it"),
        ("a.dae", b"<COLLADA/>", "a mesh, .* names it"),
        ("a.glb", b"glTF\x02\0\0\0", "a mesh, .* names it"),
        ("a.bvh", b"HIERARCHY\nROOT Hips\n", "recording of a person's motion.*retarget"),
        ("a.txt", b"HIERARCHY\nROOT Hips\n", "recording of a person's motion.*retarget"),
        ("a.rviz", b"Panels:\n  - Class: x\n", "a configuration of RViz"),
        ("a.launch.py", b"import launch\n", "a launch file of ROS"),
        ("a.launch", b"<launch/>", "a launch file of ROS"),
        ("a.STEP", b"ISO-10303-21;\nHEADER;\n", "a CAD file"),
        ("a.sldasm", b"\xd0\xcf\x11\xe0", "a CAD file"),
        ("a.zip", b"PK\x03\x04\xb5", "an archive, .*: unpack it first$"),
    ],
)
def test_files_of_other_kinds_are_named(
    name: str, data: bytes, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    for read in (read_robot, convert_description):
        with pytest.raises(ReadError, match=f"{name}: this is .*{sentence}"):
            read(file)


@pytest.mark.parametrize("name", ["pick_and_place.csv", "pick_and_place.mcap", "pumpjack.yaml"])
def test_the_samples_beside_robots_are_named(name: str) -> None:
    with pytest.raises(ReadError, match="recording of motion"):
        read_robot(SAMPLES / name)


@pytest.mark.parametrize("name", ["a.csv", "a.dae", "a.blend", "a", "a.txt"])
def test_a_robot_is_a_robot_whatever_it_is_called(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(ROBOT)
    assert read_robot(tmp_path / name).name == "a"


@pytest.mark.parametrize("name", ["a.srdf", "a.xml", "a.urdf", "a.srdf.xacro"])
@pytest.mark.parametrize(
    "inside", ["<group name='g'/>", "<disable_collisions link1='a' link2='b'/>", ""]
)
def test_an_srdf_is_named_by_its_content(name: str, inside: str, tmp_path: Path) -> None:
    head = "<robot name='a' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
    (tmp_path / name).write_text(f"{head}{inside}</robot>")
    sentence = "this is an SRDF; .*--srdf" if inside else "the robot 'a' has no links"
    with pytest.raises(ReadError, match=f":1: {sentence}"):
        read_robot(tmp_path / name)


def test_standard_input_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReadError, match="standard input is not read"):
        read_robot("-")
    (tmp_path / "-").write_text(ROBOT)
    assert read_robot("-").name == "a"


def test_what_is_of_no_kind_is_read_as_before(tmp_path: Path) -> None:
    (tmp_path / "a.urdf").write_text("no robot at all")
    with pytest.raises(ReadError, match="this is not XML"):
        read_robot(tmp_path / "a.urdf")
