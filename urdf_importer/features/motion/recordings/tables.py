# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of numbers as text: CSV, with semicolons or tabs too, and the output of `rostopic echo
-p`.

The written table is the input of the exported Webots controller: `time` and the names of joints, in
seconds, radians and metres. The price: velocities are not in it.
"""

import csv
import io
import itertools
import math
from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from ....core.diagnostics import ReadError, WriteError, one_line, quote
from ....core.kinematics.tree import retrace_tree
from ....core.model import Robot
from ..frames import join_seated, seat_tracks
from ..gather import MOST_VALUES, FrameBlock, Gathered, SampleBlock, Times
from ..options import MotionOptions
from ..trajectory import MOST_TIME, NANOSECONDS, Numbers, Trajectory

BASE = ("base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw")
MOST_COLUMNS = 4096
_TIMES = ("time", "t", "timestamp", "%time")
_FIELDS = {"position": "positions", "velocity": "velocities", "effort": "efforts"}


Lines = Iterator[tuple[int, list[str]]]
"""Lines of a table that are not empty: their numbers, and their fields."""


def read_table(text: str, options: MotionOptions) -> Gathered:
    """Returns the samples of a table. Raises ReadError, with the line."""
    heading, lines = _find_heading(_split(text), options)
    if "%time" in heading and any(name.startswith("field.") for name in heading):
        return _gather_fields(heading, lines)
    return _gather_columns(heading, lines, options)


def _split(text: str) -> Lines:
    start = text[:100_000].lstrip("\n\r ").partition("\n")[0]
    separator = max(",;\t", key=start.count)
    if separator not in start:
        separator = ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    comma = separator == ";"
    try:
        for row in reader:
            if len(row) > MOST_COLUMNS:
                message = f"the table has more than {MOST_COLUMNS} columns"
                raise ReadError(message, line=reader.line_num)
            if any(each.strip() for each in row):
                fields = [each.replace(",", ".") for each in row] if comma else row
                yield reader.line_num, fields
    except csv.Error as error:
        message = f"the table cannot be read: {one_line(error)}"
        raise ReadError(message, line=reader.line_num) from None


def _find_heading(lines: Lines, options: MotionOptions) -> tuple[list[str], Lines]:
    """Returns the names of the columns, and the lines that have numbers."""
    line, row = next(lines, (0, []))
    if not row:
        raise ReadError("the table is empty")
    named = [each.strip() for each in options.columns.split(",")] if options.columns else []
    if all(_is_number(each) for each in row):
        if not named:
            message = "the table has no heading; the option columns names its columns"
            raise ReadError(message, line=line)
        lines = itertools.chain([(line, row)], lines)
    else:
        named = named or [each.strip() for each in row]
    if len(named) != len(row):
        message = f"the option columns names {len(named)} columns, the table has {len(row)}"
        raise ReadError(message, line=line)
    if len(set(named)) < len(named):
        repeated = {name for name in named if name and named.count(name) > 1}
        if repeated:
            raise ReadError(f"the column {quote(min(repeated))} comes twice", line=line)
    return named, lines


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return not text.strip()
    return True


def _refuse_width(row: Sequence[str], heading: Sequence[str], line: int) -> ReadError:
    return ReadError(f"the line has {len(row)} fields, not {len(heading)}", line=line)


def _gather_columns(heading: list[str], lines: Lines, options: MotionOptions) -> Gathered:
    timed = next((i for i, name in enumerate(heading) if name.lower() in _TIMES), None)
    if timed is None and not options.rate:
        message = "no column is called time; the option rate says how many lines there are per "
        raise ReadError(f"{message}second", line=1)
    times: list[int] = []
    numbers = array("d")
    whole = timed is not None and heading[timed] == "%time"
    for line, row in lines:
        if len(row) != len(heading):
            raise _refuse_width(row, heading, line)
        times.append(
            round(len(times) / options.rate * NANOSECONDS)
            if timed is None
            else _read_time(row[timed], whole, line)
        )
        _extend(numbers, row[:timed] + row[timed + 1 :] if timed is not None else row, line)
    names = [name for index, name in enumerate(heading) if index != timed]
    values = np.asarray(numbers).reshape(len(times), len(names))
    return _add_columns(names, np.array(times, dtype=np.int64), values)


def _read_time(text: str, whole: bool, line: int) -> int:
    """Reads seconds, or whole nanoseconds where a ROS tool wrote them."""
    try:
        time = int(text) if whole else round(float(text) * NANOSECONDS)
    except (ValueError, OverflowError):
        time = MOST_TIME
    if abs(time) >= MOST_TIME:
        raise ReadError(f"{quote(text)} is not a time", line=line)
    return time


def _extend(numbers: "array[float]", row: Sequence[str], line: int) -> None:
    try:
        numbers.extend([float(each) if each else math.nan for each in row])
    except ValueError:
        bad = next((each for each in row if not _is_number(each)), None)
        if bad is None:
            # Blank cells are empty ones.
            _extend(numbers, [each.strip() for each in row], line)
            return
        raise ReadError(f"{quote(bad)} is not a number", line=line) from None
    if len(numbers) > MOST_VALUES:
        message = f"the table has more than {MOST_VALUES:,} numbers; record a shorter motion"
        raise ReadError(message)


def _add_columns(names: list[str], times: Times, values: Numbers) -> Gathered:
    gathered, order = Gathered(), np.arange(len(times))
    base = [names.index(name) for name in BASE if name in names]
    if len(base) == len(BASE):
        poses = values[:, base]
        moved, turned = poses[:, :3], poses[:, 3:]
        block = FrameBlock(
            parent="", child="", times=times, order=order, translations=moved, quaternions=turned
        )
        gathered.add_frame(block)
    else:
        base = []
    joints = [i for i, name in enumerate(names) if i not in base and name]
    positions = values[:, joints]
    positions[~np.isfinite(positions)] = np.nan
    own = tuple(names[i] for i in joints)
    gathered.add(SampleBlock(names=own, times=times, order=order, positions=positions))
    return gathered


def _gather_fields(heading: list[str], lines: Lines) -> Gathered:
    """Reads a JointState that a ROS tool wrote: names are in the lines, times are taken from the
    stamps, or of recording where these are zero."""
    columns = {name: index for index, name in enumerate(heading)}
    count = next(i for i in itertools.count() if f"field.name{i}" not in columns)
    if not count or "field.position0" not in columns:
        message = "the table holds no positions of joints: its message is not a JointState"
        raise ReadError(message, line=1)
    blocks: dict[tuple[str, ...], tuple[list[int], list[int], dict[str, array[float]]]] = {}
    for number, (line, row) in enumerate(lines):
        if len(row) < len(heading):
            raise _refuse_width(row, heading, line)
        names = tuple(row[columns[f"field.name{i}"]] for i in range(count))
        times, order, values = blocks.setdefault(
            names, ([], [], {kind: array("d") for kind in _FIELDS})
        )
        stamp = row[columns["field.header.stamp"]] if "field.header.stamp" in columns else "0"
        logged = _read_time(row[columns["%time"]], True, line)
        times.append(_read_time(stamp, True, line) or logged)
        order.append(number)
        for kind in _FIELDS:
            places = [columns.get(f"field.{kind}{i}") for i in range(count)]
            _extend(values[kind], ["" if at is None else row[at] for at in places], line)
    gathered = Gathered()
    for names, (times, order, values) in blocks.items():
        shaped = {}
        for kind, target in _FIELDS.items():
            found = np.array(values[kind]).reshape(len(times), count)
            shaped[target] = np.where(np.isfinite(found), found, np.nan)
        gathered.add(
            SampleBlock(names=names, times=np.array(times), order=np.array(order), **shaped)
        )
    return gathered


def format_table(trajectory: Trajectory, path: str, robot: Robot | None = None) -> str:
    """Returns a table of positions, with the base's pose where it moves at the same times: tracks
    know themselves whether they move it, or the robot does.

    Raises WriteError for other frames, which a table has no place for, and for names that would
    read as something else.
    """
    reserved = {*_TIMES, *BASE}
    for name in trajectory.names:
        if name.lower() in reserved or name != name.strip() or not name or "\0" in name:
            raise WriteError(f"{path}: a table has no column for a joint called {quote(name)}")
    columns, names = [trajectory.times, *trajectory.positions.T], [*trajectory.names]
    frames = list(trajectory.frames)
    if robot is not None:
        frames = seat_tracks(frames, retrace_tree(robot))
    if all(np.array_equal(each.times, trajectory.times) for each in frames):
        base = join_seated(frames, trajectory.times)
        frames = [*([base] if base else []), *(each for each in frames if each.seat is None)]
    for track in frames:
        if track.child or not np.array_equal(track.times, trajectory.times):
            raise WriteError(
                f"{path}: a table has no place for the frame {quote(track.child)}; "
                "write .json, .npz or .mcap"
            )
        columns += [*track.translations.T, *track.quaternions.T]
        names += BASE
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("time", *names))
    rows = np.stack(columns, axis=1).tolist()
    writer.writerows(["" if math.isnan(number) else repr(number) for number in row] for row in rows)
    return text.getvalue()
