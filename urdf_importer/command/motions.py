# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer animate, sample and topics: recordings onto robots, and back."""

import argparse
from typing import Any

from .. import (
    Diagnostics,
    MotionOptions,
    Topic,
    Trajectory,
    list_topics,
    motion_formats,
    read_trajectory,
    write_trajectory,
)
from ..files.outputs import check_output
from .arguments import add_option_arguments, read_options
from .blends import is_blend
from .limits import add_limit_arguments, add_limits, sample_within, write_rows
from .loading import (
    add_command,
    add_output,
    add_reading,
    add_robot,
    add_strict,
    check_name,
    check_scene,
    load_robot,
    report_diagnostics,
)
from .plans import UsageError, check_outputs
from .summary import count
from .terminal import Terminal, silence_blender


def add_commands(commands: Any) -> None:
    """Adds the commands."""
    _add_animate(commands)
    _add_sample(commands)
    add_limits(commands)
    parser = add_command(
        commands,
        "topics",
        _list_topics,
        help="list the topics of a recording",
        description="Lists the topics of a recording: name, type, number of messages, seconds, and "
        "whether they are read as a motion of joints or frames.",
    )
    parser.add_argument("recording", metavar="RECORDING", help="a bag, MCAP file, folder or text")


def _suffixes(*, read: bool) -> str:
    return " ".join(each.suffix for each in motion_formats() if read or each.is_written)


def _add_animate(commands: Any) -> None:
    parser = add_command(
        commands,
        "animate",
        _animate,
        help="put recordings on a robot as keyframes",
        description="Puts recordings of joints, and planned trajectories, on a robot as "
        "keyframes: an action for each recording; the last action is shown.",
    )
    add_robot(parser)
    parser.add_argument(
        "motions", nargs="+", metavar="MOTION", help=f"{_suffixes(read=True)}, folder"
    )
    add_output(parser, "OUT.blend", "the .blend to write")
    parser.add_argument("--topic", metavar="T", help="the topic of the recordings")
    parser.add_argument("--fps", type=float, metavar="N", help="the scene's frames per second")
    parser.add_argument("--preview", metavar="OUT.png", help="render the robot in its first pose")
    add_strict(parser)
    add_option_arguments(parser, MotionOptions)
    add_reading(parser)


def _add_sample(commands: Any) -> None:
    parser = add_command(
        commands,
        "sample",
        _sample,
        help="write the motion of an animated robot as a trajectory",
        description="Writes the motion of a robot in a .blend, frame by frame, as a "
        "trajectory: after IK, limits, drivers, constraints and NLA.",
    )
    add_robot(parser, "the .blend with the robot")
    add_output(parser, "OUT", f"the motion: {_suffixes(read=False)}, folder")
    parser.add_argument(
        "--rate", type=float, metavar="HZ", help="samples per second (default: one for each frame)"
    )
    parser.add_argument(
        "--frames", nargs=2, type=float, metavar=("A", "B"), help="first and last frame"
    )
    parser.add_argument("--links", action="store_true", help="every link as a frame too, as in /tf")
    add_strict(parser)
    parser.add_argument(
        "--retime",
        action="store_true",
        help="write it along the same path as fast as the robot's limits allow",
    )
    add_limit_arguments(parser)


def _animate(given: argparse.Namespace, terminal: Terminal) -> int:
    output = check_scene(given)
    check_name(given)
    check_outputs([given.robot, *given.motions], [output, given.preview])
    options = read_options(given, MotionOptions)
    # Recordings are read first: an unreadable one costs no import.
    diagnostics = Diagnostics(given.robot)
    motions = _read_motions(given, options, diagnostics)
    with silence_blender():
        armature = load_robot(given, "animating", diagnostics)
        from .. import apply_trajectory, render_preview, save_blend, set_frame_rate

        if options.degrees:
            # The robot says which numbers are angles.
            motions = _read_motions(given, options, Diagnostics(), armature)
        if given.fps is not None:
            set_frame_rate(given.fps)
        for motion in motions:
            apply_trajectory(armature, motion, options=options, diagnostics=diagnostics)
        report_diagnostics(given, terminal, diagnostics)
        if given.preview is not None:
            render_preview(armature, given.preview)
        save_blend(output)
    for path, motion in zip(given.motions, motions, strict=True):
        terminal.note(f"{path}: {_describe(motion)}")
    return 0


def _read_motions(
    given: argparse.Namespace, options: MotionOptions, diagnostics: Diagnostics, robot: Any = None
) -> list[Trajectory]:
    how: Any = {"topic": given.topic, "robot": robot, "options": options}
    return [
        read_trajectory(path, diagnostics=diagnostics.about(path), **how) for path in given.motions
    ]


def _sample(given: argparse.Namespace, terminal: Terminal) -> int:
    if not is_blend(given.robot):
        raise UsageError("sample takes a robot in a .blend")
    check_output(given.output)
    with silence_blender():
        armature = load_robot(given, "reading a .blend", Diagnostics())
        frames = None if given.frames is None else (given.frames[0], given.frames[1])
        from .. import sample_trajectory

        motion = sample_trajectory(armature, frame_range=frames, rate=given.rate, links=given.links)
        motion = sample_within(motion, armature, given, terminal)
    for path in write_trajectory(motion, given.output, robot=armature):
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
    write_rows([_row(topic) for topic in list_topics(given.recording)], numbers=(2, 3))
    return 0


def _row(topic: Topic) -> tuple[str, str, str, str, str]:
    seconds = f"{(topic.end - topic.start) / 1e9:.3f} s"
    return topic.name or "-", topic.type, str(topic.count), seconds, topic.motion
