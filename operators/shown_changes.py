# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a robot, listed before they are made."""

from collections.abc import Sequence
from typing import Any

from ..urdf_importer import Change
from ..urdf_importer.core.command.summary import count
from .wrapped_text import draw_wrapped

_LEAST_SHOWN, _MOST_SHOWN = 4, 24
"""Changes in a list; the rest is a count."""
_LINE = 20
"""Pixels that a line takes at a scale of 1."""
_LINES_AROUND = 16
"""Lines of a dialog beside its list, and of its surroundings in a window."""

_ICONS = {"added": "ADD", "removed": "REMOVE", "changed": "DOT"}


def list_changes(column: Any, context: Any, changes: Sequence[Change], above: int = 0) -> None:
    """Draws a line for each change, at its natural width; no more than the window holds under so
    many lines above."""
    shown = find_room(context.window.height, context.preferences.system.ui_scale, above)
    for change in changes[:shown]:
        column.label(text=str(change), icon=_ICONS[change.kind])
    _count_rest(column, changes[shown:])


def find_room(height: float, scale: float, above: int = 0) -> int:
    """Finds how many changes a list shows in a window of this height in pixels, under so many
    lines of its dialog."""
    lines = int(height / (_LINE * scale)) - _LINES_AROUND - above
    return max(_LEAST_SHOWN, min(_MOST_SHOWN, lines))


def _count_rest(layout: Any, rest: Sequence[Change]) -> None:
    kinds = [change.kind for change in rest]
    counts = [f"{kinds.count(kind)} {kind}" for kind in _ICONS if kind in kinds]
    if rest:
        layout.label(text=f"and {len(rest)} more: {', '.join(counts)}", icon="BLANK1")


def draw_changes(layout: Any, context: Any, changes: Sequence[Change], none: str) -> None:
    """Draws a box with the changes, wrapped; or the text `none` where there are none."""
    box = layout.box()
    if not changes:
        draw_wrapped(box, context, none, icon="INFO")
        return
    box.label(text=f"{count(len(changes), 'change')} in Blender", icon="GREASEPENCIL")
    shown = find_room(context.window.height, context.preferences.system.ui_scale)
    for change in changes[:shown]:
        draw_wrapped(box, context, str(change), icon=_ICONS[change.kind])
    _count_rest(box, changes[shown:])
