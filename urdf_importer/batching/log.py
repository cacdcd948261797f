# SPDX-License-Identifier: GPL-3.0-or-later
"""batch.jsonl: a line for each robot that is through, appended and flushed."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from ..diagnostics import ReadError, WriteError, quote
from .records import BatchRecord, read_record

NAME = "batch.jsonl"
_NEWLINE = b"\n"


def read_log(path: Path) -> dict[str, BatchRecord]:
    """Reads input -> its last record. Lines that are no records, such as a killed run's torn last
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
    try:
        path.rename(aside)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _refusal(path, error) from error


class Log:
    """Appends records. A torn last line, of a run that was killed, is cut off first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file: BinaryIO = path.open("ab+", buffering=0)
            _cut_torn_line(self._file)
        except OSError as error:
            raise _refusal(path, error) from error

    def add(self, record: BatchRecord) -> None:
        """Appends a record, in one piece. Raises WriteError."""
        line = record.to_json().encode("ascii") + _NEWLINE
        try:
            written = self._file.write(line)
            if written != len(line):
                raise OSError(None, "no space left on device")
        except OSError as error:
            with suppress(OSError):
                _cut_torn_line(self._file)
            raise _refusal(self._path, error) from error

    def __enter__(self) -> "Log":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def order_records(
    inputs: Iterable[str], records: Mapping[str, BatchRecord]
) -> tuple[BatchRecord, ...]:
    """Returns the records that there are, in the order of the inputs."""
    return tuple(records[each] for each in inputs if each in records)


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


def _refusal(path: Path, error: OSError) -> WriteError:
    return WriteError(f"cannot write {quote(str(path))}: {error.strerror or error}")
