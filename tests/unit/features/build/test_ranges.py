# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits from a search for contact."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.real_robots import ROOT
from urdf_importer import (
    ArgumentError,
    CheckOptions,
    RangeOptions,
    RobotError,
    avoid_collisions,
    find_ranges,
    read_robot,
    reshape,
)
from urdf_importer.cli import main
from urdf_importer.core.model import Box, Collision, Limit, Link, Mimic, Pose, Robot

BLOCK = Collision(geometry=Box(size=(0.2, 0.2, 0.2)))


def make_gate() -> Robot:
    """A bar that turns about z between two posts, and a drawer between two walls."""
    posts = tuple(
        Collision(geometry=Box(size=(0.1, 0.1, 1.0)), origin=Pose(xyz=(0.0, y, 0.0)))
        for y in (-1.0, 1.0)
    )
    bar = Collision(geometry=Box(size=(1.0, 0.1, 0.1)), origin=Pose(xyz=(0.8, 0.0, 0.0)))
    robot = Robot(name="gate", links=(Link(name="base", collisions=posts),))
    robot = reshape.add_link(robot, Link(name="bar", collisions=(bar,)), type="revolute")
    drawer = Link(name="drawer", collisions=(replace(BLOCK, origin=Pose(xyz=(0, 0, 2))),))
    robot = reshape.add_link(robot, drawer, parent="base", type="prismatic", axis=(1, 0, 0))
    wall = Collision(geometry=Box(size=(0.2, 1.0, 1.0)), origin=Pose(xyz=(0.5, 0.0, 2.0)))
    return reshape.add_link(robot, Link(name="wall", collisions=(wall,)), parent="base")


def test_ranges_end_before_contact() -> None:
    robot = make_gate()
    found = find_ranges(robot, options=RangeOptions(margin=0.0, slide_margin=0.0))
    lower, upper = found.ranges["base_to_bar"]
    assert lower is not None and upper is not None and lower == pytest.approx(-upper, abs=2e-4)
    # The bar's corner (1.3, 0.05) meets the post, or its side the post's corner (0.05, 0.95).
    distance = math.hypot(0.05, 0.95)
    touching = math.atan2(0.95, 0.05) - math.asin(0.05 / distance)
    assert upper == pytest.approx(touching, abs=3e-4)
    assert found.contacts["base_to_bar"] == (("bar", "base"), ("bar", "base"))
    assert found.ranges["base_to_drawer"] == (None, pytest.approx(0.3, abs=3e-4))
    bar, drawer, _ = found.robot.joints
    assert bar.limit is not None and (bar.limit.lower, bar.limit.upper) == (lower, upper)
    assert drawer.limit is not None and drawer.limit.lower == -1.0


def test_margins_are_kept_free() -> None:
    robot = make_gate()
    bare = find_ranges(robot, options=RangeOptions(margin=0.0, slide_margin=0.0)).ranges
    kept = find_ranges(robot, options=RangeOptions(margin=0.1, slide_margin=0.01)).ranges
    assert kept["base_to_bar"][1] == pytest.approx(bare["base_to_bar"][1] - 0.1, abs=1e-9)  # type: ignore[operator]
    assert kept["base_to_drawer"][1] == pytest.approx(bare["base_to_drawer"][1] - 0.01, abs=1e-9)  # type: ignore[operator]
    gap = find_ranges(robot, options=RangeOptions(slide_margin=0.0, gap=0.05)).ranges
    assert gap["base_to_drawer"][1] == pytest.approx(0.25, abs=1e-3)


def test_free_joints_keep_their_limits_or_are_continuous() -> None:
    robot = reshape.add_link(
        Robot(name="r", links=(Link(name="a", collisions=(BLOCK,)),)),
        Link(name="b", collisions=(replace(BLOCK, origin=Pose(xyz=(0, 0, 1))),)),
        type="revolute", limit=Limit(lower=-0.5, upper=0.5),
    )  # fmt: skip
    found = find_ranges(robot)
    assert found.ranges == {"a_to_b": (None, None)} and found.robot == robot
    open_ended = replace(robot, joints=(replace(robot.joints[0], limit=None),))
    assert find_ranges(open_ended).robot.joints[0].type == "continuous"


def test_followers_go_along() -> None:
    robot = reshape.set_joint(make_gate(), "base_to_drawer", mimic=Mimic(joint="base_to_bar"))
    assert set(find_ranges(robot).ranges) == {"base_to_bar"}


def test_found_limits_touch_nothing() -> None:
    robot = read_robot(ROOT / "ur_description" / "urdf" / "ur5_robot.urdf")
    found = find_ranges(robot)
    touching = avoid_collisions(robot, options=CheckOptions(disabled="none"))
    touching({})
    start = touching.touching
    test = avoid_collisions(robot, options=CheckOptions(disabled="none", allowed=start))
    bounds = {name: pair for name, pair in found.ranges.items() if any(pair)}
    assert bounds
    for name, pair in bounds.items():
        for bound, beyond in zip(pair, (-0.05, 0.05), strict=True):
            if bound is not None:
                assert not test({name: bound})
                assert test({name: bound + beyond})


def test_impossible_searches_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="did you mean 'base_to_bar'"):
        find_ranges(make_gate(), options=RangeOptions(joints=("base_to_bra",)))
    wrong: Any
    for wrong in ({"step": 0.0}, {"margin": math.nan}, {"gap": -1.0}):
        with pytest.raises(ArgumentError):
            RangeOptions(**wrong)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from urdf_importer import write_urdf

    source, out = tmp_path / "a.urdf", tmp_path / "b.urdf"
    write_urdf(make_gate(), source)
    assert main(["ranges", str(source), "-o", str(out), "--joint", "base_to_bar"]) == 0
    assert "bar and base" in capsys.readouterr().out
    limit = read_robot(out).joints[0].limit
    assert limit is not None and limit.upper == pytest.approx(1.43, abs=0.05)
    assert main(["ranges", str(source), "--json", "-"]) == 0
    json.loads(capsys.readouterr().out)
