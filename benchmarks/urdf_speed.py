# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing URDF and reshaping: CPU time, and what it is beside reading the same robot.

    python benchmarks/urdf_speed.py [links of the made robot, default 5000]

Writing plain is to cost at most 1.5 times what reading costs, keeping the text 2.5 times (it reads
twice), each function of reshape half a second for 5,000 links. Each number is the least of five.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.big_robots import tree  # noqa: E402
from support.real_robots import ROOT as ROBOTS  # noqa: E402
from urdf_importer import Robot, UrdfOptions, read_robot, write_urdf  # noqa: E402
from urdf_importer.core import reshape  # noqa: E402
from urdf_importer.core.model import Box, Inertia, Inertial, Visual  # noqa: E402

TIMES = 5
REAL = ("panda_description/urdf/panda.urdf", "pr2_description/urdf/pr2.urdf")
PLAIN, KEEP, SECONDS = 1.5, 2.5, 0.5


def least(work: Callable[[], Any]) -> float:
    """CPU time in seconds, the least of several."""
    found = []
    for _ in range(TIMES):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def made(count: int) -> Robot:
    """A tree of links with a mass and a box each."""
    inertial = Inertial(mass=1.0, inertia=Inertia(ixx=0.1, iyy=0.1, izz=0.1))
    shapes = (Visual(geometry=Box(size=(0.1, 0.1, 0.1))),)
    robot = tree(count, seed=1)
    links = tuple(replace(link, inertial=inertial, visuals=shapes) for link in robot.links)
    return replace(robot, links=links)


def show_writing(name: str, source: Path, folder: Path) -> None:
    robot = read_robot(source)
    origin = replace(robot.joints[-1].origin, xyz=(0.125, 0.0, 0.0))
    joints = (*robot.joints[:-1], replace(robot.joints[-1], origin=origin))
    changed = replace(robot, joints=joints)
    plain, keep = UrdfOptions(style="plain", meshes="keep"), UrdfOptions(meshes="keep")
    reading = least(lambda: read_robot(source))
    cells = [f"{name:12}{len(robot.links):7}{reading * 1e3:10.1f}"]
    for one, options, most in ((robot, plain, PLAIN), (robot, keep, KEEP), (changed, keep, KEEP)):
        spent = least(
            lambda one=one, options=options: write_urdf(one, folder / "o.urdf", options=options)
        )
        cells.append(f"{spent / reading:9.2f}{' ' if spent <= most * reading else '!'}")
    print("".join(cells))


def show_reshaping(robot: Robot) -> None:
    leaf, middle = robot.links[-1].name, robot.links[len(robot.links) // 2].name
    tool = read_robot(ROOT / "sample_urdfs" / "gripper.urdf")
    last = robot.joints[-1].name
    functions: dict[str, Callable[[], Robot]] = {
        "strip": lambda: reshape.strip(robot, ["visuals"]),
        "prune": lambda: reshape.prune(robot, remove=[middle]),
        "merge_fixed": lambda: reshape.merge_fixed(robot),
        "resize, scale": lambda: reshape.resize(robot, scale=0.5),
        "resize, table": lambda: reshape.resize(robot, lengths={last: 0.5}, symmetric=True),
        "rename": lambda: reshape.rename(robot, prefix="a_"),
        "reroot": lambda: reshape.reroot(robot, leaf),
        "attach": lambda: reshape.attach(robot, tool, leaf, prefix="t_"),
        "convert_axes": lambda: reshape.convert_axes(robot, "zxy"),
        "move_zero": lambda: reshape.move_zero(robot, {}),
    }
    print(f"\n{'reshape':16}{'s':>8}   of {len(robot.links)} links, at most {SECONDS}")
    for name, function in functions.items():
        spent = least(function)
        print(f"{name:16}{spent:8.3f}{'' if spent <= SECONDS else ' !'}")


def main(count: int) -> None:
    print(f"{'robot':12}{'links':>7}{'read, ms':>10}{'plain':>9} {'same':>9} {'changed':>9}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        robot = made(count)
        file = write_urdf(robot, folder / "made.urdf").path
        show_writing("made", file, folder)
        for path in REAL:
            show_writing(Path(path).stem, ROBOTS / path, folder)
    show_reshaping(robot)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
