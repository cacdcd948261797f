# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of a robot: which joint is the elbow, and what "along the forearm" means there.

Joints rarely lie on the line of a limb: an elbow may be bent at zero, a thigh's joints may lie
beside each other. So limbs are compared stretched: the elbow is turned, limits aside, to where
shoulder and wrist are farthest apart, and that line belongs to the links above and below it.
"""

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.geometry.transforms import Matrix, Vector, matrix_from_pose, rotations_about
from ...core.kinematics.many_frames import JointedBodies, Numbers
from ...core.kinematics.mirror import find_mirror
from ...core.kinematics.tips import Tip, find_tips
from ...core.model import Pose
from .body import LimbKind, compare_sides
from .solve import unit

Soles = dict[str, list[tuple[NDArray[Any], Pose]]]
"""Link -> its shapes: points (k, 3), and where they are in the link."""
LoadShapes = Callable[[Set[str]], Soles]
"""Loads the shapes of some links."""
_ALIKE = 0.1
"""Share of the reach by which tips may miss their mirrored places."""
_LOW = 0.15
"""Share of the height: pairs of legs end at heights that differ by less."""
_ANKLE = 2
"""Joints beyond the knee from which a foot can be held flat."""
_CAP = 0.9
"""Points that are at least so far away, of the farthest, are the end of a shape."""
_LEG = re.compile("leg|hip|knee|ankle|foot|thigh|shin|shank|calf|sole", re.IGNORECASE)
_ARM = re.compile("arm|shoulder|elbow|wrist|hand|grip|palm", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RobotLimb:
    """A limb of a robot.

    joints        its own joints, from the trunk on; `link` its last one
    carrier       the body that carries it; shoulder (3,) the place of its root there
    upper, lower  bodies above and below the elbow; along_upper, along_lower (3,) the directions of
                  the stretched limb there; wrist (3,) its end in the lower one
    hand, along_hand  the last body, and the direction from wrist to tip there
    length        metres from shoulder to wrist, stretched
    height        of a leg: metres from the ankle down to the ground with joints at zero
    is_flat       whether a foot can be laid flat
    """

    kind: LimbKind
    side: str
    link: str
    joints: tuple[str, ...]
    carrier: int
    shoulder: Vector
    upper: int
    lower: int
    along_upper: Vector
    along_lower: Vector
    wrist: Vector
    hand: int
    along_hand: Vector
    length: float
    height: float = 0.0
    is_flat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anatomy:
    """The limbs of a robot in pairs, left first, hind legs first; axes (3, 3), its directions
    forward, left and up as columns in the frame of its base; tips that have no partner, and tips of
    pairs that no person has; the shapes that limbs were measured by."""

    legs: tuple[RobotLimb, ...]
    arms: tuple[RobotLimb, ...]
    axes: Matrix
    others: tuple[Tip, ...]
    spare: tuple[Tip, ...]
    shapes: Soles

    @property
    def limbs(self) -> tuple[RobotLimb, ...]:
        return self.legs + self.arms


def find_anatomy(machine: JointedBodies, load: LoadShapes | None = None) -> Anatomy:
    """Finds the limbs of a robot. Without `load` a limb ends in its last joint where no link beyond
    it shows the end."""
    tree = machine.tree
    mirror = find_mirror(tree)
    joints = {each.joint.name for each in tree.joint_motions}
    tips = find_tips(tree, passive=frozenset(joints - set(machine.names)))
    turn = machine.zero[machine.tree.index[tree.links[machine.root].name]][:3, :3]
    normal = turn.T @ mirror.normal
    up = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.7 else np.array([0.0, 1.0, 0.0])
    pairs, alone = _find_pairs(machine, tips, mirror.partners, normal)
    blunt = {machine.body_of[tree.index[tip.link]] for tip in tips if not tip.pointed}
    shapes = {} if load is None else load(links_of(machine, blunt))
    limbs = [tuple(measure_limb(machine, tip, shapes) for tip in pair) for pair in pairs]
    left = _find_left(machine, pairs, limbs, normal)
    axes = np.stack([np.cross(left, up), left, up], axis=1)
    sorted_pairs = [_sort_sides(machine, pair, left) for pair in limbs]
    legs, arms = _tell_legs(machine, sorted_pairs, up)
    legs.sort(key=lambda pair: float(shoulder_of(machine, pair[0]) @ axes[:, 0]))
    if len(legs) > 1:
        legs = [legs[0], legs[-1]]
    kept = {limb.link for pair in [*legs, *arms] for limb in pair}
    return Anatomy(
        legs=tuple(replace(limb, kind="leg") for pair in legs for limb in pair),
        arms=tuple(limb for pair in arms for limb in pair),
        axes=axes,
        others=tuple(alone),
        spare=tuple(tip for pair in pairs for tip in pair if tip.link not in kept),
        shapes=shapes,
    )


def _find_pairs(
    machine: JointedBodies, tips: tuple[Tip, ...], partners: object, normal: Vector
) -> tuple[list[tuple[Tip, Tip]], list[Tip]]:
    """Pairs tips whose first joints are partners, or which mirror each other nearly."""
    left = list(tips)
    pairs: list[tuple[Tip, Tip]] = []
    places = {tip.link: machine.zero[machine.tree.index[tip.link]][:3, 3] for tip in tips}
    reach = max((float(np.linalg.norm(place)) for place in places.values()), default=1.0)
    for tip in tips:
        if tip not in left:
            continue
        found = partners.get(tip.joints[0])  # type: ignore[attr-defined]
        for other in left:
            mirrored = places[tip.link] - 2 * (normal @ places[tip.link]) * normal
            near = float(np.linalg.norm(mirrored - places[other.link])) < _ALIKE * reach
            apart = not set(other.joints) & set(tip.joints)
            if other is not tip and apart and (
                (found is not None and found.joint == other.joints[0])
                or (near and len(other.joints) == len(tip.joints))
            ):  # fmt: skip
                pairs.append((tip, other))
                left = [each for each in left if each not in (tip, other)]
                break
    return pairs, left


def _axis(machine: JointedBodies, body: int) -> tuple[Vector, Vector]:
    """Returns a point and the direction of the axis of the joint above a body, at zero."""
    frame = frame_of(machine, body)
    return frame[:3, 3], frame[:3, :3] @ machine.axes[body]


def _distance(point: Vector, axis: tuple[Vector, Vector]) -> float:
    away = point - axis[0]
    return float(np.linalg.norm(away - (away @ axis[1]) * axis[1]))


def _nearest(axes: list[tuple[Vector, Vector]]) -> Vector:
    """Returns the point nearest to some axes; in open directions next to their origins."""
    total, right = 1e-4 * len(axes) * np.eye(3), np.zeros(3)
    for point, direction in axes:
        across = np.eye(3) - np.outer(direction, direction)
        total += across
        right += across @ point + 1e-4 * point
    nearest: Vector = np.linalg.solve(total, right)
    return nearest


def _find_end(machine: JointedBodies, tip: Tip, shapes: Soles) -> Vector:
    """Returns where a limb ends, (3,), at zero: where the frame of its last link lies in the last
    joint, at the far end of its shapes, as far as these are known."""
    place = machine.tree.index[tip.link]
    end: Vector = machine.zero[place][:3, 3]
    parts = [*_place_shapes(machine, machine.body_of[place], shapes)]
    if tip.pointed or not parts:
        return end
    points, seat = np.concatenate(parts), frame_of(machine, machine.body_of[place])[:3, 3]
    away = (points - seat) @ unit(_middle(points) - seat)
    return _middle(points[away >= _CAP * away.max()])


def _middle(points: Numbers) -> Vector:
    middle: Vector = (points.min(axis=0) + points.max(axis=0)) / 2.0
    return middle


def _place_shapes(machine: JointedBodies, body: int, shapes: Soles) -> Iterator[Numbers]:
    """Yields the points (k, 3) of each shape of a body, at zero."""
    for place, link in enumerate(machine.tree.links):
        for points, origin in shapes.get(link.name, ()) if machine.body_of[place] == body else ():
            frame = machine.zero[place] @ matrix_from_pose(origin)
            if len(points):
                yield points.astype(np.float64) @ frame[:3, :3].T + frame[:3, 3]


def measure_limb(machine: JointedBodies, tip: Tip, shapes: Soles | None = None) -> RobotLimb:
    """Measures a limb: the elbow is the joint for which the lesser of its axis' distances from
    shoulder and wrist is the largest."""
    tree = machine.tree
    names = [name for name in tip.joints if name in machine.names]
    bodies = [machine.body_of[tree.joint_index[name]] for name in names]
    turning = [body for body in bodies if not machine.slides[body]]
    end = _find_end(machine, tip, shapes or {})
    axes = {body: _axis(machine, body) for body in turning}
    best: tuple[float, int, Vector, Vector] | None = None
    for place in range(2 if len(turning) >= 5 else 1, len(turning)):
        shoulder = _nearest([axes[body] for body in turning[max(place - 3, 0) : place]])
        wrist = _find_wrist(axes, turning[place:], shoulder, end)
        elbow = axes[turning[place]]
        score = min(_distance(shoulder, elbow), _distance(wrist, elbow))
        if best is None or score > best[0]:
            best = score, turning[place], shoulder, wrist
    if best is None:
        best = 0.0, bodies[-1], machine.zero[machine.places[bodies[0]]][:3, 3], end
    _, lower, shoulder, wrist = best
    return _stretch(machine, tip, bodies, (lower, shoulder, wrist, end))


def _find_wrist(
    axes: dict[int, tuple[Vector, Vector]], beyond: list[int], shoulder: Vector, end: Vector
) -> Vector:
    point, direction = axes[beyond[0]]
    middle = point + ((shoulder - point) @ direction) * direction
    away = {body: _distance(middle, axes[body]) for body in beyond[1:]}
    farthest = max(away.values(), default=0.0)
    if farthest < 0.25 * float(np.linalg.norm(middle - shoulder)):
        return end
    return _nearest([axes[body] for body, far in away.items() if far > 0.5 * farthest])


def _stretch(
    machine: JointedBodies, tip: Tip, bodies: list[int], found: tuple[int, Vector, Vector, Vector]
) -> RobotLimb:
    lower, shoulder, wrist, end = found
    upper, carrier = machine.parents[lower], machine.parents[bodies[0]]
    point, direction = _axis(machine, lower)
    # The limb bends in one plane: where the axes before it meet beside that, it is not slanted.
    shoulder = shoulder + ((wrist - shoulder) @ direction) * direction
    one, other = shoulder - point, wrist - point
    one, other = (each - (each @ direction) * direction for each in (one, other))
    angle = np.pi - np.arctan2(direction @ np.cross(one, other), one @ other)
    turn = rotations_about(direction[None], np.array([angle]))[0]
    line = point + turn @ (wrist - point) - shoulder
    length = float(np.linalg.norm(line))
    line = line / max(length, 1e-9)
    hand = bodies[-1]
    turns = {body: frame_of(machine, body) for body in (carrier, upper, lower, hand)}
    along = end - wrist
    beyond = [body for body in bodies if lower in machine.chains[body] and body != lower]
    is_short = float(np.linalg.norm(along)) < 0.05 * length
    return RobotLimb(
        kind="arm",
        side="",
        link=tip.link,
        joints=tuple(name for name in tip.joints if name in machine.names),
        carrier=carrier,
        shoulder=turns[carrier][:3, :3].T @ (shoulder - turns[carrier][:3, 3]),
        upper=upper,
        lower=lower,
        along_upper=turns[upper][:3, :3].T @ line,
        along_lower=(turn @ turns[lower][:3, :3]).T @ line,
        wrist=turns[lower][:3, :3].T @ (wrist - turns[lower][:3, 3]),
        hand=hand,
        along_hand=np.zeros(3)
        if is_short or not beyond
        else turns[hand][:3, :3].T @ (along / np.linalg.norm(along)),
        length=length,
        is_flat=len(beyond) >= _ANKLE,
    )


def frame_of(machine: JointedBodies, body: int) -> Matrix:
    """Returns the frame (4, 4) of a body at zero, which is its joint's."""
    place = machine.places[body]
    frame: Matrix = machine.zero[place] @ np.linalg.inv(machine.frames[place])
    return frame


