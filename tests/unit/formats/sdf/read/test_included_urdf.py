# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of URDF that a model of SDF includes: the same robots, elsewhere and by longer names."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from support.paths import ROOT
from urdf_importer import Diagnostics, ImportOptions, forward_kinematics, read_robot
from urdf_importer.cli import main
from urdf_importer.core.kinematics.forward import place_links
from urdf_importer.core.kinematics.tree import plan_tree

ARM = """<robot name="arm">
  <material name="red"><color rgba="1 0 0 1"/><texture filename="red.png"/></material>
  <link name="world"/>
  <link name="base"><visual><geometry><mesh filename="meshes/base.stl"/></geometry>
    <material name="red"/></visual></link>
  <link name="upper"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
    izz="1"/></inertial><collision><geometry><box size="1 2 3"/></geometry></collision></link>
  <link name="lower"/>
  <joint name="fix" type="fixed"><parent link="world"/><child link="base"/>
    <origin xyz="0 0 0.5" rpy="0 0 1"/></joint>
  <joint name="upper" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="0 3 4"/>
    <limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 1"/><axis xyz="1 0 0"/>
    <mimic joint="upper" multiplier="2" offset="0.1"/></joint>
  <gazebo reference="lower"><mu1>0.4</mu1></gazebo>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type>
    <joint name="upper"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
    <actuator name="motor"/></transmission>
</robot>"""
POSE = "<pose>1 2 3 0.1 0.2 0.3</pose>"


def read(tmp_path, inside, arm=ARM, codes=("sdf-shared-name",), version="1.9"):
    (tmp_path / "arms").mkdir(exist_ok=True)
    (tmp_path / "arms" / "arm.urdf").write_text(arm)
    path = tmp_path / "model.sdf"
    path.write_text(f'<sdf version="{version}"><model name="m">{inside}</model></sdf>')
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == list(codes)
    return robot, list(diagnostics)


def include(inside="", attributes=""):
    return f"<include{attributes}><uri>arms/arm.urdf</uri>{inside}</include>"


def frame(x, y, z, roll, pitch, yaw):
    result = np.eye(4)
    result[:3, :3] = Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix()
    result[:3, 3] = x, y, z
    return result


PLACED = frame(1, 2, 3, 0.1, 0.2, 0.3)
BASE = '<link name="floor"/>'


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        (BASE + include(POSE), "arm::"),
        (BASE + include(f"<name>left</name>{POSE}"), "left::"),
        (f'{BASE}<model name="in">{include(POSE)}</model>', "in::arm::"),
        (BASE + include(POSE, ' merge="true"'), ""),
        (f'{BASE}<frame name="f">{POSE}</frame>' + include('<pose relative_to="f"/>'), "arm::"),
    ],
)
def test_it_moves_as_its_own_file_does(tmp_path, text, prefix):
    robot, _ = read(tmp_path, text)
    alone = forward_kinematics(read_robot(tmp_path / "arms" / "arm.urdf"), {"upper": 0.7})
    frames = forward_kinematics(robot, {f"{prefix}upper_joint": 0.7})
    for name, wanted in alone.items():
        assert frames[prefix + name] == pytest.approx(PLACED @ wanted, abs=1e-12)


def test_its_parts_are_kept(tmp_path):
    robot, said = read(tmp_path, BASE + include())
    links = {each.name: each for each in robot.links}
    joints = {each.name: each for each in robot.joints}
    (visual,) = links["arm::base"].visuals
    assert visual.geometry.filename == "arms/meshes/base.stl"
    paint = visual.material
    assert (paint.color, paint.texture) == ((1.0, 0.0, 0.0, 1.0), "arms/red.png")
    assert links["arm::upper"].inertial.mass == 2.0
    assert links["arm::upper"].collisions[0].geometry.size == (1.0, 2.0, 3.0)
    assert joints["arm::upper_joint"].limit.upper == 2.0
    assert joints["arm::elbow"].mimic.joint == "arm::upper_joint"
    assert [each.name for each in robot.transmissions[0].joints] == ["arm::upper_joint"]
    assert any("arm::lower" in each.xml and "mu1" in each.xml for each in robot.extras)
    assert said[0].source.endswith("arm.urdf") and said[0].line == 11
    assert not plan_tree(robot, Diagnostics()).cut_joints


def test_two_of_different_paint_keep_theirs(tmp_path):
    (tmp_path / "other.urdf").write_text(ARM.replace("1 0 0 1", "0 1 0 1", 1))
    other = "<include><uri>other.urdf</uri><name>b</name></include>"
    robot, _ = read(tmp_path, include("<name>a</name>") + other, codes=["sdf-shared-name"] * 2)
    paints = {
        each.name: robot.material_definitions()[each.visuals[0].material.name].color
        for each in robot.links
        if each.visuals
    }
    assert paints == {"a::base": (1.0, 0.0, 0.0, 1.0), "b::base": (0.0, 1.0, 0.0, 1.0)}


