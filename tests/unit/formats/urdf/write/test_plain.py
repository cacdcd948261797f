# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain URDF: what is written reads the same again, and is written the same again."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from support.readable_robots import readable_descriptions
from support.strategies import Wishes, chain, robots
from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics, WriteError
from urdf_importer.core.model import (
    Actuator,
    Box,
    Extra,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Pose,
    Robot,
    Transmission,
    TransmissionJoint,
    Visual,
)
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.write.plain import write_robot_text

AWKWARD = Wishes(awkward_names=True, missing_limits=True, swapped_limits=True, mimic_rings=True)


def read_again(text: str) -> Robot:
    return read_robot_text(text.encode(), "some.urdf", Diagnostics())


def assert_comes_back(robot: Robot) -> None:
    text = write_robot_text(robot)
    again = read_again(text)
    assert again == robot
    assert write_robot_text(again) == text


@given(robots(AWKWARD))
def test_every_robot_comes_back(robot: Robot) -> None:
    assert_comes_back(robot)


def lines_of(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines())


@pytest.mark.parametrize("path", readable_descriptions(), ids=lambda path: path.name)
def test_every_file_comes_back(path: Path) -> None:
    assert_comes_back(read_robot(path, diagnostics=Diagnostics()))


def test_lines_are_those_of_the_source() -> None:
    text = """<robot name="r"><material name="m"/>
      <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
      <gazebo/>
      <link name="b"/>
      <transmission name="t"/>
      <link name="a"/>
    </robot>"""
    tags = " ".join(
        line.split()[0].strip("</>") for line in lines_of(write_robot_text(read_again(text)))
    )
    expected = "?xml robot material joint parent child joint gazebo link transmission link robot"
    assert tags == expected


def test_without_lines_a_joint_follows_its_parent_link() -> None:
    lines = lines_of(write_robot_text(chain(3)))
    names = [line.split('"')[1] for line in lines if line.startswith(("<link", "<joint"))]
    assert names == ["link_0", "joint_1", "link_1", "joint_2", "link_2"]


def test_order_of_each_kind_stays() -> None:
    robot = Robot(
        name="r",
        links=tuple(Link(name=name, line=line) for name, line in (("b", 9), ("a", 2), ("c", 0))),
        joints=(
            Joint(name="j", type="fixed", parent="c", child="a", line=3),
            Joint(name="i", type="fixed", parent="b", child="c"),
        ),
    )
    assert_comes_back(robot)


def test_defaults_are_not_written() -> None:
    robot = Robot(
        name="r",
        links=(Link(name="a", inertial=Inertial()), Link(name="b")),
        joints=(
            Joint(
                name="j",
                type="revolute",
                parent="a",
                child="b",
                limit=Limit(),
                mimic=Mimic(joint="j"),
            ),
        ),
    )
    assert list(lines_of(write_robot_text(robot)))[1:] == [
        '<robot name="r">',
        '<link name="a">',
        "<inertial/>",
        "</link>",
        '<joint name="j" type="revolute">',
        '<parent link="a"/>',
        '<child link="b"/>',
        "<limit/>",
        '<mimic joint="j"/>',
        "</joint>",
        '<link name="b"/>',
        "</robot>",
    ]


def test_what_is_kept_word_for_word_has_its_own_line_ends() -> None:
    xml = "<gazebo>\r\n\t<a  b='1'/>\r\n</gazebo>"
    robot = Robot(name="r", links=(Link(name="a"),), extras=(Extra(tag="gazebo", xml=xml),))
    assert xml in write_robot_text(robot)
    assert_comes_back(robot)


def test_a_transmission_without_its_text_is_written_from_its_parts() -> None:
    made = Transmission(
        name="t",
        type="transmission_interface/SimpleTransmission",
        joints=(TransmissionJoint(name="j", hardware_interfaces=("Effort & more",)),),
        actuators=(Actuator(name="m", mechanical_reduction=-50.5, hardware_interfaces=("I",)),),
    )
    robot = Robot(name="r", links=(Link(name="a"),), transmissions=(made,))
    (read,) = read_again(write_robot_text(robot)).transmissions
    assert replace(read, xml="") == made


def one_link(**parts: object) -> Robot:
    return Robot(name="r", links=(replace(Link(name="a"), **parts),))


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (Robot(name="r", links=()), "'r' has no links"),
        (one_link(inertial=Inertial(mass=math.nan)), "link 'a' cannot be written: nan"),
        (one_link(inertial=Inertial(inertia=Inertia(ixx=math.inf))), "link 'a' .* inf"),
        (one_link(name="a\0"), "link .* no XML file"),
        (one_link(name=""), "link '' .* no name"),
        (replace(one_link(), name="\ud800"), "robot .* no XML file"),
        (replace(one_link(), name=""), "robot '' .* no name"),
    ],
)  # fmt: skip
def test_what_no_file_can_say_is_refused(robot: Robot, message: str) -> None:
    with pytest.raises(WriteError, match=message):
        write_robot_text(robot)


def test_numbers_keep_all_their_digits() -> None:
    numbers = (0.1 + 0.2, 1e-300, -123456.789012345)
    pose = Pose(xyz=numbers, quat_xyzw=(1e-17, 0.5, -0.25, 1.0))
    visual = Visual(
        geometry=Box(size=(5e-324, 1e8, 3.0)),
        origin=pose,
        material=Material(name="", color=(0.1, 1.0, 0.0, 0.3)),
    )
    assert_comes_back(one_link(visuals=(visual,)))
