# SPDX-License-Identifier: GPL-3.0-or-later
"""From mesh files of any format to arrays.

A loader is a function load_<format>(path, report, resolve, part) -> MeshData, without the last two
where its files name no others and have no parts:

* It returns one mesh in the units and axes in which RViz shows the file, not yet scaled.
* Where `part` is not empty, it returns that part of the file alone.
* It calls report(code, message) for every substitute it uses, in the order in which they come up;
  the caller adds which link and line that concerns.
* It raises MeshError, with a code, when there is nothing to show, and no other exception whatever
  the file holds.
* It reads the file through `read_mesh_file`. It imports a library inside the function and does
  without where that is not installed: Blender's own Python may lack it.
* Files that the mesh file names are found by resolve(uri, kind) alone. A texture that is not found
  or may not be read is reported under the error's code; the material keeps its colour.

A new format is a new line in LOADERS and, if its files can be recognized by their first bytes, in
`find_format`; or, where robots are read from its files too, in the table that its record names in
`meshes`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from ..files.regular import ResolveBeside, read_mesh_head, refuse_beside
from ..geometry.mesh_data import MeshData, turn_over
from ..model import MeshPart, Vector3
from ..shelves import list_parts, load
from .collada.load import load_collada
from .faces import LARGEST_COORDINATE, PIECE, missing_part
from .gltf.load import load_gltf
from .heightmaps import HEIGHTMAP_SUFFIXES, load_heightmap
from .msh import load_msh
from .obj import load_obj
from .ply import load_ply
from .stl import is_binary_stl, is_text_stl, load_stl

Loader = Callable[[Path, Report, ResolveBeside, str], MeshData]


def _whole(load: Callable[[Path, Report], MeshData]) -> Loader:
    """Returns the loader of a format whose files have no parts."""

    def load_whole(path: Path, report: Report, _resolve: ResolveBeside, part: str) -> MeshData:
        mesh = load(path, report)
        if part:
            raise missing_part(path, part, ())
        return mesh

    return load_whole


LOADERS: dict[str, Loader] = {
    ".stl": _whole(load_stl),
    ".obj": load_obj,
    ".glb": load_gltf,
    ".gltf": load_gltf,
    ".ply": _whole(load_ply),
    ".dae": load_collada,
    ".msh": _whole(load_msh),
    **dict.fromkeys(HEIGHTMAP_SUFFIXES, _whole(load_heightmap)),
}


@cache
def _loaders_of_parts() -> Mapping[str, Loader]:
    """Returns suffix -> loader for meshes in files that robots are read from."""
    tables = [load(package, part.meshes) for package, part in list_parts("formats") if part.meshes]
    return {suffix: each for table in tables for suffix, each in table.items()}


UNSCALED = (1.0, 1.0, 1.0)
_LOOKS = frozenset({"missing-materials", "undefined-material", "missing-texture"})
LARGEST_FACTOR = 1e12
"""Of a scale; and its inverse is the smallest. Beyond, single precision ends."""


def load_mesh(
    path: Path,
    scale: Vector3,
    report: Report,
    resolve: ResolveBeside = refuse_beside,
    part: MeshPart | None = None,
    *,
    bare: bool = False,
) -> MeshData:
    """Loads the mesh in a file, or one part of it, scaled, in the frame of the shape. With `bare`
    the file's materials are neither looked for nor reported.

    The loader is chosen by the file's first bytes where they are certain, else by the suffix in
    lower case; reports `wrong-suffix` where they differ. Raises MeshError from the loader,
    `unsupported-mesh-format`, `missing-part`, or `invalid-scale` as from `scale_mesh`.
    """
    check_scale(scale)
    suffix = path.suffix.lower()
    found = find_format(path) or suffix
    loader = LOADERS.get(found) or _loaders_of_parts().get(found)
    if loader is None:
        known = ", ".join(
            sorted((LOADERS.keys() | _loaders_of_parts().keys()) - set(HEIGHTMAP_SUFFIXES))
        )
        what = f"a {found} file" if found else "of an unknown format"
        message = f"{quote(path.name)} is {what}; readable are {known}"
        raise MeshError(message, code="unsupported-mesh-format")
    if found != suffix:
        report("wrong-suffix", f"{quote(path.name)} is a {found} file; it was read as one")
    if bare:
        report, resolve = _ignore_looks(report), _refuse_looks(resolve)
    mesh = loader(path, report, resolve, "" if part is None else part.name)
    if bare:
        mesh = replace(mesh, materials=(), slots=None)
    return scale_mesh(_center(mesh) if part is not None and part.centered else mesh, scale)


def _ignore_looks(report: Report) -> Report:
    return lambda code, message: None if code in _LOOKS else report(code, message)


def _refuse_looks(resolve: ResolveBeside) -> ResolveBeside:
    """Finds other files alone, such as the buffers of glTF."""
    return lambda uri, kind: (refuse_beside if kind == "texture" else resolve)(uri, kind)


def _center(mesh: MeshData) -> MeshData:
    """Returns the mesh with the middle of its box at zero."""
    if not len(mesh.corners):
        return mesh
    used = mesh.vertices[np.unique(mesh.corners)].astype(np.float64)
    middle = 0.5 * (used.min(axis=0) + used.max(axis=0))
    return replace(mesh, vertices=(mesh.vertices - middle).astype(np.float32))


def find_format(path: Path) -> str | None:
    """Returns the suffix that fits the file's first bytes; None where that is not certain."""
    head, size = read_mesh_head(path)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"glTF"):
        return ".glb"
    if start.startswith(b"{") and b'"asset"' in head:
        return ".gltf"
    if head.startswith((b"ply\n", b"ply\r")):
        return ".ply"
    if start.startswith(b"<") and b"<COLLADA" in head:
        return ".dae"
    if is_text_stl(head) or is_binary_stl(head, size):
        return ".stl"
    return None


