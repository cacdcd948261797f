# SPDX-License-Identifier: GPL-3.0-or-later
"""Check Robot and Prove File: findings are in the import report and select their part."""

import base64
import re
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.rig_exports import find_exporter
from support.lint_cases import CASES, Arm, write_meshes
from urdf_importer import (
    FileOptions,
    check_robot,
    export_robot,
    import_robot,
    prove_export,
    read_robot,
    set_joint_positions,
    writer_formats,
)
from urdf_importer.cli import main
from urdf_importer.core.blender.standing.record import find_record
from urdf_importer.features.proof.blender.pictures import picture_both

pytestmark = pytest.mark.usefixtures("scene")

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


def test_masses_and_frames_of_a_glb_are_read_from_its_tree(heavy: Any, tmp_path: Path) -> None:
    out = tmp_path / "out.glb"
    export_robot(heavy, out)
    proof = prove_export(heavy, out)
    compared = {row.what for row in proof.rows if row.reader == "gltf" and row.outcome == "equal"}
    assert proof.holds and {"link", "frame", "mass", "centre", "inertia", "range"} <= compared
    content = out.read_bytes()
    out.write_bytes(content.replace(b'"mass":4000', b'"mass":4040'))
    assert not prove_export(heavy, out).holds


@pytest.mark.parametrize("name", [each.name for each in writer_formats()])
def test_every_export_can_be_proven(name: str, extension: Any, tmp_path: Path) -> None:
    path = tmp_path / "heavy.urdf"
    path.write_text(HEAVY)
    bpy.ops.import_scene.urdf(filepath=str(path))
    format = find_exporter(extension, name).format
    operator = getattr(bpy.ops.export_scene, format.operator or name)
    target = str(tmp_path / f"out{format.kinds[0].suffix}")
    assert operator(filepath=target) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="before")
    assert "heavy proof report" not in bpy.data.texts
    given = {"prove": True} | ({"engine": "isaac", "kind": "USDA"} if name == "engines" else {})
    assert operator(filepath=target, **given) == {"FINISHED"}
    page = bpy.data.texts["heavy proof report"].as_string()
    is_read = name in ("urdf", "sdf", "mjcf", "engines", "ros2")
    assert page.splitlines()[0] == f"heavy in {Path(target).name}: " + (
        "holds" if is_read else "not proven"
    )
    assert is_read or "nothing here reads" in page
    bpy.ops.ed.undo()
    assert "heavy proof report" not in bpy.data.texts
    bpy.ops.ed.redo()
    assert bpy.data.texts["heavy proof report"].as_string() == page


ELSE = ("target-", "name-", "base-", "collision-heavy")
"""In Blender no target is asked for, and the bound of triangles stays."""
SHOWN = [row for row in CASES if not row[0].startswith(ELSE)]


@pytest.mark.parametrize(
    ("code", "part", "arm"),
    [row[:3] for row in SHOWN],
    ids=[f"{n}-{r[0]}" for n, r in enumerate(SHOWN)],
)
def test_every_finding_selects_its_part_and_undo_takes_it_back(
    code: str, part: str, arm: Arm, extension: Any, tmp_path: Path
) -> None:
    path = arm.write(write_meshes(tmp_path))
    bpy.ops.import_scene.urdf(filepath=str(path))
    assert bpy.ops.urdf.check_robot(notes=True) == {"FINISHED"}
    found = codes_of(bpy.context.object)
    robot = bpy.context.object.name
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.urdf.select_subject(index=found.index((code, part))) == {"FINISHED"}
    bone = bpy.context.active_pose_bone if bpy.context.mode == "POSE" else None
    shown = bone.name if bone is not None else bpy.context.object.name
    assert shown == part
    bpy.ops.ed.undo_push(message="shown")
    bpy.ops.ed.undo()
    assert bpy.context.mode == "OBJECT" and bpy.context.object.name == robot
    assert codes_of(bpy.context.object) == found


def pictures_of(page: Path) -> list[str]:
    return re.findall(r'<img alt="" src="data:image/png;base64,([^"]+)"', page.read_text())


def pixels_of(png: bytes, folder: Path) -> Any:
    path = folder / "picture.png"
    path.write_bytes(png)
    image = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:])
    bpy.data.images.remove(image)
    assert pixels.shape == (320 * 240 * 4,)
    return pixels


def test_a_page_has_two_pictures_of_one_pose(heavy: Any, tmp_path: Path) -> None:
    out, page = tmp_path / "out.urdf", tmp_path / "page.html"
    export_robot(heavy, out)
    set_joint_positions(heavy, {"turn": 0.7})
    before = [len(getattr(bpy.data, kind)) for kind in ("objects", "scenes", "images", "meshes")]
    one, other = picture_both(heavy, out, FileOptions())
    scene = bpy.context.scene
    at_zero, _ = picture_both(read_robot(out), out, FileOptions())
    assert bpy.context.scene == scene
    after = [len(getattr(bpy.data, kind)) for kind in ("objects", "scenes", "images", "meshes")]
    assert after == before
    shown, read, zero = (pixels_of(each, tmp_path) for each in (one, other, at_zero))
    assert np.abs(shown - read).mean() < 0.1 * np.abs(shown - zero).mean()
    proof = prove_export(heavy, out)
    page.write_text(proof.to_html(pictures=(one, other)))
    assert [base64.b64decode(each) for each in pictures_of(page)] == [one, other]
    assert "<figcaption>out.urdf</figcaption>" in page.read_text()


def test_the_command_draws_what_can_be_imported(tmp_path: Path) -> None:
    path, page = tmp_path / "heavy.urdf", tmp_path / "page.html"
    path.write_text(HEAVY)
    for name, number in (("out.xml", 2), ("out.glb", 0), ("out.proto", 0)):
        main(["export", str(path), "-o", str(tmp_path / name), "--quiet", "--prove", str(page)])
        assert len(pictures_of(page)) == number, name
