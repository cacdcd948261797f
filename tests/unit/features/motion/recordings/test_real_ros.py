# SPDX-License-Identifier: GPL-3.0-or-later
"""ROS 1 itself as the judge: it reads, indexes, packs and plays what is written, and what its
recorder writes is read. Slow: it needs the small Debian of tools/get-ros."""

import json
import os
import signal
import socket
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import pytest

from support.motions import wave
from support.paths import ROOT
from urdf_importer import MotionOptions, Trajectory, list_topics, read_trajectory, write_trajectory

IN_ROS = os.environ.get("IN_ROS", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not IN_ROS, reason="IN_ROS names no ROS (tools/get-ros)"),
]
READ = """
import json, sys, rosbag
found = []
with rosbag.Bag(sys.argv[1]) as bag:
    for topic, message, log in bag.read_messages():
        if topic == "/joint_states":
            found.append([log.to_nsec(), message.header.stamp.to_nsec(), list(message.name),
                          list(message.position), list(message.velocity)])
        elif topic == "/tf":
            each = message.transforms[0]
            found.append([each.header.frame_id, each.child_frame_id, each.transform.translation.x])
        else:
            found.append([list(message.joint_names),
                          [[list(p.positions), p.time_from_start.to_nsec()]
                           for p in message.points]])
print(json.dumps(found))
"""
PUBLISH = """
import sys, rospy
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from geometry_msgs.msg import TransformStamped
rospy.init_node("arm", disable_signals=True)
states = rospy.Publisher("/joint_states", JointState, queue_size=1000)
frames = rospy.Publisher("/tf", TFMessage, queue_size=1000)
wanted = int(sys.argv[1])
while states.get_num_connections() < wanted or frames.get_num_connections() < 1:
    rospy.sleep(0.05)
for i in range(200):
    stamp = rospy.Time(1000 + i // 100, i % 100 * 10000000)
    state = JointState(name=["a", "b"], position=[i / 100, -i / 50], velocity=[1.0, -2.0])
    state.header.stamp = stamp
    states.publish(state)
    moved = TransformStamped(child_frame_id="base")
    moved.header.frame_id, moved.header.stamp = "odom", stamp
    moved.transform.translation.x, moved.transform.rotation.w = i / 10, 1.0
    frames.publish(TFMessage([moved]))
    rospy.sleep(0.01)
rospy.sleep(1.0)
"""


