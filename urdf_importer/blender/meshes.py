# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh datablocks from arrays."""

import math
from typing import Any

import numpy as np

from ..meshes.mesh_data import MeshData
from .ledger import Ledger

_SHARP = math.radians(30)


def build_mesh(data: MeshData, name: str, ledger: Ledger) -> Any:
    """A mesh of these arrays; shaded smooth by angle where it brings no normals.

    Vertices and corners go in through attributes: a hundred times faster than by vertices and
    loops.
    """
    mesh = ledger.new_mesh(name)
    if not len(data.corners):
        return mesh
    sizes = data.face_sizes
    starts = (
        np.arange(0, len(data.corners), 3, dtype=np.int32)
        if sizes is None
        else np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    )
    mesh.vertices.add(len(data.vertices))
    mesh.loops.add(len(data.corners))
    mesh.polygons.add(len(starts))
    mesh.attributes["position"].data.foreach_set("vector", data.vertices.ravel())
    mesh.attributes[".corner_vert"].data.foreach_set("value", data.corners)
    mesh.polygons.foreach_set("loop_start", starts)
    mesh.update(calc_edges=True)
    _shade(mesh, data)
    return mesh


def _shade(mesh: Any, data: MeshData) -> None:
    if data.normals is not None:
        mesh.shade_smooth()
        mesh.normals_split_custom_set(data.normals)
        return
    mesh.shade_smooth()
    if not data.smooth:
        mesh.set_sharp_from_angle(angle=_SHARP)
