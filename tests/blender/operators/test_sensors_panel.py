# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors in the sidebar: listed, added, looked through, measured, recorded."""

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mcap.reader import make_reader

from support.blender.sidebars import activate
from urdf_importer import (
    ImportOptions,
    RecordOptions,
    extract_robot,
    find_sensors,
    import_robot,
    sense,
)

pytestmark = pytest.mark.usefixtures("extension", "scene")

ROBOT = """<robot name="r"><link name="base"/><link name="head"/>
<joint name="neck" type="revolute"><parent link="base"/><child link="head"/><origin xyz="0 0 0.5"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<gazebo reference="head">
<sensor name="eye" type="rgbd"><update_rate>4</update_rate><camera><horizontal_fov>1.2
</horizontal_fov><image><width>16</width><height>12</height></image><clip><near>0.1</near>
<far>20</far></clip><lens><intrinsics><fx>14</fx><fy>10</fy><cx>7</cx><cy>6</cy></intrinsics></lens>
</camera></sensor>
<sensor name="scan" type="ray"><ray><scan><horizontal><samples>31</samples>
<min_angle>-0.4</min_angle><max_angle>0.4</max_angle></horizontal></scan><range><min>0.2</min>
<max>8</max></range></ray></sensor>
<sensor name="imu" type="imu"/><sensor name="touch" type="contact"/></gazebo></robot>"""


@pytest.fixture
def robot(tmp_path: Path) -> Any:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    armature = import_robot(path, options=ImportOptions(sensors=True)).armature
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(2.5, 0.0, 0.5), scale=(1.0, 9.0, 9.0))
    activate(armature)
    bpy.context.view_layer.update()
    return armature


def state_of(scene: Any) -> tuple[Any, ...]:
    render = scene.render
    size = (render.resolution_x, render.resolution_y, render.resolution_percentage)
    return scene.camera, *size, render.pixel_aspect_x, render.pixel_aspect_y, render.use_border


