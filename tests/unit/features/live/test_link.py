# SPDX-License-Identifier: GPL-3.0-or-later
"""What a link makes of what comes: names, recordings, what is sent. The rig is a stand-in."""

import json

import numpy as np
import pytest

from support.live_server import TEXT, frame, joint_state, transform, unmask
from support.scripted_stream import Clock, Scripted, connect_to
from urdf_importer import ConnectError, Diagnostics, LiveLink, LiveOptions, ReadError, Trajectory
from urdf_importer.features.live.link import LiveRig, check_names, plan_wish


class StandinRig(LiveRig):
    def __init__(self, *joints):
        self.name = "arm"
        self.shown = dict.fromkeys(joints, 0.0)
        self.frames, self.keyed = [], None
        self.there, self.busy, self.measures = True, False, True

    def is_there(self):
        return self.there

    def is_busy(self):
        return self.busy

    def joints(self):
        return self.shown.keys()

    def others(self):
        return {"bolt"}

    def pose(self, positions):
        self.shown |= positions
        return bool(positions)

    def move_base(self, tracks, options):
        self.frames, self.options = tracks, options
        return True

    def read(self):
        return self.shown

    def read_frames(self):
        return ()

    def stop_measuring(self):
        self.measures = False

    def key(self, motion, options, diagnostics):
        self.keyed = motion, options
        return "action"


def published(message, topic="/joint_states"):
    return frame(TEXT, json.dumps({"op": "publish", "topic": topic, "msg": message}).encode())


def link_to(rig, *pieces, clock=None, **words):
    """A link, polled until it is connected and has read the pieces."""
    options, clock = LiveOptions(**words), clock or Clock()
    stream = Scripted([None, *pieces])
    wish = plan_wish(options, ())
    connection = connect_to(stream, wish, clock)
    link = LiveLink(rig, connection, options, Diagnostics(), clock=clock, wall=lambda: 5 * 10**9)
    for _ in range(5 + len(pieces)):
        link.poll()
    return link, stream


def said(stream):
    _, _, rest = bytes(stream.taken).partition(b"\r\n\r\n")
    return [json.loads(data) for kind, data in unmask(bytearray(rest)) if kind == TEXT]


def test_names_are_matched_as_in_recordings():
    rig = StandinRig("elbow", "wrist")
    link, _ = link_to(rig, published(joint_state({"r1/elbow": 1.0, "r1/wrist": 2.0})))
    assert rig.shown == {"elbow": 1.0, "wrist": 2.0}
    assert [each.code for each in link.diagnostics] == ["joints-matched"]
    link, _ = link_to(rig, published(joint_state({"x_elbow": 3.0, "nose": 1.0})), prefix="x_")
    assert rig.shown["elbow"] == 3.0
    assert [each.code for each in link.diagnostics] == ["unknown-joint"]
    link_to(rig, published(joint_state({"q": 4.0, "bolt": 9.0})), names=(("q", "wrist"),))
    assert rig.shown["wrist"] == 4.0
    link, _ = link_to(rig, published(joint_state({"nose": 1.0})))
    assert "no joint of the robot is in the motion" in link.error


def test_the_later_of_two_publishers_counts():
    rig = StandinRig("elbow", "wrist")
    states = {"elbow": 1.0, "wrist": 1.0}, {"elbow": 2.0}
    link_to(rig, b"".join(published(joint_state(each)) for each in states))
    assert rig.shown == {"elbow": 2.0, "wrist": 1.0}
    link_to(rig, b"".join(published(joint_state(each)) for each in reversed(states)))
    assert rig.shown == {"elbow": 1.0, "wrist": 1.0}


def test_while_the_rig_is_busy_nothing_moves_and_nothing_is_lost():
    rig = StandinRig("elbow")
    rig.busy = True
    link, _ = link_to(rig, published(joint_state({"elbow": 1.0})))
    assert rig.shown == {"elbow": 0.0}
    rig.busy = False
    assert link.poll() and rig.shown == {"elbow": 1.0}


def test_a_robot_that_is_gone_ends_its_link():
    rig = StandinRig("elbow")
    link, stream = link_to(rig)
    rig.there = False
    assert not link.poll()
    assert link.state == "closed" and "the robot is gone" in link.error and not stream.is_open
    assert not link.poll()


