# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > Robot Description (.urdf, .xacro): asks for files and options."""

from typing import Any

import bpy

from ..urdf_importer import RobotError
from .import_choices import ImportChoices, copy_choices, find_paths
from .menu_defaults import add_preferred_folders, first_folder, keep_choices, offer_defaults
from .option_properties import read_options
from .run_import import can_import, import_at_once
from .xacro_fields import XacroFields


class ImportUrdf(ImportChoices, bpy.types.Operator):
    """Scripts that call it get the finished robots when it returns, from their arguments alone.

    It makes no undo step: in scripts operators never do, and for users the operator that does the
    import makes it.
    """

    bl_idname = "import_scene.urdf"
    bl_label = "Import URDF"
    bl_description = (
        "Load URDF robots as armatures, at the origin: a bone for each moving joint, turning about "
        "its X axis within the joint's limits, and an empty in the frame of each link"
    )
    bl_options = {"REGISTER", "PRESET"}

    filter_glob: bpy.props.StringProperty(  # type: ignore[valid-type]
        default="*.urdf;*.xml;*.xacro", options={"HIDDEN", "SKIP_SAVE", "SKIP_PRESET"}
    )

    _shown: XacroFields | None = None
    """The fields that a user sees; None where a script calls."""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return can_import(cls, context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        self._shown = XacroFields()
        offer_defaults(self, context)
        manager = context.window_manager
        paths = find_paths(self)
        if not paths:
            self.filepath = first_folder()
            manager.fileselect_add(self)
            return {"RUNNING_MODAL"}
        self.check(context)
        self._folded = True
        chosen: set[str] = manager.invoke_props_dialog(
            self, width=400, title=_name_files(paths), confirm_text="Import"
        )
        return chosen

    def check(self, context: Any) -> bool:
        """Blender calls it when another file or option is chosen."""
        if self._shown is None:
            self._shown = XacroFields()
        folders = add_preferred_folders(self.package_paths, context)
        try:
            options = read_options(self, package_paths=folders)
        except RobotError:  # An entry that is not written to its end.
            return False
        return self._shown.update(self.xacro_fields, find_paths(self), options)

    def execute(self, context: Any) -> set[str]:
        if self._shown is None or bpy.app.background:
            return import_at_once(self, context)
        self.check(context)
        keep_choices(self, find_paths(self))
        choices = copy_choices(self)
        choices["package_paths"] = add_preferred_folders(self.package_paths, context)
        bpy.ops.import_scene.urdf_run("INVOKE_DEFAULT", **choices)
        return {"FINISHED"}


def _name_files(paths: list[str]) -> str:
    if len(paths) == 1:
        return f"Import {bpy.path.basename(paths[0])}"
    return f"Import {len(paths)} Robots"


def draw_menu_entry(menu: Any, context: Any) -> None:
    menu.layout.operator(ImportUrdf.bl_idname, text="Robot Description (.urdf, .xacro)")
