# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames, axes and joints of SDF against products written out, by the rules of every version."""

import math
import time
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from support import real_robots
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    ReadError,
    forward_kinematics,
    list_models,
    read_robot,
    write_urdf,
)
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.tree import plan_tree


def read(tmp_path, text, version="1.9", codes=(), **options):
    path = tmp_path / "model.sdf"
    path.write_text(f'<sdf version="{version}">{text}</sdf>', encoding="utf-8")
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics, options=ImportOptions(**options))
    assert tuple(each.code for each in diagnostics) == tuple(codes)
    return robot


def frame(pose):
    result = np.eye(4)
    result[:3, :3] = Rotation.from_euler("xyz", pose[3:]).as_matrix()
    result[:3, 3] = pose[:3]
    return result


def words(numbers):
    return " ".join(map(repr, numbers))


def turn_about(axis, place, angle):
    """(4, 4), about a line in the model's frame."""
    result = np.eye(4)
    result[:3, :3] = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    result[:3, 3] = place - result[:3, :3] @ place
    return result


numbers = st.integers(-3000, 3000).map(lambda n: n / 1000)
poses = st.tuples(*[numbers] * 6)
axes = st.tuples(*[st.integers(-3, 3).map(float)] * 3).filter(any)
VERSIONS = ("1.2", "1.4", "1.5", "1.6", "1.7", "1.9", "1.12")


def test_axes_are_in_the_frame_that_the_version_says(tmp_path):
    @settings(max_examples=60)
    @given(st.sampled_from(VERSIONS), poses, poses, poses, axes, st.booleans(), numbers)
    def check(version, one, two, joint, axis, in_model, angle):
        """`one` and `two` are the links' poses, `joint` that of the joint in the second."""
        old = version in ("1.5", "1.6")
        use = "<use_parent_model_frame>1</use_parent_model_frame>" if old and in_model else ""
        named = ' expressed_in="__model__"' if in_model and not old and version > "1.6" else ""
        named = ' expressed_in="__model__"' if in_model and version == "1.12" else named
        text = f"""<model name="m"><link name="a"><pose>{words(one)}</pose></link>
            <link name="b"><pose>{words(two)}</pose></link>
            <joint name="j" type="revolute"><pose>{words(joint)}</pose>
            <parent>a</parent><child>b</child>
            <axis><xyz{named}>{words(axis)}</xyz>{use}</axis></joint></model>"""
        robot = read(tmp_path, text, version)
        place = frame(two) @ frame(joint)
        is_model = version in ("1.2", "1.4") or bool(use or named)
        line = np.array(axis) if is_model else place[:3, :3] @ axis
        wanted = turn_about(line, place[:3, 3], angle) @ frame(two)
        frames = forward_kinematics(robot, {"j": angle})
        assert frames["a"] == pytest.approx(frame(one), abs=1e-9)
        assert frames["b"] == pytest.approx(wanted, abs=1e-9)
        written = read_robot(write_urdf(robot, tmp_path / "out.urdf").path)
        seated = forward_kinematics(written, {"j": angle})["b"]
        child = next(each for each in robot.joints if each.name == "j").child_origin
        assert seated @ matrix_from_pose(child) == pytest.approx(wanted, abs=1e-9)

    check()


@pytest.mark.parametrize(
    ("version", "use", "wanted"),
    [("1.4", "", (0.0, 1.0, 0.0)), ("1.5", "", (1.0, 0.0, 0.0)), ("1.6", "", (1.0, 0.0, 0.0)),
     ("1.6", "1", (0.0, 1.0, 0.0)), ("1.6", "0", (1.0, 0.0, 0.0)), ("1.7", "", (1.0, 0.0, 0.0))],
)  # fmt: skip
def test_axes_in_a_named_frame_before_and_after_1_7(tmp_path, version, use, wanted):
    """The axis is y of a frame that is turned by a quarter about z, so x; or y of the model."""
    use = f"<use_parent_model_frame>{use}</use_parent_model_frame>" if use else ""
    text = f"""<model name="m"><link name="chassis"/>
        <link name="turned"><pose>0 0 0 0 0 {math.pi / 2}</pose></link>
        <link name="wheel"/><joint name="axle" type="revolute"><parent>chassis</parent>
        <child>wheel</child><axis><xyz expressed_in="turned">0 1 0</xyz>{use}</axis></joint>
        <joint name="weld" type="fixed"><parent>chassis</parent><child>turned</child></joint>
        </model>"""
    robot = read(tmp_path, text, version)
    axle = next(each for each in robot.joints if each.name == "axle")
    assert np.abs(axle.axis) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("order", [1, -1])
