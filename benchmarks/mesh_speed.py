# SPDX-License-Identifier: GPL-3.0-or-later
"""What loading and building one mesh costs against Blender's own importers. Needs bpy.

    python benchmarks/mesh_speed.py [folder with DAE and STL files ...]

Takes the largest files of the folders (by default of the package example-robot-data) and large
ones made up here. Blender 5 has no COLLADA importer: run it on 4.5 for that comparison. Everything
in one process, ours and Blender's in turn, medians of several runs; the import of the libraries is
not counted.
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
import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from urdf_importer.blender.ledger import Ledger  # noqa: E402
from urdf_importer.blender.meshes import build_mesh  # noqa: E402
from urdf_importer.meshes import load_mesh  # noqa: E402

ONE = (1.0, 1.0, 1.0)
RUNS = 7
MOST = {".dae": 0.6, ".stl": 1.5}
LARGEST_FILES = 3
GRID = 420
"""Squares along each side of the made-up mesh: 2 * 420 * 420 = 352,800 triangles."""


def ignore(code: str, message: str) -> None:
    """A report that keeps nothing."""


def import_with_ours(path: Path) -> None:
    build_mesh(load_mesh(path, ONE, ignore), "mesh", Ledger())


def import_with_blender(path: Path) -> None:
    if path.suffix.lower() == ".stl":
        bpy.ops.wm.stl_import(filepath=str(path))
    else:
        bpy.ops.wm.collada_import(filepath=str(path))


def seconds_of(work: Callable[[Path], None], path: Path) -> float:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    gc.collect()
    with silence():
        start = time.perf_counter()
        work(path)
        return time.perf_counter() - start


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
    has_rival = path.suffix.lower() == ".stl" or "collada_import" in dir(bpy.ops.wm)
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
        text += f"   Blender {1e3 * statistics.median(rival):7.1f} ms   ratio {ratio:.2f}"
        text += f" (asked for: at most {MOST[path.suffix.lower()]})"
    print(text, flush=True)


def void(_: object) -> None:
    """Lets go of a result within the time that is measured."""


def make_waves() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Points (N, 3), unit normals (N, 3) and triangles (T, 3) of a wavy sheet."""
    axis = np.linspace(-3, 3, GRID + 1)
    x, y = np.meshgrid(axis, axis)
    points = np.column_stack([x.ravel(), y.ravel(), (np.sin(x) * np.cos(y)).ravel()])
    slope = np.column_stack([-np.cos(x).ravel() * np.cos(y).ravel(), np.sin(x * y).ravel() * 0])
    normals = np.column_stack([slope, np.ones(len(points))])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    row, column = np.divmod(np.arange(GRID * GRID), GRID)
    corner = row * (GRID + 1) + column
    square = np.column_stack([corner, corner + 1, corner + GRID + 2, corner + GRID + 1])
    return points, normals, np.concatenate([square[:, [0, 1, 2]], square[:, [0, 2, 3]]])


def write_dae(path: Path, *, has_shared_normals: bool) -> None:
    points, normals, triangles = make_waves()
    if not has_shared_normals:
        normals = normals[triangles.ravel()]
    index = np.arange(3 * len(triangles)) if not has_shared_normals else triangles.ravel()
    indices = np.column_stack([triangles.ravel(), index])

    def source(name: str, values: NDArray[np.float64]) -> str:
        text = " ".join(f"{each:.6g}" for each in values.ravel())
        names = "".join(f'<param name="{each}" type="float"/>' for each in "XYZ")
        return (
            f'<source id="{name}"><float_array id="{name}-array" count="{values.size}">{text}'
            f'</float_array><technique_common><accessor source="#{name}-array" '
            f'count="{len(values)}" stride="3">{names}</accessor></technique_common></source>'
        )

    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?><COLLADA version="1.4.1" '
        'xmlns="http://www.collada.org/2005/11/COLLADASchema"><asset><unit name="meter" '
        'meter="1"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g" name="g">'
        f"<mesh>{source('p', points)}{source('n', normals)}"
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        f'<triangles count="{len(triangles)}"><input semantic="VERTEX" source="#v" offset="0"/>'
        '<input semantic="NORMAL" source="#n" offset="1"/>'
        f"<p>{' '.join(map(str, indices.ravel().tolist()))}</p></triangles></mesh></geometry>"
        '</library_geometries><library_visual_scenes><visual_scene id="s"><node id="o">'
        '<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes><scene>'
        '<instance_visual_scene url="#s"/></scene></COLLADA>\n'
    )


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
        write_dae(shared, has_shared_normals=True)
        write_dae(single, has_shared_normals=False)
        for path in [*largest_files(folders), shared, single]:
            compare(path)


if __name__ == "__main__":
    main()
