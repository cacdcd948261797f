# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as plain values, and running them.

A job is a frozen dataclass of texts, paths and options, and so is the Report that `run` makes of
it: both can be pickled, so that a job may run in another process. The command, the
operators and whatever runs many jobs all work this way.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ..diagnostics import RobotError, WriteError, advise_blender, quote
from ..files.outputs import AnyPath
from ..interrupts import hold_interrupt
from ..options import ImportOptions
from ..pipeline.exporting import WriterFormat, write_format_steps
from ..pipeline.formats import find_writer, writer_formats
from ..pipeline.hooks import read_semantics
from ..pipeline.importing import ImportResult, import_steps, list_xacro_arguments, read_robot
from ..progress import Progress, finish
from ..reshape import list_missing
from ..rig import plan_rig
from ..shelves import find_hook, find_hooks
from .blends import is_blend, open_robot
from .job_types import CheckJob as CheckJob
from .job_types import ExportJob as ExportJob
from .job_types import ImportJob as ImportJob
from .job_types import Job as Job
from .report import Report, SayStage, ShowProgress, Work
from .summary import (
    EXPORTED,
    describe_arguments,
    describe_counts,
    describe_summary,
    summarize_arguments,
    summarize_plan,
    summarize_result,
)
from .task import BLEND, PICTURE, Task, TaskOutput, perform


def task_of(job: Job) -> Task:
    """Returns the task that a job is."""
    outputs: tuple[TaskOutput, ...] = ()
    if isinstance(job, ImportJob):
        outputs = (
            TaskOutput(path=job.blend, suffixes=BLEND),
            TaskOutput(path=job.picture, suffixes=PICTURE, argument="--preview"),
        )
    elif isinstance(job, ExportJob):
        is_folder = not job.output.suffix or os.path.isdir(job.output)
        outputs = (TaskOutput(path=job.output, is_folder=is_folder),)
    return Task(
        inputs=(job.input,),
        outputs=outputs,
        options=job,
        run=_RUNNERS[type(job)],
        strict=job.strict,
    )


def run(
    job: Job, progress: ShowProgress | None = None, say_stage: SayStage | None = None
) -> Report:
    """Runs a job, as `perform` does a task."""
    return perform(task_of(job), progress, say_stage)


def export_opened(job: ExportJob, robot: Any) -> Report:
    """Writes an armature in the scene that is open, or a Robot, as a job asks; its `input` is then
    only a name."""
    return finish(export_opened_steps(job, robot))


def export_opened_steps(job: ExportJob, robot: Any) -> Generator[Progress, None, Report]:
    """Runs export_opened in steps; closed before its end it writes nothing."""
    work = Work(job.input)
    with work.catch():
        yield from write_steps(job, robot, work)
    return work.report()


def _run_import(job: ImportJob, work: Work) -> None:
    result = build_robot(job.input, job.options, work)
    work.facts = summarize_result(result)
    counted = {"links": "link", "moving_joints": "moving joint", "bones": "bone"}
    work.summary = describe_counts(work.facts, counted)
    work.hold()
    # The picture leaves nothing behind in the .blend.
    how: Any = dict(zip(("width", "height"), job.picture_size, strict=True))
    how |= {"samples": job.picture_samples, "bones": job.bones}
    render(result.armature, job.picture, work, **how)
    save(job.blend, work)


def open_new(what: str) -> None:
    """Opens a new file of Blender. Raises RobotError where there is no Blender."""
    with needing_blender(what), hold_interrupt():
        from ..blender.save import new_file

        new_file()


def build_robot(
    path: str, options: ImportOptions, work: Work, what: str = "importing"
) -> ImportResult:
    """Imports a description into a new file of Blender, step by step; the first step reads, the
    second plans, the others build."""
    open_new(what)
    stages = iter(("read", "plan"))
    with closing(import_steps(path, options=options, diagnostics=work.diagnostics)) as steps:
        done = next(steps)
        while True:
            work.show(done)
            try:
                with work.clock(next(stages, "build")):
                    done = next(steps)
            except StopIteration as finished:
                result: ImportResult = finished.value
                return result


