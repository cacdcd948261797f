# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints on joints and bodies besides the tree: mimic joints, loops, pairs that do not touch.

MuJoCo's equalities pull with a force: they hold to a fraction of a millimetre, not exactly.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import Matrix, matrix_from_pose
from ....core.kinematics.loops.gap import find_axis
from ....core.model import BALL_TYPES, LoopJoint, Semantics
from ....core.names import Claims
from .plan import PlannedElement, StructurePlan
from .sensors import Mount

_HINGES = ("revolute", "continuous")
_SPAN = 0.1
"""Metres along a hinge between the two points that hold it."""


def plan_mimics(plan: StructurePlan) -> Iterator[PlannedElement]:
    """Yields the couplings of followers to the joints they follow, and the constraints on joints
    without a way."""
    names = {name: joints[0].name for name, joints in plan.joints.items()}
    for joint in plan.all_joints():
        mimic = joint.of.mimic if joint.of is not None else None
        if mimic is not None:
            ends = {"joint1": joint.name, "joint2": names[mimic.joint]}
            polynomial = [mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0]
            yield PlannedElement("joint", {**ends, "polycoef": polynomial})
        elif joint.held is not None:
            polynomial = [joint.held, 0.0, 0.0, 0.0, 0.0]
            yield PlannedElement("joint", {"joint1": joint.name, "polycoef": polynomial})


def plan_loops(
    plan: StructurePlan, sites: Claims, diagnostics: Diagnostics
) -> tuple[list[Mount], list[PlannedElement]]:
    """Plans the sites at which loops are closed, and their constraints: a ball by a point, a hinge
    by two points of its axis, a fixed joint by a weld. Others are left open, with an error."""
    planner = _LoopPlanner(plan, sites, diagnostics)
    for loop in plan.tree.robot.loops:
        planner.close(loop)
    return planner.mounts, planner.equalities


class _LoopPlanner:
    def __init__(self, plan: StructurePlan, sites: Claims, diagnostics: Diagnostics) -> None:
        self._bodies = plan.body_names
        self._sites = sites
        self._diagnostics = diagnostics
        self._names = Claims()
        self.mounts: list[Mount] = []
        self.equalities: list[PlannedElement] = []

    def close(self, loop: LoopJoint) -> None:
        if not {loop.link1, loop.link2} <= self._bodies.keys():
            missing = loop.link2 if loop.link1 in self._bodies else loop.link1
            self._leave_open(loop, f"names link {quote(missing)}, which does not exist")
        elif loop.type == "fixed":
            self._join(loop, "weld", np.zeros(3))
        elif loop.type in BALL_TYPES:
            self._join(loop, "connect", np.zeros(3))
        elif loop.type in _HINGES:
            axis = find_axis(loop)
            if axis is None:
                self._leave_open(loop, "has an axis of length zero")
                return
            self._join(loop, "connect", np.zeros(3))
            self._join(loop, "connect", _SPAN * axis)
            self._note(loop)
        elif loop.type != "floating":
            self._leave_open(loop, f"has the type {quote(loop.type)}, which no equality can hold")

    def _join(self, loop: LoopJoint, tag: str, shift: Matrix) -> None:
        name = self._names.claim(loop.name)
        ends = []
        for number, link, origin in ((1, loop.link1, loop.origin1), (2, loop.link2, loop.origin2)):
            frame = matrix_from_pose(origin)
            frame[:3, 3] += frame[:3, :3] @ shift
            site = self._sites.claim(f"{name}_{number}")
            self.mounts.append(Mount(link, "site", site, frame))
            ends.append(site)
        self.equalities.append(
            PlannedElement(tag, {"name": name, "site1": ends[0], "site2": ends[1]})
        )

    def _note(self, loop: LoopJoint) -> None:
        limit, dynamics = loop.limit, loop.dynamics
        bounded = limit is not None and loop.type == "revolute" and (limit.lower or limit.upper)
        damped = dynamics is not None and (dynamics.damping or dynamics.friction)
        if bounded or damped:
            self._diagnostics.warning(
                "mjcf-loop-changed",
                f"joint {quote(loop.name)}, which closes a loop, has neither limits nor friction "
                "in MuJoCo",
                subject=loop.name,
                line=loop.line,
            )

    def _leave_open(self, loop: LoopJoint, finding: str) -> None:
        self._diagnostics.error(
            "mjcf-loop-open",
            f"joint {quote(loop.name)}, which closes a loop, {finding}; the loop is left open",
            subject=loop.name,
            line=loop.line,
        )


def list_excluded(
    plan: StructurePlan, semantics: Semantics | None, neighbours: Iterable[tuple[str, str]]
) -> list[PlannedElement]:
    """Lists the pairs of bodies that an SRDF says need no check, then the `neighbours` that it does
    not want checked, each once."""
    names = plan.body_names
    pairs = [*(semantics.disabled_collisions if semantics is not None else ())]
    enabled = {
        frozenset((names.get(pair.link1, ""), names.get(pair.link2, "")))
        for pair in (semantics.enabled_collisions if semantics is not None else ())
    }
    found: dict[frozenset[str], tuple[str, str]] = {}
    described = [
        (names[pair.link1], names[pair.link2])
        for pair in pairs
        if {pair.link1, pair.link2} <= names.keys()
    ]
    for one, other in (*described, *neighbours):
        key = frozenset((one, other))
        if len(key) == 2 and key not in enabled:
            found.setdefault(key, (one, other))
    return [exclude(*pair) for pair in found.values()]


def exclude(one: str, other: str) -> PlannedElement:
    """Returns the element that lets two bodies pass each other."""
    return PlannedElement("exclude", {"body1": one, "body2": other})
