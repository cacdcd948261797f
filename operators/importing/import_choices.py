# SPDX-License-Identifier: GPL-3.0-or-later
"""What the importing operators share: their properties, and what those ask for."""

import os
from typing import Any

import bpy

from ...urdf_importer import ImportOptions, RobotError, reader_formats
from ...urdf_importer.command.jobs import ImportJob
from ..option_properties import (
    OF_THIS_TIME,
    add_option_properties,
    draw_options,
    option_names,
    read_options,
)
from .xacro_fields import XacroField, apply_xacro_fields, draw_xacro_fields

SUFFIXES = (*(suffix for each in reader_formats() for suffix in each.suffixes), ".xml")
"""Of files that may be descriptions. What an .xml is shows when it is read."""

FILTER = ";".join(f"*{suffix}" for suffix in SUFFIXES)


@add_option_properties
class ImportChoices:
    """Properties of an operator that imports: the files, the options, the xacro arguments."""

    filepath: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="File",
        description="The robot description to import",
        subtype="FILE_PATH",
        options=OF_THIS_TIME,
    )
    directory: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Folder",
        description="Where the files of Files are",
        subtype="DIR_PATH",
        options=OF_THIS_TIME,
    )
    files: bpy.props.CollectionProperty(  # type: ignore[valid-type]
        name="Files",
        description="Names of several files to import, in Folder",
        type=bpy.types.OperatorFileListElement,
        options=OF_THIS_TIME,
    )
    xacro_fields: bpy.props.CollectionProperty(  # type: ignore[valid-type]
        name="Arguments of the File",
        description="The arguments that the chosen xacro files declare",
        type=XacroField,
        options=OF_THIS_TIME,
    )

    _folded = False
    """Whether the groups of options start folded: in dialogs, which must not outgrow the window."""

    def draw(self, context: Any) -> None:
        layout = self.layout  # type: ignore[attr-defined]
        draw_xacro_fields(layout, self)
        draw_options(layout, self, folded=self._folded)


def find_paths(operator: Any) -> list[str]:
    """Returns the absolute paths of the chosen files."""
    folder = operator.directory or os.path.dirname(operator.filepath)
    names = [item.name for item in operator.files if item.name]
    chosen = [os.path.join(folder, name) for name in names] or [operator.filepath]
    return [bpy.path.abspath(path) for path in chosen if path]


def read_jobs(operator: Any) -> list[ImportJob]:
    """Reads what an operator's properties ask for. Raises RobotError."""
    options = read_options(operator, ImportOptions)
    paths = find_paths(operator)
    if not paths:
        raise RobotError("no file is chosen; give one as filepath")
    return [
        ImportJob(input=path, options=apply_xacro_fields(options, operator.xacro_fields, path))
        for path in paths
    ]


def copy_choices(operator: Any) -> dict[str, Any]:
    """Returns an operator's properties as arguments for another one. Paths become absolute."""
    copied = {name: getattr(operator, name) for name in option_names()}
    return copied | {
        "filepath": bpy.path.abspath(operator.filepath),
        "directory": bpy.path.abspath(operator.directory),
        "files": [{"name": item.name} for item in operator.files],
        "xacro_fields": [
            {key: getattr(item, key) for key in ("name", "value", "default", "files")}
            for item in operator.xacro_fields
        ],
    }
