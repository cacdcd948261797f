# SPDX-License-Identifier: GPL-3.0-or-later
"""Foxglove's protocol, with the server of its makers."""

import json
import time
from base64 import b64encode
from contextlib import contextmanager

import numpy as np
import pytest
from foxglove import messages as fox
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

from support.foxglove_process import DATA, FoxgloveServer
from support.live_server import BINARY, TEXT, frame, until
from support.recorded import ROS1, ROS2, START, joint_state, make, serialize, transform
from support.scripted_stream import Scripted, connect_to, send
from support.seconds import within
from urdf_importer import ConnectError, Diagnostics, Trajectory
from urdf_importer.features.live.address import read_address
from urdf_importer.features.live.arrivals import Newest, Recording
from urdf_importer.features.live.connection import Connection
from urdf_importer.features.live.dialect import MOST_TEXT, LiveWish
from urdf_importer.features.live.foxglove import MOST_PARSED, MOST_SCHEMAS, Foxglove
from urdf_importer.features.live.websocket import FrameKind, Message
from urdf_importer.features.motion.recordings.definitions import short_name, text_of


@contextmanager
def linked(server, **wish):
    """A connection, what is newest, and all of it."""
    connection, newest = Connection(read_address(server.url), LiveWish(**wish)), Newest()
    recording = Recording()

    def poll():
        arrivals = connection.poll()
        newest.update(arrivals)
        recording.add(arrivals)

    try:
        yield connection, newest, recording, poll
    finally:
        connection.close()


def publish(server, message, ros="ros2"):
    """Sends a message as ROS 1 or ROS 2 packs it."""
    topic, kind, log, fields = message
    if ros == "ros2":
        data, encoding = serialize(kind, fields), "cdr"
    else:
        data, encoding = bytes(ROS1.serialize_ros1(make(ROS1, kind, fields), kind)), "ros1"
    schema = text_of(short_name(kind), encoding)
    server.publish(topic, data, type=kind, encoding=encoding, schema=schema, ros=ros, log=log)


@pytest.mark.parametrize("ros", ["ros1", "ros2"])
def test_states_and_frames_of_the_real_server(ros):
    with FoxgloveServer() as server:
        publish(server, joint_state(START, {"a": 0.0}), ros)
        publish(server, transform(START, "odom", "base", 1.0), ros)
        with linked(server) as (connection, newest, recording, poll):
            until(lambda: len(connection.topics) == 2 and connection.dialect.numbers, poll)
            assert isinstance(connection.dialect, Foxglove)
            assert connection.topics["/joint_states"] == "sensor_msgs/JointState"
            # Until the server has taken in what is asked of it, it sends nothing.
            last = 0
            while not newest.joints or not newest.frames:
                last += 1
                publish(server, joint_state(START + last, {"a": 0.0}), ros)
                publish(server, transform(START + last, "odom", "base", 1.0), ros)
                until_soon(poll)
                assert last < 1000
            for i in range(300):
                when = START + 10**9 + i * 10**7
                publish(server, joint_state(when, {"a": i / 10, "b": -i / 10}), ros)
            until(lambda: newest.joints.get(("a", "b"), {}).get("a", (0, 0))[1] == 29.9, poll)
            assert newest.joints["a", "b"]["b"][1] == -29.9
            assert newest.tracks()[0].translations[0, 0] == 1.0
            motion = recording.finish(Diagnostics(), source="here", topic="/joint_states")
    shown = motion.positions[~np.isnan(motion.positions[:, 1]), 0]
    assert np.allclose(shown, np.arange(300) / 10)
    assert np.allclose(np.diff(motion.times[-300:]), 0.01, atol=1e-6)


def until_soon(poll):
    for _ in range(20):
        poll()
        time.sleep(0.001)


def test_what_is_sent_arrives_as_ros_packs_it():
    state = Trajectory(
        names=("a", "b"), times=(0.0,), positions=((0.5, -1.0),), velocities=((2.0, 0.0),),
        start_time=START,
    )  # fmt: skip
    command = Trajectory(
        names=("a",), times=(0, 1.25), positions=((0,), (1,)), velocities=((0,), (0,)),
        interpolation="spline",
    )  # fmt: skip
    heard = []
    with FoxgloveServer("publish") as server, linked(server, takes=False) as (link, _, _, poll):
        until(lambda: link.dialect is not None and link.dialect.takes_messages, poll)
        assert send(link, "/blender/joint_states", state)
        assert send(link, "/arm/command", command)

        def listen():
            poll()
            heard.extend(server.heard())

        until(lambda: len(heard) == 2, listen)
    read = {}
    for each in heard:
        assert each["encoding"] == "cdr"
        read[each["topic"]] = ROS2.deserialize_cdr(bytes.fromhex(each["data"]), each["type"])
    told = read["/blender/joint_states"]
    assert told.name == ["a", "b"] and told.position.tolist() == [0.5, -1.0]
    assert told.velocity.tolist() == [2.0, 0.0]
    assert told.header.stamp.sec == START // 10**9
    points = read["/arm/command"].points
    assert (points[1].time_from_start.sec, points[1].time_from_start.nanosec) == (1, 250_000_000)
    assert read["/arm/command"].header.stamp.sec == 0


