# SPDX-License-Identifier: GPL-3.0-or-later
"""ROS 1 bags, version 2.0, read from front to back, so that one whose recorder died is read, too.

A record is its header and its data, each after its length; a header is fields `name=value`. Chunks
hold records again, packed or not.
"""

from bisect import bisect_right
from collections.abc import Mapping
from struct import Struct
from struct import error as StructError
from typing import BinaryIO

from ....core.diagnostics import Diagnostics, ReadError, quote
from ..trajectory import NANOSECONDS
from .compression import Unpacker
from .definitions import short_name
from .streams import MOST_CHUNK, Channel, Pieces, Sorter, Survey, Wanted, check_chunk

MAGIC = b"#ROSBAG V2.0\n"
_U32, _U64, _PAIR = Struct("<I"), Struct("<Q"), Struct("<II")
_MESSAGE, _HEADER, _CHUNK, _INFO, _CONNECTION = 2, 3, 5, 6, 7
_MOST_HEADER = 1024 * 1024
_PIECE = 1024 * 1024
Fields = Mapping[bytes, bytes]


class _NoRecordError(ReadError):
    """These bytes are not a record."""


_DAMAGE = (ReadError, StructError, KeyError, ValueError)


def read_bag(file: BinaryIO, size: int, wanted: Wanted, diagnostics: Diagnostics) -> Pieces:
    """Yields the messages of a bag, chunk by chunk. Raises ReadError, with the place."""
    reader = _Reader(file, size, wanted)
    file.seek(len(MAGIC))
    skipped: list[int] = []
    while file.tell() < size:
        place, problem = file.tell(), ""
        try:
            whole = reader.read_record()
        except _NoRecordError as error:
            whole, problem = False, error.message
        except _DAMAGE as error:
            problem = error.message if isinstance(error, ReadError) else "a record is damaged"
            raise ReadError(f"{problem}, at byte {place}") from None
        yield from reader.sorter.drain()
        if whole:
            continue
        after = reader.find_next(place)
        if after is None and problem:
            raise ReadError(f"{problem}, at byte {place}")
        if after is None or after >= size:
            message = f"the bag ends in the middle of a record, at byte {place}"
            diagnostics.warning("cut-recording", message)
            break
        skipped += [place, after - place]
        file.seek(after)
    if skipped:
        message = f"{sum(skipped[1::2])} bytes of the bag are not records; they are skipped, the "
        diagnostics.warning("skipped-bytes", f"{message}first at byte {skipped[0]}")


def survey_bag(file: BinaryIO, size: int) -> Survey | None:
    """Returns the content of the index at the end of a bag; None where there is none."""
    index = _read_index(file, size)
    return None if index is None else index[1]


def _read_index(file: BinaryIO, size: int) -> tuple[list[int], Survey] | None:
    """Reads the index to which the first record points: where the chunks and the index itself
    begin, in this order, and how many messages each channel has; None where it is missing or
    damaged."""
    reader = _Reader(file, size, lambda _: False)
    starts: set[int] = set()
    counts: dict[int, int] = {}
    try:
        file.seek(len(MAGIC))
        header, _ = _read_parts(file, size)
        start = int(_U64.unpack(header[b"index_pos"])[0])
        if _kind_of(header) != _HEADER or not len(MAGIC) < start < size:
            return None
        file.seek(start)
        while file.tell() < size:
            fields, data = _read_parts(file, size)
            kind = _kind_of(fields)
            if kind == _CONNECTION:
                reader.add_connection(fields, data)
            elif kind == _INFO:
                starts.add(int(_U64.unpack(fields[b"chunk_pos"])[0]))
                for number, count in _PAIR.iter_unpack(data):
                    counts[number] = counts.get(number, 0) + count
    except _DAMAGE:
        return None
    return sorted(starts | {start}), reader.sorter.count(counts)


def _read_parts(file: BinaryIO, size: int) -> tuple[Fields, bytes]:
    header = file.read(_length(file, _MOST_HEADER))
    return _read_fields(header), file.read(_length(file, min(MOST_CHUNK, size)))


def _length(file: BinaryIO, most: int) -> int:
    raw = file.read(4)
    length = int(_U32.unpack(raw)[0])
    if length > most:
        raise _NoRecordError(f"a part of a record claims to have {length} bytes")
    return length


