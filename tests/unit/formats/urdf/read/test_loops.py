# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that close loops in a URDF, as Gazebo and Drake spell them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.linkages import gap_of
from support.mutations import damaged
from urdf_importer import Diagnostics, RobotError, forward_kinematics
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.loops import close_loops
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.markup.edit import Located
from urdf_importer.core.model import Dynamics, Limit, Pose, Robot
from urdf_importer.core.reshape import rename, resize
from urdf_importer.formats.urdf.read.located import read_located
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.write.patch import patch_text
from urdf_importer.formats.urdf.write.plain import write_robot_text

# The tip of the coupler and that of the rocker meet where the joint's pose says.
FOUR_BAR = """<robot name="four_bar" xmlns:drake="http://drake.mit.edu">
  <link name="base"/><link name="crank"/><link name="coupler"/><link name="rocker"/>
  <joint name="crank_pin" type="continuous">
    <parent link="base"/><child link="crank"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="knee" type="continuous">
    <origin xyz="0.3 0 0" rpy="0 0 0.5"/>
    <parent link="crank"/><child link="coupler"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="rocker_pin" type="continuous">
    <origin xyz="1 0 0" rpy="0 0 1.2"/>
    <parent link="base"/><child link="rocker"/><axis xyz="0 0 1"/>
  </joint>
  <!-- what closes it -->
  {loop}
</robot>
"""
JOINT = """<gazebo>
    <joint name="tip" type="revolute">
      <parent>coupler</parent>
      <child>rocker</child>
      <pose>0.6 0 0 0 0 0.2</pose>
      <axis><xyz>0 0 1</xyz></axis>
    </joint>
  </gazebo>"""

QUATERNION = 'rotation_format="quat_xyzw"'
TIP = f"{1.0 + 0.6 * math.cos(1.2)} {0.6 * math.sin(1.2)}"
"""Where the rocker's end stands in the model."""


def read(loop: str, *codes: str) -> Robot:
    diagnostics = Diagnostics()
    robot = read_robot_text(FOUR_BAR.format(loop=loop).encode(), "four.urdf", diagnostics)
    assert [item.code for item in diagnostics] == list(codes)
    assert all(item.line >= 15 for item in diagnostics)
    return robot


def check_text(robot: Robot) -> None:
    """What is written says the same; what is edited in place too."""
    text = write_robot_text(robot)
    again = read_robot_text(text.encode(), "four.urdf", Diagnostics())
    assert again == robot
    assert write_robot_text(again) == text


def test_a_joint_of_gazebo_stands_where_its_child_has_it() -> None:
    robot = read(JOINT)
    (loop,) = robot.loops
    assert (loop.name, loop.type, loop.link1, loop.link2) == (
        "tip",
        "continuous",
        "coupler",
        "rocker",
    )
    assert loop.origin2 == Pose(xyz=(0.6, 0.0, 0.0), rpy=(0.0, 0.0, 0.2))
    assert (loop.axis, loop.line, robot.extras) == ((0.0, 0.0, 1.0), 16, ())
    assert gap_of(robot, {}) < 1e-12
    found = close_loops(robot, {"crank_pin": 0.4})
    assert found.reached and gap_of(robot, found.positions) < 1e-9
    check_text(robot)


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("ball", "ball"),
        ("fixed", "fixed"),
        ("prismatic", "prismatic"),
        ("Continuous", "continuous"),
    ],
)
def test_other_joints_of_gazebo(kind: str, found: str) -> None:
    robot = read(JOINT.replace("revolute", kind))
    assert robot.loops[0].type == found
    assert gap_of(robot, {}) < 1e-12
    check_text(robot)


def test_limits_and_the_rest_are_kept() -> None:
    more = """<xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper><effort>-1</effort>
      <velocity>3</velocity><stiffness>7</stiffness></limit>
      <dynamics><damping>0.5</damping><spring_stiffness>3</spring_stiffness></dynamics>
      <initial_position>0</initial_position></axis><physics><ode/></physics>"""
    robot = read(JOINT.replace("<xyz>0 0 1</xyz></axis>", more))
    (loop,) = robot.loops
    assert (loop.type, [extra.tag for extra in loop.extras]) == (
        "revolute",
        ["physics", "initial_position"],
    )
    assert isinstance(loop.limit, Limit) and isinstance(loop.dynamics, Dynamics)
    assert (loop.limit.lower, loop.limit.upper, loop.limit.effort, loop.limit.velocity) == (
        -1,
        2,
        None,
        3,
    )
    assert (loop.limit.extras[0].xml, loop.dynamics.damping) == ("<stiffness>7</stiffness>", 0.5)
    check_text(robot)
    endless = read(
        JOINT.replace("</xyz>", "</xyz><limit><lower>-1e16</lower><upper>inf</upper></limit>")
    )
    assert (endless.loops[0].type, endless.loops[0].limit) == ("continuous", None)


