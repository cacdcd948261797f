# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer sense: the sensors of a robot over an animation, as a recording."""

import argparse
from pathlib import Path
from typing import Any

from .. import Diagnostics, RecordOptions, record_sensors
from .arguments import add_option_arguments, add_own_argument, read_options, split_names
from .loading import (
    add_command,
    add_output,
    add_reading,
    add_robot,
    add_strict,
    load_robot,
    report_diagnostics,
)
from .plans import check_outputs
from .summary import count
from .terminal import Terminal, silence_blender


def add_commands(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "sense",
        _sense,
        help="record a robot's sensors over its animation",
        description="Records the sensors of a robot, in a .blend with its scene, over the frames "
        "of its animation, with /joint_states, /tf, /tf_static and /odom. An existing output is "
        "overwritten.",
    )
    add_robot(parser)
    add_output(parser, "OUT", "the recording: .mcap, .bag, or a folder of ROS 2")
    add_strict(parser)
    text = "names of the sensors that are recorded (default: all)"
    add_own_argument(parser, "sensors", "--sensors", type=split_names, metavar="A,B", help=text)
    add_option_arguments(parser, RecordOptions, but=("sensors",))
    add_reading(parser, heading="reading")


def _sense(given: argparse.Namespace, terminal: Terminal) -> int:
    output = Path(given.output)
    check_outputs([given.robot], [output])
    options = read_options(given, RecordOptions)
    diagnostics = Diagnostics(given.robot)
    with silence_blender():
        armature = load_robot(given, "sensing", diagnostics)
        report_diagnostics(given, terminal, diagnostics)
        known = len(diagnostics)
        files = record_sensors(armature, output, options=options, diagnostics=diagnostics)
    terminal.diagnostics(tuple(diagnostics)[known:])
    terminal.note(f"{given.output}: recorded, {count(len(files), 'file')}")
    return 0
