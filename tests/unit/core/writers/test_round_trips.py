# SPDX-License-Identifier: GPL-3.0-or-later
"""Real robots from format to format and back, through each pair of four: links, frames at rest and
moved, masses, limits and followers stay, but for what the table of losses says."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.real_robots import descriptions, name_of, without_elsewhere
from support.samples import sampled
from support.usd_machines import PHYSICS, draw_positions
from urdf_importer import (
    Diagnostics,
    MjcfOptions,
    Robot,
    SdfOptions,
    UrdfOptions,
    export_robot,
    forward_kinematics,
    read_robot,
)
from urdf_importer.core.kinematics.motion import JointMotion
from urdf_importer.core.kinematics.tree import plan_tree

FORMATS = {
    ".urdf": UrdfOptions(meshes="keep"),
    ".sdf": SdfOptions(meshes="keep"),
    ".xml": MjcfOptions(small_mass=1e-3, sensors=False),
    ".usda": PHYSICS,
}
WITHIN = {True: 1e-6, False: 1e-8}
"""Whether one of the formats is USD, of single precision -> how near numbers are."""
_READABLE = [path for path in descriptions() if path.stem != "ur3"]  # It has no links.
FEW = ("double_pendulum", "ur5_robot")
REAL = [
    *(pytest.param(path, id=name_of(path)) for path in _READABLE if path.stem in FEW),
    *(
        pytest.param(path, id=name_of(path), marks=pytest.mark.slow)
        for path in sampled([path for path in _READABLE if path.stem not in FEW], 2)
    ),
]


def pass_through(robot: Robot, path: Path) -> Robot:
    export_robot(robot, path, options=FORMATS[path.suffix], diagnostics=Diagnostics())
    return read_robot(path, diagnostics=Diagnostics())


def measure(robot: Robot) -> dict[str, JointMotion]:
    return {each.joint.name: each for each in plan_tree(robot, Diagnostics()).joint_motions}


@pytest.mark.parametrize("path", REAL)
def test_robots_are_the_same_after_two_other_formats(path: Path, tmp_path: Path) -> None:
    robot = without_elsewhere(read_robot(path, diagnostics=Diagnostics()))
    pose = draw_positions(robot, 1)
    first = {suffix: pass_through(robot, tmp_path / f"a{suffix}") for suffix in FORMATS}
    for one, other in product(FORMATS, FORMATS):
        again = pass_through(first[one], tmp_path / f"{one[1:]}_b{other}")
        assert_same(robot, again, pose, {one, other})


def assert_same(robot: Robot, again: Robot, pose: dict[str, Any], formats: set[str]) -> None:
    within, said = WITHIN[".usda" in formats], sorted(formats)
    before, after = measure(robot), measure(again)
    for positions in ({}, {name: each for name, each in pose.items() if name in after}):
        frames, found = forward_kinematics(robot, positions), forward_kinematics(again, positions)
        known = frames.keys() & found.keys()
        missing = {link.name for link in robot.links if link.inertial} - known
        assert not missing, said
        for name in known:
            size = 1.0 + float(np.abs(frames[name][:3, 3]).max())
            assert np.abs(found[name] - frames[name]).max() < within * size, (said, name)
    # Links that move without a mass weigh a gram in SDF and MuJoCo, in USD a hundredth of a
    # neighbour.
    bare = sum(not (each.inertial and each.inertial.mass) for each in robot.links)
    total = robot.total_mass()
    small = 0.02 * total if bare and ".usda" in formats else 1e-3 * bare
    assert again.total_mass() == pytest.approx(total, rel=within, abs=small + 1e-6)
    # A joint with the name of a link has another one in SDF.
    scalar = [each for each in before.values() if each.is_scalar and each.joint.name in after]
    for motion in scalar:
        assert_same_joint(motion, after[motion.joint.name], within, formats)


def assert_same_joint(
    motion: JointMotion, other: JointMotion, within: float, formats: set[str]
) -> None:
    name = motion.joint.name
    for one, two in ((motion.lower, other.lower), (motion.upper, other.upper)):
        assert two == (None if one is None else pytest.approx(one, rel=within, abs=within)), name
    assert (motion.mimic is None) == (other.mimic is None), (name, sorted(formats))
    limit, after = motion.joint.limit, other.joint.limit
    if limit is not None and limit.effort:
        assert after is not None and after.effort == pytest.approx(limit.effort, rel=within), name
    if limit is not None and limit.velocity and ".xml" not in formats:  # MuJoCo has no speed.
        assert after is not None
        assert after.velocity == pytest.approx(limit.velocity, rel=within), name
