# SPDX-License-Identifier: GPL-3.0-or-later
"""What every loaded mesh must keep to, and its faces one by one."""

from itertools import pairwise

import numpy as np

from urdf_importer.core.geometry.mesh_data import MeshData


def faces_of(mesh: MeshData) -> list[np.ndarray]:
    """The vertices of each face, in order."""
    sizes = np.full(mesh.face_count, 3) if mesh.face_sizes is None else mesh.face_sizes
    return np.split(mesh.vertices[mesh.corners].astype(float), np.cumsum(sizes)[:-1])


def check_mesh(mesh: MeshData) -> None:
    """Everything that MeshData promises, and nothing that Blender chokes on."""
    assert mesh.vertices.dtype == np.float32
    assert mesh.vertices.shape == (len(mesh.vertices), 3)
    assert np.isfinite(mesh.vertices).all()
    assert mesh.corners.dtype == np.int32
    if mesh.face_sizes is None:
        assert len(mesh.corners) % 3 == 0
        faces = mesh.corners.reshape(-1, 3)
        assert not (faces == np.roll(faces, 1, axis=1)).any()
    else:
        assert mesh.face_sizes.dtype == np.int32
        assert (mesh.face_sizes >= 3).all()
        assert mesh.face_sizes.sum() == len(mesh.corners)
    if len(mesh.corners):
        assert 0 <= mesh.corners.min() <= mesh.corners.max() < len(mesh.vertices)
    assert len(np.unique(mesh.corners)) == len(mesh.vertices)
    if mesh.normals is not None:
        assert mesh.normals.dtype == np.float32
        assert mesh.normals.shape == (len(mesh.corners), 3)
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-6)


def signed_volume(mesh: MeshData) -> float:
    """Positive where the faces of a closed mesh run counter-clockwise seen from outside."""
    total = 0.0
    for face in faces_of(mesh):
        for second, third in pairwise(face[1:]):
            total += float(np.dot(face[0], np.cross(second, third))) / 6.0
    return total


def edge_uses(mesh: MeshData) -> dict[tuple[int, int], int]:
    """How often each directed edge occurs: once, and so its reverse, in a closed mesh."""
    sizes = np.full(mesh.face_count, 3) if mesh.face_sizes is None else mesh.face_sizes
    uses: dict[tuple[int, int], int] = {}
    for face in np.split(mesh.corners, np.cumsum(sizes)[:-1]):
        for start, end in zip(face.tolist(), np.roll(face, -1).tolist(), strict=True):
            uses[start, end] = uses.get((start, end), 0) + 1
    return uses
