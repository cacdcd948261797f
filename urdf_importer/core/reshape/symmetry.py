# SPDX-License-Identifier: GPL-3.0-or-later
"""The other side of a robot: the partner of each joint and link, and the mirrored change. Sides
mirror each other at y = 0 of the root."""

import re
from collections.abc import Collection, Iterator

import numpy as np

from ..diagnostics import Diagnostics, quote
from ..geometry.transforms import Matrix
from ..kinematics.forward import joint_frames, zero_frames
from ..kinematics.tree import KinematicTree
from ..model import Joint, Vector3

_WORDS = (
    re.compile(r"(?<![A-Za-z])(left|right)(?![a-z])", re.IGNORECASE),
    re.compile(r"(?<![A-Za-z])([lr])(?![A-Za-z])", re.IGNORECASE),
    re.compile(r"(Left|Right)"),
    re.compile(r"(left|right)"),
    re.compile(r"(?<![A-Za-z])([LR])(?=[A-Z])"),
)
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}
_MIRROR = np.diag([1.0, -1.0, 1.0])
_SHARE = 1e-3
"""Of the robot's reach: how near to its mirrored place a partner must be."""


def find_partner(name: str, names: Collection[str]) -> str | None:
    """Returns the name of the other side that is among `names`; None for parts in the middle."""
    return next((other for other in name_other_side(name) if other in names), None)


def name_other_side(name: str) -> Iterator[str]:
    """Yields the possible names of the other side, the likeliest first; of parts in the middle
    none."""
    for word in _WORDS:
        other = word.sub(lambda found: _swap(found[1]), name)
        if other != name:
            yield other


def _swap(word: str) -> str:
    other = _OTHER[word.lower()]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


class Symmetry:
    """Both sides of a robot at zero."""

    def __init__(self, tree: KinematicTree, diagnostics: Diagnostics) -> None:
        self._tree = tree
        self._diagnostics = diagnostics
        self._frames = zero_frames(tree)
        self._joints = joint_frames(tree, self._frames)
        points = self._joints[:, :3, 3]
        self._reach = float(np.linalg.norm(points, axis=1).max(initial=1e-3))

    def partner_joint(self, joint: Joint) -> Joint | None:
        """Returns the partner; where it is not at the mirrored place, a warning says that its name
        was trusted."""
        name = find_partner(joint.name, self._tree.joint_index)
        if name is None:
            return None
        place, other = self._tree.joint_index[joint.name], self._tree.joint_index[name]
        gap = _MIRROR @ self._joints[place, :3, 3] - self._joints[other, :3, 3]
        if np.linalg.norm(gap) > _SHARE * self._reach:
            self._diagnostics.warning(
                "names-trusted",
                f"joint {quote(name)} is taken for the other side of joint {quote(joint.name)} "
                "by its name, but is not at the mirrored place",
                subject=name,
                line=joint.line,
            )
        motion = self._tree.motions[other]
        return None if motion is None else motion.joint

    def partner_link(self, link: str) -> str | None:
        return find_partner(link, self._tree.index)

    def mirror_origin(self, joint: Joint, partner: Joint, new: Vector3) -> Vector3:
        """Returns where the partner's origin goes when the joint's goes to `new`."""
        turn = self._between(joint.parent, partner.parent)
        before, there = np.array(joint.origin.xyz), np.array(partner.origin.xyz)
        if np.abs(turn @ before - there).max() <= 1e-9:
            return _tuple_of(turn @ np.array(new))
        return _tuple_of(there + turn @ (np.array(new) - before))

    def mirror_factors(self, link: str, partner: str, factors: Vector3) -> Vector3:
        """Factors along the axes of the partner; the same where its axes lie across."""
        turn = np.abs(self._between(link, partner))
        if np.abs(turn - np.round(turn)).max() > 1e-6:
            return factors
        return _tuple_of(np.round(turn) @ np.array(factors))

    def _between(self, link: str, partner: str) -> Matrix:
        """(3, 3): a vector in the link's frame -> mirrored, in the partner's. Near-integers become
        integers, so that exact values stay exact."""
        here = self._frames[self._tree.index[link], :3, :3]
        there = self._frames[self._tree.index[partner], :3, :3]
        turn: Matrix = there.T @ _MIRROR @ here
        whole = np.round(turn)
        return np.where(np.abs(turn - whole) < 1e-12, whole, turn)


def _tuple_of(vector: Matrix) -> Vector3:
    """Without a minus before zero."""
    x, y, z = (float(number) + 0.0 for number in vector)
    return x, y, z
