# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to servers that are there, that are not, and that are not what they should be."""

import json
import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.live_server import (
    CLOSE,
    PING,
    TEXT,
    Standin,
    frame,
    joint_state,
    transform,
    unmask,
    until,
)
from support.scripted_stream import Clock, Scripted, connect_to, send
from support.seconds import within
from urdf_importer import Diagnostics, ReadError, Trajectory
from urdf_importer.features.live.address import read_address
from urdf_importer.features.live.arrivals import Newest, Recording
from urdf_importer.features.live.connection import PATIENCE, QUIET, SILENT, Connection
from urdf_importer.features.live.dialect import LiveWish
from urdf_importer.features.live.packed import pack_motion, to_json
from urdf_importer.features.live.rosbridge import Rosbridge
from urdf_importer.features.live.websocket import FrameKind, Message
from urdf_importer.features.motion.trajectory import FrameTrack

DEADLINE = 20.0
TOPICS = {"/joint_states": "sensor_msgs/msg/JointState", "/chatter": "std_msgs/msg/String"}


def published(topic, message):
    words = {"op": "publish", "topic": topic, "msg": message}
    return frame(TEXT, json.dumps(words).encode())


class Watch:
    """A connection and what came over it."""

    def __init__(self, connection):
        self.connection, self.newest, self.recording = connection, Newest(), Recording()

    def poll(self):
        arrivals = self.connection.poll()
        self.newest.update(arrivals)
        self.recording.add(arrivals)

    @property
    def pose(self):
        """The newest position of each joint, whoever said it."""
        said = [(order, name, value) for each in self.newest.joints.values()
                for name, (order, value) in each.items()]  # fmt: skip
        return {name: value for _, name, value in sorted(said)}


@pytest.fixture
def server():
    made = Standin(topics=TOPICS)
    yield made
    made.close()


@pytest.fixture
def link_to():
    """Connects to a server; all are closed behind the test."""
    made = []

    def connect(server, **wish):
        made.append(Watch(Connection(read_address(server.url), LiveWish(**wish))))
        return made[-1]

    yield connect
    for each in made:
        each.connection.close()


def test_the_newest_state_of_each_publisher_is_there(server, link_to):
    watch = link_to(server)
    until(lambda: len(server.heard) >= 4, server.step, watch.poll)
    assert watch.connection.state == "connected" and not watch.connection.error
    server.publish("/joint_states", joint_state({"a": 1.0, "b": 2.0}))
    server.publish("/joint_states", joint_state({"grip": 0.5}))
    server.publish("/joint_states", joint_state({"a": 1.5, "b": None}))
    server.publish("/tf", transform("odom", "base", 3.0))
    until(lambda: watch.newest.frames and watch.pose.get("a") == 1.5, server.step, watch.poll)
    assert watch.pose == {"a": 1.5, "b": 2.0, "grip": 0.5}
    track = watch.newest.tracks()[0]
    assert (track.parent, track.child, track.translations[0, 0]) == ("odom", "base", 3.0)
    assert watch.connection.topics["/joint_states"] == "sensor_msgs/JointState"


def test_a_server_that_dies_is_found_again(server, link_to):
    watch = link_to(server)
    until(lambda: server.clients and server.heard, server.step, watch.poll)
    server.close()
    until(lambda: watch.connection.state == "waiting", watch.poll)
    assert watch.connection.error
    again = Standin(server.port)
    until(lambda: again.clients and again.clients[0].topics, again.step, watch.poll)
    again.publish("/joint_states", joint_state({"a": 2.5}))
    until(lambda: watch.pose == {"a": 2.5}, again.step, watch.poll)
    assert watch.connection.state == "connected" and not watch.connection.error
    watch.connection.close()
    until(lambda: not again.clients, again.step)
    again.close()


def test_nobody_there_is_no_reason_to_wait():
    """A port that nothing listens on; the pauses grow, each poll is short."""
    with Standin(0).listener as taken:
        port = taken.getsockname()[1]
    clock = Clock()
    connection = Connection(read_address(f"127.0.0.1:{port}"), LiveWish(), clock=clock)
    pauses = []
    end = time.monotonic() + DEADLINE
    while len(pauses) < 7 and time.monotonic() < end:
        connection.poll()
        if connection.state == "waiting":
            assert "nothing listens" in connection.error
            before = clock.now
            while connection.state == "waiting":
                clock.now += 0.25
                connection.poll()
            pauses.append(clock.now - before)
    connection.close()
    assert pauses == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0]


