# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex hulls in numpy, and hulls of few triangles.

Quickhull (Barber, Dobkin and Huhdanpaa 1996): a tetrahedron grows by the point that lies farthest
outside, so that stopping early leaves a hull that misses little. Three rules make it robust, and
have their price:

* The points are turned to their principal axes and stretched to one extent along each.
* They are moved by a billionth of their extent, the same way every time, so that no four of them
  lie in one plane and no three on one line. The result has the original points.
* A point less than a ten-millionth outside is inside.

At the end the hull is scaled about its middle until it contains every point, so rounding and early
stopping make it larger, never too small.
"""

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .mesh_data import MeshData

Points = NDArray[np.float64]
Indices = NDArray[np.int64]

_JITTER = 1e-9
_TOLERANCES = (1e-7, 0.0)
"""The second where the first leaves a dent: slow, but exact."""

_FLAT = 1e-6
"""A set of points thinner than this share of its extent has no volume."""

_WORST_DENT = 1e-5
_ROUNDING = 1e-6
_MOST_DISTANCES = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """A closed convex surface.

    vertices   (V, 3)
    triangles  (F, 3), counter-clockwise seen from outside
    normals    (F, 3), unit, outward
    offsets    (F,), how far the hull reaches along the normals
    """

    vertices: Points
    triangles: Indices
    normals: Points
    offsets: Points

    @property
    def volume(self) -> float:
        middle = self.vertices.mean(axis=0)
        a, b, c = ((self.vertices - middle)[self.triangles[:, i]] for i in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def convex_hull(points: Points, most_triangles: int = 0) -> Hull | None:
    """Returns the hull of (N, 3) finite points; it contains all of them.

    With `most_triangles` (at least 4) it has no more triangles than that and is a little larger.
    None where the points lie in a plane, on a line or in one place.
    """
    points = np.unique(np.asarray(points, dtype=np.float64).reshape(-1, 3), axis=0)
    if is_flat(points):
        return None
    turned, axes, middle = _turn(points)
    extents = np.ptp(turned, axis=0)
    # The hull of stretched points is the stretched hull, so that a plate is treated like a cube.
    hull = _find_hull(turned / extents, most_triangles)
    if hull is None:
        return None
    return _make_hull((hull.vertices * extents) @ axes.T + middle, hull.triangles)


def is_flat(points: Points) -> bool:
    """Whether (N, 3) points have no hull, since they lie in a plane, on a line or in one place, or
    are not finite. Takes a moment where the hull itself takes seconds."""
    if len(points) < 4 or not np.isfinite(points).all():
        return True
    extents = np.ptp(_turn(points)[0], axis=0)
    return bool(extents.min() <= _FLAT * extents.max())


def _turn(points: Points) -> tuple[Points, Points, Points]:
    """Returns points about the middle of their box along their principal axes, these axes as
    right-handed columns (3, 3), and the middle."""
    middle = (points.min(axis=0) + points.max(axis=0)) / 2.0
    centred = points - middle
    spread = centred - centred.mean(axis=0)
    _, axes = np.linalg.eigh(spread.T @ spread)
    axes = axes * np.sign(np.linalg.det(axes))
    return centred @ axes, axes, middle


def _find_hull(points: Points, most_triangles: int) -> Hull | None:
    generator = np.random.default_rng(0)
    moved = points + generator.uniform(-_JITTER, _JITTER, points.shape)
    for tolerance in _TOLERANCES:
        growing = _GrowingHull(moved, tolerance)
        growing.grow(max(most_triangles, 4) if most_triangles else 0)
        hull = _make_hull(points, growing.triangles())
        if not _is_folded(hull):
            return _containing(hull, points)
    return None


def _make_hull(points: Points, triangles: Indices) -> Hull:
    """The planes are moved out to touch the farthest vertex: any rounding turns a sliver's plane,
    which would cut the hull elsewhere."""
    used, corners = np.unique(triangles, return_inverse=True)
    vertices, corners = points[used], corners.reshape(-1, 3)
    a, b, c = (vertices[corners[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.where(lengths > 0.0, normals / np.where(lengths > 0.0, lengths, 1.0), [1.0, 0, 0])
    return Hull(vertices, corners, normals, find_reach(vertices, normals))


def _is_folded(hull: Hull) -> bool:
    """Whether a vertex lies outside of a triangle by more than rounding explains, which tilts a
    triangle the more the lower it is."""
    a, b, c = (hull.vertices[hull.triangles[:, i]] for i in range(3))
    dents = hull.offsets - np.einsum("ij,ij->i", hull.normals, a)
    longest = np.sqrt(np.max([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], 0))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    heights = areas / np.maximum(longest, 1e-30)
    return bool((dents > np.maximum(_WORST_DENT, _ROUNDING / np.maximum(heights, 1e-30))).any())


def find_reach(points: Points, directions: Points) -> Points:
    """Returns for each direction (D, 3) how far the points (N, 3) reach along it."""
    step = max(1, _MOST_DISTANCES // max(len(directions), 1))
    reach = np.full(len(directions), -np.inf)
    for start in range(0, len(points), step):
        np.maximum(reach, (points[start : start + step] @ directions.T).max(axis=0), out=reach)
    return reach


def mesh_of_hull(hull: Hull, reach: Points) -> MeshData:
    """Returns a hull in single precision, larger by so much that it reaches as far along its
    normals as `reach` (F,) says, and that rounding leaves nothing out."""
    middle = hull.vertices.mean(axis=0)
    room = 4.0 * float(np.finfo(np.float32).eps) * float(np.abs(hull.vertices).max())
    inner = hull.normals @ middle
    heights = hull.offsets - inner
    factor = float(((reach - inner) / heights).max()) + min(room / float(heights.min()), 0.001)
    vertices = middle + (hull.vertices - middle) * factor
    return MeshData(
        vertices=vertices.astype(np.float32), corners=hull.triangles.ravel().astype(np.int32)
    )


def _containing(hull: Hull, points: Points) -> Hull:
    """The hull, scaled about its middle so far that no point is outside."""
    middle = hull.vertices.mean(axis=0)
    reach = find_reach(points - middle, hull.normals)
    heights = hull.offsets - hull.normals @ middle
    factor = max(float((reach / heights).max()), 1.0)
    return _make_hull(middle + (hull.vertices - middle) * factor, hull.triangles)


class _GrowingHull:
    """Faces by number; each knows its plane and the points outside of it, farthest first to go."""

    def __init__(self, points: Points, tolerance: float) -> None:
        self._points = points
        self._tolerance = tolerance
        self._faces: dict[int, tuple[int, int, int]] = {}
        self._planes: dict[int, tuple[float, float, float, float]] = {}
        self._outside: dict[int, Indices] = {}
        self._face_of_edge: dict[tuple[int, int], int] = {}
        self._farthest: list[tuple[float, int, int]] = []
        self._count = 0
        corners = _first_tetrahedron(points)
        others = np.setdiff1d(np.arange(len(points)), corners)
        a, b, c, d = corners
        self._attach([(a, b, c), (a, d, b), (b, d, c), (c, d, a)], others)

    def triangles(self) -> Indices:
        return np.array(list(self._faces.values()), dtype=np.int64)

    def grow(self, most_triangles: int) -> None:
        """Until no point is outside or there are this many triangles (0: any number)."""
        while self._farthest:
            # One point adds two triangles to a closed surface.
            if most_triangles and len(self._faces) + 2 > most_triangles:
                return
            _, face, point = heapq.heappop(self._farthest)
            if face in self._faces:
                self._take(face, point)

    def _take(self, face: int, point: int) -> None:
        seen = self._find_visible(face, point)
        fan = []
        for number in sorted(seen):
            a, b, c = self._faces[number]
            for edge in ((a, b), (b, c), (c, a)):
                if self._face_of_edge[edge[::-1]] not in seen:
                    fan.append((*edge, point))
        loose = np.concatenate([self._outside.pop(number) for number in sorted(seen)])
        for number in seen:
            a, b, c = self._faces.pop(number)
            del self._planes[number]
            for edge in ((a, b), (b, c), (c, a)):
                del self._face_of_edge[edge]
        self._attach(fan, loose[loose != point])

    def _find_visible(self, face: int, point: int) -> set[int]:
        """The faces that the point is outside of, connected with this one."""
        x, y, z = self._points[point].tolist()
        seen, todo, tried = {face}, [face], {face}
        while todo:
            a, b, c = self._faces[todo.pop()]
            for edge in ((b, a), (c, b), (a, c)):
                other = self._face_of_edge[edge]
                if other in tried:
                    continue
                tried.add(other)
                p, q, r, offset = self._planes[other]
                if p * x + q * y + r * z - offset > self._tolerance:
                    seen.add(other)
                    todo.append(other)
        return seen

    def _attach(self, faces: list[tuple[int, int, int]], loose: Indices) -> None:
        """New faces; the loose points outside of them go to the face they are farthest from."""
        corners = self._points[np.array(faces)]
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        normals = _crossed(b - a, c - a)
        normals /= np.sqrt(np.einsum("ij,ij->i", normals, normals))[:, None]
        offsets = np.einsum("ij,ij->i", normals, a)
        distances = self._points[loose] @ normals.T - offsets
        nearest = distances.argmax(axis=1)
        heights = distances[np.arange(len(loose)), nearest]
        for index, (face, plane) in enumerate(
            zip(faces, np.column_stack([normals, offsets]).tolist(), strict=True)
        ):
            number = self._count
            self._count += 1
            self._faces[number] = face
            self._planes[number] = tuple(plane)
            for edge in ((face[0], face[1]), (face[1], face[2]), (face[2], face[0])):
                self._face_of_edge[edge] = number
            mine = (nearest == index) & (heights > self._tolerance)
            self._outside[number] = loose[mine]
            if mine.any():
                best = int(np.where(mine, heights, -1.0).argmax())
                entry = (-float(heights[best]), number, int(loose[best]))
                heapq.heappush(self._farthest, entry)


def _crossed(a: Points, b: Points) -> Points:
    """np.cross takes three times as long for few rows."""
    return np.column_stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ]
    )


def _first_tetrahedron(points: Points) -> tuple[int, int, int, int]:
    """Four points far apart, the first three counter-clockwise seen from outside."""
    axis = int(np.ptp(points, axis=0).argmax())
    a, b = int(points[:, axis].argmin()), int(points[:, axis].argmax())
    along = points[b] - points[a]
    c = int(np.linalg.norm(np.cross(points - points[a], along), axis=1).argmax())
    normal = np.cross(along, points[c] - points[a])
    heights = (points - points[a]) @ normal
    d = int(np.abs(heights).argmax())
    return (a, b, c, d) if heights[d] < 0.0 else (b, a, c, d)
