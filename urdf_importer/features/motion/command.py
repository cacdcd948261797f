# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer animate, sample and topics: recordings onto robots, and back."""

import argparse
from dataclasses import asdict
from typing import Any

from ...core.command.arguments import add_command, add_option_arguments, read_options
from ...core.command.blends import is_blend
from ...core.command.jobs import render, save
from ...core.command.loading import add_output, add_reading, add_robot, load_robot, plan_robot
from ...core.command.report import Work
from ...core.command.summary import Facts, count, describe_rows
from ...core.command.task import BLEND, PICTURE, Task, TaskOutput, UsageError
from ...core.diagnostics import Diagnostics, WriteError
from .command_episodes import add_episodes
from .command_limits import add_limit_arguments, add_limits, sample_within
from .datasets.servo_frames import SUFFIXES, write_servo_frames
from .fitting.recorded import Recorded
from .motions import write_trajectory
from .options import MotionOptions
from .recordings.formats import COUNTS, MOTION, motion_formats
from .recordings.read import list_topics, read_recorded
from .recordings.topics import Topic
from .trajectory import Trajectory


def add_commands(commands: Any) -> None:
    """Adds the commands."""
    _add_animate(commands)
    _add_sample(commands)
    add_limits(commands)
    add_episodes(commands)
    parser = add_command(
        commands,
        "topics",
        _plan_topics,
        help="list the topics of a recording",
        description="Lists the topics of a recording: name, type, number of messages, seconds, and "
        "whether they are read as a motion of joints or frames.",
    )
    parser.add_argument("recording", metavar="RECORDING", help="a bag, MCAP file, folder or text")


_READ = " ".join(each.suffix for each in motion_formats())


def _add_animate(commands: Any) -> None:
    parser = add_command(
        commands,
        "animate",
        _plan_animation,
        help="put recordings on a robot as keyframes",
        description="Puts recordings of joints, and planned trajectories, on a robot as "
        "keyframes: an action for each recording; the last action is shown.",
    )
    add_robot(parser)
    parser.add_argument("motions", nargs="+", metavar="MOTION", help=f"{_READ}, folder")
    add_output(parser, "OUT.blend", "the .blend to write")
    text = "the topic of the recordings, or an episode of a dataset; may be repeated"
    parser.add_argument("--topic", action="append", metavar="T", help=text)
    parser.add_argument("--fps", type=float, metavar="N", help="the scene's frames per second")
    parser.add_argument("--preview", metavar="OUT.png", help="render the robot in its first pose")
    add_option_arguments(parser, MotionOptions)
    add_reading(parser)


def _add_sample(commands: Any) -> None:
    parser = add_command(
        commands,
        "sample",
        _plan_sampling,
        help="write the motion of an animated robot as a trajectory",
        description="Writes the motion of a robot in a .blend, frame by frame, as a "
        "trajectory: after IK, limits, drivers, constraints and NLA.",
    )
    add_robot(parser, "the .blend with the robot")
    add_output(parser, "OUT", f"the motion: {' '.join(MOTION)}, folder; {COUNTS} for servos")
    parser.add_argument(
        "--servos", metavar="FILE", help="a table of servos: write their counts (.csv, .json, .h)"
    )
    parser.add_argument(
        "--rate", type=float, metavar="HZ", help="samples per second (default: one for each frame)"
    )
    parser.add_argument(
        "--frames", nargs=2, type=float, metavar=("A", "B"), help="first and last frame"
    )
    parser.add_argument("--links", action="store_true", help="every link as a frame too, as in /tf")
    parser.add_argument(
        "--retime",
        action="store_true",
        help="write it along the same path as fast as the robot's limits allow",
    )
    add_limit_arguments(parser)


def _plan_animation(given: argparse.Namespace) -> list[Task]:
    outputs = (
        TaskOutput(path=given.output, suffixes=BLEND),
        TaskOutput(path=given.preview, suffixes=PICTURE, argument="--preview"),
    )
    return plan_robot(given, _animate, *outputs, beside=tuple(given.motions))


