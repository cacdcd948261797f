# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of circles and cylinders: a first guess by algebra, then Gauss and Newton on distances."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.diagnostics import ArgumentError
from ...core.geometry.transforms import Vector, plane_axes, unit

AxisKind = Literal["circle", "cylinder", "face", "edge", "vertices", "cursor", "object"]
Points = NDArray[np.float64]
Faces = Sequence[Sequence[int]]
_WORST = 0.01
"""The residual by the radius: of an ellipse of 1.03 to 1, a cone of less than a degree."""
_FLAT = 1e-9
_CREASE = np.cos(np.radians(0.5))
_ROUNDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedAxis:
    """An axis that geometry says: a `point` on it in metres, its `direction` of length 1, whose
    largest number is positive.

    kind      the geometry that it was taken from
    radius    of a circle or cylinder, in metres; 0 for others
    residual  the root mean square of the distances to it, in metres
    count     points of a circle, walls of a cylinder, or selected parts
    """

    kind: AxisKind
    point: tuple[float, float, float]
    direction: tuple[float, float, float]
    radius: float = 0.0
    residual: float = 0.0
    count: int = 0

    def __str__(self) -> str:
        if not self.radius:
            return self.kind if self.count < 2 else f"{self.kind} of {self.count}"
        return (
            f"{self.kind} of {self.count}, radius {_length(self.radius)}, "
            f"off {_length(self.residual)}"
        )


def _length(metres: float) -> str:
    for size, word in ((1.0, "m"), (1e-3, "mm")):
        if metres >= size:
            return f"{metres / size:.4g} {word}"
    return f"{1e6 * metres:.2g} um"


def make_axis(kind: AxisKind, point: Any, direction: Any, **more: Any) -> FittedAxis:
    """Makes an axis with its direction of length 1. Raises ArgumentError for one of length 0."""
    along = np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(along))
    if not 0.0 < length < np.inf:
        raise ArgumentError("an axis needs a length above zero")
    along = along / length
    along = along * np.sign(along[np.abs(along).argmax()]) + 0.0
    x, y, z = np.asarray(point, dtype=np.float64).tolist()
    dx, dy, dz = along.tolist()
    return FittedAxis(kind=kind, point=(x, y, z), direction=(dx, dy, dz), **more)


def fit_circle(points: Any) -> FittedAxis:
    """Fits the axis of a circle through points (N, 3), in metres: its centre and normal. Four
    points on a circle are a rectangle, and so called: a "face".

    The plane is the least singular vector, the first circle Kasa's. Raises ArgumentError for fewer
    than three points, and for points that are off by more than 1 % of the radius.
    """
    points = _points_of(points)
    if len(points) < 3:
        raise ArgumentError("select at least one face of a hole, or 3 points")
    middle = points.mean(axis=0)
    size = float(np.abs(points - middle).max()) or 1.0
    scaled = (points - middle) / size
    _, spread, turned = np.linalg.svd(scaled, full_matrices=False)
    if spread[1] <= _FLAT:
        raise ArgumentError(f"the {len(points)} selected vertices lie on a line, not on a circle")
    normal = turned[2] if len(points) > 3 else np.cross(turned[0], turned[1])
    u, v = plane_axes(normal)
    flat, heights = scaled @ np.column_stack([u, v]), scaled @ normal
    center, radius = _kasa(flat)
    for _ in range(_ROUNDS):
        between = flat - center
        distances = np.linalg.norm(between, axis=1)
        slopes = np.column_stack([-between / distances[:, None], -np.ones(len(flat))])
        step, *_ = np.linalg.lstsq(slopes, radius - distances, rcond=None)
        center, radius = center + step[:2], radius + step[2]
        if np.abs(step).max() < 1e-15:
            break
    misses = np.hypot(np.linalg.norm(flat - center, axis=1) - radius, heights)
    residual = float(np.sqrt(np.mean(misses**2)))
    _check_fit(residual, radius, f"{len(points)} selected vertices", "circle")
    place = middle + size * (center[0] * u + center[1] * v)
    if len(points) == 4:
        return make_axis("face", place, normal, residual=residual * size, count=4)
    return make_axis(
        "circle", place, normal, radius=radius * size, residual=residual * size, count=len(points)
    )


