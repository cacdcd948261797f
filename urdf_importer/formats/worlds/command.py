# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole worlds on the command line: import --world, export --world."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.command.arguments import is_written, read_options
from ...core.command.blends import is_blend
from ...core.command.job_types import ExportJob, ImportJob
from ...core.command.jobs import needing_blender, open_new, save, task_of
from ...core.command.report import Work
from ...core.command.summary import EXPORTED, Facts, describe_counts, summarize_result
from ...core.command.task import Task, TaskOutput, UsageError
from ...core.diagnostics import RobotError, name_choices
from ...core.interrupts import hold_interrupt
from ...core.pipeline.formats import reader_formats
from ...core.pipeline.importing import list_models
from ...core.progress import finish, relay
from .export import export_world, find_world_format, world_suffixes
from .importing import World, import_world_steps

_SUMS = ("links", "joints", "moving_joints", "bones", "total_mass")
_COUNTED = {"robots": "robot", "objects": "object", "lights": "light"}


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of a world to the command import."""
    parser.add_argument(
        "--world",
        action="store_true",
        help="import all of a world of SDF or MuJoCo: robots, objects, lights, camera; a file of "
        "SDF with several models is one, unless --model, --srdf or --preview asks for one of them",
    )


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of a world to the command export."""
    parser.add_argument(
        "--world",
        action="store_true",
        help=f"write all of the scene in a .blend as a world: {name_choices(world_suffixes())}",
    )


def plan_import(given: argparse.Namespace, job: ImportJob) -> Task | None:
    """Returns the task that imports a job's file as a world; None where it is one robot. Raises
    UsageError."""
    if given.world:
        _refuse_written(given, "model", "srdf", "preview")
    elif not _is_whole(job):
        return None
    return replace(task_of(job), run=_run_import)


def plan_export(given: argparse.Namespace) -> Task | None:
    """Returns the task that writes the scene of a .blend as a world; None where one robot is
    written. Raises UsageError."""
    if not given.world:
        return None
    _refuse_written(given, "robot")
    source, path = given.inputs[0], Path(given.output)
    if len(given.inputs) != 1 or not is_blend(source):
        raise UsageError("--world takes one .blend, whose scene is the world")
    TaskOutput(path=path, suffixes=world_suffixes(), argument="with --world, -o").check_name(source)
    format, _ = find_world_format(path)
    options = read_options(given, format.options)
    job = ExportJob(input=source, output=path, options=options, strict=given.strict)
    return replace(task_of(job), run=_run_export)


def _refuse_written(given: argparse.Namespace, *names: str) -> None:
    """Raises UsageError for arguments that mean nothing of a world."""
    for name in names:
        if is_written(given, name):
            raise UsageError(f"--{name} is about one robot, and --world about all of a world")


def _is_whole(job: ImportJob) -> bool:
    """Whether a file has several models that are a world in any case, and a job chooses none of
    them."""
    options = job.options
    if options.model or options.srdf or job.picture is not None:
        return False
    suffixes = [suffix for each in reader_formats() if each.free for suffix in each.suffixes]
    if not job.input.lower().endswith(tuple(suffixes)):
        return False
    try:
        return len(list_models(job.input, options=options)) > 1
    except RobotError:
        # The import says why.
        return False


def _run_import(job: ImportJob, work: Work) -> None:
    open_new("importing")
    steps = import_world_steps(job.input, options=job.options, diagnostics=work.diagnostics)
    with work.clock("build"):
        work.facts = _summarize(finish(relay(steps, work.show)))
    work.summary = describe_counts(work.facts, _COUNTED)
    work.hold()
    save(job.blend, work)


def _run_export(job: ExportJob, work: Work) -> None:
    """Raises the errors of export_world."""
    with needing_blender("reading a .blend"), hold_interrupt():
        from ...core.blender.save import open_blend

        with work.clock("read"):
            open_blend(job.input)
        with work.clock("export"):
            written = export_world(
                job.output, strict=job.strict, options=job.options, diagnostics=work.diagnostics
            )
            work.take(written)
    work.summary = describe_counts(work.facts, EXPORTED)


def _summarize(world: World) -> Facts:
    """Counts the parts of an imported world: of all robots together, and the kinds of its
    things.
    """
    each = [summarize_result(result) for result in world.robots]
    sums: dict[str, Any] = {name: sum(facts[name] for facts in each) for name in _SUMS}
    return {
        "robot": world.name,
        **sums,
        "robots": [facts["robot"] for facts in each],
        "objects": list(world.objects),
        "lights": len(world.lights),
    }
