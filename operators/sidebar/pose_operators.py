# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing and keying the active robot. One undo step each."""

import random
from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.standing.armatures import armatures_by_name
from ...urdf_importer.core.blender.standing.display import enforce_limits
from ...urdf_importer.core.blender.standing.keys import insert_key, key_state_of, remove_key
from ...urdf_importer.core.blender.standing.pose import (
    hold_limits,
    key_joints,
    random_pose,
    zero_pose,
)
from ...urdf_importer.core.blender.standing.robot_table import recall_table
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.core.shelves import find_hook
from .. import props
from ..active_robot import Refusal, RobotOperator, wait_cursor

_MOST_SEED = 2**31 - 1


class ZeroPose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.zero_pose"
    bl_label = "Zero Pose"
    bl_description = (
        "Put every joint of the active robot at zero, the pose in which the description was "
        "written; a joint whose limits exclude zero moves to the nearest valid position"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        zero_pose(robot)


class EnforceLimits(RobotOperator, bpy.types.Operator):
    """An operator, not a property with a getter: Blender reads the properties of every object
    whenever it compares library overrides, in files without robots too."""

    bl_idname = "urdf.enforce_limits"
    bl_label = "Enforce Limits"
    bl_description = (
        "Hold every joint within its limits: mutes and unmutes the limit constraints of all bones, "
        "and the limits of Blender's IK. Your own constraints are left alone"
    )

    on: props.switch("Enforce", "Whether the limits hold from now on", default=True)

    def run(self: Any, context: Any, robot: Any) -> None:
        enforce_limits(robot, self.on)


class RandomPose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.random_pose"
    bl_label = "Random Pose"
    bl_description = (
        "Put every joint of the active robot somewhere within its limits. Good for finding "
        "limits, axes or meshes that are wrong. The robot's place does not change"
    )
    level = "WARNING"

    seed: props.integer(
        "Seed", "The same number gives the same pose", min=0, max=_MOST_SEED, kept=False
    )
    avoid_collisions: props.switch(
        "No Self-Collision", "Draw poses until one comes in which no links touch each other"
    )

    def invoke(self, context: Any, event: Any) -> set[str]:
        self.seed = random.randrange(_MOST_SEED)
        return self.execute(context)

    def run(self: Any, context: Any, robot: Any) -> None:
        with wait_cursor(context):
            why = refuse_contacts(robot) if self.avoid_collisions else None
            random_pose(robot, self.seed, refuse=why)


def refuse_contacts(robot: Any) -> Any:
    """Returns the test of poses of avoid_collisions. Raises RobotError, also without its part."""
    return find_hook("avoid_collisions", "No Self-Collision")(robot)


class NearestValid(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.nearest_valid"
    bl_label = "Nearest Valid"
    bl_description = (
        "Move the joints that are set outside their limits to the nearest valid position, so that "
        "the numbers match the displayed pose. All other joints stay"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        moved = hold_limits(robot)
        if not moved:
            raise Refusal("Every joint is valid", "INFO")
        return count(moved, "joint") + " moved"


class KeyAll(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.key_all"
    bl_label = "Key All"
    bl_description = (
        "Insert keyframes for all joints of the active robot at the current frame. Joints that "
        "follow another need none"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        keyed = key_joints(robot)
        return describe_keyed(keyed, context.scene)


def describe_keyed(joints: int, scene: Any) -> str:
    """Says in a few words that joints were keyed."""
    return f"{count(joints, 'joint')} keyed at frame {scene.frame_current}"


class KeyJoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.key_joint"
    bl_label = "Key Joint"
    bl_description = (
        "Insert a keyframe of this joint at the current frame, or remove the existing one. "
        "It is a keyframe of the bone's own channel, as Blender's tools make it"
    )

    joint: props.text("Joint", "Name of the joint in the description", kept=False)

    def run(self: Any, context: Any, robot: Any) -> None:
        row = recall_table(robot).joints.get(self.joint)
        if row is None or row.mimics:
            why = (
                f"follows '{row.mimics}': key that joint" if row else "is not a joint of this robot"
            )
            raise RobotError(f"'{self.joint}' {why}")
        pose_bone = armatures_by_name(robot)[row.armature].pose.bones[row.bone]
        change = remove_key if key_state_of(pose_bone, row.channels) == "keyed" else insert_key
        for channel in row.channels:
            change(pose_bone, channel.prop, channel.index)
