# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as Webots files: PROTO, world, project folder."""

from .export import export_webots
from .format import WEBOTS
from .names import make_proto_name
from .options import WebotsOptions
from .results import ExportedAxis, ExportedLink, ExportResult

__all__ = [
    "WEBOTS",
    "ExportResult",
    "ExportedAxis",
    "ExportedLink",
    "WebotsOptions",
    "export_webots",
    "make_proto_name",
]
