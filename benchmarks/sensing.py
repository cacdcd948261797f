# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors beside the Panda: how long scans, depths and pictures take, and how far they are from an
independent caster of rays (embree). Processor seconds, the best of several.

    .venv/bin/python benchmarks/sensing.py
"""

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import bpy  # noqa: E402
import numpy as np  # noqa: E402
import trimesh  # noqa: E402
from trimesh.ray.ray_pyembree import RayMeshIntersector  # noqa: E402

import urdf_importer  # noqa: E402
from support.real_robots import ROOT as ROBOTS  # noqa: E402
from urdf_importer import ImportOptions, SenseOptions  # noqa: E402

_SCAN = (
    "<pose>-1.2 0 0.5 0 0 0</pose><ray><scan><horizontal><samples>720</samples>"
    "<min_angle>-0.6</min_angle><max_angle>0.6</max_angle></horizontal>{rings}</scan>"
    "<range><min>0.05</min><max>20</max></range></ray>"
)
_RINGS = (
    "<vertical><samples>16</samples><min_angle>-0.4</min_angle>"
    "<max_angle>0.4</max_angle></vertical>"
)
MOST_SECONDS = {"one": 0.005, "sixteen": 0.025}
_CAMERA = (
    "<pose>-1.4 0 0.5 0 0 0</pose><camera><horizontal_fov>1.0</horizontal_fov><image>"
    "<width>640</width><height>480</height></image><clip><near>0.05</near><far>20</far></clip>"
    "</camera>"
)


def load_robot(folder: Path):
    source = ROBOTS / "panda_description" / "urdf" / "panda.urdf"
    sensors = {
        "one": ("ray", _SCAN.format(rings="")),
        "sixteen": ("ray", _SCAN.format(rings=_RINGS)),
        "deep": ("depth", _CAMERA),
        "eye": ("camera", _CAMERA),
    }
    text = "".join(
        f'<gazebo reference="panda_link0"><sensor name="{name}" type="{kind}">{inside}</sensor>'
        "</gazebo>"
        for name, (kind, inside) in sensors.items()
    )
    path = folder / "panda.urdf"
    path.write_text(source.read_text().replace("</robot>", f"{text}</robot>"))
    options = ImportOptions(sensors=True, package_paths=(str(ROBOTS),))
    armature = urdf_importer.import_robot(path, options=options).armature
    bpy.ops.mesh.primitive_plane_add(size=20)
    bpy.ops.object.light_add(type="SUN")
    pose = {"panda_joint2": 0.4, "panda_joint4": -1.8, "panda_joint6": 1.5}
    urdf_importer.set_joint_positions(armature, pose)
    bpy.context.view_layer.update()
    return armature


def world_mesh():
    graph = bpy.context.evaluated_depsgraph_get()
    parts = []
    for item in bpy.context.scene.objects:
        hidden = item.hide_render or item.users_collection[0].hide_render
        if item.type != "MESH" or hidden:
            continue
        shown = item.evaluated_get(graph)
        mesh = shown.to_mesh()
        mesh.calc_loop_triangles()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        corners = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.vertices.foreach_get("co", points)
        mesh.loop_triangles.foreach_get("vertices", corners)
        matrix = np.array(shown.matrix_world)
        placed = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
        parts.append(trimesh.Trimesh(placed, corners.reshape(-1, 3), process=False))
    return trimesh.util.concatenate(parts)


def cast(mesh, frame, rays):
    """Distances (n,) along unit rays of a frame (4, 4); inf where nothing is hit."""
    starts = np.tile(frame[:3, 3], (len(rays), 1))
    caster = RayMeshIntersector(mesh, scale_to_box=False)
    places, hits, _ = caster.intersects_location(
        starts, rays @ frame[:3, :3].T, multiple_hits=False
    )
    found = np.full(len(rays), np.inf)
    found[hits] = np.linalg.norm(places - frame[:3, 3], axis=1)
    return found


def cast_plainly(frame, rays):
    """Blender's own way, one call a ray."""
    graph, hit = bpy.context.evaluated_depsgraph_get(), bpy.context.scene.ray_cast
    start = frame[:3, 3].tolist()
    return [hit(graph, start, ray, distance=20.0) for ray in (rays @ frame[:3, :3].T).tolist()]


