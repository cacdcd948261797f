# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's Object.children walks through all objects of the file: work on a larger robot asks for
it no more often."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.big_robots import write_arms
from urdf_importer import export_robot, extract_robot, import_robot, reset_parts, update_robot
from urdf_importer.core import reshape

pytestmark = pytest.mark.usefixtures("scene")


def displace() -> None:
    for item in bpy.data.objects:
        if item.type == "MESH":
            item.location.x += 0.01


def rename(armature: Any, folder: Path) -> None:
    robot = extract_robot(armature)
    names = {part.name: f"new_{part.name}" for part in (*robot.links, *robot.joints)}
    update_robot(armature, robot=reshape.rename(robot, names), names=names)


def resize(armature: Any, folder: Path) -> None:
    update_robot(armature, robot=reshape.resize(extract_robot(armature), scale=2.0))


def reset(armature: Any, folder: Path) -> None:
    displace()
    assert reset_parts(armature) > 0


def write(name: str) -> Callable[[Any, Path], None]:
    def work(armature: Any, folder: Path) -> None:
        displace()
        export_robot(armature, folder / name)

    return work


DOORS = {
    "renamed": rename,
    "resized": resize,
    "reset": reset,
    **{end: write(f"out{end}") for end in (".urdf", ".sdf", ".xml", ".proto", ".glb", ".usd")},
}


@pytest.mark.parametrize("work", DOORS.values(), ids=DOORS.keys())
def test_children_are_grouped_once(
    work: Callable[[Any, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    def count(read: Any) -> property:
        def counted(item: Any) -> Any:
            nonlocal asked
            asked += 1
            return read(item)

        return property(counted)

    for name in ("children", "children_recursive"):
        monkeypatch.setattr(bpy.types.Object, name, count(getattr(bpy.types.Object, name).fget))
    found = []
    for number in (6, 24):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        folder = tmp_path / str(number)
        folder.mkdir()
        armature = import_robot(write_arms(folder, number)).armature
        asked = 0
        work(armature, folder)
        found.append(asked)
    assert found[0] == found[1]
