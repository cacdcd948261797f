# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd things that no quirk shows: what is said, and what the model holds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.paths import TESTS
from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.model import Box, Color, Cylinder, Limit, Mesh, Pose, Robot, Sphere
from urdf_importer.formats.urdf.read.robot import read_robot_text

Read = Callable[[str], Any]
DATA = TESTS / "data"


def color_of(robot: Robot, name: str) -> Color | None:
    return next(material.color for material in robot.materials if material.name == name)


def test_text_for_attributes(read_file: Read) -> None:
    reading = read_file("lenient_text_for_attributes.urdf")
    assert reading.codes == [("text-for-attribute", line) for line in (5, 12, 13, 16, 24)]
    elbow, wrist = reading.robot.joints
    assert reading.robot.links[0].inertial.mass == 0.17
    assert (elbow.parent, elbow.child, elbow.axis) == ("base", "arm", (0.0, 0.0, 1.0))
    assert wrist.axis == (0.0, 1.0, 0.0)


def test_calls_of_macros_that_nothing_defines_are_kept(read_file: Read) -> None:
    reading = read_file("lenient_leftover_macros.urdf")
    assert reading.codes == [("leftover-macro", 4)]
    assert "2 calls" in next(iter(reading.diagnostics)).message
    (link,) = reading.robot.links
    assert [extra.tag for extra in link.extras] == ["xacro:box_inertia"]
    assert [extra.tag for extra in reading.robot.extras] == ["xacro:gripper"]


def test_an_include_that_is_not_followed_is_said() -> None:
    text = b"""<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude">
<link name="base"/>
<xi:include href="arm.urdf"/></robot>"""
    diagnostics = Diagnostics()
    robot = read_robot_text(text, "r.urdf", diagnostics)
    assert [(item.code, item.line) for item in diagnostics] == [("include-not-followed", 3)]
    assert [extra.tag for extra in robot.extras] == ["xi:include"]


def test_such_calls_in_a_xacro_file_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "robot.xacro"
    path.write_text((DATA / "lenient_leftover_macros.urdf").read_text("utf-8"), "utf-8")
    with pytest.raises(ReadError, match="box_inertia"):
        read_robot(path, diagnostics=Diagnostics())


def test_the_first_of_two_counts(read_file: Read) -> None:
    reading = read_file("lenient_duplicate_elements.urdf")
    lines = (6, 11, 13, 14, 15, 22, 24, 26, 28)
    assert reading.codes == [("duplicate-element", line) for line in lines]
    base = reading.robot.links[0]
    (visual,) = base.visuals
    assert base.inertial.mass == 1.0
    assert visual.origin == Pose(xyz=(1.0, 0.0, 0.0))
    assert visual.geometry == Sphere(radius=1.0)
    assert visual.material.color == (1.0, 0.0, 0.0, 1.0)
    (joint,) = reading.robot.joints
    assert (joint.child, joint.axis) == ("arm", (1.0, 0.0, 0.0))
    assert (joint.limit.upper, joint.dynamics.damping) == (1.0, 1.0)


def test_colors(read_file: Read) -> None:
    reading = read_file("lenient_colors.urdf")
    assert sorted(reading.codes) == sorted(
        [
            ("color-range", 3),
            ("color-range", 4),
            ("color-range", 5),
            ("number-count", 6),
            ("comma-separators", 7),
            ("number-count", 8),
            ("empty-number", 9),
            ("undefined-material", 9),
            ("missing-color", 10),
            ("undefined-material", 10),
            ("empty-material", 11),
            ("material-redefined", 14),
        ]
    )
    robot = reading.robot
    assert color_of(robot, "eight_bit") == (1.0, 0.2, 0.0, 1.0)
    assert color_of(robot, "too_bright") == (1.0, 0.5, 0.0, 1.0)
    assert color_of(robot, "negative") == (0.0, 0.5, 0.0, 1.0)
    assert color_of(robot, "five") == color_of(robot, "commas") == (0.1, 0.2, 0.3, 0.4)
    assert color_of(robot, "one") == (0.5, 0.0, 0.0, 1.0)
    assert color_of(robot, "empty") is color_of(robot, "none") is None
    assert robot.material_definitions()["spelt"].color == (0.2, 0.2, 0.2, 1.0)


def test_limits(read_file: Read) -> None:
    reading = read_file("lenient_limits.urdf")
    assert reading.codes == [
        ("infinite-limit", 10),
        ("infinite-limit", 10),
        ("limit-without-effort", 15),
        ("empty-number", 20),
    ]
    assert [joint.limit for joint in reading.robot.joints] == [
        Limit(lower=-1e16, upper=1e16, effort=1.7976931348623157e308, velocity=1.0),
        Limit(lower=-1.0, upper=1.0),
        Limit(effort=1.0),
    ]
    (unrated,) = (item for item in reading.diagnostics if item.code == "limit-without-effort")
    assert unrated.subject == "jb"
    assert "2 limits" in unrated.message


