# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer sense: the sensors of a robot over an animation, as a recording."""

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from .. import Diagnostics, ImportOptions, RecordOptions, RobotError, record_sensors
from .arguments import EPILOG, add_option_arguments, read_options
from .loading import load_robot
from .plans import check_outputs
from .summary import count
from .terminal import Terminal, silence_blender

_READING = ("xacro_args", "model", "parameters", "joint_parameters", "packages", "package_paths")


def add_sense(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "sense",
        help="record a robot's sensors over its animation",
        description="Records the sensors of a robot, in a .blend with its scene, over the frames "
        "of its animation, with /joint_states, /tf, /tf_static and /odom. An existing output is "
        "overwritten.",
        epilog=EPILOG,
    )
    parser.set_defaults(parser=parser, act=_sense)
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors")
    parser.add_argument("robot", metavar="ROBOT", help="a .blend with the robot, or a description")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="the recording: .mcap, .bag, or a folder of ROS 2",
    )
    parser.add_argument("--robot", dest="name", metavar="NAME", help="which of several in a .blend")
    parser.add_argument("--strict", action="store_true", help="take every diagnostic as a failure")
    parser.add_argument(
        "--sensors", metavar="A,B", help="names of the sensors that are recorded (default: all)"
    )
    own = [field.name for field in fields(RecordOptions) if field.name != "sensors"]
    add_option_arguments(parser, RecordOptions, only=own)
    add_option_arguments(parser, ImportOptions, only=_READING, heading="reading")


def _sense(given: argparse.Namespace, terminal: Terminal) -> int:
    output = Path(given.output)
    check_outputs([given.robot], [output])
    names = tuple(name.strip() for name in (given.sensors or "").split(",") if name.strip())
    options = replace(read_options(given, RecordOptions), sensors=names)
    diagnostics = Diagnostics(given.robot)
    with silence_blender():
        armature = load_robot(given, "sensing", diagnostics)
        if given.strict and len(diagnostics):
            terminal.diagnostics(tuple(diagnostics))
            raise RobotError(
                f"{count(len(diagnostics), 'diagnostic')}, and --strict takes each as a failure",
                source=given.robot,
            )
        files = record_sensors(armature, output, options=options, diagnostics=diagnostics)
    terminal.diagnostics(tuple(diagnostics))
    terminal.note(f"{given.output}: {count(len(files), 'file')} of the sensors")
    return 0
