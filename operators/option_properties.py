# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator's properties for the import options: one for each field, made of what it says.

Blender has no lists among operator properties: folders are text, one to a line or separated by
semicolons, named folders are name=folder, and arguments of xacro name:=value.
"""

from dataclasses import Field, fields
from functools import partial
from typing import Any, TypeVar, get_args, get_type_hints

import bpy

from ..urdf_importer import ImportOptions, RobotError

Operator = TypeVar("Operator", bound=type)


def add_option_properties(kind: Operator) -> Operator:
    """Gives an operator class, before it is registered, a property for each import option."""
    own = kind.__annotations__
    kind.__annotations__ = own | {field.name: _property(field) for field in fields(ImportOptions)}
    return kind


def option_names() -> tuple[str, ...]:
    """The names of those properties."""
    return tuple(field.name for field in fields(ImportOptions))


def read_options(operator: Any, **instead: Any) -> ImportOptions:
    """The options that an operator's properties say, or what is given instead of one.

    Raises RobotError."""
    hints = get_type_hints(ImportOptions)
    chosen: dict[str, Any] = {}
    for field in fields(ImportOptions):
        value = instead.get(field.name, getattr(operator, field.name))
        if isinstance(field.default, tuple):
            pairs = bool(get_args(get_args(hints[field.name])[0]))
            read = partial(_read_pair, field) if pairs else bpy.path.abspath
            value = tuple(read(entry) for entry in _split(value))
        chosen[field.name] = value
    return ImportOptions(**chosen)


def draw_options(layout: Any, operator: Any, *, folded: bool = False) -> None:
    """Draws the options by their groups, which fold; `folded` is how they start."""
    groups: dict[str, list[Field[Any]]] = {}
    for field in fields(ImportOptions):
        groups.setdefault(field.metadata["group"], []).append(field)
    for group, members in groups.items():
        name = f"{operator.bl_idname}_{group}_{folded}"
        header, body = layout.panel(name, default_closed=folded)
        header.label(text=group)
        if body is not None:
            for field in members:
                _draw_option(body, operator, field)


def _draw_option(layout: Any, operator: Any, field: "Field[Any]") -> None:
    """Texts and choices have their label above: beside it, the narrow file browser cuts both."""
    if isinstance(field.default, str | tuple):
        column = layout.column(align=True)
        column.label(text=field.metadata["label"])
        column.prop(operator, field.name, text="")
    else:
        layout.prop(operator, field.name)


def _property(field: "Field[Any]") -> Any:
    shown = {"name": field.metadata["label"], "description": field.metadata["help"]}
    bounds = {
        ours: field.metadata[theirs]
        for ours, theirs in (("min", "minimum"), ("max", "maximum"))
        if theirs in field.metadata
    }
    if "choices" in field.metadata:
        items = [(key, key.title(), text) for key, text in field.metadata["choices"].items()]
        return bpy.props.EnumProperty(items=items, default=field.default, **shown)
    if isinstance(field.default, bool):
        return bpy.props.BoolProperty(default=field.default, **shown)
    if isinstance(field.default, int):
        return bpy.props.IntProperty(default=field.default, **bounds, **shown)
    if isinstance(field.default, float):
        return bpy.props.FloatProperty(default=field.default, **bounds, **shown)
    return bpy.props.StringProperty(default="", **shown)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.replace("\n", ";").split(";") if part.strip()]


def _read_pair(field: "Field[Any]", entry: str) -> tuple[str, str]:
    """A pair without a separator of its own is name=folder."""
    separator = field.metadata.get("separator")
    name, found, value = (part.strip() for part in entry.partition(separator or "="))
    if not (name and found and (value or separator)):
        form = f"name{separator}value" if separator else "name=folder"
        raise RobotError(f"'{entry}' in {field.metadata['label']} is not {form}")
    return name, value if separator else bpy.path.abspath(value)
