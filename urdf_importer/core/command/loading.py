# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands about one robot, in a .blend or a description: their shared arguments, and the robot."""

import argparse
from collections.abc import Callable
from typing import Any

from ..options import ImportOptions
from ..pipeline.importing import read_robot
from .arguments import add_option_arguments, read_options
from .blends import is_blend
from .jobs import build_robot, open_rig
from .report import Work
from .task import Task, TaskOutput, UsageError

READING = (
    *("xacro_args", "xacro_env"),
    *("model", "variants", "parameters", "joint_parameters"),
)
_PACKAGES = ("packages", "package_paths")
_ROBOT = "a robot description, or a .blend with one"


def add_robot(parser: argparse.ArgumentParser, text: str = _ROBOT) -> None:
    """Adds the robot of a command, which may be one of several in a .blend."""
    parser.add_argument("robot", metavar="ROBOT", help=text)
    parser.add_argument(
        "--robot",
        dest="name",
        metavar="NAME",
        help="the name of the robot, where a .blend has several",
    )


def add_output(parser: argparse.ArgumentParser, form: str, text: str) -> None:
    """Adds the argument of the file to write, which must be there."""
    parser.add_argument("-o", "--output", required=True, metavar=form, help=text)


def add_reading(parser: argparse.ArgumentParser, *but: str, heading: str = "") -> None:
    """Adds the options of reading a description, but some."""
    only = [name for name in (*READING, *_PACKAGES) if name not in but]
    add_option_arguments(parser, ImportOptions, only=only, heading=heading)


def plan_robot(
    given: argparse.Namespace,
    run: Callable[[argparse.Namespace, Work], None],
    *outputs: TaskOutput,
    beside: tuple[str, ...] = (),
) -> list[Task]:
    """Plans the task of a command about the robot in its arguments, with other inputs beside it.
    Raises UsageError for the name of a robot that is not in a .blend, and for a rate of frames that
    Blender does not have."""
    if getattr(given, "name", None) is not None and not is_blend(given.robot):
        raise UsageError("--robot says which robot of a .blend, and the robot is not in one")
    fps = getattr(given, "fps", None)
    if fps is not None and not 0.01 <= fps <= 30_000:
        raise UsageError("--fps must be between 0.01 and 30000")
    inputs = (given.robot, *beside)
    return [Task(inputs=inputs, outputs=outputs, options=given, run=run, strict=given.strict)]


def read_checked(given: argparse.Namespace, work: Work) -> Any:
    """Opens the .blend, or reads the description, of a command's arguments; returns the armature or
    the Robot. Raises RobotError."""
    with work.clock("read"):
        if is_blend(given.robot):
            return open_rig(given.robot, given.name)
        options = read_options(given, ImportOptions)
        return read_robot(given.robot, diagnostics=work.diagnostics, options=options)


def load_robot(given: argparse.Namespace, what: str, work: Work) -> Any:
    """Opens the .blend of a command's arguments `robot` and `name`, or imports that description
    into a new file; returns the armature. `what` names the work that needs Blender. Raises
    RobotError."""
    if not is_blend(given.robot):
        return build_robot(given.robot, read_options(given, ImportOptions), work, what).armature
    with work.clock("read"):
        return open_rig(given.robot, given.name, what)
