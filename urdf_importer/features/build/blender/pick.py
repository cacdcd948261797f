# SPDX-License-Identifier: GPL-3.0-or-later
"""fit_axis: the axis that a selection in a mesh means."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import bpy
import numpy as np

from ....core.arguments import choice_of
from ....core.blender.arrays import read_array
from ....core.diagnostics import ArgumentError
from ..axes import (
    FittedAxis,
    Points,
    fit_circle,
    fit_cylinder,
    grow_wall,
    make_axis,
    measure_faces,
)

AxisSource = Literal["auto", "cursor", "object", "face", "edge", "vertices", "circle", "cylinder"]
SOURCES = ("auto", "cursor", "object", "face", "edge", "vertices", "circle", "cylinder")
_PARALLEL = 0.99999


def fit_axis(item: Any, *, source: AxisSource = "auto") -> FittedAxis:
    """Fits an axis, in the world, to the selection that a mesh keeps in object mode too.

    By default one face means the hole or shaft that it is a wall of, else its normal at its centre;
    more faces a cylinder, else their common normal; a closed loop of edges a circle; one edge or
    two vertices a line; nothing or everything the object's origin and z. The other sources force
    one; "cursor" is the 3D cursor with its z. Raises ArgumentError where the selection has no such
    axis.
    """
    choice_of(source, "source", SOURCES)
    if source == "cursor":
        cursor = bpy.context.scene.cursor
        return make_axis("cursor", cursor.location, np.array(cursor.matrix)[:3, 2])
    if source == "object" or item.type != "MESH":
        return _object_axis(item)
    return _Picked(item).find(source)


def _object_axis(item: Any) -> FittedAxis:
    world = np.array(item.matrix_world, dtype=np.float64)
    return make_axis("object", world[:3, 3], world[:3, 2])


class _Picked:
    """The selection of a mesh, with its points in the world."""

    def __init__(self, item: Any) -> None:
        if item.mode == "EDIT":
            item.update_from_editmode()
        mesh = self._mesh = item.data
        self._item = item
        world = np.array(item.matrix_world, dtype=np.float64)
        local = read_array(mesh.vertices, "co", 3).astype(np.float64).reshape(-1, 3)
        self._points: Points = local @ world[:3, :3].T + world[:3, 3]
        self._faces = _selected(mesh.polygons)
        self._edges = _selected(mesh.edges)
        self._vertices = _selected(mesh.vertices)

    def find(self, source: str) -> FittedAxis:
        if source in ("face", "cylinder"):
            if not self._faces:
                raise ArgumentError("select at least one face of a hole, or 3 points")
            return self._normal() if source == "face" else self._cylinder()
        if source in ("vertices", "circle"):
            return self._through_vertices()
        if source == "edge":
            return self._edge()
        every = len(self._vertices) == len(self._points)
        if not self._vertices or (every and len(self._faces) == len(self._mesh.polygons)):
            return _object_axis(self._item)
        if self._faces:
            return self._guess_faces()
        if len(self._edges) == 1 and len(self._vertices) == 2:
            return self._edge()
        return self._through_vertices()

    def _guess_faces(self) -> FittedAxis:
        try:
            return self._cylinder()
        except ArgumentError:
            normals, _ = measure_faces(self._points, self._corners(self._faces))
            if bool((np.abs(normals @ normals[0]) > _PARALLEL).all()):
                return self._normal()
            raise

    def _cylinder(self) -> FittedAxis:
        """Fits the walls that are selected, or the whole wall of the first."""
        if len(self._faces) > 2:
            try:
                return fit_cylinder(self._points, self._corners(self._faces))
            except ArgumentError:
                pass
        faces = _Faces(self._mesh)
        for face in self._faces[:8]:
            found = grow_wall(self._points, faces, face, faces.neighbours)
            if found is not None:
                return found
        return fit_cylinder(self._points, self._corners(self._faces))

    def _normal(self) -> FittedAxis:
        """Returns the sum of the normals, at the middle of the faces by their areas."""
        corners = self._corners(self._faces)
        normals, areas = measure_faces(self._points, corners)
        middles = np.array([self._points[list(face)].mean(axis=0) for face in corners])
        weights = areas / areas.sum() if areas.sum() > 0.0 else np.full(len(areas), 1 / len(areas))
        signs = np.sign(normals @ normals[0])
        count = len(self._faces)
        return make_axis("face", weights @ middles, (weights * signs) @ normals, count=count)

    def _edge(self) -> FittedAxis:
        if not self._edges:
            raise ArgumentError("select an edge")
        one, other = self._points[list(self._mesh.edges[self._edges[0]].vertices)]
        return make_axis("edge", 0.5 * (one + other), other - one, count=1)

    def _through_vertices(self) -> FittedAxis:
        points = self._points[self._vertices]
        if len(points) == 2:
            return make_axis("vertices", points.mean(axis=0), points[1] - points[0], count=2)
        return fit_circle(points)

    def _corners(self, faces: Sequence[int]) -> list[Sequence[int]]:
        return [tuple(self._mesh.polygons[face].vertices) for face in faces]


class _Faces(Sequence[Sequence[int]]):
    """The polygons of a mesh, read when asked for, and the polygons beside each."""

    def __init__(self, mesh: Any) -> None:
        self._corners = read_array(mesh.loops, "vertex_index", kind=np.int32)
        self._edges = read_array(mesh.loops, "edge_index", kind=np.int32)
        self._starts = read_array(mesh.polygons, "loop_start", kind=np.int32)
        self._ends = np.append(self._starts[1:], len(self._corners))
        self._faces = np.repeat(np.arange(len(self._starts)), self._ends - self._starts)
        self._order = np.argsort(self._edges, kind="stable")
        self._sorted = self._edges[self._order]

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, face: Any) -> Any:
        return self._corners[self._starts[face] : self._ends[face]].tolist()

    def neighbours(self, face: int) -> list[int]:
        edges = self._edges[self._starts[face] : self._ends[face]]
        find: Callable[..., Any] = partial(np.searchsorted, self._sorted, edges)
        spans = zip(find(side="left"), find(side="right"), strict=True)
        loops = np.concatenate([self._order[start:end] for start, end in spans])
        return [each for each in np.unique(self._faces[loops]).tolist() if each != face]


def _selected(parts: Any) -> list[int]:
    found: list[int] = np.flatnonzero(read_array(parts, "select", kind=np.bool_)).tolist()
    return found
