# SPDX-License-Identifier: GPL-3.0-or-later
"""Peak memory of imports, as a multiple of the bytes of their mesh files. Needs bpy.

    python benchmarks/memory.py

Robots of the package example-robot-data, and one large made-up mesh of each format. Each is
imported by a process of its own, which has imported its libraries and a small robot or mesh of the
same kind before; what is counted is by how much the peak of the process grows. What Blender keeps
of the mesh is in it; of made-up meshes the ratio without it is shown too. Reads the peak from
Linux's /proc.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

MOST = 4.0
GRID, SMALL_GRID = 420, 8
FORMATS = ("stl", "dae", "obj", "glb", "ply", "text.ply", "text.stl")
ITEM_BYTES = {
    "BOOLEAN": 1,
    "INT": 4,
    "INT16_2D": 4,
    "INT32_2D": 8,
    "FLOAT2": 8,
    "FLOAT_VECTOR": 12,
}
SMALL_ROBOTS = """<robot name="small"><link name="a"><visual><geometry><mesh
filename="{mesh}"/></geometry></visual></link></robot>"""


def peak_bytes() -> int:
    """The most memory that this process has had; a child's usage also knows its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run("write", folder)
        print(
            "peak of an import / bytes of its mesh files (asked for: at most"
            f" {MOST:g} beside Blender's own mesh)"
        )
        for suffix in FORMATS:
            show(f"made-up .{suffix}", run("mesh", folder, suffix))
        for index in range(int(run("count")["robots"])):
            found = run("robot", folder, str(index))
            show(str(found["name"]), found)


def run(*arguments: str) -> dict[str, int | str]:
    """Of a process of its own: the last line that it prints."""
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, int | str] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(name: str, found: dict[str, int | str]) -> None:
    grown, size = int(found["grown"]), int(found["size"])
    kept = int(found.get("kept", 0))
    beside = f", beside Blender's mesh {(grown - kept) / size:5.2f}" if kept else ""
    print(
        f"{name:44} {size / 1e6:6.1f} MB of meshes, peak grows by {grown / 1e6:6.1f} MB:"
        f" {grown / size:5.2f}{beside}",
        flush=True,
    )


def growth(small: Callable[[], object], large: Callable[[], object]) -> int:
    small()
    before = peak_bytes()
    large()
    return peak_bytes() - before


def measure_mesh(folder: Path, suffix: str) -> dict[str, int | str]:
    import mesh_speed

    small, large = folder / f"small.{suffix}", folder / f"large.{suffix}"
    grown = growth(
        lambda: mesh_speed.import_with_ours(small), lambda: mesh_speed.import_with_ours(large)
    )
    return {"grown": grown, "size": large.stat().st_size, "kept": bytes_of_largest_mesh()}


def bytes_of_largest_mesh() -> int:
    """What Blender keeps of a mesh: all its attributes, and where each face begins."""
    import bpy

    mesh = max(bpy.data.meshes, key=lambda mesh: len(mesh.vertices))
    sizes = (ITEM_BYTES[each.data_type] * len(each.data) for each in mesh.attributes)
    return sum(sizes) + 4 * (len(mesh.polygons) + 1)


def measure_robot(folder: Path, index: int) -> dict[str, int | str]:
    import robot_speed

    import urdf_importer

    path = robot_speed.robots()[index]
    size = sum(file.stat().st_size for file in robot_speed.mesh_files(path))
    first = folder / "small.urdf"
    first.write_text(SMALL_ROBOTS.format(mesh=folder / "small.dae"))
    grown = growth(
        lambda: urdf_importer.import_robot(first), lambda: urdf_importer.import_robot(path)
    )
    return {"name": f"{path.parent.parent.name}/{path.stem}", "grown": grown, "size": size}


def write_meshes(folder: Path) -> None:
    import made_meshes

    for name, squares in (("small", SMALL_GRID), ("large", GRID)):
        for suffix in FORMATS:
            made_meshes.write_mesh(folder / f"{name}.{suffix}", suffix, squares)


def answer(kind: str, *arguments: str) -> dict[str, int | str]:
    match kind, arguments:
        case "write", (folder,):
            write_meshes(Path(folder))
            return {}
        case "count", ():
            import robot_speed

            return {"robots": len(robot_speed.robots())}
        case "mesh", (folder, suffix):
            return measure_mesh(Path(folder), suffix)
        case "robot", (folder, index):
            return measure_robot(Path(folder), int(index))
    raise SystemExit(f"no such question: {kind}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(answer(*sys.argv[1:])))
    else:
        main()
