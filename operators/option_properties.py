# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator's properties for options: one for each field, made from its metadata.

Blender has no lists among operator properties: folders are text, one to a line or separated by
semicolons, named folders are name=folder, and other pairs are name:=value. Its numbers have single
precision: each is read as the shortest number with the same value.
"""

import os
import struct
from collections.abc import Collection
from dataclasses import Field, fields
from functools import partial
from typing import Any, TypeVar, get_args, get_type_hints

import bpy

from ..urdf_importer import ImportOptions, RobotError
from ..urdf_importer.core.options import PlacementOptions, group_options
from . import props
from .active_robot import PolledOperator, browse

Operator = TypeVar("Operator", bound=type)
Options = TypeVar("Options", bound=Any)
OptionClass = type[Any]
"""One of the library's classes of options."""

IMPORT: tuple[OptionClass, ...] = (PlacementOptions, ImportOptions)
"""Option classes of an import by hand, in the order in which they are shown."""

_IN_WINDOW = {"sensors": True}
"""Defaults of people who look at robots, where scripts have another."""


def add_option_properties(kind: Operator, *options: OptionClass) -> Operator:
    """Gives an operator class, before it is registered, a property for each option of classes; of
    an import's where none are given."""
    for each in options or IMPORT:
        own = kind.__annotations__
        kind.__annotations__ = own | {field.name: _property(field) for field in fields(each)}
    return kind


def option_property(options: OptionClass, name: str) -> Any:
    """Returns the property for an option of a class."""
    return _property(next(field for field in fields(options) if field.name == name))


def option_names() -> tuple[str, ...]:
    """Returns the names of an import's option properties."""
    return tuple(field.name for each in IMPORT for field in fields(each))


def read_options(operator: Any, options: type[Options], **instead: Any) -> Options:
    """Reads options of a class from an operator's properties, or from values given in place of
    them. Raises RobotError."""
    hints = get_type_hints(options)
    found: Options = options(
        **{
            field.name: _read_option(
                field, hints[field.name], instead.get(field.name, getattr(operator, field.name))
            )
            for field in fields(options)
        }
    )
    return found


def _read_option(field: "Field[Any]", hint: Any, value: Any) -> Any:
    if field.default is None:
        return _read_number(field, value)
    if isinstance(field.default, float):
        return _shorten(value)
    if not isinstance(field.default, tuple):
        return value
    if _is_vector(field):
        return tuple(_shorten(number) for number in value)
    pairs = bool(get_args(get_args(hint)[0]))
    read = partial(_read_pair, field) if pairs else bpy.path.abspath
    return tuple(read(entry) for entry in _split(value))


def _read_number(field: "Field[Any]", text: str) -> float | None:
    """Reads a number that may be left out: then its text is empty."""
    try:
        return float(text) if text.strip() else None
    except ValueError:
        raise RobotError(f"'{text}' in {field.metadata['label']} is not a number") from None


def _shorten(number: float) -> float:
    """Returns the shortest number that is the same in single precision: 0.001 for Blender's version
    of 0.001."""
    kept = struct.pack("f", number)
    written = (f"{number:.{digits}g}" for digits in range(1, 10))
    return next((float(text) for text in written if struct.pack("f", float(text)) == kept), number)


_MOST_IN_DIALOG = 6
"""A dialog with more options open could outgrow a small window."""


def draw_options(
    layout: Any,
    operator: Any,
    *options: OptionClass,
    hidden: Collection[str] = (),
) -> None:
    """Draws the options of classes by their groups, which fold: the first one is open, so that
    nothing outgrows its window. `hidden` names groups and options to leave out."""
    first = True
    for group, members in group_options(*(options or IMPORT)).items():
        shown = [field for field in members if field.name not in hidden]
        if not shown or group in hidden:
            continue
        folded = not first or (len(shown) > _MOST_IN_DIALOG and not _is_in_browser())
        header, body = layout.panel(f"{operator.bl_idname}_{group}", default_closed=folded)
        header.label(text=group)
        first = False
        for field in shown if body is not None else ():
            _draw_option(body, operator, field)


def _draw_option(layout: Any, operator: Any, field: "Field[Any]") -> None:
    """Draws an option. Texts, choices and vectors have their label above: beside it, the narrow
    file browser cuts both."""
    if isinstance(field.default, str | tuple | None):
        column = layout.column(align=True)
        column.label(text=field.metadata["label"])
        if _is_vector(field):
            for place, name in enumerate(field.metadata["entries"].split()):
                text = name if name[-1].isdigit() else name.title()
                column.prop(operator, field.name, index=place, text=text)
            return
        target = column.row(align=True)
        target.prop(operator, field.name, text="", placeholder=field.metadata.get("blank", ""))
        if field.name == "package_paths" and AddShownFolder.poll(bpy.context):
            target.operator(AddShownFolder.bl_idname, text="", icon="FILE_FOLDER")
        elif field.name == "package_paths" and "UNDO" in operator.bl_options:
            target.operator(ImportWithFolder.bl_idname, text="", icon="FILE_FOLDER")
    else:
        layout.prop(operator, field.name)