def test_all_addresses_of_a_host_are_tried(server):
    """This computer has two; the stand-in listens at the first, or only at the second."""
    tried = []

    def open_stream(address, place):
        tried.append(place)
        if len(tried) == 1:
            raise ConnectionRefusedError
        return Scripted([])

    connection = Connection(read_address("localhost"), LiveWish(), open_stream=open_stream)
    for _ in range(5):
        connection.poll()
    assert [place[1][0] for place in tried] == ["127.0.0.1", "::1"]
    assert connection.state == "connected"


def test_a_name_is_looked_up_once_and_said_before():
    looked = []

    def find(address):
        looked.append(address.host)
        return [(2, ("192.0.2.1", 9090))]

    def refuse(address, place):
        raise ConnectionRefusedError

    clock = Clock()
    connection = Connection(
        read_address("ws://robot"), LiveWish(), clock=clock, find=find, open_stream=refuse
    )
    assert connection.detail == "looking up robot"
    connection.poll()
    assert not looked and connection.detail == "looking up robot"
    for _ in range(10):
        connection.poll()
        clock.now += 10
    assert looked == ["robot"]


def test_recording_asks_for_every_message(server, link_to):
    watch = link_to(server)
    until(lambda: server.clients and server.clients[0].topics, server.step, watch.poll)
    assert server.clients[0].lengths["/joint_states"] == 1
    watch.connection.set_recording(True)
    until(lambda: server.clients[0].lengths["/joint_states"] == 0, server.step, watch.poll)
    for i in range(2500):
        server.publish("/joint_states", joint_state({"a": i / 10, "b": -i}, 10 + i / 100))
        watch.poll()
    until(lambda: watch.recording.count >= 2500, server.step, watch.poll)
    motion = watch.recording.finish(Diagnostics(), source="here", topic="/joint_states")
    assert motion.names == ("a", "b") and len(motion.times) == 2500
    assert np.allclose(motion.times, np.arange(2500) / 100, atol=1e-8)
    assert np.array_equal(motion.positions[:, 0], np.arange(2500) / 10)
    assert motion.start_time == 10_000_000_000


def test_the_only_topic_with_joints_is_taken(link_to):
    server = Standin(topics={"/left/joint_states": "sensor_msgs/JointState"})
    watch = link_to(server)
    until(lambda: server.clients and "/left/joint_states" in server.clients[0].topics,
          server.step, watch.poll)  # fmt: skip
    assert "/joint_states" not in server.clients[0].topics
    server.close()


def test_robots_have_their_own_topics(server, link_to):
    watch = link_to(server, namespace="left")
    until(lambda: server.clients and server.clients[0].topics, server.step, watch.poll)
    assert "/left/joint_states" in server.clients[0].topics


def test_transforms_of_own_links_are_passed_over(server, link_to):
    watch = link_to(server, skips=frozenset(["arm"]))
    until(lambda: server.clients and "/tf" in server.clients[0].topics, server.step, watch.poll)
    server.publish("/tf", transform("base", "/arm", 1.0))
    server.publish("/tf", transform("odom", "base", 2.0))
    until(lambda: watch.newest.frames, server.step, watch.poll)
    assert list(watch.newest.frames) == [("odom", "base")]


def test_what_is_sent_is_a_message_of_ros(server, link_to):
    watch = link_to(server, takes=False)
    until(lambda: watch.connection.state == "connected", server.step, watch.poll)
    state = Trajectory(
        names=("a",), times=(0.0,), positions=((0.5,),), velocities=((2.0,),), start_time=3 * 10**9
    )
    command = Trajectory(
        names=("a",), times=(0, 1.25), positions=((0,), (1,)), interpolation="spline"
    )
    assert send(watch.connection, "/blender/joint_states", state)
    assert send(watch.connection, "/blender/joint_states", state)
    assert send(watch.connection, "/arm/command", command)
    until(lambda: len(server.heard) == 6, server.step, watch.poll)
    said = [(each["op"], each.get("topic")) for each in server.heard[1:]]
    to = "/blender/joint_states"
    assert said[:3] == [("advertise", to), ("publish", to), ("publish", to)]
    assert server.heard[1]["type"] == "sensor_msgs/JointState"
    assert server.heard[2]["msg"]["position"] == [0.5]
    assert server.heard[2]["msg"]["velocity"] == [2.0]
    assert server.heard[2]["msg"]["header"]["stamp"]["secs"] == 3
    points = server.heard[5]["msg"]["points"]
    assert points[1]["time_from_start"] == {
        "sec": 1, "nanosec": 250_000_000, "secs": 1, "nsecs": 250_000_000,
    }  # fmt: skip
    assert "header" not in server.heard[5]["msg"]


