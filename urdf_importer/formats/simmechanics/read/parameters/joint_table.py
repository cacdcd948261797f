# SPDX-License-Identifier: GPL-3.0-or-later
"""The CSV of joint parameters: limits and losses of joints by their final names."""

import math
from dataclasses import dataclass, fields

from .....core.diagnostics import Diagnostics, ReadError
from .....core.markup.rows import read_rows
from .....core.markup.yaml_tree import YamlNode
from .values import Values

MOST_BYTES = 16 * 1024 * 1024
_NAME = "joint_name"


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRow:
    """The content of a row; None for empty cells. Limits as written: degrees, or metres of a
    slide."""

    lower_limit: float | None = None
    upper_limit: float | None = None
    velocity_limit: float | None = None
    effort_limit: float | None = None
    damping: float | None = None
    friction: float | None = None
    line: int = 0

    def bounds(self, kind: str) -> list[float | None]:
        """Returns both limits in radians, or metres of sliding joints."""
        limits = [self.lower_limit, self.upper_limit]
        if kind == "prismatic":
            return limits
        return [None if limit is None else math.radians(limit) for limit in limits]


@dataclass(slots=True, kw_only=True)
class JointTable:
    """`source` is the file, empty for none."""

    source: str
    rows: dict[str, JointRow]


def read_joint_table(data: bytes, source: str, diagnostics: Diagnostics) -> JointTable:
    """Returns joint name -> its row in the table. Raises ReadError for text that is not a table,
    and for a table without a column joint_name; an ERROR diagnostic, with the line, reports
    oddities of a row."""
    if len(data) > MOST_BYTES:
        raise ReadError(
            f"the table of joints is bigger than {MOST_BYTES // 2**20} MB", source=source
        )
    (line, head), *below = read_rows(data, source, delimiters=",;\t|: ") or [(0, [])]
    if _NAME not in head:
        raise ReadError(f"the table of joints has no column {_NAME}", source=source, line=line)
    values = Values(source, diagnostics)
    rows: dict[str, JointRow] = {}
    for line, row in below:
        cells = {name: cell for name, cell in reversed(list(zip(head, row, strict=False))) if cell}
        name = cells.get(_NAME, "")
        if name in rows:
            values.bad(_NAME, f"joint {name[:200]!r} comes twice; the first counts", line)
        elif name:
            rows[name] = _read_row(cells, line, values)
    return JointTable(source=source, rows=rows)


def _read_row(cells: dict[str, str], line: int, values: Values) -> JointRow:
    found: dict[str, float] = {}
    for name in (each.name for each in fields(JointRow) if each.name != "line"):
        number = YamlNode(line=line, text=cells.get(name, "0")).number()
        if number is None:
            values.bad(name, f"{cells[name][:80]!r} is not a number; it is left out", line)
        elif name in cells:
            found[name] = number
    return JointRow(line=line, **found)
