# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer retarget: a person's motion on a robot."""

import argparse
import math
from dataclasses import asdict
from typing import Any

from ...core.command.arguments import add_command, add_option_arguments, read_options
from ...core.command.blends import is_blend
from ...core.command.jobs import render, save
from ...core.command.loading import (
    add_output,
    add_reading,
    add_robot,
    load_robot,
    plan_robot,
    read_checked,
)
from ...core.command.report import Work
from ...core.command.task import BLEND, PICTURE, Task, TaskOutput, UsageError
from ...core.progress import finish, relay
from ..motion.motions import write_trajectory
from ..motion.recordings.formats import MOTION
from .options import RetargetOptions, RetargetResult
from .retarget import open_person, retarget_steps

_BVH = ".bvh"
_LAYOUTS = {"unitree": (".csv",), "tracking": (".npz",), "isaac": (".npz",)}


def add_commands(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "retarget",
        _plan,
        help="put a person's motion on a robot",
        description="Puts the motion of a person on a robot: limbs of both are found by geometry, "
        "joints stay within limits, standing feet stay in their place.",
    )
    add_robot(parser)
    parser.add_argument(
        "motion", metavar="MOTION", help=".bvh; with Blender .fbx .glb .gltf .blend too"
    )
    add_output(parser, "OUT", f".blend, or {' '.join(MOTION)}, folder")
    parser.add_argument(
        "--layout",
        choices=tuple(_LAYOUTS),
        help="unitree: a .csv for BeyondMimic and mjlab; tracking: an .npz with bodies; isaac: the "
        "same in the order of Isaac Lab",
    )
    parser.add_argument(
        "--rate", type=float, metavar="HZ", help="samples per second of a layout (30, and 50)"
    )
    parser.add_argument("--person", metavar="NAME", help="the armature that follows, of several")
    parser.add_argument("--preview", metavar="OUT.png", help="render the robot in its first pose")
    add_option_arguments(parser, RetargetOptions)
    add_reading(parser)


def _plan(given: argparse.Namespace) -> list[Task]:
    if given.rate is not None and not (given.layout and given.rate > 0.0):
        raise UsageError("--rate needs --layout and must be above zero")
    suffixes, argument = (*BLEND, *MOTION), "-o"
    if given.layout:
        suffixes, argument = _LAYOUTS[given.layout], f"with --layout {given.layout}, -o"
    elif given.preview is not None:
        suffixes, argument = BLEND, "with --preview, -o"
    outputs = (
        TaskOutput(path=given.output, suffixes=suffixes, argument=argument),
        TaskOutput(path=given.preview, suffixes=PICTURE, argument="--preview"),
    )
    return plan_robot(given, _retarget, *outputs, beside=(given.motion,))


def _retarget(given: argparse.Namespace, work: Work) -> None:
    options = read_options(given, RetargetOptions)
    to_blend, is_plain = is_blend(given.output), given.motion.lower().endswith(_BVH)
    source, robot = given.motion, None
    if to_blend or is_blend(given.robot) or not is_plain:
        robot = load_robot(given, "retargeting to or from Blender", work)
        if to_blend or not is_plain:
            source = open_person(given.motion, given.person)
    else:
        robot = read_checked(given, work)
    if to_blend and options.fps is not None:
        from ...core.blender.curves import set_frame_rate

        set_frame_rate(options.fps)
    with work.clock("retarget"):
        own = work.diagnostics.about(given.motion)
        steps = retarget_steps(source, robot, options=options, diagnostics=own)
        result = finish(relay(steps, work.show))
    if to_blend:
        render(robot, given.preview, work)
        save(given.output, work)
    else:
        work.hold()
        how: Any = {"layout": given.layout or "", "robot": robot, "rate": given.rate}
        with work.clock("save"):
            work.add(*write_trajectory(result.trajectory, given.output, **how))
    work.notes = _describe(result)
    work.facts = {
        "pairs": [asdict(each) for each in result.pairs],
        "limbs": [asdict(each) for each in result.limbs],
    }
    work.summary = f"{given.output}: {result.message}"


def _describe(result: RetargetResult) -> list[str]:
    lines = [f"{pair.limb}: {' > '.join(pair.bones)} | {pair.link}" for pair in result.pairs]
    for limb in result.limbs:
        at = f", at limits: {', '.join(limb.limited)}" if limb.limited else ""
        lines.append(
            f"{limb.limb}: median {math.degrees(limb.median):.1f}, 95 of 100 frames within "
            f"{math.degrees(limb.most):.1f} degrees{at}"
        )
    return lines
