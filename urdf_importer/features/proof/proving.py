# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of the command urdf-importer export, and the pages of proofs."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...core.command.jobs import ExportJob, open_input
from ...core.command.report import Work
from ...core.command.task import Task, TaskOutput, UsageError
from ...core.diagnostics import Diagnostics, RobotError
from ...core.files.outputs import write_text
from ...core.interrupts import hold_interrupt
from ...core.options import FileOptions
from .child import AbsentReader
from .options import ProofOptions
from .prove import Proof, prove_export

PAGES = (".html", ".json")


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the argument of the proof to `export`."""
    parser.add_argument(
        "--prove",
        nargs="?",
        const="-",
        metavar="PAGE.html",
        help="read the written file back and compare it with the robot; the page goes to standard "
        "output, or into a .html or .json. The exit status is 1 where something differs that no "
        "message names",
    )


def plan_proof(given: argparse.Namespace, tasks: list[Task]) -> list[Task]:
    """Returns the tasks of an export, followed by their proofs. Raises UsageError for one page of
    several robots."""
    if given.prove is None:
        return tasks
    if given.prove != "-" and len(tasks) > 1:
        raise UsageError("--prove with a file takes one robot; without one, the pages are printed")
    page = page_output(given.prove, "--prove")
    return [
        replace(task, run=partial(_prove, given.prove, task.run), outputs=(*task.outputs, *page))
        for task in tasks
    ]


def page_output(page: str | None, argument: str) -> tuple[TaskOutput, ...]:
    """Returns the output that a page is; none for standard output."""
    if page in (None, "-"):
        return ()
    return (TaskOutput(path=page, suffixes=PAGES, argument=argument),)


def _prove(page: str, run: Callable[[Any, Work], None], job: ExportJob, work: Work) -> None:
    run(job, work)
    work.hold()
    places: Any = {} if job.options is None else {
        "packages": job.options.packages, "package_paths": job.options.package_paths
    }  # fmt: skip
    told = Diagnostics(job.input)
    told.extend(work.diagnostics)
    with work.clock("prove"):
        robot = open_input(job.input, Work(job.input), job.reading, job.robot)
        options = ProofOptions(**places)
        proof = prove_export(robot, job.output, options=options, diagnostics=told)
    give_proof([proof], page, work, lambda: draw_pictures(robot, proof, options))


def draw_pictures(robot: Any, proof: Proof, options: FileOptions) -> tuple[bytes, ...]:
    """Returns pictures for a page; none where there is no Blender, or nothing to import."""
    try:
        from .blender.pictures import picture_both
    except ImportError:
        return ()
    with suppress(RobotError, AbsentReader), hold_interrupt():
        return picture_both(robot, proof.path, options)
    return ()


def give_proof(
    proofs: list[Proof], page: str | None, work: Work, draw: Callable[[], Sequence[bytes]]
) -> None:
    """Puts proofs into a report, on its page, and into its status. `draw` gives the pictures of a
    page of HTML."""
    work.facts["proof"] = [
        {"file": str(each.path), "holds": each.holds, "readers": each.readers,
         "differs": [f"{row.what} {row.name}: {row.text}" for row in each.rows
                     if row.outcome == "differs"]}
        for each in proofs
    ]  # fmt: skip
    if page in (None, "-"):
        for each in proofs:
            work.rows += [*str(each).splitlines(), ""]
        work.rows = work.rows[:-1]
    else:
        (proof,) = proofs
        is_json = Path(page or "").suffix.lower() == ".json"
        write_text(page or "", proof.to_json() if is_json else proof.to_html(pictures=draw()))
        work.add(page)
    work.notes += [each.head()[0] for each in proofs]
    work.status = max(work.status, int(not all(each.holds for each in proofs)))
