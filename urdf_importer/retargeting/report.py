# SPDX-License-Identifier: GPL-3.0-or-later
"""How well the limbs of a robot follow."""

from collections.abc import Sequence

import numpy as np

from ..motion.trajectory import Numbers
from .match import name_limb
from .options import LimbReport
from .plan import Plan
from .solve import State, Wish

_AT_LIMIT = 1e-4


def report_limbs(
    plan: Plan, tasks: Sequence[Wish], state: State, first: float
) -> tuple[LimbReport, ...]:
    """Returns the angles between the parts of each limb and the person's; hands and limbs that
    reach for places have none."""
    machine = plan.machine
    pose = machine.pose(state.positions, state.base)
    found = []
    for place, match in enumerate(plan.matches):
        angles: list[Numbers] = []
        for task in tasks:
            if task.limb == place and task.kind == "aim" and task.weight == 1.0:
                along = pose.turns[:, task.body] @ task.local
                cosine = (along * task.target).sum(axis=1)
                angles.append(np.arccos(np.clip(cosine, -1.0, 1.0)))
        if not angles:
            continue
        both = np.max(angles, axis=0)
        worst = int(both.argmax())
        bad = both >= np.percentile(both, 95)
        columns = [machine.columns[joint] for joint in match.robot.joints]
        own = state.positions[bad][:, columns]
        stuck = (
            (own <= machine.lower[columns] + _AT_LIMIT)
            | (own >= machine.upper[columns] - _AT_LIMIT)
        ).any(axis=0)
        found.append(
            LimbReport(
                limb=name_limb(match),
                median=float(np.median(both)),
                most=float(np.percentile(both, 95)),
                worst=float(both[worst]),
                frame=first + worst,
                limited=tuple(
                    joint
                    for joint, is_stuck in zip(match.robot.joints, stuck.tolist(), strict=True)
                    if is_stuck
                ),
            )
        )
    return tuple(found)
