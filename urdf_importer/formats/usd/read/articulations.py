# SPDX-License-Identifier: GPL-3.0-or-later
"""The articulations of a stage: which bodies are connected, which joints make the tree, and which
close loops.

Hierarchy says nothing of the tree, joints do. A joint that an articulation leaves out belongs to
the tree only where a body would have no other parent. Several joints between the same two bodies
are one after the other, in the order of the file, as MuJoCo's are; but not joints that move alike,
as two hinges of a door, nor more than a body has freedoms: these hold the bodies together.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ....core.names import Claims
from ....core.readers.groups import Groups
from ..stages import StagePrim
from .joints import FREEDOMS, DraftedJoint
from .scene import WORLD, UsdScene

ROOT = "PhysicsArticulationRootAPI"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Articulation:
    """Bodies by path, the root first, then parents before children; "" is the world. `tree` are the
    joints in this order, each from parent to child; `loops` are the others."""

    name: str
    bodies: tuple[str, ...]
    tree: tuple[DraftedJoint, ...]
    loops: tuple[DraftedJoint, ...]


def find_articulations(scene: UsdScene, joints: Iterable[DraftedJoint]) -> list[Articulation]:
    """Finds the robots of a stage: bodies that joints tie together, in the order of the file. Loose
    bodies are robots only where there are no others; else they are reported."""
    every = list(joints)
    groups = Groups(scene.bodies)
    for joint in every:
        if all(joint.ends):
            groups.join(*joint.ends)
    if scene.is_own:
        _join_own(scene, groups)
    tied = {end for joint in every for end in joint.ends if end}
    prims = scene.stage.prims.items()
    roots = {scene.owner(path) or path for path, prim in prims if ROOT in prim.schemas}
    starts = tuple(f"{root}/" for root in roots)
    rooted = {body for body in scene.bodies if f"{body}/".startswith(starts)}
    members = groups.members()
    chosen = [each for each in members if (tied | rooted) & set(each)] or members
    claims = Claims()
    for loose in (each for each in members if each not in chosen):
        prim = scene.bodies[loose[0]]
        scene.warning("usd-loose-body", "a body without joints is left out", prim)
    return [_Planner(scene, each, every).plan(claims) for each in chosen]


def _join_own(scene: UsdScene, groups: Groups) -> None:
    """All bodies in one robot of this library's own are its: floating ones have no joints."""
    robots = {path for path, prim in scene.stage.prims.items() if prim.text("urdf:robot")}
    first: dict[str, str] = {}
    for body in scene.bodies:
        robot = next((each for each in robots if body.startswith(f"{each}/")), None)
        if robot is not None:
            groups.join(first.setdefault(robot, body), body)


class _Planner:
    """Makes the tree of one group of bodies."""

    def __init__(self, scene: UsdScene, bodies: list[str], joints: Iterable[DraftedJoint]) -> None:
        self._scene, self._bodies = scene, bodies
        inside = set(bodies)
        self._joints = [each for each in joints if inside & set(each.ends)]

    def plan(self, claims: Claims) -> Articulation:
        groups = Groups(["", *self._bodies])
        chosen: list[DraftedJoint] = []
        loops: list[DraftedJoint] = []
        stacks: dict[frozenset[str], list[DraftedJoint]] = {}
        # sorted() keeps the order of the file within both kinds.
        for joint in sorted(self._joints, key=lambda each: each.excluded):
            ends, moves = frozenset(joint.ends), joint.is_axis and not joint.excluded
            if groups.join(*joint.ends):
                chosen.append(joint)
                if moves:
                    stacks[ends] = [joint]
            elif moves and _may_stack(joint, stacks.get(ends, [])):
                stacks[ends].append(joint)
            else:
                loops.append(joint)
        chosen = [each.stack(stacks.get(frozenset(each.ends), [])[1:]) for each in chosen]
        root = "" if any("" in each.ends for each in chosen) else self._choose_root(chosen)
        order, tree = _walk(root, chosen)
        left = [each for each in self._bodies if each not in order]
        return Articulation(
            name=claims.claim(self._find_name()),
            bodies=(*order, *left),
            tree=tuple(tree),
            loops=tuple(loops),
        )

    def _choose_root(self, chosen: list[DraftedJoint]) -> str:
        """The body that the stage calls the root, else one without a parent, else the
        first."""
        prims = self._scene.stage.prims
        marked = [each for each in self._bodies if ROOT in prims[each].schemas]
        hung = {joint.ends[1] for joint in chosen}
        free = [each for each in self._bodies if each not in hung]
        return (marked or free or self._bodies)[0]

    def _find_name(self) -> str:
        """The name of the prim that holds all bodies."""
        stage = self._scene.stage
        parts = [each.split("/")[:-1] for each in self._bodies]
        common = parts[0]
        for each in parts[1:]:
            size = next(
                (i for i, pair in enumerate(zip(common, each, strict=False)) if pair[0] != pair[1]),
                min(len(common), len(each)),
            )
            common = common[:size]
        prim: StagePrim | None = stage.prims.get("/".join(common)) or stage.prims.get(stage.default)
        if prim is None or not prim.path.strip("/"):
            return self._scene.bodies[self._bodies[0]].label
        return prim.text("urdf:robot") or prim.label


def _may_stack(joint: DraftedJoint, others: list[DraftedJoint]) -> bool:
    """Whether a joint gives a body one more freedom than the others."""
    count = len(joint.freedoms) + sum(len(each.freedoms) for each in others)
    return bool(others) and count <= FREEDOMS and not any(joint.moves_as(each) for each in others)


def _walk(root: str, joints: list[DraftedJoint]) -> tuple[list[str], list[DraftedJoint]]:
    """Goes from the root along the joints, in their order; joints that point at the root are
    reversed.
    """
    beside: dict[str, list[DraftedJoint]] = {}
    for joint in joints:
        for end in joint.ends:
            beside.setdefault(end, []).append(joint)
    order, tree, seen = [root], [], {root}
    waiting = [iter(beside.get(root, ()))]
    while waiting:
        found = next(waiting[-1], None)
        if found is None:
            waiting.pop()
            continue
        turned = found if found.ends[0] in seen else found.turned()
        child = turned.ends[1]
        if child in seen:
            continue
        seen.add(child)
        order.append(child)
        tree.append(turned)
        waiting.append(iter(beside.get(child, ())))
    return order, tree


def is_world(scene: UsdScene, body: str) -> bool:
    """Whether a body is the world by its name."""
    return bool(body) and scene.bodies[body].label == WORLD
