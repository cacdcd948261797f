# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer animate, sample and topics: recordings onto robots, and back."""

import argparse
from pathlib import Path
from typing import Any

from .. import (
    Diagnostics,
    ImportOptions,
    MotionOptions,
    RobotError,
    Topic,
    Trajectory,
    import_robot,
    list_topics,
    motion_formats,
    read_trajectory,
    write_trajectory,
)
from ..files.outputs import check_output
from ..interrupts import hold_interrupt
from .arguments import EPILOG, add_option_arguments, read_options
from .blends import is_blend, open_robot
from .jobs import needing_blender
from .limits import add_limit_arguments, add_limits, sample_within
from .plans import UsageError, check_outputs
from .summary import count
from .terminal import Terminal, silence_blender, write_result

_READING = ("xacro_args", "model", "parameters", "joint_parameters", "packages", "package_paths")


def add_motions(commands: Any) -> None:
    """Adds the commands."""
    _add_animate(commands)
    _add_sample(commands)
    add_limits(commands)
    parser = commands.add_parser(
        "topics",
        help="list the topics of a recording",
        description="Lists the topics of a recording: name, type, number of messages, seconds, and "
        "whether they are read as a motion of joints or frames.",
        epilog=EPILOG,
    )
    _add_shared(parser, _list_topics)
    parser.add_argument("recording", metavar="RECORDING", help="a bag, MCAP file, folder or text")


def _add_shared(parser: argparse.ArgumentParser, act: Any) -> None:
    parser.set_defaults(parser=parser, act=act)
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors")


def _suffixes(*, read: bool) -> str:
    return " ".join(each.suffix for each in motion_formats() if read or each.is_written)


def _add_animate(commands: Any) -> None:
    parser = commands.add_parser(
        "animate",
        help="put recordings on a robot as keyframes",
        description="Puts recordings of joints, and planned trajectories, on a robot as "
        "keyframes: an action for each; the last one is shown.",
        epilog=EPILOG,
    )
    _add_shared(parser, _animate)
    parser.add_argument("robot", metavar="ROBOT", help="a robot description, or a .blend with one")
    parser.add_argument(
        "motions", nargs="+", metavar="MOTION", help=f"{_suffixes(read=True)}, folder"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT.blend", help="the .blend to write"
    )
    parser.add_argument("--topic", metavar="T", help="which topic of the recordings")
    parser.add_argument("--fps", type=float, metavar="N", help="the scene's frames per second")
    parser.add_argument("--preview", metavar="OUT.png", help="render the robot in its first pose")
    parser.add_argument(
        "--robot", dest="armature", metavar="NAME", help="which of several robots in a .blend"
    )
    parser.add_argument("--strict", action="store_true", help="take every diagnostic as a failure")
    add_option_arguments(parser, MotionOptions)
    add_option_arguments(parser, ImportOptions, only=_READING)


def _add_sample(commands: Any) -> None:
    parser = commands.add_parser(
        "sample",
        help="write the motion of an animated robot as a trajectory",
        description="Writes the motion of a robot in a .blend, frame by frame, as a "
        "trajectory: after IK, limits, drivers, constraints and NLA.",
        epilog=EPILOG,
    )
    _add_shared(parser, _sample)
    parser.add_argument("robot", metavar="ROBOT.blend", help="the .blend with the robot")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help=f"the motion: {_suffixes(read=False)}, folder",
    )
    parser.add_argument(
        "--rate", type=float, metavar="HZ", help="samples per second (default: one for each frame)"
    )
    parser.add_argument(
        "--frames", nargs=2, type=float, metavar=("A", "B"), help="first and last frame"
    )
    parser.add_argument("--links", action="store_true", help="every link as a frame too, as in /tf")
    parser.add_argument(
        "--robot", dest="armature", metavar="NAME", help="which of several robots in the .blend"
    )
    parser.add_argument("--strict", action="store_true", help="take every diagnostic as a failure")
    parser.add_argument(
        "--retime",
        action="store_true",
        help="write it along the same path as fast as the robot's limits allow",
    )
    add_limit_arguments(parser)


