# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend file as a stream of blocks; only blocks that may hold game data are kept.

    BLENDER-v279 | code length address structure count | bytes | code ... | DNA1 ... | ENDB

A file is read once from front to end, compressed or not: meshes and images are passed over, so it
takes as much memory as its objects. Everything that a file claims is bounded before it is believed.
"""

import gzip
import os
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import NamedTuple

from urdf_importer.core.diagnostics import ReadError
from urdf_importer.core.files.regular import explain_failure, open_regular_file

MOST_UNPACKED_BYTES = 2**30
MOST_KEPT_BYTES = 2**29
MOST_BLOCKS = 4_000_000
# Structures of the game engine take hundreds of bytes, a sensor's 32767 links 256 KiB.
MOST_BYTES_OF_A_BLOCK = 2**18
MOST_BYTES_OF_DNA = 2**24
# The name of a data-block is within its first hundred bytes.
_BYTES_OF_AN_ID = 256

FIRST_WITHOUT_GAME_ENGINE = 280

_HEADER = re.compile(rb"BLENDER([_-])([vV])(\d{3})")
_NEW_HEADER = re.compile(rb"BLENDER\d\d-")
# Two letters are first or last among the four, depending on the byte order.
_CODE = re.compile(rb"\0{0,2}([A-Z0-9]{2,4})\0{0,2}")
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


class Layout(NamedTuple):
    """How numbers are written: `order` is < or >, a pointer takes 4 or 8 bytes. `version` is 279
    for Blender 2.79."""

    order: str
    pointer_size: int
    version: int


class Block(NamedTuple):
    """`data` is empty if the block cannot matter. `address` is the value of pointers to it."""

    code: bytes
    address: int
    structure: int
    data: bytes


@contextmanager
def open_blend(path: Path) -> Iterator[tuple[Layout, Iterator[Block]] | None]:
    """Opens a .blend file and gives its blocks in their order, or None for Blender 2.80 and later.

    Raises ReadError, also within the with statement while the blocks are read.
    """
    try:
        with _open(path) as file:
            layout = _read_header(file)
            yield None if layout is None else (layout, _read_blocks(file, layout))
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ReadError("the file is damaged: it cannot be unpacked") from None
    except OSError as error:
        raise ReadError(explain_failure(error)) from None


@contextmanager
def _open(path: Path) -> Iterator[BufferedIOBase]:
    with open_regular_file(path) as (file, _):
        is_packed = file.read(2) == _GZIP
        file.seek(0)
        if not is_packed:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield unpacked


def _read_header(file: BufferedIOBase) -> Layout | None:
    header = file.read(12)
    if header.startswith(_ZSTD) or _NEW_HEADER.match(header):
        return None
    match = _HEADER.fullmatch(header)
    if match is None:
        raise ReadError("this is not a .blend file")
    version = int(match[3])
    if version >= FIRST_WITHOUT_GAME_ENGINE:
        return None
    order = "<" if match[2] == b"v" else ">"
    return Layout(order, 4 if match[1] == b"_" else 8, version)


def _read_blocks(file: BufferedIOBase, layout: Layout) -> Iterator[Block]:
    head = struct.Struct(f"{layout.order}4si{'I' if layout.pointer_size == 4 else 'Q'}ii")
    unpacked_bytes, kept_bytes = 12, 0
    owner = b""
    for _ in range(MOST_BLOCKS):
        padded, length, address, structure, _count = head.unpack(_read(file, head.size))
        if padded == b"ENDB":
            return
        match = _CODE.fullmatch(padded)
        if match is None or length < 0:
            raise ReadError("the file is damaged: a block in it has no valid header")
        code = match[1]
        unpacked_bytes += head.size + length
        if unpacked_bytes > MOST_UNPACKED_BYTES and isinstance(file, gzip.GzipFile):
            raise ReadError(f"the file unpacks to more than {MOST_UNPACKED_BYTES // 2**20} MB")
        if code != b"DATA":
            owner = code
        kept = _bytes_to_keep(code, owner, length)
        kept_bytes += kept
        if kept_bytes > MOST_KEPT_BYTES:
            raise ReadError(f"the file has more than {MOST_KEPT_BYTES // 2**20} MB of objects")
        data = _read(file, kept)
        file.seek(length - kept, os.SEEK_CUR)
        yield Block(code, address, structure, data)
    raise ReadError(f"the file has more than {MOST_BLOCKS} blocks")


def _bytes_to_keep(code: bytes, owner: bytes, length: int) -> int:
    """Returns how many bytes of a block matter. The data of a data-block follows it as DATA."""
    if code == b"DNA1":
        if length > MOST_BYTES_OF_DNA:
            raise ReadError("the file is damaged: its catalogue of structures is too big")
        return length
    if owner in (b"OB", b"GLOB"):
        return length if length <= MOST_BYTES_OF_A_BLOCK else 0
    return min(length, _BYTES_OF_AN_ID) if len(owner) == 2 and code != b"DATA" else 0


def _read(file: BufferedIOBase, count: int) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise ReadError("the file is cut off: it ends in the middle of a block")
    return data