def scale_mesh(mesh: MeshData, scale: Vector3) -> MeshData:
    """Returns the mesh with its coordinates multiplied; mirroring keeps the outside outside.

    An odd number of negative factors turns every face over, so its corners are taken in reverse.
    MeshError `invalid-scale` for a factor that is zero or no number, one beyond 1e12 or below
    1e-12, and a result beyond 1e9.
    """
    check_scale(scale)
    if scale == UNSCALED:
        return mesh
    factors = np.array(scale)
    vertices = mesh.vertices * factors
    if len(vertices) and np.abs(vertices).max() > LARGEST_COORDINATE:
        raise _invalid_scale(scale, "makes the mesh too large")
    corners, normals, uvs = mesh.corners, mesh.normals, mesh.uvs
    if normals is not None:
        normals = _scale_normals(normals, factors)
    if np.prod(np.sign(factors)) < 0:
        corners = turn_over(corners, mesh)
        normals = None if normals is None else turn_over(normals, mesh)
        uvs = None if uvs is None else turn_over(uvs, mesh)
    return replace(
        mesh, vertices=vertices.astype(np.float32), corners=corners, normals=normals, uvs=uvs
    )


def _scale_normals(
    normals: NDArray[np.float32], factors: NDArray[np.float64]
) -> NDArray[np.float32]:
    sizes = np.abs(factors)
    if (sizes == sizes[0]).all():
        return normals if (factors > 0).all() else normals * np.sign(factors).astype(np.float32)
    scaled = np.empty_like(normals)
    for start in range(0, len(normals), PIECE):
        part = slice(start, start + PIECE)
        scaled[part] = _unit(normals[part] / factors)
    return scaled


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    vectors = vectors / np.where(largest > 0, largest, 1.0)
    lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def check_scale(scale: Vector3) -> None:
    """Raises MeshError `invalid-scale` for factors with which no mesh can be shown."""
    if not all(1 / LARGEST_FACTOR <= abs(factor) <= LARGEST_FACTOR for factor in scale):
        raise _invalid_scale(scale, "leaves no mesh that can be shown")


def _invalid_scale(scale: Vector3, effect: str) -> MeshError:
    numbers = " ".join(f"{factor:g}" for factor in scale)
    return MeshError(f"the scale {numbers} {effect}", code="invalid-scale")
