# SPDX-License-Identifier: GPL-3.0-or-later
"""Clean-up for every loader of faces with indices, before Blender gets them.

Indices and coordinates from unknown files can be anything. Faces that name a missing vertex, or one
without finite coordinates, are left out and reported. Triangles without surface are left out
silently, as all viewers do; a quad that is a triangle becomes one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from ..geometry.mesh_data import MeshData, MeshMaterial

LARGEST_COORDINATE = 1e9
PIECE = 32 * 1024
"""Rows that are worked on in double precision at a time: more memory at once is slower, too."""


_MOST_NAMED = 8


def missing_part(path: Path, part: str, known: Iterable[str]) -> MeshError:
    """Returns the error for a file without the requested part; `known` are its parts."""
    names = [name for name in dict.fromkeys(known) if name]
    shown = ", ".join(map(quote, names[:_MOST_NAMED]))
    rest = " and others" if len(names) > _MOST_NAMED else ""
    what = f"it has {shown}{rest}" if names else "it has no parts with names"
    message = f"{quote(path.name)} has no part {quote(part)}; {what}"
    return MeshError(message, code="missing-part")


def unreadable(path: Path, what: str) -> MeshError:
    """Returns the error for a file that is not the mesh that it should be."""
    return MeshError(f"{quote(path.name)} {what}", code="unreadable-mesh")


def take_rows(rows: NDArray[Any], indices: NDArray[np.integer], found: NDArray[Any]) -> None:
    """Puts the rows of these indices into `found`, which may be the indices themselves. Indices
    out of range get any row; without rows, `found` stays.

    It works in pieces: numpy would copy all indices to 64 bits at once.
    """
    for start in range(0, len(indices) if len(rows) else 0, PIECE):
        part = slice(start, start + PIECE)
        np.take(rows, indices[part].astype(np.intp), axis=0, out=found[part], mode="clip")


def spread_rows(
    rows: NDArray[np.floating] | None, corners: NDArray[np.integer]
) -> NDArray[np.floating] | None:
    """Returns the rows of vertices for corners; None without rows. Corners that are not there get
    any row: their faces are left out later."""
    if rows is None or not len(rows):
        return None
    found = np.empty((len(corners), rows.shape[1]), dtype=rows.dtype)
    take_rows(rows, corners, found)
    return found


def look_up(rows: NDArray[np.float32], indices: NDArray[np.signedinteger]) -> NDArray[np.float32]:
    """Returns the row of each index (C, n); zeros for indices that are not there."""
    if len(indices) and indices.min() >= 0 and indices.max() < len(rows):
        return np.take(rows, indices, axis=0)
    is_there = (indices >= 0) & (indices < len(rows))
    found = np.zeros((len(indices), rows.shape[1]), dtype=np.float32)
    found[is_there] = rows[indices[is_there]]
    return found


def cofactors_of(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the cofactors (3, 3), by which normals turn as by the transposed inverse, up to a
    factor, also where there is none. As of numbers: for vectors of three, numpy takes fifty times
    as long."""
    (a, b, c), (d, e, f), (g, h, i) = axes.tolist()
    return np.array(
        [
            [e * i - f * h, f * g - d * i, d * h - e * g],
            [c * h - b * i, a * i - c * g, b * g - a * h],
            [b * f - c * e, c * d - a * f, a * e - b * d],
        ]
    )


