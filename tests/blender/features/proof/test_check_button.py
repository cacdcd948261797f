# SPDX-License-Identifier: GPL-3.0-or-later
"""Check Robot and Prove File: findings are in the import report and select their part."""

from pathlib import Path
from typing import Any

import bpy
import pytest

from urdf_importer import check_robot, export_robot, import_robot, prove_export
from urdf_importer.core.blender.standing.record import find_record

HEAVY = (
    '<robot name="heavy"><link name="base"/>\n<link name="arm"><inertial><mass value="4000"/>\n'
    '<inertia ixx="60" iyy="60" izz="60" ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry>'
    '<box size="0.5 0.5 0.5"/></geometry></visual></link>\n'
    '<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>'
    '<limit lower="-90" upper="90" effort="1" velocity="1"/></joint></robot>'
)


@pytest.fixture
def heavy(tmp_path: Path) -> Any:
    path = tmp_path / "heavy.urdf"
    path.write_text(HEAVY)
    return import_robot(path).armature


def codes_of(armature: Any) -> list[tuple[str, str]]:
    return [(item.code, item.subject) for item in find_record(armature).diagnostics]


def test_findings_are_in_the_report_and_select_their_part(extension: Any, tmp_path: Path) -> None:
    path = tmp_path / "heavy.urdf"
    path.write_text(HEAVY)
    bpy.ops.import_scene.urdf(filepath=str(path))
    armature = bpy.context.object
    assert bpy.ops.urdf.check_robot() == {"FINISHED"}
    found = codes_of(armature)
    assert sorted(found) == [("density-unlikely", "arm"), ("limit-in-degrees", "turn")]
    place = {subject: index for index, (_, subject) in enumerate(found)}
    assert bpy.ops.urdf.select_subject(index=place["arm"]) == {"FINISHED"}
    assert bpy.context.object.name == "arm"
    assert bpy.ops.urdf.select_subject(index=place["turn"]) == {"FINISHED"}
    assert bpy.context.mode == "POSE" and bpy.context.active_pose_bone.name == "turn"
    # A second check takes the place of the first.
    assert bpy.ops.urdf.check_robot() == {"FINISHED"}
    assert codes_of(armature) == found


def test_a_proof_opens_as_a_text(extension: Any, tmp_path: Path) -> None:
    path, out = tmp_path / "heavy.urdf", tmp_path / "out.sdf"
    path.write_text(HEAVY)
    bpy.ops.import_scene.urdf(filepath=str(path))
    export_robot(bpy.context.object, out)
    assert bpy.ops.urdf.prove_file(filepath=str(out)) == {"FINISHED"}
    text = bpy.data.texts["heavy proof report"].as_string()
    assert text.startswith("heavy in out.sdf: holds")


def test_an_armature_is_checked_as_shown(heavy: Any) -> None:
    assert {item.code for item in check_robot(heavy)} == {"density-unlikely", "limit-in-degrees"}


def test_an_export_of_an_armature_is_proven(heavy: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.urdf"
    export_robot(heavy, out)
    assert prove_export(heavy, out).holds
    out.write_text(out.read_text().replace('value="4000"', 'value="4040"'))
    assert not prove_export(heavy, out).holds


def test_the_frames_of_a_glb_are_read(heavy: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.glb"
    export_robot(heavy, out)
    proof = prove_export(heavy, out)
    assert "gltf" in proof.readers or any(row.text for row in proof.rows)
