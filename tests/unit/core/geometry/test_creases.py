# SPDX-License-Identifier: GPL-3.0-or-later
"""Which edges are creases, held against a search through all pairs of faces."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from urdf_importer.core.geometry import creases
from urdf_importer.core.geometry.creases import find_creases
from urdf_importer.core.geometry.mesh_data import MeshData


def random_mesh(seed, triangles_only):
    """Faces on few vertices, so that edges have one face, two or more, in either direction."""
    generator = np.random.default_rng(seed)
    sizes = np.full(60, 3) if triangles_only else generator.integers(3, 6, 60)
    corners = np.concatenate([generator.permutation(12)[:size] for size in sizes])
    pool = generator.normal(size=(2, 3)).astype(np.float32)
    normals = pool[(generator.random(len(corners)) < 0.1).astype(int)]
    return MeshData(
        vertices=np.zeros((12, 3), dtype=np.float32),
        corners=corners.astype(np.int32),
        face_sizes=None if triangles_only else sizes.astype(np.int32),
        normals=normals,
    )


def sides_of(mesh):
    """Of each edge, by its two vertices: the normals of every face at these."""
    sizes = [3] * mesh.face_count if mesh.face_sizes is None else mesh.face_sizes.tolist()
    sides, names, start = defaultdict(list), [], 0
    for size in sizes:
        for index in range(size):
            here, there = start + index, start + (index + 1) % size
            ends = sorted([(int(mesh.corners[each]), each) for each in (here, there)])
            names.append(tuple(vertex for vertex, _ in ends))
            sides[names[-1]].append([mesh.normals[corner] for _, corner in ends])
        start += size
    return sides, names


@pytest.mark.parametrize("piece", [5, creases._PIECE])
@pytest.mark.parametrize("triangles_only", [True, False])
def test_creases_are_edges_whose_faces_differ_at_an_end(triangles_only, piece, monkeypatch):
    monkeypatch.setattr(creases, "_PIECE", piece)
    seen = set()
    for seed in range(30):
        mesh = random_mesh(seed, triangles_only)
        sides, names = sides_of(mesh)
        numbers = {name: number for number, name in enumerate(sorted(sides))}
        edges = np.array([numbers[name] for name in names], dtype=np.int32)
        expected = {
            numbers[name]
            for name, faces in sides.items()
            if any(
                np.abs(np.subtract(a, b)).max() > 1e-3 for a, b in itertools.combinations(faces, 2)
            )
        }
        assert set(find_creases(mesh, mesh.normals, edges).tolist()) == expected
        seen |= {len(faces) for faces in sides.values()}
    assert seen >= {1, 2, 3}


def test_what_rounding_does_to_a_normal_is_no_crease():
    mesh = random_mesh(1, True)
    _, names = sides_of(mesh)
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    edges = np.array([numbers[name] for name in names], dtype=np.int32)
    noise = np.random.default_rng(2).uniform(-1, 1, (len(edges), 3))
    near = (np.array([0.6, 0.0, 0.8]) + 1e-4 * noise).astype(np.float32)
    assert not len(find_creases(mesh, near, edges))
