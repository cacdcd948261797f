# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that touch each other where the robot starts, by MuJoCo's rules for pairs.

MuJoCo lets pass bodies without a joint between them, and a moving body with its parent; not where
the parent is fixed in the world, though it cannot move either: `list_neighbours` makes up for that.
Meshes collide as their hulls.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import Matrix
from .penetration import Support, measure_depth, move_support, support_of
from .plan import BodyPlan, PlannedElement, StructurePlan
from .shapes import WrittenGeom

_LEAST = 1e-6
"""Metres: less is rounding."""
_MOST_NAMED = 5
Geoms = Mapping[str, Sequence[WrittenGeom]]
Pair = tuple[str, str]


def find_holders(plan: StructurePlan) -> list[int]:
    """Returns for each body the body that it is fixed to, itself where it moves by joints of its
    own; -1 for bodies that never move."""
    holders: list[int] = []
    for place, body in enumerate(plan.bodies):
        fixed = -1 if body.parent < 0 else holders[body.parent]
        holders.append(place if body.joints else fixed)
    return holders


def list_neighbours(
    plan: StructurePlan, collisions: Geoms, *, by_root: bool = False
) -> Iterator[Pair]:
    """Yields the bodies with shapes that never move, each with the bodies of the first links that
    move on them; `by_root`: only where one body in the world carries both."""
    holders = find_holders(plan)
    fixed: dict[int, list[str]] = {}
    firsts: dict[int, list[str]] = {}
    roots: list[int] = []
    for place, (body, holder) in enumerate(zip(plan.bodies, holders, strict=True)):
        roots.append(place if body.parent < 0 else roots[body.parent])
        root = roots[place] if by_root else 0
        if body.is_world or not collisions.get(body.link.name):
            continue
        if holder < 0:
            fixed.setdefault(root, []).append(body.name)
        elif _is_first(plan.bodies[holder], holders):
            firsts.setdefault(root, []).append(body.name)
    for root, names in fixed.items():
        yield from product(names, firsts.get(root, ()))


def _is_first(body: BodyPlan, holders: Sequence[int]) -> bool:
    """Whether a body moves on one that never moves, and is not free."""
    carried = body.parent < 0 or holders[body.parent] < 0
    return carried and all(joint.kind != "free" for joint in body.joints)


def find_contacts(
    plan: StructurePlan,
    collisions: Geoms,
    frames: Mapping[str, Matrix],
    excluded: Sequence[PlannedElement],
) -> dict[Pair, float]:
    """Returns the pairs of bodies that touch, and how deep in metres, with the links at `frames`
    (4, 4)."""
    apart = {frozenset(each.attributes.values()) for each in excluded}
    holders = find_holders(plan)
    above = [_find_above(plan, holders, holder) for holder in holders]
    owners: list[int] = []
    supports: list[Support] = []
    for place, body in enumerate(plan.bodies):
        for geom in collisions.get(body.link.name, ()):
            owners.append(place)
            supports.append(move_support(_support_of(geom), frames[body.link.name] @ geom.frame))
    found: dict[Pair, float] = {}
    for one, other in _list_near(supports):
        first, second = owners[one], owners[other]
        own, its = holders[first], holders[second]
        if own == its or own == above[second] or its == above[first]:
            continue
        pair = (plan.bodies[first].name, plan.bodies[second].name)
        if frozenset(pair) not in apart:
            depth = measure_depth(supports[one], supports[other])
            if depth > max(_LEAST, found.get(pair, 0.0)):
                found[pair] = depth
    return found


def _find_above(plan: StructurePlan, holders: Sequence[int], holder: int) -> int | None:
    """Returns the body that carries the joint of a moving one; None where that never moves."""
    parent = -1 if holder < 0 else plan.bodies[holder].parent
    return None if parent < 0 or holders[parent] < 0 else holders[parent]


def _support_of(geom: WrittenGeom) -> Support:
    size = geom.attributes.get("size", ())
    assert not isinstance(size, str | float | None)
    return support_of(str(geom.attributes["type"]), np.array(list(size)), geom.points)


def _list_near(supports: Sequence[Support]) -> Iterator[tuple[int, int]]:
    """Yields pairs of bodies whose boxes meet."""
    if not supports:
        return
    axes = np.vstack([np.eye(3), -np.eye(3)])
    boxes = np.array([np.einsum("ij,ij->i", each(axes), axes) for each in supports])
    upper, lower = boxes[:, :3], -boxes[:, 3:]
    for one in range(len(supports)):
        meets = (lower[one + 1 :] < upper[one]) & (upper[one + 1 :] > lower[one])
        for other in np.flatnonzero(meets.all(axis=1)):
            yield one, one + 1 + int(other)


def report_contacts(
    contacts: Mapping[Pair, float], diagnostics: Diagnostics, *, excluded: bool
) -> None:
    """Reports bodies that touch at the start, the deepest first."""
    ranked = sorted(contacts.items(), key=lambda each: (-each[1], each[0]))
    shown = [
        f"{quote(one)} and {quote(other)} ({1000.0 * depth:.3g} mm)"
        for (one, other), depth in ranked[:_MOST_NAMED]
    ]
    more = f" and {len(ranked) - _MOST_NAMED} more" if len(ranked) > _MOST_NAMED else ""
    pairs = f"{len(ranked)} pairs of links" if len(ranked) > 1 else "one pair of links"
    message = f"{pairs} touch at the start: {', '.join(shown)}{more}"
    subject = ranked[0][0][0]
    if excluded:
        message += "; MuJoCo lets them pass"
        diagnostics.remark("mjcf-start-contacts", message, subject=subject)
    else:
        message += "; MuJoCo pushes them apart, unless start_contacts is 'exclude'"
        diagnostics.warning("mjcf-start-contacts", message, subject=subject)
