# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot that is driven by hand: shown at once, keyed when the ride is over."""

from typing import Any

import numpy as np

from ....core.arguments import options_of, rig_of
from ....core.blender.curves import frame_rate
from ....core.blender.standing.armatures import armatures_of
from ....core.diagnostics import KinematicsError
from ....core.geometry.transforms import Matrix, Vector
from ....core.kinematics.drive import DriveOptions, wheel_speeds
from ...motion.baked import BakeResult
from .bake import plan_times
from .driven import DrivenNumber, DrivenRobot, drive_number, find_driven, key_courses

_STILL = (0.0, 0.0, 0.0)


class Steering:
    """The ride of a robot from a frame on, by speeds that are given as time goes by.

    Its wheels are found as for bake_drive and roll; without wheels it glides, and rises and sinks
    where its base can. Between two commands it goes as bake_drive has it, and the keys are the same
    too. Raises KinematicsError for wrong options and for an object that cannot be keyed, BuildError
    for an object that is not an imported robot.
    """

    def __init__(
        self, armature: Any, *, start_frame: int = 1, options: DriveOptions | None = None
    ) -> None:
        self._start = start_frame
        self._driven = find_driven(rig_of(armature), options_of(options, DriveOptions), glides=True)
        self._commands = [(0.0, *_STILL)]
        courses = self._find_courses(self._end_at(1.0))
        self._before = [(each, getattr(each.owner, each.prop)[each.index]) for each in courses]

    @property
    def rolls(self) -> bool:
        """Whether the robot has wheels that drive it."""
        return self._driven.wheels is not None

    @property
    def rises(self) -> bool:
        """Whether it goes up and down, too."""
        return not self.rolls and self._driven.base.height is not None

    @property
    def moves(self) -> bool:
        """Whether a speed was ever given."""
        return any(row[1:] != _STILL for row in self._commands)

    def command(self, time: float, ahead: float, turn: float, up: float = 0.0) -> None:
        """Sets the speeds from a time on, in seconds from the start: m/s ahead and up, rad/s to the
        left. Times do not run back."""
        speeds = (ahead, turn, up if self.rises else 0.0)
        last, *held = self._commands[-1]
        if speeds == tuple(held):
            return
        if time <= last:
            self._commands.pop()
        self._commands.append((max(time, last), *speeds))

    def show(self, time: float) -> None:
        """Puts the robot where it is at a time, without keys."""
        rows = self._end_at(max(time, self._commands[-1][0]) + 1.0)
        self.put_back()  # A ride continues from the numbers that are there.
        for each in self._find_courses(rows, np.array([time])):
            getattr(each.owner, each.prop)[each.index] = each.values[-1]
        self._tag()

    def put_back(self) -> None:
        """Puts the robot where it was."""
        for each, number in self._before:
            getattr(each.owner, each.prop)[each.index] = number
        self._tag()

    def bake(self, time: float) -> BakeResult:
        """Keys the ride in every frame, until the robot stopped for the last time, or until now.
        Raises KinematicsError where it never moved."""
        self.put_back()
        if not self.moves:
            raise KinematicsError("the robot was not driven: there is nothing to key")
        rows = self._commands
        stopped = rows[-1][1:] == _STILL
        rows_here = np.array(rows) if stopped else self._end_at(max(time, rows[-1][0] + 1e-3))
        times = plan_times(rows_here, frame_rate())
        courses = list(self._find_courses(rows_here, times))
        positions = key_courses(courses, self._start)
        last = self._start + len(times) - 1
        return BakeResult(first=self._start, last=last, positions=positions)

    def _end_at(self, time: float) -> Matrix:
        return np.array([*self._commands, (time, *_STILL)])

    def _find_courses(self, rows: Matrix, times: Vector | None = None) -> list[DrivenNumber]:
        """The numbers that move, at `times`, or at the start."""
        times = rows[:1, 0] if times is None else times
        ride = self._driven.plan(
            wheel_speeds(rows[:, :3], **self._driven.sizes), times, self._start
        )
        found = list(self._driven.find_courses(ride, self._start))
        return [*found, self._rise(rows, times)] if self.rises else found

    def _rise(self, rows: Matrix, times: Vector) -> DrivenNumber:
        base: Any = self._driven.base
        climbed = np.concatenate([[0.0], np.cumsum(rows[:-1, 3] * np.diff(rows[:, 0]))])
        way = base.scale * np.interp(times, rows[:, 0], climbed)
        return drive_number(base.owner, base.height, self._start, way)

    def _tag(self) -> None:
        driven: DrivenRobot = self._driven
        for each in [driven.base.owner.id_data, *armatures_of(driven.armature)]:
            each.update_tag()
