# SPDX-License-Identifier: GPL-3.0-or-later
"""The one switch of the joint gizmo: a property of the preferences, shown in the panel and in the
view's own menu of gizmos."""

from typing import Any

from ..preferences import find_preferences


def is_on(context: Any) -> bool:
    """Whether the joint gizmo is on; it is where the extension runs without preferences."""
    found = find_preferences(context)
    return found is None or bool(found.joint_gizmo)


def draw_switch(layout: Any, context: Any) -> None:
    """Draws the switch; nothing where there are no preferences that could hold it."""
    found = find_preferences(context)
    if found is not None:
        layout.prop(found, "joint_gizmo")


def draw_in_gizmos(menu: Any, context: Any) -> None:
    """Adds the switch to the view's menu of gizmos."""
    menu.layout.separator()
    menu.layout.label(text="Robot")
    draw_switch(menu.layout, context)
