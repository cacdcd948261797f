# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in Webots: joints to Solids that hang elsewhere, seen from both of their ends."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.linkages import Z, four_bar, hinge, make_robot, slider_crank
from support.paths import ROOT
from support.webots.proto_check import Checked, check
from urdf_importer import Diagnostics, ImportOptions, WebotsOptions, export_robot, read_robot
from urdf_importer.core.geometry.transforms import matrix_from_pose, rpy_from_rotation
from urdf_importer.core.kinematics.loops import close_loops, forward_kinematics
from urdf_importer.core.model import (
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    LoopJoint,
    Pose,
    Robot,
    Transmission,
    TransmissionJoint,
)
from urdf_importer.formats.webots.write import ExportResult

HEAVY = Inertial(mass=1.0, inertia=Inertia(ixx=0.1, ixy=0.0, ixz=0.0, iyy=0.1, iyz=0.0, izz=0.1))


def export(robot: Robot, folder: Path, *codes: str, **options: Any) -> tuple[ExportResult, Checked]:
    """Exports the robot with a mass for every link; `codes` are what is said of its loops."""
    heavy = tuple(replace(link, inertial=link.inertial or HEAVY) for link in robot.links)
    diagnostics = Diagnostics()
    chosen = WebotsOptions(**options)
    result = export_robot(
        replace(robot, links=heavy),
        folder / "Linkage.proto",
        options=chosen,
        diagnostics=diagnostics,
    )
    said = [each.code for each in diagnostics if each.code != "webots-motor-default"]
    assert said == list(codes)
    checked = check(result.proto, initial=True)
    assert checked.problems == ()
    return result, checked


def gap(robot: Robot, result: ExportResult, checked: Checked) -> float:
    """How far the loops' joints in the file are from where both of their links have them."""
    worst = 0.0
    for loop in robot.loops:
        joint = checked.joints[f"{loop.name}_joint"]
        axis = np.array(loop.axis or (1.0, 0.0, 0.0))
        for link, origin in ((loop.link1, loop.origin1), (loop.link2, loop.origin2)):
            place = result.links[link]
            frame = checked.pose(place.solid) @ place.frame @ matrix_from_pose(origin)
            if joint["type"] != "SliderJoint":
                apart = frame[:3, 3] - joint["anchor_world"]
                worst = max(worst, float(np.abs(apart).max()))
            if joint["type"] != "BallJoint":
                turned = np.cross(frame[:3, :3] @ axis, joint["dofs"][0]["axis_world"])
                worst = max(worst, float(np.abs(turned).max()))
    return worst


LENGTHS = st.floats(0.3, 1.5)


@settings(max_examples=12)
@given(LENGTHS, LENGTHS, LENGTHS, LENGTHS, st.floats(-3.0, 3.0), st.floats(-0.4, 0.4))
def test_four_bars_are_closed_where_they_start(
    tmp_path_factory: pytest.TempPathFactory,
    crank: float,
    coupler: float,
    rocker: float,
    base: float,
    angle: float,
    turn: float,
) -> None:
    robot = four_bar(crank, coupler, rocker, base, angle)
    if robot is None or not close_loops(robot, {"crank_pin": turn}).reached:
        return
    folder = tmp_path_factory.mktemp("bar")
    result, checked = export(robot, folder, positions=(("crank_pin", repr(turn)),))
    assert gap(robot, result, checked) < 1e-8
    expected = forward_kinematics(robot, {"crank_pin": turn})
    for name, place in result.links.items():
        assert np.abs(checked.pose(place.solid) @ place.frame - expected[name]).max() < 1e-8
    assert [axis.joint for axis in result.axes if axis.motor] == ["crank_pin"]


def test_the_reference_names_the_solid(tmp_path: Path) -> None:
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    named = Link(name="a: rocker")
    loop = replace(robot.loops[0], link2=named.name)
    joints = (*robot.joints[:2], replace(robot.joints[2], child=named.name))
    odd = replace(robot, links=(*robot.links[:3], named), joints=joints, loops=(loop,))
    result, checked = export(odd, tmp_path)
    joint = checked.joints["last_joint"]
    assert joint["child"] == result.links[named.name].solid != named.name
    assert (joint["type"], joint["parent"]) == ("HingeJoint", "linkage/crank/coupler")
    assert "motor" not in joint and "sensor" not in joint
    assert gap(odd, result, checked) < 1e-8


