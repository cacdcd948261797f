# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of places that a link goes through, in CSV.

    time,x,y,z,qx,qy,qz,qw
    0,0.4,0,0.5,1,0,0,0
    1.5,0.4,0.2,0.5,1,0,0,0

Times are in seconds and grow; the quaternion may be left out in all rows.
"""

import math

from ..diagnostics import ReadError, quote
from ..files.regular import read_regular_file
from .measures import MOST_BYTES, read_rows

HEADS = ("time,x,y,z", "time,x,y,z,qx,qy,qz,qw")


def read_link_path(path: str) -> tuple[tuple[float, ...], ...]:
    """Returns the rows of a table as (time, x, y, z) or (time, x, y, z, qx, qy, qz, qw), all of one
    kind. Raises ReadError where it is not such a table."""
    data = read_regular_file(path)
    if len(data) > MOST_BYTES:
        raise ReadError("the table is bigger than 4 MB", source=path)
    rows = read_rows(data, path)
    if not rows or ",".join(rows[0][1]) not in HEADS:
        raise ReadError(
            f"a path begins with {HEADS[0]} or {HEADS[1]}", source=path,
            line=rows[0][0] if rows else 1,
        )  # fmt: skip
    width = len(rows[0][1])
    found = tuple(_read_numbers(cells, width, path, line) for line, cells in rows[1:])
    if not found:
        raise ReadError("the path has no rows", source=path, line=rows[0][0])
    for (line, _), before, row in zip(rows[2:], found, found[1:], strict=False):
        if row[0] <= before[0]:
            raise ReadError("the times of a path grow from row to row", source=path, line=line)
    return found


def _read_numbers(cells: list[str], width: int, path: str, line: int) -> tuple[float, ...]:
    if len(cells) != width:
        raise ReadError(f"a row of this path has {width} numbers", source=path, line=line)
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
