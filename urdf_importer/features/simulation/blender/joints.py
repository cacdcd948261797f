# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of Bullet: how each kind is held, and its position by its two bodies."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....core.geometry.transforms import Matrix, plane_axes
from ....core.kinematics.motion import JointMotion
from ...motion.trajectory import Numbers
from ..motions import poses_of
from .bodies import GroupJoint, RigidGroup
from .world import BulletWorld, turn_x, turn_z

_HALF_TURN, _WHOLE_TURN = np.pi - 0.01, np.pi + 0.01
"""How far a stop of Bullet's hinges may be from the pose in which they are made; the stops of
joints that turn once stop a little before."""
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
        if max(-low, high) < _WHOLE_TURN:
            hinge.use_limit_ang_z = True
            hinge.limit_ang_z_lower = max(-high, -_HALF_TURN)
            hinge.limit_ang_z_upper = min(-low, _HALF_TURN)
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


class JointReader:
    """Reads the positions of joints, in their order, from the bodies of their groups."""

    def __init__(self, joints: Sequence[GroupJoint]) -> None:
        self._parents = [joint.parent for joint in joints]
        self._children = [joint.child for joint in joints]
        self._before = np.array([joint.before for joint in joints]).reshape(-1, 4, 4)
        self._after = np.array([joint.after for joint in joints]).reshape(-1, 4, 4)
        self._axes = np.array([joint.motion.axis for joint in joints]).reshape(-1, 3)
        kinds = np.array([joint.motion.kind for joint in joints], dtype=str)
        self._turns, self._planar, self._floats = (
            kinds == kind for kind in ("revolute", "planar", "floating")
        )
        self._slides = np.isin(kinds, ("prismatic", "fixed"))

    def find_moved(self, frames: Matrix) -> Matrix:
        """Returns (joints, 4, 4), the moved frame of each joint in it; `frames` (groups, 4, 4) are
        the bodies in the world."""
        above, below = frames[self._parents] @ self._before, frames[self._children] @ self._after
        moved: Matrix = np.linalg.solve(above, below)
        return moved

    def read(self, moved: Matrix, before: Numbers) -> tuple[Numbers, Numbers]:
        """Returns the positions (joints,) of joints of one axis, each the nearest turn to the one
        before; and how far (joints,) in m the two anchors of each joint are apart."""
        shifts = moved[:, :3, 3]
        along = (shifts * self._axes).sum(axis=1)
        angles = _find_angles(moved, self._axes)
        angles += 2.0 * np.pi * np.round((before - angles) / (2.0 * np.pi))
        aside = shifts - self._slides[:, None] * along[:, None] * self._axes
        across = np.where(self._planar, np.abs(along), np.linalg.norm(aside, axis=1))
        return np.where(self._turns, angles, along), np.where(self._floats, 0.0, across)


def read_several(motion: JointMotion, moved: Matrix) -> Numbers:
    """Returns the positions (n, k) of a planar, ball or floating joint, whose moved frames in it
    are `moved` (n, 4, 4)."""
    axis = np.array(motion.axis)
    if motion.kind == "planar":
        flat = moved[:, :3, 3] @ np.array(plane_axes(axis)).T
        return np.column_stack([flat, np.unwrap(_find_angles(moved, axis))])
    return poses_of(moved)[:, 3 if motion.kind == "spherical" else 0 :]


def _find_angles(moved: Matrix, axes: Numbers) -> Numbers:
    """Returns the angles (n,) of turns (n, 4, 4) about axes (n, 3), or about one."""
    turn = moved[:, :3, :3]
    crossed = (turn - turn.transpose(0, 2, 1))[:, [2, 0, 1], [1, 2, 0]]
    cosines = np.trace(turn, axis1=1, axis2=2) - 1.0
    angles: Numbers = np.arctan2((crossed * axes).sum(axis=1), cosines)
    return angles
