# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole robots with their meshes, against Blender's own importers run once on each mesh file.

    python benchmarks/robot_speed.py

Needs bpy 4.5 (the last with a COLLADA importer) and the package example-robot-data. Everything in
one process, medians; peak memory of the process is printed for each robot.
"""

import gc
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import urdf_importer  # noqa: E402
from real_robots import descriptions  # noqa: E402
from urdf_importer.diagnostics import MeshError  # noqa: E402
from urdf_importer.model import Mesh  # noqa: E402
from urdf_importer.packages import PackageResolver  # noqa: E402

ROBOTS = ("talos_full_v2", "baxter", "pr2", "anymal")
RUNS = 5


def empty_scene() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def median_of(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        empty_scene()
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def mesh_files(path: Path) -> list[Path]:
    """Each distinct mesh file of a robot, once."""
    robot = urdf_importer.read_robot(path)
    resolver = PackageResolver(path)
    found: dict[Path, None] = {}
    for link in robot.links:
        for shape in (*link.visuals, *link.collisions):
            if isinstance(shape.geometry, Mesh):
                try:
                    file = resolver.resolve_file(shape.geometry.filename, lambda *_: None)
                except MeshError:
                    continue
                found[file] = None
    return list(found)


def run_native(files: list[Path]) -> None:
    for file in files:
        match file.suffix.lower():
            case ".stl":
                bpy.ops.wm.stl_import(filepath=str(file))
            case ".dae":
                bpy.ops.wm.collada_import(filepath=str(file))
            case ".obj":
                bpy.ops.wm.obj_import(filepath=str(file))


def main() -> None:
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}")
    for path in descriptions():
        if path.stem not in ROBOTS:
            continue
        files = mesh_files(path)
        native = median_of(lambda files=files: run_native(files))  # type: ignore[misc]
        ours = median_of(lambda path=path: urdf_importer.import_robot(path))  # type: ignore[misc]
        size = sum(file.stat().st_size for file in files) / 1e6
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(
            f"{path.parent.parent.name}/{path.stem:16s} {len(files):3d} files {size:6.1f} MB:"
            f" ours {1e3 * ours:7.1f} ms, Blender's importers {1e3 * native:7.1f} ms,"
            f" ratio {ours / native:.2f} (asked for: at most 1); peak {peak:.0f} MB"
        )


if __name__ == "__main__":
    main()
