# SPDX-License-Identifier: GPL-3.0-or-later
"""The links that planners can skip, found and kept in the robot's SRDF."""

from collections import Counter
from typing import Any

import bpy

from ...urdf_importer import CollisionPair, RobotError, apply_srdf, extract_semantics
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.collisions.disabled_pairs import collision_steps, replace_disabled
from .. import props
from ..active_robot import RobotOperator, active_robot
from ..stepping import SteppedOperator, Steps


class FindDisabledCollisions(SteppedOperator, RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.find_disabled_collisions"
    bl_label = "Find Disabled Collisions"
    bl_description = (
        "Find the pairs of links that a planner can skip, by poses drawn at random: "
        "adjacent links, and links that touch at zero, always or never. They go into the robot's "
        "SRDF; pairs that you disabled for other reasons stay"
    )

    samples: props.integer(
        "Poses", "How many poses are tried", default=10_000, min=0, max=10_000_000
    )
    seed: props.integer("Seed", "The same number draws the same poses", min=0)

    steps_title = "Looking for collisions"
    cancelled_text = "Cancelled; the robot's SRDF is unchanged"

    def begin_steps(self, context: Any) -> Steps:
        robot: Any = active_robot(context)
        self._robot = robot.name
        return collision_steps(robot, self.samples, self.seed)

    def keep_result(self, context: Any, result: tuple[CollisionPair, ...]) -> set[str]:
        robot = context.scene.objects.get(self._robot)
        if robot is None:
            raise RobotError("the robot was deleted")
        apply_srdf(robot, replace_disabled(extract_semantics(robot), result))
        counts = Counter(pair.reason for pair in result)
        said = ", ".join(f"{number} {reason}" for reason, number in counts.items())
        sentence = f"{count(len(result), 'pair')} disabled: {said}" if result else "No pairs"
        self.report({"INFO"}, sentence)
        return {"FINISHED"}
