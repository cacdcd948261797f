# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer sense: the sensors of a robot over an animation, as a recording."""

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from .. import Diagnostics, RecordOptions, record_sensors
from .arguments import add_option_arguments, read_options
from .loading import (
    add_command,
    add_reading,
    add_robot,
    add_strict,
    load_robot,
    refuse_strictly,
)
from .plans import check_outputs
from .summary import count
from .terminal import Terminal, silence_blender


def add_sense(commands: Any) -> None:
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
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="the recording: .mcap, .bag, or a folder of ROS 2",
    )
    add_strict(parser)
    parser.add_argument(
        "--sensors", metavar="A,B", help="names of the sensors that are recorded (default: all)"
    )
    own = [field.name for field in fields(RecordOptions) if field.name != "sensors"]
    add_option_arguments(parser, RecordOptions, only=own)
    add_reading(parser, heading="reading")


def _sense(given: argparse.Namespace, terminal: Terminal) -> int:
    output = Path(given.output)
    check_outputs([given.robot], [output])
    names = tuple(name.strip() for name in (given.sensors or "").split(",") if name.strip())
    options = replace(read_options(given, RecordOptions), sensors=names)
    diagnostics = Diagnostics(given.robot)
    with silence_blender():
        armature = load_robot(given, "sensing", diagnostics)
        refuse_strictly(given, terminal, diagnostics)
        files = record_sensors(armature, output, options=options, diagnostics=diagnostics)
    terminal.diagnostics(tuple(diagnostics))
    terminal.note(f"{given.output}: recorded, {count(len(files), 'file')}")
    return 0