def test_long_chains_cost_in_proportion_to_their_length(tmp_path, order):
    """8,000 links and 2,000 take the same time for each, whichever way the joints are listed."""

    def take(count):
        joint = '<joint name="j{0}" type="fixed"><parent>a{0}</parent><child>a{1}</child></joint>'
        joints = [joint.format(number, number + 1) for number in range(count - 1)]
        links = "".join(f'<link name="a{number}"/>' for number in range(count))
        text = f'<model name="m">{links}{"".join(joints[::order])}</model>'
        start = time.process_time()
        robot = read(tmp_path, text)
        assert len(robot.joints) == count - 1
        return (time.process_time() - start) / count

    take(100)
    # Pauses of a machine only add, and seldom come twice.
    assert any(take(8000) < 2.5 * min(take(2000), take(2000)) for _ in range(2))


@settings(max_examples=40)
@given(poses, poses, poses, poses)
def test_poses_are_relative_to_what_they_name(tmp_path_factory, one, two, three, four):
    text = f"""<model name="m">
        <link name="a"><pose>{words(one)}</pose></link>
        <frame name="f" attached_to="a"><pose>{words(two)}</pose></frame>
        <model name="n"><pose relative_to="f">{words(three)}</pose>
          <link name="b"><pose>{words(four)}</pose>
            <visual name="v"><pose relative_to="__model__">{words(one)}</pose>
              <geometry><sphere><radius>1</radius></sphere></geometry></visual></link>
          <frame name="g"><pose relative_to="b">{words(two)}</pose></frame></model>
        <joint name="j" type="fixed"><pose relative_to="n::g">{words(three)}</pose>
          <parent>f</parent><child>n::b</child></joint></model>"""
    robot = read(tmp_path_factory.mktemp("sdf"), text)
    frames = forward_kinematics(robot)
    nested = frame(one) @ frame(two) @ frame(three)
    assert frames["f"] == pytest.approx(frame(one) @ frame(two), abs=1e-9)
    assert frames["n::b"] == pytest.approx(nested @ frame(four), abs=1e-9)
    assert frames["n::g"] == pytest.approx(nested @ frame(four) @ frame(two), abs=1e-9)
    link = next(each for each in robot.links if each.name == "n::b")
    shape = frames["n::b"] @ matrix_from_pose(link.visuals[0].origin)
    assert shape == pytest.approx(nested @ frame(one), abs=1e-9)
    joint = next(each for each in robot.joints if each.name == "j")
    assert (joint.parent, joint.child) == ("a", "n::b")


PART = """<link name="a"><pose>0 1 0 0 0 0.5</pose></link>
    <link name="b"><pose>1 0 0 0.3 0 0</pose></link>
    <frame name="tip" attached_to="b"><pose>0 0 2 0 0 0</pose></frame>
    <joint name="j" type="revolute"><parent>a</parent><child>b</child>
      <axis><xyz>0 1 0</xyz></axis></joint>"""


