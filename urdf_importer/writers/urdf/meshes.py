# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a robot names, as the new file is to name them.

A relative path starts where the file that names it lies, so it changes with the folder. Copies keep
what they refer to (materials, images, buffers) in the same relative places, since it is named in
files that are not changed.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...model import Mesh, Robot
from ...reshape.file_names import is_relative, name_files

FOLDER = "meshes"
TEXTURES = "textures"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file that the robot names, and (as written there, where it is) the files that it names."""

    path: Path
    beside: tuple[tuple[str, Path], ...] = ()


FindMesh = Callable[[Mesh, str, int], FoundFile | None]
"""The file of a mesh of a link, named for messages, in a line; None, with a diagnostic, where there
is none."""
FindTexture = Callable[[str], Path | None]


def link_files(robot: Robot, folder: Path, find: Callable[[str], Path | None]) -> Robot:
    """Returns the robot with its relative paths as they must be written in `folder` to name the
    same files. `find` finds a file that is there."""
    if not robot.source or folder == Path(robot.source).parent.absolute():
        return robot
    beside = Path(robot.source).parent.absolute()

    def rename(name: str) -> str:
        if not is_relative(name):
            return name
        path = find(name) or Path(os.path.normpath(beside / name.strip().replace("\\", "/")))
        try:
            return Path(os.path.relpath(path, folder)).as_posix()
        except ValueError:  # another drive
            return path.as_posix()

    return name_files(robot, lambda mesh, *_: rename(mesh.filename), rename)


class Copies:
    """Files copied into `root`, and what they are called from there.

    Each content lies there once in a folder; names are unique without regard to case.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._places: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._contents: dict[str, str] = {}
        """Place in `root`, in lower case -> digest of what lies there."""
        self._digests: dict[Path, str] = {}

    def copy(self, found: FoundFile, folder: str) -> str:
        """Copies a file, with what lies beside it, under `folder`; returns its place in `root`."""
        beside = [(name, path) for name, path in found.beside if is_relative(name)]
        key = (folder, self._digest(found.path), tuple(self._digest(path) for _, path in beside))
        if key not in self._places:
            self._places[key] = self._place(found.path, beside, folder)
        return self._places[key]

    def _place(self, path: Path, beside: list[tuple[str, Path]], folder: str) -> str:
        number = 1
        while True:
            stem = path.stem if number == 1 or beside else f"{path.stem}_{number}"
            home = folder if number == 1 or not beside else f"{folder}/{path.stem}_{number}"
            # What is named by ".." must come to lie within.
            home += "/inner" * max(0, self._climbs(beside) - home.count("/") - 1)
            wanted = {f"{home}/{stem}{path.suffix}": path}
            for name, other in beside:
                wanted[os.path.normpath(f"{home}/{name.strip()}").replace("\\", "/")] = other
            if self._fits(wanted):
                for place, source in wanted.items():
                    self._put(place, source)
                return next(iter(wanted))
            number += 1

    def _climbs(self, beside: Iterable[tuple[str, Path]]) -> int:
        return max(
            (PurePosixPath(name.replace("\\", "/")).parts.count("..") for name, _ in beside),
            default=0,
        )

    def _fits(self, wanted: dict[str, Path]) -> bool:
        return all(
            self._contents.get(place.lower(), digest) == digest
            for place, digest in ((place, self._digest(path)) for place, path in wanted.items())
        )

    def _put(self, place: str, source: Path) -> None:
        if place.lower() in self._contents:
            return
        target = self._root / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        self._contents[place.lower()] = self._digest(source)

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            with path.open("rb") as file:
                self._digests[path] = hashlib.file_digest(file, "sha256").hexdigest()
        return self._digests[path]


def copy_files(
    robot: Robot, root: Path, package: str, find: FindMesh, find_texture: FindTexture
) -> Robot:
    """Copies all files that the robot names into `root`; returns the robot with their new names.
    What is not found keeps its name."""
    copies = Copies(root)
    prefix = f"package://{package}/" if package else ""

    def name_mesh(mesh: Mesh, link: str, line: int, part: str) -> str:
        found = find(mesh, link, line)
        return mesh.filename if found is None else prefix + copies.copy(found, f"{FOLDER}/{part}")

    def name_texture(name: str) -> str:
        path = find_texture(name)
        return name if path is None else prefix + copies.copy(FoundFile(path=path), TEXTURES)

    return name_files(robot, name_mesh, name_texture)
