# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Joints": a slider for each joint, by chains that fold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from ...urdf_importer.blender.memory import forget
from ...urdf_importer.blender.standing.armatures import armatures_by_name
from ...urdf_importer.blender.standing.handles import find_active_joints
from ...urdf_importer.blender.standing.joints import RigJoint
from ...urdf_importer.blender.standing.keys import find_curves, key_state_of
from ...urdf_importer.blender.standing.robot_table import (
    RobotTable,
    recall_table,
)
from ..active_robot import active_robot
from ..gizmos.switch import draw_switches
from ..motion.motion_panel import find_now
from ..wrapped_text import draw_wrapped
from .panel import RobotSubPanel
from .panel_display import draw_limits_switch
from .pose_operators import KeyAll, KeyJoint, NearestValid, RandomPose, ZeroPose
from .range_operator import RangeTestOperator
from .robot_menu import HomePose, MirrorPose, ReadyPose
from .select_operators import SelectJoint
from .sliders import counts_millimetres, find_slider
from .whole_robot import PoseBody

MOST_OPEN = 40
"""A robot of more moving joints starts with its chains folded."""
MOST_FOUND = 40
"""Most joints that a search shows."""
MOST_CHAINS = 150
_BUTTONS: tuple[tuple[tuple[Any, str], ...], ...] = (
    ((HomePose, "HOME"), (ZeroPose, "EMPTY_AXIS"), (ReadyPose, "ARMATURE_DATA")),
    ((RandomPose, "FILE_REFRESH"), (MirrorPose, "MOD_MIRROR"), (KeyAll, "KEYINGSET")),
    ((NearestValid, "CHECKMARK"), (RangeTestOperator, "ARROW_LEFTRIGHT")),
)
_NEAR, _AT = 0.05, 1e-4
State = Literal["free", "near", "at"]
_LIGHTS = {"free": "BONE_DATA", "near": "COLORSET_09_VEC", "at": "COLORSET_01_VEC"}
"""Icons of the button of a bone, by how near its joint is to a limit: sliders are never amber."""
_KEY_ICONS = {"none": "DECORATE", "animated": "DECORATE_ANIMATE", "keyed": "DECORATE_KEYFRAME"}


class JointsPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_joints"
    bl_label = "Joints"
    bl_order = 10

    def draw(self, context: Any) -> None:
        robot = active_robot(context)
        table = recall_table(robot)
        if not table.joints:
            draw_wrapped(self.layout, context, "Nothing moves: all joints are fixed")
            return
        _draw_buttons(self.layout)
        draw_switches(self.layout, context)
        draw_limits_switch(self.layout, context, robot)
        manager = context.window_manager
        self.layout.prop(manager, "urdf_joint_filter", text="", icon="VIEWZOOM")
        armatures = armatures_by_name(robot)
        curves = {name: find_curves(armature) for name, armature in armatures.items()}
        lit = _find_lit(context, robot)
        moves = any(each is not None for each in curves.values())
        fast = frozenset(each.joint for each in find_now(context, robot)) if moves else frozenset()
        view = _View(table=table, armatures=armatures, curves=curves, lit=lit, fast=fast)
        if lit and len(table.joints) > len(lit):  # Its own row may be folded away or far down.
            box = self.layout.box()
            row = box.row(align=True)
            if PoseBody.poll(context):
                row.operator(PoseBody.bl_idname, icon="POSE_HLT")
            test = row.operator(RangeTestOperator.bl_idname, icon="ARROW_LEFTRIGHT")
            test.joint = lit[0]
            view.draw_rows(box, (table.joints[name] for name in lit))
        words = manager.urdf_joint_filter.lower().split()
        if words:
            view.draw_found(self.layout, context, words)
        else:
            view.draw_chains(self.layout, context)


def _find_lit(context: Any, robot: Any) -> tuple[str, ...]:
    bone = context.active_pose_bone if context.mode == "POSE" else None
    names = find_active_joints(context.view_layer.objects.active, bone)
    return tuple(name for name in names if name in recall_table(robot).joints)