def test_nested_included_merged_and_flat_are_the_same(tmp_path):
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "model.config").write_text(
        '<model><name>p</name><sdf version="1.5">old.sdf</sdf>'
        '<sdf version="1.9">new.sdf</sdf><sdf version="9.9">future.sdf</sdf></model>'
    )
    (tmp_path / "part" / "new.sdf").write_text(
        f'<sdf version="1.9"><model name="p">{PART}</model></sdf>'
    )
    pose = "<pose>1 2 3 0.1 0.2 0.3</pose>"
    uri = "<uri>model://part</uri>"
    placed = f"""<include>{uri}<name>p</name><placement_frame>tip</placement_frame>
        <pose>1 2 3 0.1 0.2 0.3</pose></include>"""
    own = '<link name="base"/>'
    nested = read(tmp_path, f'<model name="m">{own}<model name="p">{pose}{PART}</model></model>')
    included = read(tmp_path, f'<model name="m">{own}<include>{uri}{pose}</include></model>')
    merged = read(
        tmp_path, f'<model name="m">{own}<include merge="true">{uri}{pose}</include></model>'
    )
    frames = [forward_kinematics(each, {name: 0.7}) for each, name in
              ((nested, "p::j"), (included, "p::j"), (merged, "j"))]  # fmt: skip
    assert frames[0].keys() == frames[1].keys()
    for name, wanted in frames[0].items():
        assert frames[1][name] == pytest.approx(wanted, abs=1e-12)
        assert frames[2][name.removeprefix("p::")] == pytest.approx(wanted, abs=1e-12)
    tip = forward_kinematics(read(tmp_path, f'<model name="m">{own}{placed}</model>'))["p::tip"]
    assert tip == pytest.approx(frame((1.0, 2.0, 3.0, 0.1, 0.2, 0.3)), abs=1e-9)
    assert forward_kinematics(read_robot(tmp_path / "part")).keys() == {
        "__model__",
        "a",
        "b",
        "tip",
    }


def two_links(joint, extra=""):
    return f"""<model name="m"><link name="a"/><link name="b"><pose>0 0 1 0 0 0</pose></link>
        {extra}<joint name="j" {joint}</joint></model>"""


ENDS = "<parent>a</parent><child>b</child>"


def test_two_axes_are_two_joints(tmp_path):
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 1</xyz></axis2>"
    for kind in ("universal", "revolute2"):
        robot = read(tmp_path, two_links(f'type="{kind}">{ENDS}{axes}'))
        frames = forward_kinematics(robot, {"j": 0.4, "j_axis2": -0.9})
        place = np.array([0.0, 0.0, 1.0])
        wanted = turn_about(np.array([1.0, 0.0, 0.0]), place, 0.4)
        wanted = wanted @ turn_about(np.array([0.0, 1.0, 1.0]), place, -0.9)
        assert frames["b"] == pytest.approx(wanted @ frame((0, 0, 1, 0, 0, 0)), abs=1e-9)


