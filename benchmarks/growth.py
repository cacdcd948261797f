# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether work grows with the robot and not with its square.

    python benchmarks/growth.py

Needs numpy only. For each piece of work the processor time per joint, fastest of several runs, and
the ratio of the largest robot's to the smallest one's (asked for: about 1).
"""

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from urdf_importer.morse.script.export import write_builder_script  # noqa: E402

from support.big_robots import chain, sliding  # noqa: E402
from urdf_importer import export_robot, plan_rig  # noqa: E402
from urdf_importer.kinematics.tree import retrace_tree  # noqa: E402
from urdf_importer.model import Robot  # noqa: E402

RUNS = 5


def seconds_of(work: Callable[[Robot], object], robot: Robot) -> float:
    found = []
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        work(robot)
        found.append(time.process_time() - start)
    return min(found)


def ask(robot: Robot) -> None:
    """Plans a tree and asks it for its longest way and largest part."""
    tree = retrace_tree(robot)
    tree.path(robot.links[0].name, robot.links[-1].name)
    tree.subtree(0)


def compare(
    name: str, work: Callable[[Robot], object], make: Callable[[int], Robot], *counts: int
) -> None:
    work(make(10))
    per_joint = [1e6 * seconds_of(work, make(count)) / count for count in counts]
    shown = ", ".join(f"{count}: {cost:.0f}" for count, cost in zip(counts, per_joint, strict=True))
    print(f"{name}, us per joint: {shown}; ratio {per_joint[-1] / per_joint[0]:.2f}", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script, project = folder / "robot.py", folder / "project"
        compare("MORSE script", lambda r: write_builder_script(r, script), sliding, 25, 50, 200)
        compare("Webots project", lambda r: export_robot(r, project), sliding, 25, 50, 200)
        compare("rig plan", plan_rig, chain, 100, 1000)
        compare("tree", ask, chain, 100, 1000, 10_000)


if __name__ == "__main__":
    main()
