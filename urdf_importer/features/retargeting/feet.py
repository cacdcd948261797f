# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand: when a person's feet do, and where a robot's feet stay then."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.geometry.transforms import rotation_from_rpy
from ...core.kinematics.many_frames import turn_between, turn_by
from ..motion.trajectory import Numbers
from .plan import LimbPlan, Match, Scene, Stand
from .solve import Flags, State, Wish
from .targets import foot_axes, turn_body

_LEG = 0.82
"""Metres of a leg for which the numbers below were tried."""
_BEGIN, _END = (0.25, 0.06), (0.5, 0.09)
"""A contact begins below such a speed and height, in m/s and metres above the lowest, and ends
above another."""
_SHORTEST, _GAP = 0.1, 0.07
"""Seconds of contacts that are dropped, and of gaps that are closed."""
_LEVEL = 0.05
"""Metres, of a leg as above: feet on less are on the ground."""
_STEEP = 0.6
"""The sine of the pitch from which on a standing foot is not laid flat."""
_PIN, _FLAT = 100.0 * 100.0, 6.0 * 6.0
"""Weights of standing feet. Tried: with 30 squared, feet creep by 3 mm where limits bind."""


def find_stands(plan: LimbPlan) -> tuple[Stand, ...]:
    """Finds when the person's feet stand, by the speeds and heights of the ankles."""
    found, rate = [], plan.rate
    for place, match in plan.legs:
        ankle = plan.scene.points[:, match.person.end]
        unit = match.robot.length / _LEG
        moved = np.gradient(ankle, axis=0) if len(ankle) > 1 else np.zeros((1, 3))
        speed = np.linalg.norm(moved, axis=1) * rate
        height = ankle[:, 2] - np.percentile(ankle[:, 2], 5)
        on = _hysteresis(speed / unit, height / unit)
        for first, last in _runs(on, round(_SHORTEST * rate), round(_GAP * rate)):
            found.append(Stand(limb=place, first=first, last=last))
    return tuple(found)


def _hysteresis(speed: Numbers, height: Numbers) -> Flags:
    begins = (speed < _BEGIN[0]) & (height < _BEGIN[1])
    ends = (speed > _END[0]) | (height > _END[1])
    on, found = False, np.zeros(len(speed), dtype=bool)
    for frame, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        on = begin or (on and not end)
        found[frame] = on
    return found


def _runs(on: Flags, shortest: int, gap: int) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    runs: list[tuple[int, int]] = []
    for first, after in edges.reshape(-1, 2).tolist():
        if runs and first - runs[-1][1] - 1 <= gap:
            runs[-1] = (runs[-1][0], after - 1)
        else:
            runs.append((first, after - 1))
    return [(first, last) for first, last in runs if last - first + 1 >= max(shortest, 2)]


def standing_frames(stands: Sequence[Stand], limb: int, count: int) -> Flags:
    on = np.zeros(count, dtype=bool)
    for stand in stands:
        if stand.limb == limb:
            on[stand.first : stand.last + 1] = True
    return on


def ground_scene(plan: LimbPlan) -> Scene:
    """Returns the scene with the lowest of the person's standing ankles as high as the robot's on
    the ground."""
    scene, stands, legs = plan.scene, plan.stands, plan.legs
    if not legs:
        return scene
    lowest = np.inf
    for place, match in legs:
        heights = scene.points[:, match.person.end, 2]
        on = standing_frames(stands, place, len(heights))
        lowest = min(lowest, float(np.percentile(heights[on] if on.any() else heights, 5)))
    rise = np.array([0.0, 0.0, plan.ground + legs[0][1].robot.height - lowest])
    return replace(scene, points=scene.points + rise, hips=scene.hips + rise, way=scene.way + rise)


def pin_feet(plan: LimbPlan, solved: State) -> list[Wish]:
    """Returns the wishes for feet: in one place and level while they stand, and between as solved,
    moved from one place to the next evenly. Toes of someone who kneels stay, but are not laid
    flat."""
    tasks: list[Wish] = []
    machine, scene, ground = plan.machine, plan.scene, plan.ground
    pose = machine.pose(solved.positions, solved.base)
    count = len(solved.positions)
    for place, match in plan.legs:
        limb = match.robot
        own = [stand for stand in plan.stands if stand.limb == place]
        if not own:
            continue
        ankle = pose.locate(limb.lower, limb.wrist)
        shift, knots = [], []
        on = standing_frames(own, place, count)
        facing, flat = foot_axes(scene, match.person, on), on.copy()
        tilt: list[Numbers] = []
        for stand in own:
            rows = slice(stand.first, stand.last + 1)
            where = np.median(ankle[rows], axis=0)
            where[2] = ground + limb.height + _step_height(scene, match, stand, ground)
            level = _level(facing[rows])
            flat[rows] = abs(np.median(facing[rows, 2, 0])) < _STEEP
            for row in {stand.first, stand.last}:
                knots.append(row)
                shift.append(where - ankle[row])
                tilt.append(turn_between(facing[[row]], level[None])[0] * flat[row])
        target = ankle + _spread(knots, shift, count)
        turned = turn_by(_spread(knots, tilt, count)) @ facing
        for stand in own:
            target[stand.first : stand.last + 1] = target[stand.first]
            if flat[stand.first]:
                turned[stand.first : stand.last + 1] = turned[stand.first]
        size = (_LEG / limb.length) ** 2
        tasks.append(Wish(kind="reach", body=limb.lower, local=limb.wrist, target=target,
                          weight=_PIN * size, limb=place))  # fmt: skip
        if limb.is_flat:
            wanted = turn_body(plan, limb.hand, turned)
            tasks.append(Wish(kind="turn", body=limb.hand, target=wanted,
                              weight=np.where(flat, _FLAT, 1.0), limb=place))  # fmt: skip
    return tasks


def _spread(knots: Sequence[int], values: Sequence[Numbers], count: int) -> Numbers:
    """Returns values (count, 3) in all frames, evenly between the frames of knots."""
    order, frames = np.argsort(knots), np.arange(count)
    known, columns = np.array(knots)[order], np.array(values)[order].T
    return np.stack([np.interp(frames, known, column) for column in columns], axis=1)


def _step_height(scene: Scene, match: Match, stand: Stand, ground: float) -> float:
    """Returns how high above the ground the foot is there: zero below a threshold."""
    ankle = scene.points[stand.first : stand.last + 1, match.person.end, 2]
    above = float(np.median(ankle)) - ground - match.robot.height
    return above if above > _LEVEL * match.robot.length / _LEG else 0.0


def _level(facing: Numbers) -> Numbers:
    """Returns one level turn with the median heading, (3, 3): by the left, as feet on their toes
    may point backward."""
    left = np.median(facing[:, :, 1], axis=0)
    yaw = float(np.arctan2(-left[0], left[1]))
    return rotation_from_rpy((0.0, 0.0, yaw))


def measure_creep(plan: LimbPlan, state: State) -> float:
    """Returns the farthest that a standing foot comes from its median place, in metres."""
    pose, worst = plan.machine.pose(state.positions, state.base), 0.0
    for stand in plan.stands:
        limb = plan.matches[stand.limb].robot
        ankle = pose.locate(limb.lower, limb.wrist)
        worst = max(worst, measure_spread(ankle[stand.first : stand.last + 1]))
    return worst


def measure_spread(places: Numbers) -> float:
    """Returns the farthest of places (m, 3) from their median."""
    return float(np.linalg.norm(places - np.median(places, axis=0), axis=1).max())
