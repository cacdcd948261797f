# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Reshape": the functions that change a robot, each with its changes shown first."""

from typing import Any

import bpy

from .panel import DataSubPanel
from .reshape_operators import RESHAPERS, MeasureRobot

_ICONS = {
    "Rename": "SORTALPHA",
    "Resize": "FULLSCREEN_ENTER",
    "Strip": "TRASH",
    "Prune": "UNLINKED",
    "Merge Fixed": "AUTOMERGE_ON",
    "Reroot": "OUTLINER",
    "Attach": "LINKED",
    "Convert Axes": "ORIENTATION_GLOBAL",
}


class ReshapePanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_reshape"
    bl_label = "Reshape"
    bl_order = 55
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        grid = self.layout.grid_flow(columns=2, align=True, even_columns=True, row_major=True)
        for each in RESHAPERS:
            grid.operator(each.bl_idname, icon=_ICONS[each.bl_label])
        self.layout.operator(MeasureRobot.bl_idname, icon="DRIVER_DISTANCE")


CLASSES = (ReshapePanel,)
