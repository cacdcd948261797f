# SPDX-License-Identifier: GPL-3.0-or-later
"""Which limb of a robot follows which limb of a person: found, or as someone says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.diagnostics import KinematicsError, quote, unknown_name
from ...core.kinematics.many_frames import JointedBodies
from ...core.kinematics.tips import Tip
from ..motion.trajectory import Numbers
from .body import PersonBody, PersonLimb, is_on_four
from .limbs import Anatomy, measure_limb
from .options import Pair, RetargetOptions
from .person import Person
from .plan import Match


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matched:
    """The limbs that follow, and the parts that are left alone, each with the reason; `palms` are
    arms, and the bodies that nothing moves whose fingers follow theirs."""

    matches: tuple[Match, ...]
    unmatched: tuple[str, ...]
    palms: tuple[tuple[PersonLimb, int], ...] = ()

    @property
    def has_legs(self) -> bool:
        return any(match.robot.kind == "leg" for match in self.matches)


def match_limbs(
    person: Person,
    body: PersonBody,
    machine: JointedBodies,
    anatomy: Anatomy,
    options: RetargetOptions,
) -> Matched:
    """Matches legs with legs and arms with arms, left with left; pairs of the options win, pairs
    without a link leave a limb alone. Raises KinematicsError for pairs that name nothing, and where
    nothing matches."""
    given, palms, taken = [], [], set()
    for bone, name in options.pairs:
        theirs = _find_given(person, body, bone)
        taken.add(theirs.bones)
        ours = _match_given(theirs, machine, anatomy, name) if name else None
        if isinstance(ours, Match):
            given.append(ours)
        elif ours is not None:
            palms.append((theirs, ours))
    busy = {match.robot.link for match in given}
    if palms:  # A palm carries fingers.
        held = {palm for _, palm in palms}
        arms = tuple(limb for limb in anatomy.arms if limb.carrier not in held)
        legs = tuple(limb for limb in anatomy.legs if limb.carrier not in held)
        anatomy = replace(anatomy, arms=arms, legs=legs, others=(), spare=())
    found = [
        match
        for match in _match_kinds(person, body, anatomy)
        if match.person.bones not in taken and match.robot.link not in busy
    ]
    matches = [*given, *found]
    if options.parts not in ("auto", "body"):
        matches = [match for match in matches if match.robot.kind != "leg"]
    if options.parts == "hands":
        matches = [replace(match, reaches=True) for match in matches]
    unmatched = tuple(_left_alone(person, body, anatomy, matches, options))
    if not matches and not palms:
        reasons = "; ".join(unmatched) or "neither has a pair of limbs"
        message = f"no limb of the person matches one of the robot: {reasons}; name limbs by pairs"
        raise KinematicsError(message, source=person.source)
    return Matched(matches=tuple(matches), unmatched=unmatched, palms=tuple(palms))


def _match_kinds(person: Person, body: PersonBody, anatomy: Anatomy) -> Iterator[Match]:
    if len(anatomy.legs) == 4:
        if is_on_four(person, body):
            for one, other in zip(body.limbs, anatomy.legs, strict=True):
                # An animal's leg from where it begins to where it ends.
                whole = replace(one, root=min(one.bones), end=one.last, tip=-1)
                yield Match(person=whole, robot=other, reaches=True)
        return
    for theirs, ours in ((body.legs, anatomy.legs), (body.arms, anatomy.arms)):
        if len(theirs) == len(ours) == 2:
            yield from (Match(person=a, robot=b) for a, b in zip(theirs, ours, strict=True))


def _find_given(person: Person, body: PersonBody, bone: str) -> PersonLimb:
    """Finds the limb that a bone is in."""
    if bone not in person.names:
        raise unknown_name("the person has no bone", bone, [n for n in person.names if n])
    place = person.names.index(bone)
    found = next((limb for limb in body.limbs if place in limb.bones), None)
    if found is None:
        message = f"the bone {quote(bone)} is in no limb of the person"
        raise KinematicsError(message, source=person.source)
    return found


def _match_given(
    theirs: PersonLimb, machine: JointedBodies, anatomy: Anatomy, name: str
) -> Match | int:
    """Returns the match of a limb and a link or joint, or a body that nothing moves, and that
    carries fingers."""
    tree = machine.tree
    if name in tree.joint_index:
        link = tree.joint_index[name]
    elif name in tree.index:
        link = tree.index[name]
    else:
        raise unknown_name("the robot has no link or joint", name, [*tree.index, *tree.joint_index])
    for limb in anatomy.limbs:
        own = {tree.joint_index[joint] for joint in limb.joints}
        if link in own or machine.body_of[link] == limb.hand:
            return Match(person=theirs, robot=limb)
    joints = [
        tree.motions[machine.places[body]].joint.name
        for body in machine.chains[machine.body_of[link]].tolist()
    ]
    free = tuple(joint for joint in joints if joint in machine.names)
    body = machine.body_of[link]
    if not free and machine.parents.count(body) > 1:
        return body
    if not free:
        raise KinematicsError(f"no joint moves {quote(name)}, so it cannot follow")
    is_pointed = link != machine.places[body] or body in machine.parents
    tip = Tip(link=tree.links[link].name, joints=free, pointed=is_pointed)
    limb = replace(measure_limb(machine, tip, anatomy.shapes), side=theirs.side)
    return Match(person=theirs, robot=limb)


def _left_alone(
    person: Person,
    body: PersonBody,
    anatomy: Anatomy,
    matches: Sequence[Match],
    options: RetargetOptions,
) -> Iterator[str]:
    links = {match.robot.link for match in matches}
    roots = {match.person.end for match in matches} | {match.person.middle for match in matches}
    for limb in body.limbs:
        if limb.middle not in roots:
            yield f"the person's {limb.side} {limb.kind} has no limb that follows it"
    reason = "has no limb to follow"
    for tip in anatomy.spare:
        yield f"the robot's {tip.link} {reason}"
    if len(anatomy.legs) == 4 and not is_on_four(person, body):
        reason = "follows a quadruped's recording alone"
    if options.parts not in ("auto", "body"):
        reason = "is left out by parts"
    for ours in anatomy.limbs:
        if ours.link not in links:
            yield f"the robot's {ours.side} {ours.kind} ({ours.link}) {reason}"
    busy = {joint for match in matches for joint in match.robot.joints}
    for tip in anatomy.others:
        if tip.link not in links and not busy & set(tip.joints):
            yield f"the robot's {tip.link} has no partner on the other side"


def describe(person: Person, match: Match) -> Pair:
    places = [match.person.root, match.person.middle, match.person.end]
    limb, bones = match.robot, tuple(person.names[at] for at in places if person.names[at])
    return Pair(limb=name_limb(match), bones=bones, joints=limb.joints, link=limb.link)


def name_limb(match: Match) -> str:
    return f"{match.robot.side} {match.robot.kind}"


def person_length(points: Numbers, limb: PersonLimb) -> float:
    """Returns the length of a limb from its root to its end, stretched."""
    way = [(limb.root, limb.middle), (limb.middle, limb.end)]
    return sum(
        float(np.median(np.linalg.norm(points[:, b] - points[:, a], axis=1))) for a, b in way
    )


def find_scale(person: Person, matches: Sequence[Match]) -> float:
    """Returns robot by person: of legs, else of arms."""
    legs = [match for match in matches if match.robot.kind == "leg"] or list(matches)
    if not legs:
        return 1.0
    ours = sum(match.robot.length for match in legs)
    theirs = sum(person_length(person.points, match.person) for match in legs)
    if theirs < 1e-9:
        raise KinematicsError("the limbs of the person have no length", source=person.source)
    return ours / theirs
