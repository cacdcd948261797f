# SPDX-License-Identifier: GPL-3.0-or-later
"""Webots export beside that of Webots' makers: the table of docs/reference/webots_peer.md.

    python benchmarks/webots_peer.py [--peer-python PYTHON] [--runs N] [robot ...]

Needs the packages example-robot-data and urdf2webots; --peer-python names the Python of another
environment that has the latter. Each conversion has a process of its own, because the peer keeps
state from one robot to the next. Counted are the seconds of the conversion without imports, the
fastest of the runs. What both write goes through the same checker, and degrees of freedom and
sensors are counted in the files, not in what a program says about itself.

The descriptions are read through a link: their place has "package" in its name, and then the peer
finds no mesh at all. That is a fault of the peer's, but of the place too, and would hide the rest.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "webots")]

from support.real_robots import ROOT as ROBOTS  # noqa: E402
from support.real_robots import descriptions, name_of  # noqa: E402
from support.webots.proto_check import check  # noqa: E402

SECONDS_AT_MOST = 300
OURS = """
import sys, time
from urdf_importer import export_robot, read_robot
start = time.perf_counter()
export_robot(read_robot(sys.argv[1]), sys.argv[2])
print("seconds", time.perf_counter() - start)
"""
PEER = """
import sys, time
from urdf2webots.importer import convertUrdfFile
start = time.perf_counter()
convertUrdfFile(input=sys.argv[1], output=sys.argv[2])
print("seconds", time.perf_counter() - start)
"""
AXES = {"revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "floating": 6}
"""Degrees of freedom of each type of joint."""
DEVICES = {
    "camera": ("Camera",),
    "depth": ("RangeFinder",),
    "ray": ("Lidar", "DistanceSensor"),
    "gpu_ray": ("Lidar", "DistanceSensor"),
    "imu": ("InertialUnit", "Accelerometer", "Gyro"),
    "contact": ("TouchSensor",),
    "force_torque": ("TouchSensor",),
}
"""Nodes of Webots that are the sensors of each type; any of them keeps the sensor."""
HEAD = """\
| robot | valid | peer's | degrees of freedom | peer's | sensors | peer's | seconds | peer's |
|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Written:
    """What one program made of a robot; `seconds` is None where it ended without a file."""

    proto: Path
    seconds: float | None

    @cached_property
    def errors(self) -> int:
        return len(check(self.proto).errors)

    @cached_property
    def axes(self) -> int:
        return sum(len(joint["dofs"]) for joint in check(self.proto).tree["joints"])

    @cached_property
    def nodes(self) -> Counter[str]:
        """How many there are of each node, strings and comments left out."""
        text = re.sub(r'"(?:\\.|[^"\\])*"|#.*', "", self.proto.read_text("utf-8"))
        return Counter(re.findall(r"\b([A-Z]\w*)\s*\{", text))


@dataclass(frozen=True)
class Row:
    """One robot; `axes` and `sensors` are those of its description."""

    name: str
    axes: int
    sensors: Mapping[str, int]
    both: tuple[Written, Written]

    def __str__(self) -> str:
        count = sum(self.sensors.values())
        cells = [
            [_tell_validity(one) for one in self.both],
            [_tell_share(one.axes, self.axes) if one.seconds else "-" for one in self.both],
            [_tell_share(self.kept(one), count) if one.seconds else "-" for one in self.both],
            [f"{one.seconds:.2f}" if one.seconds else "-" for one in self.both],
        ]
        return f"| {' | '.join([self.name, *(cell for pair in cells for cell in pair)])} |"

    def kept(self, written: Written) -> int:
        """Sensors for which there is a device; a device serves one."""
        left = written.nodes
        kept = 0
        for kind, count in self.sensors.items():
            found = min(count, max(left[node] for node in DEVICES[kind]))
            kept += found
            left = left - Counter(dict.fromkeys(DEVICES[kind], found))
        return kept


def _tell_validity(written: Written) -> str:
    if written.seconds is None:
        return "no file"
    if not written.errors:
        return "yes"
    return f"{written.errors} error{'s' if written.errors > 1 else ''}"


def _tell_share(kept: int, count: int) -> str:
    return f"{kept} of {count}" if count else "-"


def count_described(path: Path) -> tuple[int, Counter[str]]:
    """The degrees of freedom of a description, and its sensors by type, each name once."""
    robot = ElementTree.parse(path).getroot()  # noqa: S314 -- of a package of our choice
    axes = sum(AXES.get(joint.get("type", ""), 0) for joint in robot.findall("joint"))
    sensors = {(sensor.get("type", ""), sensor.get("name", "")) for sensor in robot.iter("sensor")}
    return axes, Counter(kind for kind, _ in sorted(sensors))


def convert(python: str, code: str, path: Path, folder: Path, runs: int) -> Written:
    """Runs one of the programs above in a folder of its own for every run."""
    seconds = []
    for _ in range(runs):
        place = Path(tempfile.mkdtemp(dir=folder))
        proto = place / "Converted.proto"
        done = subprocess.run(
            [python, "-c", code, str(path), str(proto)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=SECONDS_AT_MOST,
        )
        said = re.search(r"^seconds (\S+)$", done.stdout, re.MULTILINE)
        if done.returncode or said is None:
            return Written(proto, None)
        seconds.append(float(said[1]))
    return Written(proto, min(seconds))


def compare(robot: Path, peer_python: str, folder: Path, runs: int) -> Row:
    axes, sensors = count_described(robot)
    # Both programs look for a package above the description, in a folder of its name.
    shared = folder / "example-robot-data"
    shared.symlink_to(ROBOTS.parent)
    path = shared / robot.relative_to(ROBOTS.parent)
    ours = convert(sys.executable, OURS, path, folder, runs)
    peer = convert(peer_python, PEER, path, folder, runs)
    return Row(name_of(robot), axes, sensors, (ours, peer))


def sum_up(rows: Iterable[Row]) -> str:
    """The last row: all robots."""
    rows = list(rows)
    axes = sum(row.axes for row in rows)
    sensors = sum(sum(row.sensors.values()) for row in rows)
    valid, kept, devices, seconds = [], [], [], []
    for side in (0, 1):
        there = [(row, row.both[side]) for row in rows if row.both[side].seconds]
        valid.append(f"{sum(not one.errors for _, one in there)} of {len(rows)}")
        kept.append(f"{sum(one.axes for _, one in there)} of {axes}")
        devices.append(f"{sum(row.kept(one) for row, one in there)} of {sensors}")
        seconds.append(f"{sum(one.seconds or 0.0 for _, one in there):.1f}")
    return f"| **all** | {' | '.join([*valid, *kept, *devices, *seconds])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Webots export beside urdf2webots.")
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("robots", nargs="*", help="as the table calls them; default: all")
    chosen = parser.parse_args()
    known = {name_of(path): path for path in descriptions()}
    unknown = set(chosen.robots) - set(known)
    if unknown:
        parser.error(f"there is no robot {json.dumps(sorted(unknown))}")
    found = subprocess.run([chosen.peer_python, "-c", "import urdf2webots"], capture_output=True)
    if found.returncode:
        parser.error(f"{chosen.peer_python} has no package urdf2webots")
    print(HEAD)
    rows = []
    for name in chosen.robots or known:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(compare(known[name], chosen.peer_python, Path(folder), chosen.runs))
            print(rows[-1], flush=True)
            # What the files hold is counted by now, and they go.
            _ = [(one.errors, one.axes, one.nodes) for one in rows[-1].both if one.seconds]
    print(sum_up(rows))


if __name__ == "__main__":
    main()
