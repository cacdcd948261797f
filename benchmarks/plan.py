# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU seconds of planning waypoints of five arms.

    python benchmarks/plan.py [waypoints, default 20]

Each arm goes along so many lines from taught positions, every second one with a blend; once without
and once with the check for collisions, whose shapes are loaded before. The best of three runs.
"""

import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.arm_chains import Arm  # noqa: E402
from support.cell_jobs import BY_NAME, NAMES  # noqa: E402
from urdf_importer import PlanOptions, Waypoint, plan_waypoints  # noqa: E402

HOME = {
    "panda": (0.0, -0.3, 0.0, -2.0, 0.0, 1.8, 0.7),
    "ur5": (0.3, -1.2, 1.4, -1.0, -1.4, 0.2),
    "xarm7": (0.0, -0.3, 0.0, 1.2, 0.0, 1.4, 0.0),
    "iiwa14": (0.0, 0.5, 0.0, -1.5, 0.0, 1.0, 0.0),
    "irb140": (0.1, 0.2, 0.1, 0.2, 0.8, 0.1),
}


def draw(arm: Arm, count: int) -> list[Waypoint]:
    home = dict(zip(arm.ranges, HOME[arm.name], strict=True))
    frame = arm.place(home)
    points = [Waypoint(positions=home)]
    for number in range(count):
        pose = frame.copy()
        pose[:3, 3] += (
            0.04 * np.sin(1.3 * number),
            0.08 * np.cos(0.9 * number),
            0.05 * np.sin(0.7 * number) - 0.05,
        )
        points.append(Waypoint(pose=pose, move="linear", blend=0.01 if number % 2 else 0.0))
    return points


def measure(arm: Arm, points: list[Waypoint], collisions: bool) -> tuple[float, str]:
    options = PlanOptions(link=arm.link, collisions=collisions)
    spent = []
    for _ in range(3):
        began = time.process_time()
        plan = plan_waypoints(arm.robot, points, options=options)
        spent.append(time.process_time() - began)
    return min(spent), plan.message


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    for name in NAMES:
        points = draw(BY_NAME[name], count)
        plain, message = measure(BY_NAME[name], points, False)
        whole, _ = measure(BY_NAME[name], points, True)
        print(f"{name:8} {plain:6.2f} s, with collisions {whole:6.2f} s   {message}")


if __name__ == "__main__":
    main()
