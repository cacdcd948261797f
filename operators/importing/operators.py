# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > Robot: an operator for each format of the table, made from its record.

The root element of a file decides its format: the operators differ by the files that they show. The
first one shows the files of all formats; dropped files get it.
"""

from typing import Any

import bpy

from ...urdf_importer import ReaderFormat, reader_formats
from .. import props
from ..registration import add_to_menus, make_drop_handler
from .import_choices import SUFFIXES
from .import_urdf import ShownImport
from .run_import import ImportAgain, name_last


def _make_operator(format: ReaderFormat, suffixes: tuple[str, ...], label: str = "") -> type[Any]:
    """Returns the class ImportName of a format, which its label names unless another is given."""
    shown = props.pattern(*suffixes, options=props.OF_THIS_TIME)
    members = {
        "__doc__": f"Imports robots from {format.label} and other descriptions.",
        "__module__": __name__,
        "__annotations__": {"filter_glob": shown},
        "bl_idname": f"import_scene.{format.name}",
        "bl_label": f"Import {label or format.label}",
        "bl_description": format.description,
        "bl_options": {"REGISTER", "PRESET"},
    }
    return type(f"Import{format.label.title()}", (ShownImport, bpy.types.Operator), members)


_FIRST, *_OTHERS = reader_formats()
IMPORTERS = (
    _make_operator(_FIRST, SUFFIXES, "Robot"),
    *(_make_operator(each, each.browsed) for each in _OTHERS),
)
"""Of all formats of the table, in its order."""

# Blender asks for options by the operator's dialog, then runs it.
DropUrdf = make_drop_handler(__name__, "IO_FH_urdf", "URDF", IMPORTERS[0].bl_idname, SUFFIXES)


class ImportMenu(bpy.types.Menu):
    bl_idname = "TOPBAR_MT_urdf_import"
    bl_label = "Robot"

    def draw(self, context: Any) -> None:
        self.layout.operator_context = "INVOKE_DEFAULT"
        names = ["Robot Description", *(each.label for each in _OTHERS)]
        shown = [SUFFIXES[:-1], *(each.browsed for each in _OTHERS)]
        for kind, name, suffixes in zip(IMPORTERS, names, shown, strict=True):
            self.layout.operator(kind.bl_idname, text=f"{name} ({', '.join(suffixes)})")
        self.layout.separator()
        last = name_last()
        text = f"Import Again ({last})" if last else "Import Again"
        self.layout.operator(ImportAgain.bl_idname, text=text)
        self.layout.separator()


def draw_import_entries(menu: Any, context: Any) -> None:
    menu.layout.menu(ImportMenu.bl_idname, icon="ARMATURE_DATA")


def register() -> None:
    """Adds the menu to Blender's."""
    add_to_menus(draw_import_entries, "TOPBAR_MT_file_import")
