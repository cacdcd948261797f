# SPDX-License-Identifier: GPL-3.0-or-later
"""The path of a plan as lines to be drawn."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mathutils
import numpy as np

from ....core.blender.standing.pose import get_joint_positions
from ....core.geometry.transforms import Matrix, Vector
from ...ik.blender.solve import recall_rig, suggest_link
from ...ik.problem import recall_robot
from ..model import Plan, Waypoint
from ..programs import sort_programs
from .objects import get_waypoints

_STEP = 0.02
_MOST = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """Points in the frame of the armature; `dashed` where joints move, and the tool is not led;
    `touches` where links touch."""

    points: tuple[mathutils.Vector, ...]
    dashed: bool
    touches: bool


def trace_path_of(armature: Any, plan: Plan) -> tuple[Stroke, ...]:
    """Returns the path of a rig's tools; of an impossible motion, dashed lines between the
    waypoints."""
    points = get_waypoints(armature)
    strokes: list[Stroke] = []
    for numbers in sort_programs(points).values():
        own = [points[each] for each in numbers]
        if plan.trajectory is None:
            strokes.append(_join(own))
            continue
        strokes += _trace(armature, plan, own, set(numbers))
    return tuple(strokes)


def _join(points: Sequence[Waypoint]) -> Stroke:
    places = [np.asarray(each.pose)[:3, 3] for each in points]
    dense = [
        one + share * (other - one)
        for one, other in itertools.pairwise(places)
        for share in np.linspace(0.0, 1.0, 20)
    ]
    return Stroke(points=_vectors(np.array(dense)), dashed=True, touches=False)


def _trace(
    armature: Any, plan: Plan, points: Sequence[Waypoint], numbers: set[int]
) -> list[Stroke]:
    assert plan.trajectory is not None
    rig, motion = recall_rig(armature), plan.trajectory
    link = next((each.link for each in points if each.link), "") or suggest_link(armature)
    known = recall_robot(rig.robot)
    shown = {k: v for k, v in get_joint_positions(armature).items() if k in rig.motions}
    chain = known.chain(known.tree.links[0].name, link, np.eye(4), motion.names, shown)
    columns = [motion.names.index(each.joint) for each in chain.variables]
    strokes = []
    for move in plan.moves:
        if move.waypoint not in numbers or move.end <= move.start:
            continue
        count = int(min(max((move.end - move.start) / _STEP, 2), _MOST))
        times = np.linspace(move.start, move.end, count + 1)
        values = _evaluate(motion, times)[:, columns]
        places: Matrix = (chain.find_frames(values)[-1] @ chain.last)[:, :3, 3]
        touching = _find_touching(plan, times)
        for first, last in _runs(touching):
            strokes.append(
                Stroke(
                    points=_vectors(places[first : last + 1]), dashed=move.move == "joint",
                    touches=bool(touching[first]),
                )
            )  # fmt: skip
    return strokes


def _evaluate(motion: Any, at: Vector) -> Matrix:
    """Returns positions (m, n); lines between samples are near enough for the eye."""
    columns = [np.interp(at, motion.times, column) for column in motion.positions.T]
    return np.stack(columns, axis=1)


def _find_touching(plan: Plan, times: Vector) -> Any:
    found = np.zeros(len(times), dtype=bool)
    for each in plan.contacts:
        found |= (times >= each.start - _STEP) & (times <= each.end + _STEP)
    return found


def _runs(flags: Any) -> list[tuple[int, int]]:
    """Returns the first and the last place of each run of equal flags; the next begins there."""
    edges = [0, *(np.flatnonzero(np.diff(flags.astype(int))) + 1).tolist(), len(flags) - 1]
    return [(a, b) for a, b in itertools.pairwise(edges) if b > a]


def _vectors(places: Matrix) -> tuple[mathutils.Vector, ...]:
    return tuple(mathutils.Vector(each.tolist()) for each in places)
