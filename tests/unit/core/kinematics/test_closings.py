# SPDX-License-Identifier: GPL-3.0-or-later
"""What closes loops without a solver: the curves and sums alone give the solver's positions."""

import numpy as np
import pytest

from support.linkages import find_closings, gap_of, ring
from support.mechanisms import ankle, delta, five_bar, hexapod, planar_platform, steered_rod
from support.real_robots import ROOT as ROBOTS
from urdf_importer import Diagnostics, close_loops, forward_kinematics, read_robot
from urdf_importer.core.geometry.transforms import (
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotations_about,
)
from urdf_importer.core.kinematics.loops import find_freedom
from urdf_importer.core.kinematics.loops.blocks import ORDERS, angles_of, split_linkage
from urdf_importer.core.kinematics.loops.curves import LoopCurve
from urdf_importer.core.kinematics.loops.formulas import factors_of
from urdf_importer.core.kinematics.loops.programs import LoopProgram
from urdf_importer.core.kinematics.loops.surfaces import LoopSurface, evaluate_surface
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.rig.formulas import print_sum

CASSIE = ROBOTS / "cassie_description" / "robots"


def turn_in_order(angles, order):
    turned = np.eye(3)
    for letter in order:
        index = "XYZ".index(letter)
        turned = rotations_about(np.eye(3)[None, index], np.array([angles[index]]))[0] @ turned
    return turned


@pytest.mark.parametrize("order", ORDERS)
def test_angles_give_the_rotation_and_stay_near(order):
    random = np.random.default_rng(1)
    for near in random.uniform(-9.0, 9.0, (20, 3)):
        rotation = turn_in_order(near, order)
        found = angles_of(rotation, order, near + random.uniform(-0.01, 0.01, 3))
        assert turn_in_order(found, order) == pytest.approx(rotation, abs=1e-12)
        assert found == pytest.approx(near, abs=1e-9)


def plan(mechanism, tmp_path):
    tree = retrace_tree(read_robot(mechanism.write(tmp_path / "robot.sdf")))
    diagnostics = Diagnostics()
    freedom = find_freedom(tree)
    return tree, freedom, find_closings(tree, diagnostics), diagnostics


@pytest.mark.parametrize("kind", [five_bar, ankle])
@pytest.mark.parametrize("seed", [3, 4])
def test_sums_are_where_the_solver_is(kind, seed, tmp_path):
    tree, freedom, (surface,), diagnostics = plan(kind(np.random.default_rng(seed)), tmp_path)
    assert isinstance(surface, LoopSurface)
    assert list(diagnostics) == []
    low, high = surface.rectangle.T
    for places in np.random.default_rng(seed).uniform(low, high, (12, 2)):
        asked = dict(zip(surface.leaders, places.tolist(), strict=True))
        found = close_loops(tree, asked, freedom=freedom).positions
        shown = evaluate_surface(surface, places)
        for (name, _), number in zip(surface.own, shown, strict=True):
            if isinstance(found[name], float):
                assert number == pytest.approx(found[name], abs=2e-5)


def test_cranks_without_limits_are_held_where_all_can_be_reached(tmp_path):
    mechanism = five_bar(np.random.default_rng(5), span=None)
    tree, freedom, (surface,), diagnostics = plan(mechanism, tmp_path)
    assert {each.code for each in diagnostics} == {"loop-range"}
    corners = [(a, b) for a in surface.rectangle[0] for b in surface.rectangle[1]]
    for corner in corners:
        asked = dict(zip(surface.leaders, map(float, corner), strict=True))
        assert close_loops(tree, asked, freedom=freedom).reached
    assert np.ptp(surface.rectangle, axis=1).min() > 0.5


def test_a_rod_between_balls_is_drawn_for_the_whole_turn_and_does_not_spin(tmp_path):
    _, _, closings, _ = plan(steered_rod(np.random.default_rng(6)), tmp_path)
    rod = [each for each in closings if each.follower == "rod_ball"]
    assert [each.number for each in rod] == [0, 1, 2]
    assert all(isinstance(each, LoopCurve) and each.cyclic for each in closings)
    assert all(len(each.samples) < 400 for each in closings)
    for end in (0, -1):
        angles = [each.samples[end, 1] for each in rod]
        assert turn_in_order(angles, rod[0].order) == pytest.approx(np.eye(3), abs=1e-9)


