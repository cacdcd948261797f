# SPDX-License-Identifier: GPL-3.0-or-later
"""What a move of the mouse over a robot costs in the 3D view, in CPU time. Needs bpy.

    python benchmarks/hover_speed.py [robot.urdf]

Without a window: the rays are those of a view of the whole robot, in a grid, and half of them miss
it. What is timed is what the joint gizmo does for each move: find the body under the mouse, its
joint, and what holds it; and for a drag, the joint's position. Beside it, Blender's
own part, one ray through the same scene. The first rays, which make Blender build its search trees,
are not counted. The goal is at most 4 ms for 100 links; the robot is talos by default.
"""

import importlib
import os
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TALOS = "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_full_v2.urdf"
SIDE = 24
"""Rays along each side of the grid."""
GOAL = 4.0

sys.path[:0] = [str(ROOT)]
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp()

import bpy  # noqa: E402
from mathutils import Vector  # noqa: E402


class View:
    """What the code asks of Blender's context, without a window."""

    def __init__(self) -> None:
        self.scene = bpy.context.scene
        self.space_data = None

    def evaluated_depsgraph_get(self) -> Any:
        return bpy.context.evaluated_depsgraph_get()


def load_extension() -> Any:
    """Returns the extension's package, as Blender loads it from a profile."""
    import addon_utils

    repository = Path(bpy.utils.user_resource("EXTENSIONS", create=True), "user_default")
    repository.mkdir(parents=True, exist_ok=True)
    (repository / "urdf_importer").symlink_to(ROOT, target_is_directory=True)
    name = "bl_ext.user_default.urdf_importer"
    addon_utils.enable(name, default_set=True, persistent=True)
    return name


def make_rays(robot: Any) -> list[tuple[Vector, Vector]]:
    """Returns (origin, direction) of a grid in front of the robot."""
    corners = [
        item.matrix_world @ Vector(corner)
        for item in robot.children_recursive
        if item.type == "MESH"
        for corner in item.bound_box
    ]
    low, high = (Vector(map(pick, zip(*corners, strict=True))) for pick in (min, max))
    middle, size = (low + high) / 2, (high - low).length
    eye = middle + Vector((1.5 * size, -0.6 * size, 0.4 * size))
    shares = [index / (SIDE - 1) - 0.5 for index in range(SIDE)]
    aims = [middle + Vector((0, y * size, z * size)) for y in shares for z in shares]
    return [(eye, (aim - eye).normalized()) for aim in aims]


def measure(work: Callable[[Any], Any], items: list[Any]) -> list[float]:
    """Returns CPU milliseconds of each, after all were done once."""
    for item in items:
        work(item)
    found = []
    for item in items:
        start = time.process_time()
        work(item)
        found.append(1000 * (time.process_time() - start))
    return found


def report(name: str, times: list[float]) -> float:
    times = sorted(times)
    middle, high = statistics.median(times), times[int(0.95 * len(times))]
    print(f"{name:<34} median {middle:7.3f} ms   19 of 20 under {high:7.3f} ms")
    return high


def main() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    name = load_extension()
    bodies = importlib.import_module(f"{name}.operators.gizmos.bodies")
    handles = importlib.import_module(f"{name}.urdf_importer.core.blender.standing.handles")
    library = importlib.import_module(f"{name}.urdf_importer")
    path = sys.argv[1] if len(sys.argv) > 1 else sysconfig.get_paths()["purelib"] + "/" + TALOS
    robot = library.import_robot(path).armature
    bpy.context.view_layer.update()
    view, rays = View(), make_rays(robot)
    links = sum(1 for item in robot.children if "urdf_link" in item)
    hits = [hit for hit in (bodies.cast_sight(view, ray) for ray in rays) if hit is not None]
    print(f"{robot.name}: {links} links, {len(rays)} rays, {len(hits)} hits")

    def hover(sight: Any) -> None:
        hit = bodies.cast_sight(view, sight)
        handle = handles.find_handle(hit.item) if hit is not None else None
        if handle is not None:
            handles.explain_hold(handle)

    def cast(sight: Any) -> None:
        bpy.context.scene.ray_cast(bpy.context.evaluated_depsgraph_get(), *sight)

    high = report("hovering", measure(hover, rays))
    ray = statistics.median(measure(cast, rays))
    print(f"{'Blender alone, one ray':<34} median {ray:7.3f} ms")
    handle, hit = next(
        (handle, hit)
        for hit in hits
        if (handle := handles.find_handle(hit.item)) and not handles.explain_hold(handle)
    )
    drag = handles.grip_body(handle, hit.point, hit.sight, Vector((0, 0, 1)), 0.01)
    report("dragging", measure(lambda ray: drag.move(handles.enter_armature(handle, ray)), rays))
    print(f"for 100 links {high * 100 / max(links, 1):.2f} ms; goal {GOAL:g} ms")


if __name__ == "__main__":
    main()
