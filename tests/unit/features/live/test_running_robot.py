# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot of a running node, from real servers of both protocols, and from bad ones."""

import json
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from support.foxglove_process import FoxgloveServer
from support.live_server import TEXT, Standin, frame, welcome
from support.paths import ROOT
from support.recorded import START, serialize
from support.seconds import within
from urdf_importer import Diagnostics, ReadError, find_description, list_xacro_arguments, read_robot
from urdf_importer.cli import main
from urdf_importer.features.live.running import find_running
from urdf_importer.features.motion.recordings.definitions import text_of

URDF = (ROOT / "tests/data/so_arm.urdf").read_text()
STRING, TOPIC = "std_msgs/msg/String", "/robot_description"
NONE = "has no robot_description, as a topic or a parameter: start robot_state_publisher"


def latch(server, topic=TOPIC, text=URDF, encoding="cdr"):
    data = json.dumps({"data": text}).encode()
    schema, ros = "{}", ""
    if encoding == "cdr":
        data, schema, ros = serialize(STRING, {"data": text}), text_of("std_msgs/String", "cdr"), 2
    words = {"type": STRING, "encoding": encoding, "schema": schema, "log": START}
    server.publish(topic, data, ros=f"ros{ros}" if ros else "", latched=True, **words)


@pytest.fixture
def bridge():
    """A rosbridge that runs beside the test."""
    made = Standin(topics={})
    with made.running():
        yield made
    made.close()


def keep(server, topic, text=URDF):
    server.topics = {**server.topics, topic: STRING}
    server.latched[topic] = {"data": text}


@pytest.mark.parametrize("encoding", ["cdr", "json"])
def test_the_topic_of_a_foxglove_server(encoding):
    with FoxgloveServer() as server:
        latch(server, encoding=encoding)
        assert find_description(server.url) == URDF
        robot = read_robot(server.url)
        assert robot.name == "so_arm" and len(robot.joints) == 6 and robot.source == server.url
        assert main(["check", server.url]) == 0


def test_the_parameter_of_a_foxglove_server():
    for name in (TOPIC, "/robot_state_publisher.robot_description", "/left/rsp.robot_description"):
        with FoxgloveServer("parameters") as server:
            server.set_parameter("/other.update_rate", "30")
            server.set_parameter(name, URDF)
            latch(server, "/chatter", "nothing of interest")
            for _ in within(4):
                assert find_description(server.url) == URDF


def test_the_topic_and_the_parameter_of_rosbridge(bridge):
    bridge.parameters["/robot_description"] = URDF.replace("so_arm", "old")
    bridge.topics = {"/chatter": STRING}
    for _ in within(4):
        assert read_robot(bridge.url).name == "old"
    keep(bridge, TOPIC)
    assert find_description(bridge.url) == URDF
    assert list_xacro_arguments(bridge.url) == ()
    bridge.topics = None  # Without rosapi nobody tells of topics.
    assert find_description(bridge.url) == URDF


def test_several_robots_are_a_choice(bridge):
    keep(bridge, "/left/robot_description", "<robot name='left'><link name='a'/></robot>")
    assert read_robot(bridge.url).name == "left"
    keep(bridge, "/right/robot_description", "<robot name='right'/>")
    with pytest.raises(ReadError, match=r"topics have a robot description.*'/left/robot_d"):
        find_running(bridge.url, None, Diagnostics(), seconds=0.5)
    assert "'right'" in find_description(bridge.url, topic="/right/robot_description")
    with pytest.raises(ReadError, match="there is no topic '/middle' there"):
        find_running(bridge.url, "/middle", Diagnostics(), seconds=0.5)