@pytest.mark.parametrize(
    ("written", "axis"),
    [
        ("<xyz>1 0 0</xyz>", (1.0, 0.0, 0.0)),
        ('<xyz expressed_in="">1 0 0</xyz>', (1.0, 0.0, 0.0)),
        ("<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", "model"),
        ('<xyz expressed_in="__model__">1 0 0</xyz>', "model"),
        ('<xyz expressed_in="base">1 0 0</xyz>', "model"),
        ('<xyz expressed_in="crank_pin">1 0 0</xyz>', "model"),
        ('<xyz expressed_in="rocker">1 0 0</xyz>', "rocker"),
    ],
)
def test_axes_are_in_the_frame_that_the_version_says(written: str, axis: object) -> None:
    """The joint is turned by 0.2 against the rocker, and that by 1.2 against the model."""
    (loop,) = read(JOINT.replace("<xyz>0 0 1</xyz>", written)).loops
    turn = {"model": -1.4, "rocker": -0.2}.get(str(axis), 0.0)
    assert loop.axis == pytest.approx((math.cos(turn), math.sin(turn), 0.0), abs=1e-12)


@pytest.mark.parametrize(
    "pose",
    [
        '<pose degrees="true">0.6 0 0 0 0 11.459155902616464</pose>',
        f"<pose {QUATERNION}>0.6 0 0 0 0 {math.sin(0.1)} {math.cos(0.1)}</pose>",
        '<pose relative_to="rocker_pin">0.6 0 0 0 0 0.2</pose>',
        f'<pose relative_to="__model__">{TIP} 0 0 0 1.4</pose>',
        f'<pose relative_to="base">{TIP} 0 0 0 1.4</pose>',
    ],
)
def test_poses_of_later_versions(pose: str) -> None:
    robot = read(JOINT.replace("<pose>0.6 0 0 0 0 0.2</pose>", pose))
    (loop,) = robot.loops
    wanted = matrix_from_pose(Pose(xyz=(0.6, 0.0, 0.0), rpy=(0.0, 0.0, 0.2)))
    assert np.abs(matrix_from_pose(loop.origin2) - wanted).max() < 1e-12
    assert gap_of(robot, {}) < 1e-12
    check_text(robot)


def test_universal_joints_get_a_link_between() -> None:
    second = "</axis><axis2><xyz>0 1 0</xyz></axis2>"
    for kind in ("universal", "revolute2"):
        robot = read(JOINT.replace("revolute", kind).replace("</axis>", second))
        (loop,) = robot.loops
        assert (loop.name, loop.link1, loop.link2) == ("tip_axis2", "tip_link", "rocker")
        assert (robot.joints[-1].name, robot.joints[-1].parent) == ("tip", "coupler")
        assert gap_of(robot, {}) < 1e-12
        check_text(robot)
        raw = robot.text
        assert patch_text(raw, rename(robot, prefix="p_"), located) is None
        assert patch_text(raw, robot, located) == raw


def located(data: bytes) -> Located:
    return read_located(data, "four.urdf")


def reread(data: bytes) -> Robot:
    return read_robot_text(data, "four.urdf", Diagnostics())


def test_what_else_stands_in_the_tag_stays() -> None:
    plugin = '<plugin name="p" filename="lib.so"><joint>tip</joint></plugin>'
    robot = read(JOINT.replace("<joint", f"{plugin}\n    <joint", 1))
    (extra,) = robot.extras
    assert extra.xml == f"<gazebo>\n    {plugin}\n  </gazebo>"
    check_text(robot)
    both = JOINT.replace("</gazebo>", JOINT.replace("tip", "other").removeprefix("<gazebo>"))
    assert [loop.name for loop in read(both).loops] == ["tip", "other"]
    assert read('<gazebo reference="rocker"><joint name="x"/></gazebo>').loops == ()
    assert read("<gazebo><plugin><joint>tip</joint></plugin></gazebo>").loops == ()


