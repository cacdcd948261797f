# SPDX-License-Identifier: GPL-3.0-or-later
"""The tips of a robot: the links that people mean by its hands, feet and head, each with the joints
that bring it somewhere."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..geometry.transforms import matrix_from_pose
from ..model import Pose, Vector3
from .motion import JointMotion
from .tree import KinematicTree

MOST_TIPS = 16
"""In a robot with more limbs the ones moved by the most joints count."""

_MOST_OF_A_FINGER = 4
"""Joints beyond a branch that are still fingers, and not arms."""
_FEWEST = 2
"""One joint alone is turned itself."""
_LIMB = 3
"""From so many joints of its own on a limb moves alone, and the trunk stays."""
_FINGER = re.compile("finger|jaw|grip|claw", re.IGNORECASE)
_SENSOR = re.compile("sensor|camera|optical|depth|imu|fsr|laser|lidar|marker", re.IGNORECASE)
_AWAY = 1e-3
"""Metres from the last joint at which a frame belongs to a tool, and not to the joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """`joints` are the joints that move the link, without followers, from the root on. `pointed`
    means that the tip is at the link's frame: elsewhere that lies in the last joint, and the tip
    where the body ends."""

    link: str
    joints: tuple[str, ...]
    pointed: bool


def find_tips(
    tree: KinematicTree, effectors: Iterable[str] = (), passive: Iterable[str] = ()
) -> tuple[Tip, ...]:
    """Finds the tips of a robot: first the links `effectors`, then the ends of all other limbs that
    two joints or more move, a hand's palm instead of its fingers, no wheels. `passive` are joints
    that do not count."""
    idle, survey = frozenset(passive), survey_tree(tree)
    given = list(dict.fromkeys(tree.index[link] for link in effectors if link in tree.index))
    found = [_find_hand(tree, end, survey) for end in _find_ends(tree, survey)]
    chosen = given + _leave_out(tree, dict.fromkeys(found), given)
    trunk = _find_trunk(tree, chosen)
    tips = [
        _make_tip(tree, place, trunk, idle, given=place in given)
        for place in chosen
        if place in given or not (len(chosen) > 2 and _is_wheel(tree, place, survey))
    ]
    return tuple(tip for tip in tips if len(tip.joints) >= _FEWEST)[:MOST_TIPS]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """Data about each link of a tree, in tree order: `counts` of the joints that move it, scalar
    ones that follow none; the length of the way to it from its root, `ways` in metres; and the
    longest way to a link that it carries, `farthest`."""

    counts: tuple[int, ...]
    ways: tuple[float, ...]
    farthest: tuple[float, ...]


def survey_tree(tree: KinematicTree) -> Survey:
    """Computes a Survey of the tree."""
    counts: list[int] = []
    ways: list[float] = []
    for place, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        own = motion is not None and motion.is_scalar and motion.mimic is None
        step = 0.0 if motion is None else math.hypot(*_step_to(tree, place, motion.joint.origin))
        counts.append((counts[parent] if parent >= 0 else 0) + own)
        ways.append((ways[parent] if parent >= 0 else 0.0) + step)
    farthest = list(ways)
    for place in range(len(ways) - 1, -1, -1):
        parent = tree.parents[place]
        if parent >= 0:
            farthest[parent] = max(farthest[parent], farthest[place])
    return Survey(counts=tuple(counts), ways=tuple(ways), farthest=tuple(farthest))


def _step_to(tree: KinematicTree, place: int, origin: Pose) -> Vector3:
    """The way to a joint from the joint above it."""
    parent = tree.parents[place]
    if tree.child_frames is None:
        return origin.xyz
    x, y, z = (tree.child_frames[parent] @ (*origin.xyz, 1.0))[:3].tolist()
    return x, y, z


def find_palm(tree: KinematicTree, tip: int, survey: Survey) -> int:
    """Finds the link that fingers branch off, where `tip` is a finger's; else `tip`. Links are
    places in the tree. A part longer than everything before it is an arm, not a finger."""
    for place in tree.ancestors(tip):
        beyond = survey.counts[tip] - survey.counts[place]
        longer = survey.farthest[place] > 2.0 * survey.ways[place]
        if beyond > _MOST_OF_A_FINGER or longer or not survey.counts[place]:
            break
        branches = [child for child in tree.children[place] if _moves_below(tree, child)]
        if len(branches) > 1 and 2 * beyond < survey.counts[tip]:
            return place
    return tip


