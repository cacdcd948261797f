# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that close loops: in Webots, joints whose endPoint is a SolidReference.

    revolute, continuous   HingeJoint
    prismatic              SliderJoint
    ball, spherical        BallJoint
    fixed                  SliderJoint with stops that leave it no room

Webots takes such a joint in the pose of the two Solids when the simulation starts, so they start
where the loop is closed. A joint that a loop moves has no motor: it would hold its joint against
the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .....core.diagnostics import Diagnostics, quote
from .....core.geometry.transforms import Matrix, Vector, matrix_from_pose, rotations_about
from .....core.kinematics.forward import place_links
from .....core.kinematics.loops import LoopFreedom, close_loops, find_freedom
from .....core.kinematics.loops.gap import find_axis, frame_between, measure_gap
from .....core.kinematics.tree import KinematicTree
from .....core.model import LoopJoint
from ..names import report_on
from ..options import WebotsOptions
from .frames import vector_of
from .joints import STOP_MARGIN, hard_stops, shift_range
from .links import AxisPlan, HeldLink, JointKind, JointNodePlan, LoopPlan, Range, SolidPlan
from .start import Start

_KINDS: dict[str, JointKind] = {
    "revolute": "HingeJoint",
    "continuous": "HingeJoint",
    "prismatic": "SliderJoint",
    "fixed": "SliderJoint",
    "ball": "BallJoint",
    "spherical": "BallJoint",
}
_APART = 1e-4
"""Metres and radians: a gap wider than this at the start is not closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStart:
    """`start` are the positions of all moving joints with the loops closed, `passive` the joints
    that loops move and nothing else."""

    start: Start
    passive: frozenset[str] = frozenset()


def close_start(tree: KinematicTree, start: Start, diagnostics: Diagnostics) -> LoopStart:
    """Closes the loops at the positions of a start, and reports free joints that cannot have their
    start positions."""
    if not tree.robot.loops:
        return LoopStart(start=start)
    freedom = find_freedom(tree)
    closed = close_loops(tree, start, freedom=freedom)
    for motion in tree.joint_motions:
        name = motion.joint.name
        if name in closed.missed:
            finding = f"is held back by its loop; it starts at {closed.positions[name]:g}"
            report_on(motion.joint, "webots-start-position", finding, diagnostics)
    return LoopStart(
        start={**start, **closed.positions}, passive=frozenset(_find_passive(tree, freedom))
    )


def _find_passive(tree: KinematicTree, freedom: LoopFreedom) -> Iterator[str]:
    """Yields followers that no transmission or controller drives and that mimic nothing."""
    driven = {joint.name for each in tree.robot.transmissions for joint in each.joints}
    driven |= {each.joint for each in tree.robot.controls if each.command_interfaces}
    coupled = {*tree.masters, *(mimic.joint for mimic in tree.masters.values())}
    return (name for name in freedom.followers if name not in driven | coupled)


class _End(NamedTuple):
    """A Solid, and the joint's frame (4, 4) in it."""

    solid: SolidPlan
    frame: Matrix


