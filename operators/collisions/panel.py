# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Collision Shapes": shapes are fitted, shown and counted by link."""

from collections.abc import Sequence
from typing import Any

import bpy

from ...urdf_importer.core.blender.memory import recall
from ...urdf_importer.core.blender.standing import properties
from ...urdf_importer.core.blender.standing.armatures import objects_of
from ...urdf_importer.core.blender.standing.display import find_parts
from ...urdf_importer.core.blender.standing.links import links_of, name_link
from ...urdf_importer.core.blender.standing.robot_table import find_robot
from ...urdf_importer.core.command.summary import count
from ..active_robot import active_robot
from ..registration import add_to_menus
from ..session import session_state
from ..sidebar.panel import DataSubPanel, RowList
from ..wrapped_text import draw_rest, draw_wrapped
from .fit import LEAST_MISS, FitCollisions, Fits, Marks, draw_settings, mark_shapes
from .touching import find_touching

_MOST_ROWS = 8
_MOST_PAIRS = 12


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


class ShapeList(RowList, bpy.types.UIList):
    """The links that have collision shapes, and facts of these."""

    bl_idname = "VIEW3D_UL_urdf_collision_shapes"

    def draw_row(self, context: Any, layout: Any, item: Any, index: int) -> None:
        robot, link = find_robot(item), name_link(item) or ""
        shapes = _recall_shapes(robot).get(link, ())
        fitted = _find_fitted(robot)
        facts = [str(len(shapes))]
        if fitted:
            fit = fitted.get(link)
            facts += ["", ""] if fit is None else [f"{fit.volume_ratio:.2f}", _name_miss(fit.miss)]
        _draw_line(layout, link, facts)

    def name_rows(self, context: Any, data: Any) -> list[str | None]:
        shapes = _recall_shapes(active_robot(context))
        names = [name_link(item) for item in data.objects]
        return [name if name in shapes else None for name in names]


def _draw_rows(layout: Any, robot: Any) -> None:
    shapes = _recall_shapes(robot)
    total = sum(map(len, shapes.values()))
    layout.label(text=f"{count(total, 'shape')} on {count(len(shapes), 'link')}")
    column = layout.column(align=True)
    if _find_fitted(robot):
        _draw_line(column, "Link", ("Shapes", "of Hull", "Outside"))
    for collection in find_parts(robot).get("Links", ()):
        column.template_list(
            ShapeList.bl_idname, collection.name, collection, "objects",
            collection, "urdf_shown_link", rows=min(max(len(shapes), 1), _MOST_ROWS),
        )  # fmt: skip


def _draw_line(layout: Any, name: str, facts: Sequence[str]) -> None:
    """Draws a link and facts of its shapes: the fewer, the more room has the name."""
    line = layout.split(factor=0.8 if len(facts) == 1 else 0.4, align=True)
    line.label(text=name, translate=False)
    rest = line.row(align=True)
    for fact in facts:
        rest.label(text=fact)


def _recall_shapes(robot: Any) -> dict[str, Marks]:
    found: dict[str, Marks] = recall(robot, "collision shapes", _read_shapes, shaped=True)
    return found


def _find_fitted(robot: Any) -> dict[str, Any]:
    """Returns link -> the quality of its shapes, as long as they are the fitted ones."""
    fits, shapes = session_state(Fits).found.get(robot.session_uid, {}), _recall_shapes(robot)
    return {link: fit for link, (marks, fit) in fits.items() if shapes.get(link) == marks}


def _name_miss(miss: float) -> str:
    return "0" if miss < LEAST_MISS else f"{1e3 * miss:.2g} mm"


def _read_shapes(robot: Any) -> dict[str, Marks]:
    """Returns link -> the marks of its collision shapes, for links that have some."""
    found: dict[str, list[Any]] = {name_link(empty) or "": [] for empty in links_of(robot)}
    for item in objects_of(robot):
        link = item.parent and name_link(item.parent)
        if link in found and item.get(properties.PART) == properties.COLLISIONS:
            found[link].append(item)
    return {link: mark_shapes(items) for link, items in found.items() if items}


def draw_touching(panel: Any, context: Any) -> None:
    """Draws the switch of touching links, and the pairs while it is on."""
    column, manager = panel.layout.column(align=True), context.window_manager
    column.prop(manager, "urdf_show_touching", toggle=False)
    if not manager.urdf_show_touching:
        return
    found = find_touching(active_robot(context))
    if found.why:
        draw_wrapped(column, context, found.why, icon="ERROR")
    elif found.is_loading:
        column.label(text="Loading shapes", icon="SORTTIME")
    for one, other in found.pairs[:_MOST_PAIRS]:
        draw_wrapped(column, context, f"{one} touches {other}", icon="MOD_PHYSICS")
    draw_rest(column, found.pairs, _MOST_PAIRS)


def register() -> None:
    """Adds the touching links to the panel Look."""
    add_to_menus(draw_touching, "VIEW3D_PT_urdf_look")
