# SPDX-License-Identifier: GPL-3.0-or-later
"""What this extension adds to File > Export."""

from typing import Any

from .export_morse import ExportMorse
from .export_webots import ExportWebots


def draw_export_entries(menu: Any, context: Any) -> None:
    menu.layout.operator(ExportWebots.bl_idname, text="Webots (.proto, .wbt)")
    menu.layout.operator(ExportMorse.bl_idname, text="MORSE Builder Script (.py)")
