# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions on a group of joints: select, key, pose it, keep its pose. One undo each."""

from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.blender.extract.robot import extract_name
from ...urdf_importer.blender.preview.pose_pictures import make_poses, show_pose
from ...urdf_importer.blender.semantics.apply import keep_state, show_state
from ...urdf_importer.blender.semantics.control import key_control
from ...urdf_importer.blender.semantics.groups import joints_of_group, select_group
from ...urdf_importer.blender.standing.pose import key_joints
from ...urdf_importer.blender.standing.poses import whole_poses_of
from ...urdf_importer.command.summary import count
from .. import props
from ..active_robot import RobotOperator, active_robot, wait_cursor
from ..reports import refuse, refusing
from ..sidebar.pose_operators import describe_keyed


class SelectGroup(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.select_group"
    bl_label = "Select Group"
    bl_description = "Select the bones of this group of joints, in pose mode"

    group: props.text("Group", "The name of the group of joints", kept=False)

    @refusing("ERROR")
    def execute(self, context: Any) -> set[str]:
        select_group(active_robot(context), self.group)
        return {"FINISHED"}


class KeyGroup(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.key_group"
    bl_label = "Key Group"
    bl_description = "Insert keyframes for the joints of this group at the current frame"

    group: props.text("Group", "The name of the group of joints", kept=False)

    @refusing("ERROR")
    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        joints = joints_of_group(robot, self.group)
        keyed = key_joints(robot, joints) + key_control(robot, joints)
        self.report({"INFO"}, describe_keyed(keyed, context.scene))
        return {"FINISHED"}


class ShowState(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.show_state"
    bl_label = "Show State"
    bl_description = (
        "Pose the robot as this named state says. Joints that the state does not name stay"
    )

    group: props.text("Group", "The name of the group of joints", kept=False)
    state: props.text("State", "The name of the state", kept=False)

    @refusing("ERROR")
    def execute(self, context: Any) -> set[str]:
        show_state(active_robot(context), self.group, self.state)
        return {"FINISHED"}


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
        shown: set[str] = context.window_manager.invoke_props_dialog(self)
        return shown

    def draw(self, context: Any) -> None:
        self.layout.prop(self, "state")

    @refusing("ERROR")
    def execute(self, context: Any) -> set[str]:
        name = self.state.strip()
        if not name:
            return refuse(self, RobotError("a state needs a name"))
        keep_state(active_robot(context), self.group, name)
        self.report({"INFO"}, f"Kept as {self.group}: {name}")
        return {"FINISHED"}


class MakePoses(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.make_poses"
    bl_label = "Poses with Pictures"
    bl_description = (
        "Make the poses Home, Zero and Ready of the active robot as pose assets, with a picture of "
        "each and of the states of its groups: here and in the asset browser. It takes a second or "
        "two for each"
    )

    @refusing("ERROR")
    def execute(self, context: Any) -> set[str]:
        with wait_cursor(context):
            made = make_poses(active_robot(context))
        self.report({"INFO"}, count(len(made), "pose") + " with a picture")
        return {"FINISHED"}


class ShowPose(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.show_pose"
    bl_label = "Show Pose"
    bl_description = "Pose the robot as in this pose asset. The robot's place does not change"

    state: props.text("Pose", "The name of the pose", kept=False)

    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        action = dict(whole_poses_of(extract_name(robot))).get(self.state)
        if action is None:
            return refuse(self, RobotError(f"the robot has no pose '{self.state}'"))
        show_pose(robot, action)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (SelectGroup, KeyGroup, ShowState, NewState, MakePoses, ShowPose)
)
