# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes around the meshes of real robots: all of each mesh is in them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from support.real_robots import ROOT
from urdf_importer import CollisionOptions, Diagnostics, FileOptions, fit_collisions, read_robot
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.geometry.triangles import make_triangles
from urdf_importer.core.meshes import RobotFiles
from urdf_importer.core.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Link,
    Mesh,
    Polyhedron,
    Sphere,
)
from urdf_importer.core.pipeline.files import find_files

Points = NDArray[np.float64]
ROBOTS = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_reduced.urdf",
)

pytestmark = pytest.mark.slow


def draw_points(link: Link, files: RobotFiles) -> Iterator[Points]:
    """Yields points of the surface of each mesh that collides, in the link's frame."""
    chance = np.random.default_rng(1)
    for shape in link.collisions or link.visuals:
        data = files.load_or_report(shape, link) if isinstance(shape.geometry, Mesh) else None
        if data is None:
            continue
        triangles = make_triangles(data)[0]
        corners = triangles.vertices[triangles.faces].astype(np.float64)
        areas = np.linalg.norm(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
        )
        chosen = corners[chance.choice(len(corners), 2000, p=areas / areas.sum())]
        drawn = np.einsum("ni,nij->nj", chance.dirichlet((1.0, 1.0, 1.0), 2000), chosen)
        points = np.concatenate([drawn, corners.reshape(-1, 3)])
        frame = matrix_from_pose(shape.origin)
        yield points @ frame[:3, :3].T + frame[:3, 3]


def measure(points: Points, shape: Collision) -> Points:
    """Returns how far points of a link are outside of a shape, negative inside."""
    frame, geometry = matrix_from_pose(shape.origin), shape.geometry
    local = (points - frame[:3, 3]) @ frame[:3, :3]
    match geometry:
        case Polyhedron():
            corners = np.array(geometry.points).reshape(-1, 3)
            a, b, c = np.moveaxis(corners[np.array(geometry.faces).reshape(-1, 3)], 1, 0)
            normals = np.cross(b - a, c - a)
            sizes = np.linalg.norm(normals, axis=1)
            normals = normals[sizes > 0.0] / sizes[sizes > 0.0, None]
            reach = (a[sizes > 0.0] * normals).sum(axis=1)
            return np.asarray((local @ normals.T - reach).max(axis=1))
        case Box():
            return np.asarray((np.abs(local) - np.array(geometry.size) / 2.0).max(axis=1))
        case Sphere():
            return np.asarray(np.linalg.norm(local, axis=1) - geometry.radius)
        case Cylinder() | Capsule():
            round_ = np.hypot(local[:, 0], local[:, 1])
            along = np.abs(local[:, 2]) - geometry.length / 2.0
            if isinstance(geometry, Cylinder):
                return np.asarray(np.maximum(round_ - geometry.radius, along))
            return np.asarray(np.hypot(round_, np.maximum(along, 0.0)) - geometry.radius)
    raise AssertionError(geometry)


@pytest.mark.parametrize("shape", ["auto", "decomposed"])
@pytest.mark.parametrize("name", ROBOTS, ids=lambda name: Path(name).stem)
def test_all_of_each_mesh_is_in_at_most_sixteen_shapes(name: str, shape: str) -> None:
    path = ROOT / name
    robot = read_robot(path, diagnostics=Diagnostics())
    options = CollisionOptions(shape=shape, cache=False)  # type: ignore[arg-type]
    fitted = fit_collisions(robot, options=options, diagnostics=Diagnostics())
    files = RobotFiles(find_files(path, FileOptions()), Diagnostics(), robot=robot)
    assert len(fitted.links) > 5
    for link in robot.links:
        if link.name not in fitted.links:
            continue
        shapes = fitted.links[link.name].collisions
        meshes = list(draw_points(link, files))
        assert len(shapes) <= 16 * max(len(link.collisions or link.visuals), 1)
        for points in meshes:
            outside = np.min([measure(points, each) for each in shapes], axis=0)
            assert outside.max() < 1e-3, link.name
