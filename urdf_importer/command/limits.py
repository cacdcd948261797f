# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer limits: recordings beside the limits of a robot, and slow enough for these; and the
same for sampled motions."""

import argparse
from collections.abc import Container, Sequence
from typing import Any

from .. import (
    Diagnostics,
    ImportOptions,
    MotionOptions,
    RetimeOptions,
    RobotError,
    Trajectory,
    Violation,
    check_trajectory,
    read_robot,
    read_trajectory,
    retime_trajectory,
    write_trajectory,
)
from ..diagnostics import quote
from ..files.outputs import check_output
from .arguments import add_option_arguments, read_options
from .blends import is_blend
from .jobs import open_rig
from .loading import add_command, add_reading, add_robot, check_name
from .plans import check_outputs
from .summary import count
from .terminal import Terminal, silence_blender, write_result

_COLUMNS = ("joint", "what", "reaches", "limit", "at")


def add_limits(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "limits",
        _limits,
        help="compare a recording with the limits of a robot",
        description="Lists where a motion is beyond the limits of a robot, the worst of each joint "
        "first. With -o it writes the motion along the same path as fast as the limits allow. "
        "Without, the exit status is 1 where something is beyond.",
    )
    add_robot(parser)
    parser.add_argument("motion", metavar="MOTION", help="a recording or a planned trajectory")
    parser.add_argument("-o", "--output", metavar="OUT", help="the retimed motion to write")
    add_motion_arguments(parser)
    add_limit_arguments(parser)
    add_reading(parser)


def add_limit_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of limits and retiming."""
    parser.add_argument(
        "--limits",
        metavar="FILE",
        help="MoveIt's joint_limits.yaml: it overrides the description",
    )
    add_option_arguments(parser, RetimeOptions)


def _limits(given: argparse.Namespace, terminal: Terminal) -> int:
    check_name(given)
    if given.output is not None:
        check_output(given.output)
        check_outputs([given.robot, given.motion], [given.output])
    diagnostics = Diagnostics(given.motion)
    robot, motion = open_with_motion(given, diagnostics)
    found = check_trajectory(robot, motion, limits=given.limits, diagnostics=diagnostics)
    terminal.diagnostics(tuple(diagnostics))
    write_rows([_COLUMNS, *map(_row, found)] if found else [])
    if given.output is None:
        return 1 if found else 0
    retimed = _retime(motion, robot, given)
    for path in write_trajectory(retimed, given.output):
        terminal.note(f"{path}: {describe_retiming(motion, retimed)}")
    return 0


def open_checked(given: argparse.Namespace, diagnostics: Diagnostics) -> Any:
    """Opens the robot that a motion is compared with."""
    if is_blend(given.robot):
        with silence_blender():
            return open_rig(given.robot, given.name)
    own, options = diagnostics.about(given.robot), read_options(given, ImportOptions)
    return read_robot(given.robot, diagnostics=own, options=options)


_READING = ("degrees", "rate", "columns")


def add_motion_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of reading the motion that a robot is compared with."""
    parser.add_argument("--topic", metavar="T", help="the topic of the recording")
    add_option_arguments(parser, MotionOptions, only=_READING)


def open_with_motion(given: argparse.Namespace, diagnostics: Diagnostics) -> tuple[Any, Trajectory]:
    """Opens the robot and reads the motion that it is compared with."""
    options = read_options(given, MotionOptions, _READING)
    how: Any = {"topic": given.topic, "options": options}
    # Read first: an unreadable one costs no robot. The robot then says which numbers are angles.
    own = diagnostics.about(given.motion)
    motion = read_trajectory(given.motion, diagnostics=own, **how)
    robot = open_checked(given, diagnostics)
    if options.degrees:
        motion = read_trajectory(given.motion, robot=robot, **how)
    return robot, motion


def _retime(motion: Trajectory, robot: Any, given: argparse.Namespace) -> Trajectory:
    options = read_options(given, RetimeOptions)
    return retime_trajectory(motion, robot=robot, limits=given.limits, options=options)


def write_rows(rows: Sequence[Sequence[str]], numbers: Container[int] = (2, 3, 4)) -> None:
    """Writes a table; the columns of numbers are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            each.rjust(width) if i in numbers else each.ljust(width)
            for i, (each, width) in enumerate(zip(row, widths, strict=True))
        ]
        write_result("  ".join(cells).rstrip())


def _row(each: Violation) -> tuple[str, str, str, str, str]:
    return each.joint, each.kind, f"{each.value:.4g}", f"{each.limit:.4g}", f"{each.time:.3f} s"


def sample_within(
    motion: Trajectory, armature: Any, given: argparse.Namespace, terminal: Terminal
) -> Trajectory:
    """Returns a motion that was sampled, retimed if the arguments ask for it, and reports its
    violations of limits. Raises RobotError for that with --strict."""
    diagnostics = Diagnostics(given.robot)
    if given.retime:
        motion = _retime(motion, armature, given)
    found = check_trajectory(armature, motion, limits=given.limits, diagnostics=diagnostics)
    terminal.diagnostics(tuple(diagnostics))
    for each in found:
        terminal.note(
            f"{given.robot}: joint {quote(each.joint)} is beyond its limit of {each.kind}, "
            f"{each.limit:.4g}: {each.value:.4g} at {each.time:.3f} s"
        )
    faults = diagnostics.count_faults()
    if given.strict and (found or faults):
        what = f"{count(len(found), 'limit')} and {count(faults, 'diagnostic')}"
        raise RobotError(
            f"{what} are listed above, and --strict takes each as a failure", source=given.robot
        )
    return motion


def describe_retiming(motion: Trajectory, retimed: Trajectory) -> str:
    """Describes in one line how long a motion takes now."""
    return (
        f"{count(len(retimed.names), 'joint')}, {count(len(retimed.times), 'sample')}, "
        f"{retimed.duration:.3f} s instead of {motion.duration:.3f} s"
    )
