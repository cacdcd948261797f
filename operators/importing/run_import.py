# SPDX-License-Identifier: GPL-3.0-or-later
"""Local views show only their own objects; a robot imported meanwhile would not be seen."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ...urdf_importer import ImportResult, Progress, RobotError
from ...urdf_importer.command.report import Report
from ..reports import report_failures, report_outcome
from ..session import recall_state
from .import_batch import ImportBatch
from .import_choices import ImportChoices, read_jobs
from .placement import open_sidebar, place_results


def show_in_local_views(context: Any, results: Sequence[ImportResult]) -> None:
    """Adds the robots to the 3D views of the window that are in local view."""
    if context.window is None:
        return
    for area in context.window.screen.areas:
        view = area.spaces.active
        if area.type == "VIEW_3D" and view.local_view is not None:
            for shown in _objects_of(results):
                shown.local_view_set(view, True)


def _objects_of(results: Sequence[ImportResult]) -> Iterator[Any]:
    for result in results:
        yield result.armature
        yield from result.armature.children_recursive


_MOST_CHARACTERS = 60
"""Names of links can be long; the status bar is one line."""


class ProgressBar:
    """A progress bar, shown until it is removed."""

    def __init__(self, title: str) -> None:
        self._title = title
        bpy.context.window_manager.progress_begin(0, 100)

    def show(self, progress: Progress) -> None:
        """Draws how far the work is, with the next redraw."""
        bpy.context.window_manager.progress_update(round(100 * progress.share))
        _set_status(_make_draw(self._title, progress))

    def remove(self) -> None:
        """Gives the status bar back."""
        bpy.context.window_manager.progress_end()
        _set_status(None)


def _make_draw(title: str, progress: Progress) -> Callable[[Any, Any], None]:
    """Makes a plain function, since Blender takes no other callable for drawing."""

    def draw(header: Any, context: Any) -> None:
        layout = header.layout
        layout.label(text="Cancel", icon="EVENT_ESC")
        layout.separator_spacer()
        layout.label(text=f"{title}: {_shorten(progress.text)}")
        bar = layout.row()
        bar.ui_units_x = 12
        bar.progress(factor=progress.share, text=f"{progress.share:.0%}")

    return draw


def _shorten(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."


def _set_status(draw: Any) -> None:
    """Sets the status bar. Any workspace will do: the status bar is the same for all, and while a
    window closes the context may have none."""
    bpy.data.workspaces[0].status_text_set(draw)


_SLICE, _MOST_SLICE = 0.1, 1.0
"""Seconds of work between two looks at mouse and keyboard: as long as the redraw before took, since
Blender draws all views whenever something was made. So at most half of the time is lost to it."""

_PAUSE = 0.01


class RunningImport:
    """A batch at work beside the window. Any early end takes everything back: Esc, the window's
    closing, and events that replace all data, undo elsewhere or another file."""

    def __init__(self, context: Any, batch: ImportBatch) -> None:
        self.batch = batch
        self.running = True
        self._rested_at = time.monotonic()
        self._timer = context.window_manager.event_timer_add(_PAUSE, window=context.window)
        self._bar = ProgressBar("Importing")
        recall_state(_Work).running = self

    def advance(self) -> bool:
        """Works for a slice of time; False when the batch is done."""
        began = time.monotonic()
        end = began + min(max(_SLICE, began - self._rested_at), _MOST_SLICE)
        try:
            while (progress := self.batch.advance()) is not None:
                if time.monotonic() >= end:
                    self._bar.show(progress)
                    self._rested_at = time.monotonic()
                    return True
        except BaseException:
            self.stop()
            raise
        self.stop()
        return False

    def stop(self) -> None:
        """Ends the import and takes back the unfinished part. Calling it again does no harm."""
        if not self.running:
            return
        self.running = False
        recall_state(_Work).running = None
        bpy.context.window_manager.event_timer_remove(self._timer)
        self._bar.remove()
        self.batch.close()


@dataclass(slots=True)
class _Work:
    """The import that runs, one at most, and whether there ever was one."""

    running: RunningImport | None = None
    begun: bool = False


def find_running() -> RunningImport | None:
    """Finds the import that runs."""
    return recall_state(_Work).running


class RunImport(ImportChoices, bpy.types.Operator):
    bl_idname = "import_scene.urdf_run"
    bl_label = "Import URDF"
    bl_description = "Import the chosen robots step by step, with a progress bar; Esc undoes it"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    _run: RunningImport | None = None

    @classmethod
    def poll(cls, context: Any) -> bool:
        return can_import(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        try:
            batch = ImportBatch(read_jobs(self))
        except RobotError as error:
            return refuse_choices(self, error)
        work = recall_state(_Work)
        if not work.begun:  # A user who closes the sidebar afterwards means it.
            work.begun = True
            open_sidebar(context)
        self._run = RunningImport(context, batch)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Takes all events, so that the scene cannot be edited meanwhile."""
        run = self._run
        if run is None or not run.running:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            run.stop()
            self.report({"INFO"}, "The import was cancelled; nothing is left of it")
            return {"CANCELLED"}
        if event.type == "TIMER" and not run.advance():
            return _conclude(self, context, run.batch)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        if self._run is not None:
            self._run.stop()

    def execute(self, context: Any) -> set[str]:
        return import_at_once(self, context)


def can_import(operator: Any, context: Any) -> bool:
    """Tells whether the scene can take a robot, and gives the reason if not."""
    scene = context.scene
    if scene is None:
        operator.poll_message_set("There is no scene to import into")
    elif not scene.is_editable:
        operator.poll_message_set(
            "The scene is linked from another file; go to a scene of this file"
        )
    elif find_running() is not None:
        operator.poll_message_set("Another import is running; wait for it or press Esc")
    else:
        return True
    return False


def import_at_once(operator: Any, context: Any) -> set[str]:
    """Imports the robots in the properties and returns when they are there."""
    try:
        batch = ImportBatch(read_jobs(operator))
    except RobotError as error:
        return refuse_choices(operator, error)
    batch.finish()
    return _conclude(operator, context, batch)


def refuse_choices(operator: Any, error: RobotError) -> set[str]:
    """Reports that the properties make no sense."""
    report_failures(operator, [Report("", error=error)], 0)
    return {"CANCELLED"}


def _conclude(operator: Any, context: Any, batch: ImportBatch) -> set[str]:
    for result in batch.results:
        result.armature.select_set(True)
    show_in_local_views(context, batch.results)
    place_results(operator, context, [result.armature for result in batch.results])
    return report_outcome(operator, batch)


def register() -> None:
    """Adds the operator; Blender stops a running import before it replaces all data."""
    bpy.utils.register_class(RunImport)
    for handlers in _before_data_is_replaced():
        handlers.append(_stop_running_import)


def unregister() -> None:
    """Stops a running import too: its operator is about to go."""
    _stop_running_import()
    for handlers in _before_data_is_replaced():
        handlers.remove(_stop_running_import)
    bpy.utils.unregister_class(RunImport)


@bpy.app.handlers.persistent
def _stop_running_import(*arguments: Any) -> None:
    running = find_running()
    if running is not None:
        running.stop()


def _before_data_is_replaced() -> tuple[Any, ...]:
    handlers = bpy.app.handlers
    return handlers.load_pre, handlers.undo_pre, handlers.redo_pre
