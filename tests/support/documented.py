# SPDX-License-Identifier: GPL-3.0-or-later
"""What the documentation shows to run: its Python, its commands, and the files that they name.

A comment <!-- not run: WHY --> before a block says that it needs what tests lack, as a server.
"""

import re
import shlex
import shutil
from pathlib import Path

from .paths import ROOT
from .real_robots import ROOT as ROBOTS
from .recorded import joint_state, record

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
NOT_RUN = re.compile(r"<!-- not run: [^>]+ -->\n+(?:```.*?^```|(?: {4}.*\n)+)", re.DOTALL | re.M)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?: {4}|      {4})urdf-importer (.*(?:\\\n.*)*)", re.MULTILINE)
XACRO = """<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:arg name="prefix" default=""/><link name="$(arg prefix)base"/></robot>
"""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def read_page(page: Path) -> str:
    """Returns a page without what is marked as not run."""
    return NOT_RUN.sub("", page.read_text("utf-8"))


def python_blocks(page: Path) -> list[str]:
    return BLOCK.findall(read_page(page))


def commands(page: Path) -> list[list[str]]:
    """The arguments of each command line of a page; comments behind it are left out."""
    lines = COMMAND.findall(read_page(page).replace("\\\n", " "))
    return [shlex.split(line, comments=True) for line in lines]


def make_folder(folder: Path) -> None:
    """Puts into a folder the files that the pages speak of."""
    samples = ROOT / "sample_urdfs"
    (folder / "sample_urdfs").symlink_to(samples)
    copies = {
        "robot.urdf": samples / "humanoid_arm.urdf",
        "arm.urdf": samples / "two_link_arm.urdf",
        "model.xml": samples / "hexapod.xml",
        "talos_full_v2.urdf": ROBOTS / "talos_data" / "robots" / "talos_full_v2.urdf",
        "talos.srdf": ROBOTS / "talos_data" / "srdf" / "talos.srdf",
        "pr2.urdf": ROBOTS / "pr2_description" / "urdf" / "pr2.urdf",
        "pr2.srdf": ROBOTS / "pr2_description" / "srdf" / "pr2.srdf",
        "panda.urdf": ROBOTS / "panda_description" / "urdf" / "panda.urdf",
        "panda.srdf": ROBOTS / "panda_description" / "srdf" / "panda.srdf",
        "robots/a.urdf": samples / "gantry.urdf",
        "robots/b.urdf": samples / "gripper.urdf",
    }
    for name in ("out", "rigs", "robots", "ros/arm_support"):
        (folder / name).mkdir(parents=True)
    for name, source in copies.items():
        shutil.copy(source, folder / name)
    (folder / "arm.urdf.xacro").write_text(XACRO)
    (folder / "child.yaml").write_text("scale: 0.5\n")
    (folder / "table.yaml").write_text("lengths: {l_elbow_flex_joint: 0.2}\nsymmetric: true\n")
    (folder / "cell.yaml").write_text(
        "waypoints:\n  - {name: a, positions: {elbow: -0.2}}\n"
        "  - {name: b, positions: {elbow: -0.7}}\n"
    )
    (folder / "joint_limits.yaml").write_text(
        "joint_limits:\n  elbow:\n    has_velocity_limits: true\n    max_velocity: 0.5\n"
    )
    moments = [(0, 0.0), (1_000_000_000, -0.5), (2_000_000_000, -0.2)]
    states = [joint_state(moment, {"elbow": turn, "wrist_pitch": 0.1}) for moment, turn in moments]
    for kind in ("bag", "mcap"):
        (folder / "recorded").mkdir(exist_ok=True)
        shutil.move(record(folder / "recorded", kind, states), folder / f"run.{kind}")
    for name in ("first", "second"):
        (folder / f"{name}.csv").write_text("time,elbow\n0,0\n1,-0.5\n")
