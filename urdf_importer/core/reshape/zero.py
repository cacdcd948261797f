# SPDX-License-Identifier: GPL-3.0-or-later
"""move_zero: a robot whose joints have another pose as zero."""

from collections.abc import Mapping
from dataclasses import replace

from ..arguments import positions_of, robot_of
from ..geometry.transforms import Matrix, invert, matrix_from_pose, pose_of
from ..kinematics.forward import Position, complete_positions, local_matrices
from ..kinematics.tree import retrace_tree
from ..model import IDENTITY, Joint, Robot
from .scaling import map_positions

_ROUNDING = 1e-12


def move_zero(robot: Robot, positions: Mapping[str, Position]) -> Robot:
    """Returns the robot with its zero at these positions, which are as in forward_kinematics.

    The origins take the motion, and limits, soft limits, calibration and the offsets of followers
    are counted from there: every link can still reach every place that it could. Raises
    KinematicsError for unknown joints and wrong positions.
    """
    robot = robot_of(robot)
    positions = positions_of(positions)
    tree = retrace_tree(robot)
    complete = complete_positions(tree.joint_motions, positions)
    local = local_matrices(tree, positions)
    moved: dict[str, Joint] = {}
    for place, motion in enumerate(tree.motions):
        if motion is None or motion.joint.name not in complete:
            continue
        position = complete[motion.joint.name]
        if not any(position if isinstance(position, tuple) else (position,)):
            continue
        joint = _move_origin(motion.joint, motion.kind, local[place])
        moved[joint.name] = joint if isinstance(position, tuple) else _count_from(joint, position)
    scalars = {name: each for name, each in complete.items() if isinstance(each, float)}
    changed = tuple(_move_offset(moved.get(each.name, each), scalars) for each in robot.joints)
    return robot if changed == robot.joints else replace(robot, joints=changed)


def _move_origin(joint: Joint, kind: str, local: Matrix) -> Joint:
    """Returns the joint at its child's frame; numbers that the motion does not change are kept."""
    if joint.child_origin != IDENTITY:
        local = local @ invert(matrix_from_pose(joint.child_origin))
    pose = pose_of(local)
    if kind == "revolute":
        pose = replace(pose, xyz=joint.origin.xyz)
    elif kind == "prismatic":
        pose = replace(joint.origin, xyz=pose.xyz)
    return replace(joint, origin=pose)


def _count_from(joint: Joint, zero: float) -> Joint:
    """Returns the joint with its positions counted from `zero`."""
    limit = joint.limit
    if limit is not None and (limit.lower, limit.upper) != (None, None):
        # Unwritten values are zero, and that moves too.
        limit = replace(limit, lower=limit.lower or 0.0, upper=limit.upper or 0.0)
    return map_positions(replace(joint, limit=limit), lambda number: number - zero)


def _move_offset(joint: Joint, zeros: Mapping[str, float]) -> Joint:
    mimic = joint.mimic
    if mimic is None:
        return joint
    leader, own = zeros.get(mimic.joint, 0.0), zeros.get(joint.name, 0.0)
    if not leader and not own:
        return joint
    offset = mimic.multiplier * leader + mimic.offset - own
    offset = 0.0 if abs(offset) < _ROUNDING else offset
    return replace(joint, mimic=replace(mimic, offset=offset))
