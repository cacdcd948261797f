# SPDX-License-Identifier: GPL-3.0-or-later
"""Which numbers of a part of a linkage are given, which are looked for, and which depend on
these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...geometry.transforms import Matrix, Vector, rotation_from_quaternion
from .blocks import ORDERS, LoopBlock, angles_of
from .equations import Named
from .formulas import Sheet, Sum, add, number, scale
from .linkage import Linkage, Variable
from .newton import Closed
from .tracing import Tracer


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoopLayout:
    """The given numbers, the unknown ones, and the numbers that depend on them.

    free      the free joints
    unknown   the unknown numbers; `worth` (n,) is the worth of one unit of each
    tied      number -> its value at home, and by how much others' ways from home move it
    fixed     numbers that stay where they are
    home      numbers at home
    outputs   the numbers that are wanted
    sliding   the wanted lengths
    """

    linkage: Linkage
    free: tuple[str, ...]
    unknown: tuple[Named, ...]
    worth: Vector
    tied: dict[Named, dict[Named, float]]
    fixed: dict[Named, float]
    home: dict[Named, float]
    outputs: tuple[Named, ...]
    sliding: frozenset[Named]
    orders: dict[str, str]

    def name_numbers(
        self, sheet: Sheet, free: Sequence[Sum], values: Sequence[Sum]
    ) -> dict[Named, Sum]:
        """Returns all joints' numbers as functions of the given and the unknown ones."""
        found: dict[Named, Sum] = {named: number(value) for named, value in self.fixed.items()}
        found |= {(name, 0): each for name, each in zip(self.free, free, strict=True)}
        found |= dict(zip(self.unknown, values, strict=True))
        for named, weights in self.tied.items():
            home = self.home[named] - sum(w * self.home[other] for other, w in weights.items())
            moved = (scale(found[other], weight) for other, weight in weights.items())
            found[named] = sheet.write(add(number(home), *moved))
        return found

    def read(self, values: Matrix) -> dict[Named, Vector]:
        """Returns the followers' numbers (N,) from the unknown ones (N, n)."""
        found = dict(zip(self.unknown, values.T, strict=True))
        for named, weights in self.tied.items():
            moved = sum(w * (found[other] - self.home[other]) for other, w in weights.items())
            found[named] = self.home[named] + moved + np.zeros(len(values))
        return found


def plan_layout(
    block: LoopBlock,
    tracer: Tracer,
    orders: Mapping[str, str],
    tied: dict[Named, dict[Named, float]],
) -> LoopLayout:
    """Returns the layout of a part, whose ball joints have their angles in these orders."""
    linkage, home = block.linkage, tracer.home
    inputs = {each.motion.joint.name for each in block.inputs}
    outputs = {each.motion.joint.name for each in block.outputs}
    unknown: dict[Named, float] = {}
    fixed: dict[Named, float] = {}
    at_home: dict[Named, float] = {}
    for variable, follows in zip(linkage.variables, block.follows, strict=True):
        name = variable.motion.joint.name
        own = _read_home(variable, home, orders)
        at_home |= own
        if name in inputs:
            continue
        if not follows:
            fixed |= own
            continue
        worth = linkage.size if variable.motion.kind == "prismatic" else 1.0
        unknown |= {named: worth for named in own if named not in tied}
    numbers = [*unknown, *tied]
    return LoopLayout(
        linkage=linkage,
        free=tuple(each.motion.joint.name for each in block.inputs),
        unknown=tuple(unknown),
        worth=np.array(list(unknown.values())),
        tied=tied,
        fixed=fixed,
        home=at_home,
        outputs=tuple(named for named in at_home if named[0] in outputs and named in numbers),
        sliding=frozenset(named for named, worth in unknown.items() if worth != 1.0),
        orders=dict(orders),
    )


def _read_home(variable: Variable, home: Closed, orders: Mapping[str, str]) -> dict[Named, float]:
    name = variable.motion.joint.name
    if variable.is_single:
        return {(name, 0): float(home.pose.values[variable.columns.start])}
    turn = rotation_from_quaternion(home.pose.several[name])
    angles = angles_of(turn, orders.get(name, "XYZ"), np.zeros(3))
    return {(name, index): float(angle) for index, angle in enumerate(angles)}


def tie_idle(layout: LoopLayout, idle: Matrix) -> dict[Named, dict[Named, float]]:
    """Lets some numbers go with others so that nothing moves along `idle` (n, d), in which ways no
    gap changes: a rod with ball joints at both ends does not spin."""
    first = pick_rows(idle, idle.shape[1])
    rest = [index for index in range(len(idle)) if index not in first]
    weights = -np.linalg.solve(idle[first].T, idle[rest].T)
    return {
        layout.unknown[place]: {
            layout.unknown[other]: float(weight * layout.worth[place] / layout.worth[other])
            for other, weight in zip(rest, row, strict=True)
            if abs(weight) > 1e-6
        }
        for place, row in zip(first, weights, strict=True)
    }


def choose_first_orders(block: LoopBlock, tracer: Tracer) -> dict[str, str]:
    """Returns ball joint -> order of its angles: where a rod can spin, that turns first."""
    orders = {}
    for variable, follows in zip(block.linkage.variables, block.follows, strict=True):
        if not follows or variable.is_single:
            continue
        name = variable.motion.joint.name
        if name in tracer.spins:
            first = "XYZ"[int(np.argmax(np.abs(tracer.spins[name])))]
            orders[name] = next(order for order in ORDERS if order[0] == first)
        else:
            orders[name] = "XYZ"
    return orders


def pick_rows(jacobian: Matrix, count: int) -> list[int]:
    """Picks rows that span all, one by one the row that differs most from the earlier ones."""
    left = jacobian.copy()
    picked: list[int] = []
    for _ in range(count):
        lengths = np.linalg.norm(left, axis=1)
        lengths[picked] = 0.0
        best = int(np.argmax(lengths))
        picked.append(best)
        way = left[best] / lengths[best]
        left = left - np.outer(left @ way, way)
    return sorted(picked)
