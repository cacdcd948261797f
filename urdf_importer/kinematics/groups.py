# SPDX-License-Identifier: GPL-3.0-or-later
"""Zero-length chains: joints that one bone can hold exactly.

Blender's bone moves first, then turns by three Euler angles about its own orthogonal axes. So one
bone is exact for joints at one point when sliding comes before turning, no two joints need one
channel, and all axes are parallel or orthogonal. What a link between two such joints carries can
not follow the whole bone; it gets a hidden bone of its own. A second moving joint on the link
between would have to hang on that hidden bone and IK could not pass, so the chain ends there. A
joint that mimics another keeps a bone of its own: Blender takes a bone's channels as one, so a
follower that shares its bone could depend on itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .motion import JointMotion
from .transforms import Matrix
from .tree import KinematicTree

COINCIDENT = 1e-7
"""Joint origins nearer than this (metres) are one point: float32, which Blender computes in,
resolves no more at one metre."""

ORTHOGONAL = 1e-5
"""Axes whose cosine is below this are orthogonal: 1.5708 written for pi/2 (off by 3.7e-6) passes,
1.57 (off by 8e-4) does not."""

MOST_MISFIT = 8e-6
"""Radians by which the axes of all bones on the way to a link may be off together: links shall be
right to 1e-5. A rotation about an axis that is off by d is wrong by up to 2 d."""

MOST_JOINTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JointGroup:
    """Joints that share one bone, outermost first. `links` are the tree indices of their child
    links; the last of them is where the chain goes on."""

    motions: tuple[JointMotion, ...]
    links: tuple[int, ...]


def group_joints(
    tree: KinematicTree, frames: Matrix, *, combine: bool, through_fixed: bool
) -> tuple[JointGroup, ...]:
    """All moving joints in tree order, in groups of one to three.

    `frames` (N, 4, 4) holds every link's frame with all joints at zero. `through_fixed`: fixed
    joints make no bones, so a chain may pass through them.
    """
    successors = _find_only_successors(tree, through_fixed=through_fixed) if combine else {}
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
        grouped.update({link: 0.0 for link in chain})
        grouped[chain[-1]] = cost
        motions = tuple(m for i in chain if (m := tree.motions[i]) is not None)
        groups.append(JointGroup(motions=motions, links=tuple(chain)))
    return tuple(groups)


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
    can not hold them."""
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
    """(N, 3) unit axes in the robot's frame; `frames` (N, 4, 4) are the joints' at zero."""
    axes = np.array([motion.axis for motion in motions])
    turned: Matrix = np.einsum("nij,nj->ni", frames[:, :3, :3], axes)
    return turned
