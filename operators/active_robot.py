# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot that a user means: the active object is one, or belongs to one."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy

from ..urdf_importer import RobotError
from ..urdf_importer.core.blender.memory import unwatch, watch
from ..urdf_importer.core.blender.standing.robot_table import find_robot, list_robots
from .registration import at_end
from .reports import refuse
from .session import session_state

NOT_NOW = "Leave the mode you are in first: robots are posed in object mode and pose mode"
NO_ROBOT = "Select a robot first: its armature, or any link or shape of it"
_LINKED = "This robot is linked from another file: make a library override to pose it"


@dataclass(slots=True)
class _Meant:
    """The robot shown last and the pinned one, by name and session_uid: objects themselves do not
    outlive undo, and names change."""

    last: tuple[str, int] | None = None
    pinned: tuple[str, int] | None = None


def active_object(context: Any) -> Any | None:
    """Returns the active object, or None. Importers of collections ask without a scene in Blender
    5.3, which crashes where one then asks for the view layer."""
    return context.view_layer.objects.active if context.scene is not None else None


def active_robot(context: Any) -> Any | None:
    """Returns the armature of the intended robot: the pinned one, else the active object's. Where
    that belongs to none (a camera, a light, a target), the one that was meant last, or the only one
    of the scene; None where there is none."""
    scene = context.scene
    if scene is None:
        return None
    meant = session_state(_Meant)
    pinned = _find_noted(meant.pinned, scene)
    if pinned is not None:
        return pinned
    found = find_robot(active_object(context))
    if found is not None:
        meant.last = _note(found)
        return found
    found = _find_noted(meant.last, scene)
    if found is None:
        robots = list_robots()
        found = robots[0] if len(robots) == 1 else None
    return found


def pin_robot(robot: Any | None) -> None:
    """Keeps a robot active whatever is selected, for this session; None ends that."""
    session_state(_Meant).pinned = None if robot is None else _note(robot)


def is_pinned(robot: Any) -> bool:
    """Whether this robot is the pinned one."""
    pinned = session_state(_Meant).pinned
    return pinned is not None and pinned[1] == robot.session_uid


def _note(robot: Any) -> tuple[str, int]:
    return robot.name, robot.session_uid


def _find_noted(noted: tuple[str, int] | None, scene: Any) -> Any | None:
    """Finds a noted robot in the scene: by its name, which is fast, else among all of them."""
    if noted is None:
        return None
    item = scene.objects.get(noted[0])
    if item is not None and item.session_uid == noted[1]:
        return item
    return next((each for each in list_robots() if each.session_uid == noted[1]), None)


def find_hindrance(context: Any) -> str:
    """Finds why no robot that can be changed is active; empty where one is."""
    if context.mode not in ("OBJECT", "POSE"):
        return NOT_NOW
    robot = active_robot(context)
    if robot is None:
        return NO_ROBOT
    return "" if robot.is_editable else _LINKED


def is_playing(context: Any) -> bool:
    """Whether the animation is playing in the window."""
    return context.screen is not None and bool(context.screen.is_animation_playing)


@contextmanager
def wait_cursor(context: Any) -> Iterator[None]:
    """Shows the cursor of waiting during work that takes longer than a second."""
    window = context.window
    if window is not None:
        window.cursor_modal_set("WAIT")
    try:
        yield
    finally:
        if window is not None:
            window.cursor_modal_restore()


class Refusal(RobotError):
    """Nothing was done, for a reason that is reported at a level of its own: with WARNING and INFO
    scripts go on."""

    def __init__(self, message: str, level: str = "WARNING") -> None:
        super().__init__(message)
        self.level = level


class PolledOperator:
    """Base of operators that cannot always be called: `why_disabled` gives the reason."""

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return ""

    @classmethod
    def poll(cls: Any, context: Any) -> bool:
        why = cls.why_disabled(context)
        if why:
            cls.poll_message_set(why)
        return not why


class ActingOperator(PolledOperator):
    """Base of operators that give `run`; RobotErrors are reported in one sentence, at `level`: with
    WARNING scripts go on, since nothing was lost."""

    bl_options = {"REGISTER", "UNDO"}
    level = "ERROR"
    find_robot = staticmethod(active_robot)

    def run(self, context: Any, robot: Any) -> str | None:
        """Does the work; returns a sentence to report, if any. Raises RobotError."""
        raise NotImplementedError

    def execute(self: Any, context: Any) -> set[str]:
        try:
            said = self.run(context, self.find_robot(context))
        except RobotError as error:
            return refuse(self, error, getattr(error, "level", self.level))
        if said:
            self.report({"INFO"}, said)
        return {"FINISHED"}


class RobotOperator(ActingOperator):
    """Base of the operators on the active robot."""

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return find_hindrance(context)


def ask(operator: Any, context: Any, **shown: Any) -> set[str]:
    """Opens the dialog of an operator, whose title and button name the action; returns the result
    for invoke."""
    named = {"title": operator.bl_label, "confirm_text": operator.bl_label} | shown
    return set(context.window_manager.invoke_props_dialog(operator, **named))


def browse(operator: Any, context: Any) -> set[str]:
    """Opens the file browser for an operator; returns the result for invoke."""
    context.window_manager.fileselect_add(operator)
    return {"RUNNING_MODAL"}


def redraw_views() -> None:
    """Draws all 3D views and their sidebars anew, for changes that Blender does not see."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def register() -> None:
    """Makes panels forget cached data about robots whenever robots change."""
    watch()
    at_end(unwatch)
