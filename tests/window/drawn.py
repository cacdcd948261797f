# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes which buttons the panels of the sidebar draw, for plays that look for all of them."""

from typing import Any

import bpy
from driver import list_panels

_PLACES = {"row", "column", "column_flow", "grid_flow", "split", "box"}
NAMELESS = "*"
"""Begins the names of settings that not each Blender names to the mouse."""
_UNNAMED = (bpy.types.OperatorProperties, bpy.types.LayerCollection)
_DRAWINGS = ("draw", "draw_header", "draw_header_preset")


class _Layout:
    """A layout that notes the buttons drawn on it."""

    def __init__(self, layout: Any, drawn: set[str]) -> None:
        object.__setattr__(self, "_both", (layout, drawn))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._both[0], name, value)

    def __getattr__(self, name: str) -> Any:
        layout, drawn = self._both
        found = getattr(layout, name)
        if name in _PLACES:
            return lambda *words, **options: _Layout(found(*words, **options), drawn)
        if name == "panel":
            return lambda *words, **options: tuple(
                part and _Layout(part, drawn) for part in found(*words, **options)
            )
        if name == "operator":
            return lambda name, **options: drawn.add(name) or found(name, **options)
        if name in ("prop", "prop_enum"):
            return lambda of, name, *words, **options: (
                drawn.add(NAMELESS * isinstance(of, _UNNAMED) + name)
                or found(of, name, *words, **options)
            )
        return found


class _Drawing:
    """What a panel's functions take for the panel."""

    def __init__(self, layout: Any) -> None:
        self.layout = layout


def note_buttons(labels: set[str]) -> set[str]:
    """Lets the panels with these labels note their buttons from now on, by the names of operators
    and properties."""
    drawn: set[str] = set()
    for kind in list_panels():
        for name in _DRAWINGS if kind.bl_label in labels else ():
            draw = getattr(kind, name, None)
            if draw is not None:
                setattr(kind, name, _noting(draw, drawn))
    return drawn


def _noting(draw: Any, drawn: set[str]) -> Any:
    return lambda panel, context: draw(_Drawing(_Layout(panel.layout, drawn)), context)