def render(armature: Any, picture: AnyPath | None, work: Work, **how: Any) -> None:
    """Renders the picture that is asked for, if strictness allows."""
    work.hold()
    if picture is not None:
        render_preview = find_hook("render_preview", "a picture")
        with work.clock("preview"):
            render_preview(armature, picture, **how)
        work.add(picture)


def save(blend: AnyPath | None, work: Work) -> None:
    """Saves the .blend that is asked for."""
    from ..blender.save import save_blend

    if blend is not None:
        with work.clock("save"):
            save_blend(blend)
        work.add(blend)


def _run_check(job: CheckJob, work: Work) -> None:
    work.facts = summarize_arguments(list_xacro_arguments(job.input, options=job.options))
    arguments = work.rows = describe_arguments(work.facts)
    with work.clock("read"):
        robot = open_input(job.input, work, job.options)
    if job.options.srdf:
        read_semantics(job.input, robot, job.options, work.diagnostics)
    with work.clock("plan"):
        plan = plan_rig(robot, options=job.options, diagnostics=work.diagnostics)
    work.facts = summarize_plan(plan) | work.facts
    work.rows = describe_summary(work.facts) + arguments
    if job.given is not None:
        for look in find_hooks("look_further"):
            look(job.given, robot, work)
    if job.complete:
        missing = list_missing(robot)
        work.rows += [f"{each.message} [{each.code}]" for each in missing]
        work.facts |= {"missing": [[each.code, each.subject] for each in missing]}
        work.status = 1 if missing else work.status


def _run_export(job: ExportJob, work: Work) -> None:
    with work.clock("read"):
        robot = open_input(job.input, work, job.reading, job.robot)
    finish(write_steps(job, robot, work))


_RUNNERS: dict[type[Job], Callable[[Any, Work], None]] = {
    ImportJob: _run_import,
    CheckJob: _run_check,
    ExportJob: _run_export,
}


def open_input(path: str, work: Work, options: ImportOptions, name: str | None = None) -> Any:
    """Reads a description, or opens the robot of this name in a .blend. Raises RobotError."""
    if is_blend(path):
        return open_rig(path, name)
    diagnostics = work.diagnostics.about(path)
    robot = read_robot(path, diagnostics=diagnostics, options=options)
    if path == work.input:
        # Of a package the file that was read, not the folder.
        work.diagnostics.source = diagnostics.source
    return robot


def open_rig(path: str, name: str | None, what: str = "reading a .blend") -> Any:
    """Does as open_robot, and raises RobotError where there is no Blender for this work."""
    with needing_blender(what), hold_interrupt():
        return open_robot(path, name)


def write_steps(job: ExportJob, robot: Any, work: Work) -> Generator[Progress, None, None]:
    """Writes a Robot, or an armature, as a job asks, in steps."""
    with work.clock("export"):
        written = yield from write_format_steps(
            _format_of(job),
            robot,
            job.output,
            options=job.options,
            diagnostics=work.diagnostics,
            strict=job.strict,
        )
        work.take(written)
    work.summary = describe_counts(work.facts, EXPORTED)


def _format_of(job: ExportJob) -> WriterFormat[Any]:
    """Finds the format of a job. Raises WriteError if the part of the library that has it is absent
    where the job runs."""
    if not job.format:
        return find_writer(job.output, options=job.options)
    found = next((each for each in writer_formats() if each.name == job.format), None)
    if found is None:
        raise WriteError(f"unknown format {quote(job.format)}")
    return found


@contextmanager
def needing_blender(what: str) -> Iterator[None]:
    """Turns a missing Blender into a RobotError with advice."""
    try:
        yield
    except ImportError as missing:
        script = Path(__file__).parents[2] / "headless.py"
        raise RobotError(
            f"{what} needs Blender, which this Python does not have ({missing}): "
            f"{advise_blender()}: "
            f"blender -b --factory-startup -P {script} -- ROBOT.urdf -o ROBOT.blend"
        ) from missing
