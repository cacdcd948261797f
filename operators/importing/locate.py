# SPDX-License-Identifier: GPL-3.0-or-later
"""Locate Folder: the files of a package that was not found, filled in on the rig in the scene."""

import os
from collections.abc import Sequence
from typing import Any

import bpy

from ...urdf_importer import (
    Diagnostic,
    RobotError,
    UpdateResult,
    find_package_folders,
    locate_package,
)
from ...urdf_importer.core.blender.standing.record import find_record
from ...urdf_importer.core.blender.standing.robot_table import list_robots
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.core.diagnostics import DiagnosticGroup
from .. import props
from ..active_robot import RobotOperator, active_robot, browse
from ..preferences import add_package_folder, find_preferences, preference_package_paths
from ..reports import report_diagnostics, report_sentence
from .placement import find_ground, place_again

MOST_OFFERED = 8
_LOCATABLE = ("missing-package", "missing-mesh", "missing-texture", "outside-allowed-folders")


class LocatePackage(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.locate_package"
    bl_label = "Locate Folder"
    bl_description = (
        "Choose the folder in which the missing files are, and fill them in on the robot in "
        "place. Poses, keyframes and your own changes stay, and the robot remembers the folder"
    )

    package: props.text(
        "Package", "The package that is looked for. Empty: any files that are missing", kept=False
    )
    directory: props.text(
        "Folder", "The folder of the package, or one that holds it or lies in it",
        subtype="DIR_PATH", kept=False,
    )  # fmt: skip
    add_to_preferences: props.switch(
        "Add to Package Folders", "Look into this folder at all imports and updates from now on: "
        "it is added to the preferences of the extension", kept=False,
    )  # fmt: skip
    browse: props.switch(
        "Browse", "Open the file browser even where folders were found that may be meant",
        options={"HIDDEN", "SKIP_SAVE"},
    )  # fmt: skip
    filter_folder: props.folders_alone()

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Offers the folder found; where there is none, and on wish, opens the file browser."""
        if self.directory:
            return self.execute(context)
        found = () if self.browse else find_offers(context, self.package)
        if found:
            context.window_manager.popup_menu(
                _make_menu(self.package, found), title=self.bl_label, icon="FILE_FOLDER"
            )
            return {"INTERFACE"}
        self.directory = os.path.join(os.path.dirname(_source_of(context)), "")
        return browse(self, context)

    def draw(self, context: Any) -> None:
        if find_preferences(context) is not None:
            self.layout.prop(self, "add_to_preferences")

    def run(self: Any, context: Any, robot: Any) -> None:
        folder = bpy.path.abspath(self.directory)
        ground = find_ground(context, robot)
        known = find_record(robot).diagnostics
        result = locate_package(robot, folder, package=self.package)
        if ground is not None and any(change.subject == "mesh" for change in result.changes):
            place_again(context, result.armature, ground)
        if self.add_to_preferences:
            add_package_folder(context, folder)
        _report(self, result, known)


def is_locatable(group: DiagnosticGroup) -> bool:
    """Whether another folder may bring the files that these diagnostics miss."""
    return bool(group.items[0].lost) and group.items[0].code in _LOCATABLE


def is_left_out(group: DiagnosticGroup) -> bool:
    """Whether these diagnostics are about models that were not found, which another import with
    their folder brings."""
    return group.items[0].code == "sdf-include"


def find_offers(context: Any, package: str) -> tuple[str, ...]:
    """Finds folders that hold missing files of a package: near the file, in the folders of the
    preferences and of other robots, in ROS workspaces."""
    robot = active_robot(context)
    if robot is None or not package:
        return ()
    folders = list(preference_package_paths(context))
    try:
        for other in list_robots():
            record = find_record(other)
            folders += [*record.options.package_paths, os.path.dirname(record.path)]
            folders += [folder for _, folder in record.options.packages]
        return find_package_folders(robot, package, package_paths=folders)[:MOST_OFFERED]
    except RobotError:
        return ()


def _source_of(context: Any) -> str:
    try:
        return find_record(active_robot(context)).path
    except RobotError:
        return ""


def _make_menu(package: str, folders: tuple[str, ...]) -> Any:
    def draw(menu: Any, context: Any) -> None:
        column = menu.layout.column()
        column.operator_context = "EXEC_DEFAULT"
        for folder in folders:
            offered = column.operator(
                LocatePackage.bl_idname, text=folder, icon="CHECKMARK", translate=False
            )
            offered.package, offered.directory = package, folder
        column.separator()
        column.operator_context = "INVOKE_DEFAULT"
        other = column.operator(
            LocatePackage.bl_idname, text="Another Folder...", icon="FILE_FOLDER"
        )
        other.package, other.browse = package, True

    return draw


def _report(operator: Any, result: UpdateResult, known: Sequence[Diagnostic]) -> None:
    """Reports the files, and of the messages only new ones and ones about files still missing."""
    diagnostics = [each for each in result.diagnostics if each.lost or each not in known]
    files = count(sum(change.subject == "mesh" for change in result.changes), "mesh file")
    report_diagnostics(operator, result.robot.name, diagnostics)
    report_sentence(operator, f"Filled in {files} of {result.robot.name}", diagnostics)
