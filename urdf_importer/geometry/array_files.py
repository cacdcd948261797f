# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays in NumPy's own files (.npz), read within bounds: nothing is unpickled."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from struct import error as StructError
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np

from ..diagnostics import ReadError, one_line, quote


class ArrayFile:
    """An open file of arrays. `names` are their names; of each there are `most_values` at most, and
    of all together four times as many in doubles."""

    def __init__(self, archive: zipfile.ZipFile, most_values: int) -> None:
        self._archive = archive
        self._most = most_values
        self._left = 4 * 8 * most_values
        infos = archive.infolist()
        self._members = {each.filename.removesuffix(".npy"): each for each in infos}
        self.names = tuple(self._members)

    def read(self, name: str) -> Any:
        """Returns an array; memory is allocated only for bytes that are present, whatever the
        header claims. Raises ReadError."""
        info = self._members.get(name)
        if info is None:
            raise ReadError(f"there is no array {quote(name)} in it")
        self._left -= info.file_size
        if info.file_size > 8 * self._most or self._left < 0:
            raise ReadError(f"the array {quote(name)} is too big")
        # Other ways of packing are unpacked without a bound.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ReadError(f"the array {quote(name)} is packed in another way")
        with self._archive.open(info) as file:
            data = io.BytesIO(file.read(info.file_size))
        layout = np.lib.format
        is_first = layout.read_magic(data) == (1, 0)
        read = layout.read_array_header_1_0 if is_first else layout.read_array_header_2_0
        shape, is_fortran, dtype = read(data)
        rest = data.read()
        number = int(np.prod([int(n) for n in shape], dtype=object)) if shape else 1
        if number > self._most:
            raise ReadError(f"the array {quote(name)} is too big")
        if dtype.kind not in "fiuU" or not dtype.itemsize or len(rest) != number * dtype.itemsize:
            raise ReadError(f"the array {quote(name)} does not fit its header")
        flat = np.frombuffer(rest, dtype=dtype, count=number)
        return flat.reshape(shape, order="F" if is_fortran else "C")


@contextmanager
def open_arrays(file: BinaryIO, most_values: int) -> Iterator[ArrayFile]:
    """Opens a file of arrays for as long as the block runs. Raises ReadError for every fault of it,
    also within the block."""
    try:
        with zipfile.ZipFile(file) as archive:
            yield ArrayFile(archive, most_values)
        return
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, OSError) as error:
        problem = f"this is not an .npz file: {one_line(error)}"
    except (RuntimeError, EOFError, ValueError, OverflowError, TypeError, StructError) as error:
        problem = f"the arrays cannot be read: {one_line(error)}"
    except (LookupError, SyntaxError, TokenError, MemoryError):
        problem = "the arrays cannot be read: the head of one is damaged"
    except zlib.error as error:
        problem = f"the file is damaged: {one_line(error)}"
    raise ReadError(problem)