def test_all_frames_of_a_motion_are_one_message():
    """More frames than a connection keeps messages go out too."""
    tracks = [
        FrameTrack(
            parent="world",
            child=f"link_{i}",
            times=np.zeros(1),
            translations=np.array([(i, 2.0, 3.0)]),
            quaternions=np.array([(0.0, 0.0, 0.0, 1.0)]),
        )
        for i in range(150)
    ]
    moved = Trajectory(
        names=(),
        times=np.empty(0),
        positions=np.empty((0, 0)),
        frames=tracks,
        start_time=3 * 10**9,
    )
    message = pack_motion("/tf", moved)
    said = json.loads(to_json(message))
    assert message.type == "tf2_msgs/TFMessage" and len(said["transforms"]) == 150
    assert said["transforms"][149]["transform"]["translation"] == {"x": 149.0, "y": 2.0, "z": 3.0}
    assert json.loads(to_json(replace(message, say=None))) == said


def test_silence_is_explained_and_then_mended():
    clock = Clock()
    stream = Scripted([])
    connection = connect_to(stream, clock=clock)
    for _ in range(4):
        connection.poll()
    assert connection.state == "connected"
    clock.now += SILENT + 0.1
    connection.poll()
    assert "no message on '/joint_states'" in connection.error
    stream.pieces.append(published("/joint_states", joint_state({"a": 1})))
    connection.poll()
    connection.poll()
    assert connection.error == ""


def test_a_server_that_does_not_answer_is_left():
    clock = Clock()
    stream = Scripted([])
    connection = connect_to(stream, clock=clock)
    for _ in range(4):
        connection.poll()
    stream.taken.clear()
    clock.now += QUIET + 0.1
    connection.poll()
    assert any(kind == PING for kind, _ in unmask(stream.taken))
    clock.now += QUIET + 0.1
    connection.poll()
    assert connection.state == "waiting" and "stopped answering" in connection.error
    assert not stream.is_open


def test_a_greeting_that_takes_for_ever_is_not_waited_for():
    """A byte at a time, each within a second."""
    clock = Clock()
    stream = Scripted([b"H"] * 1000, greets=False)
    connection = connect_to(stream, clock=clock)
    polls = 0
    while connection.state == "connecting":
        connection.poll()
        clock.now += 0.5
        polls += 1
    assert polls * 0.5 <= PATIENCE + 2
    assert "no answer from" in connection.error


def test_a_message_that_takes_for_ever_does_not_keep_a_server():
    """Bytes drip in, and no frame is ever whole."""
    clock = Clock()
    stream = Scripted([b"\x82\x7f" + (1000).to_bytes(8, "big"), *[b"x"] * 900])
    connection = connect_to(stream, clock=clock)
    while connection.state != "waiting":
        connection.poll()
        if connection.state == "connected":
            clock.now += 1.0
        assert clock.now < 200
    assert "stopped answering" in connection.error


def test_of_many_pings_one_is_answered():
    stream = Scripted([frame(PING, b"1") + frame(PING, b"2")])
    connection = connect_to(stream)
    for _ in range(4):
        connection.poll()
    _, _, rest = bytes(stream.taken).partition(b"\r\n\r\n")
    assert [data for kind, data in unmask(bytearray(rest)) if kind == 10] == [b"2"]


def test_a_server_that_refuses_a_protocol_is_asked_without():
    clock = Clock()
    refusal = [b"HTTP/1.1 400 Bad Request\r\n\r\n"]
    streams = [Scripted(refusal, greets=False), Scripted([])]
    taken = list(streams)
    connection = connect_to(lambda: streams.pop(0), clock=clock)
    while connection.state != "connected":
        connection.poll()
        clock.now += 0.1
        assert clock.now < 200
    assert b"Sec-WebSocket-Protocol" in taken[0].taken
    assert b"Sec-WebSocket-Protocol" not in taken[1].taken