def test_its_frames_place_it_and_joints_reach_into_it(tmp_path):
    """The forearm stands where the pose says; a joint holds the root of the robot."""
    placed = f"<placement_frame>lower</placement_frame>{POSE}"
    held = '<joint name="j" type="fixed"><parent>world</parent><child>arm::world</child></joint>'
    arm = ARM.replace('offset="0.1"', "")
    robot, _ = read(tmp_path, BASE + include(placed) + held, arm)
    assert forward_kinematics(robot)["arm::lower"] == pytest.approx(PLACED, abs=1e-12)
    assert next(each for each in robot.joints if each.name == "j").child == "arm::world"


def test_what_its_include_says_is_kept(tmp_path):
    plugin = '<plugin name="p" filename="f.so"/>'
    robot, _ = read(tmp_path, BASE + include(f"<static>true</static>{plugin}"))
    said = next(each.xml for each in robot.extras if "static" in each.xml)
    assert "<static>true</static>" in said and plugin in said


def test_what_holds_a_link_already_makes_its_own_joint_a_loop(tmp_path):
    held = (
        '<joint name="j" type="revolute"><parent>floor</parent><child>arm::upper</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint>"
    )
    robot, _ = read(tmp_path, BASE + held + include(POSE))
    (loop,) = robot.loops
    ends = (loop.name, loop.link1, loop.link2, loop.type)
    assert ends == ("arm::upper_joint", "arm::base", "arm::upper", "revolute")
    frames = place_links(plan_tree(robot, Diagnostics()), {})
    alone = forward_kinematics(read_robot(tmp_path / "arms" / "arm.urdf"))
    assert frames["arm::upper"] == pytest.approx(PLACED @ alone["upper"], abs=1e-12)


def test_a_joint_that_closes_nothing_is_left_out_aloud(tmp_path):
    held = '<joint name="j" type="fixed"><parent>floor</parent><child>arm::lower</child></joint>'
    arm = ARM.replace("continuous", "floating").replace("<mimic", "<was_mimic")
    codes = ["sdf-shared-name", "sdf-joint-type"]
    robot, said = read(tmp_path, BASE + held + include(), arm, codes)
    assert not robot.loops and "arm::elbow" in said[1].message
    assert said[1].source.endswith("arm.urdf")


LOOPED = """<robot name="arm"><link name="a"/><link name="b"/>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>"""
BAD = {
    "no links": ('<robot name="arm"/>', "has no links"),
    "a ring": (LOOPED, "arm.urdf, line 3: "),
    "no number": (
        '<robot name="arm">\n<link name="a"><inertial>\n<mass value="x"/></inertial></link>'
        "</robot>",
        "arm.urdf, line 3: ",
    ),
    "cut off": ('<robot name="arm">\n<link name="a">', "arm.urdf, line 2: "),
    "its own xacro": (
        '<robot name="arm" xmlns:xacro="http://x">\n<xacro:include filename="arm.urdf"/></robot>',
        "arm.urdf, line 2: ",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_faulty_ones_are_left_out_in_one_sentence(tmp_path, fault):
    text, sentence = BAD[fault]
    robot, (said,) = read(tmp_path, BASE + "\n" + include(), text, ["sdf-include"])
    assert [each.name for each in robot.links] == ["floor"]
    assert sentence in said.message and "\n" not in said.message
    assert said.source.endswith("model.sdf") and said.line == 2


def test_a_joint_that_is_cut_is_said_with_its_file_and_line(tmp_path):
    far = '<joint name="far" type="fixed"><parent link="base"/><child link="lower"/></joint>'
    arm = ARM.replace("<gazebo ref", far + "<gazebo ref")
    _, said = read(tmp_path, BASE + include(), arm, ["second-parent", "sdf-shared-name"])
    assert said[0].source.endswith("arm.urdf") and said[0].line == 17


def test_a_world_holds_robots_of_urdf(tmp_path, capsys):
    (tmp_path / "arm.urdf").write_text(ARM)
    world = tmp_path / "w.sdf"
    includes = "<include><uri>arm.urdf</uri></include>"
    includes += "<include><uri>arm.urdf</uri><name>other</name></include>"
    world.write_text(f'<sdf version="1.9"><world name="w">{includes}</world></sdf>')
    robot = read_robot(world, options=ImportOptions(model="other"))
    names = {each.name for each in robot.links}
    assert robot.name == "other" and names == {"world", "base", "upper", "lower"}
    assert main(["check", str(world)]) != 0
    assert "'arm', 'other'" in capsys.readouterr().err


def test_a_sample_is_the_same_robot(tmp_path):
    source = ROOT / "sample_urdfs" / "two_link_arm.urdf"
    robot, _ = read(tmp_path, BASE + include("<name>x</name>"), source.read_text(), [])
    alone = read_robot(source)
    names = {f"x::{each.name}" for each in alone.links}
    assert {each.name for each in robot.links} == names | {"floor", "__model__"}
    assert robot.total_mass() == pytest.approx(alone.total_mass() + 1.0)
    wanted = forward_kinematics(alone)
    for name, found in forward_kinematics(robot).items():
        if name in names:
            assert found == pytest.approx(wanted[name.removeprefix("x::")], abs=1e-12)
