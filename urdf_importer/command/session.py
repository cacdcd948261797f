# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs jobs one after the other and shows their results."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..files.outputs import write_text
from .jobs import CheckJob, ConvertJob, ExportJob, Job, MeasureJob, SrdfJob, run
from .report import Report
from .summary import (
    count,
    describe_arguments,
    describe_files,
    describe_severities,
    describe_summary,
)
from .terminal import Terminal, write_document, write_result


def run_jobs(jobs: Sequence[Job], json: str | None, terminal: Terminal) -> int:
    """Runs jobs and returns the exit status. `json` is the file for the report, "-" for standard
    output, None for no report. Raises WriteError where the file cannot be written."""
    reports: list[Report] = []
    for job in jobs:
        report = run(job, partial(terminal.progress, name=job.input))
        terminal.diagnostics(report.diagnostics)
        if isinstance(job, CheckJob):
            if json != "-" and not terminal.quiet:
                _show_table(report, follows=bool(reports))
        elif isinstance(job, ConvertJob | MeasureJob):
            write_document(report.text)
        elif report.error is None:
            terminal.note(describe_work(job, report))
        if report.error is not None:
            terminal.error(report.error)
        if json == "-":
            write_result(report.to_json())
        reports.append(report)
    if json not in (None, "-"):
        write_text(json, "".join(report.to_json() + "\n" for report in reports))
    return int(any(report.error is not None for report in reports))


def describe_work(job: Job, report: Report) -> str:
    """Describes a finished job in one line."""
    facts, shown, size = report.facts, ", ".join(report.files), ""
    counted = [("links", "link"), ("moving_joints", "moving joint"), ("bones", "bone")]
    if isinstance(job, ExportJob):
        counted[2] = ("degrees_of_freedom", "degree")
        written = Path(report.output)  # Its name may be another, where a format asks for that.
        shown = f"{job.output}/" if written.is_dir() else str(job.output.with_name(written.name))
        size = f", {describe_files(shown, report.files)}"
    elif isinstance(job, SrdfJob):
        shown = report.output
        counted = [("groups", "group"), ("states", "state")]
        counted.append(("disabled_collisions", "disabled pair"))
    elif "objects" in facts:
        counted = [("robots", "robot"), ("objects", "object"), ("lights", "light")]
    numbers = [(facts[name], what) for name, what in counted]
    parts = [count(len(n) if isinstance(n, list) else n, what) for n, what in numbers]
    if isinstance(job, ExportJob):
        parts[2] += " of freedom"
    wrote = f"; wrote {shown}" if shown else ""
    text = f"{facts['robot']}: {', '.join(parts)}{wrote} in {sum(report.seconds.values()):.2f} s"
    return text + size + describe_severities(report.diagnostics)


def _show_table(report: Report, *, follows: bool) -> None:
    """Shows the findings of a check; with an empty line before it, where it follows another."""
    if not report.facts:
        return
    rows = [("", "")] if follows else []
    described = describe_summary(report.facts) if "robot" in report.facts else []
    for label, text in rows + described + describe_arguments(report.facts):
        write_result(f"{label:<14} {text}".rstrip())
