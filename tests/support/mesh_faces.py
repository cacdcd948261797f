# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a mesh, one by one."""

import numpy as np

from urdf_importer.meshes import MeshData


def faces_of(mesh: MeshData) -> list[np.ndarray]:
    """The vertices of each face, in order."""
    sizes = np.full(mesh.face_count, 3) if mesh.face_sizes is None else mesh.face_sizes
    return np.split(mesh.vertices[mesh.corners].astype(float), np.cumsum(sizes)[:-1])
