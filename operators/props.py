# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of operators and panels: a label and a tooltip each, then whatever differs from
Blender's defaults. With `kept=False` the next call begins with the default again."""

from collections.abc import Callable
from typing import Any

import bpy

# The files of the last time are not a setting: neither presets nor the next call keep it.
OF_THIS_TIME = {"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"}


def _declare(make: Callable[..., Any]) -> Callable[..., Any]:
    def declare(label: str, tooltip: str, *, kept: bool = True, **more: Any) -> Any:
        options = {} if kept else {"options": {"SKIP_SAVE"}}
        return make(name=label, description=tooltip, **options, **more)

    return declare


text = _declare(bpy.props.StringProperty)
switch = _declare(bpy.props.BoolProperty)
integer = _declare(bpy.props.IntProperty)
number = _declare(bpy.props.FloatProperty)
vector = _declare(bpy.props.FloatVectorProperty)
choice = _declare(bpy.props.EnumProperty)


def file(tooltip: str) -> Any:
    """Returns the property for the chosen file."""
    return text("File", tooltip, subtype="FILE_PATH", options=OF_THIS_TIME)


def check_existing() -> Any:
    """Returns the property by which the file browser warns."""
    tooltip = "Warn before a file is overwritten"
    return switch("Check Existing", tooltip, default=True, options=OF_THIS_TIME)


def pattern(*endings: str, options: Any = frozenset({"HIDDEN"})) -> Any:
    """Returns the property by which a file browser shows the files with these endings alone."""
    shown = ";".join(f"*{ending}" for ending in endings)
    return bpy.props.StringProperty(default=shown, options=set(options))


def folders_alone() -> Any:
    """Returns the property by which a file browser shows folders alone."""
    return bpy.props.BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
