# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer limits: recordings beside the limits of a robot, and slow enough for these; and the
same for sampled motions."""

import argparse
from dataclasses import asdict
from typing import Any

from ...core.command.arguments import add_command, add_option_arguments, read_options
from ...core.command.loading import add_reading, add_robot, plan_robot, read_checked
from ...core.command.report import Work
from ...core.command.summary import count, describe_rows
from ...core.command.task import Task, TaskOutput
from ...core.diagnostics import quote
from .limits import Violation
from .motions import check_trajectory, retime_trajectory, robot_of_rig, write_trajectory
from .options import MotionOptions, RetimeOptions
from .recordings.formats import MOTION
from .recordings.read import read_recorded, settle_motion
from .trajectory import Trajectory

_COLUMNS = ("joint", "what", "reaches", "limit", "at")


def add_limits(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "limits",
        _plan,
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


def _plan(given: argparse.Namespace) -> list[Task]:
    output = TaskOutput(path=given.output, suffixes=MOTION)
    return plan_robot(given, _limits, output, beside=(given.motion,))


def _limits(given: argparse.Namespace, work: Work) -> None:
    robot, motion = open_with_motion(given, work)
    with work.clock("check"):
        own = work.diagnostics.about(given.motion)
        found = check_trajectory(robot, motion, limits=given.limits, diagnostics=own)
    work.rows += describe_rows([_COLUMNS, *map(_row, found)]) if found else []
    work.facts = {"violations": [asdict(each) for each in found]}
    if given.output is None:
        work.status = 1 if found else 0
        return
    work.hold()
    with work.clock("retime"):
        retimed = _retime(motion, robot, given)
        work.add(*write_trajectory(retimed, given.output))
    work.summary = (
        f"{given.motion}: {count(len(retimed.names), 'joint')}, "
        f"{count(len(retimed.times), 'sample')}, {retimed.duration:.3f} s instead of "
        f"{motion.duration:.3f} s"
    )


_READING = (
    "names",
    "prefix",
    "degrees",
    "units",
    "servos",
    "order",
    "time_unit",
    "rate",
    "columns",
)


def add_motion_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of reading the motion that a robot is compared with."""
    parser.add_argument("--topic", metavar="T", help="the topic of the recording")
    add_option_arguments(parser, MotionOptions, only=_READING)


def open_with_motion(given: argparse.Namespace, work: Work) -> tuple[Any, Trajectory]:
    """Opens the robot and reads the motion that it is compared with."""
    options = read_options(given, MotionOptions, _READING)
    how: Any = {"topic": given.topic, "options": options}
    # Read first: an unreadable one costs no robot. The robot then says which numbers are angles.
    own = work.diagnostics.about(given.motion)
    recorded = read_recorded(given.motion, diagnostics=own, **how)
    robot = read_checked(given, work)
    return robot, settle_motion(recorded, robot_of_rig(robot), options, own)


def _retime(motion: Trajectory, robot: Any, given: argparse.Namespace) -> Trajectory:
    options = read_options(given, RetimeOptions)
    return retime_trajectory(motion, robot=robot, limits=given.limits, options=options)


def _row(each: Violation) -> tuple[str, str, str, str, str]:
    return each.joint, each.kind, f"{each.value:.4g}", f"{each.limit:.4g}", f"{each.time:.3f} s"


def sample_within(
    motion: Trajectory, armature: Any, given: argparse.Namespace, work: Work
) -> Trajectory:
    """Returns a motion that was sampled, retimed if the arguments ask for it, and reports where it
    is beyond limits."""
    if given.retime:
        motion = _retime(motion, armature, given)
    own = work.diagnostics
    for each in check_trajectory(armature, motion, limits=given.limits, diagnostics=own):
        own.warning(
            "beyond-limits",
            f"joint {quote(each.joint)} is beyond its limit of {each.kind}, {each.limit:.4g}: "
            f"{each.value:.4g} at {each.time:.3f} s",
            subject=each.joint,
        )
    return motion
