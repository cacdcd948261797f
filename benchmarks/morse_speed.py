# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of MORSE builder scripts: what is added to an import, and what MORSE's own part takes.

    MORSE_ROOT=/usr python benchmarks/morse_speed.py

Needs bpy, MORSE (tools/get-morse) and the package example-robot-data. Everything in one process,
after one run to warm up: the import alone, the robot of a builder script, an actuator and state
sensor for every joint, env.create(), and the robot's builder script, written and run. Medians.
"""

import gc
import os
import runpy
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import bpy  # noqa: E402
from mesh_speed import silence  # noqa: E402

import urdf_importer  # noqa: E402
import urdf_importer.morse  # noqa: E402
from support.real_robots import descriptions  # noqa: E402
from urdf_importer.core.meshes.file_cache import forget_files  # noqa: E402
from urdf_importer.morse import builder  # noqa: E402

ROBOTS = ("panda", "talos_full_v2", "pr2")
RUNS = 5
STEPS = ("import", "robot", "actuators", "create", "write script", "run script")


def seconds_of(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(path: Path, folder: Path) -> dict[str, float]:
    script = folder / "script_builder.py"
    made: list[object] = []
    options = urdf_importer.ImportOptions(profile="morse")
    empty_scene()
    found = {"import": seconds_of(lambda: urdf_importer.import_robot(path, options=options))}
    empty_scene()
    found["robot"] = seconds_of(lambda: made.append(builder.URDFRobot(path, "robot")))
    robot = made[0]
    found["actuators"] = seconds_of(lambda: (robot.armatures(), robot.joint_state()))  # type: ignore[attr-defined]
    environment = builder.Environment("empty", fastmode=True)
    found["create"] = seconds_of(environment.create)
    found["write script"] = seconds_of(
        lambda: urdf_importer.write_builder_script(urdf_importer.read_robot(path), script)
    )
    empty_scene()
    found["run script"] = seconds_of(lambda: runpy.run_path(str(script), run_name="__main__"))
    return found | {"MB": script.stat().st_size / 1e6}


def empty_scene() -> None:
    urdf_importer.morse.forget_components()
    forget_files()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def main() -> None:
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}")
    urdf_importer.morse.enable()
    with tempfile.TemporaryDirectory() as name:
        for path in descriptions():
            if path.stem not in ROBOTS:
                continue
            with silence():
                measure(path, Path(name))
                runs = [measure(path, Path(name)) for _ in range(RUNS)]
            found = {step: statistics.median(run[step] for run in runs) for step in (*STEPS, "MB")}
            times = ", ".join(f"{step} {1000 * found[step]:.0f} ms" for step in STEPS)
            ratio = found["robot"] / found["import"]
            print(f"{path.stem}: {times}; robot/import {ratio:.2f}; script {found['MB']:.1f} MB")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
