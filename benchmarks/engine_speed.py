# SPDX-License-Identifier: GPL-3.0-or-later
"""How long an export to an engine takes: a robot of 400,000 triangles, 31 frames.

    python benchmarks/engine_speed.py [ROBOT.urdf]

Without a description it is a made one: 40 links in a row, each with a sphere of 10,000 triangles.
It has to stay within 5 seconds of CPU time.
"""

import sys
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

import urdf_importer
from urdf_importer import EngineOptions
from urdf_importer.core.blender.standing.joints import posed_joints_of

LINKS, TRIANGLES, FRAMES, WITHIN = 40, 10_000, 31, 5.0


def make_robot(folder: Path) -> Path:
    rows = ["<robot name='many'>"]
    shape = "<visual><geometry><mesh filename='ball.stl'/></geometry></visual>"
    for index in range(LINKS):
        rows.append(f"<link name='link{index}'>{shape}</link>")
        if index:
            rows.append(
                f"<joint name='joint{index}' type='continuous'><parent link='link{index - 1}'/>"
                f"<child link='link{index}'/><origin xyz='0.2 0 0' rpy='0.3 0.2 0.1'/></joint>"
            )
    (folder / "robot.urdf").write_text("\n".join([*rows, "</robot>"]))
    write_ball(folder / "ball.stl")
    return folder / "robot.urdf"


def write_ball(path: Path) -> None:
    """A sphere of about TRIANGLES triangles as binary STL."""
    rings = int(np.sqrt(TRIANGLES / 2))
    u, v = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, rings + 1))
    grid = 0.1 * np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    faces = np.concatenate([np.stack([a, b, c], 2), np.stack([a, c, d], 2)]).reshape(-1, 3, 3)
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    rows = np.zeros(len(faces), kind)
    rows["corners"] = faces
    path.write_bytes(bytes(80) + np.uint32(len(rows)).tobytes() + rows.tobytes())


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = Path(sys.argv[1]) if len(sys.argv) > 1 else make_robot(folder)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        result = urdf_importer.import_robot(source)
        generator = np.random.default_rng(0)
        for frame in range(1, FRAMES + 1, 6):
            for pose_bone, joint in posed_joints_of(result.armature):
                for channel in joint.channels:
                    channel.put(pose_bone, float(generator.uniform(-0.5, 0.5)))
                    pose_bone.keyframe_insert(channel.prop, index=channel.index, frame=frame)
        triangles = sum(
            len(item.data.polygons) for items in result.visuals.values() for item in items
        )
        print(f"{result.robot.name}: {len(result.links)} links, {triangles} faces, {FRAMES} frames")
        worst = 0.0
        for suffix in ("glb", "fbx", "usdc"):
            start = time.process_time()
            urdf_importer.export_robot(
                result.armature,
                folder / f"robot.{suffix}",
                options=EngineOptions(frames=(1.0, FRAMES)),
            )
            seconds = time.process_time() - start
            worst = max(worst, seconds)
            print(f"{suffix:5} {seconds:6.2f} CPU s")
    return 0 if worst < WITHIN else 1


if __name__ == "__main__":
    sys.exit(main())
