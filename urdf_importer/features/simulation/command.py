# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer simulate: a robot that falls, is pushed, or follows its motion."""

import argparse
from contextlib import nullcontext
from dataclasses import asdict, fields, replace
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
)
from ...core.command.jobs import render, save
from ...core.command.loading import add_output, add_reading, add_robot, load_robot, plan_robot
from ...core.command.report import Work
from ...core.command.summary import count
from ...core.command.task import BLEND, PICTURE, Task, TaskOutput
from ...core.progress import finish, relay
from ..motion.motions import write_trajectory
from ..motion.recordings.formats import MOTION
from .options import SimulationOptions
from .simulate import shown_at_end, simulation_steps

_SEVERAL = {
    "pushes": ("--push", "LINK,FX,FY,FZ,START,SECONDS"),
    "colliders": ("--collider", "OBJECT"),
}


def add_commands(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "simulate",
        _plan,
        help="let a robot fall, push it, or let it follow its motion, into a .blend",
        description="Simulates a robot, a description or one in a .blend, from the first frame and "
        "the pose that is shown, and keys its motion. Existing outputs are overwritten.",
    )
    add_robot(parser)
    add_output(parser, "OUT.blend", "the .blend")
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
    add_option_arguments(parser, SimulationOptions, but=("model", *_SEVERAL))
    helps = {field.name: field.metadata["help"] for field in fields(SimulationOptions)}
    for name, (flag, form) in _SEVERAL.items():
        text = f"{helps[name]} (may be repeated)"
        add_own_argument(parser, name, flag, action="append", metavar=form, help=text)
    # Of its own name in the namespace: an import's `model` is another thing.
    parser.add_argument(
        "--model", dest="written", metavar="OUT.xml", help="the exact MJCF that MuJoCo ran"
    )
    add_reading(parser, "model", heading="reading")


def _plan(given: argparse.Namespace) -> list[Task]:
    outputs = (
        TaskOutput(path=given.output, suffixes=BLEND),
        TaskOutput(path=given.trajectory, suffixes=MOTION, argument="--trajectory"),
        TaskOutput(path=given.preview, suffixes=PICTURE, argument="--preview"),
        TaskOutput(path=given.written, suffixes=(".xml",), argument="--model"),
    )
    return plan_robot(given, _simulate, *outputs)


def _simulate(given: argparse.Namespace, work: Work) -> None:
    options = replace(read_options(given, SimulationOptions), model=given.written or "")
    armature = load_robot(given, "simulating", work)
    from ...core.blender.curves import set_frame_rate

    if given.fps is not None:
        set_frame_rate(given.fps)
    with work.clock("simulate"):
        own = work.diagnostics
        steps = simulation_steps(armature, given.seconds, options=options, diagnostics=own)
        found = finish(relay(steps, work.show))
    with shown_at_end(found) if given.preview else nullcontext():
        render(armature, given.preview, work)
    save(given.output, work)
    if given.trajectory is not None:
        work.add(*write_trajectory(found.trajectory, given.trajectory))
    work.add(*filter(None, [given.written]))
    work.facts = {
        "robot": armature.name,
        "engine": found.engine,
        "frames": len(found.frames),
        "drift": found.drift,
        "efforts": {each.joint: asdict(each) for each in found.efforts},
        "overloads": {each.joint: asdict(each) for each in found.overloads},
    }
    work.notes = [
        f"joint {each.joint} gives all its effort, {each.effort:g}, for "
        f"{100 * each.share:.0f} % of the time, from frame {each.frame} on"
        for each in found.overloads
    ]
    where = f"{count(len(found.frames), 'frame')} by {found.engine}"
    work.summary = f"{armature.name}: {where}, at most {1000 * found.drift:.2g} mm off its states"
