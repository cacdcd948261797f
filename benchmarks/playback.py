# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame of playback costs, with collisions and inertials hidden as imports leave them, and
shown. Needs bpy and the package example-robot-data.

    python benchmarks/playback.py [NAME...]

Every joint is keyed at two frames; CPU time of a frame, the median and the fastest, both ways in
turn.
"""

import statistics
import sys
import time
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import urdf_importer  # noqa: E402
from support.real_robots import descriptions  # noqa: E402
from urdf_importer.core.blender.standing import properties  # noqa: E402

ROBOTS = ("talos_full_v2", "panda", "pr2")
FRAMES, ROUNDS = 60, 5


def key_joints(armature: bpy.types.Object) -> None:
    for bone in armature.pose.bones:
        for frame, angle in ((1, 0.0), (FRAMES, 0.5)):
            bone.rotation_euler.x = angle
            bone.keyframe_insert("rotation_euler", index=0, frame=frame)


def show_parts(*, shown: bool) -> None:
    for collection in bpy.data.collections:
        if collection.get(properties.PART) in properties.HIDDEN:
            collection.hide_viewport = not shown


def play() -> list[float]:
    """Returns the seconds of CPU time of each frame."""
    found = []
    for frame in range(1, FRAMES + 1):
        start = time.process_time()
        bpy.context.scene.frame_set(frame)
        found.append(time.process_time() - start)
    return found


def measure(path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    key_joints(urdf_importer.import_robot(path).armature)
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(1 + ROUNDS):
        for shown, found in seconds.items():
            show_parts(shown=shown)
            frames = play()
            if turn:
                found += frames[1:]
    hidden, shown = (
        (1e3 * statistics.median(seconds[key]), 1e3 * min(seconds[key])) for key in (False, True)
    )
    print(
        f"{path.stem:16} hidden {hidden[0]:.2f} ms a frame (fastest {hidden[1]:.2f}), shown"
        f" {shown[0]:.2f} ms (fastest {shown[1]:.2f}): ratio {hidden[0] / shown[0]:.2f}"
        f" (fastest {hidden[1] / shown[1]:.2f}; asked for: at most 0.67)",
        flush=True,
    )


def main() -> None:
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}")
    names = sys.argv[1:] or ROBOTS
    for path in descriptions():
        if path.stem in names:
            measure(path)


if __name__ == "__main__":
    main()
