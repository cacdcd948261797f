# SPDX-License-Identifier: GPL-3.0-or-later
"""Several answers to one question: found, shown as ghosts, and then chosen."""

from typing import Any

import bpy

from ...urdf_importer.blender.ik.targets import IkWish
from ...urdf_importer.blender.ik.ways import find_ways, look_at_ways, take_way
from ...urdf_importer.command.summary import count
from .. import props
from ..active_robot import active_robot
from ..reports import refusing
from .ghosts import find_ghosts, hide_ghosts, show_ghosts
from .operators import RobotIK, read_question


class FindWays(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.find_ik"
    bl_label = "Solutions"
    bl_description = (
        "Find up to five poses in which the link is at the target, such as elbow up and elbow "
        "down, and show them as ghosts. Nothing moves until one is chosen"
    )
    bl_options = {"REGISTER"}

    @refusing("WARNING")
    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        asked = read_question(context)
        ways = find_ways(robot, IkWish(**asked))
        if not ways:
            hide_ghosts()
            self.report({"WARNING"}, "There is no solution: Move Hand to Target says why")
            return {"CANCELLED"}
        show_ghosts(robot, look_at_ways(robot, asked["link"], ways))
        found = count(len(ways), "solution")
        self.report({"INFO"}, f"{found}: choose by number")
        return {"FINISHED"}


class ChooseWay(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.choose_ik"
    bl_label = "Choose Solution"
    bl_description = "Move the joints to this pose, in which the link is at the target"

    number: props.integer("Number", "Which of the solutions, from 1 on", min=1, default=1)

    def execute(self: Any, context: Any) -> set[str]:
        robot = active_robot(context)
        ghosts = find_ghosts(robot)
        if ghosts is None or self.number > len(ghosts.ways.positions):
            self.report({"WARNING"}, "Find solutions first")
            return {"CANCELLED"}
        ghosts.chosen = self.number - 1
        key = context.window_manager.urdf_ik.key
        if not take_way(robot, ghosts.ways, ghosts.chosen, key=key):
            self.report({"WARNING"}, "The joints are set, but something else moves the rig")
        return {"FINISHED"}


class HideWays(RobotIK, bpy.types.Operator):
    bl_idname = "urdf.hide_ik"
    bl_label = "Hide Solutions"
    bl_description = "Take the ghosts of the other solutions away. The joints stay where they are"
    bl_options = {"REGISTER"}

    def execute(self, context: Any) -> set[str]:
        hide_ghosts()
        return {"FINISHED"}


CLASSES = (FindWays, ChooseWay, HideWays)
