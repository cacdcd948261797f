# SPDX-License-Identifier: GPL-3.0-or-later
"""How long motions take: reading a million samples of every kind of recording, beside rosbags in
the same run; a million keys; the whole of `urdf-importer animate`; a motion out of a rig again.
Needs bpy, and rosbags and mcap, which write the recordings.

    python benchmarks/motion.py [WORD...]

With words, only what has one of them in its name. CPU time, that of the command with Blender's
start; goals are in seconds.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from rosbags.highlevel import AnyReader  # noqa: E402

import urdf_importer  # noqa: E402
from support.recorded import ROS2, START, record_raw  # noqa: E402
from urdf_importer.features.motion.recordings.encode import encode  # noqa: E402

ARM = ROOT / "sample_urdfs" / "humanoid_arm.urdf"
MESSAGES, JOINTS = 142_858, 7
GOALS = {
    "bag": 2.5, "bag lz4": 4.0, "bag bz2": None, "mcap": 1.0, "mcap zstd": 1.0, "mcap lz4": None,
    "sqlite": 1.0, "sqlite messages": 2.5, "sqlite files": 1.0,
}  # fmt: skip


def spent(act: Callable[[], Any]) -> tuple[float, Any]:
    """Returns seconds of CPU time, and what was made."""
    start = time.process_time()
    made = act()
    return time.process_time() - start, made


def make_motion(names: tuple[str, ...], count: int = MESSAGES) -> urdf_importer.Trajectory:
    times = np.arange(count) / 1000
    positions = np.stack([0.3 * np.sin(times * (i + 1) / 7 + i) for i in range(len(names))], axis=1)
    return urdf_importer.Trajectory(
        names=names,
        times=times,
        positions=positions,
        velocities=np.gradient(positions, times, axis=0),
        start_time=START,
    )


def tell(name: str, seconds: float, goal: float | None, more: str = "") -> None:
    wanted = "" if goal is None else f"goal {goal:g}"
    print(f"{name:32} {seconds:7.2f} s   {wanted:10} {more}".rstrip(), flush=True)


def measure_reading(folder: Path, wanted: Callable[[str], bool]) -> None:
    motion = make_motion(tuple(f"joint_{i}" for i in range(JOINTS)))
    raw = {
        kind: [(each.log, each.data) for each in encode(motion, kind)] for kind in ("ros1", "cdr")
    }
    for kind, goal in GOALS.items():
        if not wanted(f"read {kind}"):
            continue
        place = folder / kind.replace(" ", "_")
        place.mkdir()
        path = record_raw(place, kind, raw["ros1" if kind.startswith("bag") else "cdr"])
        seconds, found = spent(lambda path=path: urdf_importer.read_trajectory(path))
        assert np.array_equal(found.positions, motion.positions)
        theirs, positions = spent(lambda path=path: read_with_rosbags(path))
        assert np.array_equal(positions, motion.positions)
        tell(f"read {kind}", seconds, goal, f"rosbags {theirs:.2f} s, {theirs / seconds:.1f} x")


def read_with_rosbags(path: Path) -> np.ndarray:
    """Returns the positions, message by message, as users of rosbags get them."""
    with AnyReader([path], default_typestore=ROS2) as reader:
        return np.array(
            [reader.deserialize(data, each.msgtype).position for each, _, data in reader.messages()]
        )


def load_arm() -> tuple[Any, tuple[str, ...]]:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    result = urdf_importer.import_robot(ARM)
    kinds = ("revolute", "continuous")
    moving = [j.name for j in result.robot.joints if j.type in kinds and j.mimic is None]
    return result.armature, tuple(moving[:JOINTS])


def measure_keys(wanted: Callable[[str], bool]) -> None:
    for keys, goal in (("samples", 1.0), ("reduced", 3.0)):
        if wanted(f"keys {keys}"):
            armature, names = load_arm()
            motion = make_motion(names, 1_000_000 // len(names))
            options = urdf_importer.MotionOptions(keys=keys)
            seconds, _ = spent(
                lambda a=armature, m=motion, o=options: urdf_importer.apply_trajectory(
                    a, m, options=o
                )
            )
            tell(f"a million keys, {keys}", seconds, goal)


def measure_command(folder: Path) -> None:
    _, names = load_arm()
    path = folder / "run.mcap"
    urdf_importer.write_trajectory(make_motion(names, 1_000_000 // len(names)), path)
    words = ["animate", str(ARM), str(path), "-o", str(folder / "run.blend"), "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "urdf_importer", *words],
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = (folder / "run.blend").stat().st_size / 2**20
    tell("animate, a million samples", seconds, 8.0, f".blend of {size:.1f} MB")


def measure_sampling() -> None:
    armature, names = load_arm()
    urdf_importer.apply_trajectory(armature, make_motion(names, 1000))
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    frames = (1.0, 1.0 + 0.999 * rate)
    seconds, quick = spent(
        lambda: urdf_importer.sample_trajectory(armature, frame_range=frames, rate=1000)
    )
    tell("1,000 samples, curves alone", seconds, 0.2)
    armature.pose.bones[0].constraints.new("IK").chain_count = 1
    seconds, slow = spent(
        lambda: urdf_importer.sample_trajectory(armature, frame_range=frames, rate=1000)
    )
    assert len(slow.times) == len(quick.times) == 1000
    tell("1,000 samples, every frame shown", seconds, 5.0)


def parts(folder: Path, wanted: Callable[[str], bool]) -> Iterator[None]:
    yield measure_reading(folder, wanted)
    yield measure_keys(wanted)
    if wanted("animate"):
        yield measure_command(folder)
    if wanted("sample"):
        yield measure_sampling()


def main() -> None:
    words = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for _ in parts(Path(folder), lambda name: not words or any(each in name for each in words)):
            pass


if __name__ == "__main__":
    main()
