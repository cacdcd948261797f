# SPDX-License-Identifier: GPL-3.0-or-later
"""Import with a progress bar. Local views show only their own objects; a robot imported meanwhile
would not be seen."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import bpy

from ...urdf_importer import ImportResult, RobotError
from ...urdf_importer.core.command.report import Report
from ...urdf_importer.core.progress import finish
from ..active_robot import PolledOperator
from ..registration import add_handler
from ..reports import report_failures, report_outcome
from ..session import session_state
from ..stepping import SteppedOperator, Steps
from .import_batch import ImportBatch
from .import_choices import ImportChoices, copy_choices, read_jobs
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


@dataclass(slots=True)
class _Work:
    """Whether there was an import into this file, and the choices of the session's last one."""

    begun: bool = False
    last: dict[str, Any] = field(default_factory=dict)


def _begin_file(*_: Any) -> None:
    session_state(_Work).begun = False


def register() -> None:
    """Has the sidebar open once in each file."""
    add_handler(bpy.app.handlers.load_post, _begin_file)


class RunImport(SteppedOperator, ImportChoices, bpy.types.Operator):
    bl_idname = "import_scene.urdf_run"
    bl_label = "Import Robot"
    bl_description = "Import the chosen robots step by step, with a progress bar; Esc undoes it"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    steps_title = "Importing"
    cancelled_text = "The import was cancelled; nothing is left of it"

    def begin_steps(self, context: Any) -> Steps:
        self._batch = ImportBatch(read_jobs(self), whole_worlds=self.whole_world)
        return self._batch.steps

    def keep_result(self, context: Any, result: Any) -> set[str]:
        return _conclude(self, context, self._batch)

    def refuse_work(self, error: RobotError) -> set[str]:
        return refuse_choices(self, error)

    def invoke(self, context: Any, event: Any) -> set[str]:
        done = super().invoke(context, event)
        work = session_state(_Work)
        if "RUNNING_MODAL" in done and not work.begun:
            work.begun = True  # A user who closes the sidebar afterwards means it.
            open_sidebar(context)
        return done


def import_at_once(operator: Any, context: Any) -> set[str]:
    """Imports the robots in the properties and returns when they are there."""
    try:
        batch = ImportBatch(read_jobs(operator), whole_worlds=operator.whole_world)
    except RobotError as error:
        return refuse_choices(operator, error)
    finish(batch.steps)
    return _conclude(operator, context, batch)


def refuse_choices(operator: Any, error: RobotError) -> set[str]:
    """Reports that the properties make no sense."""
    report_failures(operator, [Report("", error=error)], 0)
    return {"CANCELLED"}


def _conclude(operator: Any, context: Any, batch: ImportBatch) -> set[str]:
    of_worlds = [result for world in batch.worlds for result in world.robots]
    for result in (*batch.results, *of_worlds):
        result.armature.select_set(True)
    show_in_local_views(context, [*batch.results, *of_worlds])
    place_results(
        operator,
        context,
        [result.armature for result in batch.results],
        [result.armature for result in of_worlds],
    )
    done = report_outcome(operator, batch)
    if "FINISHED" in done:
        session_state(_Work).last = copy_choices(operator)
    return done


class ImportAgain(PolledOperator, bpy.types.Operator):
    """It leaves the undo step to the operator that does the work."""

    bl_idname = "import_scene.urdf_again"
    bl_label = "Import Again"
    bl_description = (
        "Import the last description, or the last ones, once more with the same settings, such as "
        "after an undo or into another file"
    )
    bl_options: ClassVar[set[str]] = {"REGISTER"}

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return ImportChoices.why_disabled(context) if name_last() else "Nothing was imported yet"

    def invoke(self, context: Any, event: Any) -> set[str]:
        return set(bpy.ops.import_scene.urdf_run("INVOKE_DEFAULT", **session_state(_Work).last))

    def execute(self, context: Any) -> set[str]:
        return set(bpy.ops.import_scene.urdf_run(**session_state(_Work).last))


def name_last() -> str:
    """Returns the names of the files of this session's last import; empty before there was one."""
    last = session_state(_Work).last
    names = [each["name"] for each in last.get("files", ())]
    return ", ".join(names) or os.path.basename(last.get("filepath", ""))
