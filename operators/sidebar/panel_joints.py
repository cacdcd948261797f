# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Joints": a slider for each joint, by chains that fold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...urdf_importer.core.blender.memory import forget
from ...urdf_importer.core.blender.standing.armatures import armatures_by_name
from ...urdf_importer.core.blender.standing.handles import find_active_joints
from ...urdf_importer.core.blender.standing.joints import RigJoint
from ...urdf_importer.core.blender.standing.keys import find_curves, key_state_of
from ...urdf_importer.core.blender.standing.robot_table import RobotTable, recall_table
from .. import props
from ..active_robot import active_object, active_robot
from ..first_steps import draw_first_steps
from ..gizmos.switch import draw_switches
from ..registration import add_property, call_hooks
from ..wrapped_text import draw_wrapped
from .panel import RobotSubPanel
from .panel_display import draw_limits_switch
from .panel_limbs import draw_limbs
from .pose_operators import KeyJoint, ZeroPose
from .robot_menu import POSE_MENU, HomePose, MirrorPose, ReadyPose, find_pie_key
from .select_operators import SelectJoint
from .sliders import counts_millimetres, find_slider

MOST_OPEN = 24
"""A robot of more moving joints starts with its chains folded."""
MOST_FOUND = 40
"""Most joints that a search shows."""
MOST_CHAINS = 150
_POSES = (HomePose, ZeroPose, ReadyPose, MirrorPose)
"""Poses with a button; all others are in the menu beside them."""
_AT = 1e-4
"""Share of its range within which a joint is at its limit."""
_KEY_ICONS = {"none": "DECORATE", "animated": "DECORATE_ANIMATE", "keyed": "DECORATE_KEYFRAME"}


class JointsPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_joints"
    bl_label = "Joints"
    bl_options: set[str] = set()
    bl_order = 10

    def draw_header_preset(self, context: Any) -> None:
        """Shows the switches as icons: rows of their own would push the sliders down."""
        row = self.layout.row(align=True)
        draw_switches(row, context, icons=True)
        draw_limits_switch(row, active_robot(context))

    def draw(self, context: Any) -> None:
        robot = active_robot(context)
        table = recall_table(robot)
        if not table.joints:
            draw_wrapped(self.layout, context, "Nothing moves: all joints are fixed")
            return
        manager = context.window_manager
        column = self.layout.column(align=True)
        _draw_buttons(column)
        row = column.row(align=True)
        row.prop(manager, "urdf_joint_filter", text="", icon="VIEWZOOM")
        draw_limbs(row, self.layout, robot, table)
        armatures = armatures_by_name(robot)
        curves = {name: find_curves(armature) for name, armature in armatures.items()}
        lit = _find_lit(context, robot)
        moves = any(each is not None for each in curves.values())
        fast = frozenset[str]().union(
            *call_hooks("find_fast_joints", context, robot) if moves else ()
        )
        view = _View(table=table, armatures=armatures, curves=curves, lit=lit, fast=fast)
        words = manager.urdf_joint_filter.lower().split()
        if words:
            view.draw_found(self.layout, context, words)
        else:
            view.draw_chains(self.layout, context)
        if context.mode == "POSE":
            _draw_keys(self.layout, [table.joints[name] for name in lit])
        draw_first_steps(self.layout, context, find_pie_key(context))


def _draw_keys(layout: Any, joints: Iterable[RigJoint]) -> None:
    """Draws the keys that move the active bone's joints; the row stays where there is no joint."""
    ways = [
        f"{'R' if channel.turns else 'G'} {'XYZ'[channel.index]} {'XYZ'[channel.index]}"
        for joint in joints
        for channel in joint.channels
        if not joint.mimics
    ]
    text = f"Keys: {', '.join(ways)}" if ways else "Keys of a bone: R X X, not R"
    layout.label(text=text, icon="INFO")


def _find_lit(context: Any, robot: Any) -> tuple[str, ...]:
    bone = context.active_pose_bone if context.mode == "POSE" else None
    names = find_active_joints(active_object(context), bone)
    return tuple(name for name in names if name in recall_table(robot).joints)


def _draw_buttons(layout: Any) -> None:
    row = layout.row(align=True)
    for kind in _POSES:
        row.operator(kind.bl_idname, text=kind.bl_label.removesuffix(" Pose"))
    row.menu(POSE_MENU, text="", icon="DOWNARROW_HLT")


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """Shared data of the rows of one drawing; of the robot's armatures by their names. `lit` are
    the joints that the active body or bone leads to, `fast` the joints whose curves are beyond a
    limit in the displayed frame."""

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
            lit = next((name for name in self.lit if name in chain.joints), None)
            if body is not None:
                header.label(text=f"{chain.title}  ({len(chain.joints)})")
                self.draw_rows(body, (joints[name] for name in chain.joints))
            elif lit and len(joints[lit].channels) == 1:
                # In the place of the title, so that nothing moves when a body is clicked.
                self.draw_rows(header, [joints[lit]])
            else:
                header.label(text=f"{chain.title}  ({len(chain.joints)})")
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
                row.label(text=joint.name, translate=False)
                continue
            cell = row.row(align=True)
            cell.enabled = not joint.mimics
            beyond = not joint.mimics and not channel.is_valid(channel.get(pose_bone))
            cell.alert = beyond or joint.name in self.fast
            text = (channel.label or joint.name) + (" (mm)" if short else "")
            cell.prop(pose_bone, slider, text=text, slider=True, translate=False)
            if len(joint.channels) == 1:
                self._draw_tail(row, joint, pose_bone)

    def _draw_title(self, column: Any, joint: RigJoint, pose_bone: Any) -> None:
        row = column.row(align=True)
        row.label(text=joint.name, translate=False)
        self._draw_tail(row, joint, pose_bone)

    def _draw_tail(self, row: Any, joint: RigJoint, pose_bone: Any) -> None:
        """Draws the icons after the slider: select the bone; set a keyframe, or show the leader.
        The button of a bone is an arrow while its joint is at a limit."""
        lit = joint.name in self.lit
        icon = find_icon(joint, pose_bone)
        chosen = row.operator(SelectJoint.bl_idname, text="", icon=icon, emboss=lit, depress=lit)
        chosen.joint = joint.name
        if joint.mimics:
            row.label(text="", icon="LINKED")
            return
        state = key_state_of(pose_bone, joint.channels, self.curves[joint.armature])
        key = row.operator(KeyJoint.bl_idname, text="", icon=_KEY_ICONS[state], emboss=False)
        key.joint = joint.name


def find_icon(joint: RigJoint, pose_bone: Any) -> str:
    """Finds the icon of a joint's bone: an arrow that is stopped while the joint is at its lower or
    upper limit, since a limit alone is not alarming."""
    lower, upper = joint.limits
    if joint.mimics or len(joint.channels) > 1 or lower is None or upper is None or lower >= upper:
        return "BONE_DATA"
    position, near = joint.channels[0].get(pose_bone), _AT * (upper - lower)
    if position <= lower + near:
        return "TRIA_LEFT_BAR"
    return "TRIA_RIGHT_BAR" if position >= upper - near else "BONE_DATA"


def register() -> None:
    """Adds the text of the panel's search field; it is not kept in files."""
    text = props.text(
        "Search Joints", "Show only joints that have these words in their names",
        options={"SKIP_SAVE", "TEXTEDIT_UPDATE"},
    )  # fmt: skip
    add_property(bpy.types.WindowManager, "urdf_joint_filter", text)
