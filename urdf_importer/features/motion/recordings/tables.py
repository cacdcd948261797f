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
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ....core.diagnostics import Diagnostics, ReadError, WriteError, one_line, quote
from ....core.kinematics.tree import retrace_tree
from ....core.model import Robot
from ..decimals import LONGEST, read_columns
from ..fitting.layouts import recorded_rows
from ..fitting.recorded import Recorded
from ..fitting.times import TimeColumns, find_times, is_time, read_time, scale_times
from ..frames import join_seated, seat_tracks
from ..gather import MOST_VALUES, FrameBlock, Gathered, SampleBlock, Times
from ..names import name_few
from ..options import MotionOptions
from ..trajectory import NANOSECONDS, Numbers, Trajectory

BASE = ("base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw")
MOST_COLUMNS = 4096
_LEAST_COUNTED = 7
_WHOLE = 2**53
_FIELDS = {"position": "positions", "velocity": "velocities", "effort": "efforts"}


Lines = Iterator[tuple[int, list[str]]]
"""Lines of a table that are not empty: their numbers, and their fields."""


def read_table(
    text: str, options: MotionOptions, diagnostics: Diagnostics, source: str = ""
) -> Gathered | Recorded:
    """Returns the samples of a table, or the columns of one without a heading. Raises ReadError,
    with the line."""
    separator = _find_separator(text)
    heading, lines = _find_heading(_split(text, separator), options)
    if not heading:
        return recorded_rows(_read_rows(text, lines, separator), options.rate, source)
    if "%time" in heading and any(name.startswith("field.") for name in heading):
        return _gather_fields(heading, lines)
    first = next(lines, None)
    times = find_times(heading, first[1] if first else (), options.time_unit)
    if first is not None:
        lines = itertools.chain([first], lines)
    long = _find_long(heading, times)
    if long is not None:
        return _gather_long(heading, lines, times, long)
    return _gather_columns(
        _Table(text, heading, lines, times, first, separator), options, diagnostics
    )


def _find_separator(text: str) -> str:
    start = text[:100_000].lstrip("\n\r ").partition("\n")[0]
    separator = max("\t;,", key=start.count)
    return separator if separator in start else ","


def _split(text: str, separator: str) -> Lines:
    # Most tables are read as a whole after a few lines, so that the others are not made.
    plain = (each[0] for each in re.finditer(r"[^\n]*\n|[^\n]+", text))
    lines = io.StringIO(text, newline="") if "\r" in text else plain
    reader = csv.reader(map(_bounded, lines), delimiter=separator)
    comma = separator in ";\t"
    try:
        for row in reader:
            if len(row) > MOST_COLUMNS:
                message = f"the table has more than {MOST_COLUMNS} columns"
                raise ReadError(message, line=reader.line_num)
            if any(each.strip() for each in row):
                yield reader.line_num, list(map(_without_comma, row)) if comma else row
    except csv.Error as error:
        message = f"the table cannot be read: {one_line(error)}"
        raise ReadError(message, line=reader.line_num) from None


def _bounded(line: str) -> str:
    if len(line) > LONGEST:
        raise ReadError(f"a line has more than {LONGEST:,} characters")
    return line


def _without_comma(cell: str) -> str:
    """Returns a number with a decimal comma with a point; other texts stay."""
    pointed = cell.replace(",", ".") if "," in cell else cell
    return pointed if _is_number(pointed) else cell


def _find_heading(lines: Lines, options: MotionOptions) -> tuple[list[str], Lines]:
    """Returns the names of the columns, none where the table has no heading, and the lines that
    have numbers."""
    line, row = next(lines, (0, []))
    if not row:
        raise ReadError("the table is empty")
    named = [each.strip() for each in options.columns.split(",")] if options.columns else []
    counted = list(map(str, range(len(row))))
    if len(row) > _LEAST_COUNTED and row in (counted, ["", *counted[:-1]]):
        # pandas numbers columns without names, and rows, whose column has no number.
        at = 0 if row[0] else 1
        lines, row = ((number, each[at:]) for number, each in lines), row[at:]
        if not named:
            return [], lines
    elif all(_is_number(each) for each in row):
        lines = itertools.chain([(line, row)], lines)
        if not named:
            return [], lines
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


