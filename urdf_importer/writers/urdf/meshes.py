# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a robot names, as the new file names them.

A relative path starts where the file that names it lies, so it changes with the folder. Copies keep
their own references (materials, images, buffers) in the same relative places, since files that are
not changed name them.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import cast

from ...diagnostics import Diagnostics, quote
from ...files.portable import plain_stem, relative_path
from ...geometry.mesh_data import MeshData
from ...meshes.write_files import MeshFormat, write_mesh_files
from ...model import Mesh, Robot
from ...model.file_names import is_relative, name_files
from ...names import find_free

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetFolder:
    """The folder that files are put into. `prefix` begins the names of its files; with `maps` the
    images of surfaces go along."""

    folder: Path
    prefix: str = ""
    maps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFiles:
    """Files named by a robot that do not exist yet, or do not stay.

    meshes  name in the robot, the file's place beside the description -> the mesh
    images  paths in the robot that lie where they do not stay
    old     files that the robot named before, which new ones do not replace
    """

    meshes: Mapping[str, MeshData] = field(default_factory=dict)
    images: frozenset[str] = frozenset()
    old: frozenset[str] = frozenset()


def find_free_name(stem: str, part: str, format: str, taken: Iterable[str]) -> str:
    """Finds a name, in the folder of visual or collision meshes, that is not taken: without regard
    to case, and of characters that every file system has."""
    plain = plain_stem(stem[:80], "mesh")
    lowered = {name.lower() for name in taken}
    name = f"{FOLDER}/{part}/{{}}.{format}".format
    return name(find_free(plain, lambda called: name(called).lower() in lowered))


def find_taken(home: Path, new: NewFiles, find: Callable[[str], Path | None]) -> set[str]:
    """Finds the places of the files in `home` that a robot still names, which new ones do not
    replace."""
    found = [file.resolve() for name in new.old if (file := find(name)) is not None]
    return {
        file.relative_to(home).as_posix().lower() for file in found if file.is_relative_to(home)
    }


def write_new_files(
    robot: Robot,
    new: NewFiles,
    target: TargetFolder,
    taken: Set[str],
    diagnostics: Diagnostics,
) -> tuple[Robot, frozenset[str]]:
    """Writes new files; returns the robot with their names as it has to say them, and these names.
    `taken` are places there, in lower case, of files that must not be replaced. Losses of a format
    are reported."""
    root, prefix = target.folder, target.prefix
    names: dict[str, str] = {}

    def name_mesh(mesh: Mesh, link: str, line: int, part: str) -> str:
        data = new.meshes.get(mesh.filename)
        if data is None:
            return mesh.filename
        if mesh.filename not in names:
            place, lost = _write_mesh(root, mesh.filename, data, taken)
            names[mesh.filename] = prefix + place
            if lost:
                called = quote(PurePosixPath(place).name)
                message = f"new mesh {called} loses its look: {lost}"
                diagnostics.warning("color-lost", message, subject=link)
        return names[mesh.filename]

    def name_texture(name: str) -> str:
        if name not in new.images:
            return name
        if name not in names:
            names[name] = prefix + _copy_image(root, Path(name), taken)
        return names[name]

    robot = name_files(robot, name_mesh, name_texture, maps=target.maps)
    return robot, frozenset(names.values())


def _find_free_place(root: Path, wanted: PurePosixPath, taken: Set[str]) -> str:
    """Returns a place in `root`, as it is wanted or with a number, where no other file is."""

    def name_file(stem: str) -> str:
        return str(wanted.with_name(stem + wanted.suffix))

    def is_taken(stem: str) -> bool:
        return name_file(stem).lower() in taken or (root / name_file(stem)).exists()

    return name_file(find_free(plain_stem(wanted.stem, "mesh"), is_taken))


def _copy_image(root: Path, image: Path, taken: Set[str]) -> str:
    place = _find_free_place(root, PurePosixPath(TEXTURES, image.name), taken)
    (root / TEXTURES).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(image, root / place)
    return place


def _write_mesh(root: Path, wanted: str, data: MeshData, taken: Set[str]) -> tuple[str, str]:
    """Writes a mesh where it is wanted or, where another file is there, under a number."""
    place = PurePosixPath(_find_free_place(root, PurePosixPath(wanted), taken))
    written = write_mesh_files(data, place.stem, cast(MeshFormat, place.suffix[1:]))
    folder = root / place.parent
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in written.files.items():
        (folder / name).write_bytes(content)
    return str(place), written.lost


def link_files(
    robot: Robot,
    folder: Path,
    find: Callable[[str], Path | None],
    done: frozenset[str] = frozenset(),
    *,
    maps: bool = False,
) -> Robot:
    """Returns the robot with its relative paths as they must be written in `folder` to name the
    same files. `find` finds a file that is there; names in `done` are right already."""
    if not robot.source or folder == Path(robot.source).parent.absolute():
        return robot
    beside = Path(robot.source).parent.absolute()

    def rename(name: str) -> str:
        if not is_relative(name) or name in done:
            return name
        path = find(name) or Path(os.path.normpath(beside / name.strip().replace("\\", "/")))
        return relative_path(path, folder)

    return name_files(robot, lambda mesh, *_: rename(mesh.filename), rename, maps=maps)


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
        for file in root.rglob("*"):
            if file.is_file():
                self._contents[file.relative_to(root).as_posix().lower()] = self._digest(file)

    def copy(self, found: FoundFile, folder: str) -> str:
        """Copies a file, with the files it names, under `folder`; returns its place in `root`."""
        beside = [(name, path) for name, path in found.beside if is_relative(name)]
        key = (folder, self._digest(found.path), tuple(self._digest(path) for _, path in beside))
        if key not in self._places:
            self._places[key] = self._place(found.path, beside, folder)
        return self._places[key]

    def _place(self, path: Path, beside: list[tuple[str, Path]], folder: str) -> str:
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
    robot: Robot,
    target: TargetFolder,
    find: FindMesh,
    find_texture: FindTexture,
    done: frozenset[str] = frozenset(),
) -> Robot:
    """Copies all files that the robot names; returns the robot with their new names. A missing file
    keeps its name; names in `done` are there already."""
    copies, prefix = Copies(target.folder), target.prefix

    def name_mesh(mesh: Mesh, link: str, line: int, part: str) -> str:
        found = None if mesh.filename in done else find(mesh, link, line)
        return mesh.filename if found is None else prefix + copies.copy(found, f"{FOLDER}/{part}")

    def name_texture(name: str) -> str:
        path = None if name in done else find_texture(name)
        return name if path is None else prefix + copies.copy(FoundFile(path=path), TEXTURES)

    return name_files(robot, name_mesh, name_texture, maps=target.maps)
