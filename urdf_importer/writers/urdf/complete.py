# SPDX-License-Identifier: GPL-3.0-or-later
"""What strict readers of URDF ask for, and what to write where a description does not say it.

urdfdom refuses limits without effort or velocity, revolute and prismatic joints without limits,
safety controllers without k_velocity, empty <dynamics> and versions other than 1.0; only
Pinocchio reads quaternions. MuJoCo and PyBullet refuse moving links that weigh nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import matrix_from_pose, rpy_from_rotation
from ...model import IDENTITY, Inertia, Inertial, Joint, Limit, Link, Pose, Robot

EFFORT = 1000.0
VELOCITY = 10.0
FARTHEST = 1e5  # metres: what rigs hold as no limit
MASS = 1e-3
INERTIA = Inertia(ixx=1e-6, iyy=1e-6, izz=1e-6)
_LIMITED = ("revolute", "prismatic")


def report_incomplete(robot: Robot, diagnostics: Diagnostics) -> None:
    """Warns once of all joints and links that strict readers refuse, and names who does."""
    lacking = [(joint.name, joint.line) for joint in robot.joints if _lacks(joint)]
    if lacking:
        name, line = lacking[0]
        count = "one joint" if len(lacking) == 1 else f"{len(lacking)} joints"
        diagnostics.warning(
            "incomplete-for-others",
            f"{count}, {quote(name)} first, lack limits, effort, velocity or numbers that urdfdom "
            "(ROS, Pinocchio) asks for: it refuses the file; the option Complete for Others fills "
            "them",
            subject=name,
            line=line,
        )
    turned = next((joint for joint in robot.joints if joint.origin.quat_xyzw is not None), None)
    if turned is not None or robot.version not in ("", "1.0"):
        diagnostics.warning(
            "incomplete-for-others",
            "the file uses a newer version of URDF or quaternions, which urdfdom before 6.0 "
            "refuses and most other readers ignore; the option Complete for Others writes rpy",
            subject=turned.name if turned is not None else "",
            line=turned.line if turned is not None else 0,
        )


def complete_robot(robot: Robot) -> Robot:
    """Returns the robot with what strict readers ask for. What it says already stays."""
    moving = set(_moving_links(robot))
    return replace(
        robot,
        version=robot.version if robot.version == "1.0" else "",
        joints=tuple(_complete_joint(joint) for joint in robot.joints),
        links=tuple(_complete_link(link, link.name in moving) for link in robot.links),
    )


def _lacks(joint: Joint) -> bool:
    limit, controller, dynamics = joint.limit, joint.safety_controller, joint.dynamics
    if limit is None:
        if joint.type in _LIMITED:
            return True
    elif limit.effort is None or limit.velocity is None:
        return True
    if controller is not None and controller.k_velocity is None:
        return True
    return dynamics is not None and dynamics.damping is None and dynamics.friction is None


def _complete_joint(joint: Joint) -> Joint:
    limit, kind = joint.limit, joint.type
    if limit is not None:
        limit = replace(
            limit,
            effort=EFFORT if limit.effort is None else limit.effort,
            velocity=VELOCITY if limit.velocity is None else limit.velocity,
        )
    elif kind == "revolute":
        # Without limits it turns for ever, which URDF calls continuous.
        kind = "continuous"
    elif kind == "prismatic":
        limit = Limit(lower=-FARTHEST, upper=FARTHEST, effort=EFFORT, velocity=VELOCITY)
    controller, dynamics = joint.safety_controller, joint.dynamics
    if controller is not None and controller.k_velocity is None:
        controller = replace(controller, k_velocity=0.0)
    if dynamics is not None and dynamics.damping is None and dynamics.friction is None:
        dynamics = replace(dynamics, damping=0.0)
    return replace(
        joint,
        type=kind,
        origin=_without_quaternion(joint.origin),
        axis=None if joint.axis == (0.0, 0.0, 0.0) else joint.axis,
        limit=limit,
        dynamics=dynamics,
        safety_controller=controller,
    )


def _complete_link(link: Link, moves: bool) -> Link:
    inertial = link.inertial
    if moves and inertial is None:
        inertial = Inertial()
    if inertial is not None:
        inertial = replace(
            inertial,
            origin=_without_quaternion(inertial.origin),
            mass=MASS if inertial.mass is None else inertial.mass,
            inertia=inertial.inertia or INERTIA,
        )
    return replace(
        link,
        inertial=inertial,
        visuals=tuple(replace(v, origin=_without_quaternion(v.origin)) for v in link.visuals),
        collisions=tuple(replace(c, origin=_without_quaternion(c.origin)) for c in link.collisions),
    )


def _moving_links(robot: Robot) -> Iterator[str]:
    """Links right below a joint that moves."""
    return (joint.child for joint in robot.joints if joint.type != "fixed")


def _without_quaternion(pose: Pose) -> Pose:
    if pose.quat_xyzw is None:
        return pose
    turned = Pose(xyz=pose.xyz, rpy=rpy_from_rotation(matrix_from_pose(pose)[:3, :3]))
    return IDENTITY if turned == IDENTITY else turned
