# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that would be faster than the person, or than their limits: they are held back.

Next to a pose in which two axes are in line a joint turns far for a small change of the limb: the
person's limb does not, and a jump in a motion is the worst that its readers can meet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...core.diagnostics import quote
from ...core.kinematics.many_frames import Places, turn_between
from ..motion.trajectory import Numbers
from .plan import LimbPlan, Match
from .solve import FrameSolver, State, Wish, unit

_SLACK = 0.05
"""Radians, or metres: a joint turns so much farther in a frame than the person's limb."""
_ROUNDS = 3
"""How often other joints make up for held ones, and may then be too fast themselves."""
_PULL = 0.3


def hold_back(
    plan: LimbPlan,
    solver: FrameSolver,
    tasks: Sequence[Wish],
    state: State,
    limbs: Mapping[int, Places],
) -> tuple[State, tuple[str, ...]]:
    """Returns the state in which no joint turns farther from frame to frame than the person's limb
    does, but for a little, and the joints that this keeps from their place. The others make up for
    them, as far as they can."""
    steps = _find_steps(plan, solver, limbs)
    first, free = state.positions, set(solver.active.tolist())
    for number in range(_ROUNDS + 1):
        positions = state.positions.copy()
        fast = np.flatnonzero((np.abs(np.diff(positions, axis=0)) > steps + 1e-9).any(axis=0))
        if not len(fast):
            break
        positions[:, fast] = hold(positions[:, fast], steps[:, fast])
        state, free = replace(state, positions=positions), free - set(fast.tolist())
        if number < _ROUNDS:
            others = FrameSolver(solver.machine, free, is_free=solver.is_free)
            state = others.solve(tasks, state, pull=_PULL)[0]
    away = np.abs(state.positions - first)
    late = [at for at in solver.active.tolist() if at not in free and away[:, at].max() > _SLACK]
    return state, tuple(
        f"joint {quote(plan.machine.names[at])} by up to {away[:, at].max():.2f} rad or m, in "
        f"{int((away[:, at] > _SLACK).sum())} frames"
        for at in sorted(late, key=lambda at: -away[:, at].max())
    )


def _find_steps(plan: LimbPlan, solver: FrameSolver, limbs: Mapping[int, Places]) -> Numbers:
    """Returns how far each joint may turn from each frame to the next, (m - 1, n): any way where a
    limb follows places, as its parts are not the person's."""
    steps = np.full((max(len(plan.scene.points) - 1, 0), len(plan.machine.names)), np.inf)
    steps[:, solver.active] = _measure_turns(plan, None)[:, None] + _SLACK
    for place, joints in limbs.items():
        match = plan.matches[place]
        steps[:, joints] = (
            np.inf if match.reaches else _measure_turns(plan, match)[:, None] + _SLACK
        )
    return steps


def _measure_turns(plan: LimbPlan, match: Match | None) -> Numbers:
    """Returns how far the parts of the person's limb and its end of the trunk, or the trunk alone,
    turn together from each frame to the next, (m - 1,): a joint between two parts turns by no
    more."""
    scene = plan.scene
    turns, ways = [scene.pelvis, scene.chest], list[tuple[int, int]]()
    if match is not None:
        limb = match.person
        turns = turns[:1] if limb.kind == "leg" else turns[1:]
        ways = [(limb.root, limb.middle), (limb.middle, limb.end)]
        if limb.tip >= 0 and limb.kind == "leg":
            turns.append(scene.turns[:, limb.end])
        elif limb.tip >= 0:
            ways.append((limb.end, limb.tip))
    angles = [np.linalg.norm(turn_between(turn[:-1], turn[1:]), axis=1) for turn in turns]
    for a, b in ways:
        along = unit(scene.points[:, b] - scene.points[:, a])
        angles.append(np.arccos(np.clip((along[:-1] * along[1:]).sum(axis=1), -1.0, 1.0)))
    together: Numbers = np.sum(angles, axis=0)
    return together


def hold(values: Numbers, steps: Numbers) -> Numbers:
    """Returns values (m, n) that change by no more than steps (m - 1, n) from row to row: the
    middle of the two envelopes that rise and fall no faster, which lags nothing and stays between
    the least and the greatest value."""
    slopes = np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)])

    def wrap(values: Numbers) -> Numbers:
        """The least envelope above, of slopes no steeper: from the left and from the right."""
        after: Numbers = np.maximum.accumulate(values + slopes) - slopes
        before: Numbers = np.maximum.accumulate((values - slopes)[::-1])[::-1] + slopes
        return np.maximum(after, before)

    above, below = wrap(values), wrap(-values)
    return (above - below) / 2.0
