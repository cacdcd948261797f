# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute Inertia and Find Limits: with progress in the status bar; Esc changes nothing."""

from typing import Any

import bpy

from ...urdf_importer import InertiaOptions, RangeOptions, RobotError, update_robot
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.build.inertials import inertia_steps
from ...urdf_importer.features.build.ranges import range_steps
from ..active_robot import RobotOperator, active_robot, wait_cursor
from ..option_properties import add_option_properties, read_options
from ..reports import report_diagnostics
from ..stepping import SteppedOperator, Steps


class _Computing(SteppedOperator, RobotOperator):
    """Base of both: the robot of the result is put into the scene."""

    cancelled_text = "Cancelled; the robot is as before"

    def begin(self, robot: Any) -> Steps:
        raise NotImplementedError

    def describe(self, result: Any) -> str:
        raise NotImplementedError

    def begin_steps(self: Any, context: Any) -> Steps:
        robot: Any = active_robot(context)
        self._robot = robot.name
        return self.begin(robot)  # type: ignore[no-any-return]

    def keep_result(self: Any, context: Any, result: Any) -> set[str]:
        robot = context.scene.objects.get(self._robot)
        if robot is None:
            raise RobotError("the robot was deleted")
        with wait_cursor(context):
            made = update_robot(robot, robot=result.robot)
        found = (*result.diagnostics, *made.diagnostics)
        report_diagnostics(self, robot.name, found, "build")
        self.report({"INFO"}, self.describe(result))
        return {"FINISHED"} if made.changes else {"CANCELLED"}


class ComputeInertia(_Computing, bpy.types.Operator):
    bl_idname = "urdf.compute_inertials"
    bl_label = "Compute Inertia"
    bl_description = (
        "Compute masses and inertias of the links from their shapes and a density, or from the "
        "mass of the whole robot. Esc ends it and changes nothing"
    )
    steps_title = "Computing inertia"

    def begin(self: Any, robot: Any) -> Steps:
        return inertia_steps(robot, read_options(self, InertiaOptions))

    def describe(self, result: Any) -> str:
        if not result.bodies:
            return "No link without mass has shapes"
        masses = (each.inertial for each in result.robot.links if each.name in result.bodies)
        total = sum(each.mass or 0.0 for each in masses if each is not None)
        return f"{count(len(result.bodies), 'link')} weighed: {total:.4g} kg"


class FindLimits(_Computing, bpy.types.Operator):
    bl_idname = "urdf.find_ranges"
    bl_label = "Find Limits"
    bl_description = (
        "Find how far each joint can move from the shown pose before links touch that do not touch "
        "there, and make these its limits. Esc ends it and changes nothing"
    )
    steps_title = "Searching limits"

    def begin(self: Any, robot: Any) -> Steps:
        return range_steps(robot, read_options(self, RangeOptions))

    def describe(self, result: Any) -> str:
        found = [name for name, sides in result.ranges.items() if sides != (None, None)]
        free = len(result.ranges) - len(found)
        rest = f"; no contact for {count(free, 'joint')}" if free else ""
        return f"Limits of {count(len(found), 'joint')}{rest}"


add_option_properties(ComputeInertia, InertiaOptions)
add_option_properties(FindLimits, RangeOptions)
