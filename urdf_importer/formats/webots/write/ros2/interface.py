# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints as ROS 2 sees them: the names that ros2_control commands and reads.

Webots' driver finds a joint by the name of its motor or, where this is coupled to others, of its
position sensor; newer versions of ros2_control want a joint with that name in the URDF as well. So
all three are one name here: the name of the description's joint, where Webots could keep it.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .....core.kinematics.tree import KinematicTree
from .....core.model import Joint, Mimic, Robot
from .....core.writers import ros
from ..structure.links import AxisPlan, SolidTreePlan

Command = Literal["position", "velocity"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RosJoint:
    """`command` is None for joints that only follow or that nothing drives."""

    name: str
    axis: AxisPlan
    command: Command | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RosRobot:
    """The tree of the description with the data for ROS.

    names    joint of the description -> ROS's names of its degrees of freedom that have a motor
    axes     such a name -> the degree of freedom
    masters  the leaders of joints, chains multiplied out
    """

    plan: SolidTreePlan
    tree: KinematicTree
    joints: tuple[RosJoint, ...]
    names: Mapping[str, tuple[str, ...]]
    axes: Mapping[str, AxisPlan]
    masters: Mapping[str, Mimic]


def plan_ros(plan: SolidTreePlan) -> RosRobot:
    """Plans the joints with a motor, in the order of the structure. Followers whose position has an
    offset are left to the robot_state_publisher, which knows offsets; Webots does not."""
    masters = plan.tree.masters
    hints = _find_hints(plan.robot)
    by_name = {joint.name: joint for joint in plan.robot.joints}
    names: dict[str, list[str]] = {}
    axes: dict[str, AxisPlan] = {}
    joints = []
    for axis in plan.axes():
        if not axis.motor:
            continue
        name = axis.sensor if axis.leader else axis.motor
        names.setdefault(axis.joint, []).append(name)
        axes[name] = axis
        if axis.offset and axis.joint in masters:
            continue
        command = None
        if axis.joint not in masters:
            command = _choose_command(by_name[axis.joint], hints.get(axis.joint, ""))
        joints.append(RosJoint(name=name, axis=axis, command=command))
    return RosRobot(
        plan=plan,
        tree=plan.tree,
        joints=tuple(joints),
        names={joint: tuple(found) for joint, found in names.items()},
        axes=axes,
        masters=masters,
    )


def _choose_command(joint: Joint, hint: str) -> Command:
    """Returns the command type of the description's own ros2_control or transmission. Without any,
    positions; for wheels, known by their name, velocities. Efforts need a tuned controller:
    positions again."""
    if hint:
        return "velocity" if hint == "velocity" else "position"
    wheel = joint.type == "continuous" and "wheel" in f"{joint.name} {joint.child}".lower()
    return "velocity" if wheel else "position"


def _find_hints(robot: Robot) -> dict[str, str]:
    """Returns joint name -> "position", "velocity" or "effort", where the description has one."""
    hints: dict[str, str] = {}
    for transmission in robot.transmissions:
        for actuated in transmission.joints:
            interfaces = [*actuated.hardware_interfaces]
            for actuator in transmission.actuators:
                interfaces += actuator.hardware_interfaces
            hint = _hint(interfaces)
            if hint:
                hints[actuated.name] = hint
    for control in robot.controls:
        hint = _hint(control.command_interfaces)
        if hint:
            hints[control.joint] = hint
    return hints


def _hint(interfaces: Iterable[str]) -> str:
    words = " ".join(interfaces).lower()
    return next((word for word in ("position", "velocity", "effort") if word in words), "")


TRAJECTORY_CONTROLLER = "trajectory_controller"
VELOCITY_CONTROLLER = "velocity_controller"
STATE_BROADCASTER = "joint_state_broadcaster"
_TEMPLATES = Path(__file__).parents[1] / "templates"


def fill_template(name: str, **words: str) -> str:
    """Returns the text of a template with its $words replaced."""
    return ros.fill_template(_TEMPLATES / f"{name}.txt", **words)


def make_package_name(robot: str) -> str:
    """Makes the name of the package of a project."""
    return f"{ros.make_package_name(robot)}_webots"


def controllers_of(joints: Iterable[RosJoint]) -> dict[str, list[str]]:
    """Returns controller -> the joints that it commands; a controller without joints is left
    out."""
    found: dict[str, list[str]] = {STATE_BROADCASTER: []}
    for joint in joints:
        if joint.command is not None:
            by_velocity = joint.command == "velocity"
            name = VELOCITY_CONTROLLER if by_velocity else TRAJECTORY_CONTROLLER
            found.setdefault(name, []).append(joint.name)
    return found


def write_control(joints: Iterable[RosJoint], time_step: float) -> str:
    """Returns the text of ros2_control.yml. Strings are quoted as in JSON, which YAML reads as
    well."""
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