def test_sliders_and_pins(tmp_path: Path) -> None:
    robot = slider_crank(0.3, 1.0, 0.05)
    result, checked = export(robot, tmp_path, positions=(("crank_pin", "0.8"),))
    assert gap(robot, result, checked) < 1e-8
    assert checked.joints["pin_joint"]["type"] == "HingeJoint"


def closed_by_slider(limit: Limit | None) -> Robot:
    """A crank whose rod slides in a hinge on the base: the slider closes the loop."""
    joints = [
        hinge("crank_pin", "base", "crank", (0.0, 0.0, 0.0)),
        hinge("wrist", "crank", "rod", (0.3, 0.0, 0.0)),
        hinge("sleeve_pin", "base", "sleeve", (1.0, 0.0, 0.0)),
    ]
    loop = LoopJoint(
        name="bore", type="prismatic", link1="rod", link2="sleeve", axis=(1.0, 0.0, 0.0),
        origin1=Pose(xyz=(0.7, 0.0, 0.0)), limit=limit,
    )  # fmt: skip
    return make_robot(joints, [loop])


def test_stops_count_from_where_the_joint_starts(tmp_path: Path) -> None:
    robot = closed_by_slider(Limit(lower=-0.5, upper=0.6))
    start = (("crank_pin", repr(math.pi / 2)),)
    result, checked = export(robot, tmp_path, positions=start)
    assert gap(robot, result, checked) < 1e-8
    joint = checked.joints["bore_joint"]
    slid = math.hypot(1.0, 0.3) - 0.7
    (axis,) = joint["dofs"]
    assert joint["type"] == "SliderJoint"
    assert axis["min_stop"] == pytest.approx(-0.5 - slid, abs=1e-6)
    assert axis["max_stop"] == pytest.approx(0.6 - slid, abs=1e-6)


def test_joints_of_the_base_stand_in_the_base(tmp_path: Path) -> None:
    """Who uses a PROTO may rename the robot, so nothing refers to it; the axis keeps its line, and
    the stops change sides."""
    limit = Limit(lower=-0.5, upper=1.0)
    bar = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    assert bar is not None
    pin, knee, rocker_pin = bar.joints
    seam = forward_kinematics(bar)["rocker"]
    # The rocker hangs on the coupler, and its pin on the base closes the loop.
    tip = replace(knee, name="tip", parent="coupler", child="rocker", origin=Pose())
    across = np.linalg.inv(forward_kinematics(bar)["coupler"]) @ seam
    tip = replace(tip, origin=Pose(xyz=(1.0, 0.0, 0.0), rpy=rpy_from_rotation(across[:3, :3])))
    for link1, link2, stops in (
        ("base", "rocker", (-0.5, 1.0)),
        ("rocker", "base", (-1.0, 0.5)),
    ):
        ends = {"base": rocker_pin.origin, "rocker": Pose(xyz=(-0.8, 0.0, 0.0))}
        loop = LoopJoint(
            name="last", type="revolute", link1=link1, link2=link2, axis=Z, limit=limit,
            origin1=ends[link1], origin2=ends[link2],
        )  # fmt: skip
        robot = make_robot([pin, knee, tip], [loop])
        result, checked = export(robot, tmp_path)
        joint = checked.joints["last_joint"]
        assert (joint["parent"], joint["child"]) == ("linkage", "rocker")
        assert gap(robot, result, checked) < 1e-8
        (axis,) = joint["dofs"]
        assert (axis["min_stop"], axis["max_stop"]) == pytest.approx(stops, abs=1e-6)


