# SPDX-License-Identifier: GPL-3.0-or-later
"""The results of an import: messages, text blocks, and the last failure.

A failure is one sentence (a popup where a user asked, an exception where a script did); earlier
reports are in a text block. The sentence and the text's name stay in the window manager's
`urdf_last_failure` and `urdf_last_failure_text` until an import succeeds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ..urdf_importer import Diagnostic, ImportResult, RobotError, Severity
from ..urdf_importer.core.blender.extract.robot import extract_name
from ..urdf_importer.core.blender.standing.robot_table import list_robots, recall_table
from ..urdf_importer.core.command.report import Report
from ..urdf_importer.core.command.summary import count
from ..urdf_importer.core.diagnostics import DiagnosticGroup, describe_missing, group_diagnostics
from . import props
from .importing.import_batch import ImportBatch
from .registration import add_property
from .session import session_state

MOST_REPORTED = 5
"""Groups of diagnostics shown one by one; all of them are in the report text."""

FAILURE_TEXT = "URDF import failure"
MARK = "! "
"""Begins the names of markers at violations and contacts; a joint or a link comes next."""
_OURS = "urdf_failure"
_ABOUT = "urdf_report_of"
"""Property of the text of a report: the robot that it is about, and goes with."""


def register() -> None:
    """Adds the place where the last failure is kept."""
    for name, label, text in (
        (
            "urdf_last_failure", "Last Failure",
            "Why the last description that was chosen could not be imported",
        ),
        (
            "urdf_last_failure_text", "Text of the Last Failure",
            "The text block with the reports until then",
        ),
    ):  # fmt: skip
        add_property(bpy.types.WindowManager, name, props.text(label, text, kept=False))


def report_outcome(operator: Any, batch: ImportBatch) -> set[str]:
    """Reports the successes and failures of a finished batch; returns the operator's result.
    Blender shows the last report in the status bar: it is about missing parts."""
    note_failure("", "")
    for result in batch.results:
        report_diagnostics(operator, result.robot.name, result.diagnostics)
    for world in batch.worlds:
        _keep_report(world)
        report_diagnostics(operator, world.name, world.diagnostics)
        report_sentence(operator, _describe_world(world), world.diagnostics)
    if batch.results:
        everything = [item for result in batch.results for item in result.diagnostics]
        report_sentence(operator, _describe_results(batch.results), everything)
    if batch.failures:
        report_failures(operator, batch.failures, len(batch.results) + len(batch.worlds))
    return {"FINISHED"} if batch.results or batch.worlds else {"CANCELLED"}


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


def refuse(operator: Any, error: RobotError, level: str = "ERROR") -> set[str]:
    """Reports an error in one sentence; returns the operator's result. With the level WARNING
    scripts go on: nothing was lost."""
    operator.report({level}, str(error))
    return {"CANCELLED"}


def note_failure(sentence: str, text: str) -> None:
    """Keeps a failure where panels find it; an empty one means none."""
    for manager in bpy.data.window_managers:
        manager.urdf_last_failure = sentence
        manager.urdf_last_failure_text = text


def write_report(robot: str, diagnostics: Sequence[object], what: str = "import") -> Any:
    """Writes a text block with all diagnostics of an import or an export: in the place of its last
    one, so that trying again does not pile them up."""
    name = f"{robot} {what} report"
    text = bpy.data.texts.get(name)
    if text is None or _ABOUT not in text:
        text = bpy.data.texts.new(name)
    text[_ABOUT] = robot if robot in _list_names() else ""
    text.clear()
    return _fill(text, (str(each) for each in diagnostics))


def remove_findings(scene: Any) -> None:
    """Removes the text blocks and the markers about robots that are not there any more."""
    names = _list_names()
    gone = [text for text in bpy.data.texts if text.get(_ABOUT) and text[_ABOUT] not in names]
    bpy.data.batch_remove(gone)
    tables = map(recall_table, list_robots(scene))
    known = tuple(f"{MARK}{name} " for each in tables for name in (*each.joints, *each.depths))
    for marker in [each for each in scene.timeline_markers if each.name.startswith(MARK)]:
        if not marker.name.startswith(known):
            scene.timeline_markers.remove(marker)


def _list_names() -> set[str]:
    """Lists the names of all robots, in their descriptions and in Blender."""
    robots = [robot for scene in bpy.data.scenes for robot in list_robots(scene)]
    return {name for robot in robots for name in (robot.name, extract_name(robot))}


def report_diagnostics(
    operator: Any, robot: str, diagnostics: Sequence[Diagnostic], what: str = "import"
) -> None:
    """Reports substitutes, and as a warning losses: an error would make scripts fail."""
    groups = group_diagnostics(diagnostics)
    for group in groups[:MOST_REPORTED]:
        single = len(group.items) == 1
        text = str(group.items[0]) if single else group.title
        operator.report(_level_of(group.items), text)
    if diagnostics:
        kept = write_report(robot, diagnostics, what)
        rest = [item for group in groups[MOST_REPORTED:] for item in group.items]
        if rest:
            operator.report(_level_of(rest), f"{len(rest)} more in the text '{kept.name}'")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldReport:
    """The messages of an imported world that none of its robots has, as a RobotTable has its own;
    `home` is the collection of the world, by name and session_uid."""

    source: str
    diagnostics: tuple[Diagnostic, ...]
    groups: tuple[DiagnosticGroup, ...]
    home: tuple[str, int]


@dataclass(slots=True)
class _Kept:
    """The report of the last world."""

    report: WorldReport | None = None


def _keep_report(world: Any) -> None:
    of_robots = {item for robot in world.robots for item in robot.diagnostics}
    found = tuple(item for item in world.diagnostics if item not in of_robots)
    home = world.collection
    session_state(_Kept).report = WorldReport(
        source=found[0].source if found else "",
        diagnostics=found,
        groups=tuple(group_diagnostics(found)),
        home=(home.name, home.session_uid),
    )


def recall_world_report(robot: Any | None = None) -> WorldReport | None:
    """Returns the report of the last world, while that is there; None where it has no message, and
    for a robot that did not come with it."""
    report = session_state(_Kept).report
    if report is None or not report.diagnostics:
        return None
    home = bpy.data.collections.get(report.home[0])
    if home is None or home.session_uid != report.home[1]:
        return None
    return report if robot is None or robot.name in home.all_objects else None


def is_loss(item: Diagnostic) -> bool:
    """Whether something of the description is not there, rather than replaced."""
    return bool(item.lost) or item.severity is Severity.ERROR


def _level_of(diagnostics: Iterable[Diagnostic]) -> set[str]:
    return {"WARNING"} if any(map(is_loss, diagnostics)) else {"INFO"}


def report_sentence(operator: Any, sentence: str, diagnostics: Sequence[Diagnostic]) -> None:
    """Reports in one sentence the work done, the missing parts and the number of further messages:
    as a warning if anything was lost."""
    missing = describe_missing(diagnostics)
    others = sum(not item.lost for item in diagnostics)
    parts = [sentence, missing] if missing else [sentence]
    if others:
        other = "other " if missing else ""
        parts.append(f"{count(others, f'{other}message')}, see Import Report")
    operator.report(_level_of(diagnostics), "; ".join(parts))


def _describe_world(world: Any) -> str:
    robots, objects = count(len(world.robots), "robot"), count(len(world.objects), "object")
    return f"Imported {world.name}: {robots}, {objects}, {count(len(world.lights), 'light')}"


def _describe_results(results: Sequence[ImportResult]) -> str:
    links = count(sum(len(result.links) for result in results), "link")
    single = len(results) == 1
    return f"Imported {results[0].robot.name if single else f'{len(results)} robots'}: {links}"


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
