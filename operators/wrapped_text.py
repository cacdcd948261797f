# SPDX-License-Identifier: GPL-3.0-or-later
"""Wraps text in panels, where Blender cuts long lines, and links to the documentation."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path, PurePath
from typing import Any

import blf

_FONT = 0
"""Blender's own, the font of the interface."""
_MARGINS = 88
"""Pixels at a scale of 1 that a line of a box loses to its icon, its frame, its panel's frame and
the names of the tabs: 84 in the sidebar of Blender 4.3 and 5.2."""
_ICON = 20
_LEAST_WIDTH = 60
_PIECES = re.compile(r"\s+|\S+/s[²³]?(?!\S)|[^\s/\\]*[/\\]|[^\s/\\]+")
"""Where a line may end: at a blank, and in a path after a slash; not in a unit such as m/s²."""


def draw_wrapped(
    layout: Any, context: Any, text: str, icon: str = "NONE", *, icons: int = 1
) -> None:
    """Draws as many labels as the width asks for beside so many icons, `icon` before the first."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(wrap(context, text, icons)):
        column.label(
            text=line,
            icon=icon if number == 0 else ("BLANK1" if icon != "NONE" else icon),
            translate=False,
        )


def draw_facts(column: Any, facts: Iterable[tuple[str, str]], share: float) -> None:
    """Draws rows of a name, which gets a share of the width, and a value."""
    for label, value in facts:
        line = column.split(factor=share)
        line.label(text=label)
        line.label(text=value, translate=False)


def draw_page(layout: Any, label: str, page: str) -> None:
    """Draws a button that opens a page of the documentation in the web browser."""
    layout.operator("wm.url_open", text=label, icon="URL").url = f"{_find_site()}/{page}"


@cache
def _find_site() -> str:
    with Path(__file__).parents[1].joinpath("blender_manifest.toml").open("rb") as file:
        return str(tomllib.load(file)["website"])


def draw_rest(layout: Any, found: Collection[Any], most: int, icon: str = "NONE") -> None:
    """Draws how many rows are left out where only so many are shown."""
    if len(found) > most:
        layout.label(text=f"and {len(found) - most} more", icon=icon)


def wrap(context: Any, text: str, icons: int = 1) -> list[str]:
    """Returns the text in lines that fit into the region beside so many icons, as wide as Blender
    draws them."""
    scale = context.preferences.system.ui_scale
    style = context.preferences.ui_styles[0].widget
    blf.size(_FONT, style.points * scale)
    margins = _MARGINS + (icons - 1) * _ICON
    width = max(context.region.width - margins * scale, _LEAST_WIDTH * scale)
    return wrap_to(text, width, lambda line: float(blf.dimensions(_FONT, line)[0]))


def wrap_to(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Returns the text in lines that are at most `width` wide by `measure`. A word that is too long
    even alone, such as a name without blanks and slashes, is broken anywhere; nothing is lost."""
    lines = [""]
    for piece in _PIECES.findall(text):
        if measure(lines[-1] + piece.rstrip()) <= width:
            lines[-1] += piece
            continue
        if lines[-1].strip():
            lines.append("")
        for letter in piece.lstrip():
            if lines[-1] and measure(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    return [line.strip() for line in lines]


def file_name(path: str) -> str:
    """Returns the last part of a path, also of one from another system."""
    return PurePath(path.replace("\\", "/")).name
