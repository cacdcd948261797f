# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as plain values, and running them.

A job is a frozen dataclass of texts, paths and options, and so is the Report that `run` makes of
it: both can be pickled, so that a job may run in another process. The command, the
operators and whatever runs many jobs all work this way.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from .. import (
    FileOptions,
    ImportOptions,
    ImportResult,
    Reshaping,
    Robot,
    RobotError,
    Semantics,
    WriteError,
    WriterFormat,
    adapt_srdf,
    convert_description,
    extract_robot,
    find_disabled_collisions,
    find_writer,
    import_steps,
    list_xacro_arguments,
    plan_rig,
    read_robot,
    read_srdf,
    replace_disabled,
    reshape,
    reshape_robot,
    write_srdf,
    writer_formats,
)
from ..diagnostics import advise_blender, quote
from ..files.outputs import write_text
from ..interrupts import hold_interrupt
from ..pipeline.exporting import write_format_steps
from ..pipeline.srdf import read_own_srdf
from ..progress import Progress, finish
from .blends import is_blend, open_robot
from .job_types import CheckJob as CheckJob
from .job_types import ConvertJob as ConvertJob
from .job_types import ExportJob as ExportJob
from .job_types import ImportJob as ImportJob
from .job_types import Job as Job
from .job_types import MeasureJob as MeasureJob
from .job_types import SrdfJob as SrdfJob
from .report import Report, SayStage, ShowProgress, Work
from .summary import summarize_arguments, summarize_plan, summarize_result
from .terminal import silence_blender
from .worlds import build_world, summarize_world, write_world


def run(
    job: Job, progress: ShowProgress | None = None, say_stage: SayStage | None = None
) -> Report:
    """Runs a job. Its errors are in the report; `progress` is called with the progress of an
    import, `say_stage` with the name of each stage that begins. An import, and an export of a
    .blend, lose the file open in Blender."""
    work = Work(job.input, say_stage, progress)
    with silence_blender(), work.catch():
        _RUNNERS[type(job)](job, work)
    return work.report()


def export_opened(job: ExportJob, robot: Any) -> Report:
    """Writes an armature in the scene that is open, or a Robot, as a job asks; its `input` is then
    only a name."""
    return finish(export_opened_steps(job, robot))


def export_opened_steps(job: ExportJob, robot: Any) -> Generator[Progress, None, Report]:
    """Runs export_opened in steps; closed before its end it writes nothing."""
    work = Work(job.input)
    with work.catch():
        yield from _write_export(job, robot, work)
    return work.report()


def _run_import(job: ImportJob, work: Work) -> None:
    with needing_blender("importing"), hold_interrupt():
        from .. import new_file

        new_file()
    result = None
    if job.world:
        work.facts = summarize_world(build_world(job, work))
    else:
        result = _build(job, work)
        work.facts = summarize_result(result)
    work.hold_to(strict=job.strict)
    _save(job, result, work)


def _build(job: ImportJob, work: Work) -> ImportResult:
    """Imports step by step; the first step reads, the second plans, the others build."""
    stages = iter(("read", "plan"))
    with closing(
        import_steps(job.input, options=job.options, diagnostics=work.diagnostics)
    ) as steps:
        done = next(steps)
        while True:
            work.show(done)
            try:
                with work.clock(next(stages, "build")):
                    done = next(steps)
            except StopIteration as finished:
                result: ImportResult = finished.value
                return result


def _save(job: ImportJob, result: ImportResult | None, work: Work) -> None:
    """Renders the picture, then saves: the picture leaves nothing behind in the .blend."""
    from .. import render_preview, save_blend

    if job.picture is not None and result is not None:
        with work.clock("preview"):
            width, height = job.picture_size
            render_preview(
                result.armature,
                job.picture,
                width=width,
                height=height,
                samples=job.picture_samples,
                bones=job.bones,
            )
        work.files.append(str(job.picture))
    if job.blend is not None:
        with work.clock("save"):
            save_blend(job.blend)
        work.files.append(str(job.blend))


def _run_check(job: CheckJob, work: Work) -> None:
    work.facts = summarize_arguments(list_xacro_arguments(job.input, options=job.options))
    with work.clock("read"):
        robot = _open(job, work, job.options)
    if job.options.srdf:
        read_own_srdf(job.input, robot, job.options, work.diagnostics)
    with work.clock("plan"):
        plan = plan_rig(robot, options=job.options, diagnostics=work.diagnostics)
    work.facts = summarize_plan(plan) | work.facts
    work.hold_to(strict=job.strict)


def _run_export(job: ExportJob, work: Work) -> None:
    if job.world:
        with needing_blender("reading a .blend"), hold_interrupt():
            write_world(job, work)
        return
    with work.clock("read"):
        robot = _open(job, work, job.reading, job.robot)
    unchanged = job.wishes == Reshaping() and job.srdf is None and not isinstance(robot, Robot)
    if job.wishes is None or unchanged:
        finish(_write_export(job, robot, work))
        return
    robot, semantics = _describe(robot), None
    if job.srdf is not None:
        semantics = read_srdf(job.srdf, robot=robot, diagnostics=work.diagnostics)
    with work.clock("reshape"):
        robot, semantics = _reshape(robot, semantics, job.wishes, job.reading, work)
    finish(_write_export(job, robot, work))
    if semantics is not None and job.srdf_output is not None:
        work.files.append(str(write_srdf(semantics, job.srdf_output, diagnostics=work.diagnostics)))


