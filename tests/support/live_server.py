# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for rosbridge_suite, with a WebSocket server's half of its own.

It answers as the real one was seen to: the first message on a topic that nobody publishes is never
sent, errors are not told, NaN is null, and unless rosapi runs, a call of it fails. Run as a program
it waves two joints of a robot: python live_server.py PORT JOINT [JOINT...].
"""

import base64
import hashlib
import json
import math
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


SECONDS = 20.0
"""How long `until` waits: far longer than anything takes on a busy machine."""


def until(condition: Callable[[], object], *steps: Callable[[], object]) -> None:
    """Steps both sides in turn until something holds."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it never came"
        for step in steps:
            step()


def frame(kind: int, data: bytes, *, last: bool = True, bits: int = 0) -> bytes:
    """Returns a frame as servers send them."""
    head = bytes([(128 if last else 0) | bits | kind])
    if len(data) < 126:
        return head + bytes([len(data)]) + data
    if len(data) < 65536:
        return head + struct.pack(">BH", 126, len(data)) + data
    return head + struct.pack(">BQ", 127, len(data)) + data


def welcome(request: bytes, *, protocol: str = "", extension: str = "") -> bytes:
    """Returns the answer to a greeting."""
    key = next(
        line.split(b":", 1)[1].strip()
        for line in request.split(b"\r\n")
        if line.lower().startswith(b"sec-websocket-key:")
    )
    accept = base64.b64encode(hashlib.sha1(key + _MAGIC.encode()).digest()).decode()
    lines = [
        "HTTP/1.1 101 Switching Protocols",
        "Server: stand-in",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Accept: {accept}",
    ]
    lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
    lines += [f"Sec-WebSocket-Extensions: {extension}"] if extension else []
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def unmask(buffer: bytearray) -> list[tuple[int, bytes]]:
    """Takes the whole frames of a client out of a buffer; they must be masked."""
    found = []
    while len(buffer) >= 6:
        size, at = buffer[1] & 127, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, at = int.from_bytes(buffer[2 : 2 + width], "big"), 2 + width
        if len(buffer) < at + 4 + size:
            break
        assert buffer[1] & 128, "a client must mask"
        assert buffer[0] & 0x70 == 0
        mask, body = buffer[at : at + 4], buffer[at + 4 : at + 4 + size]
        found.append((buffer[0] & 15, bytes(b ^ mask[i % 4] for i, b in enumerate(body))))
        del buffer[: at + 4 + size]
    return found


@dataclass
class Client:
    """What the server knows of one."""

    socket: socket.socket
    greeted: bool = False
    buffer: bytearray = field(default_factory=bytearray)
    topics: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)


