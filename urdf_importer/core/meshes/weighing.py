# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of shapes, of formats that work them out and of writers that must have one."""

from collections.abc import Callable

import numpy as np

from ..diagnostics import MeshError
from ..geometry.hulls import convex_hull
from ..geometry.mesh_data import MeshData
from ..geometry.transforms import matrix_from_pose
from ..geometry.triangles import make_triangles
from ..geometry.volumes import MassProperties, mesh_mass, polyhedron_mass, primitive_mass
from ..model import Collision, Mesh


def weigh(
    shape: Collision, load: Callable[[Mesh], MeshData], *, hulls: bool = False
) -> MassProperties | None:
    """Returns the mass of a shape of density 1, in its link; None for one that encloses no volume
    and for a lost mesh, for which `load` raises MeshError. With `hulls` an open mesh counts as its
    hull."""
    geometry = shape.geometry
    try:
        if isinstance(geometry, Mesh):
            body = _weigh_mesh(load(geometry), hulls=hulls)
        else:
            body = primitive_mass(geometry)
    except MeshError:
        return None
    return None if body is None else body.moved(matrix_from_pose(shape.origin))


def _weigh_mesh(data: MeshData, *, hulls: bool) -> MassProperties | None:
    body = mesh_mass(make_triangles(data)[0])
    if body is not None or not hulls:
        return body
    hull = convex_hull(data.vertices[np.unique(data.corners)].astype(np.float64))
    return None if hull is None else polyhedron_mass(hull.vertices, hull.triangles)