def test_a_server_that_takes_nothing_says_so():
    state = Trajectory(names=("a",), times=(0.0,), positions=((0.5,),))
    with FoxgloveServer() as server, linked(server, takes=False) as (link, _, _, poll):
        until(lambda: link.state == "connected", poll)
        with pytest.raises(ConnectError, match="takes no messages"):
            send(link, "/x", state)


def test_a_certificate_is_checked(monkeypatch):
    """One that nobody vouches for is refused; with someone who does, all is well."""
    with FoxgloveServer("secure") as server:
        with linked(server) as (link, _, _, poll):
            until(lambda: link.state == "waiting", poll)
            assert "cannot prove that it is localhost" in link.error
        monkeypatch.setenv("SSL_CERT_FILE", str(DATA / "localhost_certificate.pem"))
        with linked(server) as (link, _, _, poll):
            until(lambda: link.state == "connected", poll)
            assert link.detail == "Foxglove"


def advertise(*channels):
    return frame(TEXT, json.dumps({"op": "advertise", "channels": list(channels)}).encode())


def channel(number, topic, **more):
    told = {"id": number, "topic": topic, "encoding": "cdr", "schemaName": "sensor_msgs/JointState"}
    return {**told, **more}


def data(subscription, payload):
    head = b"\1" + subscription.to_bytes(4, "little") + START.to_bytes(8, "little")
    return frame(BINARY, head + payload)


def run(pieces, **wish):
    stream = Scripted(pieces, protocol="foxglove.sdk.v1")
    connection, newest = connect_to(stream, LiveWish(**wish)), Newest()
    for _ in range(len(pieces) + 5):
        newest.update(connection.poll())
    assert connection.state == "connected"
    return connection, newest


def test_the_usual_topic_takes_over_when_it_comes():
    state = serialize("sensor_msgs/msg/JointState", {"name": ["a"], "position": [1.0]})
    link, newest = run([
        advertise(channel(5, "/left/joint_states")), data(1, state), None,
        advertise(channel(6, "/joint_states")), data(2, state), data(1, state),
    ])  # fmt: skip
    assert newest.joints == {("a",): {"a": (2, 1.0)}}
    assert list(link.dialect.numbers) == [6]
    link, _ = run([advertise(channel(5, "/left/joint_states"), channel(6, "/right/joint_states"))])
    assert "several topics" in link.dialect.problem and not link.dialect.numbers
    link, _ = run([advertise(channel(5, "/a"), channel(6, "/b"))], topic="b")
    assert list(link.dialect.numbers) == [6]


def test_json_is_read_too():
    text = json.dumps({"name": ["a"], "position": [2.5]}).encode()
    _, newest = run(
        [advertise(channel(1, "/js", encoding="json", schemaName="JointState")), data(1, text)]
    )
    assert newest.joints["a",]["a"][1] == 2.5


def log_foxglove(server, step, encoding):
    """Publishes joints and a frame in Foxglove's own types."""
    value, when = step / 8, fox.Timestamp(step + 1, 0)
    joints = [fox.JointState(name="a", position=value), fox.JointState(name="b", position=-value)]
    frames = [
        fox.FrameTransform(
            timestamp=when, parent_frame_id="odom", child_frame_id=child,
            translation=fox.Vector3(x=value, y=0.0, z=0.0), rotation=fox.Quaternion(w=1.0),
        )
        for child in ("base", "finger")
    ]  # fmt: skip
    messages = {
        "/state": fox.JointStates(timestamp=when, joints=joints),
        "/tf": fox.FrameTransforms(transforms=frames),
        "/base": frames[0],
        "/finger": frames[1],
        "/log": fox.Log(timestamp=when, name="x", message="position"),
    }
    for topic, message in messages.items():
        schema = message.get_schema()
        data, text = bytes(message.encode()), bytes(schema.data).hex()
        if encoding == "json":
            # The JSON of Protocol Buffers is the words of their own library.
            files = descriptor_pb2.FileDescriptorSet.FromString(schema.data)
            pool = descriptor_pool.DescriptorPool()
            for file in files.file:
                pool.Add(file)
            kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(schema.name))
            words = json_format.MessageToDict(
                kind.FromString(data),
                preserving_proto_field_name=True,
                always_print_fields_with_no_presence=True,
            )
            words.pop("timestamp", None)
            data, text = json.dumps(words).encode(), ""
        server.publish(
            topic, data, type=schema.name, encoding=encoding, schema=text, log=START + step
        )


