# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Look": the visible parts of the robot; features add their rows.

It draws the rig's own switches (the eyes of its collections, its armature's settings), so it always
shows their real state, however they came to it.
"""

from typing import Any

import bpy

from ...urdf_importer.core.blender.standing.armatures import armatures_of
from ...urdf_importer.core.blender.standing.display import (
    enforces_limits,
    find_layers,
    find_parts,
    find_switch,
    has_limits,
)
from .. import props
from ..active_robot import active_robot
from ..registration import add_property
from .panel import RobotSubPanel
from .pose_operators import EnforceLimits

_PARTS = (
    ("Visuals", "Visuals", "none were imported"),
    ("Collisions", "Collisions", "none were imported"),
    ("Inertials", "Inertials", "none were imported"),
    ("Links", "Link Frames", "there are none"),
    ("Limits", "Limit Arcs", ""),
)
_BONE_COLLECTIONS = (("Fixed", "Fixed Bones"), ("Mechanism", "Mechanism Bones"))


class LookPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_look"
    bl_label = "Look"
    bl_order = 21

    def draw(self, context: Any) -> None:
        robot = active_robot(context)
        column = self.layout.column(align=True)
        _draw_parts(column, context, robot)
        column.separator()
        armatures = armatures_of(robot)
        for armature in armatures:
            if len(armatures) > 1:
                column.label(text=armature.name, icon="ARMATURE_DATA", translate=False)
            _draw_armature(column, armature)


def draw_limits_switch(layout: Any, robot: Any) -> None:
    """Draws whether limits hold; grey where none were imported."""
    holds = has_limits(robot) and enforces_limits(robot)
    row = layout.row(align=True)
    row.enabled = has_limits(robot)
    row.operator(
        EnforceLimits.bl_idname, text="", icon="CON_ROTLIMIT", depress=holds
    ).on = not holds


def _draw_parts(column: Any, context: Any, robot: Any) -> None:
    parts = find_parts(robot)
    for part, label, missing in _PARTS:
        layers = find_layers(context.view_layer, parts.get(part, []))
        for layer in layers:
            text = label if len(layers) == 1 else f"{label}: {layer.name}"
            switch = find_switch(layer, part)
            if switch == layer:
                column.prop(switch, "hide_viewport", text=text, toggle=False, invert_checkbox=True)
            else:
                column.prop(switch, "urdf_shown", text=text, toggle=False)
        if not layers and missing:
            row = column.row()
            row.enabled = False
            row.label(text=f"{label}: {'excluded' if part in parts else missing}")


def _draw_armature(column: Any, armature: Any) -> None:
    column.prop(armature.data, "show_axes", text="Bone Axes", toggle=False)
    column.prop(armature, "show_in_front", text="Bones in Front", toggle=False)
    for name, label in _BONE_COLLECTIONS:
        collection = armature.data.collections_all.get(name)
        if collection is not None:
            column.prop(collection, "is_visible", text=label, toggle=False)


def _get_shown(collection: Any) -> bool:
    return not collection.hide_viewport


def _set_shown(collection: Any, shown: bool) -> None:
    collection.hide_viewport = not shown


def register() -> None:
    """Adds the switch of parts that imports hide: Blender's own says that it hides them."""
    shown = props.switch(
        "Show", "Show these parts of the robot in all 3D views; renders never show them",
        get=_get_shown, set=_set_shown, options=set(),
    )  # fmt: skip
    add_property(bpy.types.Collection, "urdf_shown", shown)
