# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot without its meshes: the folder is located, and they are filled in where it stands."""

import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from support.blender.snapshots import describe_scene, list_data
from support.paths import ROOT
from urdf_importer import (
    ImportOptions,
    RobotError,
    compare_with_source,
    find_package_folders,
    get_joint_positions,
    import_robot,
    locate_package,
    set_joint_positions,
)
from urdf_importer.core.blender.standing.record import find_record

pytestmark = pytest.mark.usefixtures("extension", "scene")

ROBOT = """
<robot name="crane">
  <link name="base"><visual><geometry>
    <mesh filename="package://harbour/meshes/post.stl"/></geometry>
    <material name="red"><color rgba="1 0 0 1"/></material></visual></link>
  <link name="boom">
    <visual><geometry><mesh filename="package://harbour/meshes/boom.stl"/></geometry></visual>
    <collision><geometry><mesh filename="package://harbour/meshes/boom.stl"/></geometry></collision>
  </link>
  <joint name="slew" type="revolute"><parent link="base"/><child link="boom"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A description on its own; the package is in `elsewhere`."""
    path = tmp_path / "lonely" / "crane.urdf"
    path.parent.mkdir()
    path.write_text(ROBOT)
    make_package(tmp_path / "elsewhere" / "harbour")
    return path


def make_package(folder: Path) -> None:
    meshes = sorted((ROOT / "sample_urdfs" / "meshes").glob("*.stl"))
    (folder / "meshes").mkdir(parents=True)
    for name, mesh in zip(("post", "boom"), meshes, strict=False):
        shutil.copy(mesh, folder / "meshes" / f"{name}.stl")


def folder_of(path: Path) -> Path:
    return path.parents[1] / "elsewhere" / "harbour"


def test_the_rig_becomes_what_an_import_with_the_folder_makes(path: Path) -> None:
    parent = str(folder_of(path).parent)
    import_robot(path, options=ImportOptions(package_paths=(parent,)))
    shown, data = describe_scene(), list_data()
    new_scene()
    made = import_robot(path)
    assert [item.package for item in made.diagnostics] == ["harbour"] * 2
    done = locate_package(made.armature, parent, package="harbour")
    assert done.diagnostics == () and done.armature == made.armature
    assert describe_scene() == shown and list_data() == data
    assert find_record(made.armature).options.package_paths == (parent,)
    assert compare_with_source(made.armature) == ()


def test_what_the_user_did_stays(path: Path) -> None:
    made = import_robot(path)
    set_joint_positions(made.armature, {"slew": 0.5})
    bone = made.armature.pose.bones[made.bones["slew"]]
    bone.keyframe_insert("rotation_euler", frame=3)
    own = bpy.data.objects.new("Hook", None)
    bpy.context.scene.collection.objects.link(own)
    own.parent = made.links["boom"]
    paint = bpy.data.materials.new("Paint")
    made.visuals["base"][0].name = "My post"
    locate_package(made.armature, folder_of(path), package="harbour")
    assert get_joint_positions(made.armature)["slew"] == pytest.approx(0.5)
    assert made.armature.animation_data.action is not None
    assert own.parent == made.links["boom"] and paint.name == "Paint"
    assert bpy.data.objects["My post"].type == "MESH"


@pytest.mark.parametrize("chosen", ["elsewhere", "elsewhere/harbour", "elsewhere/harbour/meshes"])
def test_any_folder_that_leads_to_the_files_will_do(chosen: str, path: Path) -> None:
    made = import_robot(path)
    done = locate_package(made.armature, path.parents[1] / chosen, package="harbour")
    assert {item.type for items in done.visuals.values() for item in items} == {"MESH"}


def test_a_package_of_another_name_is_taken_where_the_files_are_in_it(path: Path) -> None:
    other = path.parents[1] / "elsewhere" / "port-1.2"
    folder_of(path).rename(other)
    made = import_robot(path)
    done = locate_package(made.armature, other, package="harbour")
    assert done.diagnostics == ()
    assert find_record(made.armature).options.packages == (("harbour", str(other)),)


@pytest.mark.parametrize("folder", ["lonely", "nowhere"])
def test_a_folder_without_the_files_changes_nothing(folder: str, path: Path) -> None:
    made = import_robot(path)
    shown = describe_scene()
    with pytest.raises(RobotError) as raised:
        locate_package(made.armature, path.parents[1] / folder, package="harbour")
    assert folder in str(raised.value) and "\n" not in str(raised.value)
    assert describe_scene() == shown


def test_folders_are_found_near_the_file_and_in_workspaces(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = import_robot(path)
    home = path.parents[1] / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    wanted = home / "crane_ws" / "src" / "harbour_stack" / "parts"
    make_package(wanted)
    (wanted / "package.xml").write_text("<package><name>harbour</name></package>")
    (home / "ros_ws" / "src" / "harbour" / "launch").mkdir(parents=True)
    assert find_package_folders(made.armature, "harbour") == (str(wanted),)
    near = path.parents[1] / "elsewhere"
    found = find_package_folders(made.armature, "harbour", package_paths=[near])
    assert set(found) == {str(folder_of(path)), str(wanted)}
    assert find_package_folders(made.armature, "other") == ()


# The operator


def test_the_operator_fills_in_and_says_so(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bpy.ops.import_scene.urdf(filepath=str(path))
    bpy.context.view_layer.objects.active = bpy.data.objects["crane"]
    folder = str(folder_of(path))
    assert bpy.ops.urdf.locate_package(package="harbour", directory=folder) == {"FINISHED"}
    said = capfd.readouterr().out.splitlines()
    assert said[-1] == "Info: Filled in 2 mesh files of crane"
    with pytest.raises(RuntimeError, match="lacks no file of package 'harbour'"):
        bpy.ops.urdf.locate_package(package="harbour", directory=folder)


def test_messages_that_have_nothing_to_do_with_the_folder_are_not_repeated(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path.write_text(ROBOT.replace('lower="-2"', 'lower="1"'))
    bpy.ops.import_scene.urdf(filepath=str(path))
    robot = bpy.data.objects["crane"]
    bpy.context.view_layer.objects.active = robot
    (kept,) = [each.code for each in find_record(robot).diagnostics if not each.lost]
    assert kept in capfd.readouterr().out
    bpy.ops.urdf.locate_package(package="harbour", directory=str(folder_of(path)))
    assert capfd.readouterr().out.splitlines() == ["Info: Filled in 2 mesh files of crane"]
    assert [each.code for each in find_record(robot).diagnostics] == [kept]


def test_a_folder_can_go_into_the_preferences_and_updates_look_there(
    path: Path, extension: ModuleType
) -> None:
    folders = bpy.context.preferences.addons[extension.__name__].preferences.package_folders
    folders.clear()
    first = import_robot(path).armature
    second = import_robot(path).armature
    bpy.context.view_layer.objects.active = first
    chosen: dict[str, Any] = {"package": "harbour", "directory": str(folder_of(path))}
    bpy.ops.urdf.locate_package(**chosen, add_to_preferences=True)
    assert [item.path for item in folders] == [str(folder_of(path))]
    bpy.context.view_layer.objects.active = second
    assert bpy.ops.urdf.update() == {"FINISHED"}
    assert find_record(second).diagnostics == ()
    assert bpy.ops.urdf.update() == {"CANCELLED"}
    folders.clear()
    assert compare_with_source(second) == ()
