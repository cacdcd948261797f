# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands about one robot, in a .blend or a description: their shared arguments, and the robot."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import Diagnostics, ImportOptions, import_robot
from ..interrupts import hold_interrupt
from .arguments import EPILOG, add_option_arguments, read_options
from .blends import is_blend
from .jobs import needing_blender, open_rig
from .plans import UsageError
from .report import refuse_strictly
from .terminal import Terminal

READING = (
    *("xacro_args", "xacro_env"),
    *("model", "variants", "parameters", "joint_parameters"),
)
_PACKAGES = ("packages", "package_paths")
_ROBOT = "a robot description, or a .blend with one"


def add_command(
    commands: Any, name: str, act: Callable[[argparse.Namespace, Terminal], int], **texts: str
) -> argparse.ArgumentParser:
    """Adds a command that does its work by itself; `texts` are its help and description."""
    parser: argparse.ArgumentParser = commands.add_parser(name, epilog=EPILOG, **texts)
    parser.set_defaults(parser=parser, act=act)
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors")
    return parser


def add_strict(parser: argparse.ArgumentParser) -> None:
    """Adds the argument for which refuse_strictly looks."""
    parser.add_argument(
        "--strict", action="store_true", help="take warnings and errors as failures"
    )


def add_robot(parser: argparse.ArgumentParser, text: str = _ROBOT) -> None:
    """Adds the robot of a command, which may be one of several in a .blend."""
    parser.add_argument("robot", metavar="ROBOT", help=text)
    parser.add_argument(
        "--robot", dest="name", metavar="NAME", help="which of several robots in a .blend"
    )


def add_output(parser: argparse.ArgumentParser, form: str, text: str) -> None:
    """Adds the argument of the file to write, which must be there."""
    parser.add_argument("-o", "--output", required=True, metavar=form, help=text)


def add_reading(parser: argparse.ArgumentParser, *but: str, heading: str = "") -> None:
    """Adds the options of reading a description, but some."""
    only = [name for name in (*READING, *_PACKAGES) if name not in but]
    add_option_arguments(parser, ImportOptions, only=only, heading=heading)


def check_name(given: argparse.Namespace) -> None:
    """Raises UsageError for the name of a robot that is not in a .blend."""
    if given.name is not None and not is_blend(given.robot):
        raise UsageError("--robot says which robot of a .blend, and the robot is not in one")


def check_scene(given: argparse.Namespace) -> Path:
    """Returns the .blend to write. Raises UsageError for another suffix, and for a rate of frames
    that Blender does not have."""
    output = Path(given.output)
    if output.suffix.lower() != ".blend":
        raise UsageError("-o must end in .blend")
    if given.fps is not None and not 0.01 <= given.fps <= 30_000:
        raise UsageError("--fps must be between 0.01 and 30000")
    return output


def load_robot(given: argparse.Namespace, work: str, diagnostics: Diagnostics) -> Any:
    """Opens the .blend of a command's arguments `robot` and `name`, or imports that description
    into a new file; returns the armature. `work` names the work that needs Blender. Raises
    RobotError and UsageError."""
    check_name(given)
    if is_blend(given.robot):
        return open_rig(given.robot, given.name, work)
    with needing_blender(work), hold_interrupt():
        from .. import new_file

        new_file()
    own, options = diagnostics.about(given.robot), read_options(given, ImportOptions)
    return import_robot(given.robot, options=options, diagnostics=own).armature


def report_diagnostics(
    given: argparse.Namespace, terminal: Terminal, diagnostics: Diagnostics
) -> None:
    """Shows diagnostics, and raises RobotError for them where --strict is given."""
    terminal.diagnostics(tuple(diagnostics))
    if given.strict:
        refuse_strictly(diagnostics)
