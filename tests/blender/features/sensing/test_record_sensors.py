# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of sensors, read by others' programs."""

import json

import numpy as np
import pytest
import trimesh
from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

import urdf_importer
from support.blender.rigs import new_scene
from urdf_importer import (
    ArgumentError,
    Diagnostics,
    ImportOptions,
    KinematicsError,
    RecordOptions,
    SenseOptions,
    WriteError,
    find_sensors,
    import_robot,
    record_sensors,
    sense,
)
from urdf_importer.cli import main

SIZE = (
    "<image><width>16</width><height>12</height></image><clip><near>0.1</near><far>20</far></clip>"
)
BODY = f"<camera><horizontal_fov>1.2</horizontal_fov>{SIZE}</camera>"
SCAN = """<ray><scan><horizontal><samples>31</samples><min_angle>-0.4</min_angle>
<max_angle>0.4</max_angle></horizontal>{up}</scan><range><min>0.2</min><max>8</max></range></ray>"""
RINGS = (
    "<vertical><samples>3</samples><min_angle>-0.1</min_angle><max_angle>0.1</max_angle></vertical>"
)
ROBOT = f"""<robot name="r"><link name="base"/><link name="laser"/><link name="head"/>
<joint name="mount" type="fixed"><parent link="base"/><child link="laser"/>
<origin xyz="0.1 0 0.2" rpy="0 0 0.3"/></joint>
<joint name="neck" type="revolute"><parent link="base"/><child link="head"/>
<origin xyz="0 0 0.5"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/>
</joint>
<gazebo reference="laser"><sensor name="scan" type="ray"><update_rate>8</update_rate>
<topic>/scan</topic>{SCAN.format(up="")}</sensor></gazebo>
<gazebo reference="head">
<sensor name="rings" type="ray"><pose>0 0 0.1 0 0 0</pose>{SCAN.format(up=RINGS)}</sensor>
<sensor name="eye" type="camera"><update_rate>4</update_rate>{BODY}</sensor>
<sensor name="deep" type="depth"><update_rate>4</update_rate><topic>/deep/points_in</topic>
{BODY}</sensor>
<sensor name="imu" type="imu"/><sensor name="touch" type="contact"/>
<sensor name="near" type="sonar"><sonar><min>0.1</min><max>9</max><radius>0.5</radius></sonar>
</sensor>
</gazebo></robot>"""
TARGETS = ("run.mcap", "run.bag", "run")


def add_wall():
    import bpy

    mesh = bpy.data.meshes.new("wall")
    box = trimesh.creation.box((0.2, 9.0, 9.0))
    mesh.from_pydata(box.vertices.tolist(), [], box.faces.tolist())
    item = bpy.data.objects.new("wall", mesh)
    bpy.context.scene.collection.objects.link(item)
    item.location.x = 3.1


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    """A robot that drives towards a wall for a second, and turns its head."""
    import bpy

    new_scene()
    path = tmp_path_factory.mktemp("robot") / "robot.urdf"
    path.write_text(ROBOT)
    armature = import_robot(path, options=ImportOptions(sensors=True)).armature
    add_wall()
    scene = bpy.context.scene
    scene.render.fps = 24
    for frame, x, turn, neck in ((1, 0.0, 0.0, 0.0), (25, 0.8, 0.1, 0.5)):
        armature.location, armature.rotation_euler = (x, 0.1, 0.2), (0.0, 0.0, turn)
        urdf_importer.set_joint_positions(armature, {"neck": neck})
        armature.keyframe_insert("location", frame=frame)
        armature.keyframe_insert("rotation_euler", frame=frame)
        bone = (
            armature.pose.bones[0] if len(armature.pose.bones) == 1 else armature.pose.bones["neck"]
        )
        bone.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(7)
    return armature


