# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Collision Shapes": shapes are fitted, shown and counted by link."""

from dataclasses import dataclass
from typing import Any

import bpy

from ...urdf_importer.blender.memory import recall
from ...urdf_importer.blender.standing import properties
from ...urdf_importer.blender.standing.armatures import objects_of
from ...urdf_importer.blender.standing.links import links_of, name_link
from ...urdf_importer.command.summary import count
from ..active_robot import active_robot
from ..session import recall_state
from ..sidebar.panel import DataSubPanel
from ..sidebar.select_operators import SelectLink
from ..wrapped_text import draw_rest
from .fit import LEAST_MISS, FitCollisions, Fits, Marks, draw_settings, mark_shapes

_MOST_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A link and the marks of its collision shapes."""

    link: str
    shapes: Marks


class CollisionShapesPanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_collision_shapes"
    bl_label = "Collision Shapes"
    bl_order = 35

    def draw(self, context: Any) -> None:
        layout, robot = self.layout, active_robot(context)
        chosen = context.window_manager.operator_properties_last(FitCollisions.bl_idname)
        draw_settings(layout.column(), chosen)
        row = layout.row(align=True)
        row.operator(FitCollisions.bl_idname, text="Fit All", icon="MESH_ICOSPHERE")
        row.operator(FitCollisions.bl_idname, text="Fit Selected").selected = True
        layout.prop(context.window_manager, "urdf_show_shapes", icon="OVERLAY", toggle=True)
        _draw_rows(layout, robot)


def _draw_rows(layout: Any, robot: Any) -> None:
    rows = recall(robot, "collision shapes", _read_rows, shaped=True)
    fits = recall_state(Fits).found.get(robot.session_uid, {})
    total = sum(len(row.shapes) for row in rows)
    layout.label(text=f"{count(total, 'shape')} on {count(len(rows), 'link')}")
    fitted = {
        row.link: fits[row.link][1]
        for row in rows
        if row.link in fits and fits[row.link][0] == row.shapes
    }
    column = layout.column(align=True)
    if fitted:
        _draw_line(column, "", ("Shapes", "of Hull", "Outside"))
    for row in rows[:_MOST_ROWS]:
        link = fitted.get(row.link)
        facts = (
            ("", "") if link is None else (f"{link.volume_ratio:.2f}", _describe_miss(link.miss))
        )
        _draw_line(column, row.link, (str(len(row.shapes)), *(facts if fitted else ())))
    draw_rest(column, rows, _MOST_ROWS)


def _draw_line(column: Any, link: str, facts: tuple[str, ...]) -> None:
    """Draws a link and facts of its shapes: the fewer, the more room has the name."""
    line = column.split(factor=0.8 if len(facts) == 1 else 0.4, align=True)
    name = line.row(align=True)
    name.alignment = "LEFT"
    if link:
        select = name.operator(SelectLink.bl_idname, text=link, emboss=False)
        select.link, select.what = link, "LINK"
    else:
        name.label(text="Link")
    rest = line.row(align=True)
    for fact in facts:
        rest.label(text=fact)


def _describe_miss(miss: float) -> str:
    return "0" if miss < LEAST_MISS else f"{1e3 * miss:.2g} mm"


def _read_rows(robot: Any) -> list[_Row]:
    found: dict[str, list[Any]] = {name_link(empty) or "": [] for empty in links_of(robot)}
    for item in objects_of(robot):
        link = item.parent and name_link(item.parent)
        if link in found and item.get(properties.PART) == properties.COLLISIONS:
            found[link].append(item)
    return [_Row(link=link, shapes=mark_shapes(items)) for link, items in found.items() if items]