def _animate(given: argparse.Namespace, work: Work) -> None:
    options = read_options(given, MotionOptions)
    # Recordings are read first: an unreadable one costs no import.
    read = _read_motions(given, options, work.diagnostics)
    armature = load_robot(given, "animating", work)
    from ...core.blender.curves import set_frame_rate
    from .blender.apply import apply_recorded

    if given.fps is not None:
        set_frame_rate(given.fps)
    with work.clock("animate"):
        motions = [
            apply_recorded(armature, each, options, work.diagnostics.about(each.source))
            for each in read
        ]
    render(armature, given.preview, work)
    save(given.output, work)
    work.notes = [f"{each.source}: {_describe(each)}" for each in motions]
    work.facts = {"robot": armature.name, "motions": [*map(_count, motions)]}
    work.summary = f"{armature.name}: {count(len(motions), 'motion')}"


def _read_motions(
    given: argparse.Namespace, options: MotionOptions, diagnostics: Diagnostics
) -> list[Recorded]:
    return [
        read_recorded(path, topic=topic, options=options, diagnostics=diagnostics.about(path))
        for path in given.motions
        for topic in given.topic or (None,)
    ]


def _plan_sampling(given: argparse.Namespace) -> list[Task]:
    if not is_blend(given.robot):
        raise UsageError("sample takes a robot in a .blend")
    suffixes = SUFFIXES if given.servos else (*MOTION, COUNTS)
    beside = (given.servos,) if given.servos else ()
    output = TaskOutput(path=given.output, suffixes=suffixes)
    return plan_robot(given, _sample, output, beside=beside)


def _sample(given: argparse.Namespace, work: Work) -> None:
    armature = load_robot(given, "reading a .blend", work)
    frames = None if given.frames is None else (given.frames[0], given.frames[1])
    from .blender.sample import sample_trajectory
    from .blender.servos import find_servos

    with work.clock("sample"):
        motion = sample_trajectory(armature, frame_range=frames, rate=given.rate, links=given.links)
        motion = sample_within(motion, armature, given, work)
    work.hold()
    with work.clock("save"):
        table = given.servos
        if not table and given.output.lower().endswith(COUNTS):
            table = find_servos(armature)
            if not table:
                raise WriteError(
                    f"{COUNTS} holds counts of servos, and the robot keeps no table: name one with "
                    "--servos"
                )
        if table:
            how: Any = {"rate": given.rate or 50.0, "diagnostics": work.diagnostics}
            work.add(write_servo_frames(motion, given.output, table, **how))
        else:
            work.add(*write_trajectory(motion, given.output, robot=armature))
    work.facts = {"robot": armature.name, "motions": [_count(motion)]}
    work.summary = f"{armature.name}: {_describe(motion)}"


def _count(motion: Trajectory) -> Facts:
    sizes = {"joints": motion.names, "samples": motion.times, "frames": motion.frames}
    return {name: len(each) for name, each in sizes.items()} | {"duration": _duration(motion)}


def _duration(motion: Trajectory) -> float:
    return max((motion.duration, *(float(each.times[-1]) for each in motion.frames)))


def _describe(motion: Trajectory) -> str:
    """Describes a motion in one line."""
    parts = [count(len(motion.names), "joint"), count(len(motion.times), "sample")]
    if motion.frames:
        parts.append(count(len(motion.frames), "frame"))
    return f"{', '.join(parts)}, {_duration(motion):.3f} s"


def _plan_topics(given: argparse.Namespace) -> list[Task]:
    return [Task(inputs=(given.recording,), options=given, run=_list_topics, strict=given.strict)]


def _list_topics(given: argparse.Namespace, work: Work) -> None:
    with work.clock("read"):
        topics = list_topics(given.recording)
    work.rows = describe_rows([*map(_row, topics)], numbers=(2, 3))
    work.facts = {"topics": [asdict(topic) for topic in topics]}


def _row(topic: Topic) -> tuple[str, str, str, str, str]:
    seconds = f"{(topic.end - topic.start) / 1e9:.3f} s"
    return topic.name or "-", topic.type, str(topic.count), seconds, topic.motion
