# SPDX-License-Identifier: GPL-3.0-or-later
"""USD with physics side by side with what urdf-usd-converter makes of the same files.

    python3.11 -m venv /tmp/peer && /tmp/peer/bin/pip install urdf-usd-converter
    .venv/bin/python benchmarks/usd_peer.py /tmp/peer/bin/urdf_usd_converter [FILE.urdf ...]

The peer has an environment of its own, since it brings another USD. Without files: the samples and
all of example-robot-data. For each robot: joints and bodies that both have, the largest difference
of joint axes and places in the world, of limits (degrees, metres) and of masses, and CPU seconds.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.real_robots import descriptions  # noqa: E402
from support.usd_machines import frame_of, read_files  # noqa: E402
from urdf_importer import EngineOptions, RobotError, export_robot, read_robot  # noqa: E402

OURS = EngineOptions(usd="physics", forward="x", base="fixed")
AXES = {"X": 0, "Y": 1, "Z": 2}


def main(peer: str, *names: str) -> None:
    paths = [Path(name) for name in names] or [
        *sorted((ROOT / "sample_urdfs").glob("*.urdf")),
        *descriptions(),
    ]
    print(f"{'robot':28} {'bodies':>9} {'joints':>9} {'place':>8} {'axis':>8} {'limit':>8} "
          f"{'mass':>8} {'ours':>6} {'peer':>6}")  # fmt: skip
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            print(compare(peer, path, Path(folder)), flush=True)


def compare(peer: str, path: Path, folder: Path) -> str:
    ours = folder / "ours.usda"
    start = time.process_time()
    try:
        export_robot(read_robot(path), ours, options=OURS)
    except RobotError as error:
        return f"{path.stem:28} ours: {error}"
    spent = time.process_time() - start
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [peer, str(path), str(folder / "peer")], capture_output=True, text=True, timeout=300
    )
    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    made = sorted((folder / "peer").glob("*.usda"))
    if not made:
        said = (done.stderr.strip().splitlines() or ["nothing said"])[-1]
        return f"{path.stem:28} peer: {said[:90]}"
    one, other = (_describe(each) for each in read_files([ours, made[0]], folder / "said.json"))
    joints = one["joints"].keys() & other["joints"].keys()
    bodies = one["masses"].keys() & other["masses"].keys()
    worst = [
        max((float(np.abs(one["joints"][name][part] - other["joints"][name][part]).max())
             for name in joints), default=0.0)
        for part in range(3)
    ]  # fmt: skip
    masses = max((abs(one["masses"][each] - other["masses"][each]) for each in bodies), default=0.0)
    counts = [f"{len(one[part])}/{len(other[part])}" for part in ("masses", "joints")]
    return (
        f"{path.stem:28} {counts[0]:>9} {counts[1]:>9} {worst[0]:8.1e} {worst[1]:8.1e} "
        f"{worst[2]:8.1e} {masses:8.1e} {spent:6.2f} {taken:6.2f}"
    )


def _describe(said: dict[str, Any]) -> dict[str, Any]:
    """Joints as (place, axis, limits) in the world, masses of bodies; by names of the description.
    Fixed joints are not counted: both leave some out."""
    worlds = {path: np.array(each["world"]) for path, each in said["bodies"].items()}
    joints = {}
    for path, each in said["joints"].items():
        if each["kind"] == "PhysicsFixedJoint":
            continue
        frame = worlds[each["physics:body1"][0]] @ frame_of(each, 1)
        axis = AXES.get(each.get("physics:axis", ""), 2)
        limits = [
            np.clip(each.get(f"physics:{end}Limit", sign * 1e5), -1e5, 1e5)
            for end, sign in (("lower", -1.0), ("upper", 1.0))
        ]
        turns = frame[:3, axis] if "physics:axis" in each else np.zeros(3)
        joints[_name(path, each)] = frame[:3, 3], turns, np.array(limits)
    masses = {_name(path, each): each["physics:mass"] for path, each in said["bodies"].items()
              if each.get("physics:mass")}  # fmt: skip
    return {"joints": joints, "masses": masses}


def _name(path: str, prim: dict[str, Any]) -> str:
    return str(prim["shown"] or path.rsplit("/", 1)[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
