# SPDX-License-Identifier: GPL-3.0-or-later
"""Real robots from format to format and back: links, frames and masses stay."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from support.real_robots import descriptions, name_of
from support.samples import sampled
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

FORMATS = {
    ".urdf": UrdfOptions(meshes="keep"),
    ".sdf": SdfOptions(meshes="keep"),
    ".xml": MjcfOptions(small_mass=1e-3, sensors=False),
}
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


@pytest.mark.parametrize("path", REAL)
def test_robots_are_the_same_after_two_other_formats(path: Path, tmp_path: Path) -> None:
    robot = read_robot(path, diagnostics=Diagnostics())
    frames = forward_kinematics(robot)
    first = {suffix: pass_through(robot, tmp_path / f"a{suffix}") for suffix in FORMATS}
    for one, other in product(FORMATS, FORMATS):
        again = pass_through(first[one], tmp_path / f"{one[1:]}_b{other}")
        found = forward_kinematics(again)
        known = frames.keys() & found.keys()
        missing = {link.name for link in robot.links if link.inertial} - known
        assert not missing, (one, other)
        for name in known:
            assert np.abs(found[name] - frames[name]).max() < 1e-8, (one, other, name)
        # Links that move without a mass weigh a gram in SDF and MuJoCo.
        grams = 1e-3 * sum(not (each.inertial and each.inertial.mass) for each in robot.links)
        assert again.total_mass() == pytest.approx(robot.total_mass(), abs=grams + 1e-6)