def test_very_many_free_joints_stay_open_and_say_so():
    tree, diagnostics = retrace_tree(ring(17)), Diagnostics()
    assert find_closings(tree, diagnostics) == ()
    (message,) = diagnostics
    assert message.code == "loop-not-closed"
    assert "14 of its joints are free" in message.message


def where_solver_is(tree, freedom, program, places):
    """The solver's numbers of followers with one degree of freedom."""
    asked = dict(zip(program.leaders, places.tolist(), strict=True))
    found = close_loops(tree, asked, freedom=freedom)
    assert found.reached
    return {(name, 0): each for name, each in found.positions.items() if isinstance(each, float)}


@pytest.mark.parametrize("kind", [hexapod, planar_platform])
def test_formulas_are_where_the_solver_is(kind, tmp_path):
    tree, freedom, (program,), diagnostics = plan(kind(np.random.default_rng(3)), tmp_path)
    assert isinstance(program, LoopProgram)
    assert {each.code for each in diagnostics} <= {"loop-range"}
    corners = program.box[:, 0] + np.eye(len(program.box)) * np.ptp(program.box, axis=1)
    inside = np.random.default_rng(4).uniform(*program.box.T, (9, len(program.box)))
    places = np.vstack([corners, inside])
    shown = program.evaluate(places)
    for row, place in enumerate(places):
        wanted = where_solver_is(tree, freedom, program, place)
        for named in shown.keys() & wanted.keys():
            assert shown[named][row] == pytest.approx(wanted[named], abs=5e-6)


def test_formulas_keep_deltas_closed_and_their_plates_upright(tmp_path):
    """Rods side by side let the plate go anywhere, but not turn."""
    made = delta(np.random.default_rng(7))
    tree, _, (program,), diagnostics = plan(made, tmp_path)
    assert list(diagnostics) == []
    assert program.box == pytest.approx(np.tile((-0.5, 0.5), (3, 1)))
    rods = {f"rod_{i}{side}": f"elbow_{i}{side}" for i in range(3) for side in "ab"}
    assert set(program.followers) == {*rods.values(), "wrist_0a"}
    for places in np.random.default_rng(8).uniform(-0.5, 0.5, (6, 3)):
        numbers = program.evaluate(places[None])
        positions = dict(zip(program.leaders, places.tolist(), strict=True))
        for name in program.followers:
            angles = [float(numbers[name, index][0]) for index in range(3)]
            turn = turn_in_order(angles, program.orders[name])
            positions[name] = quaternion_from_rotation(turn)
        frames = forward_kinematics(tree.robot, positions, close_loops=False)
        assert gap_of(tree.robot, positions) < 2e-6
        assert frames["plate"][:3, :3] == pytest.approx(np.eye(3), abs=5e-6)


def test_formulas_are_short_enough_and_few(tmp_path):
    _, _, (program,), _ = plan(hexapod(np.random.default_rng(5)), tmp_path)
    lines = [program.sheet.lines[index] for index in program.list_lines()]
    printed = [print_sum(line, dict.fromkeys(factors_of(line), "q")) for line in lines if line]
    assert max(map(len, printed)) < 256
    assert len(lines) < 2000


def test_the_spring_of_cassies_knee_is_solved_before_its_heel():
    tree = retrace_tree(read_robot(CASSIE / "cassie.sdf"))
    freedom = find_freedom(tree)
    blocks = [
        block
        for linkage, moved in zip(freedom.linkages, freedom.moved, strict=True)
        for block in split_linkage(tree, linkage, moved)
    ]
    named = {block.loops: block for block in blocks}
    spring = named["left-shin-spring-joint",]
    heel = named["left-achilles-spring-joint",]
    assert [each.motion.joint.name for each in spring.outputs] == ["left-knee-shin-joint"]
    assert [each.motion.joint.name for each in heel.inputs] == [
        "left-knee-ip",
        "left-knee-spring-joint",
    ]
    assert "left-knee-shin-joint" not in {each.motion.joint.name for each in heel.outputs}
    foot = named["right-plantar-foot-joint",]
    assert [each.motion.joint.name for each in foot.inputs] == ["right-tarsus-crank-joint"]


