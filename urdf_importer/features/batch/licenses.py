# SPDX-License-Identifier: GPL-3.0-or-later
"""The licence of a robot: files that are called so, beside its description or above it in its
package or repository, and the word of package.xml."""

import os
import re

from ...core.diagnostics import ReadError
from ...core.files.folders import Folders, find_surroundings, is_repository, is_within, walk_up
from ...core.files.regular import read_regular_file
from ...core.markup.xml import parse_fragment, text_of

_NAME = re.compile(r"(un)?licen[cs]e|copying|copyright|notice", re.IGNORECASE)
_REST = re.compile(r"([-_.][A-Za-z0-9._-]{0,40})?")
_ENDING = re.compile(
    r"(\.(txt|md|markdown|rst|\d+|lesser|(bsd|mit|apache|mpl|cc|[al]?gpl)[a-z0-9-]*))?",
    re.IGNORECASE,
)
"""Programs, and files that a batch writes, end otherwise."""
_MOST_FILES, _MOST_BYTES = 5, 256 * 1024
_MOST_ENTRIES = 10_000
"""Of a folder that are looked at."""
_MOST_LETTERS = 100


def find_licenses(source: str) -> dict[str, bytes]:
    """Reads the licences nearest above a description, name -> content: all of the first folder that
    has some. Links are not followed."""
    for folder in _list_folders(source):
        found = {}
        for name in _list_named(folder):
            try:
                data = read_regular_file(os.path.join(folder, name))
            except ReadError:
                continue
            if 0 < len(data) <= _MOST_BYTES and b"\0" not in data:
                found[name] = data
        if found:
            return dict(list(found.items())[:_MOST_FILES])
    return {}


def read_package_license(source: str) -> str:
    """Reads the licences that the package.xml nearest above a description names; empty without."""
    for folder in _list_folders(source):
        try:
            data = read_regular_file(os.path.join(folder, "package.xml"))
        except ReadError:
            continue
        if len(data) > _MOST_BYTES:
            continue
        data = data[max(data.find(b"<package"), 0) :]
        root = parse_fragment(data)
        words = [text_of(each, data).strip() for each in root or () if each.tag == "license"]
        # Tools that make packages write TODO; in ROS 2, "TODO: License declaration".
        known = (each for each in words if each and not each.startswith("TODO"))
        return ", ".join(known)[:_MOST_LETTERS]
    return ""


def _list_folders(source: str) -> list[str]:
    """Lists the folders that belong to a description, the nearest first."""
    path = os.path.abspath(source)
    chain = walk_up(os.path.dirname(path))
    if chain and is_repository(chain[-1]):
        return chain
    own = [each.own for each in find_surroundings(path, Folders())]
    return [each for each in chain if any(is_within(each, home) for home in own)]


def _list_named(folder: str) -> list[str]:
    names = []
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False):
                named = _NAME.match(entry.name)
                if (
                    named is not None
                    and _REST.fullmatch(entry.name, named.end())
                    and _ENDING.fullmatch(os.path.splitext(entry.name)[1])
                    and entry.is_file(follow_symlinks=False)
                ):
                    names.append(entry.name)
    except OSError:
        return []
    return sorted(names)
