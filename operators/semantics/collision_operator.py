# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Disabled Collisions: with progress in the status bar; Esc ends it and changes nothing."""

import time
from collections import Counter
from collections.abc import Generator
from typing import Any

import bpy

from ...urdf_importer import CollisionPair, Progress, RobotError, apply_srdf, extract_semantics
from ...urdf_importer.command.summary import count
from ...urdf_importer.pipeline.collisions import collision_steps, replace_disabled
from ..active_robot import RobotOperator, active_robot
from ..importing.run_import import ProgressBar
from ..reports import refuse

Steps = Generator[Progress, None, tuple[CollisionPair, ...]]

_SLICE, _PAUSE = 0.1, 0.01


class FindDisabledCollisions(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.find_disabled_collisions"
    bl_label = "Find Disabled Collisions"
    bl_description = (
        "Find the pairs of links that a planner need not look at, by poses drawn "
        "at random: adjacent links, and links that touch at zero, always or "
        "never. They go into the robot's SRDF; pairs that you disabled for other "
        "reasons stay"
    )

    samples: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Poses", description="How many poses are tried", default=10_000, min=0, max=10_000_000
    )
    seed: bpy.props.IntProperty(  # type: ignore[valid-type]
        name="Seed", description="The same number draws the same poses", min=0
    )

    _steps: Steps | None = None
    _timer: Any = None
    _bar: ProgressBar | None = None
    _robot = ""

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        robot: Any = active_robot(context)
        self._steps = collision_steps(robot, self.samples, self.seed)
        self._robot = robot.name
        self._timer = context.window_manager.event_timer_add(_PAUSE, window=context.window)
        self._bar = ProgressBar("Looking for collisions")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Takes all events: the robot cannot be changed meanwhile."""
        if event.type == "ESC" and event.value == "PRESS":
            self._stop(context)
            self.report({"INFO"}, "Cancelled; the robot's SRDF is unchanged")
            return {"CANCELLED"}
        if event.type != "TIMER" or self._steps is None:
            return {"RUNNING_MODAL"}
        end = time.monotonic() + _SLICE
        try:
            while time.monotonic() < end:
                done = next(self._steps)
        except StopIteration as finished:
            self._stop(context)
            return self._keep(context.scene.objects.get(self._robot), finished.value)
        except RobotError as error:
            self._stop(context)
            return refuse(self, error)
        except BaseException:
            self._stop(context)
            raise
        if self._bar is not None:
            self._bar.show(done)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        self._stop(context)

    def execute(self, context: Any) -> set[str]:
        robot = active_robot(context)
        steps = collision_steps(robot, self.samples, self.seed)
        try:
            while True:
                next(steps)
        except StopIteration as finished:
            return self._keep(robot, finished.value)
        except RobotError as error:
            return refuse(self, error)

    def _stop(self, context: Any) -> None:
        if self._steps is not None:
            self._steps.close()
            context.window_manager.event_timer_remove(self._timer)
        if self._bar is not None:
            self._bar.remove()
        self._steps = self._bar = None

    def _keep(self, robot: Any, pairs: tuple[CollisionPair, ...]) -> set[str]:
        if robot is None:
            return refuse(self, RobotError("the robot is gone"))
        try:
            apply_srdf(robot, replace_disabled(extract_semantics(robot), pairs))
        except RobotError as error:
            return refuse(self, error)
        counts = Counter(pair.reason for pair in pairs)
        said = ", ".join(f"{number} {reason}" for reason, number in counts.items())
        sentence = f"{count(len(pairs), 'pair')} disabled: {said}" if pairs else "No pairs"
        self.report({"INFO"}, sentence)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((FindDisabledCollisions,))
