# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files and shapes -> arrays. numpy; the libraries of formats are imported on use."""

from .loaders import load_mesh
from .robot_files import RobotFiles, ShownShape

__all__ = ["RobotFiles", "ShownShape", "load_mesh"]
