# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether work grows with the robot and not with its square.

    python benchmarks/growth.py [word of a door ...]

Without Blender, for each piece of work, the processor time per joint, fastest of several runs, and
the ratio of the largest robot's to the smallest one's (asked for: about 1). With Blender, for each
door of a rig, the processor time at 300 and at 900 links, and their ratio (asked for: at most 4.5).
Only doors whose names hold one of the words are timed.
"""

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from mesh_speed import silence  # noqa: E402

import urdf_importer as ui  # noqa: E402
from support.big_robots import chain, sliding, write_arms  # noqa: E402
from urdf_importer import export_robot, plan_rig  # noqa: E402
from urdf_importer.core.kinematics.tree import retrace_tree  # noqa: E402
from urdf_importer.core.model import Robot  # noqa: E402

RUNS = 5


def seconds_of(work: Callable[[Robot], object], robot: Robot) -> float:
    found = []
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        work(robot)
        found.append(time.process_time() - start)
    return min(found)


def ask(robot: Robot) -> None:
    """Plans a tree and asks it for its longest way and largest part."""
    tree = retrace_tree(robot)
    tree.path(robot.links[0].name, robot.links[-1].name)
    tree.subtree(0)


def compare(
    name: str, work: Callable[[Robot], object], make: Callable[[int], Robot], *counts: int
) -> None:
    work(make(10))
    per_joint = [1e6 * seconds_of(work, make(count)) / count for count in counts]
    shown = ", ".join(f"{count}: {cost:.0f}" for count, cost in zip(counts, per_joint, strict=True))
    print(f"{name}, us per joint: {shown}; ratio {per_joint[-1] / per_joint[0]:.2f}", flush=True)


@dataclass(frozen=True, kw_only=True)
class Rig:
    """A rig with a robot that has been read, and a folder for files."""

    folder: Path
    armature: Any
    robot: Robot

    def write(self, name: str) -> None:
        export_robot(self.armature, self.folder / name)

    def write_world(self, name: str) -> None:
        ui.export_world(self.folder / name)

    def move(self) -> None:
        """Displaces each visual."""
        for item in bpy.data.objects:
            if item.type == "MESH":
                item.location.x += 0.01


def imported(suffix: str, *, alone: bool = True) -> Callable[[Rig], Callable[[], object]]:
    """The import of what the robot is written as without Blender; into a new file, or beside the
    equal robot."""

    def prepare(rig: Rig) -> Callable[[], object]:
        path = rig.folder / f"import{suffix}"
        export_robot(rig.robot, path)
        if alone:
            clear()
        return lambda: ui.import_robot(path)

    return prepare


def prepare_usd(rig: Rig) -> Callable[[], object]:
    path = rig.folder / "physics.usd"
    export_robot(rig.armature, path, options=ui.EngineOptions(usd="physics"))
    clear()
    return lambda: ui.import_robot(path)


def edited(name: str) -> Callable[[Rig], Callable[[], object]]:
    def prepare(rig: Rig) -> Callable[[], object]:
        rig.move()
        return lambda: rig.write(name)

    return prepare


def written(name: str) -> Callable[[Rig], Callable[[], object]]:
    return lambda rig: lambda: rig.write(name)


def renamed(rig: Rig) -> Callable[[], object]:
    new = {x.name: f"new_{x.name}" for x in (*rig.robot.links, *rig.robot.joints)}
    robot = ui.reshape.rename(rig.robot, new)
    return lambda: ui.update_robot(rig.armature, robot=robot, names=new)


def updated(change: Callable[[Robot], Robot]) -> Callable[[Rig], Callable[[], object]]:
    def prepare(rig: Rig) -> Callable[[], object]:
        robot = change(rig.robot)
        return lambda: ui.update_robot(rig.armature, robot=robot)

    return prepare


def moved(work: Callable[[Rig], object]) -> Callable[[Rig], Callable[[], object]]:
    def prepare(rig: Rig) -> Callable[[], object]:
        rig.move()
        return lambda: work(rig)

    return prepare


def many(name: str) -> Callable[[Rig], Callable[[], object]]:
    """A world of as many robots as thirty links make one."""

    def prepare(rig: Rig) -> Callable[[], object]:
        count = max(1, len(rig.robot.links) // 30)
        clear()
        path = write_arms(rig.folder, 30)
        for _ in range(count):
            ui.import_robot(path)
        return lambda: rig.write_world(name)

    return prepare


DOORS: dict[str, Callable[[Rig], Callable[[], object]]] = {
    "import .urdf": imported(".urdf"),
    "import .sdf": imported(".sdf"),
    "import .xml": imported(".xml"),
    "import .usd": prepare_usd,
    **{f"import {end} beside it": imported(end, alone=False) for end in (".urdf", ".sdf", ".xml")},
    "update, nothing new": updated(lambda robot: robot),
    "update, resized": updated(lambda robot: ui.reshape.resize(robot, scale=1.5)),
    "update, pruned": updated(lambda robot: ui.reshape.prune(robot, remove=[robot.links[-5].name])),
    "update, renamed": renamed,
    "extract": lambda rig: lambda: ui.extract_robot(rig.armature),
    "extract, displaced": moved(lambda rig: ui.extract_robot(rig.armature, edits=True)),
    "reset parts": moved(lambda rig: ui.reset_parts(rig.armature)),
    **{
        f"rig to {end}": written(f"out{end}") for end in (".urdf", ".sdf", ".xml", ".proto", ".wbt")
    },
    "rig to a project": written("project"),
    **{f"displaced rig to {end}": edited(f"out{end}") for end in (".urdf", ".sdf", ".xml")},
    **{f"rig to {end}": written(f"out{end}") for end in (".glb", ".fbx", ".usd")},
    "rig to .usd with physics": lambda rig: (
        lambda: export_robot(
            rig.armature, rig.folder / "out.usd", options=ui.EngineOptions(usd="physics")
        )
    ),
    "rig to .srdf": lambda rig: lambda: ui.write_srdf(rig.armature, rig.folder / "out.srdf"),
    **{f"robots to {name}": many(name) for name in ("world.wbt", "world.sdf", "world.xml")},
    "duplicate": lambda rig: lambda: ui.duplicate_robot(rig.armature),
    "delete": lambda rig: lambda: ui.delete_robot(rig.armature),
}


def clear() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def time_door(prepare: Callable[[Rig], Callable[[], object]], count: int) -> float:
    with tempfile.TemporaryDirectory() as name, silence():
        folder = Path(name)
        clear()
        path = write_arms(folder, count)
        rig = ui.import_robot(path)
        work = prepare(Rig(folder=folder, armature=rig.armature, robot=rig.robot))
        gc.collect()
        start = time.process_time()
        work()
        return time.process_time() - start


def compare_door(name: str) -> None:
    time_door(DOORS[name], 10)
    few, many = (time_door(DOORS[name], count) for count in (300, 900))
    print(f"{name}: {few:.2f} s, {many:.2f} s; ratio {many / few:.2f}", flush=True)


def main() -> None:
    words = sys.argv[1:]
    for name in DOORS:
        if not words or any(word in name for word in words):
            compare_door(name)
    if words:
        return
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        compare("Webots project", lambda r: export_robot(r, project), sliding, 25, 50, 200)
        compare("rig plan", plan_rig, chain, 100, 1000)
        compare("tree", ask, chain, 100, 1000, 10_000)


if __name__ == "__main__":
    main()
