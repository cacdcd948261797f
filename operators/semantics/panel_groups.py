# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Poses": the content of the robot's SRDF, a row for each group, its states as
buttons."""

from typing import Any

import bpy

from ...urdf_importer.core.blender.extract.robot import extract_name
from ...urdf_importer.core.blender.semantics.groups import find_collections, name_group
from ...urdf_importer.core.blender.semantics.record import has_semantics
from ...urdf_importer.core.blender.standing.poses import poses_of, whole_poses_of
from ..active_robot import active_robot
from ..registration import draw_operator
from ..sidebar.panel import RobotSubPanel
from ..wrapped_text import draw_wrapped
from .group_operators import KeyGroup, NewState, SelectGroup
from .pose_blend import ShowPose, ShowState

MOST_GROUPS, MOST_STATES = 60, 40


class PosesPanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_poses"
    bl_label = "Poses"
    bl_order = 16

    def draw(self, context: Any) -> None:
        robot = active_robot(context)
        states: dict[str, dict[str, int]] = {}
        for group, name, action in poses_of(extract_name(robot)):
            states.setdefault(group, {})[name] = _icon_of(action)
        _draw_whole(self.layout, extract_name(robot))
        seen: set[str] = set()
        for _, collection in find_collections(robot):
            name = name_group(collection)
            if name not in seen and len(seen) < MOST_GROUPS:
                seen.add(name)
                _draw_group(self.layout, collection, name, states.get(name, {}))
        if not seen:
            text = "No groups: import an SRDF, or put bones into a new bone collection"
            draw_wrapped(self.layout, context, text)
        column = self.layout.column(align=True)
        draw_operator(column, "urdf.import_srdf", icon="IMPORT")
        if seen or has_semantics(robot):
            draw_operator(column, "export_scene.srdf", icon="EXPORT")
        draw_operator(column, "urdf.make_poses", icon="RENDER_STILL")
        draw_operator(column, "urdf.find_disabled_collisions", icon="MOD_PHYSICS")


def _icon_of(action: Any) -> int:
    """Returns the icon of a pose's picture; 0 for none."""
    picture = action.preview
    return picture.icon_id if picture is not None and picture.image_size[0] else 0


def _draw_whole(layout: Any, robot: str) -> None:
    """Draws the poses of the whole robot, each as its picture over its name."""
    poses = sorted((name, _icon_of(action)) for name, action in whole_poses_of(robot))
    grid = layout.grid_flow(row_major=True, columns=3, even_columns=True, align=True)
    for name, icon in poses[:MOST_STATES]:
        cell = grid.column(align=True)
        if icon:
            cell.template_icon(icon_value=icon, scale=4.0)
        cell.operator(ShowPose.bl_idname, text=name, translate=False).state = name


def _draw_group(layout: Any, collection: Any, name: str, states: dict[str, int]) -> None:
    box = layout.box().column(align=True)
    row = box.row(align=True)
    row.operator(SelectGroup.bl_idname, text=name, icon="GROUP_BONE", translate=False).group = name
    solo = "SOLO_ON" if collection.is_solo else "SOLO_OFF"
    row.prop(collection, "is_solo", text="", icon=solo)
    row.operator(KeyGroup.bl_idname, text="", icon="KEY_HLT").group = name
    row.operator(NewState.bl_idname, text="", icon="ADD").group = name
    if states:
        grid = box.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
        for state in sorted(states)[:MOST_STATES]:
            cell = grid.column(align=True)
            if states[state]:
                cell.template_icon(icon_value=states[state], scale=4.0)
            button = cell.operator(
                ShowState.bl_idname, text=state, icon="ARMATURE_DATA", translate=False
            )
            button.group, button.state = name, state
