# SPDX-License-Identifier: GPL-3.0-or-later
"""The wishes for a robot: directions of its limbs, turns of pelvis and chest, the way of its hips.

Turns are compared with those at zero: the person's forward, left and up with the robot's.
"""

from collections.abc import Sequence

import numpy as np

from ...core.kinematics.many_frames import BasePoses
from ..motion.trajectory import Numbers
from .body import PersonBody, PersonLimb, is_on_four
from .limbs import frame_of, shoulder_of
from .person import Person
from .plan import LimbPlan, Scene
from .solve import Flags, Wish, cross, orthonormalize, unit

_TRUNK, _HAND, _FOOT, _HIPS = 1.5, 0.1, 0.3, 4.0
"""Weights of turns of pelvis and chest, of hands, of feet, and of the place of the hips; limbs have
one. Tried: a trunk of 0.6 turns away, one of 3 bends shins; a hand of 0.3 bends the whole arm."""


_REACH, _STRETCHED = 30.0, 0.97
"""The weight of places of ends, by the length of the limb; the share of it that is used."""


def make_axes(left: Numbers, up: Numbers) -> Numbers:
    """Returns (m, 3, 3), columns forward, left and up: left as given, up as near as it can."""
    left = unit(left)
    forward = unit(cross(left, unit(up)))
    return np.stack([forward, left, cross(forward, left)], axis=2)


def heading_of(axes: Numbers) -> Numbers:
    """Returns upright axes (m, 3, 3) that look the same way."""
    up = np.tile([0.0, 0.0, 1.0], (len(axes), 1))
    left = axes[:, :, 1] * [1.0, 1.0, 0.0]
    flat = np.linalg.norm(left, axis=1) < 1e-3
    left[flat] = [0.0, 1.0, 0.0]
    return make_axes(left, up)


def set_scene(person: Person, body: PersonBody, scale: float, *, stays: bool) -> Scene:
    """Returns the person in the robot's size; seen from their own heading where the base stays."""
    points = person.points * scale
    low = [limb.root for limb in body.legs] or [limb.root for limb in body.arms]
    high = [limb.root for limb in body.arms] or low
    hips, shoulders = points[:, low].mean(axis=1), points[:, high].mean(axis=1)
    across = points[:, low[0]] - points[:, low[1]]
    above = points[:, high[0]] - points[:, high[1]]
    rise = float(np.median(np.linalg.norm(shoulders - hips, axis=1)))
    first = last = None
    for bone in body.spine:
        at = float(np.median(np.linalg.norm(points[:, bone] - hips, axis=1)))
        if first is None and at > 0.1 * rise:
            first = points[:, bone]
        if at < 0.75 * rise:
            last = points[:, bone]
    up = np.tile([0.0, 0.0, 1.0], (len(points), 1))
    if rise > 1e-6:
        lower = (shoulders if first is None else first) - hips
        upper = shoulders - (hips if last is None else last)
        if is_on_four(person, body):  # The spine is level.
            lower, upper = cross(lower, across), cross(upper, above)
        pelvis, chest = make_axes(across, lower), make_axes(above, upper)
    else:
        pelvis = chest = make_axes(across, up)
    way, seen = hips, pelvis if body.legs else chest
    if stays:
        facing = heading_of(seen)
        back = np.swapaxes(facing, 1, 2)
        points = (back[:, None] @ (points - hips[:, None])[..., None])[..., 0]
        pelvis, chest, hips = back @ pelvis, back @ chest, np.zeros_like(hips)
    return Scene(
        points=points, turns=person.turns, hips=hips, pelvis=pelvis, chest=chest, way=way,
        facing=seen, scale=scale,
    )  # fmt: skip


def aim_limbs(plan: LimbPlan) -> list[Wish]:
    """Returns the wishes for directions of upper and lower parts, and hands."""
    tasks, scene = [], plan.scene
    for place, match in enumerate(plan.matches):
        ours, theirs = match.robot, match.person
        if match.reaches:
            continue
        pieces = [
            (ours.upper, ours.along_upper, theirs.root, theirs.middle, 1.0),
            (ours.lower, ours.along_lower, theirs.middle, theirs.end, 1.0),
        ]
        if theirs.tip >= 0 and ours.along_hand.any() and theirs.kind != "leg":
            pieces.append((ours.hand, ours.along_hand, theirs.end, theirs.tip, _HAND))
        for body, local, a, b, weight in pieces:
            along = unit(scene.points[:, b] - scene.points[:, a])
            tasks.append(Wish(kind="aim", body=body, local=local, target=along @ plan.axes.T,
                              weight=weight, limb=place))  # fmt: skip
    return tasks