def test_only_foxglove_will_do_if_that_is_wished():
    connection = connect_to(Scripted([]), protocol="foxglove")
    for _ in range(5):
        connection.poll()
    assert connection.state == "waiting"
    assert connection.error == "the server does not speak Foxglove's protocol"


def test_a_good_bye_is_answered_by_waiting():
    connection = connect_to(Scripted([frame(CLOSE, b"\3\xe8")]))
    for _ in range(4):
        connection.poll()
    assert connection.state == "waiting" and "ended the connection" in connection.error


def test_a_recording_of_nothing_is_a_sentence():
    with pytest.raises(ReadError, match="no position of any joint"):
        Recording().finish(Diagnostics(), source="here", topic="/joint_states")


NAMES = st.sampled_from(["a", "b", "c", "grip", ""])
NUMBERS = st.none() | st.floats(-9, 9)
STATES = st.dictionaries(NAMES, NUMBERS, max_size=4).map(joint_state)
HOSTILE = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["op", "msg", "topic", "name", "position", "points", "joint_names", "header", "stamp",
             "transforms", "transform", "child_frame_id", "pose", "values", "topics", "types",
             "secs", "nsecs", "time_from_start", "positions", "frames", "times", "translations"]
        ),
        inner, max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip
POINT = {"positions": [1.0], "velocities": [0.0], "time_from_start": {"sec": 1, "nanosec": 0}}
POSE = transform("odom", "base", 1.0)["transforms"][0]["transform"]
SOUND = st.sampled_from(
    [
        joint_state({"a": 1.0, "b": None}),
        transform("odom", "base", 1.0),
        {"joint_names": ["a"], "points": [POINT, POINT]},
        {"joint_names": ["a"], "points": [{"transforms": [POSE], "time_from_start": 1}]},
        {"joint_names": ["a"], "transforms": [POSE], "header": joint_state({})["header"]},
        {"joint_names": ["a"], "feedback": POINT, "desired": POINT, "header": {}},
        {"header": {"frame_id": "odom"}, "child_frame_id": "base",
         "pose": {"pose": {"position": POSE["translation"], "orientation": POSE["rotation"]}}},
        {"joint_names": [], "points": [], "frames": [
            {"parent": "p", "child": "c", "times": [0.0, 1.0],
             "translations": [[0, 0, 0], [1, 0, 0]], "quaternions": [[0, 0, 0, 1]] * 2}]},
    ]
)  # fmt: skip


@st.composite
def spoilt(draw):
    """A sound message with something odd somewhere in it."""
    message = json.loads(json.dumps(draw(SOUND)))
    at = message
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return message
        key = draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list) or draw(st.integers(0, 2)) == 0:
            at[key] = draw(HOSTILE)
            return message
        at = at[key]


SAID = st.one_of(
    spoilt().map(lambda each: published("/joint_states", each)),
    STATES.map(lambda state: published("/joint_states", state)),
    st.floats(-9, 9).map(lambda x: published("/tf", transform("odom", "base", x))),
    HOSTILE.map(lambda each: published("/joint_states", each)),
    HOSTILE.map(lambda each: frame(TEXT, json.dumps(each).encode())),
    st.binary(max_size=20).map(lambda data: frame(TEXT, data)),
    st.just(frame(PING, b"")),
)


def finish(pieces):
    """What is known after all pieces were read."""
    stream = Scripted(list(pieces))
    watch = Watch(connect_to(stream))
    while stream.pieces or stream.greets:
        watch.poll()
        assert watch.connection.state in ("connecting", "connected"), watch.connection.error
    watch.poll()
    frames = {key: block.translations[0, 0] for key, block in watch.newest.frames.items()}
    return watch.pose, frames, watch.connection.dropped + watch.newest.dropped


@settings(max_examples=60, deadline=None)
@given(st.lists(SAID, max_size=12), st.lists(st.integers(1, 400), min_size=1, max_size=9))
def test_the_pose_is_the_same_however_the_bytes_are_chopped(said, sizes):
    """Also what is sent to confuse: it is dropped, and nothing raises."""
    stream = b"".join(said)
    pieces, at = [], 0
    while at < len(stream):
        size = sizes[len(pieces) % len(sizes)]
        pieces += [stream[at : at + size], None]
        at += size
    chopped, whole = finish(pieces), finish([stream] if stream else [])
    assert chopped[:2] == whole[:2]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=200), max_size=6), st.booleans())
