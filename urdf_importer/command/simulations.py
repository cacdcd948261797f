# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer simulate: a robot that falls, is pushed, or follows its motion."""

import argparse
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from .. import (
    Diagnostics,
    ImportOptions,
    RobotError,
    Simulation,
    SimulationOptions,
    simulate,
    write_trajectory,
)
from ..pipeline.simulating import shown_at_end
from .arguments import EPILOG, add_option_arguments, read_options
from .loading import load_robot
from .plans import UsageError, check_outputs
from .summary import count
from .terminal import Terminal, silence_blender

_READING = ("xacro_args", "parameters", "joint_parameters", "packages", "package_paths")

_SEVERAL = {
    "pushes": ("--push", "LINK,FX,FY,FZ,START,SECONDS"),
    "colliders": ("--collider", "OBJECT"),
}


def add_simulate(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "simulate",
        help="let a robot fall, push it, or let it follow its motion, into a .blend",
        description="Simulates a robot, a description or one in a .blend, from the first frame and "
        "the pose that is shown, and keys its motion. Existing outputs are overwritten.",
        epilog=EPILOG,
    )
    parser.set_defaults(parser=parser, act=_simulate)
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors")
    parser.add_argument("robot", metavar="ROBOT", help="a description, or a .blend with the robot")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.blend", help="the .blend")
    parser.add_argument(
        "--seconds", type=float, default=2.0, metavar="S", help="how long (default: 2)"
    )
    parser.add_argument(
        "--fps", type=float, metavar="N", help="frames per second (default: the scene's)"
    )
    parser.add_argument(
        "--trajectory", metavar="OUT", help="the states of the engine as a recording"
    )
    parser.add_argument("--preview", metavar="OUT.png", help="a picture of the last frame")
    parser.add_argument("--robot", dest="name", metavar="NAME", help="which of several in a .blend")
    parser.add_argument("--strict", action="store_true", help="take every diagnostic as a failure")
    own = [field for field in fields(SimulationOptions) if field.name not in ("model", *_SEVERAL)]
    add_option_arguments(parser, SimulationOptions, only=[field.name for field in own])
    helps = {field.name: field.metadata["help"] for field in fields(SimulationOptions)}
    for name, (flag, form) in _SEVERAL.items():
        text = f"{helps[name]} (may be repeated)"
        parser.add_argument(flag, dest=name, action="append", default=[], metavar=form, help=text)
    # Of its own name in the namespace: an import's `model` is another thing.
    parser.add_argument(
        "--model", dest="written", metavar="OUT.xml", help="the very MJCF that MuJoCo ran"
    )
    add_option_arguments(parser, ImportOptions, only=_READING, heading="reading")


def _simulate(given: argparse.Namespace, terminal: Terminal) -> int:
    output = Path(given.output)
    if output.suffix.lower() != ".blend":
        raise UsageError("-o has to end in .blend")
    if given.fps is not None and not 0.01 <= given.fps <= 30_000:
        raise UsageError("--fps has to be between 0.01 and 30000")
    options = replace(
        read_options(given, SimulationOptions),
        model=given.written or "",
        pushes=given.pushes,
        colliders=given.colliders,
    )
    more = [given.trajectory, given.preview, options.model]
    check_outputs([given.robot], [output, *(Path(each) for each in more if each)])
    diagnostics = Diagnostics(given.robot)
    with silence_blender():
        armature = load_robot(given, "simulating", diagnostics)
        from .. import render_preview, save_blend, set_frame_rate

        if given.fps is not None:
            set_frame_rate(given.fps)
        found = simulate(armature, given.seconds, options=options, diagnostics=diagnostics)
        if given.strict and len(diagnostics):
            terminal.diagnostics(tuple(diagnostics))
            raise RobotError(
                f"{count(len(diagnostics), 'diagnostic')}, and --strict takes each as a failure",
                source=given.robot,
            )
        if given.preview is not None:
            with shown_at_end(found):
                render_preview(armature, given.preview)
        save_blend(output)
    if given.trajectory is not None:
        write_trajectory(found.trajectory, given.trajectory)
    terminal.diagnostics(tuple(diagnostics))
    _report(found, given, terminal)
    return 0


def _report(found: Simulation, given: argparse.Namespace, terminal: Terminal) -> None:
    where = f"{count(len(found.frames), 'frame')} by {found.engine}"
    terminal.note(f"{given.output}: {where}, at most {1000 * found.drift:.2g} mm off its states")
    for each in found.overloads:
        terminal.note(
            f"joint {each.joint} gives all its effort, {each.effort:g}, for "
            f"{100 * each.share:.0f} % of the time, from frame {each.frame} on"
        )
