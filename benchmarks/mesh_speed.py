# SPDX-License-Identifier: GPL-3.0-or-later
"""What loading and building one mesh costs against Blender's own importers. Needs bpy.

    python benchmarks/mesh_speed.py [folder with DAE and STL files ...]

Takes the largest files of the folders (by default of the package example-robot-data) and large
ones made up here. Blender 5 has no COLLADA importer: run it on 4.5 for that comparison, which takes
the normals of a file only as a list of lists and so is slower at that. Everything in one process,
ours and Blender's in turn, CPU time of all threads, medians and fastest of several runs; the import
of the libraries is not counted.
"""

import contextlib
import gc
import os
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from made_meshes import WRITERS, make_waves, write_dae  # noqa: E402

from urdf_importer.core.blender.build.meshes import build_mesh  # noqa: E402
from urdf_importer.core.blender.ledger import Ledger  # noqa: E402
from urdf_importer.core.meshes import load_mesh  # noqa: E402

ONE = (1.0, 1.0, 1.0)
RUNS = 7
MOST = {".dae": 0.6, ".stl": 1.5, ".obj": 1.5, ".ply": 1.5}
RIVALS = {
    ".dae": "collada_import",
    ".stl": "stl_import",
    ".obj": "obj_import",
    ".ply": "ply_import",
}
LARGEST_FILES = 3
GRID = 420
"""Squares along each side of the made-up mesh: 2 * 420 * 420 = 352,800 triangles."""


def ignore(code: str, message: str) -> None:
    """A report that keeps nothing."""


def import_with_ours(path: Path) -> None:
    build_mesh(load_mesh(path, ONE, ignore), "mesh", Ledger())


def import_with_blender(path: Path) -> None:
    getattr(bpy.ops.wm, RIVALS[path.suffix.lower()])(filepath=str(path))


def seconds_of(work: Callable[[Path], None], path: Path) -> float:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    gc.collect()
    with silence():
        start = time.process_time()
        work(path)
        return time.process_time() - start


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Blender's importers say from C what they do."""
    sys.stdout.flush()
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "w") as sink:
        os.dup2(sink.fileno(), 1)
        os.dup2(sink.fileno(), 2)
    try:
        yield
    finally:
        for target, each in enumerate(kept, start=1):
            os.dup2(each, target)
            os.close(each)


def compare(path: Path) -> None:
    name = RIVALS.get(path.suffix.lower())
    has_rival = name in dir(bpy.ops.wm)
    load, ours, rival = [], [], []
    for _ in range(RUNS):
        load.append(seconds_of(lambda each: void(load_mesh(each, ONE, ignore)), path))
        ours.append(seconds_of(import_with_ours, path))
        if has_rival:
            rival.append(seconds_of(import_with_blender, path))
            has_rival = bool(bpy.data.meshes)  # it makes nothing of some files
    size = path.stat().st_size / 1e6
    text = f"{path.name:24} {size:6.1f} MB   load {1e3 * statistics.median(load):7.1f} ms"
    text += f"   load and build {1e3 * statistics.median(ours):7.1f} ms"
    if has_rival:
        ratio = statistics.median(ours) / statistics.median(rival)
        fastest = min(ours) / min(rival)
        text += f"   Blender {1e3 * statistics.median(rival):7.1f} ms   ratio {ratio:.2f}"
        text += f", of the fastest {fastest:.2f}"
        text += f" (asked for: at most {MOST[path.suffix.lower()]})"
    print(text, flush=True)


def void(_: object) -> None:
    """Lets go of a result within the time that is measured."""


def largest_files(folders: list[Path]) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    found = []
    for suffix in MOST:
        fitting = [path for path in files if path.suffix.lower() == suffix]
        found += sorted(fitting, key=lambda path: -path.stat().st_size)[:LARGEST_FILES]
    return found


def main() -> None:
    share = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data")
    folders = [Path(argument) for argument in sys.argv[1:]] or [share]
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}, {RUNS} runs")
    with tempfile.TemporaryDirectory() as folder:
        shared, single = Path(folder, "shared_normals.dae"), Path(folder, "own_normals.dae")
        waves = make_waves(GRID)
        write_dae(shared, *waves, has_shared_normals=True)
        write_dae(single, *waves, has_shared_normals=False)
        made = [Path(folder, f"waves.{suffix}") for suffix in WRITERS if suffix != "dae"]
        for path in made:
            WRITERS[path.name.partition(".")[2]](path, *waves)
        for path in [*largest_files(folders), shared, single, *made]:
            compare(path)


if __name__ == "__main__":
    main()
