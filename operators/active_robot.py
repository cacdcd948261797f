# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot that a user means: the one that the active object is, or hangs on."""

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
    """Its armature; None where the active object belongs to no robot."""
    return find_robot(context.view_layer.objects.active)


def poll_robot(kind: Any, context: Any) -> bool:
    """For an operator's poll: a robot that can be changed is active. Says why not."""
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
    """From now on, what panels remember of robots is forgotten when robots change."""
    for handlers in _moments():
        handlers.append(_forget)
    bpy.app.handlers.depsgraph_update_post.append(_forget_changed)


def unregister_watch() -> None:
    """Ends that."""
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
