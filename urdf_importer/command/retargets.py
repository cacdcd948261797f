# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer retarget: a person's motion on a robot."""

import argparse
import math
from pathlib import Path
from typing import Any

from .. import (
    Diagnostics,
    ImportOptions,
    RetargetOptions,
    RetargetResult,
    extract_robot,
    motion_formats,
    read_robot,
    retarget,
    write_trajectory,
)
from ..files.outputs import check_output
from ..pipeline.retargeting import open_person
from .arguments import add_option_arguments, read_options
from .blends import is_blend
from .loading import (
    add_command,
    add_output,
    add_reading,
    add_robot,
    add_strict,
    check_name,
    load_robot,
    report_diagnostics,
)
from .plans import UsageError, check_outputs
from .terminal import Terminal, silence_blender

_BVH = ".bvh"


def add_commands(commands: Any) -> None:
    """Adds the command."""
    written = " ".join(each.suffix for each in motion_formats() if each.is_written)
    parser = add_command(
        commands,
        "retarget",
        _retarget,
        help="put a person's motion on a robot",
        description="Puts the motion of a person on a robot: limbs of both are found by geometry, "
        "joints stay within limits, standing feet stay in their place.",
    )
    add_robot(parser)
    parser.add_argument(
        "motion", metavar="MOTION", help=".bvh; with Blender .fbx .glb .gltf .blend too"
    )
    add_output(parser, "OUT", f".blend, or {written}, folder")
    parser.add_argument(
        "--layout",
        choices=("unitree", "tracking", "isaac"),
        help="unitree: a .csv for BeyondMimic and mjlab; tracking: an .npz with bodies; isaac: the "
        "same in the order of Isaac Lab",
    )
    parser.add_argument(
        "--rate", type=float, metavar="HZ", help="samples per second of a layout (30, and 50)"
    )
    parser.add_argument("--person", metavar="NAME", help="the armature that follows, of several")
    parser.add_argument("--preview", metavar="OUT.png", help="render the robot in its first pose")
    add_strict(parser)
    add_option_arguments(parser, RetargetOptions)
    add_reading(parser)


def _retarget(given: argparse.Namespace, terminal: Terminal) -> int:
    options = read_options(given, RetargetOptions)
    to_blend = is_blend(given.output)
    _check_usage(given, to_blend=to_blend)
    check_output(given.output)
    check_outputs([given.robot, given.motion], [given.output, given.preview])
    diagnostics = Diagnostics(given.motion)
    in_blender = to_blend or is_blend(given.robot) or Path(given.motion).suffix.lower() != _BVH
    if in_blender:
        with silence_blender():
            result, robot = _follow_in_blender(given, options, diagnostics, to_blend=to_blend)
    else:
        robot = read_robot(given.robot, options=read_options(given, ImportOptions))
        result = retarget(given.motion, robot, options=options, diagnostics=diagnostics)
    report_diagnostics(given, terminal, diagnostics)
    if to_blend:
        from .. import save_blend

        with silence_blender():
            save_blend(given.output)
    else:
        how: Any = {"layout": given.layout or "", "robot": robot, "rate": given.rate}
        write_trajectory(result.trajectory, given.output, **how)
    _tell(result, given.output, terminal)
    return 0


def _check_usage(given: argparse.Namespace, *, to_blend: bool) -> None:
    if given.rate is not None and not (given.layout and given.rate > 0.0):
        raise UsageError("--rate needs --layout and must be above zero")
    if given.preview is not None and not to_blend:
        raise UsageError("--preview needs -o OUT.blend")
    if given.layout and to_blend:
        raise UsageError("a layout is written as .csv or .npz, not as .blend")
    check_name(given)


def _follow_in_blender(
    given: argparse.Namespace, options: RetargetOptions, diagnostics: Diagnostics, *, to_blend: bool
) -> tuple[RetargetResult, Any]:
    """Opens or imports both, and returns the result with the robot's description."""
    from .. import render_preview, set_frame_rate

    armature = load_robot(given, "retargeting to or from Blender", diagnostics)
    is_plain = Path(given.motion).suffix.lower() == _BVH and not to_blend
    source = given.motion if is_plain else open_person(given.motion, given.person)
    if to_blend and options.fps is not None:
        set_frame_rate(options.fps)
    result = retarget(source, armature, options=options, diagnostics=diagnostics)
    if given.preview is not None:
        render_preview(armature, given.preview)
    return result, extract_robot(armature)


def _tell(result: RetargetResult, output: str, terminal: Terminal) -> None:
    for pair in result.pairs:
        terminal.note(f"{pair.limb}: {' > '.join(pair.bones)} | {pair.link}")
    for limb in result.limbs:
        at = f", at limits: {', '.join(limb.limited)}" if limb.limited else ""
        terminal.note(
            f"{limb.limb}: median {math.degrees(limb.median):.1f}, 95 of 100 frames within "
            f"{math.degrees(limb.most):.1f} degrees{at}"
        )
    terminal.note(f"{output}: {result.message}")
