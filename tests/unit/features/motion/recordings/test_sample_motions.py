# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample motions: what their script makes, one motion in three formats, within all limits."""

import importlib.util

import numpy as np
import pytest

from support.paths import ROOT
from urdf_importer import check_trajectory, read_robot, read_trajectory
from urdf_importer.core.kinematics.keys import Keys, evaluate

SAMPLES = ROOT / "sample_urdfs"


def load_script():
    spec = importlib.util.spec_from_file_location("make_motions", SAMPLES / "make_motions.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_files_are_what_the_script_makes():
    made = load_script().make_all()
    assert {path.name for path in SAMPLES.glob("pick_and_place.*")} == set(made)
    for name, motion in made.items():
        path = SAMPLES / name
        assert path.stat().st_size < 64_000
        found = read_trajectory(path)
        assert (found.names, found.interpolation) == (motion.names, motion.interpolation)
        assert found.start_time == motion.start_time
        assert np.allclose(found.times, motion.times, atol=1e-9)
        assert np.allclose(found.positions, motion.positions, atol=1e-12)


def test_all_formats_say_the_same():
    command = read_trajectory(SAMPLES / "pick_and_place.json")
    for name in ("pick_and_place.mcap", "pick_and_place.csv"):
        recorded = read_trajectory(SAMPLES / name)
        for column in range(len(command.names)):
            keys = Keys(
                times=command.times,
                values=command.positions[:, column],
                slopes=command.velocities[:, column],
            )
            wanted = evaluate(keys, recorded.times)
            assert np.allclose(recorded.positions[:, column], wanted, atol=1e-5)


@pytest.mark.parametrize("suffix", ["json", "mcap", "csv"])
def test_the_arm_can_do_it(suffix):
    robot = read_robot(SAMPLES / "humanoid_arm.urdf")
    assert check_trajectory(robot, read_trajectory(SAMPLES / f"pick_and_place.{suffix}")) == ()
