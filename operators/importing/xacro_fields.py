# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of chosen xacro files as fields with their defaults.

They are listed as soon as a file is selected, in bounded time: later ones are not offered, and can
still be written in the option Xacro Arguments.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bpy

from ...urdf_importer import ImportOptions, ReadError, XacroArgument, list_xacro_arguments
from .. import props
from ..registration import add_property

MOST_SECONDS = 1.0
"""For all chosen files together."""

FIELD_NAMES = ("name", "value", "on", "default", "required", "files")
"""All properties of a XacroField."""

_SWITCHES = {"true": "false", "false": "true", "True": "False", "False": "True"}
"""Defaults that are shown as checkboxes -> the other state in the same spelling."""


def _is_on(item: Any) -> bool:
    return bool(item.value.strip().lower() == "true")


def _switch(item: Any, on: bool) -> None:
    """Writes the file's own spelling."""
    written = item.default.strip()
    if written not in _SWITCHES:  # While an operator's arguments are read, in their order.
        return
    item.value = item.default if (written.lower() == "true") is on else _SWITCHES[written]


class XacroField(bpy.types.PropertyGroup):
    """An argument; `name` is its name. `files` are the chosen files that declare it, one to a line;
    in one of them it is `required`: it has no default, or is used before its declaration."""

    value: props.text(
        "Value", "The value of the xacro argument. Left at the file's default, it is not passed on",
    )  # fmt: skip
    default: bpy.props.StringProperty()
    required: bpy.props.BoolProperty()
    files: bpy.props.StringProperty()


def register() -> None:
    """Adds `on`: the value as a checkbox.

    Callbacks into Python are in no annotation: Blender 4.2 as a module, whose groups do not let go
    of callbacks, would crash when Python ends.
    """
    text = (
        "The value of the xacro argument, true or false. Left at the file's default, it is not "
        "passed on"
    )
    add_property(XacroField, "on", props.switch("Value", text, get=_is_on, set=_switch))


class XacroFields:
    """Keeps the fields of an operator, its `xacro_fields`, in step with the chosen files."""

    def __init__(self) -> None:
        self._listed: tuple[Any, ...] = ()
        self._paths: tuple[str, ...] = ()

    def update(self, fields: Any, paths: Sequence[str], options: ImportOptions) -> bool:
        """Lists anew where files or options have changed; True where the fields did.

        A user's text in a field stays while the files stay. A field starts with its value in the
        option Xacro Arguments.
        """
        given = dict(options.xacro_args)
        marks = tuple((path, _changed_at(path)) for path in paths)
        folders = (options.packages, options.package_paths)
        listed = (marks, *folders, options.xacro_args, options.xacro_env)
        if listed == self._listed:
            return False
        written = {item.name: item.value for item in fields if item.value != item.default}
        kept = written if tuple(paths) == self._paths else {}
        self._listed, self._paths = listed, tuple(paths)
        before = _describe(fields)
        fields.clear()
        for path, argument in _list_arguments(paths, options):
            item = fields.get(argument.name)
            if item is None:
                item = fields.add()
                item.name, item.default = argument.name, argument.default or ""
                item.value = kept.get(item.name, given.get(item.name, item.default))
            item.required = item.required or argument.is_required
            item.files += path + "\n"
        return before != _describe(fields)


def _describe(fields: Any) -> list[tuple[Any, ...]]:
    return [(item.name, item.default, item.required, item.files) for item in fields]


def apply_xacro_fields(options: ImportOptions, fields: Any, path: str) -> ImportOptions:
    """Returns the options for one of the chosen files, with the values of its fields that are not
    the default, or have none. Arguments without a field take their value from the option Xacro
    Arguments."""
    own = [item for item in fields if path in item.files.splitlines()]
    shown = {item.name for item in fields}
    changed = tuple((item.name, item.value) for item in own if _is_passed(item))
    rest = tuple(pair for pair in options.xacro_args if pair[0] not in shown)
    return replace(options, xacro_args=rest + changed)


def _is_passed(item: Any) -> bool:
    """A default may be another file's, where this one has none."""
    return bool(item.value != item.default or (item.required and item.value))


def draw_xacro_fields(layout: Any, operator: Any) -> None:
    """Draws one field for each argument, its name above it, since the narrow file browser cuts
    both; nothing if the files declare none."""
    if not operator.xacro_fields:
        return
    header, body = layout.panel(f"{operator.bl_idname}_xacro_fields")
    header.label(text="Arguments of the File")
    if body is None:
        return
    for item in operator.xacro_fields:
        if is_switch(item):
            body.prop(item, "on", text=item.name, translate=False)
            continue
        column = body.column(align=True)
        lacks = lacks_value(item)
        column.alert = lacks
        column.label(
            text=f"{item.name} (has no default)" if lacks else item.name,
            translate=False,
            icon="ERROR" if lacks else "NONE",
        )
        column.prop(item, "value", text="")


def is_switch(item: Any) -> bool:
    """Whether an argument is true or false: its default is, and nothing else was written."""
    return item.default.strip() in _SWITCHES and item.value.strip().lower() in ("true", "false")


def lacks_value(item: Any) -> bool:
    """Whether an argument has neither a default nor a value yet. An empty default is one."""
    return bool(item.required and not item.value)


def _list_arguments(
    paths: Sequence[str], options: ImportOptions
) -> list[tuple[str, XacroArgument]]:
    """Lists (file, argument) in the order of the files. A file that cannot be read has none:
    importing it gives the reason."""
    end = time.monotonic() + MOST_SECONDS
    found: list[tuple[str, XacroArgument]] = []
    for path in paths:
        left = end - time.monotonic()
        if left <= 0:
            break
        try:
            arguments = list_xacro_arguments(path, options=options, seconds=left)
        except ReadError:
            continue
        found.extend((path, argument) for argument in arguments)
    return found


def _changed_at(path: str) -> int:
    """Returns when a file was written; 0 if it is missing."""
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0
