# SPDX-License-Identifier: GPL-3.0-or-later
"""People's motion on real robots: nobody says which limb is which."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from support.linkages import gap_of
from support.people import (
    SAMPLE,
    dog,
    long_person,
    nameless,
    noisy,
    sample_person,
    turned,
    with_empty_bones,
    with_fingers,
    with_twist_bones,
)
from support.real_robots import ROOT
from support.seconds import within
from urdf_importer import (
    ArgumentError,
    Diagnostics,
    KinematicsError,
    RetargetOptions,
    find_limits,
    find_pairs,
    forward_kinematics,
    read_robot,
    retarget,
)
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.progress import finish
from urdf_importer.features.motion.check import check_motion
from urdf_importer.features.motion.frames import rotate
from urdf_importer.features.motion.limits import limits_of
from urdf_importer.features.retargeting.run import find_match, follow

G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"


@cache
def robot(path):
    return read_robot(ROOT / path, diagnostics=Diagnostics())


@cache
def result(path):
    return retarget(SAMPLE, robot(path), diagnostics=Diagnostics())


def solve(path, person, options=None):
    options = options or RetargetOptions()
    found = find_match(retrace_tree(robot(path)), person, options, frozenset())
    return finish(follow(found, options, {}, limits_of(robot(path), None, Diagnostics())))


ROBOTS = {
    G1: (4, 1.5),
    "talos_data/robots/talos_reduced.urdf": (4, 7.5),
    "icub_description/robots/icub.urdf": (4, 10.5),
    "romeo_description/urdf/romeo.urdf": (4, 19.5),
    "human_description/robots/human.urdf": (4, 2.0),
    "simple_humanoid_description/urdf/simple_humanoid.urdf": (4, 61.5),
    "pr2_description/urdf/pr2.urdf": (2, 4.5),
    "tiago_description/robots/tiago_dual.urdf": (2, 2.0),
    "tiago_pro_description/robots/tiago_pro.urdf": (2, 1.0),
    "baxter_description/urdf/baxter.urdf": (2, 12.5),
    "alex_description/urdf/alex_nub_hands.urdf": (2, 1.0),
    "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf": (2, 6.5),
}
"""Robot -> its limbs that follow, and a bound of the degrees by which each is off in 95 of 100
frames. The joints of simple_humanoid have limits of their neighbours."""


@pytest.mark.parametrize("path", ROBOTS)
def test_limbs_follow_within_limits_and_feet_stand(path):
    found = result(path)
    count, degrees = ROBOTS[path]
    assert len(found.limbs) == count
    assert max(limb.most for limb in found.limbs) < math.radians(degrees)
    # Limbs that are farther off than five degrees are named with their joints at limits.
    for limb in found.limbs:
        is_far = limb.most > math.radians(5.0)
        assert limb.limited or not is_far
        named = f"{limb.limb} {math.degrees(limb.most):.1f} (at limits: {' '.join(limb.limited)})"
        assert (named in found.message) == is_far
    assert found.slide < 0.002
    assert all(each.kind != "position" for each in found.limits)


@pytest.mark.parametrize("path", ROBOTS)
def test_without_limits_all_limbs_are_within_five_degrees(path):
    options = RetargetOptions()
    found = find_match(retrace_tree(robot(path)), sample_person(), options, frozenset())
    found.machine.lower[:], found.machine.upper[:] = -math.inf, math.inf
    free = replace(limits_of(robot(path), None, Diagnostics()), joints={})
    made = finish(follow(found, options, {}, free))
    joints = {pair.limb: pair.joints for pair in made.pairs}
    for limb in made.limbs:
        # Feet that stay in their place bend legs of other proportions. Without limits some arms
        # hang along their first axis, about which they may not jump, as is said.
        is_held = any(
            f"joint {name!r} " in each for name in joints[limb.limb] for each in made.held
        )
        assert "arm" in limb.limb or not is_held
        assert is_held or limb.most < math.radians(6.0 if "leg" in limb.limb else 5.0)
        assert limb.median < math.radians(4.0)
    assert made.slide < 0.002


def test_sides_are_the_persons():
    for path in (G1, "icub_description/robots/icub.urdf", "pr2_description/urdf/pr2.urdf"):
        for pair in find_pairs(SAMPLE, robot(path)):
            side = pair.limb.split()[0]
            assert all(bone.startswith(side.capitalize()) for bone in pair.bones)
            assert all(joint.startswith(side[0]) for joint in pair.joints)


def test_feet_are_on_the_ground_and_walk_as_far_as_the_legs_are_long():
    found = result(G1)
    track = found.trajectory.frames[0]
    for contact in found.contacts:
        row = int(contact.first + contact.last) // 2 - 1
        positions = dict(
            zip(found.trajectory.names, found.trajectory.positions[row].tolist(), strict=True)
        )
        foot = forward_kinematics(robot(G1), positions)[contact.link][:3, 3]
        height = rotate(track.quaternions[[row]], foot[None])[0, 2] + track.translations[row, 2]
        assert height == pytest.approx(0.035, abs=0.02)  # the ankle above the sole
    way = np.linalg.norm(np.diff(track.translations[:, :2], axis=0), axis=1).sum()
    person = sample_person().points[:, 0, :2]
    theirs = np.linalg.norm(np.diff(person, axis=0), axis=1).sum() * found.scale
    assert way == pytest.approx(theirs, rel=0.1)


@pytest.mark.parametrize("change", [nameless, turned, with_empty_bones, with_twist_bones])
def test_other_skeletons_give_the_same_motion(change):
    ours = solve(G1, sample_person()).trajectory.positions
    theirs = solve(G1, change(sample_person())).trajectory.positions
    assert np.percentile(np.abs(ours - theirs), 95) < math.radians(2.0)


def test_noise_does_not_make_feet_slide():
    assert solve(G1, noisy(sample_person())).slide < 0.002


@pytest.mark.parametrize(
    ("length", "seconds", "megabytes"),
    [(30.0, 3.0, 600.0), pytest.param(150.0, 15.0, 1500.0, marks=pytest.mark.slow)],
)
def test_thirty_seconds_of_29_joints_take_less_than_three(length, seconds, megabytes):
    resource = pytest.importorskip("resource")  # Windows has none.
    robot(G1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in within(seconds):
        found = solve(G1, long_person(length))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown / 1024.0 < megabytes
    assert len(found.trajectory.times) == 30 * length
    assert len(found.trajectory.names) == 29
    assert found.slide < 0.002


def test_the_same_input_gives_the_same_motion():
    one, other = (solve(G1, sample_person()).trajectory for _ in range(2))
    assert one == other


def test_held_and_retimed_speeds_keep_their_limits():
    path = "talos_data/robots/talos_reduced.urdf"
    assert any(each.kind == "velocity" for each in result(path).limits)
    for choice in ("hold", "retime"):
        options = RetargetOptions(velocity=choice)
        found = retarget(SAMPLE, robot(path), options=options, diagnostics=Diagnostics())
        limits = find_limits(robot(path))
        assert [each for each in found.limits if each.kind in ("velocity", "position")] == []
        assert set(found.trajectory.names) <= limits.keys()


def test_a_dog_walks_on_four_legs():
    path = "go2_description/urdf/go2.urdf"
    found = solve(path, dog())
    assert [pair.limb for pair in found.pairs] == ["left leg", "right leg"] * 2
    assert [pair.link for pair in found.pairs] == ["RL_foot", "RR_foot", "FL_foot", "FR_foot"]
    track = found.trajectory.frames[0]
    assert track.translations[-1, 0] - track.translations[0, 0] > 0.4
    assert found.slide < 0.005


def test_legs_on_closed_loops_stay_closed():
    path = "cassie_description/robots/cassie_v2.sdf"
    options = RetargetOptions(frames=(40, 80))
    found = retarget(SAMPLE, robot(path), options=options, diagnostics=Diagnostics())
    assert [pair.limb for pair in found.pairs] == ["left leg", "right leg"]
    motion = found.trajectory
    assert found.slide < 0.002
    assert [each for each in found.limits if each.kind == "position"] == []
    assert {"left-shin-tarsus-joint", "right-shin-tarsus-joint"} <= set(motion.names)
    for row in motion.positions.tolist():
        assert gap_of(robot(path), dict(zip(motion.names, row, strict=True))) < 1e-6


def test_a_base_that_drives_goes_forward_as_the_person_does():
    path = "pr2_description/urdf/pr2.urdf"
    options = RetargetOptions(base="drive")
    track = retarget(SAMPLE, robot(path), options=options, diagnostics=Diagnostics())
    base = track.trajectory.frames[0]
    assert np.ptp(base.translations[:, 2]) == 0.0
    ahead = rotate(base.quaternions, np.tile([1.0, 0.0, 0.0], (len(base.times), 1)))
    steps = np.diff(base.translations, axis=0)
    across = np.cross((ahead[1:] + ahead[:-1]) / 2, steps)[:, 2]
    assert np.abs(across).max() < 1e-4


def test_wheels_turn_as_a_base_that_drives_goes():
    path = "tiago_pro_description/robots/tiago_pro.urdf"
    options = RetargetOptions(base="drive")
    motion = retarget(SAMPLE, robot(path), options=options, diagnostics=Diagnostics()).trajectory
    wheels = [name for name in motion.names if "wheel" in name]
    assert len(wheels) == 4
    radius, distance = 0.0762, 2 * 0.223175
    angles = motion.select(wheels).positions
    left, right = (
        angles[:, [k for k, name in enumerate(wheels) if side in name]]
        for side in ("left", "right")
    )
    assert (np.ptp(left, axis=1) == 0.0).all()
    steps = np.diff(left[:, 0]), np.diff(right[:, 0])
    # Small straight steps of the middle between the wheels, which is the base's origin here.
    (base,) = motion.frames
    ahead = rotate(base.quaternions, np.tile([1.0, 0.0, 0.0], (len(base.times), 1)))
    heading = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    assert np.diff(heading) == pytest.approx((steps[1] - steps[0]) * radius / distance, abs=1e-9)
    way = (steps[0] + steps[1]) / 2 * radius
    lengths = np.linalg.norm(np.diff(base.translations, axis=0), axis=1)
    assert np.abs(way) == pytest.approx(lengths, abs=1e-4)
    assert way.sum() > 1.0


def test_a_way_that_a_drive_cannot_follow_is_told():
    person = sample_person()
    aside = np.linspace(0.0, 2.0, len(person.points))[:, None, None] * [1.0, 0.0, 0.0]
    size = np.ptp(person.points[:, :, 2], axis=1).max()
    swept = replace(person, points=person.points + aside * size)
    path = "pr2_description/urdf/pr2.urdf"
    options = RetargetOptions(base="drive")
    left = [solve(path, each, options).unmatched for each in (swept, person)]
    told = [any("off the path of the base" in each for each in texts) for texts in left]
    assert told == [True, False]


def test_frames_a_second_of_the_person_can_be_said():
    path = "tiago_pro_description/robots/tiago_pro.urdf"
    twice = RetargetOptions(fps=2 * sample_person().rate)
    plain, fast = (
        retarget(SAMPLE, robot(path), options=each, diagnostics=Diagnostics())
        for each in (RetargetOptions(), twice)
    )
    assert fast.trajectory.times == pytest.approx(plain.trajectory.times / 2)
    assert max(v.value for v in fast.limits) > max(v.value for v in plain.limits)
    for wrong in (0.0, math.nan, -1.0):
        with pytest.raises(ArgumentError):
            RetargetOptions(fps=wrong)


def test_the_longer_of_two_pairs_of_arms_follow_and_the_others_are_reported_once(tmp_path):
    links, joints = ['<link name="trunk"/>'], []
    for kind, size, height in (("upper", 0.4, 1.2), ("lower", 0.25, 0.9)):
        for side, sign in (("left", 1), ("right", -1)):
            above, place = "trunk", f"0 {0.2 * sign} {height}"
            for number, axis in enumerate(("1 0 0", "0 1 0", "0 1 0", "0 1 0")):
                name = f"{side}_{kind}_arm_{number}"
                links.append(f'<link name="{name}"/>')
                joints.append(
                    f'<joint name="{name}_joint" type="continuous"><parent link="{above}"/>'
                    f'<child link="{name}"/><origin xyz="{place}"/><axis xyz="{axis}"/></joint>'
                )
                above, place = name, f"0 0 {-size if number else 0.0}"
    path = tmp_path / "four_arms.urdf"
    path.write_text(f"<robot name='four_arms'>{''.join(links + joints)}</robot>")
    four = read_robot(path, diagnostics=Diagnostics())
    found = retarget(SAMPLE, four, diagnostics=Diagnostics())
    assert {pair.link for pair in found.pairs} == {"left_upper_arm_3", "right_upper_arm_3"}
    alone = [each for each in found.unmatched if "lower_arm_3" in each]
    assert len(alone) == 2 and alone[0] != alone[1]
    # They are partners of each other.
    assert all(each.endswith("has no limb to follow") for each in alone)


def test_parts_and_pairs_choose():
    arms = solve(G1, sample_person(), RetargetOptions(parts="arms"))
    assert {pair.limb for pair in arms.pairs} == {"left arm", "right arm"}
    assert not arms.trajectory.frames
    assert not any("waist" in name for name in arms.trajectory.names)
    crossed = RetargetOptions(
        pairs=(("LeftHand", "right_elbow_joint"), ("RightHand", "left_elbow_link"))
    )
    pairs = find_pairs(SAMPLE, robot(G1), options=crossed)
    links = {pair.bones[0]: pair.link for pair in pairs if "Arm" in pair.bones[0]}
    assert links == {"LeftArm": "right_rubber_hand", "RightArm": "left_rubber_hand"}


@pytest.mark.parametrize(
    ("path", "pairs", "bending"),
    [
        # Followers of one joint bend with it.
        ("alex_description/urdf/alex_psyonic_hands.urdf", (), "Left_index_q1 Right_pinky_q1"),
        (
            "allegro_hand_description/urdf/allegro_right_hand.urdf",
            (("RightHand", "palm_link"),),
            "joint_1.0 joint_2.0 joint_6.0 joint_9.0",
        ),
        (
            "allegro_hand_description/urdf/allegro_left_hand.urdf",
            (("LeftHand", "palm_link"),),
            "joint_1.0 joint_2.0 joint_6.0 joint_9.0",
        ),
    ],
)
def test_fingers_close_with_the_persons(path, pairs, bending):
    person, closed = with_fingers(sample_person())
    found = solve(path, person, RetargetOptions(pairs=pairs))
    motion = found.trajectory
    for name in bending.split():
        column = motion.positions[:, motion.names.index(name)]
        assert np.corrcoef(column, closed)[0, 1] > 0.95, name
        assert np.ptp(column) > 0.5
    bones = {pair.link: pair.bones[0] for pair in found.pairs}
    for link, bone in bones.items():
        for name in ("thumb", "index", "middle", "ring", "pinky"):
            assert name not in link.lower() or name in bone.lower() or "Arm" in bone
    bounds = limits_of(robot(path), None, Diagnostics())
    assert not [v for v in check_motion(motion, bounds, {n: n for n in motion.names})
                if v.kind == "position"]  # fmt: skip


def test_a_hand_of_three_fingers_takes_thumb_index_and_middle():
    path = "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf"
    person, _closed = with_fingers(sample_person())
    found = solve(path, nameless(person))
    fingers = [pair for pair in found.pairs if "thumb" in pair.limb or "finger" in pair.limb]
    assert len(fingers) == 6
    named = dict(zip(nameless(person).names, person.names, strict=True))
    for pair in fingers:
        bone = named[pair.bones[0]].lower()
        assert any(f in bone and f in pair.link for f in ("thumb", "index", "middle"))
    # The same without fingers, or where they are not wanted: they are left alone.
    body = solve(path, person, RetargetOptions(parts="body"))
    for other in (solve(path, sample_person()), body):
        assert not any("_hand_" in name for name in other.trajectory.names)
        assert len(other.limbs) == 4


def test_one_arm_follows_by_a_pair():
    path = "ur_description/urdf/ur5_robot.urdf"
    with pytest.raises(KinematicsError, match="name limbs by pairs"):
        retarget(SAMPLE, robot(path))
    options = RetargetOptions(parts="hands", pairs=(("RightHand", "ee_link"),))
    found = retarget(SAMPLE, robot(path), options=options, diagnostics=Diagnostics())
    assert [pair.link for pair in found.pairs] == ["ee_link"]
    assert np.ptp(found.trajectory.positions, axis=0).max() > 0.2


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((("LeftHnd", "torso_link"),), "LeftHand"),
        ((("LeftHand", "left_elbow"),), "left_elbow"),
        ((("Head", "torso_link"),), "in no limb"),
    ],
)
def test_pairs_that_name_nothing_are_refused(pairs, said):
    with pytest.raises(KinematicsError, match=said):
        find_pairs(SAMPLE, robot(G1), options=RetargetOptions(pairs=pairs))


def test_options_that_make_no_sense_are_refused():
    for given in ({"scale": math.nan}, {"scale": -1.0}, {"frames": (5.0, 1.0)}, {"parts": "all"}):
        with pytest.raises(ArgumentError):
            RetargetOptions(**given)


def test_a_person_on_four_robot_legs_is_refused_in_a_sentence():
    with pytest.raises(KinematicsError, match="no limb of the person matches"):
        retarget(SAMPLE, robot("go2_description/urdf/go2.urdf"))
