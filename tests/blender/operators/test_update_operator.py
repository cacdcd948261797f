# SPDX-License-Identifier: GPL-3.0-or-later
"""bpy.ops.urdf.update and its panel: the extension does what the library does, and reports."""

import dataclasses
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from urdf_importer import compare_with_source, import_robot, update_robot
from urdf_importer.core.blender.standing.record import find_record

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
    for kind in (kinds.UpdateRobot, kinds.ChooseSource):
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


def _watch(extension: ModuleType, robot: Any) -> tuple[str, ...]:
    """What the sidebar knows after a look at the files: drawing asks, a timer looks."""
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    watch = extension.operators.importing.source_watch
    watch.recall_changed(robot, table)
    assert bpy.app.timers.is_registered(watch.look_on)
    while watch.look_on() < watch.SECONDS:
        pass
    changed: tuple[str, ...] = watch.recall_changed(robot, table)
    return changed


def test_a_change_on_disk_is_noticed_until_the_update(path: Path, extension: ModuleType) -> None:
    """As users have it: import, edit the file, look at the sidebar, update."""
    assert bpy.ops.import_scene.urdf(filepath=str(path)) == {"FINISHED"}
    robot = bpy.context.view_layer.objects.active
    assert _watch(extension, robot) == ()
    path.write_text(CHANGED)
    assert _watch(extension, robot) == (str(path),)
    kind = extension.operators.importing.update.UpdateRobot
    assert kind.description(bpy.context, None).endswith("Changed on disk: arm.urdf")
    assert bpy.ops.urdf.update() == {"FINISHED"}
    robot = bpy.context.view_layer.objects.active
    assert _watch(extension, robot) == ()
    assert kind.description(bpy.context, None) == kind.bl_description


def test_a_file_that_was_only_touched_is_no_change_after_an_update(
    path: Path, extension: ModuleType
) -> None:
    robot = import_robot(path).armature
    path.write_text(ARM + "<!-- the same robot -->\n")
    assert _watch(extension, robot) == (str(path),)
    assert bpy.ops.urdf.update() == {"CANCELLED"}
    assert _watch(extension, robot) == ()


def test_meshes_and_images_are_watched(tmp_path: Path, extension: ModuleType) -> None:
    """Those that the import read, wherever the mesh file names them."""
    (tmp_path / "box.obj").write_text(
        "mtllib box.mtl\nusemtl paint\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n"
    )
    (tmp_path / "box.mtl").write_text("newmtl paint\nKd 1 0 0\n")
    path = tmp_path / "box.urdf"
    path.write_text(
        "<robot name='box'><link name='base'><visual><geometry>"
        "<mesh filename='box.obj'/></geometry></visual></link></robot>"
    )
    for _ in range(2):  # The second time it is kept from the first.
        robot = import_robot(path).armature
        files = [str(path), *(str(tmp_path / name) for name in ("box.obj", "box.mtl"))]
        assert list(robot["urdf_import"]["files"]) != []
        table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
        assert list(table.files) == files
    (tmp_path / "box.mtl").write_text("newmtl paint\nKd 0 0.5 0\n")
    assert _watch(extension, robot) == (str(tmp_path / "box.mtl"),)


def test_a_slow_drive_is_asked_seldom_and_one_file_at_a_time(
    path: Path, extension: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file takes longer than a step may: each step looks at one, and the next look waits."""
    robot = import_robot(path).armature
    table = extension.urdf_importer.core.blender.standing.robot_table.recall_table(robot)
    files = {str(path): table.files[str(path)], **{f"{path}{each}": (1, 1) for each in range(4)}}
    watch, asked = extension.operators.importing.source_watch, list[str]()

    def look(states: Any) -> Iterator[str]:
        for each in states:
            time.sleep(0.05)
            asked.append(each)
            yield each

    monkeypatch.setattr(watch, "look_for_changed", look)
    extension.operators.session.session_state(watch.Watch).robots.clear()
    table = dataclasses.replace(table, files=files)
    assert watch.recall_changed(robot, table) == ()
    for number in range(1, 6):
        assert watch.look_on() < watch.SECONDS and len(asked) == number
    assert watch.recall_changed(robot, table) == ()
    assert watch.look_on() >= 5.0
    assert watch.recall_changed(robot, table) == tuple(files)


def test_what_somebody_wrote_in_place_of_the_files_is_passed_over(path: Path) -> None:
    armature = import_robot(path).armature
    for text in ("", "nonsense", "[1]", '{"a": 1}', '{"a": ["b", "c"]}', "null"):
        armature["urdf_import"]["files"] = text
        assert find_record(armature).files == {}
