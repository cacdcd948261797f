# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer sense: the sensors of a robot over an animation, as a recording."""

import argparse
from pathlib import Path
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
    split_names,
)
from ...core.command.loading import add_output, add_reading, add_robot, load_robot, plan_robot
from ...core.command.report import Work
from ...core.command.task import Task, TaskOutput
from ...core.progress import Progress, finish, relay
from ..motion.recordings.formats import RECORDING
from .options import RecordOptions
from .record import record_steps


def add_commands(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "sense",
        _plan,
        help="record a robot's sensors over its animation",
        description="Records the sensors of a robot, in a .blend with its scene, over the frames "
        "of its animation, with /joint_states, /tf, /tf_static and /odom. An existing output is "
        "overwritten.",
    )
    add_robot(parser)
    add_output(parser, "OUT", "the recording: .mcap, .bag, or a folder of ROS 2")
    text = "names of the sensors to record (default: all)"
    add_own_argument(parser, "sensors", "--sensors", type=split_names, metavar="A,B", help=text)
    add_option_arguments(parser, RecordOptions, but=("sensors",))
    add_reading(parser, heading="reading")


def _plan(given: argparse.Namespace) -> list[Task]:
    return plan_robot(given, _sense, TaskOutput(path=given.output, suffixes=RECORDING))


def _sense(given: argparse.Namespace, work: Work) -> None:
    armature = load_robot(given, "sensing", work)

    def show(done: Progress) -> None:
        # Closed at the first fault, the recording is never put in its place.
        work.show(done)
        work.hold()

    with work.clock("sense"):
        options = read_options(given, RecordOptions)
        own = work.diagnostics
        steps = record_steps(armature, Path(given.output), options=options, diagnostics=own)
        work.add(*finish(relay(steps, show)))
    work.facts = {"robot": armature.name}
    work.summary = f"{armature.name}: recorded"
