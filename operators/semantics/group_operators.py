# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions on a group of joints: select, key, pose it, keep its pose. One undo each."""

from collections import Counter
from typing import Any

import bpy

from ...urdf_importer import CollisionPair, RobotError, apply_srdf, extract_semantics
from ...urdf_importer.core.blender.semantics.apply import keep_state
from ...urdf_importer.core.blender.semantics.control import key_control
from ...urdf_importer.core.blender.semantics.groups import joints_of_group, select_group
from ...urdf_importer.core.blender.standing.pose import key_joints
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.collisions.disabled_pairs import collision_steps, replace_disabled
from ...urdf_importer.features.studio.blender.pose_pictures import make_poses
from .. import props
from ..active_robot import RobotOperator, active_robot, ask, wait_cursor
from ..sidebar.pose_operators import describe_keyed
from ..stepping import SteppedOperator, Steps


class SelectGroup(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_group"
    bl_label = "Select Group"
    bl_description = "Select the bones of this group of joints, in pose mode"

    group: props.text("Group", "The name of the group of joints", kept=False)

    def run(self: Any, context: Any, robot: Any) -> None:
        select_group(robot, self.group)


class KeyGroup(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.key_group"
    bl_label = "Key Group"
    bl_description = "Insert keyframes for the joints of this group at the current frame"

    group: props.text("Group", "The name of the group of joints", kept=False)

    def run(self: Any, context: Any, robot: Any) -> str:
        joints = joints_of_group(robot, self.group)
        keyed = key_joints(robot, joints) + key_control(robot, joints)
        return describe_keyed(keyed, context.scene)


class NewState(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.new_state"
    bl_label = "New State from Pose"
    bl_description = (
        "Keep the displayed pose of this group as a named state: a pose asset, "
        "which is written to SRDF. A state of the same name is replaced"
    )

    group: props.text("Group", "The name of the group of joints", kept=False)
    state: props.text("Name", "The name of the state", default="home", kept=False)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        return ask(self, context)

    def draw(self, context: Any) -> None:
        self.layout.prop(self, "state")

    def run(self: Any, context: Any, robot: Any) -> str:
        name = self.state.strip()
        if not name:
            raise RobotError("a state needs a name")
        keep_state(robot, self.group, name)
        return f"Kept as {self.group}: {name}"


class MakePoses(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.make_poses"
    bl_label = "Poses with Pictures"
    bl_description = (
        "Make the poses Home, Zero and Ready of the active robot as pose assets, with a picture of "
        "each and of the states of its groups: here and in the asset browser. It takes a second or "
        "two for each pose"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        with wait_cursor(context):
            made = make_poses(robot)
        return count(len(made), "pose") + " with a picture"


class FindDisabledCollisions(SteppedOperator, RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.find_disabled_collisions"
    bl_label = "Find Disabled Collisions"
    bl_description = (
        "Find the pairs of links that a planner can skip, by poses drawn at random: "
        "adjacent links, and links that touch at zero, always or never. They go into the robot's "
        "SRDF; pairs that you disabled for other reasons stay"
    )

    samples: props.integer(
        "Poses", "How many poses are tried", default=10_000, min=0, max=10_000_000
    )
    seed: props.integer("Seed", "The same number draws the same poses", min=0)

    steps_title = "Looking for collisions"
    cancelled_text = "Cancelled; the robot's SRDF is unchanged"

    def begin_steps(self, context: Any) -> Steps:
        robot: Any = active_robot(context)
        self._robot = robot.name
        return collision_steps(robot, self.samples, self.seed)

    def keep_result(self, context: Any, result: tuple[CollisionPair, ...]) -> set[str]:
        robot = context.scene.objects.get(self._robot)
        if robot is None:
            raise RobotError("the robot was deleted")
        apply_srdf(robot, replace_disabled(extract_semantics(robot), result))
        counts = Counter(pair.reason for pair in result)
        said = ", ".join(f"{number} {reason}" for reason, number in counts.items())
        sentence = f"{count(len(result), 'pair')} disabled: {said}" if result else "No pairs"
        self.report({"INFO"}, sentence)
        return {"FINISHED"}