def shoulder_of(machine: JointedBodies, limb: RobotLimb) -> Vector:
    """Returns where a limb begins, (3,), at zero."""
    frame = frame_of(machine, limb.carrier)
    placed: Vector = frame[:3, 3] + frame[:3, :3] @ limb.shoulder
    return placed


def wrist_of(machine: JointedBodies, limb: RobotLimb) -> Vector:
    """Returns where the lower part of a limb ends, (3,), at zero."""
    frame = frame_of(machine, limb.lower)
    placed: Vector = frame[:3, 3] + frame[:3, :3] @ limb.wrist
    return placed


def _find_left(
    machine: JointedBodies,
    pairs: list[tuple[Tip, Tip]],
    limbs: list[tuple[RobotLimb, ...]],
    normal: Vector,
) -> Vector:
    """Returns the direction to the left: as the names of partners have it, else along +y."""
    vote = 0
    for pair, (one, other) in zip(pairs, limbs, strict=True):
        across = float(normal @ (shoulder_of(machine, one) - shoulder_of(machine, other)))
        for first, second in zip(pair[0].joints, pair[1].joints, strict=False):
            vote += compare_sides(first, second) * int(np.sign(across))
    if not vote:
        vote = 1 if normal.sum() >= 0 else -1
        if abs(normal[2]) > 0.7:
            vote = -vote  # With y up and x forward, left is along -z.
    left: Vector = normal * np.sign(vote)
    return left