def _run_srdf(job: SrdfJob, work: Work) -> None:
    robot = _open(job, work, job.options, job.robot)
    semantics = _find_semantics(job, robot, work)
    if job.wishes != Reshaping():
        robot, adapted = _reshape(_describe(robot), semantics, job.wishes, job.options, work)
        semantics = adapted or semantics
    if job.samples is not None:
        options = job.options
        files = FileOptions(packages=options.packages, package_paths=options.package_paths)
        with work.clock("collisions"):
            pairs = find_disabled_collisions(
                robot,
                samples=job.samples,
                seed=job.seed,
                options=files,
                diagnostics=work.diagnostics,
            )
        semantics = replace_disabled(semantics, pairs)
    work.hold_to(strict=job.strict)
    work.output = str(write_srdf(semantics, job.output, diagnostics=work.diagnostics))
    work.files.append(work.output)
    work.facts = {
        "robot": semantics.name,
        "groups": len(semantics.groups),
        "states": len(semantics.group_states),
        "disabled_collisions": len(semantics.disabled_collisions),
    }


def _find_semantics(job: SrdfJob, robot: Any, work: Work) -> Semantics:
    read = read_own_srdf(job.input, _describe(robot), job.options, work.diagnostics)
    if read is not None:
        return read
    if isinstance(robot, Robot):
        return Semantics(name=robot.name)
    from .. import extract_semantics

    return extract_semantics(robot)


def _run_convert(job: ConvertJob, work: Work) -> None:
    source: str | Robot = job.input
    if is_blend(job.input):
        source = _describe(_open(job, work, job.options, job.robot))
    if job.wishes != Reshaping():
        with work.clock("reshape"):
            robot = source if isinstance(source, Robot) else _open(job, work, job.options)
            source, _ = _reshape(robot, None, job.wishes, job.options, work)
    with work.clock("convert"):
        text = convert_description(
            source, mode=job.mode, diagnostics=work.diagnostics, options=job.options
        )
    _hand_over(text, job, work)


def _run_measure(job: MeasureJob, work: Work) -> None:
    if is_blend(job.input):
        robot = extract_robot(_open(job, work, job.options, job.robot), edits=True)
    else:
        with work.clock("read"):
            robot = _open(job, work, job.options)
    if job.output is not None and job.output.suffix.lower() == ".csv":
        text = reshape.measure_csv(robot, lengths=job.lengths)
    else:
        text = reshape.measure(robot, lengths=job.lengths, axes=job.axes, unit=job.unit)
    _hand_over(text, job, work)


_RUNNERS: dict[type[Job], Callable[[Any, Work], None]] = {
    ImportJob: _run_import,
    CheckJob: _run_check,
    ExportJob: _run_export,
    ConvertJob: _run_convert,
    SrdfJob: _run_srdf,
    MeasureJob: _run_measure,
}


def _hand_over(text: str, job: ConvertJob | MeasureJob, work: Work) -> None:
    """Writes the text to the job's output; text for standard output is kept."""
    work.hold_to(strict=job.strict)
    if job.output is None:
        work.text = text
        return
    write_text(job.output, text)
    work.output = str(job.output)
    work.files.append(work.output)


def _open(job: Job, work: Work, options: ImportOptions, name: str | None = None) -> Any:
    """Reads a job's description, or opens the robot of this name in its .blend."""
    if is_blend(job.input):
        return open_rig(job.input, name)
    return read_robot(job.input, diagnostics=work.diagnostics, options=options)


def open_rig(path: str, name: str | None, what: str = "reading a .blend") -> Any:
    """Does as open_robot, and raises RobotError where there is no Blender for this work."""
    with needing_blender(what), hold_interrupt():
        return open_robot(path, name)


def _describe(robot: Any) -> Robot:
    return robot if isinstance(robot, Robot) else extract_robot(robot)


def _reshape(
    robot: Robot,
    semantics: Semantics | None,
    wishes: Reshaping,
    options: ImportOptions,
    work: Work,
) -> tuple[Robot, Semantics | None]:
    """Returns a robot as it is wished, and its SRDF as it fits then."""
    found = reshape_robot(robot, wishes, options=options, diagnostics=work.diagnostics)
    if semantics is not None:
        semantics = adapt_srdf(
            semantics, robot=found.robot, names=found.names, diagnostics=work.diagnostics
        )
    return found.robot, semantics


def _write_export(job: ExportJob, robot: Any, work: Work) -> Generator[Progress, None, None]:
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
        script = Path(__file__).parents[1] / "headless.py"
        raise RobotError(
            f"{what} needs Blender, which this Python does not have ({missing}): "
            f"{advise_blender()}: "
            f"blender -b --factory-startup -P {script} -- ROBOT.urdf -o ROBOT.blend"
        ) from missing
