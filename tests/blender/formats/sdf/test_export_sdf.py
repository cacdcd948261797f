# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig as SDF: the text that was read, with the changes made in Blender, at the armature's
place."""

from pathlib import Path

import bpy
import numpy as np
import pytest

import urdf_importer
from support.paths import ROOT
from urdf_importer import Diagnostics, SdfOptions, read_robot

GATE = ROOT / "sample_urdfs/gate.sdf"
LEG = ROOT / "sample_urdfs/quadruped_leg.urdf"

pytestmark = pytest.mark.usefixtures("scene")


def write(armature: bpy.types.Object, path: Path, **options: str) -> str:
    chosen = SdfOptions(**{"meshes": "keep", **options})  # type: ignore[arg-type]
    diagnostics = Diagnostics()
    urdf_importer.export_robot(armature, path, options=chosen, diagnostics=diagnostics)
    assert not list(diagnostics)
    return path.read_text()


def test_a_blend_alone_gives_the_file_back(tmp_path: Path) -> None:
    source = tmp_path / "gate.sdf"
    source.write_bytes(GATE.read_bytes())
    urdf_importer.import_robot(source)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "gate.blend"))
    source.unlink()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "gate.blend"))
    armature = next(iter(urdf_importer.find_robots().values()))
    text = GATE.read_text()
    assert write(armature, tmp_path / "out.sdf") == text
    link = next(each for each in bpy.data.objects if each.name.startswith("post"))
    link["urdf_mass"] = 12.5
    assert write(armature, tmp_path / "out.sdf") == text.replace("<mass>20<", "<mass>12.5<")


def test_the_place_of_the_armature_is_the_pose_of_the_model(tmp_path: Path) -> None:
    armature = urdf_importer.import_robot(GATE).armature
    armature.location = (1.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    text = write(armature, tmp_path / "out.sdf")
    assert text == GATE.read_text().replace(
        "<pose>1 0 0 0 0 0</pose>", "<pose>1 2 0.5 0 0 0</pose>"
    )


def test_a_rig_from_urdf_is_its_description(tmp_path: Path) -> None:
    armature = urdf_importer.import_robot(LEG).armature
    write(armature, tmp_path / "leg.sdf", meshes="copy")
    again = read_robot(tmp_path / "leg.sdf")
    one = urdf_importer.forward_kinematics(read_robot(LEG), {"hip_yaw": 0.3})
    other = urdf_importer.forward_kinematics(again, {"hip_yaw": 0.3})
    assert all(np.abs(one[name] - other[name]).max() < 1e-12 for name in one)
    assert (tmp_path / "meshes/visual/trunk.stl").is_file()