class _Reader:
    def __init__(self, file: BinaryIO, size: int, wanted: Wanted) -> None:
        self.file = file
        self.size = size
        self.sorter = Sorter(wanted)
        self.unpacker = Unpacker()
        self._starts: list[int] | None = None

    def read_record(self) -> bool:
        """Reads the next record of the file; False where the file ends within it."""
        left = self.size - self.file.tell()
        if left < 4:
            return False
        length = _length(self.file, _MOST_HEADER)
        header = self.file.read(length)
        if len(header) < length or self.size - self.file.tell() < 4:
            return False
        fields = _read_fields(header)
        kind = _kind_of(fields)
        length = int(_U32.unpack(self.file.read(4))[0])
        left = self.size - self.file.tell()
        if kind not in (_MESSAGE, _CHUNK, _CONNECTION):
            self.file.seek(min(length, left), 1)
            return length <= left
        if length <= left:
            check_chunk(length)
        data = self.file.read(min(length, left, MOST_CHUNK))
        whole = len(data) == length
        if kind == _CHUNK:
            self._read_chunk(fields, data)
        elif whole:
            self._take(kind, fields, memoryview(data))
        return whole

    def find_next(self, place: int) -> int | None:
        """Returns where something that is known begins behind a place that holds no record: by the
        index, or the end of the file where nothing but zeros follows. None where nothing is
        known."""
        if self._starts is None:
            index = _read_index(self.file, self.size)
            self._starts = None if index is None else index[0]
        if self._starts is not None:
            following = bisect_right(self._starts, place)
            return self._starts[following] if following < len(self._starts) else None
        self.file.seek(place)
        while part := self.file.read(_PIECE):
            if part.strip(b"\0"):
                return None
        return self.size

    def _read_chunk(self, fields: Fields, data: bytes) -> None:
        kind = fields[b"compression"].decode("latin-1")
        size = int(_U32.unpack(fields[b"size"])[0])
        check_chunk(size)
        records = memoryview(data if kind == "none" else self.unpacker.unpack(data, kind, size))
        try:
            self._read_records(records)
        except _NoRecordError as error:
            raise ReadError(error.message) from None

    def _read_records(self, data: memoryview) -> None:
        """Reads the records of a chunk up to its end; chunks hold no chunks."""
        at, end = 0, len(data)
        unpack_length = _U32.unpack_from
        while at + 8 <= end:
            length = unpack_length(data, at)[0]
            start = at + 4 + length
            if start + 4 > end:
                return
            header = bytes(data[at + 4 : start])
            stop = start + 4 + unpack_length(data, start)[0]
            if stop > end:
                return
            fields = _read_fields(header)
            self._take(_kind_of(fields), fields, data[start + 4 : stop])
            at = stop

    def _take(self, kind: int, fields: Fields, data: memoryview) -> None:
        if kind == _MESSAGE:
            seconds, rest = _PAIR.unpack(fields[b"time"])
            number = _U32.unpack(fields[b"conn"])[0]
            self.sorter.add(number, seconds * NANOSECONDS + rest, data)
        elif kind == _CONNECTION:
            self.add_connection(fields, bytes(data))

    def add_connection(self, fields: Fields, data: bytes) -> None:
        details = _read_fields(data)
        self.sorter.add_channel(
            int(_U32.unpack(fields[b"conn"])[0]),
            Channel(
                topic=fields[b"topic"].decode("utf-8", "replace"),
                type=short_name(details[b"type"].decode("utf-8", "replace")),
                encoding="ros1",
                definition=details.get(b"message_definition", b"").decode("utf-8", "replace"),
            ),
        )


def _kind_of(fields: Fields) -> int:
    """Returns the kind of a record. Raises ReadError where it names none."""
    kind = fields.get(b"op", b"")
    if len(kind) != 1:
        raise _NoRecordError("a record does not name its kind")
    return kind[0]


def _read_fields(data: bytes) -> Fields:
    """Returns the fields of a header."""
    fields = {}
    at, end = 0, len(data)
    while at + 4 <= end:
        stop = at + 4 + int.from_bytes(data[at : at + 4], "little")
        name, found, value = data[at + 4 : stop].partition(b"=")
        if not found or stop > end:
            raise _NoRecordError(f"a header has no field at {quote(name[:20].decode('latin-1'))}")
        fields[name] = value
        at = stop
    return fields
