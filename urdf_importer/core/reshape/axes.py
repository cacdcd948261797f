# SPDX-License-Identifier: GPL-3.0-or-later
"""convert_axes: a robot that is written along other axes."""

from dataclasses import replace

import numpy as np

from ..arguments import robot_of
from ..geometry.transforms import Matrix, make_frame, matrix_from_pose, pose_of
from ..geometry.volumes import inertia_of, tensor_of
from ..kinematics.conventions import read_axes
from ..model import IDENTITY, Joint, Link, LoopJoint, Pose, Robot, Vector3
from .seat import move_link, move_loop


def convert_axes(robot: Robot, axes: str = "zxy") -> Robot:
    """Returns the robot with every frame in another basis: "zxy" makes z-up of y-up.

    Link frames turn in place: each becomes P T P^-1. Mesh files stay unchanged, so their shapes
    turn by P. Raises KinematicsError for invalid axes.
    """
    robot = robot_of(robot)
    basis = read_axes(axes)
    if np.array_equal(basis, np.eye(3)):
        return robot
    return replace(
        robot,
        links=tuple(_convert_link(link, basis) for link in robot.links),
        joints=tuple(_convert_joint(joint, basis) for joint in robot.joints),
        loops=tuple(_convert_loop(loop, basis) for loop in robot.loops),
    )


def _convert_pose(pose: Pose, basis: Matrix) -> Pose:
    """Returns P T P^-1."""
    frame = make_frame(basis)
    return pose_of(frame @ matrix_from_pose(pose) @ frame.T)


def _convert_loop(loop: LoopJoint, basis: Matrix) -> LoopJoint:
    moved = move_loop(loop, lambda pose, _link: _convert_pose(pose, basis))
    return replace(moved, axis=None if loop.axis is None else _convert_vector(loop.axis, basis))


def _convert_joint(joint: Joint, basis: Matrix) -> Joint:
    origin, child = _convert_pose(joint.origin, basis), joint.child_origin
    if child != IDENTITY:
        child = _convert_pose(child, basis)
    has_axis = joint.axis is not None or joint.type not in ("fixed", "floating")
    axis = _convert_vector(joint.axis or (1.0, 0.0, 0.0), basis) if has_axis else None
    return replace(joint, origin=origin, child_origin=child, axis=axis)


def _convert_vector(vector: Vector3, basis: Matrix) -> Vector3:
    x, y, z = (float(number) + 0.0 for number in basis @ np.array(vector))
    return x, y, z


def _convert_link(link: Link, basis: Matrix) -> Link:
    """Shapes become P T: their own frames stay as their files have them."""
    inertial = link.inertial
    if inertial is not None:
        inertia = inertial.inertia
        if inertia is not None:
            inertia = inertia_of(basis @ tensor_of(inertia) @ basis.T, inertia)
        origin = _convert_pose(inertial.origin, basis)
        inertial = replace(inertial, origin=origin, inertia=inertia)
    return replace(move_link(link, make_frame(basis)), inertial=inertial)
