# SPDX-License-Identifier: GPL-3.0-or-later
"""How long collision shapes and checks of collisions take.

    python benchmarks/collisions.py [robot, default panda or talos_full_v2]

CPU time. Of fitted shapes: seconds of all meshes of a robot, without kept ones, the volume as a
share of that of the hulls, and how far a mesh reaches out at most. Of checks: a pose of
check_collisions beside the same pairs by Pinocchio, which has coal's shapes loaded and returns
nothing but a flag for each pair; and 30 seconds of motion at 60 frames a second, as a share of
them. The first check, which loads the shapes, is apart.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.pinocchio_pairs import touching_by_pinocchio  # noqa: E402
from support.real_robots import ROOT as ROBOTS  # noqa: E402
from urdf_importer import (  # noqa: E402
    CheckOptions,
    CollisionOptions,
    Diagnostics,
    Robot,
    Trajectory,
    check_collisions,
    find_limits,
    fit_collisions,
    read_robot,
)

POSES, SECONDS, RATE = 100, 30.0, 60
ALL = CheckOptions(disabled="none")


def spent(act: Callable[[], Any]) -> tuple[float, Any]:
    """Returns seconds of CPU time, and what was made."""
    start = time.process_time()
    made = act()
    return time.process_time() - start, made


def draw_poses(robot: Robot) -> list[dict[str, float]]:
    chance = np.random.default_rng(0)
    followers = {joint.name for joint in robot.joints if joint.mimic}
    bounds = [
        (
            name,
            -3.0 if each.lower is None else each.lower,
            3.0 if each.upper is None else each.upper,
        )
        for name, each in find_limits(robot).items()
        if name not in followers
    ]
    return [{name: float(chance.uniform(*ends)) for name, *ends in bounds} for _ in range(POSES)]


def make_motion(poses: list[dict[str, float]]) -> Trajectory:
    """Between two poses and back, each joint in its own rhythm."""
    times = np.arange(int(SECONDS * RATE)) / RATE
    columns = [
        poses[0][name]
        + (poses[1][name] - poses[0][name]) * (0.5 + 0.5 * np.sin(times / (2 + i % 3)))
        for i, name in enumerate(poses[0])
    ]
    return Trajectory(names=tuple(poses[0]), times=times, positions=np.stack(columns, axis=1))


def measure_shapes(robot: Robot) -> None:
    for shape in ("box", "hull", "auto", "decomposed"):
        options: Any = CollisionOptions(shape=shape, cache=False)  # type: ignore[arg-type]
        seconds, found = spent(
            lambda options=options: fit_collisions(
                robot, options=options, diagnostics=Diagnostics()
            )
        )
        links = found.links.values()
        shapes = sum(len(link.collisions) for link in links)
        share = float(np.mean([link.volume_ratio for link in links]))
        miss = max(link.miss for link in links)
        print(
            f"fit {shape:12} {seconds:8.2f} s  {shapes:4} shapes  {share:.2f} of the hulls  "
            f"{1e3 * miss:.3f} mm outside",
            flush=True,
        )


def measure_checks(path: Path, robot: Robot) -> None:
    poses, quiet = draw_poses(robot), Diagnostics()
    first, _ = spent(lambda: check_collisions(robot, poses[0], options=ALL, diagnostics=quiet))
    ours, found = spent(
        lambda: [
            check_collisions(robot, pose, options=ALL, diagnostics=quiet).pairs for pose in poses
        ]
    )
    whole, answers = spent(lambda: list(touching_by_pinocchio(path, poses)))
    loading, _ = spent(lambda: list(touching_by_pinocchio(path, [])))
    theirs = max(whole - loading, 1e-9)
    print(f"first check   {first:8.2f} s")
    print(
        f"a pose        {1e3 * ours / POSES:8.2f} ms  {ours / theirs:.2f} of Pinocchio's, "
        f"{sum(map(len, found))} contacts, {sum(map(len, answers))} without rigid pairs"
    )
    motion = make_motion(poses)
    seconds, report = spent(
        lambda: check_collisions(robot, motion, diagnostics=Diagnostics()).contacts
    )
    print(
        f"a motion      {seconds:8.2f} s  {seconds / SECONDS:.3f} of its time, "
        f"{len(report)} contacts"
    )


def main() -> None:
    robots = {
        "panda": ROBOTS / "panda_description" / "urdf" / "panda.urdf",
        "talos_full_v2": ROBOTS / "talos_data" / "robots" / "talos_full_v2.urdf",
    }
    for name in sys.argv[1:] or robots:
        print(name)
        robot = read_robot(robots[name], diagnostics=Diagnostics())
        measure_checks(robots[name], robot)
        measure_shapes(robot)


if __name__ == "__main__":
    main()
