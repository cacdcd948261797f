# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones there are, what hangs on which, and where each limb goes on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .groups import JointGroup
from .motion import JointMotion
from .transforms import Matrix, Vector
from .tree import KinematicTree

NEAR = 1e-6
"""Heads nearer than this share of the robot's size are one place: no direction leads from one to
the other."""

MOST_TARGETS = 32
"""Places looked at when a bone has many children; a bound, so that stars of thousands of bones at
one point take linear time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoneSeed:
    """A bone before its direction is known.

    `group` holds its joints; None for a fixed joint's bone. `link` is the tree index of the link
    at its head. `parent` is the index of the bone it hangs on, -1 for none."""

    link: int
    parent: int
    group: JointGroup | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A place where the limb goes on; `weight` counts the bones from there on."""

    point: Vector
    weight: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """`carriers`: per link in tree order, the bone that moves it and how many of that bone's joints
    stand between (all of them but for links inside a zero-length chain); bone -1: none does."""

    seeds: tuple[BoneSeed, ...]
    carriers: tuple[tuple[int, int], ...]


def plan_skeleton(
    tree: KinematicTree, groups: Sequence[JointGroup], *, fixed_bones: bool
) -> Skeleton:
    """One bone per group and, with `fixed_bones`, per fixed joint that has moving ones beyond."""
    group_at = {group.links[0]: group for group in groups}
    place_in_group = {
        link: (group, place) for group in groups for place, link in enumerate(group.links)
    }
    leads_on = _find_moving_beyond(tree)
    seeds: list[BoneSeed] = []
    carriers: list[tuple[int, int]] = []
    seed_of_group: dict[int, int] = {}
    for index, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        above = carriers[parent] if parent >= 0 else (-1, 0)
        if index in place_in_group:
            group, place = place_in_group[index]
            if index in group_at:
                seed_of_group[index] = len(seeds)
                seeds.append(BoneSeed(link=index, parent=above[0], group=group))
            carriers.append((seed_of_group[group.links[0]], place + 1))
        elif motion is not None and fixed_bones and leads_on[index] and not _inside(above, seeds):
            carriers.append((len(seeds), 0))
            seeds.append(BoneSeed(link=index, parent=above[0]))
        else:
            carriers.append(above)
    return Skeleton(seeds=tuple(seeds), carriers=tuple(carriers))


def _inside(carrier: tuple[int, int], seeds: Sequence[BoneSeed]) -> bool:
    """Whether a link carried so lies inside a zero-length chain."""
    bone, joints = carrier
    group = seeds[bone].group if bone >= 0 else None
    return group is not None and joints < len(group.links)


def _find_moving_beyond(tree: KinematicTree) -> list[bool]:
    """Per link, whether a moving joint hangs on it or beyond."""
    beyond = [False] * len(tree.links)
    for index in range(len(tree.links) - 1, 0, -1):
        parent, motion = tree.parents[index], tree.motions[index]
        if motion is not None and parent >= 0:
            beyond[parent] = beyond[parent] or beyond[index] or motion.moves
    return beyond


def find_targets(
    tree: KinematicTree, frames: Matrix, skeleton: Skeleton, size: float
) -> list[list[Target]]:
    """Per bone, the places where its limb goes on.

    These are the heads of its child bones, seen through children at its own place; for the last
    bone of a limb the outermost frames fixed to it (a tool, a hand) where these are at one place.
    """
    seeds = skeleton.seeds
    heads = frames[[seed.link for seed in seeds], :3, 3] if seeds else np.zeros((0, 3))
    weights = [1] * len(seeds)
    targets: list[list[Target]] = [[] for _ in seeds]
    for index in range(len(seeds) - 1, -1, -1):
        parent = seeds[index].parent
        if parent < 0:
            continue
        weights[parent] += weights[index]
        here = Target(point=heads[index], weight=weights[index])
        apart = np.abs(heads[index] - heads[parent]).max() > NEAR * size
        beyond = [here] if apart else targets[index]
        targets[parent] = (beyond + targets[parent])[:MOST_TARGETS]
    tips = _find_tips(tree, frames, skeleton, heads, size)
    return [found or tips.get(index, []) for index, found in enumerate(targets)]


def _find_tips(
    tree: KinematicTree, frames: Matrix, skeleton: Skeleton, heads: Matrix, size: float
) -> dict[int, list[Target]]:
    """Bone -> the one place where the outermost frames fixed to it stand, if they stand at one."""
    tips: dict[int, list[Target]] = {}
    scattered: set[int] = set()
    inner = set(tree.parents)
    for index, (bone, _) in enumerate(skeleton.carriers):
        if bone < 0 or index in inner or not _is_fixed(tree.motions[index]):
            continue
        point = frames[index, :3, 3]
        if np.abs(point - heads[bone]).max() <= NEAR * size:
            continue
        found = tips.setdefault(bone, [Target(point=point, weight=1)])
        if np.abs(found[0].point - point).max() > NEAR * size:
            scattered.add(bone)
    return {bone: found for bone, found in tips.items() if bone not in scattered}


def _is_fixed(motion: JointMotion | None) -> bool:
    return motion is not None and not motion.moves


def choose_target(head: Vector, targets: Sequence[Target]) -> Vector | None:
    """The vector from the head along which the limb goes on; None where nothing stands out.

    One place: that. Several: the one beyond which lies more than beyond all others together, else
    their middle, unless it leads nowhere (to less than half their distance, as between the four
    legs of a quadruped).
    """
    if not targets:
        return None
    vectors = np.array([target.point for target in targets]) - head
    weights = np.array([target.weight for target in targets])
    heaviest = int(np.argmax(weights))
    if 2 * weights[heaviest] > weights.sum():
        chosen: Vector = vectors[heaviest]
        return chosen
    middle: Vector = vectors.mean(axis=0)
    reach = np.linalg.norm(vectors, axis=1).mean()
    return middle if float(np.linalg.norm(middle)) > 0.5 * float(reach) else None
