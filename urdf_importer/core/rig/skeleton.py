# SPDX-License-Identifier: GPL-3.0-or-later
"""Zero-length chains: joints that one bone can hold exactly.

Blender's bone moves first, then turns by three Euler angles about its own orthogonal axes. So one
bone is exact for joints at one point when sliding comes before turning, no two joints need one
channel, and all axes are parallel or orthogonal. A link between two such joints cannot carry its
parts by the whole bone; it gets a hidden bone of its own. A second moving joint on the link between
would need that hidden bone as its parent and IK could not pass, so the chain ends there. A joint
that mimics another keeps a bone of its own: Blender takes a bone's channels as one, so a follower
that shares its bone could depend on itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..geometry.transforms import Matrix, Vector
from ..kinematics.motion import JointMotion
from ..kinematics.tree import KinematicTree
from ..options import CombineJoints

COINCIDENT = 1e-7
"""Joint origins nearer than this (metres) are one point: float32, which Blender computes in,
resolves no more at one metre."""

ORTHOGONAL = 1e-5
"""Axes whose cosine is below this are orthogonal: 1.5708 written for pi/2 (off by 3.7e-6) passes,
1.57 (off by 8e-4) does not."""

MOST_MISFIT = 8e-6
"""Radians by which the axes of all bones on the way to a link may be off together: links must be
right to 1e-5. A rotation about an axis that is off by d is wrong by up to 2 d."""

MOST_JOINTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JointGroup:
    """Joints that share one bone, outermost first. `links` are the tree indices of their child
    links; the last of them is where the chain continues."""

    motions: tuple[JointMotion, ...]
    links: tuple[int, ...]


def group_joints(
    tree: KinematicTree, frames: Matrix, *, combine: CombineJoints | bool, through_fixed: bool
) -> tuple[JointGroup, ...]:
    """Returns all moving joints in tree order, in groups of one to three.

    `frames` (N, 4, 4) holds every link's frame with all joints at zero. `through_fixed`: fixed
    joints make no bones, so a chain may pass through them.
    """
    apart = combine in ("never", False)
    successors = {} if apart else _find_only_successors(tree, through_fixed=through_fixed)
    misfits: list[float] = []
    grouped: dict[int, float] = {}
    groups = []
    for index, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        misfit = misfits[parent] if parent >= 0 else 0.0
        misfits.append(misfit + grouped.get(index, 0.0))
        if motion is None or not motion.moves or index in grouped:
            continue
        chain, cost = [index], 0.0
        while (following := successors.get(chain[-1])) is not None:
            longer = _find_misfit(tree, frames, [*chain, following])
            if longer is None or misfit + longer > MOST_MISFIT:
                break
            chain, cost = [*chain, following], longer
        if combine == "balls" and not _is_ball(tree, chain):
            chain, cost = [index], 0.0
        grouped.update({link: 0.0 for link in chain})
        grouped[chain[-1]] = cost
        motions = tuple(m for i in chain if (m := tree.motions[i]) is not None)
        groups.append(JointGroup(motions=motions, links=tuple(chain)))
    return tuple(groups)


def _is_ball(tree: KinematicTree, chain: Sequence[int]) -> bool:
    """Whether these are three joints that turn."""
    kinds = [motion.kind for i in chain if (motion := tree.motions[i]) is not None]
    return len(chain) == MOST_JOINTS and set(kinds) == {"revolute"}


def _find_only_successors(tree: KinematicTree, *, through_fixed: bool) -> dict[int, int]:
    """Child link of a moving joint -> child link of the one moving joint that its body carries."""
    bodies: list[int] = []
    moving: dict[int, list[int]] = {}
    for index, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        rigid = motion is not None and not motion.moves
        bodies.append(bodies[parent] if rigid else index)
        if motion is not None and motion.moves:
            moving.setdefault(bodies[parent], []).append(index)
    return {
        body: joints[0]
        for body, joints in moving.items()
        if len(joints) == 1 and (through_fixed or tree.parents[joints[0]] == body)
    }


def _find_misfit(tree: KinematicTree, frames: Matrix, chain: Sequence[int]) -> float | None:
    """By how much (radians) one bone is wrong for the joints above these links; None where one bone
    cannot hold them."""
    motions = [m for i in chain if (m := tree.motions[i]) is not None]
    if len(chain) > MOST_JOINTS or not all(m.is_scalar and m.mimic is None for m in motions):
        return None
    if np.abs(frames[chain[-1], :3, 3] - frames[chain[0], :3, 3]).max() > COINCIDENT:
        return None
    kinds = [motion.kind for motion in motions]
    if kinds != sorted(kinds):  # "prismatic" before "revolute"
        return None
    axes = joint_axes(motions, frames[list(chain)])
    misfit = 0.0
    for i in range(len(chain)):
        for j in range(i):
            off = abs(float(axes[i] @ axes[j]))
            if off > 0.5 and kinds[i] != kinds[j]:
                off = float(np.linalg.norm(np.cross(axes[i], axes[j])))
            if off > ORTHOGONAL:
                return None
            misfit += 2.0 * off
    return misfit


def joint_axes(motions: Sequence[JointMotion], frames: Matrix) -> Matrix:
    """Returns (N, 3) unit axes in the robot's frame; `frames` (N, 4, 4) are the joints' at zero."""
    axes = np.array([motion.axis for motion in motions])
    turned: Matrix = np.einsum("nij,nj->ni", frames[:, :3, :3], axes)
    return turned


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
    at its head. `parent` is the index of its parent bone, -1 for none."""

    link: int
    parent: int
    group: JointGroup | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A place where the limb continues; `weight` counts the bones from there on."""

    point: Vector
    weight: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """`carriers`: per link in tree order, the bone that moves it and how many of the bone's joints
    are between (all of them but for links inside a zero-length chain); bone -1: none does."""

    seeds: tuple[BoneSeed, ...]
    carriers: tuple[tuple[int, int], ...]


def plan_skeleton(
    tree: KinematicTree, groups: Sequence[JointGroup], *, fixed_bones: bool
) -> Skeleton:
    """Plans one bone per group and, with `fixed_bones`, per fixed joint that has moving ones
    beyond."""
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
    """Per link, whether a moving joint is attached to it or beyond."""
    beyond = [False] * len(tree.links)
    for index in range(len(tree.links) - 1, 0, -1):
        parent, motion = tree.parents[index], tree.motions[index]
        if motion is not None and parent >= 0:
            beyond[parent] = beyond[parent] or beyond[index] or motion.moves
    return beyond


def find_targets(
    tree: KinematicTree, links: Matrix, frames: Matrix, skeleton: Skeleton, size: float
) -> list[list[Target]]:
    """Returns, per bone, the places where its limb continues, by the frames of links and of the
    joints above them.

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
    tips = _find_tips(tree, links, skeleton, heads, size)
    return [found or tips.get(index, []) for index, found in enumerate(targets)]


def _find_tips(
    tree: KinematicTree, frames: Matrix, skeleton: Skeleton, heads: Matrix, size: float
) -> dict[int, list[Target]]:
    """Bone -> the common place of the outermost frames fixed to it, if there is one."""
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
    """Returns the vector from the head along which the limb continues; None where there is no clear
    one.

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
