# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans: closed forms of planar arms, taught turns, blends, programs, and every sentence."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.arm_chains import ARMS
from support.cell_jobs import Curve, frames_of, measure_off, plan_job, rotation_about
from urdf_importer import (
    Diagnostics,
    KinematicsError,
    Plan,
    PlanOptions,
    Pose,
    Robot,
    Waypoint,
    find_limits,
    forward_kinematics,
    plan_waypoints,
    read_robot,
    retime_trajectory,
    set_tool,
)
from urdf_importer.cli import main
from urdf_importer.core import reshape

BY_NAME = {arm.name: arm for arm in ARMS}
PANDA, UR5 = BY_NAME["panda"], BY_NAME["ur5"]
HOME = {
    "panda_joint1": 0.0, "panda_joint2": -0.3, "panda_joint3": 0.0, "panda_joint4": -2.0,
    "panda_joint5": 0.0, "panda_joint6": 1.8, "panda_joint7": 0.7,
}  # fmt: skip
READY = {
    "shoulder_pan_joint": 0.3, "shoulder_lift_joint": -1.2, "elbow_joint": 1.4,
    "wrist_1_joint": -1.0, "wrist_2_joint": -1.4, "wrist_3_joint": 0.2,
}  # fmt: skip
QUICK = PlanOptions(collisions=False)


def planar(tmp_path: Path, *limits: tuple[float, float]) -> Robot:
    """Links of 1 m in a plane, 2 rad/s and 4 rad/s^2 each."""
    links = "".join(f'<link name="l{k}"/>' for k in range(len(limits) + 2))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="{1.0 if k else 0.0} 0 0"/><axis xyz="0 0 1"/>'
        f'<limit lower="{low}" upper="{high}" effort="1" velocity="2" acceleration="4"/></joint>'
        for k, (low, high) in enumerate(limits)
    )
    last = len(limits)
    tip = (
        f'<joint name="tip" type="fixed"><parent link="l{last}"/><child link="l{last + 1}"/>'
        '<origin xyz="1 0 0"/></joint>'
    )
    path = tmp_path / "planar.urdf"
    path.write_text(f'<robot name="planar" version="1.2">{links}{joints}{tip}</robot>')
    return read_robot(path)


