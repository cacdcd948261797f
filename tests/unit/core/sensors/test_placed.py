# SPDX-License-Identifier: GPL-3.0-or-later
"""Where sensors are, and what their frames are called."""

import numpy as np
import pytest

from urdf_importer import Diagnostics, read_robot
from urdf_importer.core.sensors.placed import place_sensors

CAMERA = (
    "<camera><horizontal_fov>1</horizontal_fov>"
    "<image><width>64</width><height>48</height></image></camera>"
)
LINKS = """<link name="base"/><link name="eye"/><link name="eye_optical"/>
<joint name="a" type="fixed"><parent link="base"/><child link="eye"/><origin xyz="0 0 1"/></joint>
<joint name="b" type="fixed"><parent link="eye"/><child link="eye_optical"/>
<origin rpy="-1.5707963267948966 0 -1.5707963267948966"/></joint>"""


def place(tmp_path, body, diagnostics=None):
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r">{LINKS}{body}</robot>')
    return place_sensors(read_robot(path), Diagnostics() if diagnostics is None else diagnostics)


def sensor(kind, inside="", *, link="eye", name="seen"):
    return (
        f'<gazebo reference="{link}"><sensor name="{name}" type="{kind}">{inside}</sensor></gazebo>'
    )


def test_a_camera_looks_from_the_optical_link(tmp_path):
    (found,) = place(tmp_path, sensor("camera", CAMERA))
    assert (found.frame_id, found.has_own_frame) == ("eye_optical", False)
    assert found.frame[:3, 2] == pytest.approx([1.0, 0.0, 0.0])
    assert (found.kind, found.link, found.width, found.height) == ("camera", "eye", 64, 48)


def test_a_lidar_of_a_link_has_its_frame(tmp_path):
    (found,) = place(tmp_path, sensor("ray", "<ray/>"))
    assert (found.frame_id, found.has_own_frame) == ("eye", False)
    assert np.array_equal(found.frame, np.eye(4))
    assert found.K is None


def test_a_pose_of_its_own_makes_a_frame_of_its_own(tmp_path):
    inside = "<pose>0.1 0 0 0 0 0</pose>"
    lidar, camera = place(
        tmp_path,
        sensor("ray", f"{inside}<frame_name>base</frame_name><ray/>", name="base")
        + sensor("camera", inside + CAMERA),
    )
    assert (lidar.frame_id, lidar.has_own_frame) == ("base_sensor", True)
    assert (camera.frame_id, camera.has_own_frame) == ("seen_optical_frame", True)


def test_cameras_of_one_sensor_are_one_each(tmp_path):
    inside = "".join(CAMERA.replace("<camera>", f'<camera name="{n}">') for n in ("l", "r"))
    found = place(tmp_path, sensor("multicamera", inside))
    assert [(each.name, each.kind) for each in found] == [
        ("seen_l", "camera"),
        ("seen_r", "camera"),
    ]


def test_names_are_given_once(tmp_path):
    found = place(tmp_path, sensor("imu") + sensor("imu", link="base"))
    assert [(each.name, each.link) for each in found] == [("seen", "eye"), ("seen_2", "base")]


def test_sensors_that_cannot_be_are_reported(tmp_path):
    large = CAMERA.replace("64", "16384").replace("48", "16384")
    diagnostics = Diagnostics()
    body = sensor("imu", link="nowhere") + sensor("camera", large)
    assert place(tmp_path, body, diagnostics) == ()
    messages = [each.message for each in diagnostics if each.code == "sensor-not-placed"]
    assert [("not a link" in each, "too large" in each) for each in messages] == [
        (True, False),
        (False, True),
    ]