BALL = """<drake:ball_constraint>
    <drake:ball_constraint_body_A name="coupler"/>
    <drake:ball_constraint_body_B name="rocker"/>
    <drake:ball_constraint_p_AP value="1 0 0"/>
    <drake:ball_constraint_p_BQ value="0.6 0 0.5"/>
  </drake:ball_constraint>"""


def test_ball_constraints_of_drake() -> None:
    robot = read(f"{BALL}\n  {BALL}")
    one, other = robot.loops
    assert (one.name, other.name) == ("coupler_to_rocker", "coupler_to_rocker_2")
    assert (one.type, one.link1, one.link2, one.notation) == ("ball", "coupler", "rocker", "drake")
    assert (one.origin1.xyz, one.origin2.xyz) == ((1.0, 0.0, 0.0), (0.6, 0.0, 0.5))
    check_text(robot)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<parent>coupler</parent>", ""),
        ("<parent>coupler</parent>", "<parent>coupler</parent><parent>crank</parent>"),
        ("<child>rocker</child>", "<child>nothing</child>"),
        ("<child>rocker</child>", "<child>coupler</child>"),
        ("<parent>coupler</parent>", "<parent>world</parent>"),
        ('type="revolute"', 'type="screw"'),
        ('type="revolute"', ""),
        ('"tip"', '"knee"'),
        ("0.6 0 0 0 0 0.2", "0.6 0 0 0 0"),
        ("0.6 0 0 0 0 0.2", "0.6 0 nan 0 0 0"),
        ("0.6 0 0 0 0 0.2", "0,6 0 0 0 0 0"),
        ("0.6 0 0 0 0 0.2", "1e300 0 0 0 0 0"),
        ("0.6 0 0 0 0 0.2", "1 " * 2000),
        ("<pose>0.6 0 0 0 0 0.2", '<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0'),
        ("<pose>", '<pose relative_to="nowhere">'),
        ("<xyz>0 0 1</xyz>", "<xyz>0 0 0</xyz>"),
        ("<xyz>0 0 1</xyz>", "<xyz>0 0</xyz>"),
        ("<xyz>0 0 1</xyz>", '<xyz expressed_in="nowhere">0 0 1</xyz>'),
        ("</xyz>", "</xyz><limit><lower>low</lower></limit>"),
    ],
)
def test_faulty_joints_of_gazebo_are_one_sentence(old: str, new: str) -> None:
    loop = JOINT.replace(old, new)
    robot = read(loop, "loop-not-read")
    assert robot.loops == () and [extra.xml for extra in robot.extras] == [loop]
    check_text(robot)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<drake:ball_constraint_body_B name="rocker"/>', ""),
        ('name="rocker"', ""),
        ('"0.6 0 0.5"', '"0.6 0"'),
        ('"0.6 0 0.5"', '"0.6 0 inf"'),
        ('value="1 0 0"/>', 'value="1 0 0"/><more/>'),
        ("<drake:ball_constraint>", '<drake:ball_constraint stiff="yes">'),
    ],
)
def test_faulty_ball_constraints_are_one_sentence(old: str, new: str) -> None:
    robot = read(BALL.replace(old, new), "loop-not-read")
    assert robot.loops == () and len(robot.extras) == 1
    check_text(robot)


def test_loops_to_nowhere_are_reported() -> None:
    assert len(read(BALL.replace('"rocker"', '"nothing"'), "loop-not-read").loops) == 1
    ends = '<link1 link="coupler"/><link2 link="coupler"/>'
    read(f'<loop_joint name="x" type="ball">{ends}</loop_joint>', "loop-not-read")


def test_trees_are_not_closed_to_one_another() -> None:
    text = FOUR_BAR.format(loop=JOINT.replace("coupler", "island"))
    diagnostics = Diagnostics()
    robot = read_robot_text(
        text.replace("</robot>", '<link name="island"/></robot>').encode(), "r.urdf", diagnostics
    )
    assert robot.loops == () and [item.code for item in diagnostics] == ["loop-not-read"]


