# SPDX-License-Identifier: GPL-3.0-or-later
"""IMUs of known motions, and rangefinders beside MuJoCo's own."""

import bpy
import mujoco
import numpy as np
import pytest

import urdf_importer
from support.blender.rigs import new_scene
from urdf_importer import ImportOptions, import_robot, sense

ROBOT = """<robot name="r"><link name="base"/><link name="arm"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
</joint><gazebo reference="arm"><sensor name="imu" type="imu">
<pose>0.6 0 0.1 0 0 1.5707963267948966</pose></sensor></gazebo></robot>"""
SPEED = 2.0
MODEL = """<mujoco model="m"><worldbody><body name="base"><geom type="box" size="0.1 0.1 0.02"/>
<geom type="box" pos="2.3 0.4 0" euler="10 5 20" size="0.2 2 2"/>
<body name="arm" pos="0 0 0.3"><joint name="j" axis="0 0 1"/><geom size="0.05" mass="1"/>
<site name="ahead" pos="0.1 0 0" euler="0 90 0"/>
<site name="aslant" pos="0.1 0 0.1" euler="10 70 0"/>
<site name="away" pos="-0.1 0 0" euler="0 -90 0"/></body></body></worldbody><sensor>
<rangefinder name="a" site="ahead"/><rangefinder name="b" site="aslant"/>
<rangefinder name="c" site="away" cutoff="9"/></sensor></mujoco>"""


@pytest.fixture
def robot(tmp_path):
    new_scene()
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return import_robot(path, options=ImportOptions(sensors=True)).armature


def test_an_imu_off_the_axis_feels_the_turn(robot):
    """Centripetal acceleration points to the axis: along y of a sensor that is turned by 90
    degrees."""
    scene = bpy.context.scene
    times = np.arange(13) / scene.render.fps
    turn = urdf_importer.Trajectory(names=("turn",), times=times, positions=SPEED * times[:, None])
    urdf_importer.apply_trajectory(robot, turn)
    scene.frame_set(scene.frame_start + 6)
    reading = sense(robot, "imu")
    wanted = [0.0, SPEED**2 * 0.6, 9.81]
    assert reading.acceleration == pytest.approx(wanted, abs=5e-3)
    assert reading.angular_velocity == pytest.approx([0.0, 0.0, SPEED], abs=1e-4)


def test_an_imu_that_falls_feels_nothing(robot):
    """Blender's quadratic easing is a parabola: a second of free fall."""
    scene = bpy.context.scene
    for frame, height in ((0, 10.0), (scene.render.fps, 10.0 - 9.81 / 2.0)):
        robot.location.z = height
        robot.keyframe_insert("location", index=2, frame=frame)
    action = robot.animation_data.action
    if hasattr(action, "fcurves"):
        curves = action.fcurves
    else:
        curves = action.layers[0].strips[0].channelbags[0].fcurves
    for curve in curves:
        for key in curve.keyframe_points:
            key.interpolation, key.easing = "QUAD", "EASE_IN"
    scene.frame_set(12)
    reading = sense(robot, "imu")
    # Single precision of places ten metres up, by the square of a fiftieth of a second.
    assert reading.acceleration == pytest.approx([0.0, 0.0, 0.0], abs=2e-2)
    assert reading.angular_velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("position", [0.0, 0.5])
def test_rangefinders_measure_as_mujocos_do(tmp_path, position):
    new_scene()
    path = tmp_path / "model.xml"
    path.write_text(MODEL)
    armature = import_robot(path, options=ImportOptions(sensors=True)).armature
    urdf_importer.set_joint_positions(armature, {"j": position})
    bpy.context.view_layer.update()
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.joint("j").qpos[0] = position
    mujoco.mj_forward(model, data)
    for name in "abc":
        theirs = data.sensor(name).data[0]
        found = sense(armature, name).ranges[0, 0]
        if theirs < 0.0:
            assert np.isinf(found), "nothing is hit"
        else:
            assert found == pytest.approx(theirs, abs=1e-3)
    assert data.sensor("a").data[0] > 1.0 and data.sensor("c").data[0] < 0.0
