# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV text to rows that know their lines."""

import csv
import io

from ..diagnostics import ReadError, one_line

MOST_BYTES = 4 * 1024 * 1024
"""Of a table that a person writes."""


def read_rows(data: bytes, path: str, *, delimiters: str = ",") -> list[tuple[int, list[str]]]:
    """Reads the rows that are not empty, each with the line that it ends on; more than one
    delimiter: the one that parts the first rows. Raises ReadError."""
    found, line = [], 0
    try:
        text = data.decode("utf-8-sig")
        rows = csv.reader(
            io.StringIO(text, newline=""),
            skipinitialspace=True,
            delimiter=_find_delimiter(text, delimiters),
        )
        for row in rows:
            line = rows.line_num
            cells = [cell.strip() for cell in row]
            if any(cells):
                found.append((line, cells))
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ReadError(
            f"the table cannot be read: {one_line(problem)}", source=path, line=line + 1
        ) from None
    return found


def _find_delimiter(text: str, delimiters: str) -> str:
    """The result of csv.Sniffer for the first lines, else the first. The Sniffer's own search takes
    quadratic time in the length of its input."""
    sample = text[:2000]
    if len(delimiters) == 1:
        return delimiters
    try:
        found = csv.Sniffer().sniff(sample, delimiters=delimiters).delimiter
    except csv.Error:
        return delimiters[0]
    return found if found in sample.partition("\n")[0] else delimiters[0]
