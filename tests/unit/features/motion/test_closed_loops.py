# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions whose loops are closed by numbers: at which times, and where the followers are then."""

import numpy as np
import pytest

from support import real_robots
from support.linkages import four_bar, gap_of, hexagon
from urdf_importer import Diagnostics, close_loops, read_robot
from urdf_importer.core.kinematics.keys import Keys
from urdf_importer.core.kinematics.loops import LoopCloser
from urdf_importer.features.motion.loops import close_motion, plan_closed_times

CASSIE = real_robots.ROOT / "cassie_description" / "robots"


def line(*values: float, seconds: float = 1.0) -> Keys:
    return Keys(times=np.linspace(0.0, seconds, len(values)), values=np.array(values))


@pytest.mark.parametrize("name", ["cassie", "cassie_v2"])
def test_cassie_is_closed_all_the_way(name: str) -> None:
    robot = read_robot(CASSIE / f"{name}.sdf", diagnostics=Diagnostics())
    closer = LoopCloser(robot)
    knees = [each for each in closer.freedom.free if "knee-op" in each or "knee-ip" in each]
    assert len(knees) == 2
    keys = {name: line(0.0, -0.3, -0.1) for name in knees}
    motion = close_motion(closer, keys, {}, np.linspace(0.0, 1.0, 25))
    for pose in motion.poses:
        assert gap_of(robot, pose) < 1e-6


def test_all_frames_and_all_keys_are_closed_unless_keys_are_many() -> None:
    keys = [line(0.0, 1.0, 2.0, seconds=0.5)]
    times = plan_closed_times(keys, first=0.0, rate=10.0)
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5])
    dense = [Keys(times=np.linspace(0.03, 0.57, 500), values=np.zeros(500))]
    times = plan_closed_times(dense, first=0.0, rate=10.0)
    assert times == pytest.approx([0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.57])


def test_followers_choose_the_way_to_put_it_together() -> None:
    """A recording of a four bar whose elbow is on the other side is followed on that side."""
    robot = four_bar(0.4, 1.0, 0.8, 1.1, 0.7)
    assert robot is not None
    here = close_loops(robot, {"crank_pin": 0.2}).positions
    motion = close_motion(
        LoopCloser(robot),
        {name: line(float(here[name]), float(here[name])) for name in here},  # type: ignore[arg-type]
        {},
        np.array([0.0, 0.5, 1.0]),
    )
    for pose in motion.poses:
        assert pose == pytest.approx(here, abs=1e-9)


def test_joints_that_cannot_follow_are_named_with_when() -> None:
    motion = close_motion(
        LoopCloser(hexagon()),
        {"corner_0": line(0.0, -3.0), "corner_1": line(0.0, -2.0)},
        {},
        np.linspace(0.0, 1.0, 21),
    )
    assert motion.missed.keys() <= {"corner_0", "corner_1", "corner_2"}
    first = min(time for time, _ in motion.missed.values())
    assert 0.0 < first < 1.0
    for pose in motion.poses:
        assert gap_of(hexagon(), pose) < 1e-8
