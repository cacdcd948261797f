# SPDX-License-Identifier: GPL-3.0-or-later
"""Where gizmos are on: their switches are properties of the preferences, shown in the panel and in
the view's own menu of gizmos."""

from typing import Any

from ..preferences import GIZMO_SWITCHES, find_preferences
from ..registration import add_to_menus

_TOOLS = "builtin.select"
"""Tools that have gizmos of their own, or draw, keep the mouse for themselves."""


def is_on(context: Any, switch: str) -> bool:
    """Whether a gizmo is switched on, and the view has a suitable mode: objects or poses, and a
    tool that selects. It is on where the extension runs without preferences."""
    if switch not in GIZMO_SWITCHES or context.mode not in ("OBJECT", "POSE"):
        return False
    if not _selects(context):
        return False
    found = find_preferences(context)
    return found is None or bool(getattr(found, switch))


def draw_switches(layout: Any, context: Any, *, icons: bool = False) -> None:
    """Draws the switches, or icons for them; nothing where there are no preferences that could hold
    them."""
    found = find_preferences(context)
    for switch, icon in GIZMO_SWITCHES.items() if found is not None else ():
        if icons:
            layout.prop(found, switch, text="", icon=icon)
        else:
            layout.prop(found, switch)


def register() -> None:
    """Adds the switches to the view's menu of gizmos."""
    add_to_menus(draw_in_gizmos, "VIEW3D_PT_gizmo_display")


def draw_in_gizmos(menu: Any, context: Any) -> None:
    """Draws the switches in the view's menu of gizmos."""
    menu.layout.separator()
    menu.layout.label(text="Robot")
    draw_switches(menu.layout, context)


def _selects(context: Any) -> bool:
    tool = context.workspace.tools.from_space_view3d_mode(context.mode)
    return tool is None or tool.idname.startswith(_TOOLS)
