# SPDX-License-Identifier: GPL-3.0-or-later
"""What came of an import: messages, text blocks, and the last failure.

A failure is one sentence (a popup where a user asked, an exception where a script did); what had
come up before is in a text block. The sentence and the text's name stay in the window manager's
`urdf_last_failure` and `urdf_last_failure_text` until an import succeeds.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy

from ..urdf_importer import Diagnostic, ImportResult
from ..urdf_importer.command.report import Report
from .importing.import_batch import ImportBatch

MOST_REPORTED = 5
"""Diagnostics shown one by one; all of them are in the report text."""

FAILURE_TEXT = "URDF import failure"
_OURS = "urdf_failure"


def register_failure() -> None:
    """Adds the place where the last failure is kept."""
    manager = bpy.types.WindowManager
    options = {"SKIP_SAVE"}
    manager.urdf_last_failure = bpy.props.StringProperty(
        name="Last Failure",
        description="Why the last description that was chosen could not be imported",
        options=options,
    )
    manager.urdf_last_failure_text = bpy.props.StringProperty(
        name="Text of the Last Failure",
        description="The text block with what was reported until then",
        options=options,
    )


def unregister_failure() -> None:
    """Removes that place again."""
    del bpy.types.WindowManager.urdf_last_failure
    del bpy.types.WindowManager.urdf_last_failure_text


def report_outcome(operator: Any, batch: ImportBatch) -> set[str]:
    """Reports what a finished batch made and failed to make; returns what the operator returns."""
    note_failure("", "")
    for result in batch.results:
        _report_result(operator, result)
    if batch.failures:
        report_failures(operator, batch.failures, len(batch.results))
    return {"FINISHED"} if batch.results else {"CANCELLED"}


def report_failures(operator: Any, failures: Sequence[Report], others: int) -> None:
    """Reports one sentence as an error, even for several failures; everything goes into the failure
    text."""
    text = _write_failures(failures)
    sentence = str(failures[0].error)
    if len(failures) + others > 1:
        count = f"{len(failures)} of {len(failures) + others}"
        sentence = f"{count} descriptions could not be imported; {sentence}"
    note_failure(sentence, text.name)
    operator.report({"ERROR"}, sentence)


def note_failure(sentence: str, text: str) -> None:
    """Keeps a failure where panels find it; an empty one stands for none."""
    for manager in bpy.data.window_managers:
        manager.urdf_last_failure = sentence
        manager.urdf_last_failure_text = text


def write_report(robot: str, diagnostics: Sequence[Diagnostic], what: str = "import") -> Any:
    """Writes a text block with all diagnostics of an import or an export."""
    return _fill(bpy.data.texts.new(f"{robot} {what} report"), (str(each) for each in diagnostics))


def report_diagnostics(
    operator: Any, robot: str, diagnostics: Sequence[Diagnostic], what: str = "import"
) -> None:
    """Reports what was substituted or lost. As warnings: an error would make scripts fail."""
    for item in diagnostics[:MOST_REPORTED]:
        operator.report({"WARNING"}, str(item))
    if diagnostics:
        text = write_report(robot, diagnostics, what)
        more = len(diagnostics) - MOST_REPORTED
        if more > 0:
            operator.report({"WARNING"}, f"{more} more in the text '{text.name}'")


def _report_result(operator: Any, result: ImportResult) -> None:
    name = result.robot.name
    report_diagnostics(operator, name, result.diagnostics)
    operator.report({"INFO"}, f"Imported {name}: {len(result.links)} links")


def _write_failures(failures: Sequence[Report]) -> Any:
    """Writes one text for all failures there ever are, so that trying again does not pile them
    up."""
    text = next((each for each in bpy.data.texts if each.get(_OURS)), None)
    if text is None:
        text = bpy.data.texts.new(FAILURE_TEXT)
        text[_OURS] = True
    text.clear()
    lines: list[str] = []
    for failure in failures:
        lines.extend(str(item) for item in failure.diagnostics)
        lines.append(f"not imported: {failure.error}")
    return _fill(text, lines)


def _fill(text: Any, lines: Iterable[str]) -> Any:
    text.write("".join(f"{line}\n" for line in lines))
    text.cursor_set(0)
    return text
