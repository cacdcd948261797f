# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as the files beside a robot."""

from pathlib import Path

import numpy as np

from .....core.diagnostics import MeshError
from .....core.files.regular import read_mesh_file
from .....core.geometry.triangles import Triangles, flat_normals
from .....core.meshes.stl import MOST_BYTES, is_binary_stl
from .....core.meshes.write import FACET, write_obj, write_stl
from .....core.writers.file_folder import FileFolder

_HEAD = 84
_AGREE = 0.9


class ProtoMeshes:
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
    """Whether a file is a binary STL whose normals are its triangles'. Many files have normals of
    zero length or pointing anywhere, and some viewers believe them. Facets without surface may be
    left out of the triangles; they show nothing."""
    if not is_binary_stl(content[:_HEAD], len(content)) or len(content) < _HEAD + FACET.itemsize:
        return False
    facets = np.frombuffer(content, dtype=FACET, offset=_HEAD)
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
