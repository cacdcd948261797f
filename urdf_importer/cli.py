# SPDX-License-Identifier: GPL-3.0-or-later
"""The command urdf-importer.

Exit status: 0 done, 1 something could not be imported, checked or written, 2 wrong usage, 130
interrupted by Ctrl-C.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from . import ImportOptions, RobotError, __version__, writer_formats
from .core.command.arguments import (
    EPILOG,
    CommandParser,
    add_command,
    add_format_arguments,
    add_option_arguments,
    read_options,
)
from .core.command.jobs import CheckJob, task_of
from .core.command.plans import plan_exports, plan_imports
from .core.command.report import Report
from .core.command.session import run_tasks
from .core.command.task import Task, UsageError
from .core.command.terminal import Terminal, drop_output
from .core.diagnostics import name_choices
from .core.interrupts import Terminated, end_on_termination
from .core.shelves import SHELVES, find_hooks, list_parts


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status; wrong usage and --help exit by themselves."""
    arguments, unknown = build_parser().parse_known_args(argv)
    parser: argparse.ArgumentParser = arguments.parser
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    terminal = Terminal(quiet=arguments.quiet)
    try:
        with end_on_termination():
            tasks, finish = arguments.plan(arguments), partial(_finish, arguments)
            return run_tasks(tasks, arguments.json, terminal, finish)
    except UsageError as error:
        parser.error(str(error))
    except RobotError as error:
        terminal.show_error(error)
        return 1
    except BrokenPipeError:
        # The reader of the results has gone.
        drop_output()
        return 1
    except KeyboardInterrupt as ended:
        terminal.show_error(RobotError("interrupted"))
        return 143 if isinstance(ended, Terminated) else 130


def build_parser() -> argparse.ArgumentParser:
    return _build()[0]


def list_commands() -> tuple[str, ...]:
    """Lists the names of the commands, also of the parts that are installed."""
    return tuple(_build()[1].choices)


def _build() -> tuple[argparse.ArgumentParser, Any]:
    parser = CommandParser(
        prog="urdf-importer",
        description="Robot descriptions as exact, native Blender rigs.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    importing = add_command(
        commands,
        "import",
        _plan_imports,
        "ROBOT.urdf",
        help="make a .blend of a robot description",
        description="Makes a .blend of a robot description. Existing outputs are overwritten.",
    )
    _add_output_arguments(importing)
    for add in find_hooks("add_import_arguments"):
        add(importing)
    add_option_arguments(importing, ImportOptions)
    _add_export(commands)
    _add_further(commands)
    checking = add_command(
        commands,
        "check",
        _plan_checks,
        "ROBOT.urdf",
        help="read and plan without Blender, and report",
        description="Reads a robot description, plans its rig without Blender, and reports the "
        "result: oddities of the file, then faults of the robot.",
    )
    checking.add_argument(
        "--complete",
        action="store_true",
        help="list the parts that the robot lacks for simulators and planners too: masses, shapes, "
        "limits; the exit status is 1 where something is missing",
    )
    for add in find_hooks("add_check_arguments"):
        add(checking)
    add_option_arguments(checking, ImportOptions)
    return parser, commands


def _add_further(commands: Any) -> None:
    """Adds the commands of formats and features. The extension has import alone, and does without
    these."""
    parts = [each for shelf in SHELVES for each in list_parts(shelf)]
    places = [f"{package}.{part.commands}" for package, part in parts if part.commands]
    for name in places:
        if find_spec(name) is not None:
            import_module(name).add_commands(commands)


def _add_export(commands: Any) -> None:
    formats = writer_formats()
    labels = name_choices([each.label for each in formats])
    suffixes = name_choices([suffix for each in formats for suffix in each.suffixes])
    texts = ", or ".join(f"as {each.text}" for each in formats)
    parser = add_command(
        commands,
        "export",
        _plan_exports,
        "ROBOT.urdf",
        help=f"write a robot description, or a robot in a .blend, for {labels}",
        description="Writes a robot description, without Blender, or an imported robot in "
        f"a .blend in its present state, {texts}. Existing files are overwritten.",
    )
    parser.usage = "%(prog)s ROBOT.urdf -o ROBOT.proto [options]"
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
        help="the robot of a .blend with several: the name of its armature",
    )
    parser.add_argument(
        "--format",
        choices=[each.name for each in formats if each.writes_folders],
        help="the format of a folder (default: webots)",
    )
    for add in find_hooks("add_export_arguments"):
        add(parser)
    add_format_arguments(parser, {each.label: each.options for each in formats})
    reading = ("xacro_args", "xacro_env", "variants", "parameters", "joint_parameters")
    add_option_arguments(parser, ImportOptions, only=reading)


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="ROBOT.blend",
        help="the .blend to write, or a folder to write one into for each input; a .blend may also "
        "follow the inputs without -o",
    )
    parser.add_argument(
        "--preview",
        metavar="ROBOT.png",
        help="render a picture of the robot, or one per input into a folder",
    )
    parser.add_argument(
        "--preview-bones",
        action="store_true",
        help="show the bones and their axes in the picture, through a transparent robot",
    )


def _plan_imports(given: argparse.Namespace) -> list[Task]:
    options = read_options(given, ImportOptions)
    kept = {"options": options, "bones": given.preview_bones, "strict": given.strict}
    jobs = plan_imports(given.inputs, given.output, given.preview, given.json)
    jobs = [replace(job, **kept) for job in jobs]
    return [_ask_parts("plan_import", given, job) or task_of(job) for job in jobs]


def _ask_parts(hook: str, *given: Any) -> Task | None:
    """Returns the task of the first part that has one for these arguments."""
    return next(filter(None, (plan(*given) for plan in find_hooks(hook))), None)


def _plan_checks(given: argparse.Namespace) -> list[Task]:
    options = read_options(given, ImportOptions)
    kept: dict[str, Any] = {"options": options, "strict": given.strict}
    kept |= {"complete": given.complete, "given": given}
    tasks = [task_of(CheckJob(input=each, **kept)) for each in given.inputs]
    for plan in find_hooks("plan_check"):
        tasks = plan(given, tasks)
    return tasks


def _finish(given: argparse.Namespace, reports: Sequence[Report]) -> None:
    """Lets parts act after the last robot of a check."""
    for finish in find_hooks(f"finish_{given.command}"):
        finish(given, reports)


def _plan_exports(given: argparse.Namespace) -> list[Task]:
    if (task := _ask_parts("plan_export", given)) is not None:
        return [task]
    kept = {"reading": read_options(given, ImportOptions), "strict": given.strict}
    kinds = {each.name: each.options for each in writer_formats()}
    planned = plan_exports(given.inputs, given.output, given.robot, given.format)
    tasks = [
        task_of(replace(job, options=read_options(given, kinds[job.format]), **kept))
        for job in planned
    ]
    for follow in find_hooks("follow_exports"):
        tasks = follow(given, tasks)
    return tasks