class Standin:
    """Polled, too: tests step the server and the client in turn, in one thread."""

    def __init__(self, port: int = 0, *, topics: dict[str, str] | None = None) -> None:
        """Takes topics -> types that rosapi tells of; None where no rosapi runs."""
        self.listener = socket.create_server(("127.0.0.1", port))
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.url = f"ws://localhost:{self.port}"
        self.topics = topics
        self.clients: list[Client] = []
        self.heard: list[dict[str, Any]] = []
        self.latched: dict[str, dict[str, Any]] = {}
        self.parameters: dict[str, str] = {}
        self.requests: list[bytes] = []

    def step(self) -> None:
        """Takes who comes and what they say."""
        if select.select([self.listener], [], [], 0)[0]:
            guest, _ = self.listener.accept()
            guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.clients.append(Client(guest))
        for client in list(self.clients):
            while select.select([client.socket], [], [], 0)[0]:
                try:
                    data = client.socket.recv(65536)
                except ConnectionResetError:
                    data = b""
                if not data:
                    client.socket.close()
                    self.clients.remove(client)
                    break
                client.buffer += data
                self._take(client)

    def _take(self, client: Client) -> None:
        if not client.greeted:
            head, found, rest = bytes(client.buffer).partition(b"\r\n\r\n")
            if not found:
                return
            self.requests.append(head)
            client.greeted, client.buffer = True, bytearray(rest)
            client.socket.sendall(welcome(head))
        for kind, data in unmask(client.buffer):
            if kind == TEXT:
                self._answer(client, json.loads(data))
            elif kind == PING:
                client.socket.sendall(frame(PONG, data))

    def _answer(self, client: Client, words: dict[str, Any]) -> None:
        self.heard.append(words)
        if words["op"] == "subscribe":
            client.topics[words["topic"]] = words.get("type", "")
            client.lengths[words["topic"]] = words.get("queue_length", 0)
            if words["topic"] in self.latched:
                self.publish(words["topic"], self.latched[words["topic"]])
        elif words["op"] == "unsubscribe":
            client.topics.pop(words["topic"], None)
        elif words["op"] == "call_service":
            told = self.topics is not None
            values: Any = "Service /rosapi/topics does not exist"
            if self.topics is not None and words["service"] == "/rosapi/get_param":
                values = {"value": json.dumps(self.parameters.get(words["args"]["name"], ""))}
            elif self.topics is not None:
                values = {"topics": list(self.topics), "types": list(self.topics.values())}
            answer = {"op": "service_response", "id": words["id"], "values": values, "result": told}
            client.socket.sendall(frame(TEXT, json.dumps(answer).replace("/", r"\/").encode()))

    def publish(self, topic: str, message: dict[str, Any]) -> int:
        """Sends a message to those who asked for the topic; returns how many these are."""
        text = json.dumps({"op": "publish", "topic": topic, "msg": message}, allow_nan=False)
        asked = [client for client in self.clients if topic in client.topics]
        for client in asked:
            client.socket.setblocking(True)
            client.socket.sendall(frame(TEXT, text.replace("/", r"\/").encode()))
        return len(asked)

    def send(self, data: bytes) -> None:
        """Sends bytes as they are to everybody."""
        for client in self.clients:
            client.socket.sendall(data)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Runs beside the test, in a thread of its own, for clients that wait."""
        is_over = threading.Event()

        def run() -> None:
            while not is_over.wait(0.001):
                self.step()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join(SECONDS)

    def close(self) -> None:
        """Dies, with all connections."""
        for client in self.clients:
            client.socket.close()
        self.clients.clear()
        self.listener.close()


def joint_state(joints: Mapping[str, float | None], stamp: float = 1.0) -> dict[str, Any]:
    """Returns a JointState as ROS 1 has it; None is NaN."""
    seconds = math.floor(stamp)
    return {
        "header": {
            "seq": 0,
            "stamp": {"secs": seconds, "nsecs": round((stamp - seconds) * 1e9)},
            "frame_id": "",
        },
        "name": list(joints),
        "position": list(joints.values()),
        "velocity": [],
        "effort": [],
    }


def transform(parent: str, child: str, place: float, stamp: float = 1.0) -> dict[str, Any]:
    """Returns a TFMessage of one frame, moved along X."""
    return {
        "transforms": [
            {
                "header": joint_state({}, stamp)["header"] | {"frame_id": parent},
                "child_frame_id": child,
                "transform": {
                    "translation": {"x": place, "y": 0.0, "z": 0.0},
                    "rotation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0},
                },
            }
        ]
    }


def _main(port: int, joints: list[str]) -> None:
    """Waves until its standard input ends."""
    server = Standin(port)
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    began = time.time()
    while not select.select([sys.stdin], [], [], 0.01)[0]:
        server.step()
        now = time.time()
        places = {
            name: 0.5 + 0.3 * math.sin(3 * (now - began) + i) for i, name in enumerate(joints)
        }
        server.publish("/joint_states", joint_state(places, now))
    server.close()


if __name__ == "__main__":
    _main(int(sys.argv[1]), sys.argv[2:])
