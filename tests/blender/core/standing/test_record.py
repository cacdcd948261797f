# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig says how it came to be, also after it was saved and opened again."""

from pathlib import Path

import bpy
import pytest

from support.blender.rigs import new_scene
from support.paths import ROOT
from urdf_importer import BuildError, ImportOptions, import_robot, save_blend
from urdf_importer.core.blender.standing.record import find_record

SAMPLES = ROOT / "sample_urdfs"
OPTIONS = ImportOptions(
    combine_joints=False,
    smooth_angle=12.5,
    packages=(("parts", "/nowhere"),),
    package_paths=("/elsewhere", "/here"),
)

pytestmark = pytest.mark.usefixtures("scene")


@pytest.mark.parametrize("options", [ImportOptions(), OPTIONS], ids=["default", "chosen"])
@pytest.mark.parametrize("name", ["messy", "two_link_arm"])
def test_the_record_survives_saving(name: str, options: ImportOptions, tmp_path: Path) -> None:
    result = import_robot(SAMPLES / f"{name}.urdf", options=options)
    save_blend(tmp_path / "robot.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "robot.blend"))
    record = find_record(bpy.data.objects[result.robot.name])
    assert record.path == str(SAMPLES / f"{name}.urdf")
    assert record.options == options
    assert record.diagnostics == result.diagnostics
    assert bool(record.diagnostics) == (name == "messy")


def test_the_path_is_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES)
    result = import_robot("drone.urdf")
    assert find_record(result.armature).path == str(SAMPLES / "drone.urdf")


def test_options_of_a_later_version_are_left_out() -> None:
    armature = import_robot(SAMPLES / "drone.urdf").armature
    kept = armature["urdf_import"].to_dict()
    armature["urdf_import"] = kept | {"options": '{"visuals": false, "paint": "green"}'}
    assert find_record(armature).options == ImportOptions(visuals=False)


def test_other_objects_have_no_record() -> None:
    new_scene()
    with pytest.raises(BuildError, match="'Thing' has no record of its import"):
        find_record(bpy.data.objects.new("Thing", None))
