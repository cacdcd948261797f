# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as Webots files: PROTO, world, project folder."""

from .export import ExportedAxis, ExportedLink, ExportResult, export_webots
from .names import make_proto_name

__all__ = [
    "ExportResult",
    "ExportedAxis",
    "ExportedLink",
    "export_webots",
    "make_proto_name",
]