def _sort_sides(
    machine: JointedBodies, pair: tuple[RobotLimb, ...], left: Vector
) -> tuple[RobotLimb, ...]:
    """The left limb first, judged by the roots: arms may cross at zero."""
    ordered = sorted(pair, key=lambda limb: -float(shoulder_of(machine, limb) @ left))
    return tuple(replace(limb, side=s) for limb, s in zip(ordered, ("left", "right"), strict=True))


def _tell_legs(
    machine: JointedBodies, pairs: list[tuple[RobotLimb, ...]], up: Vector
) -> tuple[list[tuple[RobotLimb, ...]], list[tuple[RobotLimb, ...]]]:
    """Tells legs and arms: the lowest pairs are legs, unless their names say arms."""
    heights = machine.zero[:, :3, 3] @ up
    low, high = float(heights.min()), float(heights.max())

    def end(pair: tuple[RobotLimb, ...]) -> float:
        links = [machine.tree.index[limb.link] for limb in pair]
        ends = [float(wrist_of(machine, limb) @ up) for limb in pair]
        return min(float(heights[links].mean()), *ends)

    def seems(pair: tuple[RobotLimb, ...]) -> int:
        named = " ".join([*pair[0].joints, pair[0].link])
        return len(_LEG.findall(named)) - len(_ARM.findall(named))

    slack = _LOW * (high - low)
    legs = [p for p in pairs if seems(p) > 0 or (seems(p) == 0 and end(p) < low + slack)]
    arms = [p for p in pairs if p not in legs]
    # Of several pairs of arms the longest are a person's.
    return legs, sorted(arms, key=lambda pair: -pair[0].length)[:1]


