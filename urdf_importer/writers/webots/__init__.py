# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as Webots files: PROTO, world, project folder."""

from .export import ExportedAxis, ExportedLink, ExportResult, export_webots
from .geometry_source import DescriptionSource, GeometrySource
from .names import make_proto_name

__all__ = [
    "DescriptionSource",
    "ExportResult",
    "ExportedAxis",
    "ExportedLink",
    "GeometrySource",
    "export_webots",
    "make_proto_name",
]
