# SPDX-License-Identifier: GPL-3.0-or-later
"""All that makes the sidebar's tab, registered together."""

import bpy

from .. import active_robot
from ..keys import remove_keys
from . import (
    open_line,
    panel,
    panel_data,
    panel_display,
    panel_joints,
    panel_links,
    panel_report,
    panel_reshape,
    pose_operators,
    range_operator,
    reshape_operators,
    robot_menu,
    select_operators,
    sliders,
    studio_operators,
    whole_robot,
)

_CLASSES = (
    *pose_operators.CLASSES,
    *range_operator.CLASSES,
    *select_operators.CLASSES,
    *open_line.CLASSES,
    *reshape_operators.CLASSES,
    *whole_robot.CLASSES,
    *studio_operators.CLASSES,
    *panel.CLASSES,
    *panel_data.CLASSES,
    *panel_joints.CLASSES,
    *panel_display.CLASSES,
    *panel_links.CLASSES,
    *panel_report.CLASSES,
    *robot_menu.CLASSES,
    *panel_reshape.CLASSES,
)


def register() -> None:
    """Adds the tab and its operators."""
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    panel_joints.register_filter()
    panel_display.register_shown()
    panel_links.register_list()
    panel_report.register_page()
    whole_robot.register_menus()
    active_robot.register_watch()
    robot_menu.register_menus()


def unregister() -> None:
    """Takes them out again."""
    remove_keys()
    robot_menu.unregister_menus()
    active_robot.unregister_watch()
    whole_robot.unregister_menus()
    sliders.remove_sliders()
    panel_report.unregister_page()
    panel_links.unregister_list()
    panel_display.unregister_shown()
    panel_joints.unregister_filter()
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)
