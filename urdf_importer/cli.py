# SPDX-License-Identifier: GPL-3.0-or-later
"""The command urdf-importer.

Exit status: 0 done, 1 something could not be imported, checked or written, 2 wrong usage, 130
interrupted by Ctrl-C.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from . import (
    Diagnostics,
    ImportOptions,
    ImportResult,
    RobotError,
    Written,
    find_writer,
    import_steps,
    list_xacro_arguments,
    new_file,
    plan_rig,
    read_robot,
    render_preview,
    save_blend,
    write_format,
    writer_formats,
)
from .command.arguments import add_option_arguments, read_options
from .command.blends import is_blend, open_robot
from .command.jobs import Job, UsageError, check_outputs, plan_exports, plan_jobs
from .command.report import Report
from .command.summary import (
    count,
    describe_arguments,
    describe_export,
    describe_import,
    describe_summary,
    summarize_arguments,
    summarize_plan,
    summarize_result,
)
from .command.terminal import Terminal, silence_blender, write_result
from .command.version import find_version
from .diagnostics import name_choices
from .files.outputs import write_text
from .interrupts import hold_interrupt

_NO_BLENDER = (
    "{what} needs Blender, which this Python does not have ({reason}): "
    "install it with `pip install bpy` (Python 3.11 or 3.13), or use a Blender program: "
    "blender -b --factory-startup -P {script} -- ROBOT.urdf -o ROBOT.blend"
)
_EPILOG = "Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and gives its exit status; wrong usage and --help exit by themselves."""
    arguments = build_parser().parse_args(argv)
    parser: argparse.ArgumentParser = arguments.parser
    terminal = Terminal(quiet=arguments.quiet)
    try:
        if arguments.command == "check":
            return _check(arguments, terminal)
        if arguments.command == "export":
            return _export(arguments, terminal)
        return _import(arguments, terminal)
    except UsageError as error:
        parser.error(str(error))
    except RobotError as error:
        terminal.error(error)
        return 1
    except BrokenPipeError:
        # Whoever read the results has gone; Python shall not fail on them again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        terminal.error(RobotError("interrupted"))
        return 130


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="urdf-importer",
        description="Robot descriptions (URDF) as exact, native Blender rigs.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {find_version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    importing = commands.add_parser(
        "import",
        help="make a .blend of a robot description",
        description="Makes a .blend of a robot description. Existing outputs are overwritten.",
        epilog=_EPILOG,
    )
    _add_common_arguments(importing)
    _add_output_arguments(importing)
    add_option_arguments(importing, ImportOptions)
    _add_export(commands)
    checking = commands.add_parser(
        "check",
        help="read and plan without Blender, and say what there is",
        description="Reads a robot description, plans its rig without Blender, and says what there "
        "is. Mesh files are not looked at.",
        epilog=_EPILOG,
    )
    _add_common_arguments(checking)
    add_option_arguments(checking, ImportOptions)
    return parser


def _add_export(commands: Any) -> None:
    formats = writer_formats()
    labels = " or ".join(each.label for each in formats)
    suffixes = name_choices([suffix for each in formats for suffix in each.suffixes])
    texts = ", or ".join(f"as {each.text}" for each in formats)
    parser = commands.add_parser(
        "export",
        help=f"write a robot description, or a robot in a .blend, for {labels}",
        description="Writes a robot description, without Blender, or an imported robot in a .blend "
        f"as it stands there, {texts}. Existing files are overwritten.",
        epilog=_EPILOG,
    )
    _add_common_arguments(parser)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="ROBOT.proto",
        help=f"the {suffixes} to write, or a project folder, with / at its end; with "
        "several inputs the folder in which each gets its project folder",
    )
    parser.add_argument(
        "--robot",
        metavar="NAME",
        help="which of several robots in a .blend: the name of its armature",
    )
    add_option_arguments(parser, *(each.options for each in formats))
    add_option_arguments(parser, ImportOptions, only=("xacro_args",))


def _add_common_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(parser=parser)
    parser.add_argument("inputs", nargs="+", metavar="ROBOT.urdf", help="the robot description")
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write a report, one line of JSON for each input, also for those that fail; "
        "- for standard output",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="take every diagnostic for a failure; nothing is written then",
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="ROBOT.blend",
        help="the .blend to write, or a folder to write one into for each input; a .blend may also "
        "stand behind the inputs without -o",
    )
    parser.add_argument(
        "--preview",
        metavar="ROBOT.png",
        help="render a picture of the robot, or one of each input into a folder",
    )
    parser.add_argument(
        "--preview-bones",
        action="store_true",
        help="show the bones and their axes in the picture, through a transparent robot",
    )


def _import(arguments: argparse.Namespace, terminal: Terminal) -> int:
    jobs = plan_jobs(arguments.inputs, arguments.output, arguments.preview, arguments.json)
    reports = []
    for job in jobs:
        with silence_blender():
            report = _import_one(job, arguments, terminal)
        terminal.diagnostics(report.diagnostics)
        if report.error is None:
            terminal.note(_describe(report))
        _deliver(report, arguments, terminal)
        reports.append(report)
    return _finish(reports, arguments)


def _describe(report: Report) -> str:
    spent = sum(report.seconds.values())
    return describe_import(report.facts, report.files, spent, report.diagnostics)


def _import_one(job: Job, arguments: argparse.Namespace, terminal: Terminal) -> Report:
    report = Report(job.input)
    diagnostics = Diagnostics(job.input)
    try:
        _open_new_file()
        result = _build(job, read_options(arguments, ImportOptions), diagnostics, report, terminal)
        report.facts = summarize_result(result)
        if arguments.strict:
            _refuse(diagnostics)
        _write(job, result, arguments.preview_bones, report)
    except RobotError as error:
        report.error = error
    report.diagnostics = tuple(diagnostics)
    return report