def measure_feet(machine: JointedBodies, anatomy: Anatomy, soles: Soles) -> Anatomy:
    """Returns the anatomy with the height of each ankle above the ground, by the lowest points of
    the last body of its leg: `soles` are shapes of links."""
    up = anatomy.axes[:, 2]
    legs = []
    for limb in anatomy.legs:
        ankle = float(up @ wrist_of(machine, limb))
        lowest = [float((each @ up).min()) for each in _place_shapes(machine, limb.hand, soles)]
        lowest += [
            float(machine.zero[place, :3, 3] @ up)
            for place, body in enumerate(machine.body_of)
            if body == limb.hand and not soles.get(machine.tree.links[place].name)
        ]
        legs.append(replace(limb, height=max(ankle - min(lowest, default=ankle), 0.0)))
    return replace(anatomy, legs=tuple(legs))


def foot_links(machine: JointedBodies, anatomy: Anatomy) -> Set[str]:
    """Returns the links that are parts of feet."""
    return links_of(machine, {limb.hand for limb in anatomy.legs})


def links_of(machine: JointedBodies, bodies: Set[int]) -> Set[str]:
    """Returns the links that are parts of some bodies."""
    links = zip(machine.tree.links, machine.body_of, strict=True)
    return {link.name for link, body in links if body in bodies}