@pytest.fixture(scope="module", params=TARGETS)
def recorded(request, robot, tmp_path_factory):
    """The messages of a recording by topic: (log, message)."""
    import bpy

    path = tmp_path_factory.mktemp("run") / request.param
    diagnostics = Diagnostics()
    files = record_sensors(robot, path, options=RecordOptions(samples=1), diagnostics=diagnostics)
    assert all(each.is_file() for each in files)
    assert bpy.context.scene.frame_current == 7
    assert {each.code for each in diagnostics} == {"sensor-not-recorded", "unlit-scene"}
    found = {}
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        for connection, log, data in reader.messages():
            message = reader.deserialize(data, connection.msgtype)
            found.setdefault(connection.topic, []).append((log, message))
    return found


def matrix_of(transform):
    at, turned = transform.translation, transform.rotation
    frame = trimesh.transformations.quaternion_matrix([turned.w, turned.x, turned.y, turned.z])
    frame[:3, 3] = at.x, at.y, at.z
    return frame


def poses_at(recorded, log):
    """All frames of /tf and /tf_static in odom at one time."""
    edges = {}
    for topic in ("/tf", "/tf_static"):
        for time, message in recorded[topic]:
            for each in message.transforms if time == log or topic == "/tf_static" else ():
                edges[each.child_frame_id] = (each.header.frame_id, matrix_of(each.transform))
    found = {"odom": np.eye(4)}
    while len(found) < len(edges) + 1:
        for child, (parent, frame) in edges.items():
            if parent in found:
                found[child] = found[parent] @ frame
    return found


def test_topics_are_as_programs_of_ros_look_for_them(recorded):
    types = {topic: several[0][1].__msgtype__ for topic, several in recorded.items()}
    assert types == {
        "/joint_states": "sensor_msgs/msg/JointState",
        "/tf": "tf2_msgs/msg/TFMessage",
        "/tf_static": "tf2_msgs/msg/TFMessage",
        "/odom": "nav_msgs/msg/Odometry",
        "/scan": "sensor_msgs/msg/LaserScan",
        "/rings/points": "sensor_msgs/msg/PointCloud2",
        "/eye/image_raw": "sensor_msgs/msg/Image",
        "/eye/camera_info": "sensor_msgs/msg/CameraInfo",
        "/deep/points_in": "sensor_msgs/msg/Image",
        "/deep/camera_info": "sensor_msgs/msg/CameraInfo",
        "/deep/points_in/points": "sensor_msgs/msg/PointCloud2",
        "/imu": "sensor_msgs/msg/Imu",
        "/near": "sensor_msgs/msg/Range",
    }
    counts = {topic: len(several) for topic, several in recorded.items()}
    assert counts["/scan"] == 9 and counts["/imu"] == 25 and counts["/eye/image_raw"] == 5


