# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that took long to make, kept between runs in the user's folder of caches.

A file holds the arrays of one digest and is replaced whole, so that programs may share the folder.
Unreadable files, and folders that cannot be written, count as empty.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import ReadError
from ..files.regular import open_regular_file
from .array_files import open_arrays

MOST_BYTES = 512 * 2**20
"""Of all files; the ones used longest ago go first."""
_MOST_VALUES = MOST_BYTES // 32
"""Of one array that is read."""

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


def recall(name: str) -> dict[str, NDArray[Any]] | None:
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
    """Returns the folder of kept arrays, which need not be there; None where the user has no folder
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
