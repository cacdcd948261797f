# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of files beside a robot: each content once, under a name of its own."""

import hashlib
import re
from pathlib import Path

import numpy as np

from ....diagnostics import MeshError
from ....files.regular import read_mesh_file
from ....geometry.triangles import Triangles, flat_normals
from ....meshes.stl import MOST_BYTES, is_binary_stl
from ....meshes.write import write_obj, write_stl

_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
_MOST_LETTERS = 60
_FACET = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])
_HEAD = 84
_AGREE = 0.9


class FileFolder:
    """Writes files into `folder`, which is made when the first one comes; `prefix` stands before
    their names in urls ("Robot_meshes/").

    Names differ in more than upper and lower case, and depend on nothing but the order of work.
    """

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix
        self._names: dict[bytes, str] = {}
        self._taken: set[str] = set()

    def write(self, content: bytes, stem: str, suffix: str) -> str:
        """Returns the url of a file with this content, which is written the first time."""
        key = hashlib.sha256(suffix.encode() + b"\0" + content).digest()
        if key not in self._names:
            name = self._new_name(stem, suffix)
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_bytes(content)
            self._names[key] = name
        return self._prefix + self._names[key]

    def _new_name(self, stem: str, suffix: str) -> str:
        plain = _OTHER.sub("_", stem).strip("_")[:_MOST_LETTERS] or "mesh"
        number, name = 1, plain + suffix
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}_{number}{suffix}"
        self._taken.add(name.lower())
        return name


class MeshFiles:
    """Meshes as files: binary STL where a mesh is only triangles, else OBJ."""

    def __init__(self, folder: FileFolder) -> None:
        self._folder = folder

    def copy(self, path: Path, triangles: Triangles) -> str | None:
        """Returns the url of an unchanged copy of a file that holds these triangles; None where
        Webots would not see the same in it: it must be a binary STL whose normals are right."""
        if path.suffix.lower() != ".stl":
            return None
        try:
            content = read_mesh_file(path, MOST_BYTES)
        except MeshError:
            return None
        if not _says_the_same(content, triangles):
            return None
        return self._folder.write(content, path.stem, ".stl")

    def write(self, triangles: Triangles, stem: str) -> str:
        is_plain = triangles.normals is None and triangles.uvs is None and not triangles.smooth
        if is_plain:
            return self._folder.write(write_stl(triangles), stem, ".stl")
        return self._folder.write(write_obj(triangles), stem, ".obj")

    def write_body(self, triangles: Triangles, stem: str) -> str:
        """Writes a mesh for collisions, which is triangles alone, and returns its url."""
        return self._folder.write(write_stl(triangles), stem, ".stl")


def _says_the_same(content: bytes, triangles: Triangles) -> bool:
    """Whether a file is a binary STL whose normals are those of its triangles. Many files have
    normals of zero length or pointing anywhere, and some viewers believe them. Facets without
    surface may be left out of the triangles; they show nothing."""
    if not is_binary_stl(content[:_HEAD], len(content)) or len(content) < _HEAD + _FACET.itemsize:
        return False
    facets = np.frombuffer(content, dtype=_FACET, offset=_HEAD)
    points = facets["points"]
    if not np.isfinite(points).all():
        return False
    loose = Triangles(points.reshape(-1, 3), np.arange(points.size // 3, dtype=np.int32))
    normals = flat_normals(loose)
    has_surface = np.einsum("ij,ij->i", normals, normals) > 0.5
    if np.count_nonzero(has_surface) > triangles.count or len(facets) < triangles.count:
        return False
    agreement = np.einsum("ij,ij->i", normals[has_surface], facets["normal"][has_surface])
    # A comparison with nan is false.
    return bool((agreement > _AGREE).all())
