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
from dataclasses import dataclass

import numpy as np

from ..diagnostics import ReadError, WriteError, one_line, quote
from ..motion.gather import MOST_VALUES, FrameBlock, Gathered, SampleBlock, Times
from ..motion.options import MotionOptions
from ..motion.trajectory import MOST_TIME, NANOSECONDS, Numbers, Trajectory

BASE = ("base_x", "base_y", "base_z", "base_qx", "base_qy", "base_qz", "base_qw")
MOST_COLUMNS = 4096
_TIMES = ("time", "t", "timestamp", "%time")
_FIELDS = {"position": "positions", "velocity": "velocities", "effort": "efforts"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Columns of numbers under their names; `times` in nanoseconds."""

    names: list[str]
    times: Times
    values: Numbers


def read_table(text: str, source: str, options: MotionOptions) -> Gathered:
    """Returns the samples of a table. Raises ReadError, with the line."""
    gathered = Gathered()
    lines = _split(text, source)
    heading, first = _find_heading(lines, source, options)
    if "%time" in heading and any(name.startswith("field.") for name in heading):
        _add_fields(heading, first, lines, source, gathered)
        return gathered
    _add_columns(_read_columns(heading, first, lines, source, options), options, gathered)
    return gathered


def _split(text: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yields (line, its fields) of the lines that are not empty."""
    start = text[:100_000].lstrip("\n\r ").partition("\n")[0]
    separator = max(",;\t", key=start.count)
    if separator not in start:
        separator = ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    comma = separator == ";"
    try:
        for row in reader:
            if len(row) > MOST_COLUMNS:
                raise ReadError(
                    f"the table has more than {MOST_COLUMNS} columns",
                    source=source,
                    line=reader.line_num,
                )
            if any(each.strip() for each in row):
                fields = [each.replace(",", ".") for each in row] if comma else row
                yield reader.line_num, fields
    except csv.Error as error:
        raise ReadError(
            f"the table cannot be read: {one_line(error)}", source=source, line=reader.line_num
        ) from None


def _find_heading(
    lines: Iterator[tuple[int, list[str]]], source: str, options: MotionOptions
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Returns the names of the columns, and the lines that were read for it and have numbers."""
    line, row = next(lines, (0, []))
    if not row:
        raise ReadError("the table is empty", source=source)
    named = [each.strip() for each in options.columns.split(",")] if options.columns else []
    first = [(line, row)]
    if all(_is_number(each) for each in row):
        if not named:
            raise ReadError(
                "the table has no heading; the option columns names its columns",
                source=source,
                line=line,
            )
    else:
        named, first = named or [each.strip() for each in row], []
    if len(named) != len(row):
        raise ReadError(
            f"the option columns names {len(named)} columns, the table has {len(row)}",
            source=source,
            line=line,
        )
    repeated = (
        {name for name in named if named.count(name) > 1} if len(set(named)) < len(named) else set()
    )
    if repeated - {""}:
        raise ReadError(
            f"the column {quote(min(repeated - {''}))} comes twice", source=source, line=line
        )
    return named, first


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return not text.strip()
    return True


def _rows(
    first: list[tuple[int, list[str]]], lines: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    yield from first
    yield from lines


def _read_columns(
    heading: list[str],
    first: list[tuple[int, list[str]]],
    lines: Iterator[tuple[int, list[str]]],
    source: str,
    options: MotionOptions,
) -> _Table:
    timed = next((i for i, name in enumerate(heading) if name.lower() in _TIMES), None)
    if timed is None and not options.rate:
        raise ReadError(
            "no column is called time; the option rate says how many lines there are per second",
            source=source,
            line=1,
        )
    times: list[int] = []
    numbers = array("d")
    whole = timed is not None and heading[timed] == "%time"
    for line, row in _rows(first, lines):
        if len(row) != len(heading):
            raise ReadError(
                f"the line has {len(row)} fields, not {len(heading)}", source=source, line=line
            )
        times.append(
            round(len(times) / options.rate * NANOSECONDS)
            if timed is None
            else _read_time(row[timed], whole, source, line)
        )
        _extend(numbers, row[:timed] + row[timed + 1 :] if timed is not None else row, source, line)
    names = [name for index, name in enumerate(heading) if index != timed]
    return _Table(
        names=names,
        times=np.array(times, dtype=np.int64),
        values=np.frombuffer(numbers, dtype=np.float64).reshape(len(times), len(names))
        if len(numbers)
        else np.empty((len(times), len(names))),
    )


def _read_time(text: str, whole: bool, source: str, line: int) -> int:
    """Reads seconds, or whole nanoseconds where a ROS tool wrote them."""
    try:
        time = int(text) if whole else round(float(text) * NANOSECONDS)
    except (ValueError, OverflowError):
        raise ReadError(f"{quote(text)} is not a time", source=source, line=line) from None
    if abs(time) >= MOST_TIME:
        raise ReadError(f"{quote(text)} is not a time", source=source, line=line)
    return time


def _extend(numbers: "array[float]", row: Sequence[str], source: str, line: int) -> None:
    try:
        numbers.extend([float(each) if each else math.nan for each in row])
    except ValueError:
        bad = next((each for each in row if not _is_number(each)), None)
        if bad is None:
            # Blank cells are empty ones.
            _extend(numbers, [each.strip() for each in row], source, line)
            return
        raise ReadError(f"{quote(bad)} is not a number", source=source, line=line) from None
    if len(numbers) > MOST_VALUES:
        raise ReadError(
            f"the table has more than {MOST_VALUES:,} numbers; record a shorter motion",
            source=source,
        )


def _add_columns(table: _Table, options: MotionOptions, gathered: Gathered) -> None:
    order = np.arange(len(table.times))
    base = [table.names.index(name) for name in BASE if name in table.names]
    if len(base) == len(BASE):
        poses = table.values[:, base]
        gathered.add_frame(
            FrameBlock(
                parent="",
                child="",
                times=table.times,
                order=order,
                translations=poses[:, :3],
                quaternions=poses[:, 3:],
            )
        )
    else:
        base = []
    joints = [i for i, name in enumerate(table.names) if i not in base and name]
    positions = table.values[:, joints]
    positions[~np.isfinite(positions)] = np.nan
    gathered.add(
        SampleBlock(
            names=tuple(table.names[i] for i in joints),
            times=table.times,
            order=order,
            positions=np.radians(positions) if options.degrees else positions,
        )
    )


def _add_fields(
    heading: list[str],
    first: list[tuple[int, list[str]]],
    lines: Iterator[tuple[int, list[str]]],
    source: str,
    gathered: Gathered,
) -> None:
    """Reads a JointState that a ROS tool wrote: names are in the lines, times are taken from the
    stamps, or of recording where these are zero."""
    columns = {name: index for index, name in enumerate(heading)}
    count = next(i for i in itertools.count() if f"field.name{i}" not in columns)
    if not count or "field.position0" not in columns:
        raise ReadError(
            "the table holds no positions of joints: its message is not a JointState",
            source=source,
            line=1,
        )
    blocks: dict[tuple[str, ...], tuple[list[int], list[int], dict[str, array[float]]]] = {}
    for number, (line, row) in enumerate(_rows(first, lines)):
        if len(row) < len(heading):
            raise ReadError(
                f"the line has {len(row)} fields, not {len(heading)}", source=source, line=line
            )
        names = tuple(row[columns[f"field.name{i}"]] for i in range(count))
        times, order, values = blocks.setdefault(
            names, ([], [], {kind: array("d") for kind in _FIELDS})
        )
        stamp = row[columns["field.header.stamp"]] if "field.header.stamp" in columns else "0"
        logged = _read_time(row[columns["%time"]], True, source, line)
        times.append(_read_time(stamp, True, source, line) or logged)
        order.append(number)
        for kind in _FIELDS:
            places = [columns.get(f"field.{kind}{i}") for i in range(count)]
            said = ["" if place is None else row[place] for place in places]
            _extend(values[kind], said, source, line)
    for names, (times, order, values) in blocks.items():
        shaped = {
            target: np.array(values[kind]).reshape(len(times), count)
            for kind, target in _FIELDS.items()
        }
        for each in shaped.values():
            each[~np.isfinite(each)] = np.nan
        gathered.add(
            SampleBlock(names=names, times=np.array(times), order=np.array(order), **shaped)
        )


def format_table(trajectory: Trajectory, path: str) -> str:
    """Returns a table of positions, with the base's pose where it moves at the same times.

    Raises WriteError for other frames, which a table has no place for, and for names that would
    read as something else.
    """
    reserved = {*_TIMES, *BASE}
    for name in trajectory.names:
        if name.lower() in reserved or name != name.strip() or not name or "\0" in name:
            raise WriteError(f"{path}: a table has no column for a joint called {quote(name)}")
    columns, names = [trajectory.times, *trajectory.positions.T], [*trajectory.names]
    for track in trajectory.frames:
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
