# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and paths that hold on every system."""

import os
import re
from pathlib import PurePath

_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in range(1, 10)}
)


_OTHER = re.compile(r"[^\w.-]")


def plain_stem(name: str, instead: str) -> str:
    """Returns a file's name without suffix, of letters, digits, `-`, `_` and `.` alone: nothing in
    it has a meaning for a shell, in Markdown or in a path. `instead` is for a name that has none of
    them."""
    return avoid_reserved(_OTHER.sub("_", name).strip("._").lstrip("-")[:100] or instead)


def avoid_reserved(name: str) -> str:
    """Returns a file's name, with or without suffix, as Windows takes it: a device (`aux`, `con`,
    `com1`) gets an underscore, whatever its suffix, and so does a dot or a blank at the end."""
    stem, dot, rest = name.partition(".")
    if stem.strip().lower() in _RESERVED:
        name = f"{stem}_{dot}{rest}"
    return f"{name}_" if name.endswith((".", " ")) else name


def relative_path(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> str:
    """Returns the way from a folder to a path, with slashes; the whole path where there is none, as
    between two drives of Windows."""
    try:
        found = os.path.relpath(path, folder)
    except ValueError:
        found = os.path.abspath(path)
    return PurePath(found).as_posix()
