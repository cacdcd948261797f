# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV text to rows that know their lines."""

import csv
import io

from ..diagnostics import ReadError

MOST_BYTES = 4 * 1024 * 1024
"""Of a table that a person writes."""


def read_rows(data: bytes, path: str) -> list[tuple[int, list[str]]]:
    """Reads the rows that are not empty, each with the line that it ends on. Raises ReadError."""
    found, line = [], 0
    try:
        text = io.StringIO(data.decode("utf-8-sig"), newline="")
        rows = csv.reader(text, skipinitialspace=True)
        for row in rows:
            line = rows.line_num
            cells = [cell.strip() for cell in row]
            if any(cells):
                found.append((line, cells))
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ReadError(
            f"the table cannot be read: {problem}", source=path, line=line + 1
        ) from None
    return found