def test_names(read_file: Read) -> None:
    reading = read_file("lenient_names.urdf")
    assert reading.codes == [
        ("missing-robot-name", 2),
        ("missing-link-name", 5),
        ("missing-joint-name", 6),
        ("joint-type-spelling", 6),
        ("mimic-without-joint", 9),
        ("missing-child", 11),
        ("missing-joint-type", 14),
    ]
    assert reading.robot.name == "lenient_names"
    joints = [(joint.name, joint.type, joint.mimic) for joint in reading.robot.joints]
    assert joints == [("base_to_arm", "revolute", None), ("tool", "fixed", None)]


def test_sizes(read_file: Read) -> None:
    reading = read_file("lenient_sizes.urdf")
    assert reading.codes == [
        ("missing-size", 4),
        ("missing-size", 5),
        ("missing-size", 6),
        ("empty-number", 7),
        ("missing-size", 7),
        ("missing-filename", 8),
        ("several-shapes", 10),
        ("negative-size", 11),
        ("negative-size", 11),
        ("number-count", 12),
        ("comma-separators", 13),
    ]
    (base,) = reading.robot.links
    assert [visual.geometry for visual in base.visuals] == [
        Mesh(filename=""),
        Box(size=(1.0, 1.0, 1.0)),
    ]
    assert [collision.geometry for collision in base.collisions] == [
        Cylinder(radius=1.0, length=2.0),
        Box(size=(1.0, 2.0, 0.0)),
        Mesh(filename="a.stl", scale=(1.0, 2.0, 3.0)),
    ]


def test_rotations(read_file: Read) -> None:
    reading = read_file("lenient_rotations.urdf")
    assert reading.codes == [
        ("zero-quaternion", 5),
        ("two-rotations", 9),
        ("empty-number", 13),
        ("number-count", 13),
    ]
    assert [collision.origin for collision in reading.robot.links[0].collisions] == [
        Pose(rpy=(1.0, 2.0, 3.0)),
        Pose(quat_xyzw=(0.0, 0.0, 1.0, 1.0)),
        Pose(rpy=(0.0, 0.0, 1.0)),
    ]


def test_transmissions(read_file: Read) -> None:
    reading = read_file("lenient_transmissions.urdf")
    assert reading.codes == [("bad-reduction", 12), ("bad-reduction", 15), ("bad-reduction", 24)]
    old, other = reading.robot.transmissions
    assert old.type == "pr2_mechanism_model/SimpleTransmission"
    assert "<mechanicalReduction>2</mechanicalReduction>" in old.xml
    assert other.type == ""
    reductions = [actuator.mechanical_reduction for actuator in other.actuators]
    assert reductions == [None, None, 7.75, -8.0, None]
    assert '<mechanicalReduction>"7.75"</mechanicalReduction>' in other.xml


def test_inertias(read_file: Read) -> None:
    """A rounded plate and a rod turned by 45 degrees are bodies."""
    reading = read_file("lenient_inertias.urdf")
    assert reading.codes == [
        ("missing-mass", 10),
        ("missing-inertia", 10),
        ("inertia-not-positive", 15),
        ("inertia-not-positive", 27),
        ("inertia-triangle", 33),
    ]


@pytest.mark.parametrize("shape", ["<box size='  '/>", "<sphere/>", "<cylinder length='1'/>"])
def test_shapes_without_size_are_lost(shape: str, read_text: Read) -> None:
    visual = f"<visual><geometry>{shape}</geometry></visual>"
    reading = read_text(f"<robot name='q'><link name='l'>{visual}</link></robot>")
    assert reading.codes == [("missing-size", 1)]
    assert reading.robot.links[0].visuals == ()


def test_a_comment_of_dashes_within_a_known_element(read_text: Read) -> None:
    reading = read_text(
        "<robot name='q'>\n<link name='a'/>\n<!-- a -- \n b -->\n<!-- <link name='b'/> --->\n"
        "<gazebo><!-- fine --><x/><!-- not -- so --></gazebo>\n<link name='c'/>\n</robot>"
    )
    assert reading.codes == [("bad-comment", 3)]
    assert [(link.name, link.line) for link in reading.robot.links] == [("a", 2), ("c", 7)]
    (extra,) = reading.robot.extras
    assert extra.xml.split() == ["<gazebo><!--", "fine", "--><x/>", "</gazebo>"]


def test_a_refusal_says_nothing_else(read_text: Read) -> None:
    """Diagnostics are of robots that there are."""
    diagnostics = Diagnostics()
    with pytest.raises(ReadError):
        read_robot_text(b"<robot><link/><link name='a'/></robo>", "some.urdf", diagnostics)
    assert len(diagnostics) == 0
