# SPDX-License-Identifier: GPL-3.0-or-later
"""What whole imports cost in two checkouts of this project, run in turn. Needs bpy.

    python benchmarks/compare_trees.py BEFORE AFTER [--rounds 15]

BEFORE and AFTER are folders of checkouts (`git worktree add` makes one). One process stays alive
for each; they import the same robots alternately, so that other work on the machine disturbs both
alike. Reported is CPU time, not wall time: the ratio AFTER / BEFORE of the fastest runs and the
median of the ratios of neighbouring runs. Real robots, with their meshes and without, and a random
robot of 1,000 links.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.big_robots import tree  # noqa: E402
from support.real_robots import descriptions  # noqa: E402
from urdf_importer.formats.urdf.write.plain import write_robot_text  # noqa: E402

ROBOTS = ("talos_full_v2", "baxter", "pr2", "anymal", "panda", "ur5_robot")

# Runs in each checkout's process: a line "read|bare|whole PATH" in, seconds of CPU time out.
WORKER = """
import contextlib, gc, io, sys, time
sys.path.insert(0, sys.argv[1])
import bpy, urdf_importer
from pathlib import Path
BARE = urdf_importer.ImportOptions(visuals=False, collisions=False)
for line in sys.stdin:
    task, path = line.rstrip("\\n").split(" ", 1)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    kept = sys.modules.get("urdf_importer.core.meshes.file_cache")
    if kept is not None:
        kept.forget_files()
    gc.collect()
    start = time.process_time()
    if task == "read":
        urdf_importer.read_robot(Path(path))
    else:
        options = BARE if task == "bare" else urdf_importer.ImportOptions()
        urdf_importer.import_robot(Path(path), options=options)
    print("seconds", time.process_time() - start, flush=True)
"""


class Tree:
    """A checkout's process."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def measure(self, task: str, path: Path) -> float:
        """Returns the seconds of CPU time that the task took in this checkout."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{task} {path}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            word, _, number = line.partition(" ")
            if word == "seconds":
                return float(number)
        raise RuntimeError(f"the process of a checkout ended at {task} {path}")

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(before: Tree, after: Tree, task: str, path: Path, rounds: int) -> tuple[float, float]:
    """Returns the ratio of the fastest runs and the median of the ratios, after one run of each."""
    pairs = []
    for turn in range(rounds + 1):
        order = (before, after) if turn % 2 else (after, before)
        seconds = {each: each.measure(task, path) for each in order}
        pairs.append((seconds[before], seconds[after]))
    pairs = pairs[1:]
    fastest = min(b for _, b in pairs) / min(a for a, _ in pairs)
    return fastest, statistics.median(b / a for a, b in pairs)


def report(before: Tree, after: Tree, paths: Iterable[Path], rounds: int) -> None:
    for task in ("read", "bare", "whole"):
        ratios = []
        for path in paths:
            fastest, median = compare(before, after, task, path, rounds)
            ratios.append((fastest, median))
            print(f"{task:5s} {path.stem:20s} {fastest:.3f} {median:.3f}", flush=True)
        means = [statistics.geometric_mean(column) for column in zip(*ratios, strict=True)]
        print(f"{task:5s} {'all robots':20s} {means[0]:.3f} {means[1]:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    before, after = Tree(given.before.resolve()), Tree(given.after.resolve())
    with tempfile.TemporaryDirectory() as folder:
        random = Path(folder) / "random_1000.urdf"
        random.write_text(write_robot_text(tree(1000, seed=1)), encoding="utf-8")
        paths = [path for path in descriptions() if path.stem in ROBOTS]
        print("task  robot                fastest median (CPU time after / before)")
        report(before, after, [*paths, random], given.rounds)
    before.close()
    after.close()


if __name__ == "__main__":
    main()
