# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of every kind -> trajectories: which reader a file gets."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from ....core.arguments import diagnostics_of, options_of
from ....core.diagnostics import (
    ArgumentError,
    Diagnostics,
    ReadError,
    name_choices,
    quote,
    quote_value,
)
from ....core.files.packages import AnyPath
from ....core.files.regular import decode_utf8, naming_file, read_regular_file
from ....core.geometry.array_cache import NO_PICKLE
from ....core.model import Robot
from ..datasets.reading import find_dataset, list_episodes, read_episode, read_flat
from ..fitting.fit import fit_motion, without_robot
from ..fitting.layouts import knows_frames, read_frames, read_matrix
from ..fitting.recorded import Recorded
from ..gather import Gathered, assemble
from ..options import MotionOptions
from ..trajectory import NANOSECONDS, Trajectory
from . import arrays, tables, trees
from .formats import ARRAYS, JSON, PARQUET, TABLE, YAML, motion_formats, usual_suffixes
from .motions import Collector
from .recorded import STREAMS, list_streams, read_stream
from .topics import Topic


def list_topics(path: AnyPath) -> tuple[Topic, ...]:
    """Returns a recording's topics, by name. A table or a text holds one topic without a name.
    Raises ReadError for anything else."""
    source = os.fspath(path)
    dataset = find_dataset(source)
    if dataset is not None:
        return list_episodes(dataset)
    if _is_stream(source):
        return list_streams(source)
    recorded = read_recorded(path)
    trajectory, unnamed = recorded.motion, recorded.unnamed
    times = trajectory.times if unnamed is None else unnamed.times
    start = trajectory.start_time
    is_command = trajectory.interpolation == "spline"
    duration = float(times[-1]) if len(times) else 0.0
    topic = Topic(
        name="",
        type="trajectory_msgs/JointTrajectory" if is_command else "sensor_msgs/JointState",
        count=len(times),
        start=start,
        end=start + round(duration * NANOSECONDS),
        motion="joints" if unnamed is not None or trajectory.names else "frames",
    )
    return (topic,)


_PEOPLE = {".bvh", ".fbx"}
"""Suffixes of files with people's motion."""
_PICKLED = {".pkl", ".pickle", ".pt", ".pth"}
_HDF5 = {".h5", ".hdf5"}
_MOST_BYTES = 512 * 1024 * 1024


def read_recorded(
    path: AnyPath,
    *,
    topic: str | None = None,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Recorded:
    """Returns a recording's motion as it is there, before a robot tells the meaning of its numbers.
    Raises ReadError."""
    source = os.fspath(path)
    with naming_file(source):
        options = options_of(options, MotionOptions)
        return _read(source, topic, options, diagnostics_of(diagnostics, source))


def settle_motion(
    recorded: Recorded,
    robot: Robot | None,
    options: MotionOptions | None,
    diagnostics: Diagnostics | None,
) -> Trajectory:
    """Returns a motion for a robot, or for none as far as that can be. Raises ReadError,
    KinematicsError."""
    options = options_of(options, MotionOptions)
    diagnostics = diagnostics_of(diagnostics, recorded.source)
    with naming_file(recorded.source):
        if robot is None:
            return without_robot(recorded, options, diagnostics)
        return fit_motion(recorded, robot, options, diagnostics)


def read_trajectory(
    path: AnyPath,
    *,
    topic: str | None = None,
    robot: Robot | None = None,
    options: MotionOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Trajectory:
    """Does as the function of this name in features/motion/motions.py does, for a `Robot`."""
    diagnostics = diagnostics_of(diagnostics, os.fspath(path))
    recorded = read_recorded(path, topic=topic, options=options, diagnostics=diagnostics)
    return settle_motion(recorded, robot, options, diagnostics)


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
) -> Recorded:
    dataset = find_dataset(source)
    if dataset is not None:
        return read_episode(dataset, topic, diagnostics)
    if _is_stream(source):
        chosen, gathered = read_stream(source, topic, options, diagnostics)
        return _named(assemble(gathered, diagnostics, source=source, topic=chosen))
    suffix = Path(source).suffix.lower()
    _check_suffix(suffix)
    if topic is not None:
        raise ReadError(f"the file has no topics, so none is called {quote(topic)}")
    return _read_file(source, suffix, options, diagnostics)


def _check_suffix(suffix: str) -> None:
    if suffix in _PICKLED | _HDF5:
        raise ReadError(NO_PICKLE if suffix in _PICKLED else "HDF5 is not read; save it as .npz")
    if not any(suffix in each.suffixes for each in (TABLE, JSON, YAML, ARRAYS, PARQUET)):
        choices = name_choices(usual_suffixes(motion_formats()))
        advice = "; `retarget` puts a person's motion on a robot" if suffix in _PEOPLE else ""
        raise ReadError(f"a recording ends in {choices}, not in {quote(suffix)}{advice}")


def _read_file(
    source: str, suffix: str, options: MotionOptions, diagnostics: Diagnostics
) -> Recorded:
    if suffix in PARQUET.suffixes:
        found: Any = read_flat(source, options, diagnostics)
        return _named(assemble(found, diagnostics, source=source, topic=""))
    data = read_regular_file(source, most_bytes=_MOST_BYTES, called="motion")
    if suffix in ARRAYS.suffixes:
        read = read_matrix if suffix == ".npy" else arrays.read_arrays
        return read(data, options.rate, source)
    text = decode_utf8(data)
    del data
    if suffix not in YAML.suffixes and knows_frames(text):
        return read_frames(text, options.rate, source)
    if suffix in TABLE.suffixes:
        found = tables.read_table(text, options, diagnostics, source)
    else:
        found = _read_messages(text, options, suffix)
    if isinstance(found, Recorded):
        return found
    return _named(assemble(found, diagnostics, source=source, topic=""))


def _named(motion: Trajectory) -> Recorded:
    return Recorded(motion=motion, source=motion.source)


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
