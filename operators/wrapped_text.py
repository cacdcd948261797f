# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in panels: Blender cuts what is too long for a line, so it is wrapped here."""

import textwrap
from pathlib import PurePath
from typing import Any

_LETTER = 6.3
"""Width of a letter in pixels at a scale of 1: a little more than the average of Blender's font."""
_MARGINS = 50


def draw_wrapped(layout: Any, context: Any, text: str, icon: str = "NONE") -> None:
    """Labels, as many as the width asks for; the icon stands before the first."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(wrap(context, text)):
        column.label(
            text=line, icon=icon if number == 0 else ("BLANK1" if icon != "NONE" else icon)
        )


def wrap(context: Any, text: str) -> list[str]:
    """Wraps a text into lines that fit into the region."""
    scale = context.preferences.system.ui_scale
    width = int((context.region.width / scale - _MARGINS) / _LETTER)
    return textwrap.wrap(text, max(width, 12)) or [""]


def file_name(path: str) -> str:
    """Returns the last part of a path, also of one from another system."""
    return PurePath(path.replace("\\", "/")).name