def test_none_is_one_sentence(bridge, capsys):
    with pytest.raises(ReadError, match=NONE) as caught:
        find_running(bridge.url, None, Diagnostics(), seconds=0.3)
    assert caught.value.source == bridge.url
    with FoxgloveServer("parameters") as server, pytest.raises(ReadError, match=NONE):
        find_running(server.url, None, Diagnostics(), seconds=0.5)
    free = socket.create_server(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    for _ in within(4):
        assert main(["check", f"ws://127.0.0.1:{port}"]) == 1
    assert f"nothing listens at 127.0.0.1:{port}" in capsys.readouterr().err
    for url in ("ws://", "ws://user:secret@robot", "ws://robot:99999", "ws://ro bot"):
        with pytest.raises(ReadError, match="address"):
            read_robot(url)


def test_other_computers_can_be_read_by_others():
    diagnostics = Diagnostics()
    # 192.0.2.0/24 is no one's (RFC 5737).
    with pytest.raises(ReadError):
        find_running("ws://192.0.2.1", None, diagnostics, seconds=0.1)
    assert [each.code for each in diagnostics] == ["open-connection"]


@contextmanager
def hostile(answer, protocol=""):
    """Runs a server that greets, and then says whatever `answer` sends."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                guest, _ = listener.accept()
                with guest:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        head += guest.recv(65536)
                    guest.sendall(welcome(head, protocol=protocol))
                    answer(guest)
            except OSError:
                if listener.fileno() < 0:
                    return

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def told(**words):
    return frame(TEXT, json.dumps(words).encode())


def endless(guest):
    """Descriptions of other topics, as fast as they go."""
    words = told(op="publish", topic="/chatter", msg={"data": "x" * 100_000})
    while True:
        guest.sendall(words)


def many_parameters(guest):
    listed = [{"name": f"/{i}/robot_description", "value": f"x{i}" * 100} for i in range(5_000)]
    guest.sendall(told(op="serverInfo", capabilities=["parameters"]))
    guest.sendall(told(op="parameterValues", parameters=[*listed, 3, {"name": 1}], id=[]))
    guest.sendall(told(op="parameterValues", parameters="x"))
    time.sleep(2)


def odd_values(guest):
    for value in (3, None, "[1]", "{", "\ud800", "[" * 10_000):
        guest.sendall(told(op="service_response", id=TOPIC, values={"value": value}))
    for data in (3, None, [], {}, "", ["<robot/>"]):
        guest.sendall(told(op="publish", topic=TOPIC, msg={"data": data}))
    guest.sendall(told(op="publish", topic=TOPIC, msg=[]))
    time.sleep(2)


@pytest.mark.parametrize(
    ("answer", "protocol"),
    [
        (endless, ""), (endless, "foxglove.sdk.v1"), (many_parameters, "foxglove.sdk.v1"),
        (odd_values, ""), (lambda guest: time.sleep(2), ""), (lambda guest: None, ""),
        (lambda guest: guest.sendall(b"\x81\x7f\xff" + b"\xff" * 100), ""),
    ],
)  # fmt: skip
def test_bad_servers_end_in_one_sentence(answer, protocol):
    with hostile(answer, protocol) as url:
        for _ in within(6):
            with pytest.raises(ReadError) as caught:
                find_running(url, None, Diagnostics(), seconds=0.4)
    assert "\n" not in caught.value.message and caught.value.source == url


def test_text_that_is_no_robot_is_refused(bridge):
    for text in ("\ud800", "no robot", "<robot", "<robot name='x'/>"):
        keep(bridge, TOPIC, text)
        with pytest.raises(ReadError) as caught:
            read_robot(bridge.url)
        assert caught.value.source == bridge.url


def test_files_are_found_in_named_packages_alone(bridge, tmp_path, monkeypatch):
    """A server must not learn, by a name in its description, of files where the user is."""
    package = tmp_path / "arm_description"
    package.mkdir()
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    mesh = (ROOT / "sample_urdfs/meshes/wheel.stl").read_bytes()
    (package / "a.stl").write_bytes(mesh)
    keep(bridge, TOPIC, "".join((
        "<robot name='x'><link name='a'><visual><geometry><mesh filename='package://",
        "arm_description/a.stl'/></geometry></visual></link></robot>",
    )))  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--strict", bridge.url]) == 1
    assert main(["check", "--strict", bridge.url, "--package-path", str(tmp_path)]) == 0