def test_a_rig_stops_measuring_when_sensors_are_not_sent_any_more():
    rig = StandinRig("elbow")
    link, _ = link_to(rig)
    link.send_sensors(pictures=True)
    assert rig.measures
    link.send_sensors(False)
    assert not rig.measures


def test_a_fault_ends_its_link():
    rig = StandinRig("elbow")
    link, stream = link_to(rig, published(joint_state({"elbow": 1.0})))
    rig.pose = lambda positions: positions["no such\njoint"]
    stream.pieces.append(published(joint_state({"elbow": 2.0})))
    with pytest.raises(KeyError):
        link.poll()
    assert not link.poll()
    assert link.state == "closed" and not stream.is_open
    assert "no such" in link.error and "\n" not in link.error


def test_frames_move_the_base_which_knows_their_prefix():
    rig = StandinRig("elbow")
    link_to(rig, published(transform("odom", "r1_base", 2.0), "/tf"), prefix="r1_")
    assert [(each.parent, each.child) for each in rig.frames] == [("odom", "r1_base")]
    assert rig.options.prefix == "r1_"
    rig.frames = []
    link_to(rig, published(transform("odom", "base", 2.0), "/tf"), base="none")
    assert not rig.frames


def test_a_recording_becomes_an_action():
    rig = StandinRig("elbow")
    link, stream = link_to(rig, published(transform("map", "odom", 1.0), "/tf_static"))
    with pytest.raises(ConnectError, match="nothing is being recorded"):
        link.stop()
    link.record()
    assert link.recording
    stream.pieces += [published(joint_state({"elbow": i / 10}, 1 + i / 10)) for i in range(5)]
    for _ in range(8):
        link.poll()
    assert link.recorded == 6
    assert link.stop("take 1") == "action" and not link.recording
    motion, options = rig.keyed
    assert np.allclose(motion.times, np.arange(5) / 10)
    assert np.allclose(motion.positions[:, 0], np.arange(5) / 10)
    assert [track.parent for track in motion.frames] == ["map"]
    assert options.action == "take 1"
    link.record()
    stream.pieces.append(published({"name": [], "position": []}))
    link.poll()
    with pytest.raises(ReadError):
        link_to(StandinRig("elbow"), record=True)[0].stop()


def test_the_pose_is_sent_at_a_rate_with_velocities():
    rig, clock = StandinRig("elbow"), Clock()
    link, stream = link_to(rig, clock=clock, direction="out", prefix="r1_", rate=10.0)
    for step in range(1, 41):
        clock.now += 0.025
        rig.shown["elbow"] = step * 0.05
        link.poll()
    messages = [each["msg"] for each in said(stream) if each["op"] == "publish"]
    assert 10 <= len(messages) <= 12
    assert messages[-1]["name"] == ["r1_elbow"]
    assert messages[-1]["velocity"] == pytest.approx([2.0])
    topics = {each["topic"] for each in said(stream) if each["op"] == "publish"}
    assert topics == {"/blender/joint_states"}
    assert link.sends_to == "/blender/joint_states"
    assert not [each for each in said(stream) if each["op"] == "subscribe"]


def test_a_motion_is_sent_to_a_controller():
    link, stream = link_to(StandinRig("elbow"), names=(("q1", "elbow"),))
    motion = Trajectory(names=("elbow",), times=(0, 1), positions=((0,), (1,)))
    assert link.send(motion, "/arm/command")
    link.poll()
    assert said(stream)[-1]["msg"]["joint_names"] == ["q1"]
    with pytest.raises(ConnectError, match="name the topic"):
        link.send(motion, " ")
    with pytest.raises(ConnectError, match="all samples"):
        link.send(Trajectory(names=("elbow",), times=(0, 1), positions=((0,), (np.nan,))), "/a")
    link.close()
    assert not link.send(motion, "/arm/command")


def test_names_that_are_no_joints_are_refused():
    with pytest.raises(Exception, match="no moving joint 'nose'"):
        check_names(LiveOptions(names=(("a", "nose"),)), StandinRig("elbow"))