def test_a_map_of_scans_has_one_wall(recorded):
    """Scans by /tf and /odom in one frame: all points lie on the wall."""
    for log, scan in recorded["/scan"]:
        angles = scan.angle_min + np.arange(len(scan.ranges)) * scan.angle_increment
        assert angles[-1] == pytest.approx(scan.angle_max, abs=1e-6)
        points = scan.ranges[:, None] * np.stack(
            [np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1
        )
        frame = poses_at(recorded, log)[scan.header.frame_id]
        placed = points @ frame[:3, :3].T + frame[:3, 3]
        assert np.abs(placed[:, 0] - 3.0).max() < 1e-3
        assert (scan.header.frame_id, scan.range_min) == ("laser", pytest.approx(0.2))
        assert scan.scan_time == pytest.approx(1 / 8)


@pytest.mark.parametrize("topic", ["/rings/points", "/deep/points_in/points"])
def test_clouds_lie_on_the_wall(recorded, topic):
    for log, cloud in recorded[topic]:
        points = np.frombuffer(cloud.data, "<f4").reshape(cloud.height * cloud.width, 3)
        assert cloud.is_dense == (topic == "/rings/points")
        frame = poses_at(recorded, log)[cloud.header.frame_id]
        placed = points @ frame[:3, :3].T + frame[:3, 3]
        assert np.nanmax(np.abs(placed[:, 0] - 3.0)) < 1e-3
    assert {each.name: (each.offset, each.datatype) for each in cloud.fields} == {
        "x": (0, 7),
        "y": (4, 7),
        "z": (8, 7),
    }


def test_pictures_and_their_cameras(recorded, robot):
    (eye,) = (each for each in find_sensors(robot) if each.name == "eye")
    for (log, image), (other, info) in zip(
        recorded["/eye/image_raw"], recorded["/eye/camera_info"], strict=True
    ):
        assert log == other and image.header == info.header
        assert (image.encoding, image.step, len(image.data)) == ("rgb8", 48, 16 * 12 * 3)
        assert (info.width, info.height) == (16, 12)
        values = {name.lower(): value for name, value in vars(info).items()}
        assert np.array_equal(values["k"].reshape(3, 3), eye.K)
        assert np.array_equal(values["p"].reshape(3, 4)[:, :3], eye.K)
        assert info.distortion_model == "plumb_bob" and not values["d"].any()
    assert image.header.frame_id == "eye_optical_frame"


def test_depths_are_floats(recorded):
    _, image = recorded["/deep/points_in"][0]
    depths = np.frombuffer(image.data, "<f4")
    assert image.encoding == "32FC1" and len(depths) == 16 * 12
    assert np.nanmin(depths) > 2.0


def test_odometry_follows_the_armature(recorded):
    log, message = recorded["/odom"][-1]
    pose, twist = message.pose.pose, message.twist.twist
    assert (message.header.frame_id, message.child_frame_id) == ("odom", "base")
    assert pose.position.x == pytest.approx(0.8) and pose.position.z == pytest.approx(0.2)
    middle = recorded["/odom"][12][1].twist.twist
    # Eased keys: the middle is one and a half times as fast as the mean, in the turned frame.
    assert middle.linear.x == pytest.approx(1.2, rel=0.02)
    assert middle.linear.y == pytest.approx(-1.2 * np.sin(0.05), rel=0.05)
    assert middle.angular.z == pytest.approx(0.15, rel=0.02)
    assert log == 1_000_000_000 and abs(twist.angular.z) < 0.1


def test_an_imu_feels_what_moves(recorded):
    _, message = recorded["/imu"][12]
    assert message.linear_acceleration.z == pytest.approx(9.81, abs=2e-2)
    # Of base and neck together.
    assert message.angular_velocity.z == pytest.approx(0.15 + 0.75, rel=0.02)
    assert message.orientation.w == pytest.approx(np.cos(0.15), abs=1e-3)


def test_stamps_are_the_logged_times(recorded):
    for topic, several in recorded.items():
        for log, message in several if topic not in ("/tf", "/tf_static") else ():
            stamp = message.header.stamp
            assert stamp.sec * 10**9 + stamp.nanosec == log


def test_messages_are_what_sense_says(recorded, robot):
    import bpy

    _, scan = recorded["/scan"][0]
    bpy.context.scene.frame_set(1)
    assert np.allclose(scan.ranges, sense(robot, "scan").ranges[0], atol=1e-6)
    bpy.context.scene.frame_set(7)


def test_md5_sums_are_those_of_ros(tmp_path):
    from urdf_importer.features.motion.recordings.encode import MD5

    store = get_typestore(Stores.ROS1_NOETIC)
    for kind, sum_ in MD5.items():
        if kind.startswith(("sensor_msgs", "nav_msgs")):
            assert store.generate_msgdef(kind.replace("/", "/msg/"))[1] == sum_, kind


def test_static_frames_reach_who_comes_late(robot, tmp_path):
    path = tmp_path / "run.mcap"
    record_sensors(robot, path, options=RecordOptions(sensors=("rings",), end_frame=2.0))
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
    (static,) = (each for each in summary.channels.values() if each.topic == "/tf_static")
    assert "durability: 1" in static.metadata["offered_qos_profiles"]


def count_messages(path):
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        return {each.topic: each.msgcount for each in reader.connections}


def test_the_rate_of_sensors_leaves_the_motion_whole(robot, tmp_path):
    """From frame 1 to 25 at 24 frames a second: 25 messages of motion, whatever sensors do."""
    for options, expected, scans in (
        ({"rate": 2.0}, 25, 3),
        ({"motion_rate": 4.0}, 5, 9),
        ({"rate": 1.0, "motion_rate": 12.0}, 13, 2),
    ):
        path = tmp_path / "run.mcap"
        record_sensors(robot, path, options=RecordOptions(sensors=("scan",), **options))
        counts = count_messages(path)
        # /tf has a message for each of its three frames.
        motion = counts["/joint_states"], counts["/odom"], counts["/tf"] / 3
        assert motion == (expected, expected, expected)
        assert counts["/scan"] == scans


def test_pictures_may_be_files(robot, tmp_path):
    path = tmp_path / "run.mcap"
    chosen = {"sensors": ("eye",), "compressed": True, "samples": 1, "rate": 2.0}
    record_sensors(robot, path, options=RecordOptions(**chosen))
    store = get_typestore(Stores.ROS2_HUMBLE)
    with AnyReader([path], default_typestore=store) as reader:
        several = [
            reader.deserialize(data, connection.msgtype)
            for connection, _, data in reader.messages()
            if connection.topic == "/eye/image_raw/compressed"
        ]
    assert [each.format for each in several] == ["png"] * 3
    assert bytes(several[0].data[:4]) == b"\x89PNG"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sensors": ("touch",)}, ArgumentError),
        ({"sensors": ("nose",)}, KinematicsError),
        ({"start_frame": 9.0, "end_frame": 2.0}, KinematicsError),
        ({"end_frame": 1e9}, (KinematicsError, ArgumentError)),
    ],
)
def test_what_cannot_be_recorded_leaves_nothing(robot, tmp_path, options, error):
    with pytest.raises(error):
        record_sensors(robot, tmp_path / "run.mcap", options=RecordOptions(**options))
    assert not list(tmp_path.iterdir())