class LoopPlanner:
    """Plans the joints that close loops. `holders` says link -> the Solid that holds it, and how;
    `start` are the positions of all joints when the simulation starts."""

    def __init__(
        self,
        tree: KinematicTree,
        holders: dict[str, tuple[SolidPlan, HeldLink]],
        start: Start,
        options: WebotsOptions,
        diagnostics: Diagnostics,
    ) -> None:
        self._tree = tree
        self._holders = holders
        self._options = options
        self._diagnostics = diagnostics
        self._places = place_links(tree, start) if tree.robot.loops else {}

    def plan(self) -> Iterator[LoopPlan]:
        for loop in self._tree.robot.loops:
            fault = self._find_fault(loop)
            if fault:
                self._leave_open(loop, fault)
                continue
            one, other = self._end(loop.link1, loop), self._end(loop.link2, loop)
            if one is not None and other is not None and _binds(one, other):
                # A name that the user may change, or a Solid fixed in the world, is above.
                turned = other.solid.above is None or (other.solid.static and not one.solid.static)
                yield self._plan_loop(loop, *((other, one) if turned else (one, other)), turned)

    def _end(self, link: str, loop: LoopJoint) -> _End | None:
        found = self._holders.get(link)
        if found is None:
            self._leave_open(loop, f"link {quote(link)} is not exported")
            return None
        origin = loop.origin1 if link == loop.link1 else loop.origin2
        return _End(found[0], found[1].pose @ matrix_from_pose(origin))

    def _find_fault(self, loop: LoopJoint) -> str:
        for link in (loop.link1, loop.link2):
            if link not in self._places:
                return f"link {quote(link)} is not there"
        if loop.type not in _KINDS:
            return f"Webots has no joint of the type {quote(loop.type)}"
        if loop.type in ("revolute", "continuous", "prismatic") and find_axis(loop) is None:
            return "it has an axis of length zero"
        gap = measure_gap(loop, self._between(loop))
        return "" if gap < _APART else "its links do not meet where the robot starts"

    def _between(self, loop: LoopJoint) -> Matrix:
        return frame_between(loop, self._places[loop.link1], self._places[loop.link2])

    def _plan_loop(self, loop: LoopJoint, above: _End, below: _End, turned: bool) -> LoopPlan:
        kind = _KINDS[loop.type]
        options, dynamics = self._options, loop.dynamics
        axis = AxisPlan(
            joint=loop.name,
            turns=kind != "SliderJoint",
            axis=vector_of(above.frame[:3, :3] @ _axis_of(loop)),
            damping=abs((dynamics and dynamics.damping) or 0.0) * options.damping_scale,
            friction=abs((dynamics and dynamics.friction) or 0.0) * options.friction_scale,
        )
        axis.stops = self._find_stops(loop, axis, turned)
        anchor = vector_of(above.frame[:3, 3])
        joint = JointNodePlan(kind=kind, name=loop.name, axes=[axis], anchor=anchor)
        return LoopPlan(above=above.solid, joint=joint, below=below.solid)

    def _find_stops(self, loop: LoopJoint, axis: AxisPlan, turned: bool) -> Range | None:
        """Returns the stops, counted from where the joint starts, as Webots does here."""
        if loop.type == "fixed":
            self._warn_of_fixed(loop)
            return -STOP_MARGIN, STOP_MARGIN
        if loop.type not in ("revolute", "prismatic") or loop.limit is None:
            return None
        bounds = shift_range(loop.limit, self._position(loop))
        if turned and bounds is not None:
            bounds = -bounds[1], -bounds[0]
        return hard_stops(bounds, axis)

    def _position(self, loop: LoopJoint) -> float:
        """Returns the position of a loop's joint at the start, in the description's terms."""
        axis, between = _axis_of(loop), self._between(loop)
        if loop.type == "prismatic":
            return float(axis @ between[:3, 3])
        return _angle_about(axis, between[:3, :3])

    def _warn_of_fixed(self, loop: LoopJoint) -> None:
        finding = (
            "closes a loop and is fixed, a joint that Webots does not have; it becomes a slider "
            f"with stops {STOP_MARGIN:g} m from its position"
        )
        report_on(loop, "webots-fixed-loop", finding, self._diagnostics)

    def _leave_open(self, loop: LoopJoint, fault: str) -> None:
        finding = (
            f"closes a loop between links {quote(loop.link1)} and {quote(loop.link2)}; the loop "
            f"is left open for Webots: {fault}"
        )
        report_on(loop, "loop-left-open", finding, self._diagnostics)


def _binds(one: _End, other: _End) -> bool:
    """Whether a joint between two ends does anything: neither in one body nor in the world."""
    return one.solid is not other.solid and not (one.solid.static and other.solid.static)


def _axis_of(loop: LoopJoint) -> Vector:
    """Returns the axis (3,) of a loop; an arbitrary one if it has none."""
    axis = find_axis(loop)
    return np.array([1.0, 0.0, 0.0]) if axis is None else axis


def _angle_about(axis: Vector, turn: Matrix) -> float:
    """Returns the angle of a rotation (3, 3) about an axis (3,), in -pi to pi."""
    quarter = rotations_about(axis[None], np.array([np.pi / 2]))[0]
    sine = float(np.trace(quarter.T @ turn) - 1.0) / 2.0
    cosine = float(np.trace(turn) - 1.0) / 2.0
    return float(np.arctan2(sine, cosine))
