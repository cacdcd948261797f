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
from .loaders import LOADERS, Loader, load_mesh, scale_mesh
from .robot_files import RobotFiles, ShownShape
from .stl import load_stl

__all__ = [
    "LOADERS",
    "Loader",
    "MeshData",
    "RobotFiles",
    "ShownShape",
    "load_mesh",
    "load_stl",
    "make_box",
    "make_capsule",
    "make_cylinder",
    "make_primitive",
    "make_sphere",
    "scale_mesh",
]
