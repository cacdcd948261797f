# SPDX-License-Identifier: GPL-3.0-or-later
"""What an update of a standing robot costs against its import, and ten robots against two.

    python benchmarks/standing_speed.py

Needs bpy and the package example-robot-data. Talos is imported, a joint of its source is moved by a
centimetre, and the rig is updated; pandas are imported twice and ten times into one scene. In turn,
in one process, CPU time; nothing is remembered of mesh files from one round to the next.
"""

import gc
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import urdf_importer  # noqa: E402
from support.real_robots import ROOT as ROBOTS  # noqa: E402
from support.real_robots import descriptions  # noqa: E402
from urdf_importer.core.meshes.file_cache import forget_files  # noqa: E402

RUNS = 9
_ORIGIN = re.compile(r'(<joint name="head_1_joint".*?<origin[^>]*xyz=")([-.\d]+)', re.DOTALL)


def seconds_of(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def empty_scene() -> None:
    forget_files()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def find(stem: str) -> Path:
    return next(path for path in descriptions() if path.stem == stem)


def import_and_update(source: Path, text: str, moved: str) -> tuple[float, float, float]:
    """Seconds of an import, of an update without a change, and of one with it."""
    empty_scene()
    source.write_text(text, encoding="utf-8")
    options = urdf_importer.ImportOptions(package_paths=(str(ROBOTS.parents[1]),))
    imported = seconds_of(lambda: urdf_importer.import_robot(source, options=options))
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    same = seconds_of(lambda: urdf_importer.update_robot(armature))
    source.write_text(moved, encoding="utf-8")
    return imported, same, seconds_of(lambda: urdf_importer.update_robot(armature))


def compare_updates(folder: Path) -> None:
    text = find("talos_full_v2").read_text(encoding="utf-8")
    moved, count = _ORIGIN.subn(lambda found: f"{found[1]}{float(found[2]) + 0.01}", text, count=1)
    assert count == 1, "talos has no such joint any more"
    rounds = [import_and_update(folder / "talos.urdf", text, moved) for _ in range(1 + RUNS)][1:]
    imported, same, changed = (statistics.median(each) for each in zip(*rounds, strict=True))
    print(
        f"talos: import {1e3 * imported:.0f} ms, update {changed / imported:.2f} of it"
        f" (asked for: at most 2), {same / imported:.2f} where nothing changed",
        flush=True,
    )


def import_several(path: Path, count: int) -> None:
    for _ in range(count):
        urdf_importer.import_robot(path)


def compare_many() -> None:
    path = find("panda")
    pairs = []
    for _ in range(1 + RUNS):
        row = []
        for count in (2, 10):
            empty_scene()
            row.append(seconds_of(lambda count=count: import_several(path, count)))
        pairs.append(row)
    two, ten = (statistics.median(each) for each in zip(*pairs[1:], strict=True))
    made = [len(each) for each in (bpy.data.meshes, bpy.data.materials)]
    print(
        f"ten pandas: {ten / two:.2f} times two (asked for: less than 2);"
        f" {made[0]} meshes and {made[1]} materials in all"
    )


def main() -> None:
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}, {RUNS} runs")
    with tempfile.TemporaryDirectory() as folder:
        compare_updates(Path(folder))
    compare_many()


if __name__ == "__main__":
    main()
