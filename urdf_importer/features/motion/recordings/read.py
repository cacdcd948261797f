# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of every kind -> trajectories: which reader a file gets."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ....core.arguments import diagnostics_of, options_of
from ....core.diagnostics import (
    ArgumentError,
    Diagnostics,
    KinematicsError,
    ReadError,
    name_choices,
    quote,
    quote_value,
)
from ....core.files.regular import decode_utf8, read_regular_file
from ....core.kinematics.tree import retrace_tree
from ....core.model import Robot
from ..gather import Gathered, assemble
from ..names import match_names
from ..options import MotionOptions
from ..trajectory import NANOSECONDS, Trajectory
from . import arrays, tables, trees
from .formats import ARRAYS, JSON, TABLE, YAML, motion_formats, usual_suffixes
from .motions import Collector
from .recorded import STREAMS, list_streams, read_stream
from .topics import Topic

AnyPath = str | os.PathLike[str]


def list_topics(path: AnyPath) -> tuple[Topic, ...]:
    """Returns a recording's topics, by name. A table or a text holds one topic without a name.
    Raises ReadError for anything else."""
    source = os.fspath(path)
    if _is_stream(source):
        return list_streams(source)
    trajectory = read_trajectory(path)
    start = trajectory.start_time
    is_command = trajectory.interpolation == "spline"
    topic = Topic(
        name="",
        type="trajectory_msgs/JointTrajectory" if is_command else "sensor_msgs/JointState",
        count=len(trajectory.times),
        start=start,
        end=start + round(trajectory.duration * NANOSECONDS),
        motion="joints" if trajectory.names else "frames",
    )
    return (topic,)


_PEOPLE = {".bvh", ".fbx"}
"""Suffixes of files with people's motion."""


def read_trajectory(
    path: AnyPath,
    *,
    topic: str | None = None,
    robot: Robot | None = None,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Trajectory:
    """Does as the function of this name in features/motion/motions.py does, for a `Robot`."""
    source = os.fspath(path)
    options = options_of(options, MotionOptions)
    diagnostics = diagnostics_of(diagnostics, source)
    try:
        found = _read(source, topic, options, diagnostics)
        return _turn_degrees(found, robot, options) if options.degrees else found
    except (ReadError, KinematicsError) as error:
        if error.source:
            raise
        raise ReadError(error.message, source=source, line=error.line) from None


def _turn_degrees(
    trajectory: Trajectory, robot: Robot | None, options: MotionOptions
) -> Trajectory:
    """Turns angles into radians; travel stays, where the robot says which joints slide."""
    slides = set[str]()
    if robot is not None and trajectory.names:
        kinds = {m.joint.name: m.kind for m in retrace_tree(robot).joint_motions if m.is_scalar}
        given = dict(options.names)
        found = match_names(trajectory.names, kinds, given, options.prefix, Diagnostics())
        slides = {name for name, joint in found.items() if kinds[joint] == "prismatic"}
    turns = [name not in slides for name in trajectory.names]
    arrays: dict[str, Any] = {
        kind: np.where(turns, np.radians(array), array)
        for kind in ("positions", "velocities", "accelerations")
        if (array := getattr(trajectory, kind)) is not None
    }
    return replace(trajectory, **arrays)


def trajectory_of(
    given: Trajectory | AnyPath,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
    robot: Robot | None = None,
) -> Trajectory:
    """Returns a trajectory unchanged, and reads one from a path as read_trajectory does. Raises
    ArgumentError for anything else."""
    if isinstance(given, str | os.PathLike):
        return read_trajectory(given, robot=robot, options=options, diagnostics=diagnostics)
    if not isinstance(given, Trajectory):
        raise ArgumentError(
            "a motion is given as a Trajectory, which read_trajectory returns, or as a path, not "
            f"as {quote_value(given)}"
        )
    return given


def _read(
    source: str, topic: str | None, options: MotionOptions, diagnostics: Diagnostics
) -> Trajectory:
    if _is_stream(source):
        chosen, gathered = read_stream(source, topic, options, diagnostics)
        return assemble(gathered, diagnostics, source=source, topic=chosen)
    suffix = Path(source).suffix.lower()
    if not any(suffix in each.suffixes for each in (TABLE, JSON, YAML, ARRAYS)):
        choices = name_choices(usual_suffixes(motion_formats()))
        advice = "; `retarget` puts a person's motion on a robot" if suffix in _PEOPLE else ""
        raise ReadError(f"a recording ends in {choices}, not in {quote(suffix)}{advice}")
    if topic is not None:
        raise ReadError(f"the file has no topics, so none is called {quote(topic)}")
    data = read_regular_file(source)
    if suffix in ARRAYS.suffixes:
        return arrays.read_arrays(data, source)
    text = decode_utf8(data)
    read = tables.read_table if suffix in TABLE.suffixes else partial(_read_messages, suffix=suffix)
    gathered = read(text, options)
    return assemble(gathered, diagnostics, source=source, topic="")


def _is_stream(source: str) -> bool:
    return os.path.isdir(source) or source.lower().endswith(STREAMS)


def _read_messages(text: str, options: MotionOptions, suffix: str) -> Gathered:
    messages = (trees.read_json if suffix in JSON.suffixes else trees.read_yaml)(text)
    collector = Collector(options)
    for number, message in enumerate(messages):
        log = round(number / options.rate * NANOSECONDS) if options.rate else 0
        collector.collect(message, np.array([log]), np.array([number]))
    gathered = collector.finish()
    times = [block.times for block in gathered.samples]
    number = sum(map(len, times))
    if not options.rate and number > 1 and len(np.unique(np.concatenate(times))) == 1:
        raise ReadError(
            "its messages have no times; the option rate says how many there are per second"
        )
    return gathered
