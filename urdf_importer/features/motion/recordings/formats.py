# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of motion files, by suffix: the only list of kinds to read, write, offer and drop."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionFormat:
    """A kind of file. Of its `suffixes` the first is the usual one, the others are read too;
    `is_written` tells whether motions are written so."""

    title: str
    suffixes: tuple[str, ...]
    is_written: bool = True

    @property
    def suffix(self) -> str:
        """The usual suffix."""
        return self.suffixes[0]


BAG = MotionFormat(title="ROS 1 bag", suffixes=(".bag", ".bag.active"))
MCAP = MotionFormat(title="MCAP", suffixes=(".mcap", ".mcap.zstd"))
DATABASE = MotionFormat(title="ROS 2 in SQLite", suffixes=(".db3", ".db3.zstd"), is_written=False)
TABLE = MotionFormat(title="table", suffixes=(".csv", ".tsv", ".txt"))
JSON = MotionFormat(title="JSON", suffixes=(".json", ".jsonl"))
YAML = MotionFormat(title="YAML", suffixes=(".yaml", ".yml"))
ARRAYS = MotionFormat(title="NumPy", suffixes=(".npz", ".npy"))
PARQUET = MotionFormat(title="Parquet", suffixes=(".parquet",), is_written=False)
_FORMATS = (BAG, MCAP, DATABASE, TABLE, JSON, YAML, ARRAYS, PARQUET)


def motion_formats() -> tuple[MotionFormat, ...]:
    """Returns the kinds of files that motions are read from, and written to. A folder with a
    recording of ROS 2 is read and written too: it has no suffix."""
    return _FORMATS


def usual_suffixes(formats: Iterable[MotionFormat]) -> tuple[str, ...]:
    """Returns the usual suffix of each format."""
    return tuple(each.suffix for each in formats)


WRITTEN = usual_suffixes(each for each in _FORMATS if each.is_written)
COUNTS = ".h"
"""The suffix of a header of C, for the counts of servos alone."""
MOTION, RECORDING = (*WRITTEN, ""), (MCAP.suffix, BAG.suffix, "")
"""Suffixes of motions and recordings that commands write; with none it is a folder."""
