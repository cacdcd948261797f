# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors as objects of the scene."""

import numpy as np
import pytest

import urdf_importer
from support.blender.rigs import new_scene
from urdf_importer import ImportOptions, UrdfOptions, find_sensors, import_robot
from urdf_importer.core.sensors.intrinsics import BLENDER_FROM_OPTICAL

ROBOT = """<robot name="r"><link name="base"/>
<link name="head"/><joint name="neck" type="revolute"><parent link="base"/><child link="head"/>
<origin xyz="0.1 0 {height}"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/>
</joint><gazebo reference="head">
<sensor name="eye" type="camera"><pose>0.02 0 0 0 0.3 0</pose>
<camera><horizontal_fov>{angle}</horizontal_fov><image><width>64</width><height>48</height></image>
<clip><near>0.05</near><far>20</far></clip></camera></sensor>
<sensor name="scan" type="ray"><ray><scan><horizontal><samples>9</samples><min_angle>-1</min_angle>
<max_angle>1</max_angle></horizontal></scan><range><min>0.1</min><max>5</max></range></ray></sensor>
<sensor name="tilt" type="{tilt}"/>
</gazebo></robot>"""


def write(tmp_path, **given):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT.format(**{"height": 1, "angle": 1.0, "tilt": "imu"} | given))
    return path


def load(tmp_path, **given):
    new_scene()
    return import_robot(write(tmp_path, **given), options=ImportOptions(sensors=True))


def world(name):
    import bpy

    bpy.context.view_layer.update()
    return np.array(bpy.data.objects[name].matrix_world)


def test_sensors_are_objects_in_their_frames(tmp_path):
    import bpy

    result = load(tmp_path)
    found = {each.name: each for each in find_sensors(result)}
    kinds = {name: bpy.data.objects[each.object].type for name, each in found.items()}
    assert kinds == {"eye": "CAMERA", "scan": "MESH", "tilt": "EMPTY"}
    assert set(bpy.data.collections["r sensors"].objects) == {
        bpy.data.objects[each.object] for each in found.values()
    }
    urdf_importer.set_joint_positions(result.armature, {"neck": 0.7})
    for each in found.values():
        link = world("head") @ each.frame
        wanted = link @ BLENDER_FROM_OPTICAL if each.camera else link
        assert np.allclose(world(each.object), wanted, atol=1e-6)
    assert bpy.data.objects["scan"].hide_render


def test_a_camera_has_the_described_lens(tmp_path):
    import bpy

    load(tmp_path)
    data = bpy.data.objects["eye"].data
    assert data.angle_x == pytest.approx(1.0)
    assert (data.shift_x, data.shift_y) == (0.0, 0.0)
    assert (data.clip_start, data.clip_end) == pytest.approx((0.05, 20.0))


def test_an_update_keeps_sensors_true(tmp_path):
    import bpy

    result = load(tmp_path)
    bpy.data.objects["eye"].data.dof.use_dof = True
    eye = bpy.data.objects["eye"]
    write(tmp_path, height=2, angle=0.5, tilt="camera")
    urdf_importer.update_robot(result)
    assert bpy.data.objects["eye"] == eye
    assert eye.data.angle_x == pytest.approx(0.5)
    assert eye.data.dof.use_dof
    assert world("eye")[2, 3] == pytest.approx(2.0)
    assert bpy.data.objects["tilt"].type == "CAMERA"
    assert {each.object for each in find_sensors(result)} == {"eye", "scan", "tilt"}
    assert [each.name for each in bpy.data.cameras] == ["eye", "tilt"]


def test_an_update_without_sensors_takes_them_away(tmp_path):
    import bpy

    result = load(tmp_path)
    urdf_importer.update_robot(result, options=ImportOptions())
    assert {each.object for each in find_sensors(result)} == {""}
    assert "r sensors" not in bpy.data.collections
    assert not bpy.data.cameras


def test_exports_write_a_sensor_once(tmp_path):
    result = load(tmp_path)
    out = tmp_path / "out.urdf"
    urdf_importer.export_robot(result.armature, out, options=UrdfOptions())
    text = out.read_text()
    assert text.count("<sensor ") == 3
    assert "<visual" not in text


def test_a_failed_import_leaves_no_sensors(tmp_path):
    import bpy

    new_scene()
    steps = urdf_importer.import_steps(write(tmp_path), options=ImportOptions(sensors=True))
    for progress in steps:
        if progress.share == 1.0:
            break
    steps.close()
    assert not bpy.data.cameras
    assert not bpy.data.objects
