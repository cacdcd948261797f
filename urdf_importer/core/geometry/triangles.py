# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygon meshes as triangles, the form used for collision shapes and mesh files."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..model import Extrusion, Polyhedron
from .extrusions import extrude
from .mesh_data import MeshData, MeshMaterial

Corners = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """Triangles with the data at their corners, as in MeshData.

    vertices  float32 (V, 3), metres
    corners   int32 (3 T,), counter-clockwise seen from outside
    normals   float32 (3 T, 3) or None
    uvs       float32 (3 T, 2) or None
    smooth    whether all is shaded smooth where there are no normals
    """

    vertices: NDArray[np.float32]
    corners: Corners
    normals: NDArray[np.float32] | None = None
    uvs: NDArray[np.float32] | None = None
    smooth: bool = False

    @property
    def count(self) -> int:
        return len(self.corners) // 3

    @property
    def faces(self) -> Corners:
        return self.corners.reshape(-1, 3)

    def keep(self, is_kept: NDArray[np.bool_]) -> "Triangles":
        """Returns only these triangles (T,), without the vertices that none of them uses."""
        at = np.repeat(is_kept, 3)
        used, corners = np.unique(self.corners[at], return_inverse=True)
        return Triangles(
            self.vertices[used],
            corners.ravel().astype(np.int32),
            None if self.normals is None else self.normals[at],
            None if self.uvs is None else self.uvs[at],
            self.smooth,
        )


