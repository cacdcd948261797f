# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions on a group of joints: select, key, pose it, keep its pose. One undo each."""

from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.semantics.apply import keep_state
from ...urdf_importer.core.blender.semantics.control import key_control
from ...urdf_importer.core.blender.semantics.groups import joints_of_group, select_group
from ...urdf_importer.core.blender.standing.pose import key_joints
from .. import props
from ..active_robot import RobotOperator, ask
from ..sidebar.pose_operators import describe_keyed


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
