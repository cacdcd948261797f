# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of every kind -> trajectories: which reader a file gets."""

import os
from pathlib import Path

import numpy as np

from ..diagnostics import Diagnostics, KinematicsError, ReadError, name_choices, quote
from ..files.regular import read_regular_file
from ..motion.gather import Gathered, assemble
from ..motion.options import MotionOptions
from ..motion.trajectory import NANOSECONDS, Trajectory
from . import arrays, tables, trees
from .motions import Collector
from .topics import Topic

AnyPath = str | os.PathLike[str]
TABLES = (".csv", ".tsv", ".txt")
TREES = (".json", ".jsonl", ".yaml", ".yml")
SUFFIXES = (".csv", ".json", ".yaml", ".npz")


def list_topics(path: AnyPath) -> tuple[Topic, ...]:
    """Returns what a recording holds. A table or a text holds one topic without a name. Raises
    ReadError for anything else."""
    trajectory = read_trajectory(path)
    start = trajectory.start_time
    return (
        Topic(
            name="",
            type="trajectory_msgs/JointTrajectory"
            if trajectory.interpolation == "spline"
            else "sensor_msgs/JointState",
            count=len(trajectory.times),
            start=start,
            end=start + round(trajectory.duration * NANOSECONDS),
            motion="joints" if trajectory.names else "frames",
        ),
    )


def read_trajectory(
    path: AnyPath,
    topic: str | None = None,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Trajectory:
    """Returns the motion that a file holds: .csv, .json, .yaml or .npz.

    Raises ReadError, in one sentence, for what cannot be read; nothing is guessed. A table and a
    text have no topics, so that `topic` makes no sense of them.
    """
    source = os.fspath(path)
    options = options or MotionOptions()
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(source)
    suffix = Path(source).suffix.lower()
    if suffix == ".npz":
        _refuse_topic(topic, source)
        return arrays.read_arrays(read_regular_file(source), source)
    if suffix not in (*TABLES, *TREES):
        raise ReadError(
            f"a recording ends in {name_choices(SUFFIXES)}, not in {quote(suffix)}", source=source
        )
    _refuse_topic(topic, source)
    text = _decode(read_regular_file(source), source)
    try:
        gathered = (
            tables.read_table(text, source, options)
            if suffix in TABLES
            else _read_messages(text, suffix, source, options)
        )
        return assemble(gathered, diagnostics, source=source, topic="")
    except ReadError as error:
        if error.source:
            raise
        raise ReadError(error.message, source=source) from None
    except KinematicsError as error:
        raise ReadError(error.message, source=source) from None


def _read_messages(text: str, suffix: str, source: str, options: MotionOptions) -> Gathered:
    is_json = suffix in (".json", ".jsonl")
    messages = trees.read_json(text, source) if is_json else trees.read_yaml(text, source)
    collector = Collector(options)
    for number, message in enumerate(messages):
        log = round(number / options.rate * NANOSECONDS) if options.rate else 0
        collector.take(message, np.array([log]), np.array([number]))
    gathered = collector.finish()
    times = [block.times for block in gathered.samples]
    number = sum(map(len, times))
    if not options.rate and number > 1 and len(np.unique(np.concatenate(times))) == 1:
        raise ReadError(
            "its messages have no times; the option rate says how many there are per second",
            source=source,
        )
    return gathered


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError("the text is not UTF-8", source=source, line=line) from None


def _refuse_topic(topic: str | None, source: str) -> None:
    if topic is not None:
        raise ReadError(f"the file has no topics, so none is called {quote(topic)}", source=source)
