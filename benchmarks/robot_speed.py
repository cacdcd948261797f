# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole robots with their meshes, against Blender's own importers run once on each mesh file.

    python benchmarks/robot_speed.py [name of a robot ...]

Needs bpy 4.5 (the last with a COLLADA importer) and the package example-robot-data. Everything in
one process, ours and Blender's in turn after one run of each to warm up. CPU time of all threads;
medians, and the fastest runs, which other work on the machine disturbs least. Ours makes a whole
rig, so it says too what its meshes take alone, and what a link takes before anything is built.
Memory is measured by memory.py.

Blender's importer makes nothing of COLLADA files that name a texture in another way than it knows
(two of anymal_b, over half of its bytes). It gets copies that do not use their textures, since it
would win by not reading.
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

from mesh_speed import silence  # noqa: E402

import urdf_importer  # noqa: E402
from support.real_robots import descriptions  # noqa: E402
from urdf_importer.core.blender.build.meshes import ShapeBuilder  # noqa: E402
from urdf_importer.core.diagnostics import MeshError  # noqa: E402
from urdf_importer.core.files.packages import PackageResolver  # noqa: E402
from urdf_importer.core.meshes.file_cache import forget_files  # noqa: E402
from urdf_importer.core.model import Mesh  # noqa: E402

ROBOTS = (
    *("talos_full_v2", "baxter", "pr2", "anymal", "panda", "icub", "tiago"),
    *("z1", "ur5_robot", "solo12", "bolt", "finger_edu"),
)
RUNS = 9


def empty_scene() -> None:
    forget_files()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def seconds_of(work: Callable[[], object]) -> float:
    empty_scene()
    gc.collect()
    with silence():
        start = time.process_time()
        work()
        return time.process_time() - start


def watch_meshes() -> list[float]:
    """Returns a list that gets the seconds of each shape's mesh from now on: found, read, built."""
    seconds: list[float] = []
    find = ShapeBuilder._find_mesh

    def find_mesh(*words: object) -> object:
        start = time.process_time()
        try:
            return find(*words)
        finally:
            seconds.append(time.process_time() - start)

    ShapeBuilder._find_mesh = find_mesh
    return seconds


def robots() -> list[Path]:
    return [path for path in descriptions() if path.stem in ROBOTS]


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


_TEXTURE = re.compile(rb"<texture [^>]*/>")


def readable_files(files: list[Path], folder: Path) -> list[Path]:
    """The files, with copies in the folder for those that Blender makes nothing of."""
    return [
        file if is_read_by_blender(file) else mend(file, folder / str(number))
        for number, file in enumerate(files)
    ]


def is_read_by_blender(file: Path) -> bool:
    empty_scene()
    with silence():
        run_native([file])
    return any(mesh.polygons for mesh in bpy.data.meshes)


def mend(file: Path, folder: Path) -> Path:
    """A copy that does not use its textures, with all that lies beside the file beside it."""
    folder.mkdir()
    for each in file.parent.iterdir():
        (folder / each.name).symlink_to(each)
    mended = folder / file.name
    mended.unlink()
    mended.write_bytes(_TEXTURE.sub(b"<color>1 1 1 1</color>", file.read_bytes()))
    assert is_read_by_blender(mended), f"Blender makes nothing of {file}"
    return mended


def main() -> None:
    if bpy.app.version >= (5, 0):
        sys.exit(
            f"Blender {bpy.app.version_string} has no COLLADA importer to compare with: "
            "run this with the Python of bpy 4.5"
        )
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}")
    spent = watch_meshes()
    with tempfile.TemporaryDirectory() as folder:
        for path in robots():
            if not sys.argv[1:] or any(word in str(path) for word in sys.argv[1:]):
                mended = Path(folder, path.parent.parent.name)
                mended.mkdir()
                compare(path, readable_files(mesh_files(path), mended), spent)


def compare(path: Path, files: list[Path], spent: list[float]) -> None:
    ours, native, meshes = [], [], []
    for _ in range(1 + RUNS):
        spent.clear()
        ours.append(seconds_of(lambda: urdf_importer.import_robot(path)))
        meshes.append(sum(spent))
        native.append(seconds_of(lambda: run_native(files)))
    ours, native, meshes = ours[1:], native[1:], meshes[1:]
    alone = 1e3 * statistics.median(meshes)
    robot = urdf_importer.read_robot(path)
    reading = min(seconds_of(lambda: urdf_importer.read_robot(path)) for _ in range(RUNS))
    planning = min(seconds_of(lambda: urdf_importer.plan_rig(robot)) for _ in range(RUNS))
    size = sum(file.stat().st_size for file in files) / 1e6
    medians = 1e3 * statistics.median(ours), 1e3 * statistics.median(native)
    fastest = 1e3 * min(ours), 1e3 * min(native)
    print(
        f"{path.parent.parent.name}/{path.stem:16s} {len(files):3d} files {size:6.1f} MB:"
        f" ours {medians[0]:6.1f} ms, Blender's importers {medians[1]:6.1f} ms,"
        f" ratio {medians[0] / medians[1]:.2f};"
        f" meshes alone {alone:.1f} ms, ratio {alone / medians[1]:.2f}, the rest"
        f" {(medians[0] - alone) / len(robot.links):.2f} ms a link;"
        f" fastest {fastest[0]:.1f} and {fastest[1]:.1f} ms, ratio {fastest[0] / fastest[1]:.2f};"
        f" {len(robot.links)} links, each {1e3 * reading / len(robot.links):.2f} ms to read and"
        f" {1e3 * planning / len(robot.links):.2f} ms to plan",
        flush=True,
    )


if __name__ == "__main__":
    main()
