# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a robot names, as the new file names them.

A relative path starts where the file that names it lies, so it changes with the folder. Copies keep
their own references (materials, images, buffers) in the same relative places, since files that are
not changed name them.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import cast

from ..diagnostics import MeshError, quote
from ..files.portable import plain_stem, relative_path
from ..geometry.mesh_data import MeshData
from ..meshes import RobotFiles
from ..meshes.write_files import MeshFormat, write_mesh_files
from ..model import Mesh, Robot
from ..model.file_names import is_relative, name_files
from ..names import find_free

FOLDER = "meshes"
TEXTURES = "textures"
_Beside = Sequence[tuple[str, Path]]
"""The files that a mesh file names: as written there, and where they are."""


def find_free_name(stem: str, part: str, format: str, taken: Iterable[str]) -> str:
    """Finds a name, in the folder of visual or collision meshes, that is not taken: without regard
    to case, and of characters that every file system has."""
    plain = plain_stem(stem[:80], "mesh")
    lowered = {name.lower() for name in taken}
    name = f"{FOLDER}/{part}/{{}}.{format}".format
    return name(find_free(plain, lambda called: name(called).lower() in lowered))


@dataclass(slots=True, kw_only=True, eq=False)
class NamedFiles:
    """The files of a robot as a new description in `home` names them.

    files   of the robot; `drawn` meshes and `images` of these are files to be made
    folder  where files are put, which come to lie in `home`
    prefix  begins the names of files there
    maps    whether the images of surfaces go along
    done    names that are right already
    """

    files: RobotFiles
    home: Path
    folder: Path
    prefix: str = ""
    maps: bool = False
    done: set[str] = field(default_factory=set)

    def write_new(self, robot: Robot) -> Robot:
        """Writes the files that are not there yet; returns the robot with their names. No file that
        the robot names from before is replaced, and losses of a format are reported."""
        files, names = self.files, dict[str, str]()
        if not (files.drawn or files.images):
            return robot
        taken = self._find_taken()

        def name_mesh(mesh: Mesh, link: str, line: int, part: str) -> str:
            data = files.drawn.get(mesh.filename)
            if data is None:
                return mesh.filename
            if mesh.filename not in names:
                place, lost = self._write_mesh(mesh.filename, data, taken)
                names[mesh.filename] = self.prefix + place
                if lost:
                    called = quote(PurePosixPath(place).name)
                    message = f"new mesh {called} loses its look: {lost}"
                    files.diagnostics.warning("color-lost", message, subject=link)
            return names[mesh.filename]

        def name_texture(name: str) -> str:
            if name not in files.images:
                return name
            if name not in names:
                place = self._find_free_place(PurePosixPath(TEXTURES, Path(name).name), taken)
                (self.folder / TEXTURES).mkdir(parents=True, exist_ok=True)
                shutil.copyfile(name, self.folder / place)
                names[name] = self.prefix + place
            return names[name]

        robot = name_files(robot, name_mesh, name_texture, maps=self.maps)
        self.done.update(names.values())
        return robot

    def link(self, robot: Robot) -> Robot:
        """Returns the robot with its relative paths as they must be written in `home` to name the
        same files."""
        beside = Path(robot.source).parent.absolute()
        if not robot.source or self.home == beside:
            return robot

        def rename(name: str) -> str:
            if not is_relative(name) or name in self.done:
                return name
            path = self._find(name)
            path = path or Path(os.path.normpath(beside / name.strip().replace("\\", "/")))
            return relative_path(path, self.home)

        return name_files(robot, lambda mesh, *_: rename(mesh.filename), rename, maps=self.maps)

    def copy(self, robot: Robot) -> Robot:
        """Copies all files that the robot names; returns the robot with their new names. A missing
        file is reported and keeps its name."""
        copies, files, loss = Copies(self.folder), self.files, "the file is not copied"
        found: dict[str, tuple[Path, _Beside] | None] = {}

        def find_mesh(mesh: Mesh, link: str, line: int) -> tuple[Path, _Beside] | None:
            opened = files.open_named(mesh, link, line, loss)
            if opened is None:
                return None
            path, loaded = opened
            if isinstance(problem := loaded.result, MeshError):
                message = f"{problem.message}; the file is copied unchanged"
                files.diagnostics.warning(problem.code, message, subject=link, line=line)
            return path, loaded.beside

        def name_mesh(mesh: Mesh, link: str, line: int, part: str) -> str:
            name = mesh.filename
            if name not in self.done and name not in found:
                found[name] = find_mesh(mesh, link, line)
            file = found.get(name)
            return name if file is None else self.prefix + copies.copy(*file, f"{FOLDER}/{part}")

        def name_texture(name: str) -> str:
            if name in self.done:
                return name
            try:
                path = files.resolver.resolve_file(name, files.diagnostics.warning, kind="texture")
            except MeshError as problem:
                files.diagnostics.error(problem.code, f"{problem.message}; {loss}")
                return name
            return self.prefix + copies.copy(path, (), TEXTURES)

        return name_files(robot, name_mesh, name_texture, maps=self.maps)

    def _find(self, name: str) -> Path | None:
        try:
            return self.files.resolver.resolve_file(name, lambda code, message: None)
        except MeshError:
            return None

    def _find_taken(self) -> set[str]:
        """Finds the places in `home`, in lower case, of the files that the robot named before."""
        home = self.home.resolve()
        found = [file.resolve() for name in self.files.named if (file := self._find(name))]
        return {
            file.relative_to(home).as_posix().lower() for file in found if file.is_relative_to(home)
        }

    def _find_free_place(self, wanted: PurePosixPath, taken: set[str]) -> str:
        """Returns a place, as it is wanted or with a number, where no other file is."""

        def place(stem: str) -> str:
            return str(wanted.with_name(stem + wanted.suffix))

        def is_taken(stem: str) -> bool:
            return place(stem).lower() in taken or (self.folder / place(stem)).exists()

        return place(find_free(plain_stem(wanted.stem, "mesh"), is_taken))

    def _write_mesh(self, wanted: str, data: MeshData, taken: set[str]) -> tuple[str, str]:
        """Writes a mesh where it is wanted or, where another file is there, under a number."""
        place = PurePosixPath(self._find_free_place(PurePosixPath(wanted), taken))
        written = write_mesh_files(data, place.stem, cast(MeshFormat, place.suffix[1:]))
        folder = self.folder / place.parent
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in written.files.items():
            (folder / name).write_bytes(content)
        return str(place), written.lost


