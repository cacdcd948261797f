# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Simulate": the settings of the next simulation, and its button."""

from typing import Any

import bpy

from ...urdf_importer import BuildError
from ...urdf_importer.pipeline.simulating import find_engine
from ..sidebar.panel import RobotSubPanel
from ..wrapped_text import draw_wrapped
from .simulate import SimulateRobot, draw_settings

_TODAY = {"mujoco": "Today: MuJoCo", "bullet": "Today: Bullet; MuJoCo is not installed"}


class SimulatePanel(RobotSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_simulate"
    bl_label = "Simulate"
    bl_order = 18
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout = self.layout
        chosen = context.window_manager.operator_properties_last(SimulateRobot.bl_idname)
        draw_settings(layout, chosen, context)
        missing = ""
        try:
            engine = find_engine(chosen.engine)
        except BuildError as error:
            missing = str(error)
            draw_wrapped(layout, context, missing, icon="ERROR")
        else:
            if chosen.engine == "auto":
                draw_wrapped(layout, context, _TODAY[engine], icon="INFO")
        row = layout.row()
        row.enabled = not missing
        row.operator(SimulateRobot.bl_idname, icon="PLAY")


register, unregister = bpy.utils.register_classes_factory((SimulateRobot, SimulatePanel))
