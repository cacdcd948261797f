# SPDX-License-Identifier: GPL-3.0-or-later
"""File > Import > USD, a drop, and Update from Source: the doors that other formats have."""

import math
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from support.paths import ROOT
from support.usd_machines import PHYSICS
from urdf_importer import (
    Diagnostics,
    export_robot,
    extract_robot,
    get_joint_positions,
    import_robot,
    read_robot,
)

pytestmark = pytest.mark.usefixtures("extension", "scene")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "arm.usda"
    export_robot(read_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf"), path, options=PHYSICS)
    return path


def the_robot() -> Any:
    (armature,) = (item for item in bpy.data.objects if item.type == "ARMATURE")
    return armature


def total_mass(armature: Any) -> float:
    return sum(each.inertial.mass for each in extract_robot(armature).links if each.inertial)


@pytest.mark.parametrize("operator", ["usd", "urdf"])
def test_the_menu_reads_it(operator: str, path: Path) -> None:
    assert getattr(bpy.ops.import_scene, operator)(filepath=str(path)) == {"FINISHED"}
    assert "shoulder" in the_robot().data.bones


def test_a_drop_reads_it(path: Path, extension: ModuleType) -> None:
    handler = extension.operators.importing.operators.DropUrdf
    assert {".usd", ".usda", ".usdc", ".usdz"} <= set(handler.bl_file_extensions.split(";"))
    dropped = {"directory": str(path.parent), "files": [{"name": path.name}]}
    assert bpy.ops.import_scene.urdf(**dropped) == {"FINISHED"}
    assert "shoulder" in the_robot().data.bones


def test_a_change_of_the_stage_is_updated(path: Path) -> None:
    text = path.read_text()
    armature = import_robot(path).armature
    assert bpy.ops.urdf.update() == {"CANCELLED"}
    changed = text.replace("physics:mass = ", "physics:mass = 1")
    assert changed != text
    path.write_text(changed)
    before = total_mass(armature)
    assert bpy.ops.urdf.update() == {"FINISHED"}
    assert total_mass(the_robot()) > before + 5.0


def test_a_stage_in_a_pose_is_a_rig_in_that_pose() -> None:
    diagnostics = Diagnostics()
    path = ROOT / "tests" / "data" / "usd" / "hinge_in_a_pose.usda"
    result = import_robot(path, diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["usd-posed"]
    assert get_joint_positions(result.armature) == pytest.approx({"hinge": math.radians(30.0)})
    assert result.links["limb"].matrix_world.to_euler().x == pytest.approx(math.radians(30.0))


def test_a_spoilt_stage_is_one_sentence(path: Path, extension: ModuleType) -> None:
    path.write_text("#usda 1.0\ndef Xform {")
    with pytest.raises(RuntimeError, match=r"arm\.usda"):
        bpy.ops.import_scene.usd(filepath=str(path))
    assert not bpy.data.objects


def test_a_variant_is_chosen_and_kept(path: Path) -> None:
    """The stage shows no robot unless asked to."""
    stage = path.with_name("stage.usda")
    stage.write_text(
        '#usda 1.0\n(\n metersPerUnit = 1\n upAxis = "Z"\n)\ndef Xform "lab" (\n'
        ' prepend variantSets = "robot"\n)\n{\nvariantSet "robot" = {\n"none" {}\n'
        f'"arm" (prepend references = @./{path.name}@) {{}}\n}}\n}}\n'
    )
    with pytest.raises(RuntimeError, match="no rigid bodies"):
        bpy.ops.import_scene.usd(filepath=str(stage))
    chosen = {"filepath": str(stage), "variants": "robot:=arm"}
    assert bpy.ops.import_scene.usd(**chosen) == {"FINISHED"}
    armature = the_robot()
    mass = total_mass(armature)
    path.write_text(path.read_text().replace("physics:mass = ", "physics:mass = 1"))
    assert bpy.ops.urdf.update() == {"FINISHED"}
    assert total_mass(armature) > mass + 1.0