def _animate(given: argparse.Namespace, terminal: Terminal) -> int:
    output = Path(given.output)
    if output.suffix.lower() != ".blend":
        raise UsageError("-o has to end in .blend")
    if given.fps is not None and not 0.01 <= given.fps <= 30_000:
        raise UsageError("--fps has to be between 0.01 and 30000")
    if given.armature is not None and not is_blend(given.robot):
        raise UsageError("--robot says which robot of a .blend, and the robot is not in one")
    pictures = [] if given.preview is None else [Path(given.preview)]
    check_outputs([given.robot, *given.motions], [output, *pictures])
    options = read_options(given, MotionOptions)
    # Recordings are read first: an unreadable one costs no import.
    diagnostics = Diagnostics(given.robot)
    motions = [_read(path, given.topic, options, diagnostics) for path in given.motions]
    with silence_blender():
        armature = _open(given, diagnostics)
        from .. import apply_trajectory, render_preview, save_blend, set_frame_rate

        if given.fps is not None:
            set_frame_rate(given.fps)
        for motion in motions:
            apply_trajectory(armature, motion, options=options, diagnostics=diagnostics)
        if given.strict and len(diagnostics):
            terminal.diagnostics(tuple(diagnostics))
            raise RobotError(
                f"{count(len(diagnostics), 'diagnostic')}, and --strict takes each as a failure",
                source=given.robot,
            )
        if given.preview is not None:
            render_preview(armature, given.preview)
        save_blend(output)
    terminal.diagnostics(tuple(diagnostics))
    for path, motion in zip(given.motions, motions, strict=True):
        terminal.note(f"{path}: {_describe(motion)}")
    return 0


def _read(
    path: str, topic: str | None, options: MotionOptions, diagnostics: Diagnostics
) -> Trajectory:
    own = Diagnostics(path)
    motion = read_trajectory(path, topic, options, own)
    diagnostics.extend(own)
    return motion


def _open(given: argparse.Namespace, diagnostics: Diagnostics) -> Any:
    with needing_blender("animating"), hold_interrupt():
        if is_blend(given.robot):
            return open_robot(given.robot, given.armature)
        from .. import new_file

        new_file()
    result = import_robot(given.robot, options=read_options(given, ImportOptions))
    diagnostics.extend(result.diagnostics)
    return result.armature


def _sample(given: argparse.Namespace, terminal: Terminal) -> int:
    if not is_blend(given.robot):
        raise UsageError("sample takes a robot in a .blend")
    check_output(given.output)
    with silence_blender():
        with needing_blender("reading a .blend"), hold_interrupt():
            armature = open_robot(given.robot, given.armature)
        frames = None if given.frames is None else (given.frames[0], given.frames[1])
        from .. import sample_trajectory

        motion = sample_trajectory(armature, frames, rate=given.rate, links=given.links)
        motion = sample_within(motion, armature, given, terminal)
    for path in write_trajectory(motion, given.output):
        terminal.note(f"{path}: {_describe(motion)}")
    return 0


def _describe(motion: Trajectory) -> str:
    """Describes a motion in one line."""
    seconds = max((motion.duration, *(float(each.times[-1]) for each in motion.frames)))
    parts = [count(len(motion.names), "joint"), count(len(motion.times), "sample")]
    if motion.frames:
        parts.append(count(len(motion.frames), "frame"))
    return f"{', '.join(parts)}, {seconds:.3f} s"


def _list_topics(given: argparse.Namespace, terminal: Terminal) -> int:
    rows = [_row(topic) for topic in list_topics(given.recording)]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(5)]
    for row in rows:
        name, kind, number, seconds, motion = (
            each.rjust(width) if i in (2, 3) else each.ljust(width)
            for i, (each, width) in enumerate(zip(row, widths, strict=True))
        )
        write_result(f"{name}  {kind}  {number}  {seconds}  {motion}".rstrip())
    return 0


def _row(topic: Topic) -> tuple[str, str, str, str, str]:
    seconds = f"{(topic.end - topic.start) / 1e9:.3f} s"
    return topic.name or "-", topic.type, str(topic.count), seconds, topic.motion