def rods(kind: str) -> Robot:
    """A crank and a rocker with crossed axes, and a rod between them."""
    joints = [
        hinge("crank_pin", "base", "crank", (0.0, 0.0, 0.0)),
        Joint(
            name="rocker_pin", type="continuous", parent="base", child="rocker",
            axis=(1.0, 0.0, 0.0), origin=Pose(xyz=(0.0, 1.0, 0.0)),
        ),
        Joint(name="ball", type="ball", parent="crank", child="rod", origin=Pose(xyz=(0.3, 0, 0))),
    ]  # fmt: skip
    loop = LoopJoint(
        name="end", type=kind, link1="rod", link2="rocker",
        origin1=Pose(xyz=(-0.3, 1.0, 0.5)), origin2=Pose(xyz=(0.0, 0.0, 0.5)),
    )  # fmt: skip
    return make_robot(joints, [loop])


@pytest.mark.parametrize("kind", ["ball", "spherical"])
def test_balls(tmp_path: Path, kind: str) -> None:
    robot = rods(kind)
    result, checked = export(robot, tmp_path, positions=(("crank_pin", "0.4"),))
    assert checked.joints["end_joint"]["type"] == "BallJoint"
    assert gap(robot, result, checked) < 1e-8


def test_fixed_loops_have_no_room(tmp_path: Path) -> None:
    result, checked = export(rods("fixed"), tmp_path, "webots-fixed-loop")
    joint = checked.joints["end_joint"]
    assert joint["type"] == "SliderJoint"
    assert (joint["dofs"][0]["min_stop"], joint["dofs"][0]["max_stop"]) == (-1e-4, 1e-4)
    assert gap(rods("fixed"), result, checked) < 1e-8


def test_what_cannot_be_closed_is_left_open_and_said(tmp_path: Path) -> None:
    robot = rods("ball")
    _, checked = export(
        replace(robot, loops=(replace(robot.loops[0], type="planar", axis=Z),)),
        tmp_path, "loop-left-open",
    )  # fmt: skip
    assert "end_joint" not in checked.joints
    away = replace(robot.loops[0], origin1=Pose(xyz=(9.0, 0.0, 0.0)))
    export(replace(robot, loops=(away,)), tmp_path, "loop-left-open")
    nowhere = replace(robot.loops[0], link2="nowhere")
    export(replace(robot, loops=(nowhere,)), tmp_path, "loop-left-open")


def test_loops_within_one_body_are_none(tmp_path: Path) -> None:
    joints = [
        Joint(name="weld", type="fixed", parent="base", child="plate"),
        hinge("arm_pin", "base", "arm", (1.0, 0.0, 0.0)),
    ]
    loop = LoopJoint(name="again", type="fixed", link1="base", link2="plate")
    result, checked = export(make_robot(joints, [loop]), tmp_path, fixed_joints="merge")
    assert set(checked.joints) == {"arm_pin_joint"}
    assert result.links["plate"].solid == result.links["base"].solid


def test_motors_stay_where_something_drives_them(tmp_path: Path) -> None:
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    drives = tuple(
        Transmission(name=name, joints=(TransmissionJoint(name=name),))
        for name in ("crank_pin", "rocker_pin")
    )
    result, _ = export(replace(robot, transmissions=drives), tmp_path)
    assert [axis.joint for axis in result.axes if axis.motor] == ["crank_pin", "rocker_pin"]


def test_what_its_loop_does_not_let_go_starts_as_near_as_it_can(tmp_path: Path) -> None:
    robot = four_bar(1.0, 0.5, 0.6, 1.2, 0.3)
    assert robot is not None
    start = (("crank_pin", "3.0"),)
    result, checked = export(robot, tmp_path, "webots-start-position", positions=start)
    assert gap(robot, result, checked) < 1e-8


def test_the_pumpjack(tmp_path: Path) -> None:
    sample = ROOT / "sample_urdfs" / "pumpjack"
    robot = read_robot(f"{sample}.xml", options=ImportOptions(parameters=f"{sample}.yaml"))
    diagnostics = Diagnostics()
    result = export_robot(
        robot, tmp_path / "Pumpjack.proto", options=WebotsOptions(), diagnostics=diagnostics
    )
    assert not [each for each in diagnostics if each.code == "loop-left-open"]
    assert gap(robot, result, check(result.proto, initial=True)) < 1e-6
