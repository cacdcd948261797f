# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files and shapes -> arrays. numpy; the libraries of formats are imported on use."""

from ..geometry.mesh_data import MeshData
from ..geometry.primitives import (
    make_box,
    make_capsule,
    make_cylinder,
    make_primitive,
    make_sphere,
)
from .loaders import LOADERS, KnownFiles, Loader, load_geometry, load_mesh, scale_mesh
from .stl import load_stl

__all__ = [
    "LOADERS",
    "KnownFiles",
    "Loader",
    "MeshData",
    "load_geometry",
    "load_mesh",
    "load_stl",
    "make_box",
    "make_capsule",
    "make_cylinder",
    "make_primitive",
    "make_sphere",
    "scale_mesh",
]
