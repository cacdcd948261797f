# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that show a robot in other poses while time passes, until a key ends them."""

from typing import Any

from ..urdf_importer import RobotError
from .active_robot import RobotOperator, active_robot, is_playing, redraw_views
from .reports import refuse

_LOOKS = {
    "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE",
    "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION",
}  # fmt: skip
"""Events that only change the view. All others wait: saving, undoing or keying would take a pose
that is shown in passing for one of the robot."""


class TimedOperator(RobotOperator):
    """Base of these operators, which have `begin` and `modal`: Blender calls that every `step`
    seconds."""

    level = "WARNING"
    step = 0.0

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return "Stop the animation first" if is_playing(context) else super().why_disabled(context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        return self.execute(context)

    def begin(self, context: Any, robot: Any) -> None:
        """Begins. Raises RobotError."""
        raise NotImplementedError

    def execute(self: Any, context: Any) -> set[str]:
        try:
            self.begin(context, active_robot(context))
        except RobotError as error:
            return refuse(self, error, getattr(error, "level", self.level))
        manager = context.window_manager
        self._timer = manager.event_timer_add(self.step, window=context.window)
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
