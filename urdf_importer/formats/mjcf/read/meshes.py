# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of <asset>: the frames of their points, their masses, and the simple shapes that are
fitted to them.

Points come from a file, found and bounded like shapes' files, or from the text. Oddities of a file
are reported when it is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....core.diagnostics import Diagnostics, MeshError
from ....core.files.packages import PackageResolver
from ....core.geometry.hulls import convex_hull
from ....core.geometry.mesh_data import MeshData
from ....core.geometry.transforms import Matrix, make_frame, rotation_from_quaternion
from ....core.geometry.triangles import make_triangles, unpack_surface
from ....core.geometry.volumes import MassProperties, polyhedron_mass
from ....core.meshes import RobotFiles
from ....core.meshes.obj import load_bare_points
from ....core.model import Mesh, Polyhedron, Vector3
from .document import MjcfElement

Points = NDArray[np.float64]
Faces = NDArray[np.int64]
_ONES: Vector3 = (1.0, 1.0, 1.0)
FITTED = ("sphere", "capsule", "cylinder", "ellipsoid", "box")
_MOST_NUMBERS = 3_000_000
_MOST_SHOWN = 300_000
"""Numbers of a surface that becomes part of the description, and of the .blend."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshAsset:
    """A mesh; `frame` (4, 4) is its points' frame in a geom, once they are scaled. `geometry` is
    None where they enclose nothing, or are too many for a description."""

    geometry: Mesh | Polyhedron | None
    frame: Matrix
    inertia: str
    node: MjcfElement
    scale: Vector3 = _ONES


def place_mesh(node: MjcfElement, scale: Vector3) -> tuple[Matrix, bool]:
    """Returns the frame of scaled points (4, 4), by `refpos` and `refquat` of a mesh, and whether
    that is all of it: points that are turned and then scaled by different factors are skewed, and
    stay unturned."""
    back = np.eye(4)
    quat = node.vector("refquat", 4)
    if quat is not None:
        w, x, y, z = quat
        back[:3, :3] = rotation_from_quaternion((x, y, z, w)).T
    factor, at = np.array(scale), np.array(node.triple("refpos"))
    is_turned = not np.allclose(back, np.eye(4), atol=1e-12)
    is_whole = not is_turned or len({abs(part) for part in scale}) == 1
    if is_turned and is_whole:
        # v' = S R^T (v - p), with one factor in all directions but for signs.
        back[:3, :3] = np.diag(factor) @ back[:3, :3] @ np.diag(1.0 / factor)
    else:
        back[:3, :3] = np.eye(3)
    back[:3, 3] = -(back[:3, :3] @ (factor * at))
    return back, is_whole


class MeshMeasures:
    """Measures the meshes of one model; each is read once for it."""

    def __init__(self, resolver: PackageResolver) -> None:
        self._resolver = resolver
        self._files = RobotFiles(resolver, Diagnostics())
        self._measured: dict[int, tuple[MeshAsset, MassProperties | None]] = {}

    def measure(self, mesh: MeshAsset) -> MassProperties | None:
        """Measures a mesh by the way that <mesh inertia> names, in the frame of its points; None
        where it cannot be read or has no volume."""
        if id(mesh) not in self._measured:
            found = self._read_points(mesh)
            measured = None if found is None else measure_points(*found, mesh.inertia)
            self._measured[id(mesh)] = (mesh, measured)
        return self._measured[id(mesh)][1]

    def fit(
        self, mesh: MeshAsset, kind: str, factor: float, *, to_bounds: bool
    ) -> tuple[Matrix, tuple[float, ...]] | None:
        """Fits a simple shape to a mesh as MuJoCo does: to the box that has its inertia, or with
        `to_bounds` to its bounding box. Returns its frame (4, 4) in the geom and its sizes; None
        where the mesh cannot be measured."""
        measured, found = self.measure(mesh), self._read_points(mesh)
        if measured is None or found is None:
            return None
        measured = measured.moved(mesh.frame)
        moments, axes = np.linalg.eigh(measured.inertia)
        # MuJoCo's first axis has the greatest moment.
        moments, axes = moments[::-1], np.array(axes[:, ::-1])
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        frame = make_frame(axes, measured.centre)
        squares = 6.0 * (moments.sum() - 2.0 * moments) / measured.volume
        halves = 0.5 * np.sqrt(np.maximum(squares, 0.0))
        if to_bounds:
            points = found[0] @ mesh.frame[:3, :3].T + mesh.frame[:3, 3]
            inside = (points - measured.centre) @ axes
            low, high = inside.min(axis=0), inside.max(axis=0)
            halves = 0.5 * (high - low)
            frame[:3, 3] += axes @ (0.5 * (low + high))
        return frame, _size_fitted(kind, halves * factor, to_bounds=to_bounds)

    def _read_points(self, mesh: MeshAsset) -> tuple[Points, Faces] | None:
        if mesh.geometry is None:
            return read_written(mesh.node, mesh.scale)
        if isinstance(mesh.geometry, Polyhedron):
            return unpack_surface(mesh.geometry)
        data = self._load(mesh.geometry)
        if data is None:
            return None
        triangles = make_triangles(_turn_quads(data))[0]
        points = triangles.vertices.astype(np.float64) * np.array(mesh.scale)
        faces = _face_outwards(triangles.faces.astype(np.int64), mesh.scale)
        return (points, faces) if triangles.count else None

    def read_geometry(self, mesh: Mesh) -> Mesh | Polyhedron | None:
        """Returns the geometry of a mesh file: of an OBJ file of points alone their hull; None
        where they have none."""
        points = self._read_bare_points(mesh)
        if points is None:
            return mesh
        hull = convex_hull(points) if len(points) else None
        return None if hull is None else make_polyhedron(hull.vertices, hull.triangles)

    def _read_bare_points(self, mesh: Mesh) -> Points | None:
        """Returns the points (V, 3) of an OBJ file without faces, scaled; None for files with
        faces.
        """
        if not mesh.filename.lower().endswith(".obj"):
            return None
        try:
            path = self._resolver.resolve_file(mesh.filename, _ignore)
            points = load_bare_points(path)
        except MeshError:
            return None
        return None if points is None else points.astype(np.float64) * np.array(mesh.scale)

    def find_lowest(self, surface: Mesh) -> float | None:
        """Returns the least height of the surface of an image, whose greatest is 1 or 0; None where
        it cannot be read."""
        data = self._load(surface)
        return None if data is None else float(data.vertices[:, 2].min())

    def _load(self, geometry: Mesh) -> MeshData | None:
        try:
            return self._files.peek(Mesh(filename=geometry.filename, bare=True))
        except MeshError:
            return None


def _face_outwards(faces: Faces, scale: Vector3) -> Faces:
    """Turns triangles (F, 3) about where a scale mirrors them."""
    return faces[:, ::-1] if np.prod(np.sign(scale)) < 0.0 else faces


def _turn_quads(data: MeshData) -> MeshData:
    """Returns a mesh whose quads begin where their shorter diagonal does, along which MuJoCo cuts
    them."""
    sizes = data.face_sizes
    if sizes is None or not (sizes == 4).any():
        return data
    first = (np.cumsum(sizes) - sizes)[sizes == 4]
    places = first[:, None] + np.arange(4)
    a, b, c, d = (data.vertices[data.corners[places[:, i]]] for i in range(4))
    turns = ((c - a) ** 2).sum(axis=1) >= ((d - b) ** 2).sum(axis=1)
    corners = data.corners.copy()
    corners[places[turns]] = data.corners[np.roll(places[turns], -1, axis=1)]
    return replace(data, corners=corners, normals=None, uvs=None)


def _ignore(code: str, message: str) -> None:
    pass


def read_written(node: MjcfElement, scale: Vector3) -> tuple[Points, Faces] | None:
    """Reads the points (V, 3) and triangles (F, 3) in the text of a mesh, scaled, the hull's where
    it names no triangles; None where none encloses anything. Raises ReadError for
    text that is not a number, and for missing indices."""
    numbers, indices = node.numbers("vertex"), node.numbers("face")
    if len(numbers) + len(indices) > _MOST_NUMBERS:
        raise node.refuse(f"<mesh> has more than {_MOST_NUMBERS} numbers")
    if len(numbers) % 3 or len(indices) % 3:
        raise node.refuse("vertex and face of <mesh> need three numbers each")
    points = np.array(numbers, dtype=np.float64).reshape(-1, 3) * np.array(scale)
    if not indices:
        hull = convex_hull(points) if len(points) else None
        return None if hull is None else (hull.vertices, hull.triangles)
    faces = np.array(indices, dtype=np.float64)
    if not ((faces >= 0) & (faces < len(points)) & (faces == np.floor(faces))).all():
        raise node.refuse("face of <mesh> names points that are not there")
    return points, _face_outwards(faces.astype(np.int64).reshape(-1, 3), scale)


def make_polyhedron(points: Points, faces: Faces) -> Polyhedron | None:
    """Returns points (V, 3) and triangles (F, 3) as a shape; None for more than a description
    holds."""
    if points.size + faces.size > _MOST_SHOWN:
        return None
    return Polyhedron(points=tuple(points.ravel().tolist()), faces=tuple(faces.ravel().tolist()))


def read_heights(node: MjcfElement, size: tuple[float, ...]) -> Polyhedron | None:
    """Reads the heights in the text of a height field as a surface: the least is at zero, the
    greatest at the field's own height, the first row has the greatest y. None where there are none,
    or too many. Raises ReadError for text that is not a number."""
    rows, columns = int(node.number("nrow")), int(node.number("ncol"))
    if rows < 2 or columns < 2 or 9 * rows * columns > _MOST_SHOWN:
        return None
    heights = np.array(node.numbers("elevation") or (0.0,) * (rows * columns))
    if heights.size != rows * columns:
        raise node.refuse(f"elevation of <hfield> does not have {rows} by {columns} numbers")
    span = float(np.ptp(heights))
    heights = (heights - heights.min()) / (span if span > 0.0 else 1.0)
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, columns), np.linspace(1.0, -1.0, rows))
    points = np.column_stack([x.ravel(), y.ravel(), heights]) * np.array(size[:3])
    places = np.arange(rows * columns).reshape(rows, columns)
    above, below = places[:-1], places[1:]
    squares = (below[:, :-1], below[:, 1:], above[:, 1:], above[:, :-1])
    a, b, c, d = (each.ravel() for each in squares)
    faces = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return make_polyhedron(points, faces)


def _size_fitted(kind: str, halves: Points, *, to_bounds: bool) -> tuple[float, ...]:
    """Returns MuJoCo's sizes of a shape for a box of half extents (3,): round ones take the mean
    of its sides, or the greatest where they must bound it."""
    x, y, z = (float(half) for half in halves)
    across = max(x, y) if to_bounds else 0.5 * (x + y)
    if kind == "sphere":
        return (max(x, y, z) if to_bounds else (x + y + z) / 3.0,)
    if kind == "capsule":
        return (across, max(0.0, z - (across if to_bounds else 0.5 * across)))
    return (across, z) if kind == "cylinder" else (x, y, z)


def measure_points(points: Points, faces: Faces, way: str) -> MassProperties | None:
    """Measures points (V, 3) and triangles (F, 3) by the way that <mesh inertia> names; None where
    they have no volume. All add up pyramids between the triangles and the middle of the surface,
    as if holes were closed by these. The usual one, legacy, takes all volumes as positive: right
    for convex meshes alone; the exact one gives them a sign."""
    if way == "convex":
        hull = convex_hull(points[np.unique(faces)])
        return None if hull is None else polyhedron_mass(hull.vertices, hull.triangles)
    corners = points[faces]
    if way == "shell":
        return measure_shell(corners)
    return _measure_pyramids(corners, signed=way == "exact")


def _measure_pyramids(corners: Points, *, signed: bool) -> MassProperties | None:
    """Adds up the pyramids over triangles (T, 3, 3): from the middle of the surface for the
    centre of mass, from that for volume and moments."""
    crossed, areas = _find_areas(corners)
    if not areas.sum() > 0.0:
        return None
    middles = corners.mean(axis=1)
    middle = areas @ middles / areas.sum()
    volumes = np.einsum("ij,ij->i", middles - middle, crossed) / 6.0
    if not signed:
        volumes = np.abs(volumes)
    volume = float(volumes.sum())
    if not volume > 0.0:
        return None
    center = volumes @ (0.75 * middles + 0.25 * middle) / volume
    points = corners - center
    parts = np.einsum("ij,ij->i", points.mean(axis=1), crossed) / 6.0
    if not signed:
        parts = np.abs(parts)
    return _add_moments(parts, points, center, 20.0)


def _find_areas(corners: Points) -> tuple[Points, Points]:
    """Returns the normals (T, 3) of triangles (T, 3, 3), as long as twice their areas, and these
    lengths (T,)."""
    crossed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return crossed, np.sqrt(np.einsum("ij,ij->i", crossed, crossed))


def _add_moments(shares: Points, points: Points, center: Points, part: float) -> MassProperties:
    """Adds up bodies of the masses `shares` (T,) over triangles (T, 3, 3), whose `points` count
    from `center`: `part` is 12 for the triangles, 20 for pyramids."""
    sums = points.sum(axis=1)
    moments = np.einsum("t,tki,tkj->ij", shares, points, points)
    moments = (moments + np.einsum("t,ti,tj->ij", shares, sums, sums)) / part
    return MassProperties(float(shares.sum()), center, np.trace(moments) * np.eye(3) - moments)


def measure_shell(corners: Points) -> MassProperties | None:
    """Measures the surface of triangles (T, 3, 3); its area takes the place of a volume."""
    areas = 0.5 * _find_areas(corners)[1]
    area = float(areas.sum())
    if not area > 0.0:
        return None
    center = areas @ corners.mean(axis=1) / area
    return _add_moments(areas, corners - center, center, 12.0)


def measure_primitive_shell(kind: str, size: Sequence[float]) -> MassProperties:
    """Measures the surface of a simple shape of MuJoCo's sizes, as MuJoCo does; its area takes the
    place of a volume."""
    r, h = size[0], size[1] if len(size) > 1 else 0.0
    if kind == "sphere":
        parts = [(4.0 * np.pi * r * r, 2.0 / 3.0 * r * r, 2.0 / 3.0 * r * r)]
    elif kind == "ellipsoid":
        return _measure_ellipsoid_shell(*size[:3])
    elif kind == "box":
        return _measure_box_shell(np.array(size[:3]))
    else:
        side = (4.0 * np.pi * r * h, r * r / 2.0 + h * h / 3.0, r * r)
        ends = (2.0 * np.pi * r * r, r * r / 4.0 + h * h, r * r / 2.0)
        if kind == "capsule":
            # The middle of a half sphere's surface is half its radius from the flat side.
            arm = 5.0 / 12.0 * r * r + (h + 0.5 * r) ** 2
            ends = (4.0 * np.pi * r * r, arm, 2.0 / 3.0 * r * r)
        parts = [side, ends]
    area = sum(part for part, _, _ in parts)
    across = sum(part * moment for part, moment, _ in parts)
    along = sum(part * moment for part, _, moment in parts)
    return MassProperties(float(area), np.zeros(3), np.diag([across, across, along]))


def _measure_box_shell(half: Points) -> MassProperties:
    areas = 8.0 * np.array([half[1] * half[2], half[0] * half[2], half[0] * half[1]])
    # Second moments of six faces: faces across an axis are half away, others reach as far.
    moments = np.array([
        half[i] ** 2 * (areas[i] + (areas.sum() - areas[i]) / 3.0) for i in range(3)
    ])  # fmt: skip
    inertia = np.diag(moments.sum() - moments)
    return MassProperties(float(areas.sum()), np.zeros(3), inertia)


def _measure_ellipsoid_shell(a: float, b: float, c: float) -> MassProperties:
    """Takes the area by Thomsen's formula (p = 1.6075), and moments of a layer of one thickness."""
    p = 1.6075
    area = 4.0 * np.pi * (((a * b) ** p + (a * c) ** p + (b * c) ** p) / 3.0) ** (1.0 / p)
    share = 2.0 * a * b * c / (a * b + b * c + c * a)
    pairs = ((b, c), (a, c), (a, b))
    moments = [0.2 * (x * x + y * y + share * (x + y)) for x, y in pairs]
    return MassProperties(float(area), np.zeros(3), area * np.diag(moments))
