# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing and keying the active robot. One undo step each."""

import random
from typing import Any

import bpy

from ...urdf_importer import avoid_collisions
from ...urdf_importer.blender.standing.armatures import armatures_by_name
from ...urdf_importer.blender.standing.display import enforce_limits
from ...urdf_importer.blender.standing.keys import insert_key, key_state_of, remove_key
from ...urdf_importer.blender.standing.pose import (
    hold_limits,
    key_joints,
    random_pose,
    zero_pose,
)
from ...urdf_importer.blender.standing.robot_table import recall_table
from ...urdf_importer.command.summary import count
from .. import props
from ..active_robot import RobotOperator, active_robot, wait_cursor
from ..reports import refusing

_MOST_SEED = 2**31 - 1


class ZeroPose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.zero_pose"
    bl_label = "Zero Pose"
    bl_description = (
        "Put every joint of the active robot at zero, the pose in which the description was "
        "written; a joint whose limits leave zero out goes to the nearest valid position"
    )

    def execute(self, context: Any) -> set[str]:
        zero_pose(active_robot(context))
        return {"FINISHED"}


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

    def execute(self, context: Any) -> set[str]:
        enforce_limits(active_robot(context), self.on)
        return {"FINISHED"}


class RandomPose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.random_pose"
    bl_label = "Random Pose"
    bl_description = (
        "Put every joint of the active robot somewhere within its limits. Good for finding "
        "limits, axes or meshes that are wrong. The robot's place does not change"
    )

    seed: props.integer(
        "Seed", "The same number gives the same pose", min=0, max=_MOST_SEED, kept=False
    )
    avoid_collisions: props.switch(
        "No Self-Collision", "Draw poses until one comes in which no links touch each other"
    )

    def invoke(self, context: Any, event: Any) -> set[str]:
        self.seed = random.randrange(_MOST_SEED)
        return self.execute(context)

    @refusing("WARNING")
    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        with wait_cursor(context):
            why = avoid_collisions(robot) if self.avoid_collisions else None
            random_pose(robot, self.seed, refuse=why)
        return {"FINISHED"}


class NearestValid(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.nearest_valid"
    bl_label = "Nearest Valid"
    bl_description = (
        "Move the joints that are set outside their limits to the nearest valid position, so that "
        "the numbers match the displayed pose. All other joints stay"
    )

    def execute(self, context: Any) -> set[str]:
        moved = hold_limits(active_robot(context))
        if not moved:
            self.report({"INFO"}, "Every joint is valid")
            return {"CANCELLED"}  # Nothing to undo.
        self.report({"INFO"}, count(moved, "joint") + " moved")
        return {"FINISHED"}


class KeyAll(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.key_all"
    bl_label = "Key All"
    bl_description = (
        "Insert keyframes for all joints of the active robot at the current frame. Joints that "
        "follow another need none"
    )

    def execute(self, context: Any) -> set[str]:
        keyed = key_joints(active_robot(context))
        self.report({"INFO"}, describe_keyed(keyed, context.scene))
        return {"FINISHED"}


def describe_keyed(joints: int, scene: Any) -> str:
    """Says in a few words that joints were keyed."""
    return f"{count(joints, 'joint')} keyed at frame {scene.frame_current}"


class KeyJoint(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.key_joint"
    bl_label = "Key Joint"
    bl_description = (
        "Insert a keyframe of this joint at the current frame, or take it away where there is one. "
        "It is a keyframe of the bone's own channel, as Blender's tools make it"
    )

    joint: props.text("Joint", "Name of the joint in the description", kept=False)

    def execute(self, context: Any) -> set[str]:
        robot: Any = active_robot(context)
        row = recall_table(robot).joints.get(self.joint)
        if row is None or row.mimics:
            why = (
                f"follows '{row.mimics}': key that joint" if row else "is not a joint of this robot"
            )
            self.report({"ERROR"}, f"'{self.joint}' {why}")
            return {"CANCELLED"}
        pose_bone = armatures_by_name(robot)[row.armature].pose.bones[row.bone]
        change = remove_key if key_state_of(pose_bone, row.channels) == "keyed" else insert_key
        for channel in row.channels:
            change(pose_bone, channel.prop, channel.index)
        return {"FINISHED"}


CLASSES = (ZeroPose, EnforceLimits, RandomPose, NearestValid, KeyAll, KeyJoint)
