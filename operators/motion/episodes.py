# SPDX-License-Identifier: GPL-3.0-or-later
"""Episodes for training: the animation of the active robot as a dataset."""

from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper

from ...urdf_importer import Diagnostics, EpisodeOptions, record_episode_steps
from ...urdf_importer.core.command.summary import count
from .. import props
from ..active_robot import RobotOperator, active_robot
from ..exporting.exported_robot import choose_export_file
from ..option_properties import add_option_properties, draw_options, read_options
from ..registration import add_to_menus
from ..reports import report_diagnostics
from ..stepping import BrowsedWork, Steps


class ExportEpisodes(BrowsedWork, RobotOperator, bpy.types.Operator, ExportHelper):
    bl_idname = "export_scene.robot_episodes"
    bl_label = "Export LeRobot Dataset"
    bl_description = (
        "Write the animation of the active robot, or each of its actions, as episodes for "
        "training: a folder as LeRobot reads it, with pictures of cameras. Esc ends it and leaves "
        "no file"
    )
    bl_options = {"REGISTER", "PRESET"}

    filename_ext = ""
    filter_folder: props.folders_alone()
    check_extension = None
    steps_title = "Episodes"
    cancelled_text = "The export was cancelled; nothing is left of it"

    def choose_file(self: Any, context: Any) -> set[str]:
        return choose_export_file(self, context)

    def draw(self: Any, context: Any) -> None:
        draw_options(self.layout, self, EpisodeOptions)

    def begin_steps(self: Any, context: Any) -> Steps:
        """Returns the work; wrong choices are refused in its first step."""
        robot: Any = active_robot(context)
        self._robot, self._found = robot.name, Diagnostics()
        path = Path(bpy.path.abspath(self.filepath))
        options = read_options(self, EpisodeOptions)
        how: Any = {"options": options, "diagnostics": self._found}
        return (yield from record_episode_steps(robot, path, **how))

    def keep_result(self: Any, context: Any, result: tuple[Path, ...]) -> set[str]:
        report_diagnostics(self, self._robot, tuple(self._found), "episodes")
        self.report({"INFO"}, f"Wrote {Path(self.filepath).name}: {count(len(result), 'file')}")
        return {"FINISHED"}


add_option_properties(ExportEpisodes, EpisodeOptions)


def draw_export_episodes(menu: Any, context: Any) -> None:
    """Draws the entry of File > Export."""
    menu.layout.operator(ExportEpisodes.bl_idname, text="LeRobot Dataset (folder)")


def register() -> None:
    """Adds the entry to the menu of robots."""
    add_to_menus(draw_export_episodes, "TOPBAR_MT_urdf_export")
