# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Export > Robot > World."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import mujoco
import pytest

from support.paths import ROOT
from urdf_importer import (
    MjcfOptions,
    SdfOptions,
    WebotsOptions,
    export_world,
    import_robot,
    writer_formats,
)
from urdf_importer.core.options import FileOptions

pytestmark = pytest.mark.usefixtures("scene", "extension")


def test_a_scene_is_written_as_the_name_says_or_the_kind(tmp_path: Path) -> None:
    import_robot(ROOT / "sample_urdfs/two_link_arm.urdf")
    bpy.ops.mesh.primitive_cube_add(location=(1.0, 0.0, 0.0))
    path = tmp_path / "lab.xml"
    assert bpy.ops.export_scene.robot_world(filepath=str(path)) == {"FINISHED"}
    assert mujoco.MjModel.from_xml_path(str(path)).body("Cube").pos.tolist() == [1.0, 0.0, 0.0]
    done = bpy.ops.export_scene.robot_world(filepath=str(tmp_path / "other"), kind="WEBOTS")
    assert done == {"FINISHED"} and (tmp_path / "other.wbt").is_file()


def test_a_scene_with_nothing_in_it_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="neither robots nor objects"):
        bpy.ops.export_scene.robot_world(filepath=str(tmp_path / "lab.sdf"))


@pytest.mark.parametrize(
    ("name", "given", "options"),
    [
        ("lab.sdf", {"sdf": {"fixed_joints": "lump"}}, SdfOptions(fixed_joints="lump")),
        ("lab.world", {"kind": "WEBOTS", "sdf": {"base": "fixed"}}, SdfOptions(base="fixed")),
        ("lab.xml", {"mjcf": {"actuators": "position"}}, MjcfOptions(actuators="position")),
        ("lab.wbt", {"webots": {"time_step": 8.0}}, WebotsOptions(time_step=8.0)),
        ("lab.wbt", {"sdf": {"base": "fixed"}}, WebotsOptions()),
    ],
)
def test_a_world_has_the_options_of_its_format(
    name: str,
    given: dict[str, Any],
    options: FileOptions,
    tmp_path: Path,
    extension: ModuleType,
) -> None:
    if bpy.app.version < (5, 0):
        hold_properties(extension, given)
        return
    import_robot(ROOT / "sample_urdfs/two_link_arm.urdf")
    paths = [tmp_path / folder / name for folder in ("one", "other")]
    for path in paths:
        path.parent.mkdir()
    assert bpy.ops.export_scene.robot_world(filepath=str(paths[0]), **given) == {"FINISHED"}
    export_world(paths[1], options=options)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def hold_properties(extension: ModuleType, given: dict[str, Any]) -> None:
    """Holds the properties that the file browser shows to options of their formats: before Blender
    5 scripts cannot give these to the operator."""
    read = import_module(f"{extension.__name__}.operators.option_properties").read_options
    operator = bpy.ops.export_scene.robot_world
    last = bpy.context.window_manager.operator_properties_last(operator.idname_py())
    for each in writer_formats():
        for name, value in given.get(each.name, {}).items():
            setattr(getattr(last, each.name), name, value)
            assert getattr(read(getattr(last, each.name), each.options), name) == value
