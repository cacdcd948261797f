# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs that end in the shapes of their last link, hips beside their legs, quadrupeds, and joints
that do not jump: judged by where links are, not by what a limb is taken for."""

import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from support.paths import ROOT
from support.people import SAMPLE, dog, on_toes, sample_person
from support.real_robots import ROOT as ROBOTS
from urdf_importer import (
    Diagnostics,
    KinematicsError,
    RetargetOptions,
    forward_kinematics,
    read_robot,
    retarget,
)
from urdf_importer.core.geometry.transforms import rotations_about
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.progress import finish
from urdf_importer.features.motion.frames import rotate
from urdf_importer.features.motion.limits import limits_of
from urdf_importer.features.retargeting.person import Person
from urdf_importer.features.retargeting.retarget import load_shapes
from urdf_importer.features.retargeting.run import find_match, follow

DATA = ROOT / "tests" / "data" / "retargeting"
ONE_LINK = DATA / "forearm_with_hand.urdf"
SHANKS = DATA / "shank_feet.urdf"
G1 = ROBOTS / "g1_description/urdf/g1_29dof_rev_1_0.urdf"


def solve(robot, person, *, limited=True):
    options = RetargetOptions()
    load = partial(load_shapes, robot)
    found = find_match(retrace_tree(robot), person, options, frozenset(), load)
    limits = limits_of(robot, None, Diagnostics())
    if not limited:
        found.machine.lower[:], found.machine.upper[:] = -math.inf, math.inf
        limits = replace(limits, joints={})
    return finish(follow(found, options, {}, limits))


def places(robot, motion, link, point=(0.0, 0.0, 0.0)):
    """Where a point of a link is in the world, in every fifth frame."""
    (track,) = motion.frames
    found = []
    for row in range(0, len(motion.times), 5):
        positions = dict(zip(motion.names, motion.positions[row].tolist(), strict=True))
        frame = forward_kinematics(robot, positions)[link]
        placed = frame[:3, :3] @ np.array(point) + frame[:3, 3]
        found.append(rotate(track.quaternions[[row]], placed[None])[0] + track.translations[row])
    return np.array(found)


def angles(ours, theirs):
    one, other = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (ours, theirs))
    return np.degrees(np.arccos(np.clip((one * other).sum(axis=1), -1.0, 1.0)))


def way(person, start, end):
    rows = person.points[::5]
    return rows[:, person.names.index(end)] - rows[:, person.names.index(start)]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_forearm_that_is_one_link_with_its_hand_points_as_the_persons(side):
    robot = read_robot(ONE_LINK)
    result = retarget(SAMPLE, robot, diagnostics=Diagnostics())
    person, name = sample_person(), side.capitalize()
    shoulder, elbow = (
        places(robot, result.trajectory, f"{side}_{each}") for each in ("shoulder_roll", "forearm")
    )
    hand = places(robot, result.trajectory, f"{side}_forearm", (0.3, 0.0, 0.0))
    assert np.median(angles(elbow - shoulder, way(person, f"{name}Arm", f"{name}ForeArm"))) < 10.0
    assert np.median(angles(hand - elbow, way(person, f"{name}ForeArm", f"{name}Hand"))) < 10.0


@pytest.mark.parametrize("side", ["left", "right"])
def test_hips_whose_axes_meet_beside_the_leg_do_not_splay_it(side):
    robot = read_robot(ONE_LINK)
    result = retarget(SAMPLE, robot, diagnostics=Diagnostics())
    person, name = sample_person(), side.capitalize()
    hip, knee, ankle = (
        places(robot, result.trajectory, f"{side}_{each}") for each in ("thigh", "shin", "foot")
    )
    # They were slanted by 8 degrees.
    assert np.median(angles(knee - hip, way(person, f"{name}UpLeg", f"{name}Leg"))) < 4.0
    assert np.median(angles(ankle - knee, way(person, f"{name}Leg", f"{name}Foot"))) < 4.0


def test_a_limb_that_is_not_understood_is_said(tmp_path):
    bare = tmp_path / "bare.urdf"
    text = ONE_LINK.read_text()
    assert text.count("<collision>") == 4
    # Nothing tells where the forearm goes.
    bare.write_text(re.sub("<collision>.*</collision>", "", text))
    diagnostics = Diagnostics()
    result = retarget(SAMPLE, read_robot(bare), diagnostics=diagnostics)
    unclear = [each for each in diagnostics if each.code == "retarget-limb-unclear"]
    far = [each for each in result.limbs if each.most > math.radians(45) and not each.limited]
    assert [each.subject for each in unclear] == [each.limb for each in far]
    assert far and all("give a pair" in each.message for each in unclear)


def test_a_quadruped_does_not_follow_a_person_and_says_why():
    with pytest.raises(KinematicsError, match=r"LH_SHANK.* a quadruped's recording") as caught:
        retarget(SAMPLE, read_robot(SHANKS))
    assert "partner" not in str(caught.value)


@pytest.mark.parametrize("path", [SHANKS, ROBOTS / "go2_description/urdf/go2.urdf"])
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_quadruped_walks_with_its_trunk_level(path, is_reversed):
    person = dog()
    if is_reversed:  # Which pair is lower tells nothing.
        lift = np.array([0.002 if "Hind" in name else 0.0 for name in person.names])
        person = replace(person, points=person.points + lift[:, None] * [0.0, 0.0, 1.0])
    result = solve(read_robot(path, diagnostics=Diagnostics()), person)
    (track,) = result.trajectory.frames
    up = rotate(track.quaternions, np.tile([0.0, 0.0, 1.0], (len(track.times), 1)))
    assert up[:, 2].min() > math.cos(math.radians(15.0))
    bones = {pair.link: pair.bones[0] for pair in result.pairs}
    assert len(bones) == 4
    for link, bone in bones.items():
        assert ("Hind" in bone) == (link in ("RL_foot", "RR_foot", "LH_SHANK", "RH_SHANK"))
    assert result.slide < 0.005


def steps_of(person: Person, kind: str) -> np.ndarray:
    """How far the parts of both limbs and the trunk turn from frame to frame, at most."""
    chains = {
        "leg": (("UpLeg", "Leg"), ("Leg", "Foot"), ("Foot", "Toe")),
        "arm": (("Arm", "ForeArm"), ("ForeArm", "Hand")),
    }[kind]
    total = np.zeros((2, len(person.points) - 1))
    for row, side in enumerate(("Left", "Right")):
        for start, end in chains:
            along = (
                person.points[:, person.names.index(side + end)]
                - person.points[:, person.names.index(side + start)]
            )
            total[row] += np.radians(angles(along[1:], along[:-1]))
    return total


def test_a_foot_whose_heel_is_raised_beyond_upright_does_not_turn_round():
    person = on_toes(sample_person())
    result = solve(read_robot(G1, diagnostics=Diagnostics()), person)
    motion = result.trajectory
    for row, side in enumerate(("left", "right")):
        yaw = motion.select([f"{side}_hip_yaw_joint"]).positions[:, 0]
        assert np.ptp(yaw) < 1.2
        assert (np.abs(np.diff(yaw)) <= steps_of(person, "leg")[row] + 0.05).all()
    assert result.held == ()


def test_a_foot_turns_with_the_ankle_and_not_with_the_pelvis():
    plain, person = sample_person(), sample_person()
    turn = rotations_about(np.array([[0.0, 0.0, 1.0]]), np.array([0.5]))[0]
    points, turns = person.points.copy(), person.turns.copy()
    foot = person.names.index("LeftFoot")
    for bone, parent in enumerate(person.parents):
        if parent == foot:
            points[:, bone] = (points[:, bone] - points[:, foot]) @ turn.T + points[:, foot]
    turns[:, foot] = turn @ turns[:, foot]
    robot = read_robot(G1, diagnostics=Diagnostics())
    ours = solve(robot, replace(person, points=points, turns=turns)).trajectory
    theirs = solve(robot, plain).trajectory
    apart = [each.select(["left_hip_yaw_joint"]).positions[:, 0] for each in (ours, theirs)]
    assert np.median(apart[0] - apart[1]) == pytest.approx(0.5, abs=0.15)


def test_joints_that_would_jump_are_held_back_and_named():
    # Without limits the arms of this robot hang along the axis of their first joint.
    robot = read_robot(ROBOTS / "pr2_description/urdf/pr2.urdf", diagnostics=Diagnostics())
    result = solve(robot, sample_person(), limited=False)
    assert any("r_upper_arm_roll_joint" in each for each in result.held)
    steps = steps_of(sample_person(), "arm")
    trunk = 0.1  # The shoulders turn less than this from frame to frame.
    for pair in result.pairs:
        own = result.trajectory.select(list(pair.joints)).positions
        most = steps[("left", "right").index(pair.limb.split()[0])] + trunk + 0.05
        assert (np.abs(np.diff(own, axis=0)) <= most[:, None]).all()
