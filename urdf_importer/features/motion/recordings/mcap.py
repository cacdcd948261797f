# SPDX-License-Identifier: GPL-3.0-or-later
"""MCAP files, read from front to back, so that one without its end is read, too.

A record is its kind, its length and its content; chunks hold records again, packed or not.
"""

from struct import Struct
from struct import error as StructError
from typing import BinaryIO

from ....core.diagnostics import Diagnostics, ReadError
from ..trajectory import MOST_TIME
from .compression import Unpacker
from .definitions import short_name
from .streams import Channel, Pieces, Sorter, Survey, Wanted, check_chunk

MAGIC = b"\x89MCAP0\r\n"
_U16, _U32, _U64, _RECORD = Struct("<H"), Struct("<I"), Struct("<Q"), Struct("<BQ")
_MESSAGE_HEAD = Struct("<HIQQ")
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _STATISTICS, _END = 2, 3, 4, 5, 6, 11, 15
_LANGUAGES = ("ros1msg", "ros2msg", "protobuf", "jsonschema")
_READ = (_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK)


def read_mcap(file: BinaryIO, size: int, wanted: Wanted, diagnostics: Diagnostics) -> Pieces:
    """Yields the messages of an MCAP file, chunk by chunk. Raises ReadError, with the place."""
    reader = _Reader(wanted)
    file.seek(len(MAGIC))
    at, loose = len(MAGIC), 0
    while at < size:
        file.seek(at)
        head = file.read(9)
        kind, length = _RECORD.unpack(head) if len(head) == 9 else (0, size)
        if kind in (_END, _FOOTER):
            break
        # No record has kind 0: a recorder that died leaves zeros.
        if not kind or at + 9 + length > size:
            message = f"the file ends in the middle of a record, at byte {at}"
            diagnostics.warning("cut-recording", message)
            length = size - at - 9 if kind else size
        if kind in _READ and length > 0:
            _read_at(reader, kind, file, length, at)
            loose += 1
            if kind == _CHUNK or loose % 4096 == 0:
                yield from reader.sorter.drain()
        at += 9 + max(length, 0)
    yield from reader.sorter.drain()


def _read_at(reader: "_Reader", kind: int, file: BinaryIO, length: int, place: int) -> None:
    try:
        check_chunk(length)
        reader.read(kind, memoryview(file.read(length)))
    except (ReadError, StructError, ValueError) as error:
        problem = error.message if isinstance(error, ReadError) else "a record is damaged"
        raise ReadError(f"{problem}, at byte {place}") from None


def survey_mcap(file: BinaryIO, size: int) -> Survey | None:
    """Returns the content of the summary at the end of the file; None where there is none."""
    end = size - len(MAGIC) - 29
    if end < len(MAGIC):
        return None
    try:
        file.seek(end)
        tail = file.read()
        kind, length = _RECORD.unpack_from(tail)
        start = _U64.unpack_from(tail, 9)[0]
        if kind != _FOOTER or length != 20 or not len(MAGIC) <= start < end:
            return None
        check_chunk(end - start)
        file.seek(start)
        reader = _Reader(lambda _: False)
        reader.read_records(memoryview(file.read(end - start)))
    except (ReadError, StructError, ValueError):
        return None
    return None if reader.counts is None else reader.sorter.count(reader.counts)


class _Reader:
    def __init__(self, wanted: Wanted) -> None:
        self.sorter = Sorter(wanted)
        self.unpacker = Unpacker()
        self.schemas: dict[int, tuple[str, str, str]] = {}
        self.counts: dict[int, int] | None = None

    def read(self, kind: int, data: memoryview, *, inner: bool = False) -> None:
        if kind == _MESSAGE:
            number, _, log, published = _MESSAGE_HEAD.unpack_from(data)
            # A time beyond all clocks is invalid; the time of publishing may be valid.
            self.sorter.add(number, log if log < MOST_TIME else published % MOST_TIME, data[22:])
        elif kind == _SCHEMA:
            self._read_schema(data)
        elif kind == _CHANNEL:
            self._read_channel(data)
        elif kind == _CHUNK and not inner:
            self._read_chunk(data)
        elif kind == _STATISTICS:
            pairs = data[46 : 46 + _U32.unpack_from(data, 42)[0] // 10 * 10]
            self.counts = dict(Struct("<HQ").iter_unpack(pairs))

    def read_records(self, data: memoryview) -> None:
        """Reads records up to the end of the data; chunks hold no chunks."""
        at, end = 0, len(data)
        unpack_record = _RECORD.unpack_from
        while at + 9 <= end:
            kind, length = unpack_record(data, at)
            at += 9
            if at + length > end:
                return
            self.read(kind, data[at : at + length], inner=True)
            at += length

    def _read_chunk(self, data: memoryview) -> None:
        size = _U64.unpack_from(data, 16)[0]
        kind, at = _read_text(data, 28)
        length = _U64.unpack_from(data, at)[0]
        packed = data[at + 8 : at + 8 + length]
        check_chunk(size)
        if kind:
            packed = memoryview(self.unpacker.unpack(bytes(packed), kind, size))
        self.read_records(packed)

    def _read_schema(self, data: memoryview) -> None:
        number = _U16.unpack_from(data)[0]
        name, at = _read_text(data, 2)
        encoding, at = _read_text(data, at)
        length = _U32.unpack_from(data, at)[0]
        raw = bytes(data[at + 4 : at + 4 + length])
        # Descriptors of protobuf are bytes: each becomes a letter.
        text = raw.decode("latin-1" if encoding == "protobuf" else "utf-8", "replace")
        self.schemas.setdefault(number, (name, encoding, text))

    def _read_channel(self, data: memoryview) -> None:
        number, schema = _U16.unpack_from(data)[0], _U16.unpack_from(data, 2)[0]
        topic, at = _read_text(data, 4)
        encoding, _ = _read_text(data, at)
        name, language, text = self.schemas.get(schema, ("", "", ""))
        self.sorter.add_channel(
            number,
            Channel(
                topic=topic,
                type=short_name(name),
                encoding=encoding,
                definition=text if language in _LANGUAGES else "",
            ),
        )


def _read_text(data: memoryview, at: int) -> tuple[str, int]:
    """Returns a text and where it ends."""
    end = at + 4 + _U32.unpack_from(data, at)[0]
    if end > len(data):
        raise ReadError("a text is longer than its record")
    return bytes(data[at + 4 : end]).decode("utf-8", "replace"), end
