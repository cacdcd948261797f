# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in a window, a slice of time after another, with a bar in the status bar; Esc takes it back.

Steps are generators of Progress that take everything back where they are closed.
"""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import bpy

from ..urdf_importer import Progress, RobotError
from ..urdf_importer.core.progress import finish
from .active_robot import redraw_views
from .registration import add_handler, at_end
from .reports import refuse
from .session import session_state

Steps = Generator[Progress, None, Any]

_SLICE, _MOST_SLICE = 0.1, 1.0
"""Seconds of work between two looks at mouse and keyboard: as long as the redraw before took, since
Blender draws all views whenever something was made. So at most half of the time is lost to it."""
_PAUSE = 0.01
_MOST_CHARACTERS = 60
"""Names of links can be long; the status bar is one line."""


def _make_draw(title: str, progress: Progress) -> Callable[[Any, Any], None]:
    """Makes a plain function, since Blender takes no other callable for drawing."""

    def draw(header: Any, context: Any) -> None:
        layout, text = header.layout, progress.text
        if len(text) > _MOST_CHARACTERS:
            text = text[: _MOST_CHARACTERS - 3] + "..."
        layout.label(text="Cancel", icon="EVENT_ESC")
        layout.separator_spacer()
        layout.label(text=f"{title}: {text}")
        bar = layout.row()
        bar.ui_units_x = 12
        bar.progress(factor=progress.share, text=f"{progress.share:.0%}")

    return draw


def _set_status(draw: Any) -> None:
    """Sets the status bar. Any workspace will do: the status bar is the same for all, and while a
    window closes the context may have none."""
    bpy.data.workspaces[0].status_text_set(draw)


class RunningSteps:
    """Steps at work beside the window; `result` is theirs once they are done. Any early end takes
    everything back: Esc, the window's closing, and events that replace all data, undo elsewhere or
    another file. `look` is called with the step after each slice."""

    def __init__(
        self,
        context: Any,
        steps: Steps,
        title: str,
        look: Callable[[Progress], None] | None = None,
    ) -> None:
        self.running = True
        self.result: Any = None
        self._steps, self._look = steps, look
        self._rested_at = time.monotonic()
        self._timer = context.window_manager.event_timer_add(_PAUSE, window=context.window)
        self._title = title
        context.window_manager.progress_begin(0, 100)
        session_state(_Work).running.append(self)

    def advance(self) -> bool:
        """Works for a slice of time; False when all is done."""
        began = time.monotonic()
        end = began + min(max(_SLICE, began - self._rested_at), _MOST_SLICE)
        try:
            while time.monotonic() < end:
                progress = next(self._steps)
            self._rested_at = time.monotonic()
            bpy.context.window_manager.progress_update(round(100 * progress.share))
            _set_status(_make_draw(self._title, progress))
            if self._look is not None:
                self._look(progress)
        except StopIteration as finished:
            self.result = finished.value
            self.stop()
            return False
        except BaseException:
            self.stop()
            raise
        return True

    def stop(self) -> None:
        """Ends the work and takes back the unfinished part. Calling it again does no harm."""
        if not self.running:
            return
        self.running = False
        session_state(_Work).running.remove(self)
        bpy.context.window_manager.event_timer_remove(self._timer)
        bpy.context.window_manager.progress_end()
        _set_status(None)
        self._steps.close()
        redraw_views()


@dataclass(slots=True)
class _Work:
    """All work that runs: one thing at most, but for scripts."""

    running: list[RunningSteps] = field(default_factory=list)


def is_busy() -> bool:
    """Whether work runs beside the window."""
    return bool(session_state(_Work).running)


class SteppedOperator:
    """Base of operators whose work is steps: in a window slice by slice, for scripts and with F9 at
    once. An operator gives `begin_steps` and `keep_result`, and two texts."""

    steps_title = ""
    cancelled_text = ""
    _run: RunningSteps | None = None

    def begin_steps(self, context: Any) -> Steps:
        """Returns the work. Raises RobotError."""
        raise NotImplementedError

    def keep_result(self, context: Any, result: Any) -> set[str]:
        """Reports finished work; returns the operator's result. Raises RobotError."""
        raise NotImplementedError

    def refuse_work(self, error: RobotError) -> set[str]:
        """Reports work that could not be done; returns the operator's result."""
        return refuse(self, error)

    def look(self, progress: Progress) -> None:
        """Is called after each slice in a window."""

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        try:
            steps = self.begin_steps(context)
        except RobotError as error:
            return self.refuse_work(error)
        self._run = RunningSteps(context, steps, self.steps_title, self.look)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Takes all events, so that the scene cannot be edited meanwhile."""
        run: Any = self._run
        if run is None or not run.running:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            run.stop()
            self.report({"INFO"}, self.cancelled_text)  # type: ignore[attr-defined]
            return {"CANCELLED"}
        try:
            if event.type != "TIMER" or run.advance():
                return {"RUNNING_MODAL"}
            return self.keep_result(context, run.result)
        except RobotError as error:
            return self.refuse_work(error)

    def cancel(self, context: Any) -> None:
        if self._run is not None:
            self._run.stop()

    def execute(self, context: Any) -> set[str]:
        try:
            return self.keep_result(context, finish(self.begin_steps(context)))
        except RobotError as error:
            return self.refuse_work(error)


class BrowsedWork(SteppedOperator):
    """Base of stepped operators that ask in the file browser first: when that is gone, the operator
    is called anew and works beside the window."""

    begins: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})
    _asks = False

    def choose_file(self, context: Any) -> set[str]:
        """Opens the file browser; returns the result for invoke."""
        raise NotImplementedError

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if self.begins:
            _copy_groups(session_state(_Asked).operator, self)
            return set(super().invoke(context, event))
        self._asks = not bpy.app.background
        return set(self.choose_file(context))

    def execute(self: Any, context: Any) -> set[str]:
        if not self._asks:
            return set(super().execute(context))
        values = {}
        for each in self.properties.bl_rna.properties:
            if each.type != "POINTER":
                value = getattr(self, each.identifier)
                is_array = getattr(each, "is_array", False)
                values[each.identifier] = tuple(value) if is_array else value
        del values["begins"]
        family, _, name = type(self).bl_idname.partition(".")
        asked = session_state(_Asked)
        asked.operator = self
        try:
            getattr(getattr(bpy.ops, family), name)("INVOKE_DEFAULT", begins=True, **values)
        finally:
            asked.operator = None
        return {"FINISHED"}


@dataclass(slots=True)
class _Asked:
    """The operator whose file browser was answered, while it is called anew."""

    operator: Any = None


def _copy_groups(source: Any, target: Any) -> None:
    """Copies groups of properties, which Blender takes from no call of an operator."""
    for each in source.properties.bl_rna.properties if source is not None else ():
        if each.type == "POINTER" and each.identifier != "rna_type":
            theirs, ours = getattr(source, each.identifier), getattr(target, each.identifier)
            for member in theirs.bl_rna.properties:
                if not member.is_readonly:
                    setattr(ours, member.identifier, getattr(theirs, member.identifier))


def register() -> None:
    """Has Blender stop work that runs before it replaces all data, and before operators go."""
    handlers = bpy.app.handlers
    for each in (handlers.load_pre, handlers.undo_pre, handlers.redo_pre):
        add_handler(each, _stop_all)
    at_end(_stop_all)


def _stop_all(*arguments: Any) -> None:
    for running in tuple(session_state(_Work).running):
        running.stop()