def test_an_unknown_kind_of_file(robot, tmp_path):
    with pytest.raises(WriteError, match="recording"):
        record_sensors(robot, tmp_path / "run.csv", options=RecordOptions(end_frame=2.0))


def test_a_failure_in_the_middle_leaves_nothing(robot, tmp_path, monkeypatch):
    from urdf_importer.features.sensing.blender import measure

    def fail(*_, **_named):
        raise urdf_importer.BuildError("the picture cannot be rendered: test")

    monkeypatch.setattr(measure, "render_view", fail)
    with pytest.raises(urdf_importer.BuildError):
        record_sensors(robot, tmp_path / "run.mcap", options=RecordOptions(sensors=("eye",)))
    assert not list(tmp_path.iterdir())


def test_the_command(robot, tmp_path, capsys):
    blend, out = tmp_path / "room.blend", tmp_path / "run.mcap"
    urdf_importer.save_blend(blend)
    status = main(["sense", str(blend), "-o", str(out), "--sensors", "scan", "--rate", "2"])
    assert status == 0
    assert {each.name for each in urdf_importer.list_topics(out)} == {
        "/joint_states",
        "/odom",
        "/scan",
        "/tf",
        "/tf_static",
    }
    assert main(["sense", str(blend), "-o", str(out), "--sensors", "nose"]) == 1
    assert "'nose'" in capsys.readouterr().err


def test_options_are_the_senses_too():
    assert issubclass(RecordOptions, SenseOptions)
    assert json.dumps(RecordOptions().sensors) == "[]"


def test_a_robot_that_rests_has_its_place(tmp_path):
    new_scene()
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="base"/></robot>')
    armature = import_robot(path).armature
    armature.location = (1.0, 2.0, 3.0)
    options, diagnostics = RecordOptions(end_frame=3.0), Diagnostics()
    files = record_sensors(
        armature, tmp_path / "run.mcap", options=options, diagnostics=diagnostics
    )
    assert [each.code for each in diagnostics] == ["no-sensors"]
    with AnyReader(files, default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        topics = {c.topic: reader.deserialize(d, c.msgtype) for c, _, d in reader.messages()}
    assert set(topics) == {"/odom", "/tf_static"}
    (still,) = topics["/tf_static"].transforms
    assert (still.header.frame_id, still.child_frame_id) == ("odom", "base")
    assert still.transform.translation.y == pytest.approx(2.0)
