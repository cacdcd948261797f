# SPDX-License-Identifier: GPL-3.0-or-later
"""The times of a table: which column has them, in which unit, and as what."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ....core.diagnostics import ReadError, quote
from ..trajectory import MOST_TIME, NANOSECONDS

_NAME = re.compile(
    r"(?P<name>%time|__time|time|timestamp|t)"
    r"(?:_(?P<under>s|ms|us|ns)|\s*[(\[](?P<inside>s|ms|us|ns)[)\]])?",
    re.IGNORECASE,
)
TIME_SCALES = {"s": NANOSECONDS, "ms": 1_000_000, "us": 1_000, "ns": 1}
_BY_SIZE = ((1e17, "ns"), (1e14, "us"), (1e11, "ms"))
_RESTS = ("nanosec", "nsec")
_INDEX = ("", "index", "unnamed: 0")


@dataclass(frozen=True, slots=True)
class TimeColumns:
    """The places of a table's times: seconds, or of a pair the rest behind them; and the unit, ""
    until the first is seen. `columns` are all that are not joints."""

    at: int | None
    rest: int | None
    unit: str
    columns: frozenset[int]

    def read(self, row: Sequence[str], line: int) -> int:
        """Returns nanoseconds. Raises ReadError."""
        assert self.at is not None
        if self.rest is not None:
            return read_time(row[self.at], "s", line) + read_time(row[self.rest], "ns", line)
        return read_time(row[self.at], self.unit, line)


def find_times(heading: Sequence[str], first: Sequence[str], unit: str) -> TimeColumns:
    """Returns the columns of times, by their names, the first row and the wanted unit. A first
    column that only counts the rows is passed over."""
    passed = {0} if heading[0].lower() in _INDEX else set[int]()
    lower = [name.lower() for name in heading]
    for at, name in enumerate(heading):
        named = _NAME.fullmatch(name)
        if named:
            own = named["under"] or named["inside"] or ""
            if lower[at] == "%time":
                own = "ns"
            chosen = (
                unit if unit != "auto" else own or _guess_unit(first[at] if at < len(first) else "")
            )
            return TimeColumns(at, None, chosen, frozenset(passed | {at}))
    rest = next((name for name in _RESTS if name in lower), "")
    if "sec" in lower and rest:
        pair = lower.index("sec"), lower.index(rest)
        return TimeColumns(*pair, "s", frozenset(passed | set(pair)))
    return TimeColumns(None, None, "s", frozenset(passed))


def _guess_unit(text: str) -> str:
    if "-" in text[1:] and ":" in text:
        return "iso"
    try:
        size = abs(float(text))
    except ValueError:
        return "s"
    return next((unit for least, unit in _BY_SIZE if size >= least), "s")


def read_time(text: str, unit: str, line: int) -> int:
    """Returns nanoseconds of a text in a unit, or in ISO 8601; whole numbers stay whole. Raises
    ReadError."""
    try:
        if unit == "iso":
            time = _read_moment(text)
        elif unit == "ns" or (unit != "s" and text.strip().lstrip("+-").isdigit()):
            time = int(text) * TIME_SCALES[unit] if "." not in text else round(float(text))
        else:
            rest, whole = math.modf(float(text))
            time = int(whole) * TIME_SCALES[unit] + round(rest * TIME_SCALES[unit])
    except (ValueError, OverflowError):
        time = MOST_TIME
    if abs(time) >= MOST_TIME:
        raise ReadError(f"{quote(text)} is not a time", line=line)
    return time


def scale_times(times: Any, unit: str) -> Any:
    """Returns nanoseconds (m,) of whole numbers or doubles in a unit; None for later times."""
    scale = TIME_SCALES[unit]
    if not (np.abs(times) < MOST_TIME // scale).all():
        return None
    if times.dtype.kind in "iu":
        return times.astype(np.int64) * scale
    before = np.floor(times)
    return before.astype(np.int64) * scale + np.rint((times - before) * scale).astype(np.int64)


def _read_moment(text: str) -> int:
    """Reads ISO 8601; without a zone it is UTC, and digits below microseconds count."""
    whole, dot, rest = text.strip().partition(".")
    digits = re.match(r"\d*", rest)
    fraction = digits[0] if digits else ""
    zone = rest[len(fraction) :]
    moment = datetime.fromisoformat(whole + zone)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = moment - datetime(1970, 1, 1, tzinfo=UTC)
    nanoseconds = int(fraction[:9].ljust(9, "0")) if dot else 0
    return (seconds.days * 86_400 + seconds.seconds) * NANOSECONDS + nanoseconds


def is_time(name: str) -> bool:
    """Whether a column called so, or so and a rest, is read as times, or passed over."""
    return bool(_NAME.fullmatch(name)) or name.lower() in _INDEX