def _refuse_width(row: Sequence[str], width: int, line: int) -> ReadError:
    return ReadError(f"the line has {len(row)} fields, not {width}", line=line)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with a heading: its text, its lines, the first of them again."""

    text: str
    heading: list[str]
    lines: Lines
    times: TimeColumns
    first: tuple[int, list[str]] | None
    separator: str


def _gather_columns(table: _Table, options: MotionOptions, diagnostics: Diagnostics) -> Gathered:
    heading, columns = table.heading, table.times
    if columns.at is None and not options.rate:
        message = "no column is called time; the option rate says how many lines there are per "
        raise ReadError(f"{message}second", line=1)
    line, row = table.first or (0, [])
    if row and len(row) != len(heading):
        raise _refuse_width(row, len(heading), line)
    texts = [at for at, each in enumerate(row) if not _is_number(each)]
    texts = [at for at in texts if at not in columns.columns]
    kept = [at for at in range(len(heading)) if at not in columns.columns and at not in texts]
    if texts and not kept:
        raise ReadError(f"{quote(row[texts[0]])} is not a number", line=line)
    if texts:
        named = name_few([heading[at] for at in texts])
        diagnostics.warning("column-of-texts", f"columns of texts are passed over: {named}")
    slow = table.lines, len(heading), kept, columns if columns.at is not None else None
    times, values = _read_fast(table, kept) or _read_slow(*slow)
    if columns.at is None:
        times = np.rint(np.arange(len(values)) / options.rate * NANOSECONDS).astype(np.int64)
    return add_columns([heading[at] for at in kept], times, values)


def _read_slow(
    lines: Lines, width: int, kept: Sequence[int], times: TimeColumns | None = None
) -> tuple[Times, Numbers]:
    """Returns times and numbers, cell by cell. Raises ReadError, with the line."""
    read: list[int] = []
    numbers = array("d")
    for line, row in lines:
        if len(row) != width:
            raise _refuse_width(row, width, line)
        read.append(times.read(row, line) if times is not None else 0)
        _extend(numbers, [row[at] for at in kept], line)
    values = np.asarray(numbers).reshape(len(read), len(kept))
    return np.array(read, dtype=np.int64), values


def _read_fast(table: _Table, kept: list[int]) -> tuple[Times, Numbers] | None:
    """Returns times and numbers of plain lines; None for any other, which _read_slow reads or
    refuses."""
    columns, (line, row) = table.times, table.first or (0, [])
    if columns.unit == "iso" or not kept or not row:
        return None
    own = [at for at in (columns.at, columns.rest) if at is not None]
    found = read_columns(table.text, table.separator, line, len(table.heading), (own, kept))
    if found is None:
        return None
    (clock, rows), wholes = found
    if wholes is not None and columns.rest is None and columns.unit != "s":
        times = scale_times(wholes, columns.unit)
    elif (np.abs(clock) < _WHOLE).all():
        units = (columns.unit, "ns")[: len(own)]
        parts = [scale_times(clock[:, at], unit) for at, unit in enumerate(units)]
        known = all(each is not None for each in parts)
        times = sum(parts, np.zeros(len(rows), np.int64)) if known else None
    else:
        times = None
    return None if times is None else (times, rows)


def _read_rows(text: str, lines: Lines, separator: str) -> Numbers:
    """Returns all rows of a table without a heading."""
    first = next(lines, None)
    if first is None:
        raise ReadError("the table is empty")
    every = range(len(first[1]))
    found = read_columns(text, separator, first[0], len(every), (every,))
    if found is not None:
        return found[0][0]
    return _read_slow(itertools.chain([first], lines), len(every), every)[1]


_LONG = (("joint", "joint_name", "name"), ("position", "pos", "value"))


def _find_long(heading: list[str], times: TimeColumns) -> tuple[int, int] | None:
    """Returns the columns of names and positions where each row has one joint."""
    lower = [name.lower() for name in heading]
    rest = [name for at, name in enumerate(lower) if at not in times.columns]
    found = [next((name for name in names if name in rest), "") for names in _LONG]
    if times.at is None or not all(found) or len(rest) > 4:
        return None
    return lower.index(found[0]), lower.index(found[1])


def _gather_long(
    heading: list[str], lines: Lines, columns: TimeColumns, long: tuple[int, int]
) -> Gathered:
    """Reads a row for each joint and time."""
    joints: dict[str, tuple[list[int], array[float]]] = {}
    for line, row in lines:
        if len(row) != len(heading):
            raise _refuse_width(row, len(heading), line)
        times, numbers = joints.setdefault(row[long[0]].strip(), ([], array("d")))
        if len(joints) > MOST_COLUMNS:
            raise ReadError(f"the table has more than {MOST_COLUMNS} joints", line=line)
        times.append(columns.read(row, line))
        _extend(numbers, [row[long[1]]], line)
    gathered = Gathered()
    for name, (times, numbers) in joints.items():
        block = SampleBlock(
            names=(name,),
            times=np.array(times, dtype=np.int64),
            order=np.arange(len(times)),
            positions=np.asarray(numbers)[:, None],
        )
        gathered.add(block)
    return gathered


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


def add_columns(names: list[str], times: Times, values: Numbers) -> Gathered:
    """Returns columns (m, n) as joints, and the seven of the base as its poses."""
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
    positions = values[:, joints] if len(joints) < len(names) else values
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
            raise _refuse_width(row, len(heading), line)
        names = tuple(row[columns[f"field.name{i}"]] for i in range(count))
        times, order, values = blocks.setdefault(
            names, ([], [], {kind: array("d") for kind in _FIELDS})
        )
        stamp = row[columns["field.header.stamp"]] if "field.header.stamp" in columns else "0"
        logged = read_time(row[columns["%time"]], "ns", line)
        times.append(read_time(stamp, "ns", line) or logged)
        order.append(number)
        for kind in _FIELDS:
            places = [columns.get(f"field.{kind}{i}") for i in range(count)]
            _extend(values[kind], ["" if at is None else row[at] for at in places], line)
    gathered = Gathered()
    for names, (times, order, values) in blocks.items():
        shaped = {
            target: np.array(values[kind]).reshape(len(times), count)
            for kind, target in _FIELDS.items()
        }
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
    for name in trajectory.names:
        if is_time(name) or name in BASE or name != name.strip() or not name or "\0" in name:
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
