# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of timed values, in CSV: places that a link goes through, speeds of wheels.

    time,x,y,z,qx,qy,qz,qw
    0,0.4,0,0.5,1,0,0,0
    1.5,0.4,0.2,0.5,1,0,0,0

Times are in seconds and grow; the quaternion may be left out in all rows. The headings of speeds
are time,left,right in rad/s, or time,v,w in m/s and rad/s.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..diagnostics import ReadError, quote
from ..files.outputs import write_text
from ..files.packages import AnyPath
from ..files.regular import read_regular_file
from ..markup.rows import MOST_BYTES, read_rows

HEADS = ("time,x,y,z", "time,x,y,z,qx,qy,qz,qw")


SPEEDS, TWISTS = "time,left,right", "time,v,w"

Rows = tuple[tuple[float, ...], ...]


def read_link_path(path: str) -> Rows:
    """Returns the rows of a table as (time, x, y, z) or (time, x, y, z, qx, qy, qz, qw), all of one
    kind. Raises ReadError where it is not such a table."""
    return _read_timed(path, HEADS, "path")[1]


def write_link_path(rows: Iterable[Sequence[float]], path: AnyPath) -> Path:
    """Writes rows (time, x, y, z) or (time, x, y, z, qx, qy, qz, qw), as trace_path returns them,
    into a CSV file, whole or not at all. Returns its path. Raises WriteError."""
    lines = [",".join(map(repr, row)) for row in rows]
    head = HEADS[bool(lines) and lines[0].count(",") > HEADS[0].count(",")]
    write_text(path, "\n".join([head, *lines]) + "\n")
    return Path(path)


def read_commands(path: str) -> tuple[str, Rows]:
    """Returns the head of a table of speeds, SPEEDS or TWISTS, and its rows. Raises ReadError where
    it is not such a table."""
    return _read_timed(path, (SPEEDS, TWISTS), "table of commands")


def _read_timed(path: str, heads: tuple[str, str], what: str) -> tuple[str, Rows]:
    data = read_regular_file(path)
    if len(data) > MOST_BYTES:
        raise ReadError("the table is bigger than 4 MB", source=path)
    rows = read_rows(data, path)
    head = ",".join(rows[0][1]) if rows else ""
    if head not in heads:
        line = rows[0][0] if rows else 1
        raise ReadError(f"a {what} begins with {heads[0]} or {heads[1]}", source=path, line=line)
    width = len(rows[0][1])
    found = tuple(_read_numbers(cells, width, path, line) for line, cells in rows[1:])
    if not found:
        raise ReadError(f"the {what} has no rows", source=path, line=rows[0][0])
    for (line, _), before, row in zip(rows[2:], found, found[1:], strict=False):
        if row[0] <= before[0]:
            text = f"the times of a {what} must grow from row to row"
            raise ReadError(text, source=path, line=line)
    return head, found


def _read_numbers(cells: list[str], width: int, path: str, line: int) -> tuple[float, ...]:
    if len(cells) != width:
        raise ReadError(f"a row of this table has {width} numbers", source=path, line=line)
    numbers = []
    for cell in cells:
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ReadError(f"{quote(cell)} is not a number", source=path, line=line)
        numbers.append(number)
    return tuple(numbers)
