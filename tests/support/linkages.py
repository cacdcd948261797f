# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages as robots: four bars, cranks with sliders, and how far from closed they are."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from urdf_importer import Diagnostics, forward_kinematics
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.loops.closings import Closing, closing_steps
from urdf_importer.core.kinematics.tree import KinematicTree
from urdf_importer.core.model import Joint, Limit, Link, LoopJoint, Pose, Robot
from urdf_importer.core.progress import Budget, finish

Z = (0.0, 0.0, 1.0)


def find_closings(
    tree: KinematicTree, diagnostics: Diagnostics, budget: Budget | None = None
) -> tuple[Closing, ...]:
    """Does closing_steps at once."""
    return finish(closing_steps(tree, diagnostics, budget or Budget()))


def hinge(name: str, parent: str, child: str, xyz: Any, angle: float = 0.0, **more: Any) -> Joint:
    """A joint that turns about Z; its frame is turned by `angle`."""
    origin = Pose(xyz=xyz, rpy=(0.0, 0.0, angle))
    kind = more.pop("type", "continuous")
    return Joint(name=name, type=kind, parent=parent, child=child, origin=origin, axis=Z, **more)


def make_robot(joints: Any, loops: Any, **more: Any) -> Robot:
    names = dict.fromkeys(name for each in joints for name in (each.parent, each.child))
    links = tuple(Link(name=name) for name in names)
    return Robot(name="linkage", links=links, joints=tuple(joints), loops=tuple(loops), **more)


def four_bar(
    crank: float, coupler: float, rocker: float, base: float, angle: float
) -> Robot | None:
    """A four bar whose zero has the crank at `angle`; the rocker stands on the base at (base, 0).

    Returns None where these lengths do not close."""
    tip = crank * np.array([math.cos(angle), math.sin(angle)])
    pin = meet(tip, coupler, np.array([base, 0.0]), rocker)
    if pin is None:
        return None
    bend = math.atan2(*(pin - tip)[::-1])
    tilt = math.atan2(*(pin - (base, 0.0))[::-1])
    joints = [
        hinge("crank_pin", "base", "crank", (0.0, 0.0, 0.0), angle),
        hinge("knee", "crank", "coupler", (crank, 0.0, 0.0), bend - angle),
        hinge("rocker_pin", "base", "rocker", (base, 0.0, 0.0), tilt),
    ]
    ends = (Pose(xyz=(coupler, 0.0, 0.0)), Pose(xyz=(rocker, 0.0, 0.0)))
    loop = LoopJoint(
        name="last", type="continuous", link1="coupler", link2="rocker",
        origin1=ends[0], origin2=ends[1], axis=Z,
    )  # fmt: skip
    return make_robot(joints, [loop])


def meet(one: Any, far_one: float, other: Any, far_other: float, sign: float = 1.0) -> Any:
    """Where two circles meet; on the left of the way from the first to the second."""
    between = other - one
    distance = float(np.hypot(*between))
    if distance < 1e-9:
        return None
    along = (far_one**2 - far_other**2 + distance**2) / (2.0 * distance)
    square = far_one**2 - along**2
    if square < 0.0:
        return None
    way = between / distance
    return one + along * way + sign * math.sqrt(square) * np.array([-way[1], way[0]])


def gap_of(robot: Robot, positions: Any) -> float:
    """How far loops are from closed, by forward kinematics alone: metres, and of axes radians."""
    frames = forward_kinematics(robot, positions, close_loops=False)
    worst = 0.0
    for loop in robot.loops:
        one = frames[loop.link1] @ matrix_from_pose(loop.origin1)
        other = frames[loop.link2] @ matrix_from_pose(loop.origin2)
        apart = other[:3, 3] - one[:3, 3]
        axis = np.array(loop.axis or Z)
        if loop.type == "prismatic":
            apart = np.cross(one[:3, :3] @ axis, apart)
            worst = max(worst, np.abs(one[:3, :3] - other[:3, :3]).max())
        elif loop.type in ("revolute", "continuous"):
            turned = np.cross(one[:3, :3] @ axis, other[:3, :3] @ axis)
            worst = max(worst, np.abs(turned).max())
        worst = max(worst, float(np.linalg.norm(apart)))
    return worst


def slider_crank(crank: float, rod: float, offset: float) -> Robot:
    """A crank at the origin whose rod pushes a piston along X, `offset` beside the crank's pin."""
    far = math.sqrt(rod**2 - offset**2)
    bend = math.atan2(offset, far)
    joints = [
        hinge("crank_pin", "base", "crank", (0.0, 0.0, 0.0)),
        hinge("wrist", "crank", "rod", (crank, 0.0, 0.0), bend),
        Joint(
            name="bore", type="prismatic", parent="base", child="piston", axis=(1.0, 0.0, 0.0),
            origin=Pose(xyz=(crank + far, offset, 0.0)), limit=Limit(lower=-9.0, upper=9.0),
        ),
    ]  # fmt: skip
    loop = LoopJoint(
        name="pin", type="revolute", link1="rod", link2="piston",
        origin1=Pose(xyz=(rod, 0.0, 0.0)), axis=Z,
    )  # fmt: skip
    return make_robot(joints, [loop])


def five_bar(reach: float, base: float, angle: float) -> Robot:
    """Two arms of two bars of length `reach` each, whose tips are one: both shoulders are free, at
    (0, 0) and (base, 0), at zero symmetric with the left arm at `angle` from the base."""
    elbow = reach * np.array([math.cos(angle), math.sin(angle)])
    tip = np.array([base / 2.0, elbow[1] + math.sqrt(reach**2 - (elbow[0] - base / 2.0) ** 2)])
    bend = math.atan2(*(tip - elbow)[::-1])
    joints = [
        hinge("left_shoulder", "base", "left_arm", (0.0, 0.0, 0.0), angle),
        hinge("right_shoulder", "base", "right_arm", (base, 0.0, 0.0), math.pi - angle),
        hinge("left_elbow", "left_arm", "left_rod", (reach, 0.0, 0.0), bend - angle),
        hinge("right_elbow", "right_arm", "right_rod", (reach, 0.0, 0.0), angle - bend),
    ]
    end = Pose(xyz=(reach, 0.0, 0.0))
    loop = LoopJoint(
        name="tip", type="continuous", link1="left_rod", link2="right_rod",
        origin1=end, origin2=end, axis=Z,
    )  # fmt: skip
    return make_robot(joints, [loop])


def hexagon() -> Robot:
    """A ring of six bars of 0.5 m on six hinges, one of them the base: three hinges are free."""
    return ring(6)


def ring(count: int) -> Robot:
    """A ring of so many bars of 0.5 m on hinges, one of them the base: all but three are free."""
    bar = (0.5, 0.0, 0.0)
    turn = 2.0 * math.pi / count
    joints = [
        hinge(f"corner_{i}", f"bar_{i - 1}" if i else "base", f"bar_{i}", bar, turn)
        for i in range(count - 1)
    ]
    loop = LoopJoint(
        name="last", type="continuous", link1=f"bar_{count - 2}", link2="base",
        origin1=Pose(xyz=bar), axis=Z,
    )  # fmt: skip
    return make_robot(joints, [loop])


def hold(robot: Robot, **spans: tuple[float, float]) -> Robot:
    """Returns the robot with limits: joint -> (lower, upper), which may exclude zero."""

    def limited(joint: Joint) -> Joint:
        if joint.name not in spans:
            return joint
        lower, upper = spans[joint.name]
        return replace(joint, type="revolute", limit=Limit(lower=lower, upper=upper))

    return replace(robot, joints=tuple(limited(joint) for joint in robot.joints))
