# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that took long to make, kept between runs in the user's folder of caches.

A file holds the arrays of one digest and is replaced whole, so that programs may share the folder.
Unreadable files, and folders that cannot be written, count as empty.
"""

import hashlib
import io
import os
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from struct import error as StructError
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import ReadError, one_line, quote
from ..files.regular import open_regular_file

MOST_BYTES = 512 * 2**20
"""Of all files; the ones used longest ago go first."""
_MOST_VALUES = MOST_BYTES // 32
"""Of one array that is read."""

NO_PICKLE = (
    "a pickle can run any program, so it is not opened; save it as .npz where it came from: "
    "numpy.savez('x.npz', **{k: v for k, v in d.items() if v is not None})"
)

_VERSION = "1"
"""Other makers of the same arrays get another number, or old results come back."""


def digest(*given: Any) -> str:
    """Returns a name for arrays, by their types, shapes and bytes, and for other values, by their
    texts."""
    found = hashlib.blake2b(_VERSION.encode(), digest_size=20)
    for each in given:
        if isinstance(each, np.ndarray):
            found.update(f"{each.dtype}{each.shape}".encode())
            found.update(np.ascontiguousarray(each).data)
        else:
            found.update(repr(each).encode())
    return found.hexdigest()


def load_kept(name: str) -> dict[str, NDArray[Any]] | None:
    """Returns the arrays that were kept under a name; None where there are none, or no sound
    ones."""
    folder = find_folder()
    if folder is None:
        return None
    path = folder / f"{name}.npz"
    try:
        with open_regular_file(path) as (file, _), open_arrays(file, _MOST_VALUES) as kept:
            arrays = {each: kept.read(each) for each in kept.names}
        os.utime(path)
    except (OSError, ReadError):
        return None
    return arrays


def keep(name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Keeps arrays under a name, and removes the oldest files where there are too many bytes."""
    folder = find_folder()
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(file, allow_pickle=False, **arrays)
            os.replace(part, folder / f"{name}.npz")
        finally:
            Path(part).unlink(missing_ok=True)
        _trim(folder.iterdir())
    except OSError:
        return


def find_folder() -> Path | None:
    """Returns the folder of kept arrays, which may not exist yet; None where the user has no folder
    of caches. Relative ones do not count: they would lie in the current folder."""
    variable, *inner = {
        "nt": ("LOCALAPPDATA", "AppData", "Local"),
        "darwin": ("", "Library", "Caches"),
    }.get(os.name if os.name == "nt" else sys.platform, ("XDG_CACHE_HOME", ".cache"))
    given = os.environ.get(variable, "")
    home = given if os.path.isabs(given) else os.path.join(os.path.expanduser("~"), *inner)
    return Path(home) / "urdf-importer" / "shapes" if os.path.isabs(home) else None


def _trim(paths: Iterable[Path]) -> None:
    states = [(path.stat(), path) for path in paths]
    total = sum(state.st_size for state, _ in states)
    for state, path in sorted(states, key=lambda each: each[0].st_mtime_ns):
        if total <= MOST_BYTES:
            return
        path.unlink(missing_ok=True)
        total -= state.st_size


class ArraysOfFile:
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
            raise ReadError(f"the array {quote(name)} is packed in an unknown way")
        with self._archive.open(info) as file:
            data = io.BytesIO(file.read(info.file_size))
        return read_array(data, self._most, name)


def read_array(data: BinaryIO, most_values: int, name: str) -> Any:
    """Returns the array of an .npy file, in memory; objects, which need a pickle, are refused.
    Raises ReadError, and others within `refused_arrays`."""
    layout = np.lib.format
    is_first = layout.read_magic(data) == (1, 0)
    read = layout.read_array_header_1_0 if is_first else layout.read_array_header_2_0
    shape, is_fortran, dtype = read(data)
    if dtype.hasobject:
        raise ReadError(f"the array {quote(name)} holds objects: {NO_PICKLE}")
    rest = data.read()
    number = int(np.prod([int(n) for n in shape], dtype=object)) if shape else 1
    if number > most_values:
        raise ReadError(f"the array {quote(name)} is too big")
    if dtype.kind not in "fiuU" or not dtype.itemsize or len(rest) != number * dtype.itemsize:
        raise ReadError(f"the array {quote(name)} does not fit its header")
    flat = np.frombuffer(rest, dtype=dtype, count=number)
    return flat.reshape(shape, order="F" if is_fortran else "C")


@contextmanager
def open_arrays(file: BinaryIO, most_values: int) -> Iterator[ArraysOfFile]:
    """Opens a file of arrays for as long as the block runs. Raises ReadError for every fault of it,
    also within the block."""
    with refused_arrays(), zipfile.ZipFile(file) as archive:
        yield ArraysOfFile(archive, most_values)


@contextmanager
def refused_arrays() -> Iterator[None]:
    """Raises ReadError for every fault of arrays that the block reads."""
    try:
        yield
        return
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, OSError) as error:
        problem = f"this is not an .npz file: {one_line(error)}"
    except (RuntimeError, EOFError, ValueError, OverflowError, TypeError, StructError) as error:
        problem = f"the arrays cannot be read: {one_line(error)}"
    except (LookupError, SyntaxError, TokenError, MemoryError):
        problem = "the arrays cannot be read: the header of an array is damaged"
    except zlib.error as error:
        problem = f"the file is damaged: {one_line(error)}"
    raise ReadError(problem)