@pytest.mark.parametrize(
    ("pitch", "travel"),
    [("<screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / (2 * math.pi)),
     ("<thread_pitch>-20</thread_pitch>", 1 / 20), ("", -1.0)],
)  # fmt: skip
def test_a_screw_travels_as_it_turns(tmp_path, pitch, travel):
    axis = "<axis><xyz>0 0 2</xyz></axis>"
    robot = read(tmp_path, two_links(f'type="screw">{ENDS}{axis}{pitch}'), "1.8")
    frames = forward_kinematics(robot, {"j": 2.0})
    assert frames["b"][:3, 3] == pytest.approx((0.0, 0.0, 1.0 + 2.0 * travel), abs=1e-12)
    assert frames["b"][0, 0] == pytest.approx(math.cos(2.0))


def test_ball_and_endless_joints(tmp_path):
    ball = read(tmp_path, two_links(f'type="ball">{ENDS}'))
    assert ball.joints[0].type == "ball"
    limit = "<axis><xyz>0 0 1</xyz><limit><lower>-inf</lower><upper>1e16</upper>"
    limit += "<effort>-1</effort><velocity>3</velocity></limit></axis>"
    robot = read(tmp_path, two_links(f'type="revolute">{ENDS}{limit}'))
    assert robot.joints[0].type == "continuous"
    assert robot.joints[0].limit.velocity == 3.0 and robot.joints[0].limit.effort is None
    slide = read(tmp_path, two_links(f'type="prismatic">{ENDS}<axis><xyz>0 0 1</xyz></axis>'))
    diagnostics = Diagnostics()
    (motion,) = plan_tree(slide, diagnostics).joint_motions
    assert motion.lower is None and motion.upper is None and not len(diagnostics)


def test_mimic_counts_from_its_reference(tmp_path):
    axis = """<axis><xyz>0 0 1</xyz><mimic joint="k" axis="axis"><multiplier>2</multiplier>
        <offset>0.5</offset><reference>0.25</reference></mimic></axis>"""
    other = """<link name="c"/><joint name="k" type="revolute"><parent>a</parent>
        <child>c</child><axis><xyz>0 0 1</xyz></axis></joint>"""
    robot = read(tmp_path, two_links(f'type="revolute">{ENDS}{axis}', other), "1.11")
    angle = 2 * (0.75 - 0.25) + 0.5
    assert forward_kinematics(robot, {"k": 0.75})["b"][0, 0] == pytest.approx(math.cos(angle))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gearbox_couples_the_joints_of_its_ends(tmp_path, sign):
    """theta2 = -ratio theta1, each about its axis of the gearbox."""
    hinges = "".join(
        f"""<link name="{name}"/><joint name="{name}_j" type="revolute"><parent>a</parent>
        <child>{name}</child><axis><xyz>0 0 {axis}</xyz></axis></joint>"""
        for name, axis in (("c", 1), ("d", sign))
    )
    gears = """type="gearbox"><parent>c</parent><child>d</child><gearbox_ratio>3</gearbox_ratio>
        <gearbox_reference_body>a</gearbox_reference_body>
        <axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"""
    robot = read(tmp_path, two_links(gears, hinges))
    frames = forward_kinematics(robot, {"c_j": 0.2})
    assert math.atan2(frames["d"][1, 0], frames["d"][0, 0]) == pytest.approx(-0.6)


def test_second_parents_and_rings_become_loops(tmp_path):
    ring = "".join(
        f"""<joint name="{one}{other}" type="revolute"><parent>{one}</parent>
        <child>{other}</child><axis><xyz>0 1 0</xyz></axis></joint>"""
        for one, other in ("ab", "bc", "ca", "ac")
    )
    links = "".join(
        f'<link name="{n}"><pose>{i} 0 0 0 0 0</pose></link>' for i, n in enumerate("abc")
    )
    robot = read(tmp_path, f'<model name="m">{links}{ring}</model>')
    assert [each.name for each in robot.loops] == ["ca", "ac"]
    frames = forward_kinematics(robot)
    for loop in robot.loops:
        one = frames[loop.link1] @ matrix_from_pose(loop.origin1)
        other = frames[loop.link2] @ matrix_from_pose(loop.origin2)
        assert one == pytest.approx(other, abs=1e-12)


def test_the_world_is_a_link_above_all(tmp_path):
    joint = two_links('type="revolute"><parent>world</parent><child>b</child><axis/>')
    robot = read(tmp_path, joint)
    tree = plan_tree(robot, Diagnostics())
    assert tree.links[0].name == "__model__"
    assert {each.name for each in robot.links} >= {"world", "a", "b"}
    turned = read(
        tmp_path,
        two_links('type="revolute"><parent>b</parent><child>world</child><axis/>'),
        "1.6",
        codes=["sdf-world-child"],
    )
    frames = forward_kinematics(turned, {"j": 0.5})
    assert math.atan2(frames["b"][1, 0], frames["b"][0, 0]) == pytest.approx(-0.5)


def test_worlds_list_their_models(tmp_path):
    path = tmp_path / "yard.world"
    path.write_text(
        '<sdf version="1.6"><world name="w"><model name="one"><link name="a"/></model>'
        '<model name="two"><link name="b"/></model></world></sdf>'
    )
    assert list_models(path) == ("one", "two")
    with pytest.raises(ReadError, match="2 models: 'one', 'two'"):
        read_robot(path)
    assert read_robot(path, options=ImportOptions(model="two")).links[0].name == "b"
    with pytest.raises(ReadError, match="no model 'three'; it has 'one', 'two'"):
        read_robot(path, options=ImportOptions(model="three"))


CASSIE = real_robots.ROOT / "cassie_description" / "robots"


@pytest.mark.parametrize(("name", "loops"), [("cassie", 6), ("cassie_v2", 4)])
def test_cassie_stands_where_its_file_says(name, loops):
    """Its links' poses are in the model's frame: they can be read off the text."""
    diagnostics = Diagnostics()
    path = CASSIE / f"{name}.sdf"
    robot = read_robot(path, diagnostics=diagnostics)
    frames = forward_kinematics(robot)
    links = list(ElementTree.parse(path).iter("link"))
    assert len(links) > 20
    assert {each.code for each in diagnostics} <= {"inertia-triangle", "inertia-not-positive"}
    for link in links:
        numbers = [float(word) for word in (link.findtext("pose") or "0 0 0 0 0 0").split()]
        assert frames[link.get("name")] == pytest.approx(frame(numbers), abs=1e-9)
    assert len(robot.loops) == loops
    for loop in robot.loops:
        one = frames[loop.link1] @ matrix_from_pose(loop.origin1)
        other = frames[loop.link2] @ matrix_from_pose(loop.origin2)
        assert one == pytest.approx(other, abs=1e-12)


def test_a_robot_of_many_loops_is_read_in_a_blink(tmp_path):
    """As many links, joints and loops as the PR2 of Gazebo has."""
    shape = "<geometry><box><size>0.1 0.1 0.1</size></box></geometry>"
    links = "".join(
        f'<link name="l{i}"><pose>{0.1 * i} {i % 3} 0 0.1 0.2 {0.01 * i}</pose>'
        f'<visual name="v">{shape}</visual><collision name="c">{shape}</collision></link>'
        for i in range(44)
    )
    pairs = [((i - 1) // 2, i) for i in range(1, 44)] + [(i + 7, i + 22) for i in range(15)]
    joints = "".join(
        f'<joint name="j{number}" type="revolute"><pose>0.01 0 0 0 0 0.2</pose><parent>l{one}'
        f"</parent><child>l{other}</child><axis><xyz>0 0 1</xyz></axis></joint>"
        for number, (one, other) in enumerate(pairs)
    )
    seconds = []
    for _ in range(3):
        start = time.process_time()
        robot = read(tmp_path, f'<model name="m">{links}{joints}</model>')
        seconds.append(time.process_time() - start)
    assert (len(pairs), len(robot.loops)) == (58, 15)
    assert min(seconds) < 0.2


BALL = """<drake:ball_constraint><drake:ball_constraint_body_A>a</drake:ball_constraint_body_A>
  <drake:ball_constraint_body_B>b</drake:ball_constraint_body_B>
  <drake:ball_constraint_p_AP>1 2 3</drake:ball_constraint_p_AP>
  <drake:ball_constraint_p_BQ>0 0.5 0</drake:ball_constraint_p_BQ></drake:ball_constraint>"""


def test_ball_constraints_of_drake_close_loops(tmp_path):
    inner = f'<link name="a"/><link name="b"/>{BALL}{BALL}'
    robot = read(
        tmp_path, f'<model name="m"><link name="c"/><model name="n">{inner}</model></model>'
    )
    one, other = robot.loops
    assert (one.name, other.name) == ("n::a_to_n::b", "n::a_to_n::b_2")
    assert (one.type, one.link1, one.link2) == ("ball", "n::a", "n::b")
    assert (one.origin1.xyz, one.origin2.xyz) == ((1.0, 2.0, 3.0), (0.0, 0.5, 0.0))
    assert not any("ball_constraint" in extra.xml for extra in robot.extras)


@pytest.mark.parametrize(
    ("old", "new"), [(">b<", "><"), (">b<", ">a<"), (">b<", ">z<"), ("p_AP", "p_XP")]
)
def test_ball_constraints_that_hold_nothing_are_reported(tmp_path, old, new):
    model = f'<model name="m"><link name="a"/><link name="b"/>{BALL.replace(old, new)}</model>'
    assert read(tmp_path, model, codes=["loop-not-read"]).loops == ()


@pytest.mark.parametrize("end", ["", ' attached_to="f0"', ' attached_to="nowhere"'])
def test_long_rows_of_frames_end_in_frames_or_sentences(tmp_path, end):
    """Each frame stands in the next, longer than Python's stack: to a link, round, to nothing."""
    count = 3000
    row = "".join(f'<frame name="f{i}" attached_to="f{i + 1}"/>' for i in range(count))
    poses = "".join(
        f'<link name="l{i}"><pose relative_to="l{i + 1}">1 0 0 0 0 0</pose></link>'
        for i in range(count)
    )
    last = f'<frame name="f{count}"{end}/><link name="l{count}"/>'
    path = tmp_path / "model.sdf"
    path.write_text(f'<sdf version="1.9"><model name="m">{poses}{row}{last}</model></sdf>')
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics)
    assert len(robot.links) == (2 * count + 3 if not end else count + 2)
    assert len(diagnostics) == (count + 1 if end else 0)
    assert forward_kinematics(robot)["l0"][0, 3] == count
