# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed loops of a rig in a scene: the joints that the rig moves by itself, and the positions of
the others.

A joint that drivers move has a leader, like a mimic joint. Loops that no driver closes are closed
by numbers, whenever this extension poses or keys the robot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...diagnostics import BuildError
from ...kinematics.forward import Position
from ...kinematics.loops import LoopCloser, LoopResult, find_freedom
from ...model import Robot
from ..extract.robot import extract_robot
from ..memory import recall
from . import properties
from .joints import joints_of
from .record import find_record


@dataclass(frozen=True, kw_only=True, eq=False)
class RigLoops:
    """`driven` are the joints that the rig itself moves; `robot` the description."""

    robot: Robot
    driven: frozenset[str]
    closer: LoopCloser

    @cached_property
    def open_closer(self) -> LoopCloser:
        """The closer of the linkages that have followers which the rig does not move."""
        solvers = self.closer.solvers
        return self.closer.select(each for each in solvers if set(each.followers) - self.driven)

    @cached_property
    def solved(self) -> frozenset[str]:
        """The followers that numbers must move."""
        found = {name for each in self.open_closer.solvers for name in each.followers}
        return frozenset(found - self.driven)

    @cached_property
    def led(self) -> frozenset[str]:
        """The followers that the rig moves by its loops."""
        found = {name for each in self.closer.solvers for name in each.followers}
        return frozenset(found & self.driven)

    @cached_property
    def asked(self) -> frozenset[str]:
        """All joints of linkages that numbers close."""
        solvers = self.open_closer.solvers
        return frozenset(name for each in solvers for name in (*each.followers, *each.free))

    def close(self, asked: Mapping[str, Position], before: Mapping[str, Position]) -> LoopResult:
        """Closes the loops that the rig leaves open, traced from the pose before; from zero where
        that fails.
        """
        found = self.open_closer.close(asked, start=before)
        if not found.reached:
            other = self.open_closer.close(asked, start={})
            found = other if other.reached else found
        return found

    def measure_rise(
        self, shown: Mapping[str, float], follower: str, leader: str, step: float
    ) -> float:
        """Measures how far a follower goes against a free joint, about a pose given by positions of
        joints of one number; the other free joints stay. It is done over a `step` either way."""
        solvers = [each for each in self.closer.solvers if follower in each.followers]
        asked = {name: shown[name] for each in solvers for name in each.free if name in shown}
        if leader not in asked:
            return 0.0
        closer = self.closer.select(solvers)
        ends = [
            closer.close(asked | {leader: asked[leader] + change}).positions[follower]
            for change in (step, -step)
        ]
        there, here = (each if isinstance(each, float) else 0.0 for each in ends)
        return (there - here) / (2.0 * step)

    def let_lead(self, joint: str) -> LoopCloser:
        """Returns the closer of the linkage of a joint that numbers move, with that joint free if
        it can be, and joints that the rig moves following."""
        if joint not in self._led_by:
            self._led_by[joint] = self._plan_lead(joint)
        return self._led_by[joint]

    @cached_property
    def _led_by(self) -> dict[str, LoopCloser]:
        return {}

    def _plan_lead(self, joint: str) -> LoopCloser:
        closer = self.open_closer
        if joint not in closer.freedom.free:
            freedom = find_freedom(closer.tree, actuated=[joint])
            other = LoopCloser(closer.tree, freedom)
            closer = closer if self.driven & set(freedom.free) else other
        return closer.select(
            each for each in closer.solvers if joint in (*each.free, *each.followers)
        )


def find_loops(armature: Any) -> RigLoops | None:
    """Finds the loops of a rig; None where it has none, or was imported without closing them."""
    if not len(armature.get(properties.ROBOT, {}).get("loops", ())):
        return None
    return recall(armature, "loops", _read_loops)


def _read_loops(armature: Any) -> RigLoops | None:
    if not closes_loops(armature):
        return None
    robot = extract_robot(armature)
    closer = LoopCloser(robot)
    if not closer.solvers:
        return None
    driven = frozenset(joint.name for joint in joints_of(armature) if joint.mimics)
    return RigLoops(robot=robot, driven=driven, closer=closer)


def closes_loops(armature: Any) -> bool:
    """Whether the import of a rig was asked to close loops; True where it is not recorded."""
    try:
        options = find_record(armature).options
    except BuildError:
        return True
    return options.close_loops and options.profile == "native"
