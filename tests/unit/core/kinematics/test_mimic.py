# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others."""

from dataclasses import replace
from math import inf

import mujoco
import pytest

from support.seconds import within
from support.source_tree import ROOT
from urdf_importer import EngineOptions, export_robot, read_robot
from urdf_importer.core.diagnostics import Diagnostics, Severity
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.motion import follow_to_masters
from urdf_importer.core.kinematics.tree import plan_tree, retrace_tree
from urdf_importer.core.model import Limit, Link, Mimic
from urdf_importer.formats.urdf.read.robot import read_robot_text

DATA = ROOT / "tests" / "data"


def motions_of(robot, *codes):
    diagnostics = Diagnostics()
    tree = plan_tree(robot, diagnostics)
    assert [item.code for item in diagnostics] == list(codes)
    return tree.joint_motions


def followers(motions):
    return {m.joint.name: m.mimic.joint for m in motions if m.mimic}


def test_chain_is_multiplied_out(chain):
    robot = chain(
        {},
        {"mimic": Mimic(joint="j1", multiplier=2.0, offset=0.25)},
        {"mimic": Mimic(joint="j2", multiplier=-0.5, offset=0.1)},
    )
    masters = follow_to_masters(motions_of(robot, "mimic-limits"))
    assert masters["j2"] == Mimic(joint="j1", multiplier=2.0, offset=0.25)
    assert masters["j3"] == Mimic(joint="j1", multiplier=-1.0, offset=pytest.approx(-0.025))


def test_followers_follow_whatever_is_said_of_them(chain):
    robot = chain({}, {"mimic": Mimic(joint="j1", multiplier=2.0, offset=0.25)})
    positions = complete_positions(motions_of(robot, "mimic-limits"), {"j1": 0.5, "j2": 99.0})
    assert positions == {"j1": 0.5, "j2": 1.25}


def test_source_at_zero_still_gives_the_offset(chain):
    robot = chain({}, {"mimic": Mimic(joint="j1", offset=0.25)})
    assert complete_positions(motions_of(robot, "mimic-limits"), {}) == {"j2": 0.25}


def test_turning_joint_may_follow_a_sliding_one(chain):
    robot = chain({"type": "prismatic"}, {"mimic": Mimic(joint="j1", multiplier=10.0)})
    assert followers(motions_of(robot, "mimic-limits")) == {"j2": "j1"}


def test_unknown_source(chain):
    robot = chain({"mimic": Mimic(joint="ghost")})
    assert followers(motions_of(robot, "mimic-unknown-joint")) == {}


@pytest.mark.parametrize("kind", ["fixed", "floating", "planar"])
def test_source_without_a_single_position(chain, kind):
    robot = chain({"type": kind}, {"mimic": Mimic(joint="j1")})
    assert followers(motions_of(robot, "mimic-ignored")) == {}


def test_fixed_joint_can_not_follow(chain):
    robot = chain({}, {"type": "fixed", "mimic": Mimic(joint="j1")})
    assert followers(motions_of(robot, "mimic-ignored")) == {}


def test_joint_that_mimics_itself(chain):
    assert followers(motions_of(chain({"mimic": Mimic(joint="j1")}), "mimic-ring")) == {}


def test_only_joints_on_the_ring_are_set_free(chain):
    robot = chain(
        {"mimic": Mimic(joint="j3")},
        {"mimic": Mimic(joint="j1")},
        {"mimic": Mimic(joint="j2")},
        {"mimic": Mimic(joint="j3", multiplier=3.0)},
    )
    motions = motions_of(robot, "mimic-ring", "mimic-ring", "mimic-ring", "mimic-limits")
    assert followers(motions) == {"j4": "j3"}


def test_long_chain_of_followers_takes_linear_time(chain):
    robot = chain({}, *({"mimic": Mimic(joint=f"j{i}", offset=1.0)} for i in range(1, 3000)))
    assert follow_to_masters(motions_of(robot, "mimic-limits"))["j3000"].offset == 2999.0


LEADER, OWN = (-0.5, 0.25), (-0.1, 0.2)


def follow_from(chain, leader, *mimics, own=OWN):
    """The ends of the last of a chain of joints, each of which follows the one before."""
    limits = [Limit(lower=low, upper=high) for low, high in (leader, *(own for _ in mimics))]
    joints = [{"limit": limits[0]}]
    for place, (mimic, limit) in enumerate(zip(mimics, limits[1:], strict=True), start=1):
        multiplier, offset = mimic
        mimic = Mimic(joint=f"j{place}", multiplier=multiplier, offset=offset)
        joints.append({"limit": limit, "mimic": mimic})
    diagnostics = Diagnostics()
    motions = plan_tree(chain(*joints), diagnostics).joint_motions
    return motions[-1].ends, [(item.severity, item.subject) for item in diagnostics]


