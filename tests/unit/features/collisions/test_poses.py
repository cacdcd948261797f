# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses one after another: the same pairs as check_collisions, and inverse kinematics that heeds
them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from support.real_robots import ROOT
from urdf_importer import (
    CheckOptions,
    IKOptions,
    Robot,
    avoid_collisions,
    check_collisions,
    close_loops,
    find_limits,
    find_solutions,
    forward_kinematics,
    inverse_kinematics,
    inverse_kinematics_many,
    read_robot,
)
from urdf_importer.core.kinematics.loops import find_freedom
from urdf_importer.core.kinematics.tree import retrace_tree
from urdf_importer.core.model import Box, Collision, Joint, Limit, Link, Pose
from urdf_importer.features.collisions import check
from urdf_importer.features.collisions.poses import PoseTester
from urdf_importer.features.collisions.testers import TriangleTester

PANDA = ROOT / "panda_description" / "urdf" / "panda.urdf"


def rod(name: str, length: float, x: float = 0.0, y: float = 0.0) -> Link:
    shape = Collision(
        geometry=Box(size=(length, 0.02, 0.02)), origin=Pose(xyz=(x + length / 2.0, y, 0.0))
    )
    return Link(name=name, collisions=(shape,))


def elbow_arm() -> Robot:
    """An arm of two parts in a plane, with a wall on its left, which belongs to the base."""
    wall = rod("wall", 0.2, x=0.2, y=0.35)
    limit = Limit(lower=-2.8, upper=2.8, velocity=1.0, effort=1.0)
    turning: dict[str, Any] = {"type": "revolute", "axis": (0.0, 0.0, 1.0), "limit": limit}
    return Robot(
        name="elbow",
        links=(Link(name="base"), wall, rod("upper", 0.4, x=0.05), rod("lower", 0.4, x=0.05)),
        joints=(
            Joint(name="fixed", type="fixed", parent="base", child="wall"),
            Joint(name="shoulder", parent="base", child="upper", **turning),
            Joint(
                name="elbow", parent="upper", child="lower", origin=Pose(xyz=(0.5, 0.0, 0.0)),
                **turning,
            ),
        ),
    )  # fmt: skip


TIP = IKOptions(tip=(0.5, 0.0, 0.0))
TARGET = (0.6, 0.0, 0.0)
UP = {"shoulder": 0.9, "elbow": -1.8}


@pytest.fixture(scope="module")
def arm() -> Robot:
    return elbow_arm()


@pytest.mark.parametrize("name", ["panda", "by triangles"])
def test_poses_have_the_pairs_of_the_check(name: str) -> None:
    robot = read_robot(PANDA)
    options = CheckOptions(disabled="none")
    checker = check.recall_checker(robot, options)
    if name == "by triangles":
        checker = replace(checker, tester=TriangleTester())
    tester = PoseTester(checker.parts, checker.list_pairs((), ()), checker.tester)
    chance, found = np.random.default_rng(5), 0
    bounds = [(joint, each.lower, each.upper) for joint, each in find_limits(robot).items()]
    for _ in range(40 if name == "panda" else 15):
        pose = {joint: float(chance.uniform(low or -1.0, up or 1.0)) for joint, low, up in bounds}
        frames = forward_kinematics(robot, pose)
        own = np.array([frames[link] for link in tester.names])
        tester.begin(own[:, :3, :3], own[:, :3, 3])
        while not tester.go_on(0.0):
            pass
        report = check_collisions(robot, pose, options=options)
        assert {frozenset(pair) for pair in tester.touching} == report.pairs
        found += report.collides
    assert found


def test_a_filter_names_the_links_that_touch(arm: Robot) -> None:
    refuse = avoid_collisions(arm)
    assert refuse({}) == ""
    assert refuse(UP) == "'lower' touches 'wall'"
    assert refuse({"shoulder": -0.9, "elbow": 1.8}) == ""
    allowed = CheckOptions(allowed=(("wall", "upper"), ("lower", "wall")))
    assert avoid_collisions(arm, options=allowed)(UP) == ""


def test_inverse_kinematics_takes_another_way_where_links_would_touch(arm: Robot) -> None:
    refuse = avoid_collisions(arm)
    near = inverse_kinematics(arm, "lower", target=TARGET, start_positions=UP, options=TIP)
    assert near.success and refuse(near.positions)
    heeding = replace(TIP, refuse=refuse)
    free = inverse_kinematics(arm, "lower", target=TARGET, start_positions=UP, options=heeding)
    assert free.success and not refuse(free.positions)
    end = forward_kinematics(arm, free.positions)["lower"] @ (0.5, 0.0, 0.0, 1.0)
    assert end[:3] == pytest.approx(TARGET, abs=1e-5)
    both = find_solutions(arm, "lower", target=TARGET, start_positions=UP, options=TIP)
    (one,) = find_solutions(arm, "lower", target=TARGET, start_positions=UP, options=heeding)
    assert len(both) == 2 and one["shoulder"] == pytest.approx(free.positions["shoulder"])
    many = inverse_kinematics_many(
        arm, "lower", targets=[TARGET] * 2, start_positions=UP, options=heeding
    )
    assert many.success.all() and (many.positions["shoulder"] < 0.0).all()


def test_refused_ways_alone_are_no_answer_and_one_sentence_says_why(arm: Robot) -> None:
    held = replace(TIP, refuse=lambda positions: "'wall' touches 'upper'")
    answer = inverse_kinematics(arm, "lower", target=TARGET, start_positions=UP, options=held)
    assert not answer.success and answer.positions == UP
    assert answer.message == "the target can be reached, but 'wall' touches 'upper'"
    assert answer.closest != UP
    many = inverse_kinematics_many(arm, "lower", targets=[TARGET], start_positions=UP, options=held)
    assert not many.success.any() and many.messages == (answer.message,)
    assert not find_solutions(arm, "lower", target=TARGET, options=held)
    far = inverse_kinematics(arm, "lower", target=(3.0, 0.0, 0.0), options=held)
    assert not far.success and "out of reach" in far.message


def test_loops_are_closed_before_links_are_looked_at() -> None:
    robot = read_robot("sample_urdfs/hexapod.xml")
    every = CheckOptions(disabled="none")
    refuse = avoid_collisions(robot, options=every)
    names = find_freedom(retrace_tree(robot)).free
    for share in (0.02, 0.1, 0.2):
        free = dict.fromkeys(names, share)
        report = check_collisions(robot, free, options=every)
        assert bool(refuse(free)) == report.collides
        assert bool(refuse(close_loops(robot, free).positions)) == report.collides
