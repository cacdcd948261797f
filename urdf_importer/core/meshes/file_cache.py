# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files that were read, kept for the next robot of this session.

A second panda names the files of the first. Parsing them again is most of the work of an import, so
their content is kept while the files stay unchanged: the file itself, and each file that it names,
found in the same place. The oldest are dropped beyond MOST_KEPT.
"""

import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..diagnostics import MeshError, Report
from ..files.regular import FileKind
from ..geometry.mesh_data import MeshData
from ..model import MeshPart
from .loaders import UNSCALED, load_mesh

MOST_KEPT = 96 * 1024 * 1024
"""Of arrays that are kept; arrays of a robot in use are counted too."""
_SETTLED = 0.1
"""Seconds: file systems tell times of change by ticks, so a file that was written just now may
change again without a new time."""

Notes = tuple[tuple[str, str], ...]
State = tuple[int, ...]
Resolve = Callable[[str, FileKind, Report], Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """A file that a mesh file names, and the result of the search for it.

    place  the path; the error's code and message where there is none
    state  the file's state; None where it may change unseen
    notes  reports of the search
    """

    uri: str
    kind: FileKind
    place: str
    state: State | None
    notes: Notes


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptFile:
    """The content of a mesh file, unscaled, and its reports, as (code, message)."""

    data: MeshData
    notes: Notes
    state: State
    named: tuple[_Named, ...]
    size: int


_Key = tuple[Path, MeshPart | None, bool]


class _KeptFiles:
    """The oldest come first. `size` is the sum of theirs: adding it up for each new file would take
    time by the square of their number."""

    def __init__(self) -> None:
        self._files: dict[_Key, _KeptFile] = {}
        self.size = 0

    def get(self, key: _Key) -> _KeptFile | None:
        return self._files.get(key)

    def drop(self, key: _Key) -> None:
        dropped = self._files.pop(key, None)
        self.size -= dropped.size if dropped is not None else 0

    def add(self, key: _Key, file: _KeptFile) -> None:
        """Adds a file as the newest, or makes it that."""
        self.drop(key)
        self._files[key] = file
        self.size += file.size
        while self.size > MOST_KEPT:
            self.drop(next(iter(self._files)))

    def clear(self) -> None:
        self._files.clear()
        self.size = 0


_kept = _KeptFiles()


def load_kept(
    path: Path,
    report: Report,
    resolve: Resolve,
    part: MeshPart | None = None,
    *,
    bare: bool = False,
) -> MeshData:
    """Loads a mesh file as load_mesh does, unscaled, or returns its content from the last time;
    reports come again either way. `resolve` finds the files that it names. Raises MeshError."""
    key = (path, part, bare)
    kept = _kept.get(key)
    if kept is not None and kept.state == _read_state(path) and _are_there(kept.named, resolve):
        _kept.add(key, kept)
        for code, message in kept.notes:
            report(code, message)
        return kept.data
    _kept.drop(key)
    return _load(key, report, resolve)


def forget_files() -> None:
    """Drops all kept files."""
    _kept.clear()


def _load(key: _Key, report: Report, resolve: Resolve) -> MeshData:
    path, part, bare = key
    notes: list[tuple[str, str]] = []
    named: list[_Named] = []

    def hand_on_report(code: str, message: str) -> None:
        notes.append((code, message))
        report(code, message)

    def find(uri: str, kind: FileKind) -> Path:
        found, outcome = _find(resolve, uri, kind)
        named.append(found)
        for code, message in found.notes:
            hand_on_report(code, message)
        if isinstance(outcome, MeshError):
            raise outcome
        return outcome

    before = _read_state(path)
    data = load_mesh(path, UNSCALED, hand_on_report, find, part, bare=bare)
    if before is not None and before == _read_state(path):
        _keep(key, data, tuple(notes), before, tuple(named))
    return data


def _find(resolve: Resolve, uri: str, kind: FileKind) -> tuple[_Named, Path | MeshError]:
    notes: list[tuple[str, str]] = []
    state: State | None = None
    outcome: Path | MeshError
    try:
        outcome = resolve(uri, kind, lambda code, message: notes.append((code, message)))
        place, state = str(outcome), _read_state(outcome)
    except MeshError as error:
        outcome, place, state = error, f"{error.code}: {error.message}", ()
    named = _Named(uri=uri, kind=kind, place=place, state=state, notes=tuple(notes))
    return named, outcome


def _are_there(named: tuple[_Named, ...], resolve: Resolve) -> bool:
    """Whether the files that a mesh file names are found as before, and are as before."""
    return all(
        each.state is not None and each == _find(resolve, each.uri, each.kind)[0] for each in named
    )


def _keep(key: _Key, data: MeshData, notes: Notes, state: State, named: tuple[_Named, ...]) -> None:
    arrays = (getattr(data, name) for name in MeshData.__slots__)
    size = sum(each.nbytes for each in arrays if isinstance(each, np.ndarray))
    size += sum(len(material.image) for material in data.materials)
    if size > MOST_KEPT // 2:
        return
    _kept.add(key, _KeptFile(data=data, notes=notes, state=state, named=named, size=size))


def _read_state(path: Path) -> State | None:
    """Returns properties that change when a regular file is written or replaced; None where they
    are not reliable."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    newest = max(status.st_mtime, status.st_ctime)
    if not stat.S_ISREG(status.st_mode) or abs(time.time() - newest) < _SETTLED:
        return None
    place = (status.st_dev, status.st_ino)
    return (*place, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
