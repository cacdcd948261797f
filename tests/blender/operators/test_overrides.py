# SPDX-License-Identifier: GPL-3.0-or-later
"""Linked characters: what the extension does to library overrides, of robots and of anything."""

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.blender.sidebars import activate, load, sliders_of
from support.paths import ROOT
from urdf_importer import get_joint_positions, save_blend

pytestmark = pytest.mark.usefixtures("extension", "scene")


def link_override(path: Path, collection: str) -> Any:
    """Links a collection of a file into a new one, with an override of all that is in it."""
    new_scene()
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = [collection]
    (linked,) = wanted.collections
    return linked.override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )


def test_files_without_robots_are_overridden_without_a_word(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    collection = bpy.data.collections.new("props")
    bpy.context.scene.collection.children.link(collection)
    for number in range(30):
        mesh = bpy.data.meshes.new(f"prop {number}")
        collection.objects.link(bpy.data.objects.new(f"prop {number}", mesh))
    props = tmp_path / "props.blend"
    save_blend(props)
    capfd.readouterr()
    link_override(props, "props")
    save_blend(tmp_path / "scene.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    said = capfd.readouterr()
    assert "Traceback" not in said.err + said.out


def test_no_object_of_other_kinds_gets_a_property_from_us() -> None:
    """Blender reads those of every object whenever it compares overrides."""
    names = [each.identifier for each in bpy.types.Object.bl_rna.properties]
    assert [name for name in names if name.startswith("urdf")] == []


def test_overridden_robots_in_a_process_of_their_own(tmp_path: Path) -> None:
    """What other tests have left in Blender would be linked and overridden with them."""
    left = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    words = ["-q", "-n", "0", "-p", "no:cacheprovider", "-o", "python_functions=check_*"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, f"--basetemp={tmp_path / 'own'}", __file__],
        cwd=ROOT,
        env=left | {"BLENDER_USER_RESOURCES": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def check_sliders_move_an_overridden_robot_and_it_is_kept(
    extension: ModuleType, tmp_path: Path
) -> None:
    robot = load("two_link_arm")
    collection = bpy.context.scene.collection.children[0].name
    save_blend(tmp_path / "arm.blend")
    override = link_override(tmp_path / "arm.blend", collection)
    (robot,) = (item for item in override.all_objects if item.type == "ARMATURE")
    activate(robot)
    assert robot.override_library is not None
    [(bone, slider)] = sliders_of(extension, robot)["elbow"]
    assert bone.is_property_overridable_library(slider)
    setattr(bone, slider, 0.4)
    name = robot.name
    save_blend(tmp_path / "scene.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    robot = bpy.data.objects[name]
    assert robot.override_library is not None
    assert get_joint_positions(robot)["elbow"] == pytest.approx(0.4, abs=1e-6)
