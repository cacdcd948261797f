# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the sample motions beside this file: `python sample_urdfs/make_motions.py`.

The humanoid arm takes something from one side to the other: as it was commanded, points with
velocities, and as a recorder saw it.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import urdf_importer  # noqa: E402

JOINTS = (
    "shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "forearm_yaw", "wrist_pitch",
    "wrist_roll",
)  # fmt: skip
HOME = (0.0, 0.05, 0.0, -0.2, 0.0, 0.0, 0.0)
POINTS = (
    (0.0, HOME),
    (1.0, (-0.75, 0.75, 0.5, -1.45, 0.2, 0.35, 0.2)),  # above the one side
    (1.6, (-0.55, 0.75, 0.5, -1.05, 0.2, 0.25, 0.2)),  # down
    (2.0, (-0.55, 0.75, 0.5, -1.05, 0.2, 0.25, -0.3)),  # take
    (2.6, (-0.95, 0.7, 0.4, -1.6, 0.2, 0.35, -0.3)),  # up
    (4.0, (-0.95, 0.0, -0.9, -1.5, -0.4, 0.35, 0.1)),  # across
    (4.6, (-0.6, 0.0, -0.9, -1.05, -0.4, 0.25, 0.1)),  # down
    (5.0, (-0.6, 0.0, -0.9, -1.05, -0.4, 0.25, 0.6)),  # let go
    (5.6, (-0.95, 0.1, -0.6, -1.6, -0.3, 0.35, 0.3)),  # up
    (6.8, HOME),
)
"""Seconds and radians."""
STOPS = (0, 2, 3, 6, 7, 9)
"""Points at which the arm rests."""
RATE = 25.0
CLOCK = 1_760_000_000 * 10**9
"""The recorder's clock at the first sample, in nanoseconds."""


def make_command() -> urdf_importer.Trajectory:
    """Velocities are those of the straight line from the point before to the point behind."""
    times = np.array([time for time, _ in POINTS])
    positions = np.array([point for _, point in POINTS])
    velocities = np.gradient(positions, times, axis=0)
    velocities[list(STOPS)] = 0.0
    return urdf_importer.Trajectory(
        names=JOINTS,
        times=times,
        positions=positions,
        velocities=velocities,
        interpolation="spline",
    )


def record(command: urdf_importer.Trajectory) -> urdf_importer.Trajectory:
    """Returns what the arm does, cubics between the points, RATE times a second."""
    assert command.velocities is not None
    times = np.arange(round(command.duration * RATE) + 1) / RATE
    place = np.clip(np.searchsorted(command.times, times, "right") - 1, 0, len(command.times) - 2)
    h = np.diff(command.times)[place][:, None]
    s = (times[:, None] - command.times[place][:, None]) / h
    q, v = command.positions, command.velocities * 1.0
    positions = (
        (1 + 2 * s) * (1 - s) ** 2 * q[place]
        + s * (1 - s) ** 2 * h * v[place]
        + s * s * (3 - 2 * s) * q[place + 1]
        - s * s * (1 - s) * h * v[place + 1]
    )
    return replace(
        command,
        times=times,
        positions=positions,
        velocities=np.gradient(positions, times, axis=0),
        interpolation="linear",
        start_time=CLOCK,
    )


def make_all() -> dict[str, urdf_importer.Trajectory]:
    """Returns the name of each file and what is in it."""
    command = make_command()
    recorded = record(command)
    table = replace(recorded, velocities=None, start_time=0, positions=recorded.positions.round(5))
    return {
        "pick_and_place.json": command,
        "pick_and_place.mcap": recorded,
        "pick_and_place.csv": table,
    }


if __name__ == "__main__":
    for name, motion in make_all().items():
        urdf_importer.write_trajectory(motion, HERE / name)