def reach_ends(plan: LimbPlan) -> list[Wish]:
    """Returns the wishes for the places of ends, of limbs that reach: as far from their roots as
    the person's, by the lengths of both."""
    tasks = []
    for place, match in enumerate(plan.matches):
        if not match.reaches:
            continue
        limb, theirs = match.robot, match.person
        away = plan.scene.points[:, theirs.end] - plan.scene.points[:, theirs.root]
        longest = float(np.percentile(np.linalg.norm(away, axis=1), 99))
        share = min(limb.length / max(longest, 1e-9), 1e3) * _STRETCHED
        root = shoulder_of(plan.machine, limb)
        if not plan.stays:
            turns = plan.scene.pelvis @ plan.anatomy.axes.T
            root = plan.scene.hips + turns @ (root - _middle_of_hips(plan))
        target = root + share * away @ plan.axes.T
        tasks.append(Wish(kind="reach", body=limb.lower, local=limb.wrist, target=target,
                          weight=_REACH / limb.length**2, limb=place))  # fmt: skip
    return tasks


def turn_body(plan: LimbPlan, body: int, wanted: Numbers) -> Numbers:
    """Returns the turns (m, 3, 3) of a body whose directions forward, left and up become these (m,
    3, 3): as with all joints at zero they are the robot's.
    """
    return wanted @ (plan.anatomy.axes.T @ frame_of(plan.machine, body)[:3, :3])


def turn_trunk(plan: LimbPlan) -> list[Wish]:
    """Returns the wishes for the turns of pelvis and chest."""
    anatomy, scene = plan.anatomy, plan.scene
    wishes = []
    if anatomy.legs and not plan.stays:
        wishes.append((anatomy.legs[0].carrier, scene.pelvis))
    if anatomy.arms:
        wishes.append((anatomy.arms[0].carrier, scene.chest))
    turns = ((b, turn_body(plan, b, plan.axes @ f)) for b, f in wishes if b or not plan.stays)
    return [Wish(kind="turn", body=body, target=turn, weight=_TRUNK) for body, turn in turns]


def turn_feet(plan: LimbPlan, flat: Sequence[Flags]) -> list[Wish]:
    """Returns the wishes for feet: turned as the person's, against standing feet; `flat` (m,) are
    the frames in which each limb is on the ground."""
    tasks = []
    for place, match in plan.legs:
        if match.robot.is_flat:
            body, axes = match.robot.hand, foot_axes(plan.scene, match.person, flat[place])
            turn = turn_body(plan, body, axes)
            tasks.append(Wish(kind="turn", body=body, target=turn, weight=_FOOT, limb=place))
    return tasks


def foot_axes(scene: Scene, limb: PersonLimb, stands: Flags) -> Numbers:
    """Returns the axes (m, 3, 3) of a person's foot: level in its usual standing pose, and turned
    with the ankle from there. Seen from above a foot whose heel is raised points backward."""
    if limb.tip < 0:
        return heading_of(scene.pelvis)
    along = unit(scene.points[:, limb.tip] - scene.points[:, limb.end])
    pitch = along[:, 2]
    away = np.abs(pitch - np.median(pitch[stands] if stands.any() else pitch))
    usual = away <= np.median(away[stands] if stands.any() else away)
    usual &= stands if stands.any() else usual
    ahead, up = along[usual], np.tile([0.0, 0.0, 1.0], (int(usual.sum()), 1))
    turns = scene.turns[:, limb.end]
    level = np.swapaxes(turns[usual], 1, 2) @ make_axes(cross(up, ahead), up)
    return turns @ orthonormalize(level.mean(axis=0, keepdims=True))


def carry_hips(plan: LimbPlan, weight: float = _HIPS) -> Wish:
    """Returns the wish for the place of the robot's hips, at scene.hips."""
    carrier = plan.anatomy.legs[0].carrier
    frame = frame_of(plan.machine, carrier)
    local = frame[:3, :3].T @ (_middle_of_hips(plan) - frame[:3, 3])
    return Wish(kind="reach", body=carrier, local=local, target=plan.scene.hips, weight=weight)


def _middle_of_hips(plan: LimbPlan) -> Numbers:
    """Returns the middle between the roots of all legs in the base's frame, at zero."""
    roots = [shoulder_of(plan.machine, limb) for limb in plan.anatomy.legs]
    middle: Numbers = np.mean(roots[:2], axis=0)
    return middle


def start_base(plan: LimbPlan) -> BasePoses:
    """Returns where the base begins: turned as the pelvis, with the hips in their place."""
    scene, count = plan.scene, len(plan.scene.hips)
    if plan.stays:
        return BasePoses(origins=np.zeros((count, 3)), turns=np.tile(np.eye(3), (count, 1, 1)))
    turns = scene.pelvis @ plan.anatomy.axes.T
    return BasePoses(origins=scene.hips - turns @ _middle_of_hips(plan), turns=turns)
