# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that URDF 1.2 defines, in one file; and what the file says beyond URDF, verbatim."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given

from support.strategies import robots
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.model import (
    Actuator,
    Box,
    Calibration,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Extra,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Pose,
    Robot,
    SafetyController,
    Sphere,
    Transmission,
    TransmissionJoint,
    Visual,
)
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.write.plain import write_robot_text

EFFORT = "hardware_interface/EffortJointInterface"
BASE = Link(
    name="base",
    inertial=Inertial(
        origin=Pose(xyz=(1.0, 2.0, 3.0), rpy=(0.1, 0.2, 0.3)),
        mass=4.5,
        inertia=Inertia(ixx=1.0, ixy=0.01, ixz=0.02, iyy=1.1, iyz=0.03, izz=1.2),
    ),
    visuals=(
        Visual(
            name="body",
            origin=Pose(xyz=(0.0, 0.0, 1.0), rpy=(0.0, 0.0, 1.5)),
            geometry=Box(size=(1.0, 2.0, 3.0)),
            material=Material(name="steel"),
        ),
        Visual(
            geometry=Cylinder(radius=0.5, length=2.0),
            material=Material(name="inline", color=(1.0, 0.0, 0.0, 1.0)),
        ),
    ),
    collisions=(
        Collision(
            name="hull",
            origin=Pose(xyz=(0.0, 1.0, 0.0), quat_xyzw=(0.0, 0.0, 0.6, 0.8)),
            geometry=Capsule(radius=0.25, length=1.0),
        ),
        Collision(geometry=Sphere(radius=0.75)),
        Collision(
            geometry=Mesh(filename="package://complete/base.stl", scale=(0.001, -0.002, 0.003))
        ),
    ),
)
ELBOW = Joint(
    name="elbow",
    type="revolute",
    parent="base",
    child="arm",
    origin=Pose(xyz=(0.1, 0.2, 0.3), rpy=(-0.1, -0.2, -0.3)),
    axis=(0.0, 1.0, 0.0),
    limit=Limit(lower=-1.5, upper=2.5, effort=30.0, velocity=4.0),
    dynamics=Dynamics(damping=0.7, friction=0.1),
    mimic=Mimic(joint="shoulder", multiplier=-2.0, offset=0.5),
    calibration=Calibration(rising=0.25, falling=0.5, reference_position=0.125),
    safety_controller=SafetyController(
        soft_lower_limit=-1.4, soft_upper_limit=2.4, k_position=100.0, k_velocity=10.0
    ),
)
STEEL = Material(
    name="steel", color=(0.5, 0.25, 0.125, 0.75), texture="package://complete/steel.png"
)


def test_all_of_urdf(read_file: Callable[[str], Any], data_folder: Path) -> None:
    robot, diagnostics = read_file("complete_urdf_1_2.urdf")
    text = (data_folder / "complete_urdf_1_2.urdf").read_text("utf-8")
    start, end = text.index("<transmission "), text.index("</transmission>")
    motor = Actuator(name="motor", mechanical_reduction=50.0, hardware_interfaces=(EFFORT,))
    drive = Transmission(
        name="elbow_drive",
        type="transmission_interface/SimpleTransmission",
        joints=(TransmissionJoint(name="elbow", hardware_interfaces=(EFFORT, "a<b&c")),),
        actuators=(motor,),
        xml=text[start : end + len("</transmission>")],
    )
    assert robot == Robot(
        name="complete",
        version="1.2",
        links=(BASE, Link(name="arm")),
        joints=(ELBOW,),
        materials=(STEEL,),
        transmissions=(drive,),
    )
    assert not list(diagnostics)


def test_lines(read_file: Callable[[str], Any]) -> None:
    robot = read_file("complete_urdf_1_2.urdf").robot
    base, arm = robot.links
    assert (base.line, arm.line, robot.joints[0].line) == (7, 45, 46)
    assert base.inertial.line == 8
    assert [visual.line for visual in base.visuals] == [13, 20]
    assert [collision.line for collision in base.collisions] == [28, 34, 39]
    assert [visual.material.line for visual in base.visuals] == [18, 24]
    assert (robot.materials[0].line, robot.transmissions[0].line) == (3, 57)
    assert robot.source.endswith("complete_urdf_1_2.urdf")


def test_extras_are_verbatim(read_file: Callable[[str], Any]) -> None:
    robot, diagnostics = read_file("extras_at_every_level.urdf")
    assert not list(diagnostics)
    base = robot.links[0]
    assert robot.extras == (
        Extra(
            tag="gazebo",
            xml='<gazebo reference="base"><material>Gazebo/Orange</material>'
            "<!-- a > b --></gazebo>",
        ),
        Extra(
            tag="ros2_control",
            xml='<ros2_control name="c"><gazebo><![CDATA[</ros2_control>]]></gazebo>'
            "<ros2_control/></ros2_control>",
        ),
    )
    assert base.extras == (
        Extra(tag="self_collision_checking", xml="<self_collision_checking   value='a>b'/>"),
        Extra(tag="origin", xml='<origin xyz="1 2 3"/>'),
    )
    assert base.inertial.extras == (Extra(tag="density", xml="<density>7800</density >"),)
    (extra,) = base.visuals[0].extras
    assert extra.xml == '<drake:accepting_renderer name="ä"/>'
    assert [extra.xml for extra in base.collisions[0].extras] == [
        '<material name="c"><color rgba="nobody reads this"/></material>',
        '<verbose value="1"/>',
    ]
    (extra,) = robot.joints[0].extras
    assert extra.xml == '<hardware\n      joint="one"\n      number="nan"/>'
    assert [extra.line for extra in robot.extras] == [3, 30]
    assert [extra.line for extra in base.extras] == [5, 20]
    assert (base.inertial.extras[0].line, robot.joints[0].extras[0].line) == (9, 25)


def test_leftovers_of_xacro_are_extras(
    read_text: Callable[[bytes], Any], data_folder: Path
) -> None:
    """In text; a file would be expanded."""
    robot, diagnostics = read_text((data_folder / "xacro_leftovers.urdf").read_bytes())
    assert not list(diagnostics)
    assert [extra.tag for extra in robot.extras] == ["xacro:arg", "xacro:property", "gazebo"]


@given(robots())
def test_what_is_written_is_read(robot: Robot) -> None:
    text = write_robot_text(robot).encode("utf-8")
    assert read_robot_text(text, "some.urdf", Diagnostics()) == robot
