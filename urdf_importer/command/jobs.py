# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as plain values, and running them.

A job is a frozen dataclass of texts, paths and options, and so is the Report that `run` makes of
it: both can be pickled, so that a job may run in another process. The command, the
operators and whatever runs many jobs all work this way.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from .. import (
    Diagnostics,
    FileOptions,
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
from ..pipeline.exporting import write_format
from ..pipeline.srdf import read_own_srdf
from .blends import is_blend, open_robot
from .job_types import CheckJob as CheckJob
from .job_types import ConvertJob as ConvertJob
from .job_types import ExportJob as ExportJob
from .job_types import ImportJob as ImportJob
from .job_types import Job as Job
from .job_types import MeasureJob as MeasureJob
from .job_types import SrdfJob as SrdfJob
from .report import Report, SayStage, ShowProgress, Work
from .summary import count, summarize_arguments, summarize_plan, summarize_result
from .terminal import silence_blender
from .worlds import build_world, summarize_world, write_world

_NO_BLENDER = (
    "{what} needs Blender, which this Python does not have ({reason}): "
    "{advice}: "
    "blender -b --factory-startup -P {script} -- ROBOT.urdf -o ROBOT.blend"
)


def run(
    job: Job, progress: ShowProgress | None = None, say_stage: SayStage | None = None
) -> Report:
    """Runs a job. Its errors are in the report; `progress` is called with the progress of an
    import, `say_stage` with the name of each stage that begins. An import, and an export of a
    .blend, lose the file open in Blender."""
    work = Work(job.input, say_stage)
    if isinstance(job, ImportJob):
        return _run_import(job, work, progress)
    if isinstance(job, CheckJob):
        return _run_check(job, work)
    if isinstance(job, ConvertJob):
        return _run_convert(job, work)
    if isinstance(job, SrdfJob):
        return _run_srdf(job, work)
    if isinstance(job, MeasureJob):
        return _run_measure(job, work)
    return _run_export(job, work)


def export_opened(job: ExportJob, robot: Any) -> Report:
    """Writes an armature in the scene that is open, or a Robot, as a job asks; its `input` is then
    only a name."""
    work = Work(job.input)
    with work.catch():
        _write_export(job, robot, work)
    return work.report()


def _run_import(job: ImportJob, work: Work, progress: ShowProgress | None) -> Report:
    with silence_blender(), work.catch():
        with needing_blender("importing"), hold_interrupt():
            from .. import new_file

            new_file()
        result = None
        if job.world:
            work.facts = summarize_world(build_world(job, work, progress))
        else:
            result = _build(job, work, progress)
            work.facts = summarize_result(result)
        if job.strict:
            _refuse(work.diagnostics)
        _save(job, result, work)
    return work.report()


def _build(job: ImportJob, work: Work, progress: ShowProgress | None) -> ImportResult:
    """Imports step by step; the first step reads, the second plans, the others build."""
    stages = iter(("read", "plan"))
    with closing(
        import_steps(job.input, options=job.options, diagnostics=work.diagnostics)
    ) as steps:
        done = next(steps)
        while True:
            if progress is not None:
                progress(done)
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


def _run_check(job: CheckJob, work: Work) -> Report:
    with work.catch():
        work.facts = summarize_arguments(list_xacro_arguments(job.input, options=job.options))
        with work.clock("read"):
            robot = read_robot(job.input, diagnostics=work.diagnostics, options=job.options)
        if job.options.srdf:
            read_own_srdf(job.input, robot, job.options, work.diagnostics)
        with work.clock("plan"):
            plan = plan_rig(robot, options=job.options, diagnostics=work.diagnostics)
        work.facts = summarize_plan(plan) | work.facts
        if job.strict:
            _refuse(work.diagnostics)
    return work.report()


def _run_export(job: ExportJob, work: Work) -> Report:
    with ExitStack() as held, work.catch():
        if is_blend(job.input):
            held.enter_context(silence_blender())
        if job.world:
            with needing_blender("reading a .blend"), hold_interrupt():
                write_world(job, work)
            return work.report()
        with work.clock("read"):
            robot = _open(job, work.diagnostics)
        if job.wishes is not None:
            _write_reshaped(job, job.wishes, robot, work)
        else:
            _write_export(job, robot, work)
    return work.report()


def _write_reshaped(job: ExportJob, wishes: Reshaping, robot: Any, work: Work) -> None:
    described = robot if isinstance(robot, Robot) else extract_robot(robot)
    semantics = (
        None
        if job.srdf is None
        else read_srdf(job.srdf, robot=described, diagnostics=work.diagnostics)
    )
    with work.clock("reshape"):
        reshaped = reshape_robot(
            described, wishes, options=job.reading, diagnostics=work.diagnostics
        )
        if semantics is not None:
            semantics = adapt_srdf(
                semantics, robot=reshaped.robot, names=reshaped.names, diagnostics=work.diagnostics
            )
    _write_export(job, reshaped.robot, work)
    if semantics is not None and job.srdf_output is not None:
        work.files.append(str(write_srdf(semantics, job.srdf_output, diagnostics=work.diagnostics)))


def _run_srdf(job: SrdfJob, work: Work) -> Report:
    with ExitStack() as held, work.catch():
        robot: Any
        if is_blend(job.input):
            held.enter_context(silence_blender())
            robot = _open_blend(job.input, job.robot)
        else:
            robot = read_robot(job.input, diagnostics=work.diagnostics, options=job.options)
        semantics = _find_semantics(job, robot, work)
        if job.wishes != Reshaping():
            described = robot if isinstance(robot, Robot) else extract_robot(robot)
            reshaped = reshape_robot(
                described, job.wishes, options=job.options, diagnostics=work.diagnostics
            )
            robot = reshaped.robot
            semantics = adapt_srdf(
                semantics, robot=robot, names=reshaped.names, diagnostics=work.diagnostics
            )
        if job.samples is not None:
            files = FileOptions(
                packages=job.options.packages, package_paths=job.options.package_paths
            )
            with work.clock("collisions"):
                pairs = find_disabled_collisions(
                    robot,
                    samples=job.samples,
                    seed=job.seed,
                    options=files,
                    diagnostics=work.diagnostics,
                )
            semantics = replace_disabled(semantics, pairs)
        if job.strict:
            _refuse(work.diagnostics)
        work.output = str(write_srdf(semantics, job.output, diagnostics=work.diagnostics))
        work.files.append(work.output)
        work.facts = {
            "robot": semantics.name,
            "groups": len(semantics.groups),
            "states": len(semantics.group_states),
            "disabled_collisions": len(semantics.disabled_collisions),
        }
    return work.report()


def _find_semantics(job: SrdfJob, robot: Any, work: Work) -> Semantics:
    described = robot if isinstance(robot, Robot) else extract_robot(robot)
    read = read_own_srdf(job.input, described, job.options, work.diagnostics)
    if read is not None:
        return read
    if isinstance(robot, Robot):
        return Semantics(name=robot.name)
    from .. import extract_semantics

    return extract_semantics(robot)


def _run_convert(job: ConvertJob, work: Work) -> Report:
    with ExitStack() as held, work.catch():
        source: str | Robot = job.input
        if is_blend(job.input):
            held.enter_context(silence_blender())
            source = extract_robot(_open_blend(job.input, job.robot))
        if job.wishes != Reshaping():
            with work.clock("reshape"):
                source = _reshape(source, job, work.diagnostics)
        with work.clock("convert"):
            text = convert_description(
                source, mode=job.mode, diagnostics=work.diagnostics, options=job.options
            )
        _hand_over(text, job, work)
    return work.report()


def _run_measure(job: MeasureJob, work: Work) -> Report:
    with ExitStack() as held, work.catch():
        if is_blend(job.input):
            held.enter_context(silence_blender())
            robot = extract_robot(_open_blend(job.input, job.robot), edits=True)
        else:
            with work.clock("read"):
                robot = read_robot(job.input, diagnostics=work.diagnostics, options=job.options)
        if job.output is not None and job.output.suffix.lower() == ".csv":
            text = reshape.measure_csv(robot, lengths=job.lengths)
        else:
            text = reshape.measure(robot, lengths=job.lengths, axes=job.axes, unit=job.unit)
        _hand_over(text, job, work)
    return work.report()


def _hand_over(text: str, job: ConvertJob | MeasureJob, work: Work) -> None:
    """Writes the text to the job's output; text for standard output is kept."""
    if job.strict:
        _refuse(work.diagnostics)
    if job.output is None:
        work.text = text
        return
    write_text(job.output, text)
    work.files.append(str(job.output))
    work.output = str(job.output)


def _reshape(source: str | Robot, job: ConvertJob, diagnostics: Diagnostics) -> Robot:
    if not isinstance(source, Robot):
        source = read_robot(source, diagnostics=diagnostics, options=job.options)
    return reshape_robot(source, job.wishes, options=job.options, diagnostics=diagnostics).robot


def _open(job: ExportJob, diagnostics: Diagnostics) -> Any:
    if not is_blend(job.input):
        return read_robot(job.input, diagnostics=diagnostics, options=job.reading)
    return _open_blend(job.input, job.robot)


def _open_blend(path: str, robot: str | None) -> Any:
    with needing_blender("reading a .blend"), hold_interrupt():
        return open_robot(path, robot)


def _write_export(job: ExportJob, robot: Any, work: Work) -> None:
    format = _format_of(job)
    with work.clock("export"):
        written = write_format(
            format,
            robot,
            job.output,
            options=job.options,
            diagnostics=work.diagnostics,
            strict=job.strict,
        )
    work.facts = written.facts
    work.files += map(str, written.files)
    work.output = str(written.path)


def _format_of(job: ExportJob) -> WriterFormat[Any]:
    """Finds the format of a job. Raises WriteError if the part of the library that has it is absent
    where the job runs."""
    if not job.format:
        return find_writer(job.output, options=job.options)
    found = next((each for each in writer_formats() if each.name == job.format), None)
    if found is None:
        raise WriteError(f"there is no format {quote(job.format)} here")
    return found


@contextmanager
def needing_blender(what: str) -> Iterator[None]:
    """Turns a missing Blender into a RobotError with advice."""
    try:
        yield
    except ImportError as missing:
        script = Path(__file__).parents[1] / "headless.py"
        advice = advise_blender()
        message = _NO_BLENDER.format(what=what, reason=missing, advice=advice, script=script)
        raise RobotError(message) from missing


def _refuse(diagnostics: Diagnostics) -> None:
    if len(diagnostics):
        raise RobotError(
            f"{count(len(diagnostics), 'diagnostic')}, and --strict takes each as a failure",
            source=diagnostics.source,
        )