def test_a_file_is_edited_in_place() -> None:
    raw = FOUR_BAR.format(loop=f"{JOINT}\n  {BALL}").encode()
    robot = reread(raw)
    renamed = replace(robot, loops=(replace(robot.loops[0], name="top"), robot.loops[1]))
    patched = patch_text(raw, renamed, located)
    assert patched == raw.replace(b'"tip"', b'"top"')
    without = patch_text(raw, replace(robot, loops=robot.loops[1:]), located)
    assert without == FOUR_BAR.format(loop=BALL).encode()


def test_what_a_notation_cannot_say_becomes_a_loop_joint() -> None:
    """A joint of SDF is closed where all joints are at zero; with a longer bar it is not."""
    robot = read(f"{JOINT}\n  {BALL}")
    bigger = resize(robot, scale=2.0)
    again = reread(write_robot_text(bigger).encode())
    assert [loop.notation for loop in again.loops] == ["gazebo", "drake"]
    assert gap_of(again, {}) == pytest.approx(gap_of(bigger, {}), abs=1e-12)
    knee = replace(robot.joints[1], origin=Pose(xyz=(0.4, 0.0, 0.0)))
    longer = replace(robot, joints=(robot.joints[0], knee, robot.joints[2]))
    text = write_robot_text(longer)
    assert "<loop_joint" in text and "<gazebo" not in text
    before, after = forward_kinematics(longer), forward_kinematics(reread(text.encode()))
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert gap_of(reread(text.encode()), {}) == gap_of(longer, {})


ISAAC = """<loop_joint name="last" type="revolute">
    <link1 link="coupler" xyz="1 0 0"/><link1 link="rocker" xyz="0.6 0 0" rpy="0 0 1"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1"/>
  </loop_joint>"""
WHOLE = FOUR_BAR.format(loop="\n  ".join((JOINT, BALL, ISAAC))).encode()


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(damaged(st.just(WHOLE)))
def test_damaged_loops_are_read_or_refused(data: bytes) -> None:
    """What is read is what is written, in the order of what it says at the least."""
    diagnostics = Diagnostics()
    try:
        robot = read_robot_text(data, "four.urdf", diagnostics)
        frames = forward_kinematics(robot, diagnostics=diagnostics)
    except RobotError as refusal:
        assert "\n" not in refusal.message
        return
    assert all(np.isfinite(frame).all() for frame in frames.values())
    assert all(item.line or item.code == "loop-out-of-reach" for item in diagnostics)
    again = reread(write_robot_text(robot).encode())
    assert [loop.name for loop in again.loops] == [loop.name for loop in robot.loops]
    assert all(loop.notation in ("", "gazebo", "drake") for loop in again.loops)


def second_joint(xyz: str, **more: str) -> str:
    inside = "".join(f"<{tag} {said}/>" for tag, said in more.items())
    return (
        f'<joint name="tip" type="continuous"><origin xyz="{xyz}" rpy="0 0 0.4"/>'
        f'<parent link="base"/><child link="coupler"/><axis xyz="0 0 1"/>{inside}</joint>'
    )


def test_a_second_parent_closes_a_loop_where_it_fits() -> None:
    """The coupler's knee stands at 0.3 0 0, turned by 0.5: a hinge there may begin at any angle."""
    robot = read(second_joint("0.3 0 0", limit='effort="1" velocity="1"'), "second-parent-loop")
    (loop,) = robot.loops
    assert (loop.name, loop.link1, loop.link2) == ("tip", "base", "coupler")
    assert [joint.name for joint in robot.joints] == ["crank_pin", "knee", "rocker_pin"]
    assert gap_of(robot, {}) < 1e-12
    check_text(robot)
    raw = robot.text
    assert patch_text(raw, robot, located) == raw
    longer = replace(robot, loops=(replace(loop, name="top"),))
    assert patch_text(raw, longer, located) == raw.replace(b'"tip"', b'"top"')
    alone = replace(robot, joints=robot.joints[:1])
    assert "<loop_joint" in write_robot_text(alone)


@pytest.mark.parametrize(
    "loop", [second_joint("0.4 0 0"), second_joint("0.3 0 0", mimic='joint="knee"')]
)
def test_a_second_parent_that_does_not_fit_is_a_mistake(loop: str) -> None:
    robot = read(loop)
    assert robot.loops == () and len(robot.joints) == 4
    diagnostics = Diagnostics()
    assert len(plan_tree(robot, diagnostics).cut_joints) == 1
    assert [item.code for item in diagnostics] == ["second-parent"]
    check_text(robot)