@pytest.mark.parametrize("encoding", ["protobuf", "json"])
def test_foxgloves_own_types_move_joints_and_frames(encoding):
    """Of JSON without a schema the names of the types tell."""
    with FoxgloveServer() as server:
        log_foxglove(server, 0, encoding)
        with linked(server, skips=frozenset({"finger"})) as (link, newest, _, poll):
            until(lambda: link.dialect is not None and len(link.dialect.numbers) == 4, poll)
            step = 0
            while not newest.joints or not newest.frames or step < 8:
                step += 1
                log_foxglove(server, step, encoding)
                until_soon(poll)
                assert step < 1000
            last = step / 8
            until(lambda: newest.joints["a", "b"]["a"][1] == last, poll)
            assert newest.joints["a", "b"]["b"][1] == -last
            assert [(track.parent, track.child) for track in newest.tracks()] == [("odom", "base")]
            assert newest.tracks()[0].translations[0, 0] == last
            assert not link.dropped


def test_damaged_protocol_buffers_move_nothing():
    schema = fox.JointStates.get_schema()
    text = b64encode(schema.data).decode()
    told = {"encoding": "protobuf", "schemaName": schema.name, "schemaEncoding": "protobuf"}
    state = fox.JointStates(joints=[fox.JointState(name="a", position=1.5)]).encode()
    bad = [b"\xff" * 50, b"\x0a\xff", state[:-1], b"x" * (MOST_TEXT + 1)]
    broken = enumerate(("", "!", "AAAA", text[: len(text) // 2]))
    channels = [channel(number, f"/{number}", **told, schema=part) for number, part in broken]
    channels += [channel(9, "/joint_states", **told, schema=text)]
    link, newest = run([advertise(*channels), *(data(1, each) for each in [*bad, state])])
    assert newest.joints == {("a",): {"a": (5, 1.5)}} and link.dropped == 4


def test_descriptors_without_end_are_searched_for_a_moment():
    """A server announces thousands of types with large descriptors."""
    dialect = Foxglove(LiveWish())
    text = b64encode(fox.SceneUpdate.get_schema().data * 20).decode()
    listed = [
        channel(i, f"/{i}", encoding="protobuf", schemaName="a.B", schema=text) for i in range(100)
    ]
    for _ in within(4):
        for each in listed:
            words = {"op": "advertise", "channels": [each]}
            dialect.receive(Message(FrameKind.TEXT, json.dumps(words).encode()), 0)
    assert dialect.parsed > MOST_PARSED and not dialect.numbers


@pytest.mark.parametrize(
    "told",
    [
        {"channels": None}, {"channels": [1, None, {}]}, {"channels": [channel(-1, "/a")]},
        {"channels": [channel(1, "/joint_states", schemaName=7)]},
        {"channels": [channel(1, "/joint_states", schema="sensor_msgs/JointState x" * 9)]},
        {"channels": [channel(1, "/joint_states", schema="A a\n===\nMSG: sensor_msgs/A\nA a")]},
        {"channels": [channel(10**30, "/joint_states")]},
        {"channels": [channel(i, f"/{i}") for i in range(12_000)]},
    ],
)  # fmt: skip
def test_channels_that_make_no_sense(told):
    words = frame(TEXT, json.dumps({"op": "advertise", **told}).encode())
    away = frame(TEXT, json.dumps({"op": "unadvertise", "channelIds": [1, "x", None]}).encode())
    info = frame(TEXT, json.dumps({"op": "serverInfo", "capabilities": 3}).encode())
    bad = [data(1, bytes([i]) * i) for i in (0, 1, 4, 60, 255)]
    link, newest = run([info, words, *bad, frame(BINARY, b"\1"), frame(BINARY, b""), away])
    assert not newest.joints and link.dropped


def test_many_long_schemas_take_bounded_memory_and_are_looked_through_once():
    dialect = Foxglove(LiveWish())
    schema = "float64 x\n" * 300_000

    def tell(number, schema):
        channel = {"id": number, "topic": f"/t{number}", "schemaName": "a/B", "encoding": "ros1",
                   "schema": schema}  # fmt: skip
        words = {"op": "advertise", "channels": [channel]}
        dialect.receive(Message(FrameKind.TEXT, json.dumps(words).encode()), 0)

    for number in range(40):
        tell(number % 30, schema)
    held = sum(len(each.schema) for each in dialect.channels.values())
    assert held == dialect.schemas <= MOST_SCHEMAS and dialect.dropped > 5
    for _ in within(3):
        for number in range(100, 400):
            tell(number, "")
    gone = {"op": "unadvertise", "channelIds": list(range(30))}
    dialect.receive(Message(FrameKind.TEXT, json.dumps(gone).encode()), 0)
    assert dialect.schemas == 0 and len(dialect.channels) == 300
