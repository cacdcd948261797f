# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Links": all links, to be searched and selected, with their masses."""

from dataclasses import dataclass, field
from typing import Any

import bpy

from ...urdf_importer import KinematicsError
from ...urdf_importer.core.blender.standing.display import find_parts
from ...urdf_importer.core.blender.standing.links import LinkRow, describe_link, name_link
from ...urdf_importer.core.blender.standing.robot_table import find_robot, recall_table
from ...urdf_importer.core.command.summary import count
from .. import props
from ..active_robot import active_object, active_robot, redraw_views
from ..registration import add_property
from ..session import session_state
from ..wrapped_text import draw_facts, draw_wrapped
from .panel import DataSubPanel, RowList
from .select_operators import WAYS, WHAT, SelectJoint

_INDENT = 0.5
"""Heights of a button, for each link above."""
_MOST_DEPTH = 8


@dataclass(slots=True)
class _Clicked:
    """Collection of links -> place of the link that was clicked last."""

    places: dict[int, int] = field(default_factory=dict)


class LinkList(RowList, bpy.types.UIList):
    bl_idname = "VIEW3D_UL_urdf_links"

    def draw_row(self, context: Any, layout: Any, item: Any, index: int) -> None:
        name = name_link(item)
        if name is None:
            layout.label(text=item.name, icon="QUESTION", translate=False)
            return
        row = layout.split(factor=0.7)
        place = row.row(align=True)
        depth = _find_depth(item, name)
        if depth and not self.filter_name:
            # A separator would make the row higher too.
            indent = place.row()
            indent.ui_units_x = _INDENT * depth
            indent.label(text="")
        place.label(text=name, icon="EMPTY_AXIS", translate=False)
        mass = describe_link(item).mass
        row.label(text="" if mass is None else _name_mass(mass))

    def name_rows(self, context: Any, data: Any) -> list[str | None]:
        """Returns the links' own names, which Blender may have cut or numbered."""
        return [name_link(item) or item.name for item in data.objects]

    def filter_items(self: Any, context: Any, data: Any, name: str) -> tuple[list[int], list[int]]:
        if not self.filter_name:
            return [], []  # Nothing is read while nothing is looked for.
        return super().filter_items(context, data, name)


def _name_mass(mass: float) -> str:
    """Names a mass in few letters: small ones in grams, which have no zeros at their beginning."""
    return f"{mass:.3g} kg" if mass >= 0.1 else f"{1e3 * mass:.3g} g"


def _find_depth(item: Any, name: str) -> int:
    """Finds how many links are above a link, as far as a narrow panel can show it."""
    robot = find_robot(item)
    depth = recall_table(robot).depths.get(name, 0) if robot is not None else 0
    return min(depth, _MOST_DEPTH)


class LinksPanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_links"
    bl_label = "Links"
    bl_order = 30

    def draw(self, context: Any) -> None:
        layout = self.layout
        for collection in find_parts(active_robot(context)).get("Links", ()):
            layout.row(align=True).prop(context.window_manager, "urdf_select_what", expand=True)
            layout.template_list(
                LinkList.bl_idname, collection.name, collection, "objects",
                collection, "urdf_shown_link", rows=5,
            )  # fmt: skip
            place = collection.urdf_shown_link
            if 0 <= place < len(collection.objects):
                item = collection.objects[place]
                if name_link(item) is not None:
                    _draw_link(layout.box(), context, describe_link(item))


def _draw_link(box: Any, context: Any, link: LinkRow) -> None:
    draw_wrapped(box, context, link.name, icon="EMPTY_AXIS")
    column = box.column(align=True)
    mass = "not given" if link.mass is None else f"{link.mass:.6g} kg"
    centre = ", ".join(f"{part:.3g}" for part in link.center_of_mass)
    shapes = f"{count(link.visuals, 'visual')}, {count(link.collisions, 'collision')}"
    facts = [("Mass", mass), ("Centre", f"{centre} m"), ("", shapes)]
    draw_facts(column, [each for each in facts if each[1] != " m"], 0.3)
    if link.joint:
        row = column.row(align=True)
        text = f"{link.joint} ({link.joint_type})"
        row.operator(SelectJoint.bl_idname, text=text, icon="BONE_DATA").joint = link.joint


def _get_shown(collection: Any) -> int:
    """Returns the link of the active object; for the armature, the link clicked last."""
    item = active_object(bpy.context)
    while item is not None and name_link(item) is None:
        item = item.parent
    place = collection.objects.find(item.name) if item is not None else -1
    clicked = session_state(_Clicked).places
    return int(place) if place >= 0 else clicked.get(collection.session_uid, -1)


def _set_shown(collection: Any, place: int) -> None:
    """Selects the clicked link. An unselectable link (its collection is excluded) is still
    described."""
    session_state(_Clicked).places[collection.session_uid] = place
    item = collection.objects[place] if 0 <= place < len(collection.objects) else None
    name, robot = (name_link(item), find_robot(item)) if item is not None else (None, None)
    if name is None or robot is None:
        return
    try:
        WAYS[bpy.context.window_manager.urdf_select_what](robot, name)
    except KinematicsError:
        return
    finally:
        redraw_views()


def register() -> None:
    """Adds the place in the list and the target of a click; neither is kept in files."""
    shown = props.integer(
        "Link", "Click a link to select it and to see its mass",
        get=_get_shown, set=_set_shown, options=set(),
    )  # fmt: skip
    add_property(bpy.types.Collection, "urdf_shown_link", shown)
    what = props.choice("Select", "The target of a click on a link", items=WHAT, kept=False)
    add_property(bpy.types.WindowManager, "urdf_select_what", what)
