# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer simulate: a robot that falls, is pushed, or follows its motion."""

import argparse
from dataclasses import asdict, fields, replace
from typing import Any

from .. import Diagnostics, Simulation, SimulationOptions, simulate, write_trajectory
from ..files.outputs import write_text
from ..pipeline.simulating import shown_at_end
from .arguments import add_option_arguments, add_own_argument, read_options
from .loading import (
    add_command,
    add_output,
    add_reading,
    add_robot,
    add_strict,
    check_scene,
    load_robot,
    report_diagnostics,
)
from .plans import check_outputs
from .report import Report
from .summary import count
from .terminal import Terminal, silence_blender, write_result

_SEVERAL = {
    "pushes": ("--push", "LINK,FX,FY,FZ,START,SECONDS"),
    "colliders": ("--collider", "OBJECT"),
}


def add_commands(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "simulate",
        _simulate,
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
    add_strict(parser)
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write a report as JSON, with the efforts of motors; - for standard output",
    )
    add_option_arguments(parser, SimulationOptions, but=("model", *_SEVERAL))
    helps = {field.name: field.metadata["help"] for field in fields(SimulationOptions)}
    for name, (flag, form) in _SEVERAL.items():
        text = f"{helps[name]} (may be repeated)"
        add_own_argument(parser, name, flag, action="append", metavar=form, help=text)
    # Of its own name in the namespace: an import's `model` is another thing.
    parser.add_argument(
        "--model", dest="written", metavar="OUT.xml", help="the very MJCF that MuJoCo ran"
    )
    add_reading(parser, "model", heading="reading")


def _simulate(given: argparse.Namespace, terminal: Terminal) -> int:
    output = check_scene(given)
    options = replace(read_options(given, SimulationOptions), model=given.written or "")
    outputs = [output, given.trajectory, given.preview, given.written]
    check_outputs([given.robot], [each or None for each in outputs], given.json)
    diagnostics = Diagnostics(given.robot)
    with silence_blender():
        armature = load_robot(given, "simulating", diagnostics)
        from .. import render_preview, save_blend, set_frame_rate

        if given.fps is not None:
            set_frame_rate(given.fps)
        found = simulate(armature, seconds=given.seconds, options=options, diagnostics=diagnostics)
        report_diagnostics(given, terminal, diagnostics)
        if given.preview is not None:
            with shown_at_end(found):
                render_preview(armature, given.preview)
        save_blend(output)
    if given.trajectory is not None:
        write_trajectory(found.trajectory, given.trajectory)
    _report(found, given, terminal)
    if given.json is not None:
        _write_json(found, given)
    return 0


def _write_json(found: Simulation, given: argparse.Namespace) -> None:
    facts = {"engine": found.engine, "frames": len(found.frames), "drift": found.drift}
    told = {
        "efforts": {each.joint: asdict(each) for each in found.efforts},
        "overloads": {each.joint: asdict(each) for each in found.overloads},
    }
    files = [given.output, given.trajectory, given.preview, given.written]
    report = Report(
        input=given.robot,
        facts={**facts, **told},
        files=tuple(str(each) for each in files if each),
        diagnostics=found.diagnostics,
    )
    if given.json == "-":
        write_result(report.to_json())
    else:
        write_text(given.json, report.to_json() + "\n")


def _report(found: Simulation, given: argparse.Namespace, terminal: Terminal) -> None:
    where = f"{count(len(found.frames), 'frame')} by {found.engine}"
    terminal.note(f"{given.output}: {where}, at most {1000 * found.drift:.2g} mm off its states")
    for each in found.overloads:
        terminal.note(
            f"joint {each.joint} gives all its effort, {each.effort:g}, for "
            f"{100 * each.share:.0f} % of the time, from frame {each.frame} on"
        )