def _open_new_file() -> None:
    with _needing_blender("importing"), hold_interrupt():
        new_file()


@contextmanager
def _needing_blender(what: str) -> Iterator[None]:
    try:
        yield
    except ImportError as missing:
        script = Path(__file__).with_name("headless.py")
        message = _NO_BLENDER.format(what=what, reason=missing, script=script)
        raise RobotError(message) from missing


def _build(
    job: Job,
    options: ImportOptions,
    diagnostics: Diagnostics,
    report: Report,
    terminal: Terminal,
) -> ImportResult:
    """Imports step by step; the first step reads, the second plans, the others build."""
    stages = iter(("read", "plan"))
    with closing(import_steps(job.input, options, diagnostics)) as steps:
        done = next(steps)
        while True:
            terminal.progress(done, job.input)
            try:
                with report.clock(next(stages, "build")):
                    done = next(steps)
            except StopIteration as finished:
                result: ImportResult = finished.value
                return result


def _refuse(diagnostics: Diagnostics) -> None:
    if len(diagnostics):
        raise RobotError(
            f"{count(len(diagnostics), 'diagnostic')}, and --strict takes each for a failure",
            source=diagnostics.source,
        )


def _write(job: Job, result: ImportResult, bones: bool, report: Report) -> None:
    """The picture first: it leaves nothing in what is saved, and costs nothing if saving fails."""
    if job.picture is not None:
        with report.clock("preview"):
            render_preview(result.armature, job.picture, bones=bones)
        report.files.append(str(job.picture))
    if job.blend is not None:
        with report.clock("save"):
            save_blend(job.blend)
        report.files.append(str(job.blend))


def _export(arguments: argparse.Namespace, terminal: Terminal) -> int:
    report_file = [] if arguments.json in (None, "-") else [Path(arguments.json)]
    check_outputs(arguments.inputs, report_file)
    if arguments.robot is not None and not any(map(is_blend, arguments.inputs)):
        raise UsageError("--robot says which robot of a .blend, and no input is one")
    reports = []
    for each, path in plan_exports(arguments.inputs, arguments.output):
        report = _export_one(each, path, arguments)
        terminal.diagnostics(report.diagnostics)
        if report.error is None:
            spent = sum(report.seconds.values())
            terminal.note(describe_export(report.facts, report.output, spent, report.diagnostics))
        _deliver(report, arguments, terminal)
        reports.append(report)
    return _finish(reports, arguments)


def _export_one(path: str, output: Path, arguments: argparse.Namespace) -> Report:
    report = Report(path)
    diagnostics = Diagnostics(path)
    try:
        if is_blend(path):
            with silence_blender():
                result = _export_blend(path, output, arguments, diagnostics, report)
        else:
            with report.clock("read"):
                robot = read_robot(path, diagnostics, read_options(arguments, ImportOptions))
            result = _write_export(robot, output, arguments, diagnostics, report)
        report.facts = result.facts
        report.files += map(str, result.files)
        report.output = str(result.path)
    except RobotError as error:
        report.error = error
    report.diagnostics = tuple(diagnostics)
    return report


def _export_blend(
    path: str,
    output: Path,
    arguments: argparse.Namespace,
    diagnostics: Diagnostics,
    report: Report,
) -> Written:
    with report.clock("read"), _needing_blender("exporting a .blend"), hold_interrupt():
        armature = open_robot(path, arguments.robot)
    return _write_export(armature, output, arguments, diagnostics, report)


def _write_export(
    robot: Any,
    output: Path,
    arguments: argparse.Namespace,
    diagnostics: Diagnostics,
    report: Report,
) -> Written:
    format = find_writer(output)
    options = read_options(arguments, format.options)
    with report.clock("export"):
        return write_format(format, robot, output, options, diagnostics, strict=arguments.strict)


def _check(arguments: argparse.Namespace, terminal: Terminal) -> int:
    report_file = [] if arguments.json in (None, "-") else [Path(arguments.json)]
    check_outputs(arguments.inputs, report_file)
    reports: list[Report] = []
    for each in arguments.inputs:
        report = _check_one(each, arguments)
        terminal.diagnostics(report.diagnostics)
        if report.facts and arguments.json != "-" and not arguments.quiet:
            rows = [("", "")] if reports else []
            described = describe_summary(report.facts) if "robot" in report.facts else []
            for label, text in rows + described + describe_arguments(report.facts):
                write_result(f"{label:<14} {text}".rstrip())
        _deliver(report, arguments, terminal)
        reports.append(report)
    return _finish(reports, arguments)


def _check_one(path: str, arguments: argparse.Namespace) -> Report:
    report = Report(path)
    diagnostics = Diagnostics(path)
    options = read_options(arguments, ImportOptions)
    try:
        report.facts = summarize_arguments(list_xacro_arguments(path, options))
        with report.clock("read"):
            robot = read_robot(path, diagnostics, options)
        with report.clock("plan"):
            plan = plan_rig(robot, options, diagnostics)
        report.facts = summarize_plan(plan) | report.facts
        if arguments.strict:
            _refuse(diagnostics)
    except RobotError as error:
        report.error = error
    report.diagnostics = tuple(diagnostics)
    return report


def _deliver(report: Report, arguments: argparse.Namespace, terminal: Terminal) -> None:
    if report.error is not None:
        terminal.error(report.error)
    if arguments.json == "-":
        write_result(report.to_json())


def _finish(reports: Sequence[Report], arguments: argparse.Namespace) -> int:
    if arguments.json not in (None, "-"):
        write_text(arguments.json, "".join(report.to_json() + "\n" for report in reports))
    return int(any(report.error is not None for report in reports))