def at(frame: Any, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Any:
    moved = np.array(frame)
    moved[:3, 3] += (x, y, z)
    return moved


def refused(plan: Plan, *kinds: str) -> list[str]:
    """The messages of a plan without a trajectory."""
    assert not plan.success and plan.trajectory is None
    assert [each.kind for each in plan.problems] == list(kinds)
    return [each.message for each in plan.problems]


def test_a_move_of_one_joint_takes_its_closed_form(tmp_path: Path) -> None:
    """1 rad in 1.5 s: 0.5 s of ramp at 4 rad/s^2 to 2 rad/s would take 1 rad; so a triangle."""
    robot = planar(tmp_path, (-3, 3), (-3, 3))
    points = [
        Waypoint(positions={"j0": 0.0, "j1": 0.5}),
        Waypoint(positions={"j0": 1.0, "j1": 0.5}),
    ]
    plan = plan_waypoints(robot, points, options=replace(QUICK, link="l3"))
    assert plan.duration == pytest.approx(2.0 * math.sqrt(1.0 / 4.0), rel=1e-3)
    points[1] = Waypoint(positions={"j0": 3.0, "j1": 0.5})
    plan = plan_waypoints(robot, points, options=replace(QUICK, link="l3"))
    assert plan.duration == pytest.approx(3.0 / 2.0 + 2.0 / 4.0, rel=1e-3)
    half = plan_waypoints(
        robot, [points[0], replace(points[1], speed=0.5)], options=replace(QUICK, link="l3")
    )
    assert half.duration == pytest.approx(3.0 / 1.0 + 1.0 / 4.0, rel=2e-3)


def test_two_joints_lead_the_place_alone(tmp_path: Path) -> None:
    robot = planar(tmp_path, (-3, 3), (-3, 3))
    start = {"j0": 0.3, "j1": 1.2}
    frame = forward_kinematics(robot, start)["l3"]
    points = [
        Waypoint(positions=start),
        Waypoint(pose=at(frame, x=-0.4, y=0.2), move="linear", tool_speed=0.2),
    ]
    plan = plan_waypoints(robot, points, options=replace(QUICK, link="l3"))
    assert plan.success, plan.message
    times = np.linspace(0.0, plan.duration, 200)
    values, _, _ = Curve(plan.trajectory).at(times)
    places = np.array(
        [forward_kinematics(robot, {"j0": a, "j1": b})["l3"][:3, 3] for a, b in values.tolist()]
    )
    line = np.array([-0.4, 0.2, 0.0])
    along = (places - frame[:3, 3]) @ line / (line @ line)
    assert places == pytest.approx(frame[:3, 3] + along[:, None] * line, abs=2e-6)
    assert plan.moves[0].tool_speed == pytest.approx(0.2, rel=2e-3)
    assert plan.moves[0].length == pytest.approx(float(np.linalg.norm(line)))


def test_turns_stay_as_they_are_taught() -> None:
    """From -350 to 350 degrees is a move of 700 degrees."""
    turn = math.radians(350.0)
    points = [
        Waypoint(positions=READY | {"wrist_3_joint": -turn}),
        Waypoint(positions=READY | {"wrist_3_joint": turn}),
    ]
    plan = plan_waypoints(UR5.robot, points, options=replace(QUICK, link=UR5.link))
    column = plan.trajectory.names.index("wrist_3_joint")
    assert np.ptp(plan.trajectory.positions[:, column]) == pytest.approx(2 * turn)


def test_a_pose_moved_by_single_precision_is_the_taught_one() -> None:
    frame = UR5.place(READY)
    points = [
        Waypoint(positions=READY, pose=np.float32(frame)),
        Waypoint(pose=at(frame, z=-0.05), move="linear"),
    ]
    plan = plan_waypoints(UR5.robot, points, options=replace(QUICK, link=UR5.link))
    first = dict(zip(plan.trajectory.names, plan.trajectory.positions[0].tolist(), strict=True))
    assert first == READY


def test_a_dragged_waypoint_keeps_its_configuration() -> None:
    frame = UR5.place(READY)
    points = [
        Waypoint(positions=READY),
        Waypoint(positions=READY, pose=at(frame, x=0.1, z=0.05), move="joint"),
    ]
    plan = plan_waypoints(UR5.robot, points, options=replace(QUICK, link=UR5.link))
    last = plan.trajectory.positions[-1]
    assert np.abs(last - [READY[name] for name in plan.trajectory.names]).max() < 0.6
    assert frames_of(UR5, plan.trajectory, np.array([plan.duration]))[0] == pytest.approx(
        at(frame, x=0.1, z=0.05), abs=1e-9
    )


def test_the_best_configuration_is_looked_for_anew_where_a_pose_is_given() -> None:
    """A wrist that is taught nearly a turn further, at the pose that this gives: the search takes
    the short way."""
    turned = READY | {"wrist_3_joint": READY["wrist_3_joint"] + 2.0 * math.pi - 0.3}
    points = [Waypoint(positions=READY), Waypoint(positions=turned, pose=UR5.place(turned))]
    how = replace(QUICK, link=UR5.link)
    taught = plan_waypoints(UR5.robot, points, options=how)
    best = plan_waypoints(UR5.robot, points, options=replace(how, configuration="best"))
    assert taught.trajectory.positions[-1] == pytest.approx(
        [turned[name] for name in taught.trajectory.names], abs=1e-9
    )
    assert best.duration < 0.5 * taught.duration
    assert frames_of(UR5, best.trajectory, np.array([best.duration]))[0] == pytest.approx(
        UR5.place(turned), abs=1e-9
    )


def test_a_redundant_arm_meets_both_taught_ends_on_a_straight_line() -> None:
    other = {name: value + 0.15 * (-1) ** k for k, (name, value) in enumerate(HOME.items())}
    plan = plan_job(PANDA, [Waypoint(positions=HOME), Waypoint(positions=other, move="linear")])
    assert plan.success, plan.message
    values = plan.trajectory.positions
    names = plan.trajectory.names
    assert values[0] == pytest.approx([HOME[name] for name in names], abs=1e-9)
    assert values[-1] == pytest.approx([other[name] for name in names], abs=1e-6)
    frames = frames_of(PANDA, plan.trajectory, np.linspace(0.0, plan.duration, 100))
    start, end = PANDA.place(HOME)[:3, 3], PANDA.place(other)[:3, 3]
    share = (frames[:, :3, 3] - start) @ (end - start) / ((end - start) @ (end - start))
    assert frames[:, :3, 3] == pytest.approx(start + share[:, None] * (end - start), abs=5e-6)


def test_a_rail_goes_evenly_and_the_arm_does_the_rest() -> None:
    rail = reshape.MountedAxis(axis=(0, 1, 0), lower=-2, upper=2, velocity=1.0)
    robot = reshape.mount(UR5.robot, "rail", rail)
    start, end = READY | {"rail": 0.0}, READY | {"rail": 1.2}
    frame = forward_kinematics(robot, end)[UR5.link]
    goal = at(frame, x=0.05, y=-0.2)
    points = [Waypoint(positions=start), Waypoint(positions=end, pose=goal, move="linear")]
    plan = plan_waypoints(robot, points, options=replace(QUICK, link=UR5.link))
    assert plan.success, plan.message
    motion = plan.trajectory
    values, _, _ = Curve(motion).at(np.linspace(0.0, plan.duration, 60))
    begin = forward_kinematics(robot, start)[UR5.link][:3, 3]
    line = goal[:3, 3] - begin
    for row in values.tolist():
        positions = dict(zip(motion.names, row, strict=True))
        place = forward_kinematics(robot, positions)[UR5.link][:3, 3]
        share = float((place - begin) @ line / (line @ line))
        assert place == pytest.approx(begin + share * line, abs=2e-6)
        assert positions["rail"] == pytest.approx(1.2 * share, abs=1e-5)


def test_taught_joints_that_do_not_move_the_tool_are_reported_once() -> None:
    """Fingers at another place than they are in; where they are, nothing is lost."""
    fingers = {"panda_finger_joint1": 0.03}
    there = HOME | {"panda_joint1": 0.5} | fingers
    points = [Waypoint(positions=HOME | fingers), Waypoint(positions=there)]
    for start, codes in (({}, ["taught-unused"]), (fingers, [])):
        diagnostics = Diagnostics()
        plan = plan_waypoints(
            PANDA.robot, points, start_positions=start, diagnostics=diagnostics,
            options=replace(QUICK, link="panda_hand"),
        )  # fmt: skip
        assert plan.success and "panda_finger_joint1" not in plan.trajectory.names
        said = [each for each in diagnostics if each.code != "acceleration-assumed"]
        assert [each.code for each in said] == codes
        assert all("teach them: 'panda_finger_joint1'; a plan" in each.message for each in said)


def test_blends_that_overlap_become_smaller() -> None:
    frame = UR5.place(READY)
    points = [
        Waypoint(positions=READY),
        Waypoint(name="a", pose=at(frame, z=-0.1), move="linear", blend=0.09),
        Waypoint(name="b", pose=at(frame, x=0.1, z=-0.1), move="linear", blend=0.09),
        Waypoint(pose=at(frame, x=0.1), move="linear"),
    ]
    diagnostics = Diagnostics()
    plan = plan_waypoints(
        UR5.robot, points, options=replace(QUICK, link=UR5.link), diagnostics=diagnostics
    )
    assert {each.code for each in diagnostics} == {"acceleration-assumed", "blend-shortened"}
    assert [move.blend for move in plan.moves] == pytest.approx([0.05, 0.05, 0.0])
    assert np.diff(plan.trajectory.times).min() > 1e-6


def test_programs_wait_for_each_other(tmp_path: Path) -> None:
    robot = planar(tmp_path, (-3, 3), (-3, 3))
    points = [
        Waypoint(name="a", positions={"j0": 0.0}, program="left", link="l1"),
        Waypoint(name="b", positions={"j0": 1.0}, program="left", link="l1"),
    ]
    with pytest.raises(KinematicsError, match="two programs move joint 'j0'"):
        more = [replace(each, program="right", link="l3") for each in points]
        plan_waypoints(robot, points + more, options=QUICK)
    robot = two_arms(tmp_path)
    left = [
        Waypoint(name=f"p{k}", positions={"a": float(k)}, program="left", link="la")
        for k in range(3)
    ]
    right = [
        Waypoint(name="q0", positions={"b": 0.0}, program="right", link="lb"),
        Waypoint(name="q1", positions={"b": 1.0}, program="right", link="lb", after="left:p1"),
    ]
    plan = plan_waypoints(robot, left + right, options=QUICK)
    assert plan.times[4] == pytest.approx(plan.times[1] + 1.0, rel=1e-3)
    values, _, _ = Curve(plan.trajectory).at(np.array([plan.times[1]]))
    assert values[0].tolist() == pytest.approx([1.0, 0.0], abs=1e-9)
    ring = [left[0], replace(left[1], after="right:q1"), left[2], *right]
    with pytest.raises(KinematicsError, match="wait for each other"):
        plan_waypoints(robot, ring, options=QUICK)
    with pytest.raises(KinematicsError, match="there is no waypoint 'left:p9'"):
        plan_waypoints(robot, [*left, right[0], replace(right[1], after="left:p9")], options=QUICK)


def two_arms(tmp_path: Path) -> Robot:
    joints = "".join(
        f'<link name="l{name}"/><joint name="{name}" type="revolute"><parent link="base"/>'
        f'<child link="l{name}"/><axis xyz="0 0 1"/>'
        '<limit lower="-3" upper="3" effort="1" velocity="2" acceleration="4"/></joint>'
        for name in "ab"
    )
    path = tmp_path / "two.urdf"
    path.write_text(f'<robot name="two" version="1.2"><link name="base"/>{joints}</robot>')
    return read_robot(path)


def test_pauses_loops_and_starts_add_up(tmp_path: Path) -> None:
    robot = planar(tmp_path, (-3, 3), (-3, 3))
    options = replace(QUICK, link="l3")
    points = [
        Waypoint(positions={"j0": 0.0, "j1": 0.5}),
        Waypoint(positions={"j0": 1.0, "j1": 0.5}, pause=0.7),
        Waypoint(positions={"j0": 0.0, "j1": 0.5}),
    ]
    plan = plan_waypoints(robot, points, options=options)
    assert plan.times == pytest.approx((0.0, 1.0, 2.7), rel=1e-3)
    looped = plan_waypoints(robot, points[:2], options=replace(options, loop=True))
    assert looped.duration == pytest.approx(2.7, rel=1e-3)
    assert looped.times == pytest.approx((0.0, 1.0), rel=1e-3)
    led = plan_waypoints(robot, points, start_positions={"j0": -1.0, "j1": 0.5}, options=options)
    assert led.times == pytest.approx((1.0, 2.0, 3.7), rel=1e-3)
    same = plan_waypoints(robot, [points[0], replace(points[0], pause=0.25)], options=options)
    assert same.success and same.duration == pytest.approx(0.25)


def test_times_are_those_of_the_retiming() -> None:
    """Corners with stops: as long as the same joints through retime_trajectory, within 2 %."""
    frame = UR5.place(READY)
    points = [Waypoint(positions=READY), Waypoint(pose=at(frame, x=0.1, z=-0.15), move="linear")]
    plan = plan_waypoints(UR5.robot, points, options=replace(QUICK, link=UR5.link))
    limits = {
        name: replace(each, acceleration=each.velocity / 0.25)
        for name, each in find_limits(UR5.robot).items() if each.velocity
    }  # fmt: skip
    again = retime_trajectory(plan.trajectory, robot=UR5.robot, limits=limits)
    assert plan.duration == pytest.approx(again.duration, rel=0.02)


def test_all_problems_are_found_in_one_run() -> None:
    frame = UR5.place(READY)
    far = {**READY, "elbow_joint": -1.4}
    points = [
        Waypoint(name="p0", positions=READY),
        Waypoint(name="p1", pose=at(frame, x=5.0)),
        Waypoint(name="p2", positions=READY),
        Waypoint(name="p3", pose=at(frame, x=2.0), move="linear"),
        Waypoint(name="p4", positions=READY),
        Waypoint(name="p5", positions=far, move="linear"),
        Waypoint(name="p6", pose=at(frame, z=0.1), via=at(frame, z=0.05)[:3, 3], move="circular"),
    ]
    points.insert(6, Waypoint(name="p5b", positions=READY))
    plan = plan_waypoints(UR5.robot, points, options=replace(QUICK, link=UR5.link))
    said = refused(plan, "unreachable", "unreachable", plan.problems[2].kind, "circle")
    assert said[0].startswith("'p1': the target is out of reach by ")
    assert said[1].startswith("'p3': the straight line leaves the reach after ")
    assert said[3] == "'p6': start, via point and end of the circle lie on a line"
    assert plan.message == f"{said[0]}, and 3 more"


def test_another_configuration_is_refused() -> None:
    """A line between the same place of the tool, elbow up and elbow down."""
    frame = UR5.place(READY)
    from urdf_importer import IKOptions, find_solutions

    ways = find_solutions(
        UR5.robot,
        UR5.link,
        at(frame, z=0.02),
        start_positions=READY,
        options=IKOptions(seconds=2.0),
    )
    other = max(ways, key=lambda way: abs(way["elbow_joint"] - READY["elbow_joint"]))
    assert abs(other["elbow_joint"] - READY["elbow_joint"]) > 0.5
    points = [
        Waypoint(name="p0", positions=READY), Waypoint(name="p1", positions=other, move="linear")
    ]  # fmt: skip
    plan = plan_waypoints(UR5.robot, points, options=replace(QUICK, link=UR5.link))
    (said,) = refused(plan, "configuration")
    assert said.startswith("'p1': the straight line arrives in another configuration: joint '")
    assert said.endswith(" from where it was taught; go there by joints")


def test_a_limit_on_the_way_is_named(tmp_path: Path) -> None:
    robot = planar(tmp_path, (-3, 3), (0.2, 3))
    start = {"j0": 0.3, "j1": 1.2}
    frame = forward_kinematics(robot, start)["l3"]
    away = frame[:3, 3] / np.linalg.norm(frame[:3, 3]) * 1.999
    points = [
        Waypoint(name="a", positions=start),
        Waypoint(name="b", pose=at(frame, *(away - frame[:3, 3])), move="linear"),
    ]
    plan = plan_waypoints(robot, points, options=replace(QUICK, link="l3"))
    (said,) = refused(plan, "limit")
    assert said.startswith("'b': joint 'j1' passes its limit of 0.2 rad after ")
    plan = plan_waypoints(
        robot, [points[0], Waypoint(name="c", positions={"j0": 0.0, "j1": 0.1})],
        options=replace(QUICK, link="l3"),
    )  # fmt: skip
    (said,) = refused(plan, "limit")
    assert said == "'c': joint 'j1' is taught at 0.1, beyond its limit of 0.2"


def test_a_held_joint_that_is_taught_elsewhere_is_a_problem() -> None:
    options = PlanOptions(link=UR5.link, collisions=False, hold=("elbow_joint",))
    moved = READY | {"elbow_joint": 1.2}
    points = [Waypoint(name="a", positions=READY), Waypoint(name="b", positions=moved)]
    plan = plan_waypoints(UR5.robot, points, options=options, start_positions=READY)
    (said,) = refused(plan, "held")
    assert said == "'b': joint 'elbow_joint' is held at 1.4 and taught at 1.2"
    turned = READY | {"shoulder_pan_joint": 0.9}
    points[1] = Waypoint(name="b", positions=turned)
    plan = plan_waypoints(UR5.robot, points, options=options, start_positions=READY)
    assert plan.success and "elbow_joint" not in plan.trajectory.names


@pytest.mark.parametrize("offset", [0.0, 1e-4, 0.003, 0.05])
def test_a_wrist_singularity_is_passed_exactly(offset: float) -> None:
    """A line of IRB 140 past joint 5 at zero: through it, slowly beside it, or refused."""
    arm = BY_NAME["irb140"]
    names = list(arm.ranges)
    start = dict(zip(names, [0.1, 0.2, 0.1, 0.0, 0.35, 0.0], strict=True))
    turn = rotation_about((0.0, 0.0, 1.0), offset)
    first, last = arm.place(start), arm.place(start | {names[4]: -0.35})
    for frame in (first, last):
        frame[:3, :3] = turn @ frame[:3, :3]
    points = [
        Waypoint(name="a", pose=first, positions=start),
        Waypoint(name="b", pose=last, move="linear"),
    ]
    diagnostics = Diagnostics()
    options = replace(QUICK, link=arm.link)
    plan = plan_waypoints(arm.robot, points, options=options, diagnostics=diagnostics)
    if offset == 1e-4:
        (said,) = refused(plan, "singular")
        assert said.startswith("'b': ") and "meets a singularity" in said
        return
    assert plan.success, plan.message
    assert ("near-singular" in {each.code for each in diagnostics}) is (offset > 0.0)
    assert plan.moves[0].singular is (offset > 0.0)
    times = np.linspace(0.0, plan.duration, 300)
    off = measure_off(points, 1, first, frames_of(arm, plan.trajectory, times))
    assert off[:, 0].max() < 1e-5 and off[:, 1].max() < np.radians(0.01)


def test_arguments_that_make_no_sense() -> None:
    one = Waypoint(name="a", positions=READY)
    options = replace(QUICK, link=UR5.link)
    for points, said in (
        ([], "a motion needs two waypoints, not 0"),
        ([one], "a motion needs two waypoints, not 1"),
        ([one, one], "two waypoints are called 'a'"),
        (
            [one, Waypoint(positions={"elbo_joint": 1.0})],
            "no moving joint 'elbo_joint'; did you mean",
        ),
        ([one, replace(one, name="b", frame="tabel")], "the robot has no link 'tabel'"),
        ([one, replace(one, name="b", frame=UR5.link)], "which the arm itself moves"),
    ):
        with pytest.raises(KinematicsError, match=said):
            plan_waypoints(UR5.robot, points, options=options)
    with pytest.raises(KinematicsError, match="the robot has no link 'gum'"):
        plan_waypoints(UR5.robot, [one, replace(one, name="b")], options=replace(QUICK, link="gum"))
    for bad, said in (
        ({"blend": -0.1}, "the blend of 'p2' must be 0 or more, not -0.1"),
        ({"pause": -1.0}, "the pause of 'p2' must be 0 or more"),
        ({"speed": 1.5}, "the speed of 'p2' must be above 0 and at most 1, not 1.5"),
        ({"positions": None}, "'p2' has neither a pose nor positions"),
        ({"move": "circular"}, "'p2' is reached on a circle and has no via point"),
        ({"pose": np.full((4, 4), np.nan)}, "must have finite numbers"),
    ):
        with pytest.raises(KinematicsError, match=said):
            replace(Waypoint(name="p2", positions={"a": 1.0}), **bad)


def test_a_joint_without_a_velocity_has_no_time(tmp_path: Path) -> None:
    path = tmp_path / "bare.urdf"
    path.write_text(
        '<robot name="bare"><link name="a"/><link name="b"/><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
    )
    points = [Waypoint(positions={"j": 0.0}), Waypoint(positions={"j": 1.0})]
    with pytest.raises(KinematicsError, match="joint 'j' has no limit of velocity"):
        plan_waypoints(read_robot(path), points, options=QUICK)


def test_a_tool_is_led_by_its_own_frame() -> None:
    robot = set_tool(UR5.robot, "gun", link=UR5.link, origin=Pose(xyz=(0.1, 0, 0)))
    tcp = forward_kinematics(robot, READY)["gun"]
    turned = tcp.copy()
    turned[:3, :3] = rotation_about((0, 0, 1), 0.4) @ tcp[:3, :3]
    points = [Waypoint(positions=READY), Waypoint(pose=turned, move="linear")]
    plan = plan_waypoints(robot, points, options=replace(QUICK, link="gun"))
    values, _, _ = Curve(plan.trajectory).at(np.linspace(0.0, plan.duration, 40))
    for row in values.tolist():
        shown = forward_kinematics(robot, dict(zip(plan.trajectory.names, row, strict=True)))
        assert shown["gun"][:3, 3] == pytest.approx(tcp[:3, 3], abs=2e-6)


def test_a_tool_that_nobody_named_is_said() -> None:
    """Poses of a tool before the hand would bring the hand itself into the table."""
    robot = set_tool(PANDA.robot, "cup", link="panda_hand", origin=Pose(xyz=(0, 0, 0.12)))
    pose = forward_kinematics(robot, HOME)["cup"]
    taught, placed = Waypoint(positions=HOME), Waypoint(pose=pose, positions=HOME)
    for points, link, said in (
        ([taught, placed], "", ["panda_hand"]),
        ([taught, placed], "cup", []),
        ([taught, replace(placed, link="cup")], "", []),
        ([taught, taught], "", []),
    ):
        diagnostics = Diagnostics()
        options = replace(QUICK, link=link)
        plan_waypoints(robot, points, options=options, diagnostics=diagnostics)
        assert [each.subject for each in diagnostics if each.code == "tool-assumed"] == said


def six_axes(tmp_path: Path) -> Robot:
    """An arm that has many configurations for a pose."""
    axes = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0")
    places = ("0 0 0.3", "0 0 0.1", "0 0 0.4", "0.2 0 0", "0.2 0 0", "0.1 0 0")
    links = "".join(f'<link name="l{k}"/>' for k in range(7))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="{places[k]}"/><axis xyz="{axes[k]}"/>'
        '<limit lower="-3" upper="3" effort="1" velocity="2" acceleration="4"/></joint>'
        for k in range(6)
    )
    path = tmp_path / "six.urdf"
    path.write_text(f'<robot name="six" version="1.2">{links}{joints}</robot>')
    return read_robot(path)


