# SPDX-License-Identifier: GPL-3.0-or-later
"""convert_axes: a robot that is written along other axes."""

from dataclasses import replace

import numpy as np

from ..arguments import robot_of
from ..geometry.transforms import Matrix, make_frame, matrix_from_pose, pose_of
from ..geometry.volumes import inertia_of, tensor_of
from ..kinematics.conventions import read_axes
from ..model import IDENTITY, Inertial, Joint, Link, LoopJoint, Pose, Robot, Vector3


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


def _convert_loop(loop: LoopJoint, basis: Matrix) -> LoopJoint:
    frame = make_frame(basis)
    return replace(
        loop,
        origin1=pose_of(frame @ matrix_from_pose(loop.origin1) @ frame.T),
        origin2=pose_of(frame @ matrix_from_pose(loop.origin2) @ frame.T),
        axis=None if loop.axis is None else _convert_vector(loop.axis, basis),
    )


def _convert_joint(joint: Joint, basis: Matrix) -> Joint:
    frame = make_frame(basis)
    origin = pose_of(frame @ matrix_from_pose(joint.origin) @ frame.T)
    child = joint.child_origin
    if child != IDENTITY:
        child = pose_of(frame @ matrix_from_pose(child) @ frame.T)
    has_axis = joint.axis is not None or joint.type not in ("fixed", "floating")
    axis = _convert_vector(joint.axis or (1.0, 0.0, 0.0), basis) if has_axis else None
    return replace(joint, origin=origin, child_origin=child, axis=axis)


def _convert_vector(vector: Vector3, basis: Matrix) -> Vector3:
    x, y, z = (float(number) + 0.0 for number in basis @ np.array(vector))
    return x, y, z


def _convert_link(link: Link, basis: Matrix) -> Link:
    return replace(
        link,
        inertial=None if link.inertial is None else _convert_inertial(link.inertial, basis),
        visuals=tuple(replace(v, origin=_convert_shape(v.origin, basis)) for v in link.visuals),
        collisions=tuple(
            replace(c, origin=_convert_shape(c.origin, basis)) for c in link.collisions
        ),
    )


def _convert_shape(origin: Pose, basis: Matrix) -> Pose:
    """P T: the shape's own frame stays as its file has it."""
    frame = make_frame(basis)
    return pose_of(frame @ matrix_from_pose(origin))


def _convert_inertial(inertial: Inertial, basis: Matrix) -> Inertial:
    """P T P^-1, and the tensor along it."""
    frame = make_frame(basis)
    inertia = inertial.inertia
    if inertia is not None:
        inertia = inertia_of(basis @ tensor_of(inertia) @ basis.T, inertia)
    origin = pose_of(frame @ matrix_from_pose(inertial.origin) @ frame.T)
    return replace(inertial, origin=origin, inertia=inertia)