def _find_hand(tree: KinematicTree, end: int, survey: Survey) -> int:
    """Finds the link to move to a target: the palm, where the end is one finger of many or is
    named like a finger."""
    palm = find_palm(tree, end, survey)
    motion = tree.motions[palm]
    if palm == end and motion is not None and survey.counts[end] > _LIMB:
        named = f"{motion.joint.name} {motion.joint.child}"
        return tree.parents[end] if _FINGER.search(named) else end
    return palm


def _leave_out(tree: KinematicTree, found: Iterable[int], given: Sequence[int]) -> list[int]:
    """Leaves out fingers of other hands, and links that belong to effectors: links before them, and
    links below them."""
    others = {*found, *given}
    before = {each for place in given for each in tree.ancestors(place)}
    return [
        place
        for place in found
        if place not in before
        and not any(each in others for each in tree.ancestors(place) if each != place)
    ]


def _moves_below(tree: KinematicTree, place: int) -> bool:
    return any(_slides_or_turns(tree, each) for each in tree.subtree(place))


def _slides_or_turns(tree: KinematicTree, place: int) -> bool:
    motion = tree.motions[place]
    return motion is not None and motion.is_scalar


def _find_ends(tree: KinematicTree, survey: Survey) -> list[int]:
    """The last links that joints move, in tree order: not too many, the ones moved by the most
    joints."""
    still = np.ones(len(tree.links), dtype=bool)
    ends = []
    for place in range(len(tree.links) - 1, -1, -1):
        moves = _slides_or_turns(tree, place)
        if moves and still[place]:
            ends.append(place)
        if tree.parents[place] >= 0 and (moves or not still[place]):
            still[tree.parents[place]] = False
    most = sorted(ends, key=lambda place: (-survey.counts[place], place))
    return sorted(most[: 4 * MOST_TIPS])


def _is_wheel(tree: KinematicTree, place: int, survey: Survey) -> bool:
    """Whether the link rolls at the end of a robot's base, steered or not."""
    motion = tree.motions[place]
    endless = motion is not None and motion.kind == "revolute" and motion.lower is None
    return endless and survey.counts[place] <= _FEWEST


def _find_trunk(tree: KinematicTree, places: Sequence[int]) -> set[int]:
    """The links that carry two tips or more."""
    carried = [0] * len(tree.links)
    for place in places:
        for each in tree.ancestors(place):
            carried[each] += 1
    return {place for place, count in enumerate(carried) if count > 1}


def _make_tip(
    tree: KinematicTree, place: int, trunk: set[int], idle: frozenset[str], *, given: bool
) -> Tip:
    carried = any(_moves_below(tree, child) for child in tree.children[place])
    link, pointed = (place, True) if given or carried else _find_tool(tree, place)
    root = next(each for each in reversed([*tree.ancestors(place)]))
    moving = moving_joints(tree, tree.links[root].name, tree.links[place].name)
    joints = [name for name, each in moving.items() if each.is_scalar and name not in idle]
    own = [name for name in joints if tree.joint_index[name] not in trunk]
    return Tip(
        link=tree.links[link].name,
        joints=tuple(own if len(own) >= _LIMB else joints),
        pointed=pointed,
    )


def _find_tool(tree: KinematicTree, place: int) -> tuple[int, bool]:
    """Finds the frame that is fixed on the last link farthest from its joint, and whether there is
    one; sensors are not tools."""
    children = tree.child_frames
    offsets = {place: np.eye(4) if children is None else children[place]}
    best, farthest = place, _AWAY
    for each in tree.subtree(place)[1:]:
        motion = tree.motions[each]
        assert motion is not None
        offsets[each] = offsets[tree.parents[each]] @ matrix_from_pose(motion.joint.origin)
        if children is not None:
            offsets[each] = offsets[each] @ children[each]
        distance = float(np.linalg.norm(offsets[each][:3, 3]))
        sensor = _SENSOR.search(tree.links[each].name)
        if distance > farthest + 1e-9 and not sensor:
            best, farthest = each, distance
    return best, best != place


def moving_joints(tree: KinematicTree, base: str, link: str) -> dict[str, JointMotion]:
    """Returns the independent joints that move `link` against `base`, in the order of the way: the
    joints between the two, and the leaders of joints between them."""
    way = (tree.motions[place] for place in tree.path(base, link).places)
    names = (tree.lead(each.joint.name).joint for each in way if each is not None and each.moves)
    return {name: tree.motion_of[name] for name in names}
