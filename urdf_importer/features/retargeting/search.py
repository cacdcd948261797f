# SPDX-License-Identifier: GPL-3.0-or-later
"""The way through all frames that does not jump: several solutions of some frames, the cheapest way
through them for each limb, and from there all frames."""

from collections.abc import Generator, Mapping, Sequence

import numpy as np

from ...core.kinematics.many_frames import BasePoses, Places, turn_between, turn_by
from ...core.progress import Progress
from ..motion.trajectory import Numbers
from .solve import FrameSolver, State, Wish, orthonormalize

_EVERY = 5
_CHANGE = 0.05
"""The cost of a change by one radian, squared, from one of these frames to the next."""
_SEED = 20


def solve_smoothly(
    solver: FrameSolver, tasks: Sequence[Wish], base: BasePoses, limbs: Mapping[int, Places]
) -> Generator[Progress, None, State]:
    """Returns, in steps, the state of all frames; `limbs` says which joints each limb has. The base
    starts as given."""
    count = len(base.origins)
    kept = np.unique(np.append(np.arange(0, count, _EVERY), count - 1))
    few = [task.rows(kept) for task in tasks]
    found, costs = [], []
    for number, start in enumerate(_starts(solver)):
        yield Progress(share=0.3 + 0.07 * number, text="poses")
        state = State(positions=np.tile(start, (len(kept), 1)), base=base.rows(kept))
        solved, cost = solver.solve(few, state, pull=1e-3)
        found.append(_wrap(solver, solved))
        costs.append(cost)
    yield Progress(share=0.6, text="all frames")
    chosen = _choose(solver, found, np.array(costs), few, limbs)
    return solver.solve(tasks, _spread(solver, chosen, kept, count))[0]


def _starts(solver: FrameSolver) -> list[Numbers]:
    """Zero, the middle, and two of chance: always the same."""
    machine = solver.machine
    lower, upper = np.maximum(machine.lower, -np.pi), np.minimum(machine.upper, np.pi)
    lower, upper = np.minimum(lower, machine.upper), np.maximum(upper, machine.lower)
    rest, random = machine.rest(), np.random.default_rng(_SEED)
    starts = [rest]
    for share in (0.5, random.random(len(rest)), random.random(len(rest))):
        start = rest.copy()
        start[solver.active] = (lower + share * (upper - lower))[solver.active]
        starts.append(start)
    return starts


def _wrap(solver: FrameSolver, state: State) -> State:
    """Takes whole turns out of joints that turn without end."""
    positions = state.positions.copy()
    endless = solver.machine.endless
    turns = np.round(positions[:, endless] / (2 * np.pi))
    positions[:, endless] -= 2 * np.pi * turns
    positions = np.clip(positions, solver.machine.lower, solver.machine.upper)
    return State(positions=positions, base=state.base)


def _choose(
    solver: FrameSolver,
    found: Sequence[State],
    costs: Numbers,
    tasks: Sequence[Wish],
    limbs: Mapping[int, Places],
) -> State:
    """Chooses for each limb by its own tasks, for the trunk by all."""
    positions = np.array([each.positions for each in found])
    own = {place for joints in limbs.values() for place in joints.tolist()}
    trunk = np.array([each for each in solver.active.tolist() if each not in own], dtype=np.intp)
    result = positions[0].copy()
    rows = np.arange(len(result))
    best = _cheapest(positions[:, :, trunk], costs.sum(axis=2), solver.machine.endless[trunk])
    result[:, trunk] = positions[best[:, None], rows[:, None], trunk]
    base = BasePoses(
        origins=np.array([each.base.origins for each in found])[best, rows],
        turns=np.array([each.base.turns for each in found])[best, rows],
    )
    for limb, joints in limbs.items():
        mine = np.array([task.limb == limb for task in tasks])
        cost = costs[:, :, mine].sum(axis=2)
        way = _cheapest(positions[:, :, joints], cost, solver.machine.endless[joints])
        result[:, joints] = positions[way[:, None], rows[:, None], joints]
    return State(positions=result, base=base)


def _cheapest(positions: Numbers, costs: Numbers, endless: Numbers) -> Places:
    """Returns which of the candidates (s, m, n) with costs (s, m) the cheapest way takes, (m,):
    dynamic programming."""
    count = costs.shape[1]
    total, back = costs[:, 0].copy(), np.zeros(costs.T.shape, dtype=np.intp)
    for row in range(1, count):
        change = positions[:, None, row - 1] - positions[None, :, row]
        turns = 2 * np.pi * np.round(change / (2 * np.pi)) * endless
        steps = _CHANGE * ((change - turns) ** 2).sum(axis=2)
        ways = total[:, None] + steps
        back[row] = ways.argmin(axis=0)
        total = ways.min(axis=0) + costs[:, row]
    way = np.empty(count, dtype=np.intp)
    way[-1] = total.argmin()
    for row in range(count - 1, 0, -1):
        way[row - 1] = back[row, way[row]]
    return way


def _spread(solver: FrameSolver, state: State, kept: Places, count: int) -> State:
    """Returns all frames from the frames of some."""
    machine = solver.machine
    positions = state.positions.copy()
    positions[:, machine.endless] = np.unwrap(positions[:, machine.endless], axis=0)
    frames = np.arange(count)
    columns = [np.interp(frames, kept, column) for column in positions.T]
    origins = [np.interp(frames, kept, column) for column in state.base.origins.T]
    before = np.clip(np.searchsorted(kept, frames, side="right") - 1, 0, max(len(kept) - 2, 0))
    after = np.minimum(before + 1, len(kept) - 1)
    share = (frames - kept[before]) / np.maximum(kept[after] - kept[before], 1)
    turns = state.base.turns
    between = turn_between(turns[before], turns[after]) * share[:, None]
    base = BasePoses(origins=np.stack(origins, axis=1), turns=turn_by(between) @ turns[before])
    spread = np.stack(columns, axis=1) if columns else np.empty((count, 0))
    return State(positions=np.clip(spread, machine.lower, machine.upper), base=base)


def smooth(state: State, frames: int) -> State:
    """Returns the state averaged over a Hann window that reaches so many frames to both sides: it
    lags nothing."""
    if frames < 1 or len(state.positions) < 3:
        return state
    frames = min(frames, len(state.positions) - 1)
    window = np.hanning(2 * frames + 3)[1:-1]
    window /= window.sum()

    def average(values: Numbers) -> Numbers:
        flat = values.reshape(len(values), -1)
        padded = np.pad(flat, ((frames, frames), (0, 0)), mode="reflect", reflect_type="odd")
        averaged = [np.convolve(column, window, "valid") for column in padded.T]
        return np.stack(averaged, axis=1).reshape(values.shape) if averaged else values

    base = BasePoses(
        origins=average(state.base.origins), turns=orthonormalize(average(state.base.turns))
    )
    return State(positions=average(state.positions), base=base)