def test_sensors_are_added_once_and_keep_what_is_posed(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    armature = import_robot(path).armature
    activate(armature)
    before = extract_robot(armature)
    with pytest.raises(RuntimeError, match="add the sensors first"):
        bpy.ops.urdf.look_through_sensor(sensor="eye")
    assert bpy.ops.urdf.add_sensors() == {"FINISHED"}
    assert [each.object for each in find_sensors(armature)] == ["eye", "scan", "imu", "touch"]
    assert extract_robot(armature) == before
    assert bpy.ops.urdf.add_sensors() == {"FINISHED"}
    assert sum(item.type == "CAMERA" for item in bpy.data.objects) == 1


def test_a_second_look_gives_all_back(robot: Any) -> None:
    scene = bpy.context.scene
    own = bpy.data.objects.new("own", bpy.data.cameras.new("own"))
    scene.collection.objects.link(own)
    scene.camera, scene.render.resolution_percentage, scene.render.use_border = own, 50, True
    before = state_of(scene)
    assert bpy.ops.urdf.look_through_sensor(sensor="eye") == {"FINISHED"}
    camera, *rest = state_of(scene)
    assert camera.name == "eye"
    assert rest == [16, 12, 100, 1.0, pytest.approx(1.4), False]
    assert bpy.ops.urdf.look_through_sensor(sensor="eye") == {"FINISHED"}
    assert state_of(scene) == before
    bpy.ops.urdf.look_through_sensor(sensor="eye")
    bpy.data.objects.remove(own)
    bpy.ops.urdf.look_through_sensor()
    assert scene.camera is None and len(scene.keys()) == 0
    with pytest.raises(RuntimeError, match="takes no plane pictures"):
        bpy.ops.urdf.look_through_sensor(sensor="scan")
    with pytest.raises(RuntimeError, match="no sensor 'nose'"):
        bpy.ops.urdf.look_through_sensor(sensor="nose")


def test_what_is_measured_is_shown_and_removed(robot: Any) -> None:
    objects, images = set(bpy.data.objects), set(bpy.data.images)
    wanted = sense(robot, "scan")
    with pytest.raises(RuntimeError, match="No sensor of this robot"):
        bpy.ops.urdf.remove_readings()
    for _ in range(2):
        assert bpy.ops.urdf.sense(sensor="scan") == {"FINISHED"}
    (points,) = set(bpy.data.objects) - objects
    placed = [points.matrix_world @ vertex.co for vertex in points.data.vertices]
    assert len(placed) == 31 and np.allclose([each.x for each in placed], 2.0, atol=1e-5)
    assert points.hide_render and np.array_equal(sense(robot, "scan").ranges, wanted.ranges)
    assert bpy.ops.urdf.sense(sensor="eye", samples=1) == {"FINISHED"}
    made = {image.name: image for image in set(bpy.data.images) - images}
    assert set(made) == {"r eye", "r eye depth"}
    depth = np.array(made["r eye depth"].pixels[:]).reshape(12, 16, 4)[::-1, :, 0]
    assert np.allclose(depth, sense(robot, "eye").depth)
    assert bpy.ops.urdf.sense(sensor="imu") == {"FINISHED"}
    assert bpy.ops.urdf.remove_readings() == {"FINISHED"}
    assert set(bpy.data.objects) == objects and set(bpy.data.images) == images
    assert "Sensor Readings" not in bpy.data.collections
    with pytest.raises(RuntimeError, match="measures nothing in Blender"):
        bpy.ops.urdf.sense(sensor="touch")


def test_points_of_a_large_robot_lie_where_it_sees_them(robot: Any) -> None:
    robot.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    bpy.ops.urdf.sense(sensor="scan")
    points = bpy.data.objects["r scan"]
    placed = [points.matrix_world @ vertex.co for vertex in points.data.vertices]
    assert placed and np.allclose([each.x for each in placed], 2.0, atol=1e-5)


def test_objects_of_each_kind_are_hidden_and_shown(robot: Any) -> None:
    for what, name in (("CAMERAS", "eye"), ("FANS", "scan"), ("FRAMES", "imu")):
        for on in (False, True):
            assert bpy.ops.urdf.switch_sensors(what=what, on=on) == {"FINISHED"}
            assert bpy.data.objects[name].hide_viewport != on


def test_a_recording_from_the_panel(robot: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    done = bpy.ops.urdf.record_sensors(filepath=str(path), sensors="scan;imu", end_frame="3")
    assert done == {"FINISHED"}
    with path.open("rb") as file:
        topics = {channel.topic for _, channel, _ in make_reader(file).iter_messages()}
    assert {"/scan", "/imu", "/tf", "/odom"} <= topics
    with pytest.raises(RuntimeError, match="no sensor 'nose'"):
        bpy.ops.urdf.record_sensors(filepath=str(tmp_path / "no.mcap"), sensors="nose")
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".mcap"] == ["run.mcap"]


@pytest.mark.parametrize("name", ["run.mcap", "run.bag", "run"])
def test_a_recording_that_is_ended_leaves_nothing(
    extension: ModuleType, robot: Any, tmp_path: Path, name: str
) -> None:
    """As Esc closes its steps."""
    from urdf_importer.features.sensing.record import record_steps

    bpy.context.scene.frame_set(3)
    options = RecordOptions(sensors=("scan",), start_frame=1, end_frame=50)
    steps = record_steps(robot, tmp_path / name, options=options)
    before = set(tmp_path.iterdir())
    shares = [next(steps).share for _ in range(20)]
    assert shares == sorted(shares) and shares[-1] < 1.0
    assert set(tmp_path.iterdir()) > before
    steps.close()
    assert set(tmp_path.iterdir()) == before
    assert bpy.context.scene.frame_current == 3


def test_the_list_is_of_the_robot(extension: ModuleType, robot: Any) -> None:
    panel, manager = extension.operators.sensing.panel, bpy.context.window_manager
    found = panel._read(robot)
    assert [each.name for each in found] == ["eye", "scan", "imu", "touch"]
    for _ in range(6):  # Another window's robot has six.
        manager.urdf_sensors.add()
    rows = panel.SensorList.name_rows(None, bpy.context, manager)
    assert rows == ["eye", "scan", "imu", "touch", None, None]
    assert manager.urdf_shown_sensor == -1
    for place in (1, 3):
        activate(robot)
        manager.urdf_shown_sensor = place
        assert bpy.context.object["urdf_link"]["name"] == "head"
        assert manager.urdf_shown_sensor == place
    activate(robot)
    assert manager.urdf_shown_sensor == -1
    manager.urdf_shown_sensor = 5
    assert bpy.context.object == robot
    assert panel.SensorsPanel.bl_parent_id == "VIEW3D_PT_urdf_data"
