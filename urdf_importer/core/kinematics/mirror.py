# SPDX-License-Identifier: GPL-3.0-or-later
"""The mirrored pose of a robot: each joint's partner, and the mirrored position.

Both are found by geometry, since names differ from robot to robot and say nothing of signs. With
all joints at zero each joint has its screw in the root's frame: the line it turns about, or the
direction it slides in. A plane is the robot's plane of symmetry if it brings screws onto screws.
The product of exponentials (Lynch and Park, Modern Robotics, 4.1) then gives the rule: reflected by
S, a turn by q about the axis a becomes one by -q about S a, and a slide along a one along S a.
Names only choose between partners at equal places.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..geometry.transforms import Matrix, Vector, plane_axes, quaternion_from_rotation
from .forward import Position, check_position, joint_frames, motion_matrix, zero_frames
from .motion import JointMotion
from .tree import KinematicTree

_SHARE = 2e-3
"""Of the robot's reach: how near to its mirrored place a partner must be."""
_ALIKE = 1e-4
"""Of the reach: partners whose places differ by less are equal, and their names decide."""
_ANGLE = 5e-3
"""Radians, of directions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partner:
    """The joint on the other side, which may be the joint itself. `sign` relates the positions of
    both, of joints that turn or slide. `turn` (4, 4) takes the joint's frame, mirrored, to the
    partner's."""

    joint: str
    sign: int
    turn: Matrix = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """The plane through `point`, with the unit `normal`, in the frame of the root link; and joint
    -> its partner, of the moving joints that have one."""

    point: Vector = field(repr=False)
    normal: Vector = field(repr=False)
    partners: Mapping[str, Partner]

    @property
    def reflection(self) -> Matrix:
        """(4, 4), in the frame of the root link."""
        result: Matrix = np.eye(4)
        result[:3, :3] -= 2.0 * np.outer(self.normal, self.normal)
        result[:3, 3] = 2.0 * (self.normal @ self.point) * self.normal
        return result


def find_mirror(tree: KinematicTree, named: Mapping[str, str] | None = None) -> Mirror:
    """Finds the plane of symmetry that gives most joints a partner: across the root's y axis, else
    x, else z. `named` maps a joint to the other side's joint of the same name."""
    frames = joint_frames(tree, zero_frames(tree))
    reach = float(np.linalg.norm(frames[:, :3, 3], axis=1).max(initial=1e-3))
    candidates = []
    for axis in (1, 0, 2):
        normal = np.eye(3)[axis]
        middle = float(np.mean(frames[:, axis, 3]))
        for offset in dict.fromkeys((0.0, middle)):
            plane = Mirror(point=offset * normal, normal=normal, partners={})
            found = _Search(tree, frames, plane.reflection, reach, named or {}).run()
            candidates.append(Mirror(point=plane.point, normal=normal, partners=found))
    return max(candidates, key=_score)


def _score(mirror: Mirror) -> tuple[int, int]:
    """Pairs count most: a lone chain is its own mirror image across many planes."""
    pairs = sum(name != partner.joint for name, partner in mirror.partners.items())
    return pairs, len(mirror.partners)


def mirror_positions(
    tree: KinematicTree,
    mirror: Mirror,
    positions: Mapping[str, Position],
    joints: Collection[str] | None = None,
) -> dict[str, float | tuple[float, ...]]:
    """Returns the positions of the mirrored pose, of the partners of `joints` or of all that have
    positions; joints without a partner are left out. Where the partner follows another joint, that
    one gets the position that brings it there."""
    motions = tree.motion_of
    mirrored: dict[str, float | tuple[float, ...]] = {}
    for name, position in positions.items():
        partner, motion = mirror.partners.get(name), motions.get(name)
        wanted = joints is None or name in joints
        if wanted and partner is not None and motion is not None and motion.mimic is None:
            value = check_position(name, motion.kind, position)
            found = _mirror_one(motion, motions[partner.joint], partner, value)
            source = tree.lead(partner.joint)
            if not isinstance(found, float):
                mirrored[partner.joint] = found
            elif source.multiplier:
                mirrored[source.joint] = (found - source.offset) / source.multiplier
    return mirrored


def _mirror_one(
    motion: JointMotion, other: JointMotion, partner: Partner, value: float | tuple[float, ...]
) -> float | tuple[float, ...]:
    if isinstance(value, float):
        return partner.sign * value + 0.0
    moved = partner.turn @ motion_matrix(motion, value) @ np.linalg.inv(partner.turn)
    x, y, z = moved[:3, 3].tolist()
    if motion.kind == "planar":
        normal = np.array(other.axis)
        u, v = plane_axes(normal)
        yaw = float(np.arctan2(v @ moved[:3, :3] @ u, u @ moved[:3, :3] @ u))
        yaw += 2.0 * np.pi * round((partner.sign * value[2] - yaw) / (2.0 * np.pi))
        return float(u @ moved[:3, 3]), float(v @ moved[:3, 3]), yaw
    turned = quaternion_from_rotation(moved[:3, :3])
    return turned if motion.kind == "spherical" else (x, y, z, *turned)


