# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of robots, by their joints alone: the catalogues of a library of assets.

A limb is a row of joints without a branch that no other limb carries. The number of limbs, and
where they end, tell the kind; names and formats differ too much. OTHER is for robots that fit no
rule.
"""

from collections.abc import Iterator

import numpy as np

from ...core.geometry.transforms import Matrix
from ...core.kinematics.forward import joint_frames, zero_frames
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ...core.model import Robot

ARM, FLYING, HAND, HUMANOID = "Arms", "Flying", "Hands and Grippers", "Humanoids"
LEGGED, WHEELED, OTHER = "Legged", "Wheeled", "Other"
KINDS = (ARM, FLYING, HAND, HUMANOID, LEGGED, WHEELED, OTHER)

_UPRIGHT = 0.9
"""Of an axis of unit length, its share along Z: a rotor's is above, a wheel's below 1 less this."""
_LIMB = 3
"""Joints of a limb; rows of fewer are fingers, necks and wheels."""
_LARGE = 0.5
"""Metres: all joints of a hand are nearer than this to its root."""


def find_kind(robot: Robot) -> str:
    """Finds the kind of a robot, one of KINDS, from its joints at zero."""
    tree = retrace_tree(robot)
    links = zero_frames(tree)
    places = links[:, :3, 3]
    below = _find_below(tree)
    limbs = list(_find_limbs(tree, below))
    moved = [place for each in below.values() for place in each]
    reach = float(np.linalg.norm(places[moved], axis=1).max()) if moved else 0.0
    ends = [float(places[end][2]) for end in limbs]
    # Legs end lowest, and several of them at one height.
    legs = sum(end < min(ends) + 0.1 * reach for end in ends)
    if legs > 1 and min(ends) < -0.2 * reach:
        return HUMANOID if legs == 2 and len(limbs) > 2 else LEGGED
    rotors, wheels = _count_spinning(tree, links, below)
    if max(rotors, wheels) > 1:
        return WHEELED if wheels > 1 else FLYING if rotors > 2 else OTHER
    fingers = len(limbs) > 2 or (not limbs and (len(below[-1]) > 1 or bool(tree.masters)))
    if moved and reach < _LARGE and fingers:
        return HAND
    return ARM if limbs and len(limbs) < 3 else OTHER


def _find_below(tree: KinematicTree) -> dict[int, list[int]]:
    """Finds the places of links that joints move on their own, each with the next ones below it;
    below -1 are the first ones."""
    above = [-1] * len(tree.links)
    below: dict[int, list[int]] = {-1: []}
    for place, motion in enumerate(tree.motions):
        parent = tree.parents[place]
        carrier = above[parent] if parent >= 0 else -1
        above[place] = carrier
        kinds = ("revolute", "prismatic", "spherical")
        if motion is None or motion.kind not in kinds or motion.joint.name in tree.masters:
            continue
        above[place] = place
        below[carrier].append(place)
        below[place] = []
    return below


def _count_spinning(
    tree: KinematicTree, links: Matrix, below: dict[int, list[int]]
) -> tuple[int, int]:
    """Counts joints that turn without bounds and carry no other, about Z and about level axes."""
    ups = []
    for place, motion in enumerate(tree.motions):
        spins = motion is not None and motion.kind == "revolute" and below.get(place) == []
        if spins and motion is not None and motion.lower is None and motion.upper is None:
            frames = joint_frames(tree, links)[place, :3, :3]
            ups.append(abs(float((frames @ np.array(motion.axis))[2])))
    return sum(up > _UPRIGHT for up in ups), sum(up < 1.0 - _UPRIGHT for up in ups)


def _find_limbs(tree: KinematicTree, below: dict[int, list[int]]) -> Iterator[int]:
    """Yields the place of the last link of each limb."""
    starts = list(below[-1])
    while starts:
        end, length = starts.pop(), 1
        while len(below[end]) == 1:
            (end,) = below[end]
            length += 1
        if length >= _LIMB:
            yield end
        else:
            starts += below[end]
