# SPDX-License-Identifier: GPL-3.0-or-later
"""batch.jsonl: a line for each robot that is through, appended and flushed."""

import os
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO

from ...core.diagnostics import ReadError
from ...core.files.outputs import refuse_failure
from .records import BatchRecord, read_record

NAME = "batch.jsonl"
_NEWLINE = b"\n"


def read_log(path: Path) -> dict[str, BatchRecord]:
    """Reads input -> its last record. Lines that are not records, such as a killed run's torn last
    line, are passed over. Raises ReadError where the file cannot be read."""
    found: dict[str, BatchRecord] = {}
    try:
        with path.open("rb") as file:
            for line in file:
                record = read_record(line) if line.endswith(_NEWLINE) else None
                if record is not None:
                    found.pop(record.input, None)
                    found[record.input] = record
    except FileNotFoundError:
        pass
    except OSError as error:
        raise ReadError(
            f"cannot read the log: {error.strerror or error}", source=str(path)
        ) from error
    return found


def set_aside(path: Path) -> None:
    """Renames an old log to batch.1.jsonl, or the next number that is free."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    with refuse_failure(path), suppress(FileNotFoundError):
        path.rename(aside)


class Log(AbstractContextManager["Log"]):
    """Appends records. A torn last line, of a run that was killed, is cut off first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with refuse_failure(path):
            self._file: BinaryIO = path.open("ab+", buffering=0)
            _cut_torn_line(self._file)

    def add(self, record: BatchRecord) -> None:
        """Appends a record, in one piece. Raises WriteError."""
        line = record.to_json().encode("ascii") + _NEWLINE
        with refuse_failure(self._path):
            try:
                written = self._file.write(line)
                if written != len(line):
                    raise OSError(None, "no space left on device")
            except OSError:
                with suppress(OSError):
                    _cut_torn_line(self._file)
                raise

    def __exit__(self, *raised: object) -> None:
        self._file.close()


def _cut_torn_line(file: BinaryIO) -> None:
    end = file.seek(0, os.SEEK_END)
    size = end
    while size > 0:
        step = min(size, 65536)
        file.seek(size - step)
        block = file.read(step)
        place = block.rfind(_NEWLINE)
        if place >= 0:
            size = size - step + place + 1
            break
        size -= step
    if size != end:
        file.truncate(size)
