# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of drags, of bodies and of tips: they follow the mouse while its button is held,
Esc takes them back, and keyframes and an undo step come at the end, as with a joint's slider."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

import bpy

from ..first_steps import note_dragged
from ..registration import at_end
from ..session import session_state
from .bodies import Sight, look_through


class Dragged(Protocol):
    """The drag in progress: drawn by the gizmo, moved by the operator."""

    mouse: tuple[float, float]

    @property
    def name(self) -> str:
        """The name of the dragged part in the undo step and the status bar."""

    def keep(self) -> bool:
        """Ends it. Returns whether anything moved."""

    def take_back(self) -> None:
        """Puts the numbers there that were there before."""


@dataclass(slots=True)
class _Hand:
    """The drag in progress: one at most, since there is one mouse."""

    dragged: Any = None


class DraggedGizmos:
    """Base of groups of one gizmo, of the class `gizmo`, that is drawn in 3D views and calls
    `operator` when it is dragged; with or without Shift and Ctrl, which the drag itself reads."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}
    keymap = ""
    gizmo = ""
    operator = ""

    @classmethod
    def setup_keymap(cls, keyconfig: Any) -> Any:
        keymap = keyconfig.keymaps.new(cls.keymap, space_type="VIEW_3D", region_type="WINDOW")
        for shift in (False, True):
            for ctrl in (False, True):
                keymap.keymap_items.new(
                    "gizmogroup.gizmo_tweak", "LEFTMOUSE", "CLICK_DRAG", shift=shift, ctrl=ctrl
                )
        at_end(partial(_remove_keymap, cls.keymap))
        return keymap

    def setup(self: Any, context: Any) -> None:
        gizmo = self.gizmos.new(self.gizmo)
        gizmo.use_draw_modal = True
        gizmo.use_tooltip = False
        gizmo.target_set_operator(self.operator)


def _remove_keymap(name: str) -> None:
    keymaps = bpy.context.window_manager.keyconfigs.default.keymaps
    if name in keymaps:
        keymaps.remove(keymaps[name])


def find_dragged() -> Any:
    """Finds the drag in progress; None without one."""
    return session_state(_Hand).dragged


class DragOperator:
    """An operator that is called with the button held."""

    bl_options = {"INTERNAL"}

    moved_by: ClassVar[tuple[str, ...]] = ("MOUSEMOVE",)

    def follow(self, context: Any, sight: Sight, event: Any) -> None:
        """Brings the held part to the mouse."""
        raise NotImplementedError

    def press(self, context: Any, event: Any) -> None:
        """Handles a key that only this drag knows."""

    def begin(self, context: Any, event: Any, dragged: Dragged, status: str) -> set[str]:
        """Takes hold; returns the result for invoke."""
        session_state(_Hand).dragged = dragged
        self._move(context, event)
        context.workspace.status_text_set(f"{dragged.name}    {status}")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        self.press(context, event)
        if not _is_end(event):
            if event.type in self.moved_by or "SHIFT" in event.type or "CTRL" in event.type:
                self._move(context, event)
            return {"RUNNING_MODAL"}
        dragged = self._end(context)
        if not dragged.keep():
            return {"CANCELLED"}
        note_dragged()
        # By hand, not by the option UNDO: that names the step after the operator.
        bpy.ops.ed.undo_push(message=dragged.name)
        return {"FINISHED"}

    def cancel(self, context: Any) -> None:
        """Takes it back; Blender calls this when it must end the operator."""
        self._end(context).take_back()

    def _move(self, context: Any, event: Any) -> None:
        mouse = (event.mouse_region_x, event.mouse_region_y)
        find_dragged().mouse = mouse
        self.follow(context, look_through(context.region, context.region_data, mouse), event)
        context.region.tag_redraw()

    def _end(self, context: Any) -> Dragged:
        context.workspace.status_text_set(None)
        context.area.tag_redraw()
        dragged: Dragged = find_dragged()
        session_state(_Hand).dragged = None
        return dragged


def pressed_at(region: Any, event: Any) -> tuple[float, float]:
    """Returns where in the region the mouse was pressed; it has gone some pixels since."""
    if event.value in ("CLICK_DRAG", "CLICK"):
        return event.mouse_prev_press_x - region.x, event.mouse_prev_press_y - region.y
    return event.mouse_region_x, event.mouse_region_y


def _is_end(event: Any) -> bool:
    """Whether the button was let go, or Return says the same."""
    return (event.type == "LEFTMOUSE" and event.value == "RELEASE") or (
        event.type in ("RET", "NUMPAD_ENTER") and event.value == "PRESS"
    )
