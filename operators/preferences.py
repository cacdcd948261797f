# SPDX-License-Identifier: GPL-3.0-or-later
"""A few texts that come back in the next session, in a file of the extension's own folder.

It is a convenience: where the folder cannot be written or read, nothing is remembered.
"""

import json
import os
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import bpy

from ..urdf_importer import RobotError
from ..urdf_importer.core.shelves import has_hook
from . import props
from .active_robot import ActingOperator, Refusal, browse
from .option_properties import IMPORT, add_option_properties, option_names

EXTENSION = (__package__ or "").removesuffix(".operators")
_FILE = "remembered.json"


def load() -> dict[str, str]:
    """Loads the values that save kept last."""
    try:
        kept = json.loads(_folder(create=False).joinpath(_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {key: value for key, value in kept.items() if isinstance(value, str)}


def save(texts: dict[str, str]) -> None:
    """Replaces the kept values; the file is complete or unchanged."""
    if texts == load():
        return
    with suppress(OSError):
        path = _folder(create=True) / _FILE
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(texts, indent=1), encoding="utf-8")
        os.replace(fresh, path)


def _folder(*, create: bool) -> Path:
    return Path(bpy.utils.extension_path_user(EXTENSION, create=create))


_OF_EVERY_FILE = "Files"
"""The group of options about where files are. They have no default that fits all robots; the
package folders that do are a list of their own."""

DEFAULTS = tuple(
    field
    for kind in IMPORT
    for field in fields(kind)
    if field.metadata["group"] != _OF_EVERY_FILE and field.metadata.get("entries") != "FILE"
)
"""The options that have a default in the preferences: without those about one file alone."""
DEFAULT_NAMES = tuple(field.name for field in DEFAULTS)


def shows_morse(context: Any) -> bool:
    """Whether parts for MORSE alone are shown."""
    found = find_preferences(context)
    return found is not None and bool(found.show_morse)


def preference_options(context: Any) -> dict[str, Any]:
    """Returns the defaults of an import through the menu: values for the operator's properties.
    Empty if the extension runs without preferences."""
    found = find_preferences(context)
    if found is None:
        return {}
    return {name: getattr(found.defaults, name) for name in DEFAULT_NAMES}


def preference_package_paths(context: Any) -> tuple[str, ...]:
    """Returns the package folders, absolute, in the order in which they are searched. Some may not
    exist: a drive may not be mounted today.
    """
    found = find_preferences(context)
    if found is None:
        return ()
    return tuple(bpy.path.abspath(item.path) for item in found.package_folders if item.path)


def add_package_folder(context: Any, folder: str) -> bool:
    """Adds a folder to the preferences; False where it is in their list already, or where there are
    none."""
    found = find_preferences(context)
    if found is None or any(_is_same(item.path, folder) for item in found.package_folders):
        return False
    found.package_folders.add().path = os.path.abspath(folder)
    context.preferences.is_dirty = True
    return True


def find_preferences(context: Any) -> Any:
    """Returns the extension's preferences; None if it was not enabled through them."""
    addon = context.preferences.addons.get(EXTENSION)
    return addon.preferences if addon is not None else None


class PackageFolder(bpy.types.PropertyGroup):
    path: props.text(
        "Package Folder", "A folder that holds ROS packages, such as the src or share folder of a "
        "workspace, or a package itself. Meshes, textures and xacro files in it are found and may "
        "be read. Red means that it is not there at the moment", subtype="DIR_PATH",
    )  # fmt: skip


@add_option_properties
class ImportDefaults(bpy.types.PropertyGroup):
    """A property for each import option with a default; registered with the preferences."""


for _name in set(option_names()) - set(DEFAULT_NAMES):
    del ImportDefaults.__annotations__[_name]


class ListOperator(ActingOperator):
    """Base of the operators on the list of package folders."""

    bl_options = {"INTERNAL"}
    find_robot = staticmethod(find_preferences)

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        found = find_preferences(context) is not None
        return "" if found else "Enable the extension in the preferences first"


class AddPackageFolder(ListOperator, bpy.types.Operator):
    bl_idname = "preferences.urdf_package_folder_add"
    bl_label = "Add Package Folder"
    bl_description = (
        "Choose a folder that holds ROS packages. Imports through the menu, by drag-and-drop and "
        "by blender --command urdf_import look there for packages of package:// names, after the "
        "folders given for the import itself; scripts give their own"
    )

    directory: props.text(
        "Folder", "The folder to add", subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"}
    )
    filter_folder: props.folders_alone()

    def invoke(self, context: Any, event: Any) -> set[str]:
        return browse(self, context)

    def run(self: Any, context: Any, robot: Any) -> None:
        path = os.path.abspath(bpy.path.abspath(self.directory)) if self.directory else ""
        if not os.path.isdir(path):
            raise RobotError(f"There is no folder '{self.directory}'; choose an existing one")
        if not add_package_folder(context, path):
            raise Refusal(f"'{path}' is in the list already", "INFO")


class RemovePackageFolder(ListOperator, bpy.types.Operator):
    bl_idname = "preferences.urdf_package_folder_remove"
    bl_label = "Remove Package Folder"
    bl_description = (
        "Remove this folder from the list. Nothing on the disk changes, and robots that are "
        "imported already keep their meshes"
    )

    index: props.integer(
        "Index", "Which folder of the list, from 0", min=0, options={"HIDDEN", "SKIP_SAVE"}
    )

    def run(self: Any, context: Any, found: Any) -> None:
        folders = found.package_folders
        if self.index >= len(folders):
            raise RobotError(f"The list has no folder number {self.index}")
        folders.remove(self.index)
        context.preferences.is_dirty = True


GIZMO_SWITCHES = {"joint_gizmo": "GIZMO"} | (
    {"tip_handles": "EMPTY_ARROWS"} if has_hook("solve_ik") else {}
)
"""Properties of the preferences, which other places show too, and their icons."""


class ImporterPreferences(bpy.types.AddonPreferences):
    bl_idname = EXTENSION

    package_folders: bpy.props.CollectionProperty(
        name="Package Folders",
        description="Where to look for ROS packages, in this order",
        type=PackageFolder,
    )
    defaults: bpy.props.PointerProperty(
        name="Import Defaults",
        description="Defaults of an import through the menu",
        type=ImportDefaults,
    )

    # Without an `update`: with one, Blender 4.2 as a module crashes when Python ends.
    joint_gizmo: props.switch(
        "Joint Gizmo", "Highlight the joint of the robot's body under the mouse in 3D views, and "
        "move it by dragging the body", default=True,
    )  # fmt: skip
    tip_handles: props.switch(
        "Tip Handles", "Show a handle at the robots' hands and feet in 3D views: drag it, and the "
        "joints follow", default=True,
    )  # fmt: skip

    open_sidebar: props.switch(
        "Open Sidebar", "Open the sidebar, where it is closed, at the robot's tab with the first "
        "import into a file",
        default=True,
    )  # fmt: skip
    show_morse: props.switch(
        "Show MORSE", "Show parts for the simulator MORSE alone: its export, and rigs made for it"
    )

    def draw(self, context: Any) -> None:
        _draw_package_folders(self.layout.column(), self.package_folders)
        _draw_defaults(self.layout.column(), self.defaults)
        for switch in (*GIZMO_SWITCHES, "open_sidebar", "show_morse"):
            self.layout.prop(self, switch)


def _draw_package_folders(layout: Any, folders: Any) -> None:
    layout.label(text="Package Folders", icon="FILE_FOLDER")
    for index, item in enumerate(folders):
        row = layout.row(align=True)
        row.alert = not os.path.isdir(bpy.path.abspath(item.path))
        row.prop(item, "path", text="")
        row.operator(RemovePackageFolder.bl_idname, text="", icon="X").index = index
    row = layout.row()
    row.operator(AddPackageFolder.bl_idname, text="Add Folder", icon="ADD")
    if not folders:
        row.label(text="None yet: packages are looked for around the description")


def _draw_defaults(layout: Any, defaults: Any) -> None:
    layout.label(text="Defaults of File > Import", icon="IMPORT")
    groups: dict[str, list[str]] = {}
    for field in DEFAULTS:
        groups.setdefault(field.metadata["group"], []).append(field.name)
    for group, names in groups.items():
        header, body = layout.panel(f"urdf_importer_defaults_{group}", default_closed=True)
        header.label(text=group)
        if body is not None:
            body.use_property_split = True
            body.use_property_decorate = False
            for name in names:
                body.prop(defaults, name)


def _is_same(one: str, other: str) -> bool:
    return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))