def test_any_bytes_end_in_a_state(pieces, greets):
    connection = connect_to(Scripted(pieces, greets=greets))
    for _ in range(12):
        connection.poll()
    assert connection.state in ("connecting", "connected", "waiting")


def fragments(message, size, name="f"):
    """A message in pieces, as rosbridge sends it where its texts are limited."""
    text = json.dumps({"op": "publish", "topic": "/joint_states", "msg": message})
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    return [
        frame(TEXT, json.dumps({"op": "fragment", "id": name, "data": part, "num": number,
                                "total": len(parts)}).encode())
        for number, part in enumerate(parts)
    ]  # fmt: skip


def test_messages_in_fragments_are_put_together():
    """In any order, between each other, and as long as messages may be."""
    one = fragments(joint_state({"\u00e4\U0001f916": 1.0}), 7, "one")
    two = fragments(joint_state({"b": 2.0}), 30, "two")[::-1]
    mixed = [each for pair in zip(one, [*two, *[b""] * len(one)], strict=False) for each in pair]
    assert finish([b"".join(mixed)])[::2] == ({"\u00e4\U0001f916": 1.0, "b": 2.0}, 0)
    # What was not finished is forgotten when others come.
    late = [part for i in range(20) for part in fragments(joint_state({"a": i}), 50, str(i))[:-1]]
    assert finish([*late, *fragments(joint_state({"b": 2.0}), 50, "b")])[::2] == ({"b": 2.0}, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"num": -1}, {"num": 2}, {"num": "0"}, {"num": 1.0}, {"total": 0}, {"total": 10**9},
        {"data": 5}, {"data": None}, {"data": '{"op": "fragment"'}, {"num": None},
    ],
)  # fmt: skip
def test_fragments_that_make_no_sense_are_dropped(change):
    words = {"op": "fragment", "id": "x", "data": "{}", "num": 0, "total": 1}
    odd = frame(TEXT, json.dumps(words | change).encode())
    assert finish([odd, published("/joint_states", joint_state({"a": 2}))])[::2] == ({"a": 2}, 1)


def test_names_as_long_as_messages_are_not_kept():
    """A server could fill the memory with a new one in each message."""
    long = "x" * 100_000
    stream = [published("/joint_states", joint_state({f"{long}{i}": 1.0})) for i in range(30)]
    stream += [published("/tf", transform("odom", f"{long}{i}", 1.0)) for i in range(30)]
    tracemalloc.start()
    pose, frames, _ = finish([*stream, published("/joint_states", joint_state({"a": 2}))])
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert (pose, frames) == ({"a": 2}, {}) and held < 1_000_000


def test_fragments_without_an_end_are_bounded():
    dialect = Rosbridge(LiveWish())
    piece = "x" * 1_000_000
    tracemalloc.start()
    for i in range(60):
        words = {"op": "fragment", "id": str(i % 20), "data": piece, "num": i, "total": 99}
        dialect.receive(Message(FrameKind.TEXT, json.dumps(words).encode()), 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.mark.parametrize(
    "bomb",
    [
        b"[" * 500_000,
        b'{"op": "publish", "topic": "/joint_states", "msg": '
        + b'{"a": ' * 5000 + b"1" + b"}" * 5001,
        b'{"op": "publish", "msg": ' + b"9" * 10_000 + b"}",
        b'{"op": "publish", "topic": "/joint_states", "msg": {"name": ['
        + b'"a",' * 300_000 + b'"a"], "position": [' + b"1," * 300_000 + b"1]}}",
        b"\xff\xfe{}",
        b" " * (5 * 2**20),
    ],
    ids=["deep", "deep message", "digits", "names", "encoding", "long"],
)  # fmt: skip
def test_bombs_are_dropped(bomb):
    stream = frame(TEXT, bomb) + published("/joint_states", joint_state({"a": 2}))
    for _ in within(5):
        pose, _, dropped = finish([stream])
        assert pose == {"a": 2} and dropped >= (0 if b'"name"' in bomb else 1)
