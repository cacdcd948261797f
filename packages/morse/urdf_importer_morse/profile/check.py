# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads from an armature the data that MORSE's Armature actuator would read, and the real
properties of its joints."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from urdf_importer.core.arguments import rig_of
from urdf_importer.core.blender.extract.robot import extract_robot
from urdf_importer.core.blender.standing.armatures import find_main
from urdf_importer.core.blender.standing.joints import RigJoint, joints_of, read_joints
from urdf_importer.core.diagnostics import (
    BuildError,
    Diagnostic,
    Diagnostics,
    KinematicsError,
    quote,
)
from urdf_importer.core.kinematics.tree import KinematicTree, retrace_tree

from .findings import BoneState, HeldJoint, judge_bones, judge_joints

_MOVED = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")


def check_morse_profile(armature: Any) -> tuple[Diagnostic, ...]:
    """Returns the bones that MORSE cannot drive, or drives differently, of any armature object; for
    the main armature of a robot also the joints without a bone in any of its armatures.

    Raises BuildError for an object that is not an armature.
    """
    armature = rig_of(armature)
    if armature.type != "ARMATURE":
        raise BuildError(f"object {quote(armature.name)} is not an armature")
    diagnostics = Diagnostics(armature.name)
    robot = find_main(armature)
    tree = None if robot is None else _read_tree(robot)
    motions = tree.joint_motions if tree is not None else ()
    mimics = {motion.joint.name: motion.mimic for motion in motions if motion.mimic is not None}
    judge_bones(tuple(_read_bones(armature)), mimics, diagnostics)
    if tree is not None and robot == armature:
        judge_joints(tree, {joint.name for joint in joints_of(robot)}, diagnostics)
    return tuple(diagnostics)


def _read_tree(robot: Any) -> KinematicTree | None:
    """Reads the robot's tree; None if the rest of a rig is not a robot."""
    try:
        return retrace_tree(extract_robot(robot))
    except KinematicsError:
        return None


def _read_bones(armature: Any) -> Iterator[BoneState]:
    drivers = armature.animation_data.drivers if armature.animation_data else ()
    driven = {curve.data_path for curve in drivers}
    for pose_bone in armature.pose.bones if armature.pose else ():
        bone = pose_bone.bone
        yield BoneState(
            name=bone.name,
            parent=bone.parent.name if bone.parent else "",
            rest=np.array(bone.matrix_local),
            free=tuple(i for i, a in enumerate("xyz") if not getattr(pose_bone, f"lock_ik_{a}")),
            ik_limits=tuple(
                (getattr(pose_bone, f"ik_min_{a}"), getattr(pose_bone, f"ik_max_{a}"))
                for a in "xyz"
            ),
            ik_stretch=pose_bone.ik_stretch,
            is_connected=bone.use_connect,
            is_driven=any(pose_bone.path_from_id(prop) in driven for prop in _MOVED),
            joints=tuple(_read_joint(joint) for joint in read_joints(bone)),
        )


def _read_joint(joint: RigJoint) -> HeldJoint:
    lower, upper = joint.limits
    return HeldJoint(
        name=joint.name,
        channels=tuple((channel.prop, channel.index) for channel in joint.channels),
        lower=lower,
        upper=upper,
        mimics=joint.mimics,
    )
