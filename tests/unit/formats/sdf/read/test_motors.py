# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that plugins drive are motors, and the first to be free of those of a loop."""

import pytest

from urdf_importer import Diagnostics, read_robot, write_urdf
from urdf_importer.core.kinematics.loops.freedom import find_freedom
from urdf_importer.core.kinematics.tree import plan_tree

BARS = (("crank", "base", 0, 0), ("rod", "crank", 0, 1), ("lever", "base", 3, 0))


def joint(name, parent, child):
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="revolute">{ends}{axis}</joint>'


def four_bar(plugin):
    links = '<link name="base"/>'
    links += "".join(
        f'<link name="{name}"><pose>{x} {y} 0 0 0 0</pose></link>' for name, _, x, y in BARS
    )
    joints = "".join(joint(f"to_{name}", parent, name) for name, parent, _, _ in BARS)
    closing = joint("close", "rod", "lever").replace(
        "<parent>", '<pose relative_to="lever">0 2 0 0 0 0</pose><parent>'
    )
    return f'<model name="bars">{links}{joints}{closing}{plugin}</model>'


def read(folder, text):
    (folder / "m.sdf").write_text(f'<sdf version="1.9">{text}</sdf>')
    robot = read_robot(folder / "m.sdf", diagnostics=Diagnostics())
    return robot, {
        each.joints[0].name: each.joints[0].hardware_interfaces[0].split("/")[1]
        for each in robot.transmissions
    }


def plugin(name, inside, filename="x"):
    return f'<plugin name="{name}" filename="{filename}">{inside}</plugin>'


NAMED = "<joint_name>to_lever</joint_name>"
DRIVING = {
    plugin("gz::sim::systems::JointController", NAMED): "VelocityJointInterface",
    plugin("gz::sim::systems::JointController", f"{NAMED}<use_force_commands>1"
           "</use_force_commands>"): "EffortJointInterface",
    plugin("ignition::gazebo::systems::JointPositionController", NAMED):
        "PositionJointInterface",
    plugin("gz::sim::systems::JointTrajectoryController", NAMED): "PositionJointInterface",
    plugin("p", "<leftJoint>to_lever</leftJoint><rightJoint>nothing</rightJoint>",
           "libgazebo_ros_diff_drive.so"): "VelocityJointInterface",
    plugin("gz::sim::systems::AckermannSteering",
           "<left_steering_joint> to_lever </left_steering_joint>"): "VelocityJointInterface",
}  # fmt: skip


@pytest.mark.parametrize("text", DRIVING)
def test_driven_joints_are_motors_and_free(tmp_path, text):
    robot, motors = read(tmp_path, four_bar(text))
    assert motors == {"to_lever": DRIVING[text]}
    assert find_freedom(plan_tree(robot, Diagnostics())).free == ("to_lever",)
    assert "<plugin" in "".join(each.xml for each in robot.extras)


WATCHING = [
    "",
    plugin("gz::sim::systems::JointStatePublisher", NAMED),
    plugin("p", NAMED, "libgazebo_ros_joint_state_publisher.so"),
    plugin("gz::sim::systems::JointController", "<joint_name>close2</joint_name><joint_name/>"),
    plugin("gz::sim::systems::JointController", "<joint_name>close</joint_name>"),
]


@pytest.mark.parametrize("text", WATCHING)
def test_others_drive_nothing(tmp_path, text):
    robot, motors = read(tmp_path, four_bar(text))
    assert not motors
    assert find_freedom(plan_tree(robot, Diagnostics())).free == ("to_crank",)


def test_nested_models_and_urdf_out(tmp_path):
    """Names are those within the model of the plugin; each joint has one motor."""
    inner = four_bar(plugin("p::JointController", NAMED) * 2)
    outer = plugin("p::DiffDrive", "<left_joint>bars::to_crank</left_joint>")
    robot, motors = read(tmp_path, f'<model name="m">{inner}{outer}</model>')
    assert list(motors) == ["bars::to_crank", "bars::to_lever"]
    write_urdf(robot, tmp_path / "m.urdf", diagnostics=Diagnostics())
    again = read_robot(tmp_path / "m.urdf")
    assert {each.joints for each in again.transmissions} == {
        each.joints for each in robot.transmissions
    }
