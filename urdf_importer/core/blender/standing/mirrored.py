# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of a rig, mirrored at the robot's own plane of symmetry; and its pose at the start."""

from collections.abc import Collection
from typing import Any

from ...arguments import rig_of, texts_of
from ...diagnostics import KinematicsError, quote
from ...kinematics.mirror import find_mirror, mirror_positions
from ...kinematics.motion import SCALAR_KINDS, clamp
from ...kinematics.tree import retrace_tree
from ...reshape.symmetry import find_partner
from ..extract.robot import extract_robot
from .joints import JointChannel, RigJoint
from .pose import get_joint_positions, hold_limits, set_all, set_joint_positions


def mirror_pose(armature: Any, *, joints: Collection[str] | None = None) -> int:
    """Puts a robot into the mirrored pose, at its own plane of symmetry; with `joints`, only their
    partners on the other side move. Partners and signs are found by geometry. Returns how many
    joints were set.

    Raises KinematicsError where no joint has a partner, and for an unknown joint; BuildError for an
    object that is not an imported robot.
    """
    armature = rig_of(armature)
    joints = None if joints is None else texts_of(joints, "joints")
    tree = retrace_tree(extract_robot(armature))
    names = [motion.joint.name for motion in tree.joint_motions if motion.moves]
    for name in joints or ():
        if name not in names:
            raise KinematicsError(f"the robot has no moving joint {quote(name)}")
    named = {name: find_partner(name, names) or "" for name in names}
    mirror = find_mirror(tree, named)
    positions = get_joint_positions(armature)
    mirrored = mirror_positions(tree, mirror, positions, joints)
    if not mirrored:
        raise KinematicsError("no joint has a partner on the other side: the robot has no symmetry")
    set_joint_positions(armature, mirrored)
    # Limits of both sides may differ a little.
    hold_limits(armature, mirrored)
    return len(mirrored)


def home_pose(armature: Any) -> None:
    """Puts every joint where an import starts it: at zero, or at the valid position next to it. The
    place of the robot does not change."""
    set_all(armature, lambda joint, _, now: joint.initial if joint.kind in SCALAR_KINDS else now)


def ready_pose(armature: Any) -> None:
    """Bends every joint a little from where it starts, towards the middle of its range: a pose from
    which inverse kinematics finds its way. Joints without limits stay."""

    def bend(joint: RigJoint, _: JointChannel, position: float) -> float:
        lower, upper = joint.limits
        if joint.kind != "revolute" or lower is None or upper is None:
            return position
        return joint.initial + clamp((lower + upper) / 2.0 - joint.initial, -_BEND, _BEND)

    set_all(armature, bend)


_BEND = 0.6
"""Radians by which a joint is bent at most to be ready."""
