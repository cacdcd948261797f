# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of bone collections above the sliders: the bones of one limb, or of several, alone. They
are folded into a switch beside the search field, and so take no row from the sliders."""

from typing import Any

import bpy

from ...urdf_importer import RobotError
from ...urdf_importer.core.blender.semantics.groups import find_collections, name_group
from ...urdf_importer.core.blender.standing.display import find_limb, solo_limb
from ...urdf_importer.core.blender.standing.robot_table import RobotTable, recall_table
from .. import props
from ..active_robot import RobotOperator
from ..registration import add_property
from ..wrapped_text import draw_rest

MOST_LIMBS = 24


class SoloLimb(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.solo_limb"
    bl_label = "Show Limb Alone"
    bl_description = (
        "Show the bones of this limb alone, or together with other limbs that are "
        "pressed. Pressed again, all bones are back. Bodies stay in view"
    )

    limb: props.text("Limb", "The title of the limb among the chains of joints", kept=False)

    def run(self: Any, context: Any, robot: Any) -> None:
        chains = {chain.title: chain for chain in recall_table(robot).chains}
        if self.limb not in chains:
            raise RobotError(f"the robot has no limb '{self.limb}'")
        solo_limb(robot, chains[self.limb])


def draw_limbs(row: Any, body: Any, robot: Any, table: RobotTable) -> None:
    """Draws into a row a switch, and while that is on, into the body a button for each group of the
    robot's SRDF, else for each limb; nothing for a robot of one limb."""
    groups = [each for _, each in find_collections(robot)]
    if max(len(groups), len(table.chains)) < 2:
        return
    manager = bpy.context.window_manager
    row.prop(manager, "urdf_shows_limbs", text="", icon="GROUP_BONE")
    if not manager.urdf_shows_limbs:
        return
    grid = body.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    if len(groups) > 1:
        for each in groups[:MOST_LIMBS]:
            grid.prop(each, "is_solo", text=name_group(each), toggle=True)
        draw_rest(body, groups, MOST_LIMBS)
        return
    for chain in table.chains[:MOST_LIMBS]:
        pressed = bool(find_limb(robot, chain))
        button = grid.operator(SoloLimb.bl_idname, text=chain.title, depress=pressed)
        button.limb = chain.title
    draw_rest(body, table.chains, MOST_LIMBS)


def register() -> None:
    """Adds the switch; it is not kept in files."""
    shows = props.switch(
        "Bones of Limbs",
        "Buttons that show the bones of some limbs alone: groups of the SRDF, else chains",
        options={"SKIP_SAVE"},
    )
    add_property(bpy.types.WindowManager, "urdf_shows_limbs", shows)
