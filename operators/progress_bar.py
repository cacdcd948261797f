# SPDX-License-Identifier: GPL-3.0-or-later
"""A progress bar in the status bar, and a percentage at the mouse where that is hidden."""

from collections.abc import Callable
from typing import Any

import bpy

from ..urdf_importer import Progress

_MOST_CHARACTERS = 60
"""Names of links can be long; the status bar is one line."""


class ProgressBar:
    """Is there until it is removed."""

    def __init__(self, title: str) -> None:
        self._title = title
        bpy.context.window_manager.progress_begin(0, 100)

    def show(self, progress: Progress) -> None:
        """Draws how far the work is, with the next redraw."""
        bpy.context.window_manager.progress_update(round(100 * progress.share))
        _set_status(_make_draw(self._title, progress))

    def remove(self) -> None:
        """Gives the status bar back."""
        bpy.context.window_manager.progress_end()
        _set_status(None)


def _make_draw(title: str, progress: Progress) -> Callable[[Any, Any], None]:
    """A plain function: Blender takes no other callable for drawing."""

    def draw(header: Any, context: Any) -> None:
        layout = header.layout
        layout.label(text="Cancel", icon="EVENT_ESC")
        layout.separator_spacer()
        layout.label(text=f"{title}: {_shorten(progress.text)}")
        bar = layout.row()
        bar.ui_units_x = 12
        bar.progress(factor=progress.share, text=f"{progress.share:.0%}")

    return draw


def _shorten(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 3] + "..."


def _set_status(draw: Any) -> None:
    """Any workspace will do: the status bar is one for all, and while a window closes there may be
    none in the context."""
    bpy.data.workspaces[0].status_text_set(draw)