def in_ros(*words, environment=None):
    done = subprocess.run(
        [IN_ROS, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def running(*words, environment):
    """A program of ROS, ended as by Ctrl-C."""
    program = subprocess.Popen(
        [IN_ROS, *map(str, words)],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield program
    finally:
        os.killpg(program.pid, signal.SIGINT)
        try:
            program.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()


@contextmanager
def recording(path, *options, environment):
    """The recorder, until it has closed its bag: its own end comes after that of what began it."""
    words = ["rosbag", "record", "-O", path, *options, "/joint_states", "/tf"]
    with running(*words, environment=environment):
        yield
    for _ in range(300):
        if path.exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"{path} was not closed")


@pytest.fixture(scope="module")
def master(tmp_path_factory):
    """A rosmaster on a free port, with a home of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        "ROS_MASTER_URI": f"http://127.0.0.1:{port}",
        "ROS_HOME": str(tmp_path_factory.mktemp("ros")),
    }
    with running("rosmaster", "--core", "-p", port, environment=environment):
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield environment


def read_with_ros(path, tmp_path):
    (tmp_path / "read.py").write_text(READ)
    return json.loads(in_ros("python3", tmp_path / "read.py", path))


def test_ros_reads_what_is_written(tmp_path):
    """Of more than one chunk: its own reader takes the index and the definitions' sums."""
    motion = wave(30, 2500)
    path = tmp_path / "wave.bag"
    write_trajectory(motion, path)
    told = in_ros("rosbag", "info", path)
    assert "2750" in told and "sensor_msgs/JointState [3066dcd76a6cfaef579bd0f34173e9fd]" in told
    assert "tf2_msgs/TFMessage" in told and "2500 msgs" in told and "250 msgs" in told
    found = read_with_ros(path, tmp_path)
    states = [each for each in found if len(each) == 5]
    moved = [each for each in found if len(each) == 3]
    assert [each[0] for each in states] == [each[1] for each in states]
    assert np.array_equal([each[3] for each in states], motion.positions)
    assert np.array_equal([each[4] for each in states], motion.velocities)
    assert np.allclose([each[2] for each in moved], motion.frames[0].translations[:, 0])
    assert moved[0][:2] == ["odom", "base"]


def test_ros_reads_commands_and_packs_and_mends_what_is_written(tmp_path):
    command = Trajectory(
        names=("a", "b"),
        times=[0.0, 0.5, 2.25],
        positions=[[0, 1], [2, 3], [4, 5]],
        velocities=[[0, 0], [1, 1], [0, 0]],
        interpolation="spline",
    )
    path = tmp_path / "command.bag"
    write_trajectory(command, path)
    ((names, points),) = read_with_ros(path, tmp_path)
    assert names == ["a", "b"] and [each[1] for each in points] == [0, 500_000_000, 2_250_000_000]
    assert np.array_equal([each[0] for each in points], command.positions)
    for packing in ("--bz2", "--lz4"):
        target = tmp_path / packing
        target.mkdir()
        in_ros("rosbag", "compress", packing, f"--output-dir={target}", path)
        assert read_trajectory(target / path.name) == command
    in_ros("rosbag", "reindex", path)
    assert read_trajectory(path) == command


@pytest.mark.parametrize("packing", ["", "--bz2", "--lz4"])
def test_recordings_of_ros_are_read(tmp_path, master, packing):
    """The recorder runs while a robot talks; small chunks make several of them."""
    (tmp_path / "publish.py").write_text(PUBLISH)
    path = tmp_path / "run.bag"
    with recording(path, *packing.split(), "--chunksize=4", environment=master):
        in_ros("python3", tmp_path / "publish.py", 1, environment=master)
    assert {each.name: each.count for each in list_topics(path)} == {
        "/joint_states": 200,
        "/tf": 200,
    }
    found = read_trajectory(path)
    assert (found.names, found.start_time) == (("a", "b"), 1000 * 10**9)
    assert np.array_equal(found.times, np.arange(200) * 10 / 1000)
    assert np.array_equal(found.positions[:, 0], np.arange(200) / 100)
    assert np.array_equal(found.frames[0].translations[:, 0], np.arange(200) / 10)
    # What the recorder was writing when it died.
    data = path.read_bytes()
    dead = tmp_path / "run.bag.active"
    dead.write_bytes(data[: len(data) // 2])
    assert 20 < len(read_trajectory(dead).times) < 200


def test_ros_plays_what_is_written(tmp_path, master):
    """What is played is recorded again, by ROS, and is the same motion."""
    motion = wave(30, 300)
    path, again = tmp_path / "wave.bag", tmp_path / "again.bag"
    write_trajectory(motion, path)
    with recording(again, environment=master):
        in_ros("rosbag", "play", "-q", "--queue=1000", "--wait-for-subscribers", "--topics",
               "/joint_states", "/tf", "--bags", path, environment=master)  # fmt: skip
        time.sleep(1.0)
    found = read_trajectory(again)
    assert found == motion


def test_the_real_robot_state_publisher_and_frames_agree(tmp_path, master):
    """Joints that are published, made frames by ROS, recorded, and solved for again."""
    from support.blender.moving import load
    from urdf_importer import apply_trajectory, sample_trajectory

    (tmp_path / "publish.py").write_text(PUBLISH.replace('["a", "b"]', '["shoulder", "elbow"]'))
    description = ROOT / "sample_urdfs" / "two_link_arm.urdf"
    in_ros("rosparam", "set", "-t", description, "robot_description", environment=master)
    path = tmp_path / "run.bag"
    program = "/usr/lib/robot_state_publisher/robot_state_publisher"
    with (
        running(program, environment=master),
        recording(path, "/tf_static", environment=master),
    ):
        in_ros("python3", tmp_path / "publish.py", 2, environment=master)
    wanted, frames = (
        read_trajectory(path, topic="/joint_states"),
        read_trajectory(path, topic="/tf"),
    )
    assert not frames.names and len(frames.frames) > 2
    arm = load("two_link_arm").armature
    found = {}
    for name, motion in (("frames", frames), ("joints", wanted)):
        apply_trajectory(arm, motion, options=MotionOptions(base="none", set_range=False))
        found[name] = sample_trajectory(arm, frame_range=(1, 25))
    assert np.allclose(found["frames"].positions, found["joints"].positions, atol=1e-4)
    assert np.ptp(found["frames"].positions, axis=0).min() > 0.3
