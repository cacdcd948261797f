# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints as ROS 2 sees them: what ros2_control commands and reads.

Webots' driver finds a joint by the name of its motor or, where this is coupled to others, of its
position sensor; newer versions of ros2_control want a joint of that name in the URDF as well. So
all three are one name here: that of the description's joint, where Webots could keep it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...diagnostics import Diagnostics
from ...kinematics.mimic import follow_to_masters
from ...kinematics.tree import KinematicTree, plan_tree
from ...markup.elements import Element, parse_extra
from ...model import Joint, Mimic, Robot
from .structure import AxisPlan, StructurePlan

Command = Literal["position", "velocity"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RosJoint:
    """`command` is None for joints that only follow or that nothing drives."""

    name: str
    axis: AxisPlan
    command: Command | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RosRobot:
    """The tree of the description with what ROS has to know of it.

    names    joint of the description -> what ROS calls its degrees of freedom that have a motor
    axes     such a name -> the degree of freedom
    masters  what joints follow, chains multiplied out
    """

    plan: StructurePlan
    tree: KinematicTree
    joints: tuple[RosJoint, ...]
    names: Mapping[str, tuple[str, ...]]
    axes: Mapping[str, AxisPlan]
    masters: Mapping[str, Mimic]


def plan_ros(plan: StructurePlan) -> RosRobot:
    """Joints with a motor, in the order of the structure. Followers that stand elsewhere by an
    offset are left to the robot_state_publisher, which knows offsets; Webots does not."""
    tree = plan_tree(plan.robot, Diagnostics())
    masters = follow_to_masters(tree.joint_motions)
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
        tree=tree,
        joints=tuple(joints),
        names={joint: tuple(found) for joint, found in names.items()},
        axes=axes,
        masters=masters,
    )


def _choose_command(joint: Joint, hint: str) -> Command:
    """What the description's own ros2_control or transmission says. Without any, positions; for
    wheels, known by their name, velocities. Efforts need a tuned controller: positions again."""
    if hint:
        return "velocity" if hint == "velocity" else "position"
    wheel = joint.type == "continuous" and "wheel" in f"{joint.name} {joint.child}".lower()
    return "velocity" if wheel else "position"


def _find_hints(robot: Robot) -> dict[str, str]:
    """Joint name -> "position", "velocity" or "effort", where the description says so."""
    hints: dict[str, str] = {}
    for transmission in robot.transmissions:
        for actuated in transmission.joints:
            interfaces = [*actuated.hardware_interfaces]
            for actuator in transmission.actuators:
                interfaces += actuator.hardware_interfaces
            hint = _hint(interfaces)
            if hint:
                hints[actuated.name] = hint
    for extra in robot.extras:
        element = parse_extra(extra) if extra.tag == "ros2_control" else None
        for joint in element.all("joint") if element is not None else ():
            hint = _hint([_name_of(child) for child in joint.all("command_interface")])
            if hint:
                hints[_name_of(joint)] = hint
    return hints


def _hint(interfaces: list[str]) -> str:
    words = " ".join(interfaces).lower()
    return next((word for word in ("position", "velocity", "effort") if word in words), "")


def _name_of(element: Element) -> str:
    return element.attributes.get("name", "").strip()
