# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a robot's SRDF where none is named: beside the description, or in a package that
MoveIt's assistant made.

    panda.urdf  panda.srdf                          beside it
    panda_description/urdf/panda.urdf  ../srdf/panda.srdf, ../config/panda.srdf
    panda_moveit_config/config/panda.srdf           a package beside the description's

A file counts if its root is a <robot> without links, of the robot's name or called as the
description. Xacro counts by its file name alone.
"""

import os
import re
from collections.abc import Iterator

_SUFFIXES = (".srdf", ".srdf.xacro")
_MOST_FILES, _MOST_FOLDERS = 64, 1000
_HEAD = 64 * 1024
_ROBOT = re.compile(rb"<robot\b[^>]*?\bname\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def find_srdf(path: str, name: str = "") -> str | None:
    """Finds the SRDF of the robot called `name` whose description is at `path`; None where there is
    none. Only looks into a few folders near it; unreadable files are passed over."""
    stem = re.sub(r"\.(urdf|xacro|xml|sdf)\b.*$", "", os.path.basename(path), flags=re.IGNORECASE)
    wanted = {stem, name} - {""}
    for _, found in zip(range(_MOST_FILES), _candidates(os.path.abspath(path)), strict=False):
        base = os.path.basename(found)
        called = next(base.removesuffix(s) for s in reversed(_SUFFIXES) if base.endswith(s))
        if called in wanted or (name and _name_in(found) == name):
            return found
    return None


def _candidates(path: str) -> Iterator[str]:
    folder = os.path.dirname(path)
    above = os.path.dirname(folder)
    for place in (folder, *(os.path.join(above, each) for each in ("srdf", "config"))):
        yield from _files_in(place)
    while True:
        for each in _names_in(above):
            if "moveit" in each:
                yield from _files_in(os.path.join(above, each, "config"))
        upper = os.path.dirname(above)
        if upper == above or path.count(os.sep) - above.count(os.sep) >= 4:
            return
        above = upper


def _files_in(folder: str) -> Iterator[str]:
    for name in _names_in(folder):
        if name.endswith(_SUFFIXES) and os.path.isfile(os.path.join(folder, name)):
            yield os.path.join(folder, name)


def _names_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [each.name for _, each in zip(range(_MOST_FOLDERS), entries, strict=False)]
    except OSError:
        return []
    return sorted(names)


def _name_in(path: str) -> str:
    try:
        with open(path, "rb") as file:
            match = _ROBOT.search(file.read(_HEAD))
    except OSError:
        return ""
    return "" if match is None else (match[1] or match[2] or b"").decode("utf-8", "replace").strip()