def _points_of(points: Any) -> Points:
    found = np.array(points, dtype=np.float64).reshape(-1, 3)
    if not np.isfinite(found).all():
        raise ArgumentError("points need finite numbers")
    return found


def _kasa(flat: Points) -> tuple[Vector, float]:
    """Returns centre and radius of the circle whose algebraic distances are least."""
    rows = np.column_stack([2.0 * flat, np.ones(len(flat))])
    (x, y, rest), *_ = np.linalg.lstsq(rows, (flat**2).sum(axis=1), rcond=None)
    return np.array([x, y]), float(np.sqrt(max(rest + x * x + y * y, 0.0)))


def _check_fit(residual: float, radius: float, what: str, shape: str) -> None:
    share = residual / radius if radius > 0.0 else np.inf
    if not share <= _WORST:
        raise ArgumentError(
            f"the {what} lie on no {shape}: off by {100.0 * share:.2g} % of the radius, 1 % is "
            "the most"
        )


def fit_cylinder(points: Any, faces: Faces) -> FittedAxis:
    """Fits the axis of the cylinder on which faces lie: corners of `points` (N, 3), in metres.

    The first axis is the least eigenvector of the sum of area n n^T. Only corners at edges between
    faces of different normals count, where there are three of these: cuts put points in the middle
    of chords. Raises ArgumentError where the faces are flat, and where the corners are off by more
    than 1 % of the radius.
    """
    points = _points_of(points)
    normals, areas = measure_faces(points, faces)
    kept = areas > 0.0
    spread = np.einsum("f,fi,fj->ij", areas[kept], normals[kept], normals[kept])
    weights, vectors = np.linalg.eigh(spread)
    if weights[1] <= 1e-6 * max(float(weights[2]), 1e-300):
        raise ArgumentError("the selected faces are flat: they lie on no cylinder")
    corners = _find_creases(faces, normals)
    used = corners if len(corners) >= 6 else sorted({corner for face in faces for corner in face})
    chosen = points[used]
    middle = chosen.mean(axis=0)
    size = float(np.abs(chosen - middle).max()) or 1.0
    scaled, axis = (chosen - middle) / size, vectors[:, 0]
    u, v = plane_axes(axis)
    center, radius = _kasa(scaled @ np.column_stack([u, v]))
    place = center[0] * u + center[1] * v
    for _ in range(_ROUNDS):
        axis, place, radius, step = _step_cylinder(scaled, axis, place, radius)
        if step < 1e-15:
            break
    u, v = plane_axes(axis)
    between = scaled - place
    rounds = np.hypot(between @ u, between @ v)
    residual = float(np.sqrt(np.mean((rounds - radius) ** 2)))
    _check_fit(residual, radius, f"{len(faces)} selected faces", "cylinder")
    along = (scaled - place) @ axis
    place = place + 0.5 * (along.min() + along.max()) * axis
    return make_axis(
        "cylinder", middle + size * place, axis,
        radius=radius * size, residual=residual * size, count=_count_normals(normals[kept]),
    )  # fmt: skip


def _step_cylinder(
    points: Points, axis: Vector, place: Vector, radius: float
) -> tuple[Vector, Vector, float, float]:
    """One step of Gauss and Newton: axis (2 numbers), centre (2) and radius."""
    u, v = plane_axes(axis)
    between = points - place
    x, y, z = between @ u, between @ v, between @ axis
    rounds = np.maximum(np.hypot(x, y), 1e-300)
    slopes = np.column_stack(
        [-x / rounds, -y / rounds, -x * z / rounds, -y * z / rounds, -np.ones(len(x))]
    )
    step, *_ = np.linalg.lstsq(slopes, radius - rounds, rcond=1e-12)
    turned = unit(axis + step[2] * u + step[3] * v)
    moved = place + step[0] * u + step[1] * v
    return turned, moved, radius + float(step[4]), float(np.abs(step).max())


def measure_faces(points: Points, faces: Faces) -> tuple[Points, NDArray[np.float64]]:
    """Returns the unit normals (F, 3) and areas (F,) of polygons, by Newell's sums; zero for faces
    without area."""
    sizes = np.array([len(face) for face in faces], dtype=np.intp)
    if not len(sizes):
        raise ArgumentError("select at least one face of a hole, or 3 points")
    corners = points[np.concatenate([np.asarray(face, dtype=np.intp) for face in faces])]
    starts = np.cumsum(sizes) - sizes
    following = np.arange(len(corners)) + 1
    following[starts + sizes - 1] = starts
    anchors = np.repeat(corners[starts], sizes, axis=0)
    crossed = np.cross(corners - anchors, corners[following] - anchors)
    sums = np.add.reduceat(crossed, starts, axis=0)
    lengths = np.linalg.norm(sums, axis=1)
    return sums / np.where(lengths > 0.0, lengths, 1.0)[:, None], 0.5 * lengths