@pytest.mark.parametrize(
    "leader, mimics, ends",
    [
        (LEADER, [(-1.0, 0.0)], (-0.25, 0.5)),
        (LEADER, [(2.0, 0.5)], (-0.5, 1.0)),
        (LEADER, [(2.0, 0.5), (-0.5, 1.0)], (0.5, 1.25)),
        (LEADER, [(0.0, 0.5)], (0.5, 0.5)),
        ((0.25, 0.25), [(-2.0, 1.0)], (0.5, 0.5)),
        ((-1e9, 1e9), [(-2.0, 1.0)], (-inf, inf)),
        ((-1e9, 0.25), [(-2.0, 1.0)], (0.5, inf)),
        ((-1e9, 1e9), [(0.0, 0.5)], (0.5, 0.5)),
    ],
)
def test_followers_go_where_their_leader_takes_them(chain, leader, mimics, ends):
    found, said = follow_from(chain, leader, *mimics)
    assert found == ends
    assert said == [(Severity.WARNING, "j2")]


def test_limits_that_stop_no_leader_are_a_note(chain):
    ends, said = follow_from(chain, LEADER, (-1.0, 0.0), own=(-3.0, 3.0))
    assert (ends, said) == ((-0.25, 0.5), [(Severity.NOTE, "j2")])


def test_rounded_limits_are_not_named_and_equal_ones_stay_as_they_are(chain):
    ends, said = follow_from(chain, (0.0, 0.725), (1.06, 0.0), own=(0.0, 0.769))
    assert (ends, said) == ((0.0, pytest.approx(0.7685)), [])
    ends, said = follow_from(chain, (0.0, 0.1), (3.0, 0.0), own=(0.0, 0.3))
    assert (ends, said) == ((0.0, 0.3), [])


GEARED = (("gearbox", "gears"),)


@pytest.mark.parametrize(
    "leader, ends, codes",
    [((-1e9, 1e9), OWN, []), (LEADER, (-0.5, 1.0), ["mimic-limits"])],
)
def test_joints_behind_a_gearbox_keep_their_stops_where_their_leader_has_none(
    chain, leader, ends, codes
):
    """Cassie's hips have stops, and the motors that turn them by gears have none."""
    limits = [Limit(lower=low, upper=high) for low, high in (leader, OWN)]
    mimic = Mimic(joint="j1", multiplier=-2.0, attributes=GEARED)
    robot = chain({"limit": limits[0]}, {"limit": limits[1], "mimic": mimic})
    assert motions_of(robot, *codes)[1].ends == ends


@pytest.mark.parametrize("suffix", [".xml", ".sdf", ".usda", ".proto", ".urdf"])
def test_every_format_has_the_range_of_the_leader(tmp_path, suffix):
    """URDF alone keeps its text."""
    diagnostics, target = Diagnostics(), tmp_path / f"jaws{suffix}"
    robot = read_robot(DATA / "follower_limits.urdf", diagnostics=diagnostics)
    options = EngineOptions(usd="physics") if suffix == ".usda" else None
    export_robot(robot, target, options=options, diagnostics=diagnostics)
    text = target.read_text()
    if suffix == ".urdf":
        assert text == (DATA / "follower_limits.urdf").read_text()
        return
    assert [item.code for item in diagnostics] == ["mimic-limits"]
    if suffix == ".proto":
        assert text.count("minPosition -0.04") == 1
        return
    again = read_robot(target, diagnostics=Diagnostics())
    found = {each.joint.name: each.ends for each in retrace_tree(again).joint_motions}
    assert found["right"] == pytest.approx((-0.04, 0.0))
    (own,) = (each.limit for each in again.joints if each.name == "right")
    assert (own.lower, own.upper) == pytest.approx((-0.04, 0.0))


def test_a_follower_without_limits_has_a_range_and_no_word(chain):
    robot = chain({}, {"type": "continuous", "mimic": Mimic(joint="j1", multiplier=3.0)})
    leader, follower = motions_of(robot)
    assert follower.ends == tuple(3.0 * end for end in leader.ends)


