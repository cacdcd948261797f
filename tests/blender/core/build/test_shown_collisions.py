# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots of which no link has a visual are seen by their collision shapes."""

import struct
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.blender.rigs import new_scene
from urdf_importer import (
    Diagnostics,
    EngineOptions,
    ImportOptions,
    ImportResult,
    Severity,
    export_robot,
    import_robot,
    read_robot,
    update_robot,
)
from urdf_importer.core.blender.standing.display import find_parts
from urdf_importer.core.blender.standing.links import visuals_of

BOX = "<geometry><box size='1 1 1'/></geometry>"
JOINT = (
    "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
    "<origin xyz='0 0 1'/></joint>"
)
MODELS = {
    "bare.urdf": f"<robot name='bare'><link name='a'><collision>{BOX}</collision></link>"
    f"<link name='b'><collision>{BOX}</collision></link>{JOINT}</robot>",
    "bare.sdf": "<sdf version='1.9'><model name='bare'><link name='a'><collision name='k'>"
    "<geometry><box><size>1 1 1</size></box></geometry></collision></link></model></sdf>",
    "bare.xml": "<mujoco model='bare'><worldbody><body name='a'><joint name='j'/>"
    "<geom type='box' size='.1 .1 .1' group='3'/></body></worldbody></mujoco>",
}
VISUAL = f"<link name='b'><visual>{BOX}</visual>"


@pytest.fixture(autouse=True)
def scene() -> None:
    new_scene()


def write(folder: Path, name: str, text: str = "") -> Path:
    (folder / name).write_text(text or MODELS[name])
    return folder / name


def list_rendered(result: ImportResult) -> set[str]:
    """The links with a shape that is neither hidden in the view nor in pictures."""
    bpy.context.view_layer.update()
    shapes = {link: found for link, found in result.collisions.items() if found}
    return {
        link
        for link, found in shapes.items()
        if all(
            each.visible_get() and not each.hide_render and each.display_type == "TEXTURED"
            for each in found
        )
        and not any(home.hide_render for each in found for home in each.users_collection)
    }


def codes(diagnostics: Any) -> list[str]:
    return [item.code for item in diagnostics]


def count_meshes(path: Path) -> int:
    import json

    data = path.read_bytes()
    (length,) = struct.unpack("<I", data[12:16])
    return len(json.loads(data[20 : 20 + length]).get("meshes", ()))


@pytest.mark.parametrize("name", MODELS)
def test_collision_shapes_are_seen_and_stay_collision_shapes(name: str, tmp_path: Path) -> None:
    result = import_robot(write(tmp_path, name))
    (note,) = result.diagnostics
    assert (note.code, note.severity) == ("collisions-shown", Severity.NOTE)
    links = {link.name for link in result.robot.links if link.collisions}
    assert list_rendered(result) == links
    assert len(list(visuals_of(result.armature))) == len(links)
    written = export_robot(result.armature, tmp_path / "back.urdf").path
    again = read_robot(written).links
    assert not any(link.visuals for link in again)
    assert {link.name for link in again if link.collisions} == links


@pytest.mark.parametrize("from_scene", [True, False])
def test_engines_get_them_too(from_scene: bool, tmp_path: Path) -> None:
    source = write(tmp_path, "bare.urdf")
    robot = import_robot(source).armature if from_scene else read_robot(source)
    diagnostics = Diagnostics()
    written = export_robot(robot, tmp_path / "bare.glb", diagnostics=diagnostics)
    assert count_meshes(written.path) == 1
    assert set(codes(diagnostics)) <= {"collisions-shown"}
    proto = export_robot(robot, tmp_path / "Bare.proto", diagnostics=Diagnostics()).path
    assert proto.read_text().count("Shape {") == 2


def test_usd_with_physics_shows_them_and_reads_them_back_as_they_were(tmp_path: Path) -> None:
    robot = read_robot(write(tmp_path, "bare.urdf"))
    options = EngineOptions(usd="physics")
    written = export_robot(robot, tmp_path / "bare.usda", options=options).path
    assert '"guide"' not in written.read_text()
    result = import_robot(written)
    assert not any(link.visuals for link in result.robot.links)
    assert list_rendered(result) == {"a", "b"}


@pytest.mark.parametrize("options", [ImportOptions(visuals=False), ImportOptions()])
def test_they_are_hidden_beside_one_visual_and_where_no_visuals_are_wanted(
    options: ImportOptions, tmp_path: Path
) -> None:
    text = MODELS["bare.urdf"]
    text = text.replace("<link name='b'>", VISUAL) if options.visuals else text
    result = import_robot(write(tmp_path, "seen.urdf", text), options=options)
    assert list_rendered(result) == set() and not result.diagnostics
    (home,) = find_parts(result.armature)["Collisions"]
    assert home.hide_viewport and home.hide_render


def test_an_update_follows_and_leaves_the_users_own_choice_alone(tmp_path: Path) -> None:
    path = write(tmp_path, "bare.urdf")
    result = import_robot(path)
    path.write_text(MODELS["bare.urdf"].replace("<link name='b'>", VISUAL))
    updated = update_robot(result.armature)
    assert list_rendered(updated) == set()
    path.write_text(MODELS["bare.urdf"])
    updated = update_robot(result.armature)
    assert list_rendered(updated) == {"a", "b"}
    for (shape,) in updated.collisions.values():
        shape.hide_render = True
    path.write_text(MODELS["bare.urdf"].replace("0 0 1", "0 0 2"))
    updated = update_robot(result.armature)
    assert list_rendered(updated) == set()