def test_a_loop_of_poses_ends_as_it_began(tmp_path: Path) -> None:
    """From a far taught place back to an untaught one, and with the way there from elsewhere."""
    robot, home = six_axes(tmp_path), {"j1": 0.2, "j2": 0.4, "j4": 0.5}
    names, far = [f"j{k}" for k in range(6)], (2.5, -0.5, 0.5, 2.5, -0.5, 2.5)
    frame = forward_kinematics(robot, home)["l6"]
    points = [
        Waypoint(name="a", pose=frame),
        Waypoint(name="b", pose=at(frame, y=0.2), move="linear"),
        Waypoint(name="c", positions=dict(zip(names, far, strict=True))),
    ]
    options = replace(QUICK, link="l6", loop=True)
    for start in ({}, {"j0": 0.3}):
        plan = plan_waypoints(robot, points, options=options, start_positions=start)
        assert plan.success, plan.message
        first = int(np.abs(plan.trajectory.times - plan.times[0]).argmin())
        values = plan.trajectory.positions
        assert values[-1] == pytest.approx(values[first], abs=1e-6)


def test_waits_are_the_least_and_rings_are_named(tmp_path: Path) -> None:
    """Two arms that take turns, and a ring."""
    robot = two_arms(tmp_path)

    def make(program: str, joint: str, link: str, afters: dict[int, str]) -> list[Waypoint]:
        return [
            Waypoint(name=f"{program}{k}", positions={joint: 0.5 * (k % 2)}, program=program,
                     link=link, after=afters.get(k, ""), pause=0.1)
            for k in range(6)
        ]  # fmt: skip

    left = make("l", "a", "la", {1: "r:r1", 3: "r:r3", 5: "r:r5"})
    right = make("r", "b", "lb", {2: "l:l1", 4: "l:l3"})
    for points in (left + right, right + left):
        plan = plan_waypoints(robot, points, options=QUICK)
        at = dict(zip((each.name for each in points), plan.times, strict=True))
        move = at["r1"] - 0.1
        for number, other in ((1, "r1"), (3, "r3"), (5, "r5")):
            begins = max(at[f"l{number - 1}"] + 0.1, at[other])
            assert at[f"l{number}"] == pytest.approx(begins + move, abs=1e-6)
        for number, other in ((2, "l1"), (4, "l3")):
            begins = max(at[f"r{number - 1}"] + 0.1, at[other])
            assert at[f"r{number}"] == pytest.approx(begins + move, abs=1e-6)
    left[0] = replace(left[0], after="r:r2")
    with pytest.raises(KinematicsError, match="'l:l0' and 'r:r2' wait for each other"):
        plan_waypoints(robot, left + right, options=QUICK)


@pytest.mark.parametrize("wrong", [5, "home", [5]])
def test_other_things_are_no_waypoints(wrong: Any) -> None:
    with pytest.raises(KinematicsError, match="waypoints must be a list of Waypoint, not "):
        plan_waypoints(UR5.robot, wrong)


def test_the_command_says_which_tool_it_leads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "waypoints:\n  - {positions: {panda_joint4: -2.0}}\n"
        "  - {name: down, move: linear, pose: [0.4, 0.1, 0.4, 1, 0, 0, 0]}\n"
    )
    path = tmp_path / "cell.yaml"
    words = ["plan", str(PANDA.path), str(path), "--no-collisions"]
    path.write_text(text)
    assert main(words) == 0
    assert "link 'panda_hand' is led to them [tool-assumed]" in capsys.readouterr().err
    path.write_text(f"link: panda_hand\n{text}")
    assert main([*words, "--link", "panda_hand"]) == 0
    assert "tool-assumed" not in capsys.readouterr().err
    assert main([*words, "--link", "panda_link8"]) == 1
    assert "leads 'panda_hand' by its file, not 'panda_link8'" in capsys.readouterr().err
