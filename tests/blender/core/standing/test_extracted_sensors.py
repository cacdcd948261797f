# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors, physics and controls of a robot that is extracted from a .blend."""

from pathlib import Path

import bpy
import pytest

from support.webots.webots_robots import BOX, joint, link
from urdf_importer import (
    Diagnostics,
    Robot,
    export_robot,
    extract_robot,
    find_robots,
    import_robot,
    save_blend,
)
from urdf_importer.core.model import CameraSensor, ForceSensor, Imu, Lidar
from urdf_importer_morse import suggest_sensors

pytestmark = pytest.mark.usefixtures("scene")

PARTS = (
    link("body", inside=f"<collision>{BOX}</collision>"),
    link("head", inside=f'<visual>{BOX}</visual><sensor type="imu" name="feel"/>'),
    link("hand", inside=f"<collision>{BOX}</collision>"),
    joint("neck", "continuous", "body", "head", xyz="0 0 1"),
    joint("wrist", "fixed", "head", "hand"),
    '<gazebo reference="head"><material>Gazebo/Red</material><mu1>0.4</mu1><kp>1</kp>'
    '<sensor type="camera" name="eye"><pose>0.1 0 0 0 0.2 0</pose>'
    "<camera><noise><stddev>0.01</stddev></noise></camera></sensor></gazebo>",
    '<gazebo reference="body"><sensor type="gpu_ray" name="scan"><ray><scan><horizontal>'
    "<samples>9</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan>"
    "</ray><topic>scan</topic></sensor></gazebo>",
    '<gazebo reference="wrist"><sensor type="force_torque" name="push"/></gazebo>',
    '<ros2_control><joint name="neck"><command_interface name="velocity"/></joint></ros2_control>',
)


def reopen(armature: object, folder: Path) -> Robot:
    save_blend(folder / "robot.blend")
    bpy.ops.wm.open_mainfile(filepath=str(folder / "robot.blend"))
    (again,) = find_robots().values()
    return extract_robot(again)


def test_a_reopened_robot_has_the_same_sensors(tmp_path: Path) -> None:
    source = tmp_path / "robot.urdf"
    source.write_text(f'<robot name="r">{"".join(PARTS)}</robot>', "utf-8")
    result = import_robot(source)
    described = result.robot
    assert {type(each) for each in described.sensors} == {CameraSensor, ForceSensor, Imu, Lidar}
    source.unlink()
    found = reopen(result.armature, tmp_path)
    assert found == described
    assert found.sensors == described.sensors
    assert found.settings == described.settings and found.settings[0].material is not None
    assert found.controls == described.controls
    told, shown = (suggest_sensors(robot, Diagnostics()) for robot in (described, found))
    assert [(each.name, each.properties) for each in shown] == [
        (each.name, each.properties) for each in told
    ]


def test_a_rig_is_written_with_its_sensors(tmp_path: Path) -> None:
    source = tmp_path / "robot.urdf"
    source.write_text(f'<robot name="r">{"".join(PARTS)}</robot>', "utf-8")
    result = import_robot(source)
    texts = []
    for robot, name in ((result.robot, "told"), (result.armature, "shown")):
        diagnostics = Diagnostics()
        written = export_robot(robot, f"{tmp_path / name}/", options=None, diagnostics=diagnostics)
        (proto,) = (file for file in written.files if file.suffix == ".proto")
        (control,) = (file for file in written.files if file.name == "ros2_control.yml")
        nodes = [
            line.strip()
            for line in proto.read_text("utf-8").splitlines()
            if any(word in line for word in ("Camera {", "Lidar {", "TouchSensor {", "friction"))
        ]
        texts.append((nodes, control.read_text("utf-8"), [item.code for item in diagnostics]))
    told, shown = texts
    assert told == shown and len(told[0]) >= 4 and "velocity_controller" in told[1]
