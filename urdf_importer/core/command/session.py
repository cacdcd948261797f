# SPDX-License-Identifier: GPL-3.0-or-later
"""Does tasks one after the other and shows their results."""

import os
from collections.abc import Callable, Sequence
from functools import partial

from ..files.outputs import write_text
from .report import Report
from .summary import describe_files, describe_severities
from .task import Task, perform, refuse_outputs
from .terminal import Terminal, write_document, write_result


def run_tasks(
    tasks: Sequence[Task],
    json: str | None,
    terminal: Terminal,
    finish: Callable[[Sequence[Report]], None] = lambda reports: None,
) -> int:
    """Does tasks and returns the exit status. `json` is the file for the report, "-" for standard
    output, None for no report; `finish` is called with the reports at the end. Raises as
    refuse_outputs does, before any work."""
    refuse_outputs(tasks, json)
    reports: list[Report] = []
    for task in tasks:
        name = task.inputs[0]
        report = perform(
            task, partial(terminal.progress, name=name), partial(terminal.stage, name=name)
        )
        terminal.diagnostics(report.diagnostics)
        write_document(report.text)
        if json == "-":
            write_result(report.to_json())
        elif report.rows and not terminal.quiet:
            for row in [""] * bool(reports) + [*report.rows]:
                write_result(row)
        if (error := report.error) is not None:
            terminal.show_error(error)
        elif report.summary:
            for line in (*report.notes, describe_work(report)):
                terminal.note(line)
        reports.append(report)
    if json not in (None, "-"):
        write_text(json, "".join(report.to_json() + "\n" for report in reports))
    finish(reports)
    return max(int(each.error is not None) or each.status for each in reports)


def describe_work(report: Report) -> str:
    """Describes a finished task in one line."""
    shown, size = ", ".join(report.files), ""
    if report.output:
        shown = f"{report.output}/" if os.path.isdir(report.output) else report.output
        size = f", {describe_files(shown, report.files)}"
    wrote = f"; wrote {shown}" if shown else ""
    spent = f" in {sum(report.seconds.values()):.2f} s"
    return f"{report.summary}{wrote}{spent}{size}{describe_severities(report.diagnostics)}"
