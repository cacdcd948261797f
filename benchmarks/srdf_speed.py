# SPDX-License-Identifier: GPL-3.0-or-later
"""How long SRDF takes, beside the description of the same robot, and the matrix of collisions.

    python benchmarks/srdf_speed.py [poses, default 10,000] [names of robots]

CPU time, the best of some runs. "read" and "write" are an SRDF's in parts of what reading the URDF
costs; "edit" writes one changed name into the text that was read, which reads it twice more.
"matrix" is find_disabled_collisions by coal, in s for all poses, "ms" for one; "Blender" the same
by Blender's trees, where Blender is there.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.real_srdf import real_files  # noqa: E402
from urdf_importer import find_disabled_collisions, read_robot, read_srdf, write_srdf  # noqa: E402
from urdf_importer.core.diagnostics import Diagnostics  # noqa: E402
from urdf_importer.features.collisions import disabled_pairs  # noqa: E402
from urdf_importer.formats.srdf.read.semantics import read_srdf_text  # noqa: E402

_CHOSEN = ("panda", "ur5", "talos", "icub", "z1")


def cpu(work: Callable[[], object], runs: int) -> float:
    best = float("inf")
    for _ in range(runs):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def measure(srdf: Path, urdf: Path, poses: int) -> None:
    robot = read_robot(urdf)
    semantics = read_srdf(srdf, robot=robot)
    changed = replace(semantics, name=f"{semantics.name}_2")
    reading = cpu(lambda: read_robot(urdf), 5)
    own = cpu(lambda: read_srdf(srdf, robot=robot), 5) / reading
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "out.srdf")
        plain = cpu(lambda: write_srdf(replace(changed, text=b""), file), 5) / reading
        edit = cpu(lambda: write_srdf(changed, file), 5) / reading
    matrix = cpu(lambda: find_disabled_collisions(robot, samples=poses), 1)
    found = f"{matrix:8.2f} {1000 * matrix / max(poses, 1):8.3f}"
    find, disabled_pairs.find_coal = disabled_pairs.find_coal, lambda: None
    try:
        trees = f"{cpu(lambda: find_disabled_collisions(robot, samples=poses), 1):8.2f}"
    except disabled_pairs.KinematicsError:
        trees = "       -"
    finally:
        disabled_pairs.find_coal = find
    pairs = len(semantics.disabled_collisions)
    print(f"{srdf.stem:16} {pairs:6} {own:6.2f} {plain:6.2f} {edit:6.2f} {found} {trees}")


def measure_pairs(count: int) -> None:
    lines = "".join(f'<disable_collisions link1="a{i}" link2="b{i}"/>\n' for i in range(count))
    text = f'<robot name="r">{lines}</robot>'.encode()
    spent = cpu(lambda: read_srdf_text(text, None, "pairs.srdf", Diagnostics()), 3)
    print(f"{count:,} pairs of links: read in {spent:.2f} s")


def main() -> None:
    poses = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chosen = sys.argv[2:] or _CHOSEN
    titles = ("pairs", "read", "write", "edit")
    print(" " * 16, *(f"{title:>6}" for title in titles), "  matrix       ms  Blender")
    for srdf, urdf in real_files():
        if srdf.stem in chosen:
            measure(srdf, urdf, poses)
    measure_pairs(100_000)


if __name__ == "__main__":
    main()