def unpack_surface(
    geometry: Extrusion | Polyhedron,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Returns the points (V, 3), in metres, and the triangles (F, 3) of a shape. Raises MeshError
    as extrude does."""
    if isinstance(geometry, Extrusion):
        points, faces = extrude(geometry)
        return points, faces.astype(np.int64)
    points = np.array(geometry.points, dtype=np.float64).reshape(-1, 3)
    return points, np.array(geometry.faces, dtype=np.int64).reshape(-1, 3)


def make_triangles(mesh: MeshData) -> tuple[Triangles, NDArray[np.int32] | None]:
    """Returns the mesh in triangles, and the slot of each (T,)."""
    sizes = mesh.face_sizes
    if sizes is None or bool((sizes == 3).all()):
        return _pick(mesh, np.arange(len(mesh.corners))), mesh.slots
    faces, places = _split_polygons(mesh, sizes.astype(np.int64))
    slots = None if mesh.slots is None else mesh.slots[faces]
    return _pick(mesh, places.ravel()), slots


def split_by_material(mesh: MeshData) -> Iterator[tuple[MeshMaterial | None, Triangles]]:
    """Returns the triangles of each look that is used; of None where the mesh brings no materials
    along.

    Materials that differ in nothing but their names are one look, under the first one's name.
    """
    triangles, slots = make_triangles(mesh)
    if not mesh.materials or slots is None:
        if triangles.count:
            yield (mesh.materials[0] if mesh.materials else None), triangles
        return
    looks = [replace(material, name="") for material in mesh.materials]
    first = np.array([looks.index(look) for look in looks])
    slots = first[np.clip(slots, 0, len(looks) - 1)]
    used = np.unique(slots).tolist()
    for slot in used:
        part = triangles if len(used) == 1 else triangles.keep(slots == slot)
        yield mesh.materials[slot], part


def _pick(mesh: MeshData, places: NDArray[np.int64]) -> Triangles:
    return Triangles(
        mesh.vertices,
        mesh.corners[places],
        None if mesh.normals is None else mesh.normals[places],
        None if mesh.uvs is None else mesh.uvs[places],
        mesh.smooth,
    )


def _split_polygons(
    mesh: MeshData, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each triangle its face, and (T, 3) places among the corners: fans, but ears are cut off
    one by one where a polygon is not convex."""
    starts = np.cumsum(sizes) - sizes
    counts = sizes - 2
    faces = np.repeat(np.arange(len(sizes)), counts)
    step = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    first = starts[faces]
    places = np.column_stack([first, first + step + 1, first + step + 2])
    for face in _find_concave(mesh, faces, places):
        start, size = int(starts[face]), int(sizes[face])
        points = mesh.vertices[mesh.corners[start : start + size]].astype(np.float64)
        places[faces == face] = start + np.array(_cut_ears(points))
    return faces, places


def _find_concave(mesh: MeshData, faces: NDArray[np.int64], places: NDArray[np.int64]) -> list[int]:
    """Faces in which some triangle of the fan is turned over."""
    a, b, c = (mesh.vertices[mesh.corners[places[:, i]]].astype(np.float64) for i in range(3))
    crossed = np.cross(b - a, c - a)
    normals = np.zeros((int(faces.max()) + 1, 3))
    np.add.at(normals, faces, crossed)
    heights = np.einsum("ij,ij->i", crossed, normals[faces])
    found: list[int] = np.unique(faces[heights < 0.0]).tolist()
    return found


def _cut_ears(points: NDArray[np.float64]) -> list[tuple[int, int, int]]:
    """A plane polygon (N, 3) as N - 2 triangles of its corners."""
    following = np.roll(points, -1, axis=0)
    normal = np.cross(points, following).sum(axis=0)
    drop = int(np.abs(normal).argmax())
    flat = np.delete(points, drop, axis=1) * (1.0 if normal[drop] > 0.0 else -1.0)
    if drop == 1:
        flat = flat[:, ::-1]
    if normal[drop] <= 0.0:
        flat = flat * [-1.0, 1.0]
    left = list(range(len(points)))
    ears = []
    while len(left) > 3:
        spot = next((i for i in range(len(left)) if _is_ear(flat, left, i)), 0)
        ears.append((left[spot - 1], left[spot], left[(spot + 1) % len(left)]))
        del left[spot]
    return [*ears, (left[0], left[1], left[2])]


def _is_ear(flat: NDArray[np.float64], left: list[int], spot: int) -> bool:
    a, b, c = left[spot - 1], left[spot], left[(spot + 1) % len(left)]
    if _turn(flat[a], flat[b], flat[c]) <= 0.0:
        return False
    others = flat[[index for index in left if index not in (a, b, c)]]
    inside = np.ones(len(others), dtype=bool)
    for one, other in ((a, b), (b, c), (c, a)):
        inside &= _turn(flat[one], flat[other], others.T) >= 0.0
    return not inside.any()


def _turn(
    a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Above zero where a, b, c turn left."""
    turned: NDArray[np.float64] = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return turned


def flat_normals(triangles: Triangles) -> NDArray[np.float32]:
    """Returns (T, 3), unit; zero for triangles without surface."""
    a, b, c = (triangles.vertices[triangles.corners[i::3]].astype(np.float64) for i in range(3))
    crossed = np.cross(b - a, c - a)
    lengths = np.linalg.norm(crossed, axis=1, keepdims=True)
    return (crossed / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)


def smooth_normals(triangles: Triangles) -> NDArray[np.float32]:
    """Returns (3 T, 3): at each vertex the mean of its triangles, weighted by their surface."""
    a, b, c = (triangles.vertices[triangles.corners[i::3]].astype(np.float64) for i in range(3))
    sums = np.zeros((len(triangles.vertices), 3))
    np.add.at(sums, triangles.corners, np.repeat(np.cross(b - a, c - a), 3, axis=0))
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)[triangles.corners]


def corner_normals(triangles: Triangles) -> NDArray[np.float32]:
    """Returns (3 T, 3): its own; without these, smooth or flat as the mesh says."""
    if triangles.normals is not None:
        return triangles.normals
    if triangles.smooth:
        return smooth_normals(triangles)
    return np.repeat(flat_normals(triangles), 3, axis=0)


def project_on_box(triangles: Triangles) -> NDArray[np.float32]:
    """Returns (3 T, 2) texture coordinates for a mesh that has none: each triangle sees the image
    from the side of its bounding box that it faces, the whole box across one image."""
    low = triangles.vertices.min(axis=0)
    size = np.ptp(triangles.vertices, axis=0)
    unit_points = (triangles.vertices - low) / np.where(size > 0.0, size, 1.0)
    points = unit_points[triangles.corners]
    side = np.repeat(np.abs(flat_normals(triangles)).argmax(axis=1), 3)
    rows = np.arange(len(points))
    across = np.array([1, 0, 0])[side]
    upward = np.array([2, 2, 1])[side]
    return np.column_stack([points[rows, across], points[rows, upward]]).astype(np.float32)
