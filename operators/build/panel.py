# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Build": the steps, the joint of the active link, and missing parts."""

from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.memory import recall
from ...urdf_importer.core.blender.standing import properties
from ...urdf_importer.core.blender.standing.joints import read_link_joint
from ...urdf_importer.core.blender.standing.links import links_of, name_link
from ...urdf_importer.features.build.blender.missing import recall_missing
from ..active_robot import active_robot
from ..sidebar.panel import DataSubPanel
from ..wrapped_text import draw_rest, draw_wrapped
from .joints import EditJoint, LimitHere
from .links import MakeLink, MirrorLimb, NewRobot, RemoveLink, SplitObject, find_active_link
from .masses import ComputeInertia, FindLimits
from .parts import AddControl, MakeDevice, MakeSensor

_MOST_MISSING = 8


class BuildPanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_build"
    bl_label = "Build"
    bl_order = 25

    def draw(self, context: Any) -> None:
        layout, robot = self.layout, active_robot(context)
        column = layout.column(align=True)
        for buttons in _BUTTONS:
            row = column.row(align=True)
            for operator, icon in buttons:
                row.operator(operator.bl_idname, icon=icon)
        _draw_joint(layout, context, robot)
        row = layout.row(align=True)
        row.operator_menu_enum(MakeSensor.bl_idname, "kind", text="Sensor")
        row.operator(AddControl.bl_idname, text="Control")
        row.operator_menu_enum(MakeDevice.bl_idname, "node", text="Device")
        _draw_missing(layout, context, robot)


_BUTTONS: tuple[tuple[tuple[Any, str], ...], ...] = (
    ((NewRobot, "ARMATURE_DATA"),),
    ((MakeLink, "LINKED"), (RemoveLink, "UNLINKED")),
    ((MirrorLimb, "MOD_MIRROR"), (SplitObject, "MOD_EXPLODE")),
    ((EditJoint, "CON_ROTLIKE"), (FindLimits, "DRIVER_ROTATIONAL_DIFFERENCE")),
    ((ComputeInertia, "PHYSICS"),),
)
"""Rows of buttons. Long labels have rows of their own, or a narrow sidebar cuts them."""


def _draw_joint(layout: Any, context: Any, robot: Any) -> None:
    """Draws the joint of the active link; nothing for the root."""
    rows: dict[str, tuple[str, str, str]] = recall(robot, "joints above links", _read_joints)
    row_of_link = rows.get(find_active_link(context, robot))
    if row_of_link is None:
        return
    name, kind, source = row_of_link
    box = layout.box()
    box.label(text=name, translate=False)
    row = box.row(align=True)
    row.operator_menu_enum(EditJoint.bl_idname, "joint_type", text=kind.title())
    row.operator_menu_enum(EditJoint.bl_idname, "source", text="Axis from")
    if source:
        draw_wrapped(box, context, f"Axis: {source}")
    if kind in ("revolute", "prismatic"):
        row = box.row(align=True)
        for side in ("lower", "upper"):
            button = row.operator(LimitHere.bl_idname, text=f"{side.capitalize()} Here")
            button.side = side


def _read_joints(robot: Any) -> dict[str, tuple[str, str, str]]:
    """Returns link -> the name and the type of the joint above it, and the source of its axis."""
    found = {}
    for empty in links_of(robot):
        joint = read_link_joint(empty)
        if joint is not None:
            found[name_link(empty) or ""] = (
                joint.name,
                joint.type,
                empty.get(properties.AXIS_FROM, ""),
            )
    return found


def _draw_missing(layout: Any, context: Any, robot: Any) -> None:
    try:
        missing = recall_missing(robot)
    except RobotError as error:
        draw_wrapped(layout, context, str(error), icon="ERROR")
        return
    if not missing:
        layout.label(text="Nothing is missing", icon="CHECKMARK")
        return
    box = layout.box()
    box.label(text=f"Missing ({len(missing)}):")
    lines = [each.message for each in missing]
    for line in lines[:_MOST_MISSING]:
        draw_wrapped(box, context, line, icon="DOT")
    draw_rest(box, lines, _MOST_MISSING, "BLANK1")
