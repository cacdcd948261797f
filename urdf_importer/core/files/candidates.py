# SPDX-License-Identifier: GPL-3.0-or-later
"""Places where a file may be, the files found there, and the choice among several."""

import os
import re
import stat
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from pathlib import Path

from .folders import MOST_ENTRIES_OF_A_FOLDER, fold, is_broad, is_within
from .references import Reference
from .regular import FileKind

_SHAPES = frozenset(
    (
        *(".stl", ".dae", ".obj", ".ply", ".glb", ".gltf", ".msh", ".mtl", ".bin"),
        *(".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff", ".webp", ".exr", ".hdr"),
    )
)
_NEIGHBOURS: dict[FileKind, frozenset[str]] = {
    "mesh": _SHAPES,
    "texture": _SHAPES,
    "file": _SHAPES | {".xml", ".mjcf"},
    "model": frozenset((".sdf", ".config", ".urdf")),
    "include": frozenset((".xacro", ".urdf", ".xml", ".gazebo", ".yaml", ".yml")),
}
"""Suffixes of meshes and images, of the files that meshes keep beside them, and of the texts that
xacro and models of MuJoCo and of Gazebo consist of."""


class Verdict(Enum):
    FOUND = "found"
    ABSENT = "absent"
    NOT_A_FILE = "not a file"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that may be read, under its own name and with its links followed."""

    folder: str
    real: str

    @classmethod
    def of(cls, folder: str) -> "Root":
        return cls(folder, os.path.realpath(folder))

    def holds(self, path: str) -> bool:
        return is_within(path, self.folder) or is_within(path, self.real)


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a path is looked for; `package` is a folder that may be read for its sake, None where
    that is the package in which `folder` lies, which takes a search."""

    folder: str
    path: str
    package: str | None = ""
    is_relative: bool = False

    @property
    def candidate(self) -> str:
        return os.path.normpath(os.path.join(self.folder, self.path))


@dataclass(frozen=True, slots=True)
class FoundPath:
    """`code` and `note` of the warning; empty where the URI names the file exactly. `file` is the
    path as an object, one for all who ask: it is made once and keeps its hash."""

    path: str
    code: str = ""
    note: str = ""
    file: Path = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", Path(self.path))


@dataclass(frozen=True, slots=True)
class Failure:
    message: str
    code: str
    package: str = ""


def is_neighbour(path: str, folders: Sequence[str], kind: FileKind) -> Verdict:
    """Judges a path outside the folders that may be read. A mesh, an image, a part of xacro or a
    text of MuJoCo or Gazebo, by its suffix, may lie in one of `folders`: the one above the
    description's, or the one of the file that names it; unless a link leads out of it. A home
    folder and the folders above it are not read."""
    if os.path.splitext(path)[1].lower() not in _NEIGHBOURS[kind]:
        return Verdict.OUTSIDE
    for above in folders:
        if is_broad(above) or not is_within(path, above):
            continue
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError):
            return Verdict.ABSENT
        if is_within(os.path.realpath(path), os.path.realpath(above)):
            return Verdict.FOUND if stat.S_ISREG(mode) else Verdict.NOT_A_FILE
    return Verdict.OUTSIDE


def find_above(reference: Reference, folders: Sequence[str], kind: FileKind) -> str:
    """Returns the file that has the whole path of a reference, two parts or more, in a folder above
    the description's (one of `folders`); "" for none."""
    parts = reference.path.split("/")
    if len(parts) < 2 or not {"", ".", ".."}.isdisjoint(parts):
        return ""
    above = (os.path.join(folder, *parts) for folder in folders)
    return next((path for path in above if is_neighbour(path, folders, kind) is Verdict.FOUND), "")


_WORKSPACE = re.compile(
    r"(?:^|[_.-])ws(?:$|[_.\d-])|workspace|catkin|colcon|ros\d?$", re.IGNORECASE
)
MOST_WORKSPACES = 50


def find_workspaces() -> list[str]:
    """Finds the folders in which ROS keeps packages that may lie in the user's home folder, by the
    names that such workspaces have, and in /opt/ros. For suggestions: nothing in them is read for
    being there."""
    home, ros = os.path.expanduser("~"), os.path.join(os.sep, "opt", "ros")
    names = [name for name in _list_names(home) if _WORKSPACE.search(name)][:MOST_WORKSPACES]
    found = [os.path.join(home, name, part) for name in names for part in ("src", "install")]
    found += [os.path.join(ros, name, "share") for name in _list_names(ros)]
    return [folder for folder in found if os.path.isdir(folder)]


def _list_names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, MOST_ENTRIES_OF_A_FOLDER))
    except OSError:
        return []


def names_of(description: str) -> frozenset[str]:
    """Returns the robot name in a description's file name, without its suffixes."""
    name = fold(os.path.basename(description)).partition(".")[0]
    return frozenset((name,)) if name else frozenset()


def choose_moved(
    found: Sequence[str],
    parts: Sequence[str],
    expected: Mapping[tuple[str, ...], set[str]],
    names: frozenset[str],
) -> tuple[str, str]:
    """Returns which of several equally good files is meant, and why, for a message; empty where
    nothing tells.

    `parts` are the parts of the URI; `expected` says folder -> names of files, of all URIs.
    The folder counts that holds most of the files whose URIs name the same folder; then the folder
    called as the description, that is, in `names`.
    """
    if len(found) < 2:
        return (found[0] if found else ""), ""
    beside = expected.get(tuple(parts[:-1]), set())
    held = {
        path: sum(os.path.isfile(os.path.join(os.path.dirname(path), name)) for name in beside)
        for path in found
    }
    named = {path: sum(fold(part) in names for part in path.split(os.sep)[:-1]) for path in found}
    for scores, why in (
        (held, ", which lies beside the description's other files"),
        (named, ", which lies in the folder with the description's name"),
    ):
        best = max(scores.values(), default=0)
        if best and Counter(scores.values())[best] == 1:
            return next(path for path in found if scores[path] == best), why
    return "", ""