class _Search:
    """Looks for partners, parents first: the joints next below partners can be partners."""

    def __init__(
        self,
        tree: KinematicTree,
        frames: Matrix,
        reflection: Matrix,
        reach: float,
        named: Mapping[str, str],
    ) -> None:
        self._tree = tree
        self._motions = {place: m for place, m in enumerate(tree.motions) if m is not None}
        self._frames = frames
        self._reflection = reflection
        self._reach = reach
        self._named = named
        self._masses = self._middles()
        self._found: dict[int, int] = {}

    def run(self) -> dict[str, Partner]:
        below: dict[int, list[int]] = {}
        for place, motion in self._motions.items():
            if motion.moves:
                below.setdefault(self._above(place), []).append(place)
        waiting = [(-1, -1)]
        while waiting:
            here, there = waiting.pop()
            pairs = self._match(below.get(here, []), below.get(there, []))
            self._found.update(pairs)
            waiting += pairs.items()
        return {self._name(a): self._partner(a, b) for a, b in sorted(self._found.items())}

    def _name(self, place: int) -> str:
        return self._motions[place].joint.name

    def _above(self, place: int) -> int:
        """Returns the place of the next moving joint above; -1 where there is none."""
        for above in self._tree.ancestors(place):
            if above != place and above in self._motions and self._motions[above].moves:
                return above
        return -1

    def _middles(self) -> Matrix:
        """Returns (N, 3), the middle of everything beyond each joint: it distinguishes joints at
        one place."""
        sums = np.concatenate([self._frames[:, :3, 3], np.ones((len(self._frames), 1))], axis=1)
        for place in reversed(range(len(sums))):
            parent = self._tree.parents[place]
            if parent >= 0:
                sums[parent] += sums[place]
        middles: Matrix = sums[:, :3] / sums[:, 3:]
        return middles

    def _match(self, here: Sequence[int], there: Sequence[int]) -> dict[int, int]:
        """Pairs the joints below two partners, the nearest first, below one joint both ways."""
        rated = []
        for a in here:
            for b in there:
                gap = self._gap(a, b)
                if gap is not None:
                    is_named = self._named.get(self._name(a)) == self._name(b)
                    rated.append((round(gap / (_ALIKE * self._reach)), not is_named, a, b))
        pairs: dict[int, int] = {}
        taken: set[int] = set()
        for _, _, a, b in sorted(rated):
            if a in pairs or b in taken:
                continue
            pairs[a] = b
            taken.add(b)
            if here == there and a != b and b not in pairs and a not in taken:
                pairs[b] = a
                taken.add(a)
        return pairs

    def _gap(self, a: int, b: int) -> float | None:
        """Returns how far b is from the mirrored a, in metres; None where it cannot be one."""
        one, other = self._motions[a], self._motions[b]
        if one.kind != other.kind:
            return None
        mirror, frames = self._reflection, self._frames
        apart = mirror[:3, :3] @ frames[a, :3, 3] + mirror[:3, 3] - frames[b, :3, 3]
        direction = self._axis(b)
        aligned = abs(direction @ mirror[:3, :3] @ self._axis(a))
        has_axis = one.kind in ("revolute", "prismatic", "planar")
        if has_axis and abs(aligned - 1.0) > _ANGLE**2:
            return None
        if one.kind == "revolute":
            apart = apart - (apart @ direction) * direction
        if one.kind != "prismatic" and np.linalg.norm(apart) > _SHARE * self._reach:
            return None
        beyond = mirror[:3, :3] @ self._masses[a] + mirror[:3, 3] - self._masses[b]
        return float(np.linalg.norm(beyond))

    def _axis(self, place: int) -> Vector:
        axis: Vector = self._frames[place, :3, :3] @ np.array(self._motions[place].axis)
        return axis

    def _partner(self, a: int, b: int) -> Partner:
        aligned = float(self._axis(b) @ self._reflection[:3, :3] @ self._axis(a))
        sign = 1 if (aligned < 0.0) == (self._motions[a].kind != "prismatic") else -1
        turn = np.linalg.inv(self._frames[b]) @ self._reflection @ self._frames[a]
        return Partner(joint=self._name(b), sign=sign, turn=turn)
