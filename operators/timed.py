# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that show a robot in other poses while time passes, until a key ends them."""

from typing import Any

from .active_robot import RobotOperator, redraw_views

_LOOKS = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE",
    "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION",
}  # fmt: skip
"""Events that only change the view. All others wait: saving, undoing or keying would take a pose
that is shown in passing for one of the robot."""


class TimedOperator(RobotOperator):
    """Base of these operators, which have `execute` and `modal`."""

    @classmethod
    def poll(cls: Any, context: Any) -> bool:
        screen = context.screen
        if screen is not None and screen.is_animation_playing:
            cls.poll_message_set("Stop the animation first")
            return False
        return super().poll(context)

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        result: set[str] = self.execute(context)
        return result

    def begin_timer(self: Any, context: Any, step: float) -> set[str]:
        """Has Blender call `modal` every `step` seconds; returns the operator's result."""
        manager = context.window_manager
        self._timer = manager.event_timer_add(step, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def end_timer(self: Any, context: Any) -> None:
        """Ends that, and clears the status bar."""
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        redraw_views()


def wait(event: Any) -> set[str]:
    """Returns an operator's result for another event of the viewport: an event that changes the
    view alone passes."""
    passes = event.type in _LOOKS or event.type.startswith("NUMPAD_")
    return {"PASS_THROUGH"} if passes else {"RUNNING_MODAL"}
