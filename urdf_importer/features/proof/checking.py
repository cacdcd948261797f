# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of the command urdf-importer check beyond reading and planning, on the terminal and
in files."""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...core.command.arguments import (
    add_option_arguments,
    add_own_argument,
    read_options,
    split_names,
)
from ...core.command.report import Report, Work
from ...core.command.summary import count, describe_rows
from ...core.command.task import Task, TaskOutput, UsageError
from ...core.command.terminal import write_document
from ...core.diagnostics import ArgumentError, Diagnostic, Diagnostics, RobotError, Severity
from ...core.files.outputs import write_text
from ...core.model import Robot
from ...core.options import FileOptions
from .files import INSIDE_OUT
from .findings import FORMATS, describe_findings
from .lint import Found, find_all, is_wanted
from .options import LEVELS, TARGETS, LintOptions
from .repair import NAMED, repair_robot


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments about findings to `check`."""
    text = "codes that are not wanted; inertia-* are all like it"
    split: Any = {"type": split_names, "metavar": "CODE,..."}
    add_own_argument(parser, "ignore", "--ignore", help=text, **split)
    text = f"the programs that the robot is for: {', '.join(TARGETS)}"
    split["metavar"] = "TARGET,..."
    add_own_argument(parser, "targets", "--for", help=text, **split)
    add_option_arguments(parser, LintOptions, only=("level", "most_collision_triangles"))
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="how the findings are written; the default is a line each (text)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file for the findings, - for standard output; with --fix the repaired copy",
    )
    # Written out, as it also begins the name of another argument.
    parser.add_argument(
        "--fix",
        action="store_true",
        help="mend faults with one right answer (units, swapped limits, impossible inertias, names "
        "of moved files) in a copy of the text, and say each change",
    )
    parser.add_argument(
        "--fix-inertia",
        action="store_true",
        help="with --fix, also give links with an unlikely inertia or density the inertia of "
        "their shapes",
    )
    parser.add_argument(
        "--fail-on",
        choices=[*reversed(LEVELS), "never"],
        default="error",
        help="the least severity that makes the exit status 1 (default: error)",
    )


def plan_check(given: argparse.Namespace, tasks: list[Task]) -> list[Task]:
    """Returns the tasks of a check, the first with the file of the findings of all. Raises
    UsageError where the options make no sense."""
    try:
        read_options(given, LintOptions).refuse_unknown()
    except ArgumentError as error:
        raise UsageError(error.message) from error
    if given.json == "-" and _goes_to_terminal(given):
        raise UsageError("the findings and --json cannot both go to standard output")
    if given.fix_inertia and not given.fix:
        raise UsageError("--fix-inertia goes with --fix")
    if given.fix and given.output in (None, "-"):
        raise UsageError("-o must name the repaired copy")
    if given.fix and len(tasks) > 1:
        raise UsageError("--fix takes one input, as -o names one repaired copy")
    if given.output in (None, "-"):
        return tasks
    return [replace(tasks[0], outputs=(TaskOutput(path=given.output),)), *tasks[1:]]


def look_further(given: argparse.Namespace, robot: Robot, work: Work) -> None:
    """Adds the findings about a robot to a check, and judges all of them."""
    options = read_options(given, LintOptions)
    with work.clock("judge"):
        found = find_all(robot, options)
    if options.targets:
        work.facts["targets"] = _judge(found, options.targets)
        work.rows += _table(found, options.targets)
    read = list(work.diagnostics)
    known = {(item.code, item.subject, item.line) for item in read}
    new = [item for item, _ in found if (item.code, item.subject, item.line) not in known]
    work.diagnostics = Diagnostics(work.input)
    work.diagnostics.extend(item for item in (*read, *new) if is_wanted(item, options))
    work.summary = f"{robot.name}: checked" if len(work.diagnostics) else ""
    if _goes_to_terminal(given):
        work.rows = []
    work.status = max(work.status, int(_fails(work.diagnostics, given.fail_on)))
    if given.fix:
        _fix(given, robot, work, options)


def _fix(given: argparse.Namespace, robot: Robot, work: Work, options: LintOptions) -> None:
    """Writes the repaired copy, and says each change; a strict check with faults writes none."""
    work.hold()
    with work.clock("repair"):
        codes = NAMED if given.fix_inertia else (INSIDE_OUT,)
        repair = repair_robot(robot, codes=codes, options=options, diagnostics=work.diagnostics)
        places = FileOptions(packages=options.packages, package_paths=options.package_paths)
        work.add(*map(str, repair.write(given.output, options=places)))
    work.output = given.output
    work.summary = f"{robot.name}: {count(len(repair.changes), 'repair')}"


def finish_check(given: argparse.Namespace, reports: Sequence[Report]) -> None:
    """Writes the findings of all robots."""
    results: dict[str, tuple[Diagnostic | RobotError, ...]] = {
        each.input: each.diagnostics + (() if each.error is None else (each.error,))
        for each in reports
    }
    if _goes_to_terminal(given):
        write_document(describe_findings(results, given.format))
    elif given.output is not None and not given.fix:
        write_text(given.output, describe_findings(results, given.format))


def _goes_to_terminal(given: argparse.Namespace) -> bool:
    return given.output == "-" or (given.format != "text" and (given.fix or given.output is None))


def _fails(items: Diagnostics, least: str) -> bool:
    if least == "never":
        return False
    bound = LEVELS.index(least)
    return any(LEVELS.index(item.severity.value) >= bound for item in items)


def _outcome(item: Diagnostic, targets: tuple[str, ...], target: str) -> str:
    if target not in targets:
        return "fine"
    return "refused" if item.severity is Severity.ERROR else "changed"


def _judge(found: Found, wanted: Sequence[str]) -> dict[str, dict[str, int]]:
    """Counts the outcomes of the findings that are about a target, target -> outcome -> number."""
    return {
        target: dict(Counter(_outcome(item, own, target) for item, own in found if target in own))
        for target in wanted
    }


def _table(found: Found, wanted: Sequence[str]) -> list[str]:
    """Returns a table with a row for each finding about a target."""
    rows = [
        (item.subject, item.code, *(_outcome(item, own, target) for target in wanted))
        for item, own in found
        if own
    ]
    if not rows:
        return [f"fine for {', '.join(wanted)}"]
    return describe_rows([("part", "finding", *wanted), *rows], numbers=())