def test_ball_joints_keep_their_turn_but_for_the_spin(tmp_path):
    """What the rod's two ends say of it is the solver's, though the spin is not."""
    tree, freedom, closings, _ = plan(steered_rod(np.random.default_rng(8)), tmp_path)
    rod = [each for each in closings if each.follower == "rod_ball"]
    place, *_ = rod[0].samples[len(rod[0].samples) // 3]
    found = close_loops(tree, {"crank_pin": float(place)}, freedom=freedom).positions["rod_ball"]
    angles = [each.samples[len(each.samples) // 3, 1] for each in rod]
    along = np.array((0.9, 0.15, 0.88))
    shown = turn_in_order(angles, rod[0].order) @ along
    assert shown == pytest.approx(rotation_from_quaternion(found) @ along, abs=1e-9)


def test_a_rod_whose_angles_change_in_a_moment_is_sampled_there(tmp_path):
    """Between two samples, 0.05 rad apart, this rod turns by 1.1 rad about itself."""
    path = tmp_path / "rod.sdf"
    path.write_text(STEEP_ROD)
    robot = read_robot(path)
    tree = retrace_tree(robot)
    curves = find_closings(tree, Diagnostics())
    slides = {(each.follower, each.number): each.samples for each in curves}
    for samples in slides.values():
        wide = np.diff(samples[:, 0]) > 1e-4
        assert np.abs(np.diff(samples[:, 1]))[wide].max() < 0.5
    spin = slides["jb", 2]
    steep = (spin[:, 0] > -3.15) & (spin[:, 0] < -3.05)
    assert steep.sum() > 20


STEEP_ROD = """<sdf version="1.7">
<model name="m">
<pose>1 2 3 .1 .2 .3</pose>
<link name="base">
<pose>0.723822112 -0.369457836 -0.995498257 0.27407695 1.157871226 1.974131963</pose>
<inertial>
<mass>1</mass>
<inertia>
<ixx>.1</ixx>
<iyy>.1</iyy>
<izz>.1</izz>
</inertia>
</inertial>
</link>
<link name="crank">
<pose
relative_to="base">-1.11835452 -0.028833018 1.720299254 1.377258677 0.263232754 2.546704554</pose>
<inertial>
<mass>1</mass>
<inertia>
<ixx>.1</ixx>
<iyy>.1</iyy>
<izz>.1</izz>
</inertia>
</inertial>
</link>
<link name="rod">
<pose
relative_to="base">0.108705942 1.032554195 0.471674297 -0.992040248 0.600406152 2.738567922</pose>
<inertial>
<mass>1</mass>
<inertia>
<ixx>.1</ixx>
<iyy>.1</iyy>
<izz>.1</izz>
</inertia>
</inertial>
</link>
<link name="rocker">
<pose
relative_to="base">-1.441144447 0.109109677 0.193293174 0.160194494 -1.002994168 0.436581311</pose>
<inertial>
<mass>1</mass>
<inertia>
<ixx>.1</ixx>
<iyy>.1</iyy>
<izz>.1</izz>
</inertia>
</inertial>
</link>
<joint name="ja" type="revolute">
<parent>base</parent>
<child>crank</child>
<pose>0.858770054 -1.435795727 0.744658696 2.722569287 -0.558263552 -1.218176392</pose>
<axis>
<xyz expressed_in="__model__">1.109261805 -0.019830492 0.055883661</xyz>
</axis>
</joint>
<joint name="jb" type="ball">
<parent>crank</parent>
<child>rod</child>
<pose
relative_to="crank">
1.035235585 -1.201815783 0.680523667 -0.490316668 -0.111884888 1.951157533</pose>
</joint>
<joint name="jd" type="revolute">
<parent>base</parent>
<child>rocker</child>
<pose
relative_to="base">-2.06703282 0.996160486 0.459809723 2.59581169 0.726662556 1.520673887</pose>
<axis>
<xyz expressed_in="base">-0.28596503 -0.737333283 -1.796408614</xyz>
<limit>
<lower>-1e16</lower>
<upper>1e16</upper>
</limit>
</axis>
</joint>
<joint name="jc" type="ball">
<parent>rod</parent>
<child>rocker</child>
<pose>-0.136662825 1.593162966 0.559485479 -2.487381336 0.135765795 -1.783188845</pose>
</joint>
</model>
</sdf>
"""
