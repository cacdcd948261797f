# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a robot, listed before they are made."""

from collections.abc import Sequence
from typing import Any

from ..urdf_importer import Change
from .wrapped_text import draw_wrapped

MOST_SHOWN = 24
"""Changes in a list; the rest is a count."""

_ICONS = {"added": "ADD", "removed": "REMOVE", "changed": "DOT"}


def list_changes(column: Any, changes: Sequence[Change]) -> None:
    """Draws a line for each change, as wide as they are."""
    for change in changes[:MOST_SHOWN]:
        column.label(text=str(change), icon=_ICONS[change.kind])
    more = len(changes) - MOST_SHOWN
    if more > 0:
        column.label(text=f"and {more} more", icon="BLANK1")


def draw_changes(layout: Any, context: Any, changes: Sequence[Change], none: str) -> None:
    """Draws a box with the changes, wrapped; or the text `none` where there are none."""
    box = layout.box()
    if not changes:
        draw_wrapped(box, context, none, icon="INFO")
        return
    count = "1 change" if len(changes) == 1 else f"{len(changes)} changes"
    box.label(text=f"{count} in Blender", icon="GREASEPENCIL")
    for change in changes[:MOST_SHOWN]:
        draw_wrapped(box, context, str(change), icon=_ICONS[change.kind])
    more = len(changes) - MOST_SHOWN
    if more > 0:
        box.label(text=f"and {more} more", icon="BLANK1")