@dataclass(slots=True, kw_only=True)
class Faces:
    """Faces as a file writes them, nothing checked but the lengths of the arrays.

    vertices  float (V, 3)
    corners   int (C,), any numbers
    sizes     int (F,), corners per face; their sum is C
    normals   float (C, 3), any length; None where the file has none
    uvs       float (C, 2), origin at the lower left; None where there are none
    slots     int (F,), index into the materials; None: all faces use the first
    """

    vertices: NDArray[np.floating]
    corners: NDArray[np.integer]
    sizes: NDArray[np.integer]
    normals: NDArray[np.floating] | None = None
    uvs: NDArray[np.floating] | None = None
    slots: NDArray[np.integer] | None = None

    def keep(self, is_kept: NDArray[np.bool_]) -> "Faces":
        """Returns only these faces."""
        if is_kept.all():
            return self
        kept = self.keep_corners(np.repeat(is_kept, self.sizes))
        slots = None if self.slots is None else self.slots[is_kept]
        return replace(kept, sizes=self.sizes[is_kept], slots=slots)

    def keep_corners(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> "Faces":
        """Returns the faces with only these corners, or with these in this order; their sizes are
        left to the caller."""
        normals = None if self.normals is None else self.normals[chosen]
        uvs = None if self.uvs is None else self.uvs[chosen]
        return replace(self, corners=self.corners[chosen], normals=normals, uvs=uvs)

    def without_repeats(self) -> "Faces":
        """Drops each corner equal to its face's next corner, then faces of fewer than three
        corners.

        The remaining faces that use vertices twice are polygons with holes, cut open along a seam:
        the second use gets a vertex of its own.
        """
        if (self.sizes == 3).all():
            a, b, c = self.corners.reshape(-1, 3).T
            return self.keep((a != b) & (b != c) & (c != a))
        following = np.arange(1, len(self.corners) + 1)
        following[np.cumsum(self.sizes) - 1] = np.cumsum(self.sizes) - self.sizes
        is_repeat = self.corners == self.corners[following]
        found = self
        if is_repeat.any():
            face = np.repeat(np.arange(len(self.sizes)), self.sizes)
            found = self.keep_corners(~is_repeat)
            found.sizes = np.bincount(face[~is_repeat], minlength=len(self.sizes))
        return found.keep(found.sizes >= 3)._split_seams()

    def _split_seams(self) -> "Faces":
        """Only where there are four corners: three that differ from their neighbours are three."""
        places = np.flatnonzero(np.repeat(self.sizes > 3, self.sizes))
        if not len(places):
            return self
        face = np.repeat(np.arange(len(self.sizes)), self.sizes)[places]
        vertex = self.corners[places]
        order = np.lexsort((vertex, face))
        face, vertex = face[order], vertex[order]
        is_second = np.zeros(len(order), dtype=bool)
        is_second[1:] = (face[1:] == face[:-1]) & (vertex[1:] == vertex[:-1])
        if not is_second.any():
            return self
        corners = self.corners.copy()
        count = len(self.vertices)
        corners[places[order[is_second]]] = np.arange(count, count + np.count_nonzero(is_second))
        vertices = np.concatenate([self.vertices, self.vertices[vertex[is_second]]])
        return replace(self, vertices=vertices, corners=corners)


def make_mesh(
    faces: Faces, path: Path, report: Report, materials: tuple[MeshMaterial, ...] = ()
) -> MeshData:
    """Makes the mesh of all valid faces, without vertices and materials that none of them uses.
    Takes the faces apart, which saves memory.

    Reports `invalid-facets`. Raises MeshError `empty-mesh` if no face is left.
    """
    faces = _drop_invalid(faces, path, report)
    if not len(faces.sizes):
        raise MeshError(f"{quote(path.name)} has no faces", code="empty-mesh")
    materials, slots = _drop_unused(materials, faces.slots)
    normals, faces.normals = _make_unit_normals(faces), None
    uvs, faces.uvs = None if faces.uvs is None else _finite_uvs(faces.uvs), None
    vertices, corners = drop_unused_vertices(faces.vertices, faces.corners)
    return MeshData(
        vertices=vertices,
        corners=corners,
        face_sizes=None if (faces.sizes == 3).all() else faces.sizes.astype(np.int32),
        normals=normals,
        uvs=uvs,
        materials=materials,
        slots=slots,
        name=path.stem,
    )


def drop_unused_vertices(
    vertices: NDArray[np.floating], corners: NDArray[np.integer]
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Returns the vertices that have corners, in single precision, and the corners' new indices."""
    is_used = np.zeros(len(vertices), dtype=bool)
    for start in range(0, len(corners), PIECE):
        is_used[corners[start : start + PIECE]] = True
    if is_used.all():
        found = np.ascontiguousarray(corners, dtype=np.int32)
        return np.ascontiguousarray(vertices, dtype=np.float32), found
    found = np.empty(len(corners), dtype=np.int32)
    take_rows(np.cumsum(is_used, dtype=np.int32) - np.int32(1), corners, found)
    return vertices[is_used].astype(np.float32), found


def _drop_invalid(faces: Faces, path: Path, report: Report) -> Faces:
    if not len(faces.sizes):
        return faces
    face_is_valid = _find_valid(faces)
    lost = len(face_is_valid) - np.count_nonzero(face_is_valid)
    if lost:
        report(
            "invalid-facets",
            f"{lost} of {len(faces.sizes)} faces of {quote(path.name)} have vertices that are not "
            "there or not finite; they were left out",
        )
        faces = faces.keep(face_is_valid)
    return faces.without_repeats() if len(faces.sizes) else faces


def are_in_bounds(points: NDArray[np.floating]) -> bool:
    """Whether all coordinates are finite, and none so large that areas overflow single precision,
    without an array for the question."""
    # Written this way round, a NaN is not within.
    return not len(points) or bool(
        -LARGEST_COORDINATE <= points.min() <= points.max() <= LARGEST_COORDINATE
    )


def _find_valid(faces: Faces) -> NDArray[np.bool_]:
    corners, count = faces.corners, len(faces.vertices)
    are_there = count and len(corners) and corners.min() >= 0 and corners.max() < count
    if are_there and are_in_bounds(faces.vertices):
        return np.ones(len(faces.sizes), dtype=bool)
    with np.errstate(invalid="ignore"):
        is_vertex = (np.abs(faces.vertices) <= LARGEST_COORDINATE).all(axis=1)
    is_valid = (corners >= 0) & (corners < count)
    is_valid[is_valid] = is_vertex[corners[is_valid]]
    face_is_valid = np.ones(len(faces.sizes), dtype=bool)
    face_is_valid[np.repeat(np.arange(len(faces.sizes)), faces.sizes)[~is_valid]] = False
    return face_is_valid


def _drop_unused(
    materials: tuple[MeshMaterial, ...], slots: NDArray[np.integer] | None
) -> tuple[tuple[MeshMaterial, ...], NDArray[np.int32] | None]:
    """Equal materials become one, too."""
    if slots is None or not materials:
        return materials[:1], None
    used = np.unique(slots)
    kept = list(dict.fromkeys(materials[index] for index in used))
    if len(kept) == 1:
        return tuple(kept), None
    place = np.zeros(len(materials), dtype=np.int32)
    for index in used:
        place[index] = kept.index(materials[index])
    return tuple(kept), place[slots]


def _make_unit_normals(faces: Faces) -> NDArray[np.float32] | None:
    """Normals of zero length become the normal of their face's first three corners."""
    if faces.normals is None:
        return None
    normals = _take_over(faces.normals)
    lacks = np.zeros(len(normals), dtype=bool)
    for start in range(0, len(normals), PIECE):
        part = slice(start, start + PIECE)
        found = _finite(faces.normals[part])
        lengths = np.linalg.norm(found, axis=1)
        lacks[part] = lengths < 1e-6
        lengths[lacks[part]] = 1.0
        normals[part] = found / np.repeat(lengths, 3).reshape(-1, 3)
    if lacks.any():
        flat = np.repeat(_face_normals(faces), faces.sizes, axis=0)
        normals[lacks] = flat[lacks]
    return normals


def _take_over(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Returns an array for results: the rows' own where that can be, to save memory."""
    if rows.dtype == np.float32 and rows.flags.owndata and rows.flags.writeable:
        return rows.astype(np.float32, copy=False)
    return np.empty(rows.shape, dtype=np.float32)


def _face_normals(faces: Faces) -> NDArray[np.float64]:
    first = np.cumsum(faces.sizes) - faces.sizes
    a, b, c = (faces.vertices[faces.corners[first + step]].astype(np.float64) for step in range(3))
    crossed = np.cross(b - a, c - a)
    lengths = np.linalg.norm(crossed, axis=1, keepdims=True)
    up = np.array([0.0, 0.0, 1.0])
    return np.where(lengths > 0, crossed / np.where(lengths > 0, lengths, 1.0), up)


def _finite_uvs(uvs: NDArray[np.floating]) -> NDArray[np.float32]:
    found = _take_over(uvs)
    for start in range(0, len(uvs), PIECE):
        found[start : start + PIECE] = _finite(uvs[start : start + PIECE])
    return found


def _finite(numbers: NDArray[np.floating]) -> NDArray[np.float64]:
    """A copy, double, with zero for values that are not numbers or beyond any use."""
    with np.errstate(invalid="ignore"):  # of signalling NaNs, too
        found = numbers.astype(np.float64)
        found[~(np.abs(found) <= LARGEST_COORDINATE)] = 0.0
    return found