def _draw_buttons(layout: Any) -> None:
    column = layout.column(align=True)
    for kinds in _BUTTONS:
        row = column.row(align=True)
        for kind, icon in kinds:
            row.operator(kind.bl_idname, text=kind.bl_label.removesuffix(" Pose"), icon=icon)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What the rows of one drawing share; of the robot's armatures by their names. `lit` are the
    joints that the active body or bone leads to, `fast` those whose curves are beyond a limit in
    the frame that is shown."""

    table: RobotTable
    armatures: Mapping[str, Any]
    curves: Mapping[str, Any]
    lit: tuple[str, ...]
    fast: frozenset[str]

    def draw_found(self, layout: Any, context: Any, words: Iterable[str]) -> None:
        found = [
            joint
            for name, joint in self.table.joints.items()
            if all(word in name.lower() for word in words)
        ]
        self.draw_rows(layout, found[:MOST_FOUND])
        if not found:
            draw_wrapped(layout, context, "No joint has all these words in its name")
        elif len(found) > MOST_FOUND:
            rest = len(found) - MOST_FOUND
            draw_wrapped(layout, context, f"{rest} more: type more of the name")

    def draw_chains(self, layout: Any, context: Any) -> None:
        chains, joints = self.table.chains, self.table.joints
        if len(chains) == 1:
            self.draw_rows(layout, joints.values())
            return
        for number, chain in enumerate(chains[:MOST_CHAINS]):
            header, body = layout.panel(
                f"urdf_{self.table.name}_{number}", default_closed=len(joints) > MOST_OPEN
            )
            header.label(text=f"{chain.title}  ({len(chain.joints)})")
            if body is not None:
                self.draw_rows(body, (joints[name] for name in chain.joints))
        if len(chains) > MOST_CHAINS:
            rest = len(chains) - MOST_CHAINS
            draw_wrapped(layout, context, f"{rest} more groups: search for a joint's name")

    def draw_rows(self, layout: Any, joints: Iterable[RigJoint]) -> None:
        column = layout.column(align=True)
        for joint in joints:
            armature = self.armatures.get(joint.armature)
            pose_bone = armature.pose.bones.get(joint.bone) if armature is not None else None
            if pose_bone is None:  # The bone was renamed: the next drawing knows its name.
                forget()
                return
            self._draw_joint(column, joint, pose_bone)

    def _draw_joint(self, column: Any, joint: RigJoint, pose_bone: Any) -> None:
        if len(joint.channels) > 1:
            self._draw_title(column, joint, pose_bone)
        for channel in joint.channels:
            row = column.row(align=True)
            short = counts_millimetres(channel, bpy.context.scene)
            slider = find_slider(channel, millimetres=short)
            if slider is None:
                row.label(text=joint.name)
                continue
            cell = row.row(align=True)
            cell.enabled = not joint.mimics
            beyond = not joint.mimics and not channel.is_valid(channel.get(pose_bone))
            cell.alert = beyond or joint.name in self.fast
            text = (channel.label or joint.name) + (" (mm)" if short else "")
            cell.prop(pose_bone, slider, text=text, slider=True)
            if len(joint.channels) == 1:
                self._draw_tail(row, joint, pose_bone)

    def _draw_title(self, column: Any, joint: RigJoint, pose_bone: Any) -> None:
        row = column.row(align=True)
        row.label(text=joint.name)
        self._draw_tail(row, joint, pose_bone)

    def _draw_tail(self, row: Any, joint: RigJoint, pose_bone: Any) -> None:
        """Draws the icons after the slider: select the bone; set a keyframe, or show what is
        followed."""
        lit = joint.name in self.lit
        icon = _LIGHTS[find_state(joint, pose_bone)]
        chosen = row.operator(SelectJoint.bl_idname, text="", icon=icon, emboss=lit, depress=lit)
        chosen.joint = joint.name
        if joint.mimics:
            row.label(text="", icon="LINKED")
            return
        state = key_state_of(pose_bone, joint.channels, self.curves[joint.armature])
        key = row.operator(KeyJoint.bl_idname, text="", icon=_KEY_ICONS[state], emboss=False)
        key.joint = joint.name


def find_state(joint: RigJoint, pose_bone: Any) -> State:
    """Returns how a joint stands to its limits: "near" within a twentieth of its range, "at" when
    it is on one or beyond; as the gizmo's needle shows it."""
    lower, upper = joint.limits
    if joint.mimics or len(joint.channels) > 1 or lower is None or upper is None or lower >= upper:
        return "free"
    position = joint.channels[0].get(pose_bone)
    share = min(position - lower, upper - position) / (upper - lower)
    return "free" if share > _NEAR else "near" if share > _AT else "at"


def register_filter() -> None:
    """Adds what the panel's search field holds; it is not kept in files."""
    bpy.types.WindowManager.urdf_joint_filter = bpy.props.StringProperty(
        name="Search Joints",
        description="Show only joints that have these words in their names",
        options={"SKIP_SAVE", "TEXTEDIT_UPDATE"},
    )


def unregister_filter() -> None:
    """Takes it out again."""
    del bpy.types.WindowManager.urdf_joint_filter


CLASSES = (JointsPanel,)
