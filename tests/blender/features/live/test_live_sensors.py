# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors over a live link: a server of others takes scans, depths and pictures."""

import base64
import json
import time

import bpy
import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

import urdf_importer
from support.foxglove_process import FoxgloveServer
from support.live_server import Standin, until
from urdf_importer import ImportOptions, LiveOptions, sense
from urdf_importer.features.live.blender import live

pytestmark = pytest.mark.usefixtures("scene")

CAMERA = """<camera><horizontal_fov>1.2</horizontal_fov><image><width>16</width><height>12</height>
</image><clip><near>0.1</near><far>20</far></clip></camera>"""
ROBOT = f"""<robot name="r"><link name="base"/><gazebo reference="base">
<sensor name="scan" type="ray"><pose>0 0 0.3 0 0 0</pose><topic>/scan</topic><ray><scan><horizontal>
<samples>31</samples><min_angle>-1.4</min_angle><max_angle>1.4</max_angle></horizontal></scan><range>
<min>0.2</min><max>3</max></range></ray></sensor>
<sensor name="deep" type="depth">{CAMERA}</sensor><sensor name="eye" type="camera">{CAMERA}</sensor>
<sensor name="imu" type="imu"/></gazebo></robot>"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    armature = urdf_importer.import_robot(path, options=ImportOptions(sensors=True)).armature
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(2.5, 0.0, 0.0), scale=(1.0, 2.0, 9.0))
    bpy.context.view_layer.update()
    yield armature
    live.stop_watching()


def test_rosbridge_gets_scans_and_depths_as_json(robot):
    server = Standin()
    try:
        options = LiveOptions(direction="out", send_sensors=True, sensor_rate=100.0)
        link = urdf_importer.connect(robot, url=server.url, options=options)

        def heard():
            return {each["topic"]: each for each in server.heard if each["op"] == "publish"}

        wanted = {"/scan", "/tf", "/deep/depth/image_raw", "/deep/depth/camera_info"}
        until(lambda: wanted <= heard().keys(), server.step, link.poll)
        scan, depth = heard()["/scan"]["msg"], heard()["/deep/depth/image_raw"]["msg"]
        ranges = sense(robot, "scan").ranges[0]
        assert np.isinf(ranges).any() and np.allclose(scan["ranges"], ranges, atol=1e-5)
        assert scan["header"]["frame_id"] == "scan" and scan["header"]["stamp"]["sec"] > 10**9
        pixels = np.frombuffer(base64.b64decode(depth["data"]), "<f4").reshape(12, 16)
        assert np.allclose(np.nan_to_num(pixels), sense(robot, "deep").depth)
        assert depth["encoding"] == "32FC1" and depth["is_bigendian"] in (0, False)
        info = heard()["/deep/depth/camera_info"]["msg"]
        assert len(info["k"]) == 9 and info["header"] == depth["header"]
        frames = [e["msg"]["transforms"][0] for e in server.heard if e.get("topic") == "/tf"
                  if e["op"] == "publish"]  # fmt: skip
        places = {each["child_frame_id"]: each["transform"]["translation"]["z"] for each in frames}
        assert places["scan"] == pytest.approx(0.3)
        kinds = {e["topic"]: e["type"] for e in server.heard if e["op"] == "advertise"}
        assert kinds["/scan"] == "sensor_msgs/LaserScan"
        assert "/eye/image_raw" not in heard(), "pictures only on demand"
        until(lambda: "/imu" in heard(), server.step, link.poll)
        felt = heard()["/imu"]["msg"]
        assert felt["linear_acceleration"]["z"] == pytest.approx(9.81)
        json.dumps(scan)
        link.send_sensors(pictures=True)
        until(lambda: "/eye/image_raw" in heard(), server.step, link.poll)
        picture = heard()["/eye/image_raw"]["msg"]
        assert len(base64.b64decode(picture["data"])) == 16 * 12 * 3
        link.send_sensors(False)
        link.poll()
        server.step()
        server.heard.clear()
        for _ in range(20):
            link.poll()
            server.step()
        assert not {"/scan", "/deep/depth/image_raw"} & heard().keys()
    finally:
        server.close()


def test_foxglove_gets_messages_that_ros_reads(robot):
    store = get_typestore(Stores.ROS2_HUMBLE)
    with FoxgloveServer("publish") as server:
        options = LiveOptions(direction="out", send_sensors=True, sensor_rate=100.0)
        link = urdf_importer.connect(robot, url=server.url, options=options)
        found = {}

        def look():
            found.update({each["topic"]: each for each in server.heard()})

        until(lambda: {"/scan", "/deep/points"} <= found.keys(), link.poll, look)
        told = found["/scan"]
        assert (told["type"], told["encoding"]) == ("sensor_msgs/msg/LaserScan", "cdr")
        message = store.deserialize_cdr(bytes.fromhex(told["data"]), told["type"])
        assert np.allclose(message.ranges, sense(robot, "scan").ranges[0], atol=1e-6)
        cloud = store.deserialize_cdr(bytes.fromhex(found["/deep/points"]["data"]),
                                      "sensor_msgs/msg/PointCloud2")  # fmt: skip
        assert (cloud.height, cloud.width) == (12, 16)
        link.close()


def test_a_sensor_is_no_faster_than_it_is(robot, monkeypatch):
    from urdf_importer.features.live.blender import sensors as live_sensors

    clock = [100.0]
    monkeypatch.setattr(live_sensors.time, "monotonic", lambda: clock[0])
    sensors, counts = live_sensors.LiveSensors(rate=5.0), {}
    for _ in range(200):
        clock[0] += 0.01
        for each in sensors.measure(robot, 10**18):
            counts[each.topic] = counts.get(each.topic, 0) + 1
    assert counts["/scan"] == pytest.approx(10, abs=1) == counts["/deep/points"]


def test_an_imu_feels_the_rig_that_is_moved(robot, monkeypatch):
    """Thrown upwards and turned about z, at times that are not even."""
    from urdf_importer.features.live.blender import sensors as live_sensors

    clock, sensors, found = [100.0], None, []
    monkeypatch.setattr(live_sensors.time, "monotonic", lambda: clock[0])
    sensors = live_sensors.LiveSensors(rate=1000.0)
    for step in range(12):
        clock[0] += 0.01 * (1 + step % 2)
        t = clock[0] - 100.0
        robot.location.z = 3.0 * t - 1.0 * t**2
        robot.rotation_euler.z = 2.0 * t
        bpy.context.view_layer.update()
        stamp = round(t * 1e9)
        found += [each for each in sensors.measure(robot, stamp) if each.topic == "/imu"]
    store = get_typestore(Stores.ROS2_HUMBLE)
    assert len(found) == 10
    for each in found:
        message = store.deserialize_cdr(each.pack("cdr"), "sensor_msgs/msg/Imu")
        # Single precision of places, over steps of a hundredth of a second.
        assert message.linear_acceleration.z == pytest.approx(9.81 - 2.0, abs=0.02)
        assert message.angular_velocity.z == pytest.approx(2.0, abs=1e-3)
    late = [each for each in sensors.measure(robot, 10**10) if each.topic == "/imu"]
    assert not late, "after a pause it begins again"


def test_a_slow_imu_feels_as_a_fast_one(robot, monkeypatch):
    """Once a second, about neighbouring ticks of 20 ms."""
    from urdf_importer.features.live.blender import sensors as live_sensors

    clock, found = [100.0], []
    monkeypatch.setattr(live_sensors.time, "monotonic", lambda: clock[0])
    sensors = live_sensors.LiveSensors(rate=1.0)
    for _ in range(150):
        clock[0] += 0.02
        t = clock[0] - 100.0
        robot.location.z = 0.5 * t**2
        bpy.context.view_layer.update()
        stamp = round(t * 1e9)
        found += [each for each in sensors.measure(robot, stamp) if each.topic == "/imu"]
    assert len(found) == 3
    store = get_typestore(Stores.ROS2_HUMBLE)
    for second, each in enumerate(found):
        message = store.deserialize_cdr(each.pack("cdr"), "sensor_msgs/msg/Imu")
        assert message.linear_acceleration.z == pytest.approx(9.81 + 1.0, abs=0.02)
        time_of = message.header.stamp
        # The tick before the third; then a second later each, or one tick more.
        assert time_of.sec + time_of.nanosec * 1e-9 == pytest.approx(0.06 + second, abs=0.03)


def test_an_imu_that_is_nowhere_holds_up_no_other_sensor(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT.replace("</gazebo>", '<sensor name="last" type="imu"/></gazebo>'))
    robot = urdf_importer.import_robot(path, options=ImportOptions(sensors=True)).armature
    bpy.data.objects["imu"].scale = (0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    server = Standin()
    try:
        options = LiveOptions(direction="out", send_sensors=True, sensor_rate=100.0)
        link = urdf_importer.connect(robot, url=server.url, options=options)
        wanted = {"/scan", "/deep/points", "/last"}
        until(
            lambda: wanted <= {e["topic"] for e in server.heard if e["op"] == "publish"},
            server.step,
            link.poll,
        )
        assert link.error == "sensor 'imu' has no place: its pose is not finite"
    finally:
        live.stop_watching()
        server.close()


def test_sensors_that_are_sent_again_begin_anew(robot, monkeypatch):
    """With the scene of then, though a scan was half done."""
    from urdf_importer.features.live.blender import sensors as live_sensors

    monkeypatch.setattr(live_sensors, "_SLICE", 0.0)
    server = Standin()
    try:
        options = LiveOptions(direction="out", send_sensors=True, sensor_rate=100.0)
        link = urdf_importer.connect(robot, url=server.url, options=options)
        until(lambda: link.state == "connected", server.step, link.poll)
        link.poll()
        link.send_sensors(False)
        robot.location.x = 0.5
        bpy.context.view_layer.update()
        link.send_sensors()

        def scans():
            heard = (each for each in server.heard if each["op"] == "publish")
            return [each["msg"] for each in heard if each["topic"] == "/scan"]

        until(scans, server.step, link.poll)
        assert np.allclose(scans()[0]["ranges"], sense(robot, "scan").ranges[0], atol=1e-5)
    finally:
        server.close()


def test_a_depth_camera_goes_on_over_many_ticks(tmp_path, monkeypatch):
    text = ROBOT.replace("<width>16</width><height>12</height>", "<width>320</width>"
                         "<height>240</height>")  # fmt: skip
    path = tmp_path / "robot.urdf"
    path.write_text(text.replace('<sensor name="imu" type="imu"/>', ""))
    from urdf_importer.features.live.blender import sensors as live_sensors

    monkeypatch.setattr(live_sensors, "_SLICE", 0.0)
    robot = urdf_importer.import_robot(path).armature
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=64, location=(2.5, 0.0, 0.0))
    bpy.context.view_layer.update()
    truth = sense(robot, "deep").depth
    sensors, spent, messages = live_sensors.LiveSensors(rate=5.0), [], {}
    while "/scan" not in messages:
        messages.update({each.topic: each for each in sensors.measure(robot, 10**18)})
    while "/deep/depth/image_raw" not in messages:
        began = time.thread_time()
        messages.update({each.topic: each for each in sensors.measure(robot, 10**18)})
        spent.append(time.thread_time() - began)
        # The camera goes on with the scene of its first tick, which is the second at the latest.
        robot.location.x = 0.5 if len(spent) > 1 else 0.0
        bpy.context.view_layer.update()
        assert len(spent) < 1000
    store = get_typestore(Stores.ROS2_HUMBLE)
    data = messages["/deep/depth/image_raw"].pack("cdr")
    image = store.deserialize_cdr(data, "sensor_msgs/msg/Image")
    depth = np.frombuffer(image.data, "<f4").reshape(240, 320)
    assert np.allclose(np.nan_to_num(depth), truth, atol=1e-6)
    # Four thousand rays and one shape at each tick, then a message at each.
    assert 19 <= len(spent) < 24 and np.median(spent) < 0.02
