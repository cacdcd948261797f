# SPDX-License-Identifier: GPL-3.0-or-later
"""bpy.ops.urdf.update and its panel: the extension does what the library does, and reports."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from urdf_importer import compare_with_source, import_robot, update_robot

ARM = (ROOT / "sample_urdfs" / "two_link_arm.urdf").read_text()
CHANGED = ARM.replace('upper="1.5"', 'upper="0.75"').replace('robot name="', 'robot name="new_')

pytestmark = pytest.mark.usefixtures("extension", "scene")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    assert CHANGED != ARM
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def test_the_operator_does_what_the_library_does(path: Path) -> None:
    import_robot(path)
    path.write_text(CHANGED)
    assert bpy.ops.urdf.update() == {"FINISHED"}
    shown, data = describe_scene(), list_data()
    new_scene()
    path.write_text(ARM)
    armature = import_robot(path).armature
    path.write_text(CHANGED)
    update_robot(armature)
    assert describe_scene() == shown and list_data() == data


def test_any_part_of_the_robot_may_be_active(path: Path) -> None:
    result = import_robot(path)
    path.write_text(CHANGED)
    bpy.context.view_layer.objects.active = result.links["tool"]
    assert bpy.ops.urdf.update() == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == result.links["tool"]
    assert compare_with_source(result.armature) == ()


def test_nothing_changed_is_said_plainly(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import_robot(path)
    shown = describe_scene()
    assert bpy.ops.urdf.update() == {"CANCELLED"}
    assert "Nothing changed: the rig matches its source" in capfd.readouterr().out
    assert describe_scene() == shown


def test_a_source_that_is_gone_is_one_sentence(path: Path) -> None:
    import_robot(path)
    path.unlink()
    shown, data = describe_scene(), list_data()
    with pytest.raises(RuntimeError) as raised:
        bpy.ops.urdf.update()
    assert str(raised.value).startswith(f"Error: {path}") and str(raised.value).count("\n") == 1
    assert describe_scene() == shown and list_data() == data


def test_another_file_is_chosen(path: Path, tmp_path: Path) -> None:
    armature = import_robot(path).armature
    path.unlink()
    other = tmp_path / "moved.urdf"
    other.write_text(CHANGED)
    assert bpy.ops.urdf.choose_source(filepath=str(other)) == {"FINISHED"}
    assert armature["urdf_import"]["path"] == str(other)


def test_without_a_robot_it_says_why_not(path: Path) -> None:
    new_scene()
    for operator in (bpy.ops.urdf.update, bpy.ops.urdf.choose_source):
        assert not operator.poll()
        with pytest.raises(RuntimeError, match="Select a robot first"):
            operator()


def test_it_is_one_step_of_undo_and_explains_itself(extension: ModuleType) -> None:
    kinds: Any = extension.operators.importing.update
    assert {"REGISTER", "UNDO"} <= kinds.UpdateRobot.bl_options
    for kind in kinds.CLASSES:
        assert len(kind.bl_description) > 60 and not kind.bl_description.endswith(".")


def test_undo_takes_all_back(path: Path) -> None:
    import_robot(path)
    bpy.ops.ed.undo_push(message="before")
    shown, data = describe_scene(), list_data()
    path.write_text(CHANGED)
    bpy.ops.urdf.update()
    assert describe_scene() != shown
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert describe_scene() == shown and list_data() == data


def test_the_panel_is_under_the_robot(extension: ModuleType) -> None:
    panel = bpy.types.VIEW3D_PT_urdf_source
    assert (panel.bl_parent_id, panel.bl_category) == ("VIEW3D_PT_urdf", "URDF")
