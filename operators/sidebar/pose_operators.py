# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing and keying the active robot. One undo step each."""

import random
import time
from typing import Any

import bpy

from ...urdf_importer import RobotError, avoid_collisions
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
from ...urdf_importer.features.motion.blender.range_test import RangeTest
from .. import props
from ..active_robot import Refusal, RobotOperator, redraw_views, wait_cursor
from ..timed_poses import TimedOperator, wait
from .robot_menu import selected_joints

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
            why = avoid_collisions(robot) if self.avoid_collisions else None
            random_pose(robot, self.seed, refuse=why)


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


_ENDS = {"ESC", "RET", "SPACE", "LEFTMOUSE", "RIGHTMOUSE"}


class RangeTestOperator(TimedOperator, bpy.types.Operator):
    bl_idname = "urdf.range_test"
    bl_label = "Range Test"
    bl_description = (
        "Move each joint in turn to its limits and back, to see whether limits, axes and meshes "
        "are right; in pose mode only the joints of selected bones, if any are selected. Esc or a "
        "click ends it. The pose comes back, and nothing is keyed"
    )
    bl_options = {"REGISTER"}
    step = 1 / 30

    joint: props.text("Joint", "The joint to move. Empty: all", kept=False)
    seconds: props.number("Seconds", "How long each joint takes", default=2.5, min=0.1, soft_max=10)

    def begin(self, context: Any, robot: Any) -> None:
        """Begins it; a session without windows has no time to pass."""
        if bpy.app.background:
            raise Refusal("A range test needs a window", "ERROR")
        named = [self.joint] if self.joint else selected_joints(context, robot)
        self._test = RangeTest(robot, named, self.seconds)
        self._start = time.perf_counter()

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "TIMER":
            passed = time.perf_counter() - self._start
            if passed >= self._test.duration:
                self.cancel(context)
                return {"FINISHED"}
            text = self._test.show(passed)
            context.workspace.status_text_set(f"Range test  {text}    Esc: end")
            redraw_views()
            return {"PASS_THROUGH"}
        if event.type in _ENDS and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        return wait(event)

    def cancel(self, context: Any) -> None:
        """Ends it, also where Blender ends it: the window closes, another file is opened."""
        self._test.end()
        self.end_timer(context)