@pytest.mark.parametrize("axis, leader, multiplier", [
    ("slide", (0.0, 0.04), -1.0), ("hinge", (-0.2, 0.5), 0.5), ("slide", (0.1, 0.2), -0.4),
])  # fmt: skip
def test_mujoco_drives_leader_and_follower_to_their_ends(tmp_path, axis, leader, multiplier):
    """MuJoCo drives both to the ends of the leader, whatever the follower's own limits are."""
    kind = "prismatic" if axis == "slide" else "revolute"
    heavy = (
        "<inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' "
        "iyz='0'/></inertial>"
    )
    links = "".join(f"<link name='{name}'>{heavy}</link>" for name in "bcd")
    joints = "".join(
        f"<joint name='{name}' type='{kind}'><parent link='b'/><child link='{child}'/>"
        f"<origin xyz='0 {place} 0'/><axis xyz='0 0 1'/>"
        f"<limit lower='{low}' upper='{high}' effort='9' velocity='1'/>{more}</joint>"
        for name, child, place, (low, high), more in (
            ("lead", "c", 1, leader, ""),
            ("led", "d", -1, (0, 0.04), f"<mimic joint='lead' multiplier='{multiplier}'/>"),
        )
    )
    robot = read_robot_text(
        f"<robot name='r'>{links}{joints}</robot>".encode(),
        source="r.urdf",
        diagnostics=Diagnostics(),
    )
    target = tmp_path / "r.xml"
    export_robot(robot, target, diagnostics=Diagnostics())
    model = mujoco.MjModel.from_xml_path(str(target))
    model.opt.gravity[:] = 0.0
    data = mujoco.MjData(model)
    for force, end in ((1.0, leader[1]), (-1.0, leader[0])):
        data.qfrc_applied[0] = force
        mujoco.mj_step(model, data, 8000)
        assert data.qpos == pytest.approx([end, multiplier * end], abs=5e-3)


HAND = """<robot name="hand"><link name="palm"/>{links}{joints}</robot>"""


def finger(side, source):
    """A finger of two joints, the second of which mimics `source`."""
    links = "".join(f"<link name='{side}_{n}'/>" for n in ("arm", "one", "two"))
    joints = ""
    for name, parent, child, more in (
        ("shoulder", "palm", f"{side}_arm", ""),
        ("pinky_q1", f"{side}_arm", f"{side}_one", ""),
        ("pinky_q2", f"{side}_one", f"{side}_two", f"<mimic joint='{source}'/>"),
    ):
        joints += (
            f"<joint name='{side}_{name}' type='revolute'><parent link='{parent}'/>"
            f"<child link='{child}'/><axis xyz='1 0 0'/>"
            f"<limit lower='0' upper='1' effort='1' velocity='1'/>{more}</joint>"
        )
    return links, joints


def read_hands(*fingers):
    links, joints = ("".join(parts) for parts in zip(*fingers, strict=True))
    text = HAND.format(links=links, joints=joints)
    return read_robot_text(text.encode(), "hand.urdf", Diagnostics())


def test_of_joints_whose_names_end_so_the_one_in_the_same_limb_is_followed():
    robot = read_hands(finger("Right", "pinky_q1"), finger("Left", "pinky_q1"))
    diagnostics = Diagnostics()
    tree = plan_tree(robot, diagnostics)
    assert followers(tree.joint_motions) == {
        "Right_pinky_q2": "Right_pinky_q1",
        "Left_pinky_q2": "Left_pinky_q1",
    }
    assert [item.code for item in diagnostics] == ["mimic-unknown-joint"] * 2
    assert "'Right_pinky_q1' is used" in next(iter(diagnostics)).message


def test_of_two_joints_as_near_none_is_followed(chain):
    robot = read_hands(finger("Right", "Right_pinky_q1"), finger("Left", "Left_pinky_q1"))
    (shoulder, *others) = robot.joints
    base = replace(shoulder, name="base", parent="world", child="palm")
    asking = replace(base, mimic=Mimic(joint="pinky_q1"))
    robot = replace(robot, links=(Link(name="world"), *robot.links))
    robot = replace(robot, joints=(asking, shoulder, *others))
    diagnostics = Diagnostics()
    assert "base" not in followers(plan_tree(robot, diagnostics).joint_motions)
    (found,) = diagnostics
    assert "one of 'Right_pinky_q1', 'Left_pinky_q1' is likely meant" in found.message


def test_many_unknown_sources_take_linear_time():
    count = 4000
    links = "".join(f"<link name='l{n}'/>" for n in range(count + 1))
    joints = "".join(
        f"<joint name='j{n}' type='continuous'><parent link='l{n}'/><child link='l{n + 1}'/>"
        "<axis xyz='1 0 0'/><mimic joint='j'/></joint>"
        for n in range(count)
    )
    text = f"<robot name='r'>{links}{joints}</robot>"
    robot = read_robot_text(text.encode(), "r.urdf", Diagnostics())
    for _ in within(10):
        assert followers(plan_tree(robot, Diagnostics()).joint_motions) == {}
