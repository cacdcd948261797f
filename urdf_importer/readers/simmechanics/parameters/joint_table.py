# SPDX-License-Identifier: GPL-3.0-or-later
"""The CSV of joint parameters: limits and losses of joints by their final names."""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass

from ....diagnostics import Diagnostics, ReadError, one_line
from ....markup.yaml_tree import Node
from .values import Values

MOST_BYTES = 16 * 1024 * 1024
_NAME = "joint_name"
_NUMBERS = (
    "lower_limit", "upper_limit", "velocity_limit", "effort_limit", "damping", "friction",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRow:
    """What a row says; None is not said. Limits as written: degrees, or metres of a slide."""

    lower_limit: float | None = None
    upper_limit: float | None = None
    velocity_limit: float | None = None
    effort_limit: float | None = None
    damping: float | None = None
    friction: float | None = None
    line: int = 0

    def lower(self, kind: str) -> float | None:
        """Radians, or metres of sliding joints."""
        return _in_radians(self.lower_limit, kind)

    def upper(self, kind: str) -> float | None:
        """Radians, or metres of sliding joints."""
        return _in_radians(self.upper_limit, kind)


def _in_radians(limit: float | None, kind: str) -> float | None:
    if limit is None or kind == "prismatic":
        return limit
    return math.radians(limit)


@dataclass(slots=True, kw_only=True)
class JointTable:
    """`source` is the file, empty for none."""

    source: str
    rows: dict[str, JointRow]


def read_joint_table(data: bytes, source: str, diagnostics: Diagnostics) -> JointTable:
    """Returns joint name -> what the table says of it. Raises ReadError for what is not a table,
    and for one without a column joint_name; an ERROR diagnostic, with the line, tells of what is
    odd in a row."""
    if len(data) > MOST_BYTES:
        raise ReadError(
            f"the table of joints is bigger than {MOST_BYTES // 2**20} MB", source=source
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError("the table of joints is not UTF-8", source=source, line=line) from None
    values = Values(source, diagnostics)
    rows: dict[str, JointRow] = {}
    columns: dict[str, int] | None = None
    for line, cells in _read_rows(text, source):
        if columns is None:
            columns = {name: index for index, name in reversed(list(enumerate(cells)))}
            if _NAME not in columns:
                raise ReadError(
                    f"the table of joints has no column {_NAME}", source=source, line=line
                )
            continue
        name = cells[columns[_NAME]] if columns[_NAME] < len(cells) else ""
        if not name:
            continue
        if name in rows:
            values.bad(_NAME, f"joint {name[:200]!r} comes twice; the first counts", line)
            continue
        rows[name] = _read_row(cells, columns, line, values)
    if columns is None:
        raise ReadError(f"the table of joints has no column {_NAME}", source=source)
    return JointTable(source=source, rows=rows)


def _read_rows(text: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold anything, with their lines; blanks around cells do not count."""
    if "\0" in text:
        raise ReadError("the table of joints holds a zero byte", source=source)
    # A cell is short: 131,072 characters are the most that csv takes, by its own default.
    reader = csv.reader(io.StringIO(text, newline=""), _find_dialect(text))
    while True:
        # A quoted cell may hold line ends: the row begins where the one before it ended.
        line = reader.line_num + 1
        try:
            cells = [cell.strip() for cell in next(reader)]
        except StopIteration:
            return
        except csv.Error as error:
            raise ReadError(
                f"the table of joints cannot be read: {one_line(error)}", source=source, line=line
            ) from None
        if any(cells):
            yield line, cells


def _find_dialect(text: str) -> type[csv.Dialect]:
    """What csv.Sniffer finds in the first lines, else commas. The Sniffer's own search takes
    quadratic time in the length of what it is shown."""
    sample = text[:2000]
    head = sample.partition("\n")[0]
    try:
        found = csv.Sniffer().sniff(sample, delimiters=",;\t|: ")
    except csv.Error:
        return csv.excel
    return found if found.delimiter in head else csv.excel


def _read_row(cells: list[str], columns: dict[str, int], line: int, values: Values) -> JointRow:
    found: dict[str, float] = {}
    for name in _NUMBERS:
        index = columns.get(name, len(cells))
        if index >= len(cells) or not cells[index]:
            continue
        number = Node(line=line, text=cells[index]).number()
        if number is None:
            values.bad(name, f"{cells[index][:80]!r} is not a number; it is left out", line)
        else:
            found[name] = number
    return JointRow(line=line, **found)
