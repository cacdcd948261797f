# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of an ament_python package around an exported robot, for webots_ros2."""

import json
from collections.abc import Iterable
from pathlib import Path
from string import Template
from xml.sax.saxutils import escape

from .ros2_joints import RosJoint

TRAJECTORY_CONTROLLER = "trajectory_controller"
VELOCITY_CONTROLLER = "velocity_controller"
STATE_BROADCASTER = "joint_state_broadcaster"
_FOLDERS = ("launch", "protos", "resource", "worlds")
_TEMPLATES = Path(__file__).with_name("templates")


def fill_template(name: str, **words: str) -> str:
    """The text of a template with its $words replaced."""
    text = (_TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(words)


def make_package_name(robot: str) -> str:
    """Small letters, digits and single _, a letter first, as ROS wants it."""
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in robot.lower())
    words = "_".join(word for word in plain.split("_") if word) or "robot"
    words = words if words[0].isalpha() else f"robot_{words}"
    return f"{words[:80]}_webots"


def controllers_of(joints: Iterable[RosJoint]) -> dict[str, list[str]]:
    """Controller -> the joints that it commands; a controller without joints is not there."""
    found: dict[str, list[str]] = {STATE_BROADCASTER: []}
    for joint in joints:
        if joint.command is not None:
            by_velocity = joint.command == "velocity"
            name = VELOCITY_CONTROLLER if by_velocity else TRAJECTORY_CONTROLLER
            found.setdefault(name, []).append(joint.name)
    return found


def write_control(joints: Iterable[RosJoint], time_step: float) -> str:
    """ros2_control.yml. Texts are quoted as in JSON, which YAML reads as well."""
    controllers = controllers_of(joints)
    types = {
        STATE_BROADCASTER: "joint_state_broadcaster/JointStateBroadcaster",
        TRAJECTORY_CONTROLLER: "joint_trajectory_controller/JointTrajectoryController",
        VELOCITY_CONTROLLER: "velocity_controllers/JointGroupVelocityController",
    }
    lines = [
        "controller_manager:",
        "  ros__parameters:",
        f"    update_rate: {max(round(1000.0 / time_step), 1)}",
    ]
    for name in controllers:
        lines += [f"    {name}:", f"      type: {types[name]}"]
    for name, driven in controllers.items():
        if driven:
            lines += ["", f"{name}:", "  ros__parameters:", "    joints:"]
            lines += [f"      - {json.dumps(joint, ensure_ascii=False)}" for joint in driven]
        if name == TRAJECTORY_CONTROLLER:
            lines += ["    command_interfaces: [position]"]
            lines += ["    state_interfaces: [position, velocity]"]
    return "\n".join([*lines, ""])


def write_launch(
    package: str, robot: str, world: str, urdf: str, joints: Iterable[RosJoint]
) -> str:
    return fill_template(
        "robot_launch.py",
        package=_python(package),
        robot=_python(robot),
        world=_python(world),
        urdf=_python(urdf),
        controllers=json.dumps(list(controllers_of(joints))),
    )


def write_setup(package: str, robot: str) -> str:
    return fill_template(
        "setup.py",
        package=_python(package),
        folders=json.dumps(_FOLDERS),
        description=_python(_describe(robot)),
    )


def write_package(package: str, robot: str) -> str:
    return fill_template("package.xml", package=package, description=escape(_describe(robot)))


def _describe(robot: str) -> str:
    return f"The robot {robot} in Webots."


def _python(text: str) -> str:
    """A text as Python writes it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)