def _is_in_browser() -> bool:
    return getattr(bpy.context.space_data, "type", "") == "FILE_BROWSER"


class AddShownFolder(PolledOperator, bpy.types.Operator):
    """A file browser cannot open another one: so the open one takes the part of the button of a
    folder."""

    bl_idname = "import_scene.urdf_add_folder"
    bl_label = "Add This Folder"
    bl_description = (
        "Add the folder that the file browser shows to the package folders: go into the folder of "
        "the packages, press this, and come back to the robot's"
    )
    bl_options = {"INTERNAL"}

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        chosen = getattr(context.space_data, "active_operator", None)
        if not hasattr(chosen, "package_paths") or context.space_data.params is None:
            return "Open the file browser of an import or export first"
        return ""

    def execute(self, context: Any) -> set[str]:
        folder = os.path.abspath(os.fsdecode(context.space_data.params.directory))
        _add_folder(context.space_data.active_operator, folder)
        return {"FINISHED"}


class ImportWithFolder(PolledOperator, bpy.types.Operator):
    """The panel of the last operation (F9) has no file browser of its own. A finished operator can
    be repeated: this does so, with one more folder."""

    bl_idname = "import_scene.urdf_with_folder"
    bl_label = "Locate Folder"
    bl_description = (
        "Choose a folder that holds packages or models, and repeat the last import: missing files "
        "and models are looked for there"
    )
    bl_options = {"INTERNAL"}

    directory: props.text(
        "Folder", "A folder that holds packages or models", subtype="DIR_PATH", kept=False
    )
    filter_folder: props.folders_alone()

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        was_import = hasattr(_last_operator(context), "package_paths")
        return "" if was_import else "The last operation was not an import: import the file again"

    def invoke(self, context: Any, event: Any) -> set[str]:
        return browse(self, context)

    def execute(self, context: Any) -> set[str]:
        _add_folder(_last_operator(context), os.path.abspath(bpy.path.abspath(self.directory)))
        # As a user does it: scripts leave no step of undo.
        return set(bpy.ops.ed.undo_redo("EXEC_DEFAULT", True))


def _last_operator(context: Any) -> Any:
    """Returns the operator that F9 would repeat; None without one."""
    done = context.window_manager.operators
    return done[-1] if len(done) else None


def _add_folder(operator: Any, folder: str) -> None:
    if folder not in _split(operator.package_paths):
        operator.package_paths = "; ".join([*_split(operator.package_paths), folder])


def _property(field: "Field[Any]") -> Any:
    shown = {"name": field.metadata["label"], "description": field.metadata["help"]}
    bounds = {
        ours: field.metadata[theirs]
        for ours, theirs in (("min", "minimum"), ("max", "maximum"))
        if theirs in field.metadata
    }
    if "choices" in field.metadata:
        items = [(key, _label(key), text) for key, text in field.metadata["choices"].items()]
        return bpy.props.EnumProperty(items=items, default=field.default, **shown)
    if isinstance(field.default, bool):
        default = _IN_WINDOW.get(field.name, field.default)
        return bpy.props.BoolProperty(default=default, **shown)
    if isinstance(field.default, int):
        return bpy.props.IntProperty(default=field.default, **bounds, **shown)
    if isinstance(field.default, float):
        return bpy.props.FloatProperty(default=field.default, **bounds, **shown)
    if _is_vector(field):
        size = len(field.metadata["entries"].split())
        return bpy.props.FloatVectorProperty(default=field.default, size=size, **bounds, **shown)
    subtype = "FILE_PATH" if field.metadata.get("entries") == "FILE" else "NONE"
    return bpy.props.StringProperty(default="", subtype=subtype, **shown)


_SPELLED = {
    "coacd": "CoACD", "dae": "DAE", "glb": "GLB", "morse": "MORSE", "mujoco": "MuJoCo",
    "obj": "OBJ", "rosbridge": "rosbridge", "stl": "STL", "vrml": "VRML",
}  # fmt: skip
"""Names of choices in their own spelling."""


def _label(key: str) -> str:
    """Makes a label; names that are written with capitals keep them."""
    if key in _SPELLED:
        return _SPELLED[key]
    return key.replace("_", " ").title() if key.islower() else key


def _is_vector(field: "Field[Any]") -> bool:
    return isinstance(field.default, tuple) and "entries" in field.metadata


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.replace("\n", ";").split(";") if part.strip()]


def _read_pair(field: "Field[Any]", entry: str) -> tuple[str, str]:
    """Reads a pair; without a separator of its own it is name=folder."""
    separator = field.metadata.get("separator")
    name, found, value = (part.strip() for part in entry.partition(separator or "="))
    if not (name and found and (value or separator)):
        form = f"name{separator}value" if separator else "name=folder"
        raise RobotError(f"'{entry}' in {field.metadata['label']} is not {form}")
    return name, value if separator else bpy.path.abspath(value)
