# SPDX-License-Identifier: GPL-3.0-or-later
"""How the closing of loops is planned: what comes first, what is too much, what may fail."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from support.linkages import find_closings, four_bar, gap_of, make_robot, ring
from support.mechanisms import five_bar
from support.paths import TESTS
from urdf_importer import Diagnostics, ImportOptions, close_loops, plan_rig, read_robot
from urdf_importer.core.kinematics.loops import closings, find_freedom
from urdf_importer.core.kinematics.loops.blocks import split_linkage
from urdf_importer.core.kinematics.loops.closings import closing_steps
from urdf_importer.core.kinematics.loops.curves import LoopCurve
from urdf_importer.core.kinematics.loops.formulas import Sheet, add, line_of, scale, times
from urdf_importer.core.kinematics.loops.products import evaluate_curve
from urdf_importer.core.kinematics.loops.programs import LoopProgram
from urdf_importer.core.kinematics.loops.surfaces import evaluate_surface
from urdf_importer.core.kinematics.loops.tracing import Tracer
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Joint, LoopJoint, Pose, Robot
from urdf_importer.core.progress import Budget, BudgetSpentError, Progress

GRIPPER = TESTS / "data" / "mirrored_gripper.xml"
LEG = TESTS / "data" / "sprung_leg.xml"


def list_codes(diagnostics):
    return {each.code for each in diagnostics}


def hexagon_and_four_bar() -> Robot:
    """A ring with three free joints, which takes long, and after it a four bar, which does not."""
    bar = four_bar(0.3, 0.9, 0.7, 1.0, 1.2)
    assert bar is not None
    one = ring(6)
    loops = [replace(one.loops[0], name="ring"), replace(bar.loops[0], name="bar")]
    return make_robot([*one.joints, *bar.joints], loops)


def place_followers(found_closings, places):
    """Joint positions by curves and sums alone, of joints with one degree of freedom."""
    found = dict(places)
    for closing in found_closings:
        if isinstance(closing, LoopCurve):
            at = found.get(closing.leader, 0.0)
            found[closing.follower] = float(evaluate_curve(closing.samples, at))
        else:
            own = np.array([found.get(name, 0.0) for name in closing.leaders])
            numbers = evaluate_surface(closing, own).tolist()
            found |= {name: each for (name, _), each in zip(closing.own, numbers, strict=True)}
    return found


def test_a_mirrored_gripper_is_closed():
    """Two four bars, whose cranks an equality holds together."""
    robot = read_robot(GRIPPER)
    tree, diagnostics = retrace_tree(robot), Diagnostics()
    assert find_freedom(tree).free == ("right_rocker_pin", "left_crank_pin", "left_rocker_pin")
    found = find_closings(tree, diagnostics)
    assert list_codes(diagnostics) <= {"loop-range"}
    ranges = {name: ends for each in found for name, ends in each.ranges.items()}
    assert ranges["left_crank_pin"] == pytest.approx((0.0, 0.45))
    for share in np.random.default_rng(1).uniform(0.0, 1.0, (5, 3)):
        free = {n: a + s * (b - a) for s, (n, (a, b)) in zip(share, ranges.items(), strict=True)}
        shown = place_followers(found, free)
        assert gap_of(robot, shown) < 1e-6
        wanted = close_loops(robot, free).positions
        for name, position in shown.items():
            assert position == pytest.approx(wanted[name], abs=2e-5)


def test_lines_are_put_into_what_was_put_in_before():
    sheet = Sheet(Budget())
    x, y = (line_of(sheet.enter()) for _ in range(2))
    one, other = (line_of(sheet.name_line(add(scale(x, a), scale(y, b))))
                  for a, b in ((2.0, 3.0), (1.0, -1.0)))  # fmt: skip
    end = sheet.name_line(times(one, other))
    inputs = {0: np.array([0.3, 0.7]), 1: np.array([0.2, -0.4])}
    before = sheet.evaluate(inputs, sheet.list_needed([end]))[end]
    sheet.fold([end])
    assert sheet.list_needed([end]) == [0, 1, end]
    after = sheet.evaluate(inputs, sheet.list_needed([end]))[end]
    assert after == pytest.approx(before, abs=1e-15)


def test_motors_and_springs_are_free_and_limits_say_which_way_it_is_put_together():
    """The rig of a leg with springs: its knee goes far, and its foot bends to the side that its
    limits allow, though its parallelogram lies flat at zero."""
    tree, diagnostics = retrace_tree(read_robot(LEG)), Diagnostics()
    assert find_freedom(tree).free == ("knee", "shin", "heel", "foot")
    found = find_closings(tree, diagnostics)
    assert list_codes(diagnostics) == {"loop-range"}
    assert {name for each in found for name in (
        (each.follower,) if isinstance(each, LoopCurve) else each.followers
    )} == {"rod", "tarsus", "crank", "plantar"}  # fmt: skip
    ranges = {name: ends for each in found for name, ends in each.ranges.items()}
    assert ranges["foot"] == pytest.approx((-2.4435, -0.645), abs=0.01)
    assert np.ptp(ranges["knee"]) > 1.0


def test_what_is_cheap_is_closed_before_the_budget_is_spent():
    tree, diagnostics = retrace_tree(hexagon_and_four_bar()), Diagnostics()
    found = find_closings(tree, diagnostics, Budget(0.3))
    assert {each.leader for each in found if isinstance(each, LoopCurve)} == {"crank_pin"}
    assert not any(isinstance(each, LoopProgram) for each in found)
    (message,) = [each for each in diagnostics if each.code == "loop-not-planned"]
    assert message.subject == "ring"
    assert "0.3 s" in message.message
    whole = find_closings(tree, Diagnostics())
    assert any(isinstance(each, LoopProgram) for each in whole)


def test_the_same_work_is_counted_each_time():
    spent = []
    for _ in range(2):
        budget = Budget()
        find_closings(retrace_tree(hexagon_and_four_bar()), Diagnostics(), budget)
        spent.append(budget.spent)
    assert spent[0] == spent[1] > 0.1


def foot(count: int) -> Robot:
    """A sole on a ball joint, held by so many rods with ball joints, each on a lever of its own."""
    plate: Any = {"type": "ball", "axis": None}
    joints = [Joint(name="sole", parent="base", child="sole", origin=Pose(xyz=(0, 0, 1)), **plate)]
    loops = []
    for place in range(count):
        x, y = np.cos(place), np.sin(place)
        joints += [
            Joint(
                name=f"lever_{place}", type="continuous", parent="base", child=f"lever_{place}",
                origin=Pose(xyz=(x, y, 0.0)), axis=(-y, x, 0.0),
            ),
            Joint(
                name=f"rod_{place}", parent=f"lever_{place}", child=f"rod_{place}",
                origin=Pose(xyz=(0.2 * x, 0.2 * y, 0.1)), **plate,
            ),
        ]  # fmt: skip
        end = (-0.3 * x, -0.3 * y, 0.8 + 0.05 * np.sin(3 * place))
        loops.append(
            LoopJoint(
                name=f"end_{place}", type="ball", link1=f"rod_{place}", link2="sole",
                origin1=Pose(xyz=end),
                origin2=Pose(xyz=(0.9 * x, 0.9 * y, end[2] - 0.9)),
            )
        )  # fmt: skip
    return make_robot(joints, loops)


def test_a_foot_of_twenty_loops_stays_open_when_its_time_is_over():
    diagnostics = Diagnostics()
    plan = plan_rig(foot(20), options=ImportOptions(loop_seconds=0.5), diagnostics=diagnostics)
    (message,) = [each for each in diagnostics if each.code == "loop-not-planned"]
    assert "and 17 more stays open" in message.message
    assert len(plan.robot.loops) == 20
    budget = Budget(0.5)
    find_closings(retrace_tree(foot(20)), Diagnostics(), budget)
    assert budget.spent < 0.6


def test_planning_goes_on_in_steps():
    steps = closing_steps(retrace_tree(hexagon_and_four_bar()), Diagnostics(), Budget())
    texts = [each.text for each in steps if isinstance(each, Progress)]
    assert texts[0] == "closing loops: 2 to go"
    assert len(texts) == 4


@pytest.mark.parametrize("failing", ["find_block_curves", "choose_followers", "plan_linkage"])
def test_a_failure_leaves_its_loop_open_and_ends_nothing(failing, monkeypatch):
    def fail(*_: object) -> None:
        raise ValueError("not enough values to unpack")

    monkeypatch.setattr(closings, "FAILURES", (ValueError,))
    monkeypatch.setattr(closings, failing, fail)
    diagnostics = Diagnostics()
    plan = plan_rig(
        four_bar(0.3, 0.9, 0.7, 1.0, 1.2), options=ImportOptions(), diagnostics=diagnostics
    )
    (message,) = diagnostics
    assert (message.code, message.subject) == ("loop-failed", "last")
    assert plan.drivers == ()


def test_mistakes_show_in_tests(monkeypatch):
    monkeypatch.setattr(closings, "choose_followers", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        plan_rig(four_bar(0.3, 0.9, 0.7, 1.0, 1.2))


def test_very_many_loops_between_two_links_are_left_at_once():
    joints = four_bar(0.3, 0.9, 0.7, 1.0, 1.2).joints[:1]
    loops = [
        LoopJoint(name=f"loop_{i}", type="continuous", link1="base", link2="crank", axis=(0, 0, 1))
        for i in range(5_000)
    ]
    diagnostics = Diagnostics()
    plan_rig(
        make_robot(joints, loops), options=ImportOptions(loop_seconds=0.1), diagnostics=diagnostics
    )
    (message,) = diagnostics
    assert message.code == "loop-not-planned"


def test_many_poses_at_once_are_those_one_by_one(tmp_path):
    robot = read_robot(five_bar(np.random.default_rng(3)).write(tmp_path / "robot.sdf"))
    for tree in (retrace_tree(robot), retrace_tree(read_robot(LEG))):
        freedom = find_freedom(tree)
        for linkage, moved in zip(freedom.linkages, freedom.moved, strict=True):
            for block in split_linkage(tree, linkage, moved):
                check_all(Tracer(block))


def check_all(tracer):
    home = tracer.places(tracer.home)
    random = np.random.default_rng(2)
    places = home + random.uniform(-0.4, 0.4, (9, len(home))) * tracer.units
    together = list(tracer.go_all([tracer.home] * len(places), places))
    assert sum(each is not None for each in together) > 2
    for there, place in zip(together, places, strict=True):
        alone = tracer.go(tracer.home, place)
        assert (alone is None) == (there is None)
        if alone is not None:
            assert there.pose.values == pytest.approx(alone.pose.values, abs=1e-9)
            for name, turn in alone.pose.several.items():
                assert abs(np.dot(turn, there.pose.several[name])) == pytest.approx(1.0, abs=1e-9)


def test_a_spent_budget_ends_the_work():
    budget = Budget(1.0)
    budget.spend(0.9)
    with pytest.raises(BudgetSpentError):
        budget.spend(0.2)
