# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops follow what is done to the robot: they stay closed where they were, or go with their
links."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import ImportOptions, forward_kinematics, read_robot
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.model import Robot
from urdf_importer.core.reshape import (
    attach,
    convert_axes,
    merge_fixed,
    prune,
    rename,
    reroot,
    resize,
)

SAMPLE = ROOT / "sample_urdfs" / "pumpjack"


def pumpjack() -> Robot:
    options = ImportOptions(parameters=f"{SAMPLE}.yaml")
    robot = read_robot(f"{SAMPLE}.xml", options=options)
    assert len(robot.loops) == 1
    return robot


def with_fixed_pin() -> Robot:
    """A link of the loop melts into another when fixed joints are merged."""
    robot = pumpjack()
    joints = tuple(
        replace(joint, type="fixed") if joint.name == "crank_pin" else joint
        for joint in robot.joints
    )
    return replace(robot, joints=joints)


def gap(robot: Robot) -> float:
    frames = forward_kinematics(robot)
    (loop,) = robot.loops
    one = frames[loop.link1] @ matrix_from_pose(loop.origin1)
    other = frames[loop.link2] @ matrix_from_pose(loop.origin2)
    return float(np.abs(one - other).max())


@pytest.mark.parametrize(
    "change",
    [
        lambda robot: robot,
        lambda robot: rename(robot, prefix="p_"),
        lambda robot: convert_axes(robot, "zxy"),
        lambda robot: resize(robot, scale=2.5),
        lambda robot: reroot(robot, "rod_end"),
        lambda robot: reroot(robot, "rod_end", frames="move"),
        merge_fixed,
    ],
)
def test_a_loop_stays_closed(change: Callable[[Robot], Robot]) -> None:
    assert gap(change(with_fixed_pin())) < 1e-9


def test_names_follow() -> None:
    (loop,) = rename(pumpjack(), prefix="p_").loops
    assert (loop.name, loop.link1, loop.link2) == ("p_tail_pin", "p_pitman", "p_beam")
    (merged,) = merge_fixed(with_fixed_pin()).loops
    assert merged.link1 == "crank"


def test_a_loop_goes_with_its_link() -> None:
    assert prune(pumpjack(), remove=["pitman"]).loops == ()
    assert len(prune(pumpjack(), remove=["rod"]).loops) == 1


def test_a_tool_brings_its_loops() -> None:
    both = attach(pumpjack(), pumpjack(), "rod_end", prefix="q_")
    assert [loop.name for loop in both.loops] == ["tail_pin", "q_tail_pin"]
