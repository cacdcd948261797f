# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of Bullet: how each kind is held, and its position by its two bodies."""

from typing import Any

import numpy as np

from ...geometry.transforms import Matrix, Vector, plane_axes
from ...kinematics.motion import JointMotion
from ...motion.trajectory import Numbers
from ...simulation.joints import poses_of
from .bodies import GroupJoint, RigidGroup
from .world import BulletWorld, turn_x, turn_z

_HALF_TURN = np.pi - 0.01
"""How far a stop of Bullet's hinges may be from the pose in which they are made."""
_FAR = 1e5
"""In place of the limit that a sliding joint does not have."""


def add_joint(
    world: BulletWorld, joint: GroupJoint, groups: list[RigidGroup], items: list[Any]
) -> None:
    """Holds two bodies together. A joint that starts beyond a limit can go as far."""
    motion = joint.motion
    frame, axis = groups[joint.parent].model @ joint.before, np.array(motion.axis)
    pair = items[joint.parent], items[joint.child]
    low = -np.inf if motion.lower is None else min(motion.lower, joint.start) - joint.model
    high = np.inf if motion.upper is None else max(motion.upper, joint.start) - joint.model
    if motion.kind == "revolute":
        hinge = world.add_joint("HINGE", frame @ turn_z(axis), *pair).rigid_body_constraint
        if max(-low, high) < _HALF_TURN:
            hinge.use_limit_ang_z = True
            hinge.limit_ang_z_lower, hinge.limit_ang_z_upper = -high, -low
    elif motion.kind == "prismatic":
        slider = world.add_joint("SLIDER", frame @ turn_x(axis), *pair).rigid_body_constraint
        slider.use_limit_lin_x = min(-low, high) < np.inf
        slider.limit_lin_x_lower, slider.limit_lin_x_upper = max(low, -_FAR), min(high, _FAR)
    elif motion.kind == "planar":
        # Its X is the normal: Bullet knows whole turns about the first axis alone.
        plane = world.add_joint("GENERIC", frame @ turn_x(axis), *pair).rigid_body_constraint
        for each in ("lin_x", "ang_y", "ang_z"):
            setattr(plane, f"use_limit_{each}", True)
            setattr(plane, f"limit_{each}_lower", 0.0)
            setattr(plane, f"limit_{each}_upper", 0.0)
    elif motion.kind == "spherical":
        world.add_joint("POINT", frame, *pair)
    elif motion.kind == "fixed":
        world.add_joint("FIXED", frame, *pair)


def find_moved(joint: GroupJoint, frames: Matrix) -> Matrix:
    """Returns (n, 4, 4), the moved frame of a joint in it, of all groups' bodies in the world (n,
    groups, 4, 4)."""
    moved: Matrix = np.linalg.solve(
        frames[:, joint.parent] @ joint.before, frames[:, joint.child] @ joint.after
    )
    return moved


def measure(motion: JointMotion, moved: Matrix) -> tuple[Numbers, float]:
    """Returns the positions of a joint, (n,) or (n, k), and the worst distance in m of its two
    anchors; `moved` (n, 4, 4) are its moved frames in it."""
    axis, shifts = np.array(motion.axis), moved[:, :3, 3]
    along = shifts @ axis
    if motion.kind == "revolute":
        return np.unwrap(_angles(moved, axis)), _longest(shifts)
    if motion.kind in ("prismatic", "fixed"):
        return along, _longest(shifts - along[:, None] * axis)
    if motion.kind == "planar":
        flat = shifts @ np.array(plane_axes(axis)).T
        angles = np.unwrap(_angles(moved, axis))
        return np.column_stack([flat, angles]), float(np.abs(along).max())
    poses = poses_of(moved)
    return (poses[:, 3:], _longest(shifts)) if motion.kind == "spherical" else (poses, 0.0)


def _angles(moved: Matrix, axis: Vector) -> Numbers:
    turn = moved[:, :3, :3]
    crossed = np.column_stack(
        [
            turn[:, 2, 1] - turn[:, 1, 2],
            turn[:, 0, 2] - turn[:, 2, 0],
            turn[:, 1, 0] - turn[:, 0, 1],
        ]
    )
    angles: Numbers = np.arctan2(crossed @ axis, np.trace(turn, axis1=1, axis2=2) - 1.0)
    return angles


def _longest(shifts: Numbers) -> float:
    return float(np.linalg.norm(shifts, axis=1).max())
