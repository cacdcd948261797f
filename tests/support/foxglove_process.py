# SPDX-License-Identifier: GPL-3.0-or-later
"""The real server of foxglove-sdk, in a process of its own, and how tests talk to that process.

It reads lines of JSON: {"topic", "type", "encoding", "schema", "ros", "data" (hex), "log"}
publishes ("schema" is hex for Protocol Buffers), and is sent again to those who ask later if it is
"latched"; {"parameter", "value"} sets a parameter; and an empty line ends it. It writes its port,
then a line of JSON for each message of a client.
"""

import base64
import importlib
import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

DATA = Path(__file__).resolve().parents[1] / "data" / "live"


class FoxgloveServer:
    """The process, from outside."""

    def __init__(self, *words: str) -> None:
        """Takes "publish" for a server that takes messages, "secure" for one with a certificate,
        "parameters" for one that tells them."""
        self._process = subprocess.Popen(
            [sys.executable, __file__, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._heard: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self.port = int(self._heard.get(timeout=60))
        self.url = f"{'wss' if 'secure' in words else 'ws'}://localhost:{self.port}"

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._heard.put(line)

    def publish(self, topic: str, data: bytes, **words: Any) -> None:
        """Sends a message to those who asked for the topic."""
        self._say({"topic": topic, "data": data.hex(), **words})

    def set_parameter(self, name: str, value: str) -> None:
        """Sets a parameter."""
        self._say({"parameter": name, "value": value})

    def _say(self, told: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()

    def heard(self) -> list[dict[str, Any]]:
        """Returns what clients sent since the last time."""
        found = []
        while not self._heard.empty():
            found.append(json.loads(self._heard.get()))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.kill()
        self._process.wait(60)
        self._process.stdin.close()
        self._process.stdout.close()


def _serve(words: list[str]) -> None:
    foxglove: Any = importlib.import_module("foxglove")

    parameters: dict[str, str] = {}
    kept: dict[str, tuple[Any, bytes]] = {}

    class Listener:
        def __init__(self) -> None:
            self.channels: dict[int, Any] = {}

        def on_get_parameters(
            self, client: Any, names: list[str], request: Any = None
        ) -> list[Any]:
            told = {name: parameters[name] for name in names or parameters if name in parameters}
            return [foxglove.Parameter(name, value=value) for name, value in told.items()]

        def on_client_advertise(self, client: Any, channel: Any) -> None:
            self.channels[channel.id] = channel

        def on_message_data(self, client: Any, client_channel_id: int, data: bytes) -> None:
            channel = self.channels[client_channel_id]
            told = {
                "topic": channel.topic,
                "type": channel.schema_name,
                "encoding": channel.encoding,
                "data": base64.b16encode(data).decode(),
            }
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()

        def on_client_unadvertise(self, client: Any, client_channel_id: int) -> None:
            self.channels.pop(client_channel_id)

        def on_subscribe(self, client: Any, channel: Any) -> None:
            if channel.topic in kept:
                sender, data = kept[channel.topic]
                threading.Timer(0.05, sender.log, [data]).start()

        def on_unsubscribe(self, client: Any, channel: Any) -> None:
            pass

    secure: dict[str, Any] = {
        "tls_cert": (DATA / "localhost_certificate.pem").read_bytes(),
        "tls_key": (DATA / "localhost_key.pem").read_bytes(),
    }
    publishes = "publish" in words
    able = [foxglove.Capability.ClientPublish] if publishes else []
    able += [foxglove.Capability.Parameters] if "parameters" in words else []
    server = foxglove.start_server(
        host="127.0.0.1",
        port=0,
        server_listener=Listener(),
        capabilities=able,
        supported_encodings=["cdr"] if publishes else [],
        **(secure if "secure" in words else {}),
    )
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    _publish(foxglove, parameters, kept)


def _publish(foxglove: Any, parameters: dict[str, str], kept: dict[str, tuple[Any, bytes]]) -> None:
    channels: dict[str, Any] = {}
    for line in sys.stdin:
        told = json.loads(line)
        if "parameter" in told:
            parameters[told["parameter"]] = told["value"]
            continue
        if told["topic"] not in channels:
            channels[told["topic"]] = _make_channel(foxglove, told)
        data = bytes.fromhex(told["data"])
        if told.get("latched"):
            kept[told["topic"]] = channels[told["topic"]], data
        channels[told["topic"]].log(data, log_time=told["log"])


def _make_channel(foxglove: Any, told: dict[str, Any]) -> Any:
    of_ros = f"{told['ros']}msg" if told.get("ros") else ""
    named = {"json": "jsonschema", "protobuf": "protobuf"}.get(told["encoding"], of_ros)
    text = told["schema"]
    raw = bytes.fromhex(text) if named == "protobuf" else text.encode()
    schema = foxglove.Schema(name=told["type"], encoding=named, data=raw)
    return foxglove.Channel(told["topic"], schema=schema, message_encoding=told["encoding"])


if __name__ == "__main__":
    _serve(sys.argv[1:])