def _find_creases(faces: Faces, normals: Points) -> list[int]:
    """Returns the corners at edges between two faces of different normals."""
    sides: dict[tuple[int, int], int] = {}
    found: set[int] = set()
    for number, face in enumerate(faces):
        for one, other in zip(face, (*face[1:], face[0]), strict=True):
            key = (min(one, other), max(one, other))
            before = sides.setdefault(key, number)
            if before != number and float(normals[before] @ normals[number]) < _CREASE:
                found.update(key)
    return sorted(found)


def _count_normals(normals: Points) -> int:
    """Counts normals that differ by more than half a degree."""
    found: list[Vector] = []
    for normal in normals:
        if not any(normal @ each > _CREASE for each in found):
            found.append(normal)
    return len(found)


def grow_wall(
    points: Points, faces: Faces, start: int, neighbours: Callable[[int], Sequence[int]]
) -> FittedAxis | None:
    """Finds the hole or shaft that the face `start` is a wall of: the largest with a good fit that
    its neighbours suggest; None for other faces.

    Walls are across the axis and turn by less than 61 degrees from one to the next. `neighbours`
    gives the faces beside one.
    """
    known: dict[int, Vector] = {}

    def normal_of(face: int) -> Vector:
        if face not in known:
            known[face] = measure_faces(points, [faces[face]])[0][0]
        return known[face]

    best: tuple[int, FittedAxis] | None = None
    for axis in _suggest_axes(start, neighbours, normal_of):
        walls = _spread(
            start,
            neighbours,
            lambda one, other, axis=axis: (  # type: ignore[misc]
                abs(normal_of(other) @ axis) < 0.02 and normal_of(one) @ normal_of(other) > _TURN
            ),
        )
        try:
            found = fit_cylinder(points, [faces[each] for each in walls])
        except ArgumentError:
            continue
        is_wall = found.count >= 4 and _is_wall(points[list(faces[start])], normal_of(start), found)
        if is_wall and (best is None or len(walls) > best[0]):
            best = len(walls), found
    return None if best is None else best[1]


_TURN = np.cos(np.radians(61.0))
_MOST_FACES = 100_000


def _suggest_axes(
    start: int, neighbours: Callable[[int], Sequence[int]], normal_of: Callable[[int], Vector]
) -> list[Vector]:
    """Returns the directions across the face and its neighbours, beyond flat ones."""
    normal = normal_of(start)
    flat = _spread(start, neighbours, lambda _, other: bool(normal_of(other) @ normal > _CREASE))
    found: list[Vector] = []
    for face in flat:
        for other in neighbours(face):
            cosine = float(normal_of(other) @ normal)
            if _TURN < cosine < _CREASE:
                axis = unit(np.cross(normal, normal_of(other)))
                if not any(abs(axis @ each) > 0.9999 for each in found):
                    found.append(axis)
    return found[:16]


def _spread(
    start: int, neighbours: Callable[[int], Sequence[int]], takes: Callable[[int, int], Any]
) -> list[int]:
    """Returns the faces that are reached from one, as long as one `takes` the next."""
    reached = {start: True}
    waiting = [start]
    while waiting and len(reached) < _MOST_FACES:
        face = waiting.pop()
        for other in neighbours(face):
            if other not in reached and takes(face, other):
                reached[other] = True
                waiting.append(other)
    return list(reached)


def _is_wall(corners: Points, normal: Vector, axis: FittedAxis) -> bool:
    """Whether a face is a chord of a cylinder: the foot of the axis on its plane is within it."""
    direction = np.array(axis.direction)
    between = np.array(axis.point) - corners.mean(axis=0)
    across = between - (between @ direction) * direction
    depth = abs(across @ normal)
    aside = float(np.linalg.norm(across - (across @ normal) * normal))
    return bool(0.8 * axis.radius < depth < 1.02 * axis.radius and aside < 0.6 * axis.radius)