def take_time(work, count=5):
    best = np.inf
    for _ in range(count):
        begin = time.process_time()
        result = work()
        best = min(best, time.process_time() - begin)
    return best, result


def main(folder: Path) -> None:
    urdf_importer.new_file()
    robot = load_robot(folder)
    mesh = world_mesh()
    print(f"{len(mesh.faces)} triangles")
    placed = {each.name: each for each in urdf_importer.find_sensors(robot)}
    begin = time.process_time()
    urdf_importer.sense(robot, placed["one"])
    print(f"first scan, with its trees: {time.process_time() - begin:.3f} s")
    from urdf_importer.features.sensing.sense import open_looker

    looker = open_looker(robot, SenseOptions(samples=8), urdf_importer.Diagnostics())
    frame, _ = looker.find_frame(placed["one"])
    for name, rings in (("one", np.zeros(1)), ("sixteen", np.linspace(-0.4, 0.4, 16))):
        seconds, reading = take_time(lambda name=name: looker.measure(placed[name]))
        across, up = np.linspace(-0.6, 0.6, 720), rings[:, None]
        rays = [np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up) + 0 * across]
        rays = np.stack(rays, -1).reshape(-1, 3)
        true = cast(mesh, frame, rays)
        true[true > 20.0] = np.inf
        report(f"scan of {len(rings)} x 720", seconds, reading.ranges.ravel(), true)
        plain, _ = take_time(lambda rays=rays, frame=frame: cast_plainly(frame, rays), 3)
        apart, _ = take_time(lambda rays=rays, frame=frame: cast(mesh, frame, rays), 3)
        print(
            f"    {seconds / plain:.2f} of the time of scene.ray_cast, {seconds / apart:.2f} of "
            f"embree's; {seconds / MOST_SECONDS[name]:.2f} of what it may take"
        )
    seconds, reading = take_time(lambda: looker.measure(placed["deep"]), 3)
    report("depth of 640 x 480", seconds, reading.depth.ravel(), None)
    seconds, reading = take_time(lambda: looker.measure(placed["eye"]), 1)
    print(f"picture of 640 x 480, 8 samples: {seconds:.2f} s")
    label_pictures(folder, "panda_description/urdf/panda.urdf", ("coco", "bop", "dream"))
    for size in ((640, 480), (160, 120)):
        label_pictures(folder, ROOT / "sample_urdfs/two_link_arm.urdf", ("coco",), size, 1)


def label_pictures(folder: Path, source, formats, size=(640, 480), samples=8) -> None:
    """Prints the processor seconds of a labelled picture with all its files: the mean of four."""
    from urdf_importer.features.sensing.pictures import open_stage, write_labelled

    urdf_importer.new_file()
    folders = ImportOptions(package_paths=(str(ROBOTS),))
    armature = urdf_importer.import_robot(ROBOTS / source, options=folders).armature
    width, height = size
    options = urdf_importer.DatasetOptions(
        width=width, height=height, samples=samples, formats=formats, denoise=samples > 1
    )
    stage = open_stage(armature, options)
    output = folder / f"{Path(source).stem}{width}"
    (output / ".work").mkdir(parents=True)
    for number in range(101, 106):
        if number == 102:
            begin = time.process_time()
        write_labelled(stage, number, output, output / ".work")
    seconds = (time.process_time() - begin) / 4
    print(f"labelled picture of {source}, {width} x {height}, {samples} samples: {seconds:.2f} s")


def report(what: str, seconds: float, found, true) -> None:
    print(f"{what}: {1000 * seconds:.1f} ms", end="")
    if true is not None:
        both = np.isfinite(found) & np.isfinite(true)
        off = np.abs(found[both] - true[both])
        unlike = int((np.isfinite(found) != np.isfinite(true)).sum())
        far = int((off > 1e-3).sum())
        print(
            f"; off by {np.quantile(off, 0.999):.1e} m in 99.9 %, {far} of {both.sum()} beyond "
            f"1 mm, {unlike} hits more or less",
            end="",
        )
    print()


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
