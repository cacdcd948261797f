# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot Motion in File > Import and Export: what the operators do is what the library does."""

from pathlib import Path

import bpy
import numpy as np
import pytest

import urdf_importer
from support.paths import ROOT

pytestmark = pytest.mark.usefixtures("scene", "extension")

ARM = str(ROOT / "sample_urdfs" / "two_link_arm.urdf")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "wave.csv"
    path.write_text("time,shoulder,elbow\n0,0,0\n0.5,0.25,-0.5\n1,0,0\n")
    return path


def test_a_motion_comes_in_and_goes_out(table, tmp_path):
    bpy.ops.import_scene.urdf(filepath=ARM)
    assert bpy.ops.urdf.import_motion(filepath=str(table), start_frame="11") == {"FINISHED"}
    armature = bpy.context.view_layer.objects.active
    assert armature.animation_data.action.name == "wave"
    scene = bpy.context.scene
    scene.frame_set(23)
    shown = urdf_importer.get_joint_positions(armature)
    assert shown["elbow"] == pytest.approx(-0.5, abs=1e-6)
    scene.frame_start, scene.frame_end = 11, 35
    for suffix in (".json", ".bag"):
        output = tmp_path / f"out{suffix}"
        bpy.ops.export_scene.robot_motion(filepath=str(output), rate=48)
        again = urdf_importer.read_trajectory(output)
        assert again.duration == 1.0 and len(again.times) == 49
        column = again.names.index("elbow")
        assert np.allclose(again.positions[[0, 24, 48], column], [0, -0.5, 0], atol=1e-5)


def test_options_are_those_of_the_library(table):
    bpy.ops.import_scene.urdf(filepath=ARM)
    table.write_text("time,r1_shoulder\n0,90\n1,0\n")
    bpy.ops.urdf.import_motion(
        filepath=str(table), prefix="r1_", degrees=True, keys="frames", action="Turn", speed=2.0
    )
    action = bpy.context.view_layer.objects.active.animation_data.action
    assert action.name == "Turn" and action["urdf_motion"]["keys"] == "frames"
    assert tuple(action.frame_range) == (1, 13)


def test_what_cannot_be_done_is_one_sentence(table):
    with pytest.raises(RuntimeError, match="there is no robot to move"):
        bpy.ops.urdf.import_motion(filepath=str(table))
    bpy.ops.import_scene.urdf(filepath=ARM)
    table.write_text("time,nose\n0,1\n")
    with pytest.raises(RuntimeError, match="no joint of the robot is in the motion"):
        bpy.ops.urdf.import_motion(filepath=str(table))
    with pytest.raises(RuntimeError, match="'soon' in Start Frame is not a number"):
        bpy.ops.urdf.import_motion(filepath=str(table), start_frame="soon")
    with pytest.raises(RuntimeError, match="not as"):
        bpy.ops.export_scene.robot_motion(filepath=str(table.with_suffix(".xyz")))
    assert len(bpy.data.actions) == 0
