# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of real robots: Pinocchio, asked every half millisecond, says when links begin to touch;
and how long half a minute takes."""

import time
from pathlib import Path

import numpy as np
import pytest

from support.pinocchio_pairs import touching_by_pinocchio
from support.real_robots import ROOT
from support.seconds import within
from urdf_importer import (
    CheckOptions,
    Diagnostics,
    Robot,
    Trajectory,
    check_collisions,
    find_limits,
    read_robot,
)
from urdf_importer.features.collisions import testers

PANDA = ROOT / "panda_description" / "urdf" / "panda.urdf"
TALOS = ROOT / "talos_data" / "robots" / "talos_full_v2.urdf"
STEP = 5e-4

pytestmark = pytest.mark.slow


def make_motion(robot: Robot, seconds: float, speed: float) -> Trajectory:
    """Between two poses and back at 60 samples a second, each joint in its own rhythm."""
    chance = np.random.default_rng(2)
    times = np.arange(round(seconds * 60)) / 60
    columns = {}
    for place, (name, limit) in enumerate(find_limits(robot).items()):
        low, high = (
            -2.0 if limit.lower is None else limit.lower,
            2.0 if limit.upper is None else limit.upper,
        )
        one, other = chance.uniform(low, high, 2)
        columns[name] = one + (other - one) * (0.5 + 0.5 * np.sin(speed * times / (2 + place % 3)))
    for joint in robot.joints:
        if joint.mimic and joint.name in columns:
            own = columns[joint.mimic.joint]
            columns[joint.name] = joint.mimic.multiplier * own + joint.mimic.offset
    return Trajectory(
        names=tuple(columns), times=times, positions=np.stack(list(columns.values()), axis=1)
    )


@pytest.mark.parametrize(("path", "seconds"), [(PANDA, 4.0), (TALOS, 2.0)], ids=["panda", "talos"])
def test_links_begin_to_touch_within_a_millisecond(
    path: Path, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Meshes are surfaces to Pinocchio: what lies wholly inside one touches nothing.
    monkeypatch.setattr(testers, "is_inside", lambda *parts: False)
    robot = read_robot(path, diagnostics=Diagnostics())
    motion = make_motion(robot, seconds, 6.0)
    options = CheckOptions(disabled="none")
    report = check_collisions(robot, motion, options=options, diagnostics=Diagnostics())
    times = np.arange(0.0, motion.times[-1], STEP)
    columns = [np.interp(times, motion.times, each) for each in motion.positions.T]
    rows = np.stack(columns, axis=1).tolist()
    poses = [dict(zip(motion.names, row, strict=True)) for row in rows]
    began: dict[frozenset[str], float] = {}
    for moment, pairs in zip(times.tolist(), touching_by_pinocchio(path, poses), strict=True):
        for pair in pairs:
            began.setdefault(frozenset(pair), moment)
    starts: dict[frozenset[str], float] = {}
    for contact in report.contacts:
        starts.setdefault(frozenset((contact.link1, contact.link2)), contact.start)
    later = [pair for pair, moment in began.items() if moment > 0.0]
    assert len(later) > 3
    for pair, moment in began.items():
        assert moment - STEP - 1e-3 <= starts[pair] <= moment + 1e-3, pair


def test_half_a_minute_of_a_humanoid_takes_less_than_five_seconds() -> None:
    robot = read_robot(TALOS, diagnostics=Diagnostics())
    motion = make_motion(robot, 30.0, 1.0)
    for _ in within(5.0, time.process_time):
        report = check_collisions(robot, motion, diagnostics=Diagnostics())
    assert report.contacts
