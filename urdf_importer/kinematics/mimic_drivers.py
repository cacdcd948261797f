# SPDX-License-Identifier: GPL-3.0-or-later
"""Drivers for joints that follow others.

A driver best reads what constraints and IK made of the source, so that the follower stays right
when the source is held by a limit or moved by IK. Two things forbid it, and the driver then reads
the number that the user set, held within the source's limits:
 * The source's place depends on the follower (as when a knuckle follows the fingertip): Blender
   would see a dependency cycle.
 * The source shares its bone with another turning joint: its angle can not be read back uniquely.
"""

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from .channels import clamp
from .rig_plan import BonePlan, DriverPlan, JointPlan

_Node = TypeVar("_Node", bound=Hashable)

_EVALUATED = "(q if abs(q - r) < 0.0001 else r)"
"""An angle read back from matrices has lost its last digits, which add up where many followers hang
on each other: where nothing interfered, the number set is taken."""


def plan_mimic_drivers(
    joints: Sequence[JointPlan], bones: Sequence[BonePlan], *, enforce_limits: bool
) -> list[DriverPlan]:
    """One driver per follower; chains drive from joint to joint."""
    by_name = {joint.joint.name: joint for joint in joints}
    pairs = [(joint, by_name[joint.mimics]) for joint in joints if joint.mimics]
    entangled = _find_entangled(pairs, bones)
    turning: dict[str, int] = {}
    for joint in joints:
        if joint.kind == "revolute":
            bone = joint.channels[0].bone
            turning[bone] = turning.get(bone, 0) + 1
    return [
        _plan_driver(
            follower,
            source,
            evaluated=follower.channels[0].bone not in entangled
            and (source.kind == "prismatic" or turning[source.channels[0].bone] == 1),
            enforce_limits=enforce_limits,
        )
        for follower, source in pairs
    ]


def _plan_driver(
    follower: JointPlan, source: JointPlan, *, evaluated: bool, enforce_limits: bool
) -> DriverPlan:
    mimic = follower.joint.mimic
    assert mimic is not None
    factor = follower.sign * source.sign * mimic.multiplier
    offset = follower.sign * mimic.offset
    value = _EVALUATED if evaluated else clamp(source, enforce_limits=enforce_limits)
    return DriverPlan(
        channel=follower.channels[0],
        source=source.channels[0],
        evaluated=evaluated,
        expression=f"{factor!r} * {value} + {offset!r}",
    )


def _find_entangled(
    pairs: Sequence[tuple[JointPlan, JointPlan]], bones: Sequence[BonePlan]
) -> set[str]:
    """Follower bones for which reading the evaluated source could close a cycle.

    A bone needs its parent and, if it follows, its source's bone. What is never ready when bones
    are taken in the order of their needs is on a cycle or behind one.
    """
    needs: dict[str, set[str]] = {bone.name: {bone.parent} - {""} for bone in bones}
    own: set[str] = set()
    for follower, source in pairs:
        bone = follower.channels[0].bone
        if source.channels[0].bone == bone:
            own.add(bone)
        else:
            needs[bone].add(source.channels[0].bone)
    return own | find_never_ready(needs)


def find_never_ready(needs: Mapping[_Node, set[_Node]]) -> set[_Node]:
    """What needs itself, or something that does: `needs` says of each which others come first, all
    of which are in it."""
    waiting = {node: len(needed) for node, needed in needs.items()}
    dependents: dict[_Node, list[_Node]] = {}
    for node, needed in needs.items():
        for other in needed:
            dependents.setdefault(other, []).append(node)
    ready = deque(node for node, count in waiting.items() if count == 0)
    while ready:
        node = ready.popleft()
        del waiting[node]
        for dependent in dependents.get(node, ()):
            waiting[dependent] -= 1
            if waiting[dependent] == 0:
                ready.append(dependent)
    return set(waiting)
