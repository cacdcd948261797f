# SPDX-License-Identifier: GPL-3.0-or-later
"""What reading and importing cost, per link and against the work of others. Needs bpy.

    python benchmarks/import_speed.py

Robots without meshes: random trees of revolute and fixed joints with inertials, limits, some
mimic joints and zero-length chains. Everything in one process, CPU time, medians of several runs;
ours and bones and empties alone in turn.
"""

import gc
import statistics
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import urdf_importer  # noqa: E402
from support.big_robots import tree  # noqa: E402
from urdf_importer.core.blender.build.armature import build_bones  # noqa: E402
from urdf_importer.core.blender.build.build import build_rig  # noqa: E402
from urdf_importer.core.diagnostics import Diagnostics  # noqa: E402
from urdf_importer.core.files.packages import PackageResolver  # noqa: E402
from urdf_importer.core.meshes import RobotFiles  # noqa: E402
from urdf_importer.formats.urdf.write.plain import write_robot_text  # noqa: E402

OPTIONS = urdf_importer.ImportOptions(visuals=False, collisions=False)


def median_of(work: Callable[[], object], runs: int, prepare: Callable[[], object]) -> float:
    times = []
    for _ in range(runs):
        prepare()
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def medians_in_turn(works: list[Callable[[], object]], runs: int) -> list[float]:
    """Each in a new scene, so that what else the machine does disturbs all alike."""
    times = [[median_of(work, 1, empty_scene) for work in works] for _ in range(1 + runs)][1:]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def empty_scene() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def nothing() -> None:
    pass


def build_bare(plan: urdf_importer.RigPlan) -> None:
    """A prototype's work: bones and empties alone, without anything that makes them a rig."""
    data = bpy.data.armatures.new("bare")
    armature = bpy.data.objects.new("bare", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in plan.bones:
        made = data.edit_bones.new(bone.name)
        made.head = bone.rest[:3, 3]
        made.tail = bone.rest[:3, 3] + bone.rest[:3, 1] * bone.length
        if bone.parent:
            made.parent = data.edit_bones[bone.parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    collection = bpy.data.collections.new("links")
    for link in plan.links:
        empty = bpy.data.objects.new(link.link.name, None)
        empty.parent = armature
        collection.objects.link(empty)
    bpy.context.scene.collection.children.link(collection)


def build_all(plan: urdf_importer.RigPlan) -> None:
    files = RobotFiles(PackageResolver(""), Diagnostics())
    for _ in build_rig(plan, OPTIONS, files):
        pass


def build_exact(plan: urdf_importer.RigPlan) -> None:
    """Bones alone, made to come out exact."""
    armature = bpy.data.objects.new("exact", bpy.data.armatures.new("exact"))
    bpy.context.scene.collection.objects.link(armature)
    build_bones(armature, plan.bones)


def measure(count: int, runs: int, folder: Path) -> tuple[float, float]:
    """Returns seconds per link of an import, and exact bones / bones and empties alone."""
    path = folder / f"robot_{count}.urdf"
    path.write_text(write_robot_text(tree(count, seed=1)), encoding="utf-8")
    robot = urdf_importer.read_robot(path)
    plan = urdf_importer.plan_rig(robot, options=OPTIONS)
    parse = median_of(lambda: ET.parse(path), runs, nothing)  # noqa: S314
    read = median_of(lambda: urdf_importer.read_robot(path), runs, nothing)
    planned = median_of(lambda: urdf_importer.plan_rig(robot, options=OPTIONS), runs, nothing)
    built, exact, bare = medians_in_turn(
        [lambda: build_all(plan), lambda: build_exact(plan), lambda: build_bare(plan)], runs
    )
    whole = median_of(lambda: urdf_importer.import_robot(path, options=OPTIONS), runs, empty_scene)
    print(
        f"{count:6d} links, us per link: read {1e6 * read / count:.1f}"
        f" ({read / parse:.2f} x ElementTree), plan {1e6 * planned / count:.1f},"
        f" build {1e6 * built / count:.1f} ({built / bare:.1f} x bones and empties alone; exact"
        f" bones {exact / bare:.1f} x),"
        f" import {1e6 * whole / count:.1f}"
    )
    return whole / count, exact / bare


def main() -> None:
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        found = {
            n: measure(n, 9 if n <= 300 else 5, Path(folder)) for n in (30, 100, 300, 1000, 3000)
        }
    per_link = {count: seconds for count, (seconds, _) in found.items()}
    print(
        f"exact bones at 100 links: {found[100][1]:.1f} times bones and empties alone"
        " (asked for: at most 5)"
    )
    print(f"import at 100 links: {1e3 * per_link[100]:.3f} ms per link (asked for: at most 0.5)")
    ratio = per_link[3000] / per_link[100]
    print(f"3,000 links cost {ratio:.2f} times as much per link as 100 (asked for: at most 1.3)")


if __name__ == "__main__":
    main()