class Copies:
    """Files copied into `root`, and their names from there.

    Each content lies there once in a folder; names are unique without regard to case.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._places: dict[tuple[str, str, tuple[str, ...]], str] = {}
        self._contents: dict[str, str] = {}
        """Place in `root`, in lower case -> digest of its content."""
        self._digests: dict[Path, str] = {}
        self._fresh: dict[Path, bytes] = {}
        """Content of files that were read just now."""
        self._copied: dict[str, Path] = {}
        """Digest of a content -> a file in `root` that has it."""
        for file in root.rglob("*"):
            if file.is_file():
                place, digest = file.relative_to(root).as_posix().lower(), self._digest(file)
                self._contents[place], self._copied[digest] = digest, file
        self._fresh.clear()

    def copy(self, path: Path, beside: _Beside, folder: str) -> str:
        """Copies a file, with the files it names, under `folder`; returns its place in `root`. Each
        file is read once."""
        beside = [(name, path) for name, path in beside if is_relative(name)]
        key = (folder, self._digest(path), tuple(self._digest(path) for _, path in beside))
        if key not in self._places:
            self._places[key] = self._place(path, beside, folder)
        self._fresh.clear()
        return self._places[key]

    def _place(self, path: Path, beside: _Beside, folder: str) -> str:
        number = 1
        while True:
            own = plain_stem(path.stem, "mesh")
            stem = own if number == 1 or beside else f"{own}_{number}"
            home = folder if number == 1 or not beside else f"{folder}/{own}_{number}"
            # Files named by ".." must come to lie within.
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
        target, digest = self._root / place, self._digest(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if digest in self._copied:
            shutil.copyfile(self._copied[digest], target)
        else:
            target.write_bytes(self._fresh[source])
            self._copied[digest] = target
        self._contents[place.lower()] = digest

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            self._fresh[path] = path.read_bytes()
            self._digests[path] = hashlib.sha256(self._fresh[path]).hexdigest()
        return self._digests[path]
