# SPDX-License-Identifier: GPL-3.0-or-later
"""The orders in which programs list a robot's joints and bodies; and the one that places the bodies
of a file where it has them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....core.diagnostics import Diagnostics, ReadError
from ....core.geometry.transforms import rotation_from_quaternion
from ....core.kinematics.many_frames import BasePoses, JointedBodies
from ....core.kinematics.tree import KinematicTree
from ..trajectory import Numbers
from .recorded import TURNS, Quaternion, Unnamed

_MOST_FRAMES, _MOST_BODIES = 8, 256
_SURE, _LEAST = 10.0, 1e-5
"""The right order is nearer than the next one by so many times its own misfit, and metres."""
_FAR = 0.02
"""Metres beyond which bodies are another robot's."""


def breadth_first(tree: KinematicTree, places: Sequence[int]) -> list[int]:
    """Returns which of the links at these places comes first, second, ...: the fewest moving
    joints above it first, else as they are."""
    moves = [each is not None and each.kind != "fixed" for each in tree.motions]
    depths = [sum(moves[above] for above in tree.ancestors(place)) for place in places]
    return [int(each) for each in np.argsort(depths, kind="stable")]


def joint_orders(tree: KinematicTree) -> dict[str, list[str]]:
    """Returns the joints of one number as the description lists them ("file"), depth first
    ("mujoco") and breadth first ("isaac")."""
    deep = [each.joint.name for each in tree.joint_motions if each.is_scalar]
    described = {joint.name: place for place, joint in enumerate(tree.robot.joints)}
    broad = breadth_first(tree, [tree.joint_index[name] for name in deep])
    return {
        "file": sorted(deep, key=lambda name: described[name]),
        "mujoco": deep,
        "isaac": [deep[place] for place in broad],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Guess:
    misfit: float
    order: str
    quaternion: Quaternion


def find_order(
    tree: KinematicTree,
    orders: Mapping[str, Sequence[str]],
    found: Unnamed,
    table: Numbers,
    diagnostics: Diagnostics,
) -> tuple[str, Quaternion]:
    """Returns the order, and how quaternions are written, with which the bodies of a file are
    nearest to the robot's links: on average over at most 8 frames. Where several fit, the first
    order."""
    guesses = _judge(tree, orders, found, table)
    best_of = {
        order: min((each for each in guesses if each.order == order), key=lambda g: g.misfit)
        for order in orders
    }
    ranked = sorted(best_of.values(), key=lambda each: each.misfit)
    best = ranked[0]
    others = [g for g in ranked[1:] if list(orders[g.order]) != list(orders[best.order])]
    if best.misfit > _FAR:
        diagnostics.warning(
            "bodies-differ",
            f"its bodies are {best.misfit:.2g} m off this robot's: is it the same robot?",
        )
    elif others and others[0].misfit < _SURE * best.misfit + _LEAST:
        first = next(iter(orders))
        diagnostics.warning(
            "order-unclear",
            f"its bodies fit the orders {best.order} and {others[0].order} alike; {first} is "
            "taken: the option order decides",
        )
        return first, best_of[first].quaternion
    elif len(orders) > 1:
        message = f"its joints are in the order {best.order}: its bodies are "
        message += f"{best.misfit:.2g} m off then"
        diagnostics.remark("order-found", message)
    return best.order, best.quaternion


def _judge(
    tree: KinematicTree, orders: Mapping[str, Sequence[str]], found: Unnamed, table: Numbers
) -> list[_Guess]:
    assert found.bodies is not None
    machine = JointedBodies(tree, keeps_locked=True)
    places, quaternions = found.bodies
    rows = np.unique(np.linspace(0, len(table) - 1, _MOST_FRAMES).astype(int))
    chosen = np.unique(np.linspace(0, places.shape[1] - 1, _MOST_BODIES).astype(int))
    seen = places[np.ix_(rows, chosen)].astype(np.float64)
    guesses = []
    readings: tuple[Quaternion, ...] = ("wxyz", "xyzw")
    for quaternion in readings:
        written = quaternions[rows, 0][:, TURNS[quaternion]].astype(np.float64)
        if not np.isfinite(written).all() or (np.abs(written).max(axis=1) < 1e-6).any():
            raise ReadError("a quaternion of its base has the length 0")
        turns = np.array([rotation_from_quaternion(each) for each in written.tolist()])
        base = BasePoses(origins=places[rows, 0].astype(np.float64), turns=turns)
        for order, names in orders.items():
            at = {name: column for column, name in enumerate(names)}
            columns = [at[name] for name in machine.names]
            misfit = _misfit(machine, table[np.ix_(rows, columns)], base, seen)
            guesses.append(_Guess(misfit=misfit, order=order, quaternion=quaternion))
    return guesses


def _misfit(machine: JointedBodies, positions: Numbers, base: BasePoses, seen: Numbers) -> float:
    """Returns how far bodies (m, b, 3) are from the nearest link, on average."""
    pose = machine.pose(np.nan_to_num(positions), base)
    links = np.stack(
        [
            pose.locate(body, machine.frames[place][:3, 3])
            for place, body in enumerate(machine.body_of)
        ],
        axis=1,
    )
    nearest = [
        np.linalg.norm(row[:, None] - all_links[None], axis=2).min(axis=1)
        for row, all_links in zip(seen, links, strict=True)
    ]
    return float(np.nan_to_num(np.mean(nearest), nan=np.inf))
