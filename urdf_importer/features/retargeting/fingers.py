# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingers: which follows which, and their joints, after the arms are known.

A finger's pieces are compared in the frames of both palms, so a wrist that cannot turn as the
person's does not bend fingers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ...core.geometry.transforms import Matrix, Vector
from ...core.kinematics.many_frames import BasePoses, JointedBodies
from ...core.kinematics.tips import Tip
from .body import PersonLimb, list_chains
from .limbs import frame_of, measure_limb
from .options import Pair
from .person import Person
from .solve import FrameSolver, State, Wish, unit
from .targets import make_axes

_T = TypeVar("_T")
_NAMES = ("thumb", "index", "mid", "ring", "pink|littl")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Finger:
    """A finger of a robot with all joints at zero, in the frame of its base: where it begins and
    ends, and the directions of its pieces in their bodies, from the palm on."""

    tip: Tip
    root: Vector
    end: Vector
    pieces: tuple[tuple[int, Vector], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hand:
    """Fingers of a robot's hand and the person's fingers that they follow, the thumb first; `axes`
    (3, 3) of the palm in its body: where fingers bend to, to the thumb's side, and along it."""

    side: str
    palm: int
    axes: Matrix
    wrist: int
    fingers: tuple[tuple[tuple[int, ...], _Finger], ...]
    across: tuple[int, int]


def match_hand(person: Person, limb: PersonLimb, machine: JointedBodies, palm: int) -> Hand | None:
    """Matches fingers of a person's arm with the fingers on a body of a robot; None where one has
    less than two."""
    theirs = [chain for chain in list_chains(person, limb.end) if len(chain) >= 3]
    ours = list(_find_fingers(machine, palm))
    if len(theirs) < 2 or len(ours) < 2:
        return None
    middle = person.points[len(person.points) // 2]
    roots = [chain[0] for chain in theirs]
    theirs = _sort(theirs, [middle[at] for at in roots], [person.names[at] for at in roots])
    ours = _sort(ours, [each.root for each in ours], [" ".join(each.tip.joints) for each in ours])
    others = ours[1:]
    along = sum((each.end - each.root for each in others), np.zeros(3))
    across = others[0].root - (others[-1].root if len(others) > 1 else ours[0].end)
    axes = make_axes(across[None], along[None])[0]
    # Some robots' index fingers are where a person's middle fingers are: only bending tells.
    axes[:, 0] *= _find_palmar(machine, others, axes[:, 0])
    # A long thumb or a metacarpal begins in the palm: the last three pieces bend.
    bent = [tuple(chain[-4:]) for chain in theirs]
    last = min(len(others), len(theirs) - 1)
    ends = (theirs[1][0], theirs[last][0] if last > 1 else theirs[0][-1])
    return Hand(
        side=limb.side,
        palm=palm,
        axes=frame_of(machine, palm)[:3, :3].T @ axes,
        wrist=limb.end,
        fingers=tuple(zip(bent, ours, strict=False)),
        across=ends,
    )


def _find_fingers(machine: JointedBodies, palm: int) -> Iterator[_Finger]:
    """Yields the branches of moving parts on a body."""
    for body in range(1, len(machine.parents)):
        if machine.parents[body] != palm:
            continue
        chains = [each.tolist() for each in machine.chains if body in each]
        chain = max(chains, key=len, default=[body])
        bodies = chain[chain.index(body) :]
        places = [place for place, own in enumerate(machine.body_of) if own == bodies[-1]]
        root = frame_of(machine, body)[:3, 3]
        away = np.linalg.norm(machine.zero[places, :3, 3] - root, axis=1)
        far = places[int(away.argmax())]
        names = [machine.names[machine.variables[each]] for each in bodies]
        link, joints = machine.tree.links[far].name, tuple(dict.fromkeys(names))
        tip = Tip(link=link, joints=joints, pointed=True)
        end = machine.zero[far, :3, 3]
        if len(tip.joints) > 1:
            limb = measure_limb(machine, tip)
            pieces = [(limb.upper, limb.along_upper), (limb.lower, limb.along_lower)]
            last = frame_of(machine, bodies[-1])
            if limb.lower != bodies[-1]:
                pieces.append((bodies[-1], last[:3, :3].T @ (end - last[:3, 3])))
        else:
            pieces = [(body, frame_of(machine, body)[:3, :3].T @ (end - root))]
        if np.linalg.norm(end - root) > 1e-4:
            own = tuple((each, unit(along)) for each, along in pieces)
            yield _Finger(tip=tip, root=root, end=end, pieces=own)


def _find_palmar(machine: JointedBodies, fingers: Sequence[_Finger], normal: Vector) -> float:
    """Returns 1 where fingers bend along the normal of a palm, -1 where they bend against it: by
    the middle of their joints' limits."""
    positions = machine.rest()
    for finger in fingers:
        for name in finger.tip.joints:
            column = machine.columns[name]
            positions[column] = (machine.lower[column] + machine.upper[column]) / 2.0
    base = BasePoses(origins=np.zeros((1, 3)), turns=np.eye(3)[None])
    turns = machine.pose(positions[None], base).turns[0]
    rest = machine.pose(machine.rest()[None], base).turns[0]
    pieces = [piece for finger in fingers for piece in finger.pieces]
    bent = sum(float(normal @ (turns[body] - rest[body]) @ along) for body, along in pieces)
    return 1.0 if bent >= 0.0 else -1.0


def _sort(fingers: list[_T], roots: Sequence[Vector], names: Sequence[str]) -> list[_T]:
    """Returns fingers with the thumb first, which is apart, and the others from there on; names
    decide where all fingers have one."""
    ranks = [
        next((n for n, known in enumerate(_NAMES) if re.search(known, name, re.IGNORECASE)), -1)
        for name in names
    ]
    if -1 in ranks or len(set(ranks)) < len(ranks):
        away = np.linalg.norm(np.array(roots)[:, None] - np.array(roots)[None], axis=2)
        thumb = int((away + np.diag([np.inf] * len(roots))).min(axis=1).argmax())
        far = int(away[thumb].argmax())
        keys = np.where(np.arange(len(roots)) == thumb, -np.inf, -away[far])
        ranks = np.argsort(np.argsort(keys)).tolist()
    return [fingers[place] for place in np.argsort(ranks, kind="stable").tolist()]


def bend_fingers(
    hands: Sequence[Hand], person: Person, machine: JointedBodies, state: State
) -> tuple[State, set[int]]:
    """Returns the state with fingers bent as the person's, and the joints that do so."""
    pose = machine.pose(state.positions, state.base)
    active: set[int] = set()
    wishes = []
    for hand in hands:
        points = person.points
        across = points[:, hand.across[0]] - points[:, hand.across[1]]
        middle = (points[:, hand.across[0]] + points[:, hand.across[1]]) / 2.0
        theirs = make_axes(across, middle - points[:, hand.wrist])
        theirs[:, :, 0] *= -1.0 if hand.side == "left" else 1.0
        turn = pose.turns[:, hand.palm] @ hand.axes @ np.swapaxes(theirs, 1, 2)
        for chain, finger in hand.fingers:
            active |= {machine.columns[name] for name in finger.tip.joints}
            spans = _split(chain, len(finger.pieces))
            for (body, local), (a, b) in zip(finger.pieces, spans, strict=True):
                target = (turn @ unit(points[:, b] - points[:, a])[:, :, None])[:, :, 0]
                wishes.append(Wish(kind="aim", body=body, local=local, target=target))
    if not wishes:
        return state, active
    return FrameSolver(machine, active, is_free=False).solve(wishes, state)[0], active


def _split(chain: tuple[int, ...], count: int) -> list[tuple[int, int]]:
    """Returns where the pieces of a finger begin and end, for so many of a robot's: the last one
    takes all that is left."""
    starts = [min(number, len(chain) - 2) for number in range(count)]
    ends = [*range(1, count), len(chain) - 1]
    return [(chain[a], chain[b]) for a, b in zip(starts, ends, strict=True)]


def describe_fingers(person: Person, hands: Sequence[Hand]) -> Iterator[Pair]:
    """Yields which finger follows which."""
    for hand in hands:
        for number, (chain, finger) in enumerate(hand.fingers):
            limb = f"{hand.side} finger {number}" if number else f"{hand.side} thumb"
            bones, tip = tuple(person.names[at] for at in chain if person.names[at]), finger.tip
            yield Pair(limb=limb, bones=bones, joints=tip.joints, link=tip.link)


def left_fingers(machine: JointedBodies, hands: Sequence[Hand]) -> Iterator[str]:
    """Yields the fingers of a robot that stay still."""
    for hand in hands:
        busy = {finger.tip.link for _, finger in hand.fingers}
        for finger in _find_fingers(machine, hand.palm):
            if finger.tip.link not in busy:
                yield f"the robot's finger {finger.tip.link} has no finger of the person to follow"
