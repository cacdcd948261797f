# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames and greetings, against a server's half that the tests have of their own."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.live_server import BINARY, PING, TEXT, frame, unmask, welcome
from urdf_importer import ConnectError
from urdf_importer.features.live.address import find_default, read_address
from urdf_importer.features.live.websocket import (
    MOST_GREETING,
    MOST_MESSAGE,
    MOST_PIECES,
    BrokenError,
    FrameKind,
    FrameReader,
    Greeting,
    format_frame,
)

HERE = read_address("ws://localhost:9090")


@given(st.binary(max_size=300) | st.integers(65_000, 70_000).map(bytes))
@example(b"x" * 125)
@example(b"x" * 126)
@example(b"x" * 65_535)
@example(b"x" * 65_536)
def test_what_is_sent_arrives(data):
    buffer = bytearray(format_frame(FrameKind.BINARY, data))
    assert unmask(buffer) == [(BINARY, data)]
    assert not buffer


PIECES = st.lists(st.binary(max_size=40), min_size=1, max_size=5)


@given(st.lists(PIECES, max_size=5), st.lists(st.integers(1, 7), min_size=1))
def test_messages_are_the_same_however_the_bytes_are_chopped(messages, sizes):
    """Pieces of a message, with pings between them."""
    stream = b""
    for parts in messages:
        for index, part in enumerate(parts):
            kind = TEXT if index == 0 else 0
            stream += frame(kind, part, last=index == len(parts) - 1)
            stream += frame(PING, b"?") if len(part) % 2 else b""
    frames, found, at = FrameReader(), [], 0
    while at < len(stream):
        size = sizes[at % len(sizes)]
        frames.feed(stream[at : at + size])
        at += size
        while (message := frames.next()) is not None:
            found.append(message)
    texts = [each.data for each in found if each.kind is FrameKind.TEXT]
    assert texts == [b"".join(parts) for parts in messages]
    pings = sum(len(part) % 2 for parts in messages for part in parts)
    assert sum(each.kind is FrameKind.PING for each in found) == pings


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (frame(TEXT, b"x", bits=0x40), "compresses"),
        (b"\x81\x81abcdx", "masks"),
        (frame(3, b""), "an unknown kind"),
        (frame(PING, b"x" * 126), "control frames"),
        (frame(PING, b"", last=False), "control frames"),
        (frame(0, b"x"), "do not belong together"),
        (frame(TEXT, b"x", last=False) + frame(TEXT, b"y"), "do not belong together"),
        (b"\x82\x7f" + (MOST_MESSAGE + 1).to_bytes(8, "big"), "bigger than 16 MiB"),
        (b"\x82\x7f" + b"\xff" * 8, "bigger than 16 MiB"),
        (frame(TEXT, b"", last=False) + frame(0, b"", last=False) * MOST_PIECES, "too many pieces"),
    ],
)
def test_a_server_that_breaks_the_rules_is_told_apart(data, words):
    frames = FrameReader()
    frames.feed(data)
    with pytest.raises(BrokenError, match=words):
        frames.next()


def test_many_pieces_are_no_more_than_a_message():
    frames = FrameReader()
    piece = bytes(MOST_MESSAGE // 2)
    frames.feed(frame(BINARY, piece, last=False) + frame(0, piece, last=False))
    assert frames.next() is None
    frames.feed(frame(0, b"!"))
    with pytest.raises(BrokenError, match="too big"):
        frames.next()


@given(st.lists(st.integers(1, 30), min_size=1))
def test_a_greeting_in_any_pieces(sizes):
    greeting = Greeting(HERE, ("a", "b"))
    answer = welcome(greeting.request, protocol="b") + b"rest"
    at, rest = 0, None
    while rest is None:
        size = sizes[at % len(sizes)]
        rest = greeting.receive(answer[at : at + size])
        at += size
    assert answer.startswith(answer[: at - len(rest)]) and b"rest".startswith(rest)
    assert (greeting.protocol, greeting.status) == ("b", 101)


def test_what_no_websocket_server_says():
    def tell(change):
        greeting = Greeting(HERE, ())
        with pytest.raises(BrokenError) as caught:
            greeting.receive(change(welcome(greeting.request)))
        return str(caught.value)

    assert "HTTP 400" in tell(lambda b: b"HTTP/1.1 400 Bad Request\r\n\r\n")
    for first in (b"SSH-2.0-x", b"HTTP/1.1 \xb2 x", b"HTTP/1.1 " + b"1" * 5000, b"HTTP/1.1 1"):
        assert "not a WebSocket server" in tell(lambda b, said=first: said + b"\r\n\r\n")
    assert "not a WebSocket's" in tell(lambda b: b.replace(b"Accept: ", b"Accept: x"))
    assert "not a WebSocket's" in tell(lambda b: b.replace(b"Upgrade: websocket", b"X: y"))
    assert "has no end" in tell(lambda b: b"x" * (MOST_GREETING + 1))
    deflate = b"Server: x\r\nSec-WebSocket-Extensions: permessage-deflate"
    assert "compression" in tell(lambda b: b.replace(b"Server: stand-in", deflate))
    other = b"Server: x\r\nSec-WebSocket-Protocol: mqtt"
    assert "not offered" in tell(lambda b: b.replace(b"Server: stand-in", other))


@pytest.mark.parametrize(
    ("text", "host", "port", "local"),
    [
        ("ws://localhost:9090", "localhost", 9090, True),
        ("localhost", "localhost", 9090, True),
        ("127.0.0.2:8765", "127.0.0.2", 8765, True),
        ("wss://[::1]/robots?name=a", "::1", 443, True),
        ("ws://Robot.local", "robot.local", 9090, False),
        ("ws://localhost.evil.example", "localhost.evil.example", 9090, False),
        ("192.168.1.20", "192.168.1.20", 9090, False),
    ],
)
def test_addresses(text, host, port, local):
    found = read_address(text)
    assert (found.host, found.port, found.is_local) == (host, port, local)
    assert read_address(str(found)) == found


NONE = "http://a", "ws://", "ws://a:b", "ws://a:99999", "ws://a b", "ws://u:p@a", "ws://ä"


@pytest.mark.parametrize("text", [*NONE, "ws://a\r\nb"])
def test_what_is_no_address(text):
    with pytest.raises(ConnectError):
        read_address(text)


def test_the_environment_names_a_server():
    assert find_default({}) == "ws://localhost:9090"
    assert find_default({"ROS_MASTER_URI": "http://robot:11311"}) == "ws://robot:9090"
    assert find_default({"ROS_MASTER_URI": "http://[::1]:11311"}) == "ws://[::1]:9090"
    assert find_default({"ROS_MASTER_URI": "http://[x"}) == "ws://localhost:9090"
    both = {"ROS_MASTER_URI": "http://a:1", "ROSBRIDGE_URL": "wss://b/c"}
    assert find_default(both) == "wss://b/c"
