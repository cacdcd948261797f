# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of SDF that become several: their names, their order, and as those that close loops."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from urdf_importer import Diagnostics, forward_kinematics, read_robot
from urdf_importer.core.kinematics.tree import plan_tree

AXES = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"


def read(tmp_path, text, version="1.9", codes=()):
    path = tmp_path / "model.sdf"
    path.write_text(f'<sdf version="{version}">{text}</sdf>', encoding="utf-8")
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics)
    assert tuple(each.code for each in diagnostics) == tuple(codes)
    return robot


def link(name, pose="0 0 0 0 0 0", inside=""):
    return f'<link name="{name}"><pose>{pose}</pose>{inside}</link>'


def joint(name, kind, parent, child, inside="<axis><xyz>0 0 1</xyz></axis>"):
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def model(*parts):
    return f'<model name="m">{"".join(parts)}</model>'


def test_parts_take_no_name_of_the_file(tmp_path):
    """A joint `hip` with two axes needs a link and a second joint; `hip_link` and `hip_axis2` are
    names that files have."""
    mass = "<inertial><mass>7</mass></inertial>"
    robot = read(
        tmp_path,
        model(
            link("base"),
            link("hip_link", "1 0 0 0 0 0", mass),
            link("toe", "2 0 0 0 0 0"),
            joint("hip", "universal", "base", "hip_link", AXES),
            joint("hip_axis2", "revolute", "hip_link", "toe"),
            joint("turn", "revolute", "base", "dial", "<axis/>"),
            link("dial"),
        ).replace(
            "<axis/>",
            '<axis><xyz>0 0 1</xyz><mimic joint="hip" axis="axis2"><multiplier>2</multiplier>'
            "<offset>0</offset><reference>0</reference></mimic></axis>",
        ),
        "1.11",
    )
    names = [each.name for each in robot.joints]
    assert len(set(names)) == len(names) and {"hip", "hip_axis2"} <= set(names)
    (heavy,) = (each for each in robot.links if each.inertial and each.inertial.mass == 7.0)
    assert heavy.name == "hip_link"
    (second,) = (each for each in robot.joints if each.child == "hip_link")
    (dial,) = (each for each in robot.joints if each.name == "turn")
    assert dial.mimic is not None and dial.mimic.joint == second.name
    plan_tree(robot, Diagnostics())
    turned = forward_kinematics(robot, {second.name: 0.3})["dial"]
    assert math.atan2(turned[1, 0], turned[0, 0]) == pytest.approx(0.6)


def test_two_axes_that_end_at_the_world_turn_in_the_other_order(tmp_path):
    text = model(link("a", "0 0 1 0 0 0"), joint("hip", "universal", "a", "world", AXES))
    robot = read(tmp_path, text, "1.6", codes=["sdf-world-child"])
    frames = forward_kinematics(robot, {"hip": 0.4, "hip_axis2": -0.9})
    # The world against the link is R(x, q1) R(y, q2).
    world = np.linalg.inv(frames["a"]) @ frames["world"]
    wanted = Rotation.from_euler("XYZ", [0.4, -0.9, 0.0]).as_matrix()
    assert world[:3, :3] == pytest.approx(wanted, abs=1e-12)


def test_a_screw_that_closes_a_loop_keeps_its_thread(tmp_path):
    """A nut on a screw is held against turning by a slide: both must agree, so none moves; held
    by a hinge on its axis it turns as far as the thread makes it travel."""
    nut = joint("guide", "prismatic", "base", "carrier") + joint(
        "bearing", "revolute", "carrier", "nut"
    )
    thread = "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.5</screw_thread_pitch>"
    text = model(
        link("base"),
        link("carrier", "0 0 1 0 0 0"),
        link("nut", "0 0 1 0 0 0"),
        nut,
        joint("screw", "screw", "base", "nut", thread),
    )
    robot = read(tmp_path, text, "1.10")
    (loop,) = robot.loops
    assert loop.type == "fixed"
    for travel in (0.1, -0.37):
        frames = forward_kinematics(robot, {"guide": travel})
        assert frames["nut"][2, 3] == pytest.approx(1.0 + travel, abs=1e-9)
        turn = Rotation.from_rotvec([0.0, 0.0, travel / 0.5 * math.tau]).as_matrix()
        assert frames["nut"][:3, :3] == pytest.approx(turn, abs=1e-8)


def four_bar(*extra):
    """A parallelogram, upright at zero; the coupler's second hinge closes."""
    return model(
        link("base"),
        link("crank"),
        link("rocker", "2 0 0 0 0 0"),
        link("coupler", "0 1 0 0 0 0"),
        joint("a", "revolute", "base", "crank"),
        joint("d", "revolute", "base", "rocker"),
        joint("b", "revolute", "crank", "coupler"),
        joint("c", "revolute", "rocker", "coupler", "<pose>2 0 0 0 0 0</pose><axis/>"),
        *extra,
    )


def test_joints_follow_one_that_closes_a_loop(tmp_path):
    follows = '<mimic joint="c" axis="axis"><multiplier>3</multiplier><offset>0</offset>'
    follows += "<reference>0</reference></mimic>"
    axis = f"<axis><xyz>0 0 1</xyz>{follows}</axis>"
    robot = read(
        tmp_path, four_bar(link("dial"), joint("turn", "revolute", "base", "dial", axis)), "1.11"
    )
    frames = forward_kinematics(robot, {"a": 0.2})
    # The coupler stays level, so its hinge turns back against the rocker.
    assert frames["coupler"][:3, :3] == pytest.approx(np.eye(3), abs=1e-9)
    assert math.atan2(frames["dial"][1, 0], frames["dial"][0, 0]) == pytest.approx(-0.6)


def test_gears_turn_with_a_joint_that_closes_a_loop(tmp_path):
    gears = "<gearbox_ratio>-2</gearbox_ratio>"
    gears += "<gearbox_reference_body>rocker</gearbox_reference_body>"
    gears += "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
    robot = read(
        tmp_path,
        four_bar(
            link("dial"),
            joint("turn", "revolute", "rocker", "dial"),
            joint("gears", "gearbox", "coupler", "dial", gears),
        ),
    )
    frames = forward_kinematics(robot, {"a": 0.2})
    dial = np.linalg.inv(frames["rocker"]) @ frames["dial"]
    assert math.atan2(dial[1, 0], dial[0, 0]) == pytest.approx(-0.4)
