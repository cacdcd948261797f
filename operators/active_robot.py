# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot that a user means: the active object is one, or belongs to one."""

from typing import Any

import bpy

from ..urdf_importer.blender.standing.robot_table import (
    find_robot,
    forget_changed,
    forget_tables,
)

_NOT_NOW = "Leave the mode you are in first: robots are posed in object mode and pose mode"
_NO_ROBOT = "Select a robot first: its armature, or any link or shape of it"
_LINKED = "This robot is linked from another file: make a library override to pose it"


def active_robot(context: Any) -> Any | None:
    """Returns the armature of the active robot; None if the active object belongs to no robot."""
    return find_robot(context.view_layer.objects.active)


def poll_robot(kind: Any, context: Any) -> bool:
    """Tells an operator's poll whether a robot that can be changed is active, and gives the reason
    if not."""
    if context.mode not in ("OBJECT", "POSE"):
        kind.poll_message_set(_NOT_NOW)
        return False
    robot = active_robot(context)
    if robot is None:
        kind.poll_message_set(_NO_ROBOT)
        return False
    if not robot.is_editable:
        kind.poll_message_set(_LINKED)
        return False
    return True


def redraw_views() -> None:
    """Draws all 3D views and their sidebars anew, for changes that Blender does not see."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def register_watch() -> None:
    """Makes panels forget what they remember of robots whenever robots change."""
    for handlers in _moments():
        handlers.append(_forget)
    bpy.app.handlers.depsgraph_update_post.append(_forget_changed)


def unregister_watch() -> None:
    """Undoes register_watch."""
    bpy.app.handlers.depsgraph_update_post.remove(_forget_changed)
    for handlers in _moments():
        handlers.remove(_forget)
    forget_tables()


def _moments() -> tuple[Any, ...]:
    handlers = bpy.app.handlers
    return handlers.load_post, handlers.undo_post, handlers.redo_post


@bpy.app.handlers.persistent
def _forget(*_: Any) -> None:
    forget_tables()


@bpy.app.handlers.persistent
def _forget_changed(scene: Any, depsgraph: Any) -> None:
    forget_changed(depsgraph)
