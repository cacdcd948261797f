# SPDX-License-Identifier: GPL-3.0-or-later
"""Update from Source: first the changes of the file, then the update, as one step of undo."""

import os
from typing import Any

import bpy
from bpy_extras.io_utils import ImportHelper

from ...urdf_importer import RobotError, reset_parts, update_robot
from ...urdf_importer.core.blender.standing.record import find_record
from ...urdf_importer.core.blender.standing.robot_table import recall_table
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.core.pipeline.updating import UpdatePreview, preview_update
from .. import props
from ..active_robot import PolledOperator, Refusal, RobotOperator, active_robot, ask, find_hindrance
from ..preferences import preference_package_paths
from ..reports import refuse, report_diagnostics, report_sentence
from ..shown_changes import list_changes
from ..wrapped_text import draw_wrapped
from .import_choices import SUFFIXES
from .source_watch import recall_changed

_WIDTH = 560
_MOST_NAMED = 5
_LINES_OF_NAMES = 3


class UpdateRobot(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.update"
    bl_label = "Update from Source"
    bl_description = (
        "Read the robot's file again and change the rig accordingly, after showing the changes. "
        "Poses, keyframes, materials you changed and objects you attached stay; parts with other "
        "names than before are found again"
    )

    filepath: props.text(
        "Source", "The file to read. Empty: the imported one", subtype="FILE_PATH", kept=False
    )

    names: props.text(
        "New Names", "Links and joints that have another name in the file, as old > new, old > "
        "new: their keyframes, and whatever is attached to them, follow", kept=False,
    )  # fmt: skip

    _shown: tuple[str, UpdatePreview | None] = ("", None)
    _is_same = False

    @classmethod
    def description(cls, context: Any, properties: Any) -> str:
        """Says in the tooltip which files have changed, too."""
        robot = active_robot(context)
        changed = recall_changed(robot, recall_table(robot)) if robot is not None else ()
        names = ", ".join(os.path.basename(path) for path in changed[:_MOST_NAMED])
        more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        return cls.bl_description + (f".\n\nChanged on disk: {names}{more}" if changed else "")

    def invoke(self, context: Any, event: Any) -> set[str]:
        robot = active_robot(context)
        try:
            path = find_record(robot).path
            # Whether a server is at an address, the update finds.
            if not self.filepath and "://" not in path and not os.path.exists(path):
                return set(bpy.ops.urdf.choose_source("INVOKE_DEFAULT"))
            names = {} if self.names else self._look(context).names
            if names:
                self.names = ", ".join(f"{old} > {new}" for old, new in names.items())
            changes = self._look(context).changes
        except RobotError as error:
            return refuse(self, error)
        if not changes:
            # Changed files may say the same as before.
            self._is_same = not recall_changed(robot, recall_table(robot))
            return self.execute(context)
        return ask(self, context, width=_WIDTH, confirm_text="Update")

    def _look(self: Any, context: Any) -> UpdatePreview:
        """Looks at the update; anew only after a change of the names. Raises RobotError."""
        if self._shown[1] is None or self._shown[0] != self.names:
            seen = preview_update(
                active_robot(context),
                self._path(),
                package_paths=_folders(context),
                names=_read_names(self.names),
            )
            self._shown = (self.names, seen)
        found: UpdatePreview = self._shown[1]
        return found

    def check(self, context: Any) -> bool:
        return True

    def draw(self: Any, context: Any) -> None:
        layout = self.layout
        try:
            seen = self._look(context)
        except RobotError as error:
            layout.prop(self, "names")
            draw_wrapped(layout, context, str(error), icon="ERROR")
            return
        lost = seen.lost
        if self.names or lost:
            layout.prop(self, "names", placeholder="old > new")
        if lost:
            named = ", ".join(lost[:_MOST_NAMED]) + ("..." if len(lost) > _MOST_NAMED else "")
            text = f"Keyframes that move nothing afterwards: {named}"
            draw_wrapped(layout, context, text, icon="ERROR")
        above = _LINES_OF_NAMES if self.names or lost else 0
        list_changes(layout.column(align=True), context, seen.changes, above)

    def run(self: Any, context: Any, robot: Any) -> str | None:
        # Once: the next call, by Repeat Last, reads the file.
        is_same, self._is_same = self._is_same, False
        if is_same:
            return _put_back(robot)
        result = update_robot(
            robot,
            path=self._path(),
            package_paths=_folders(context),
            names=_read_names(self.names),
        )
        if not result.changes:
            return _put_back(result.armature)
        # Differences are warnings: an error would make scripts fail.
        name = result.robot.name
        report_diagnostics(self, name, result.diagnostics)
        sentence = f"Updated {name}: {count(len(result.changes), 'change')}"
        report_sentence(self, sentence, result.diagnostics)
        return None

    def _path(self) -> str | None:
        return bpy.path.abspath(self.filepath) if self.filepath else None


def _read_names(text: str) -> dict[str, str]:
    """Reads the new names of a dialog, old > new, by commas. Raises RobotError."""
    pairs = [each.split(">") for each in text.split(",") if each.strip()]
    if any(len(pair) != 2 or not all(map(str.strip, pair)) for pair in pairs):
        raise RobotError("write new names as old > new, with commas between them")
    return {old.strip(): new.strip() for old, new in pairs}


def _put_back(robot: Any) -> str:
    """Puts displaced parts back where nothing changed: that is why many a user updates."""
    displaced = reset_parts(robot, locked_only=True)
    if not displaced:
        raise Refusal("Nothing changed: the rig matches its source", "INFO")
    return f"The source is the same; {count(displaced, 'displaced part')} put back"


def _folders(context: Any) -> list[str]:
    """Returns the package folders of the preferences that are there today."""
    return [folder for folder in preference_package_paths(context) if os.path.isdir(folder)]


class ChooseSource(PolledOperator, bpy.types.Operator, ImportHelper):
    bl_idname = "urdf.choose_source"
    bl_label = "Update from File"
    bl_description = (
        "Choose the file that the robot is updated from: where it was moved to, "
        "or another version of the same robot. The changes are shown first"
    )

    filename_ext = ".urdf"
    filter_glob: props.pattern(*SUFFIXES)

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return find_hindrance(context)

    def execute(self, context: Any) -> set[str]:
        mode = "EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT"
        try:
            return set(bpy.ops.urdf.update(mode, filepath=self.filepath))
        except RuntimeError as error:
            self.report({"ERROR"}, str(error).removeprefix("Error: ").strip())
            return {"CANCELLED"}
