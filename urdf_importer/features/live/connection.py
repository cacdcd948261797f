# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection that is kept: made, greeted, read, mended after a while; a little at each poll.

Nothing waits and no behaviour of a server raises. Each poll takes 3 ms or little more; after a long
pause, as long as a redraw may take, up to 20 ms, so that nothing piles up. Unread data stays with
the system, and in the end with the server.
"""

import contextlib
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Literal

from ...core.diagnostics import quote
from .address import Address
from .dialect import Arrival, Dialect, LiveWish
from .foxglove import Foxglove
from .options import ProtocolKind
from .packed import Packed
from .rosbridge import Rosbridge
from .stream import LiveStream, Place, look_up
from .websocket import BrokenError, FrameKind, FrameReader, Greeting, format_frame

State = Literal["connecting", "connected", "waiting", "closed"]
BUDGET = 0.0015
MOST_BUDGET = 0.010
"""Seconds of reading; keeping and showing the data takes about as long again."""
_SHARE = 0.025
"""Of the time since the last poll, where that gives more."""
PATIENCE = 5.0
"""Seconds in which a server must be reached and must greet."""
QUIET = 5.0
"""Seconds without a message after which it is asked whether it is still there; as many again, and
it is not."""
SILENT = 3.0
"""Seconds without a motion after which the user is informed."""
WAITS = (0.5, 1.0, 2.0, 4.0, 5.0)
MOST_UNSENT = 256 * 1024
_DIALECTS: dict[str, type[Dialect]] = {"rosbridge": Rosbridge, "foxglove": Foxglove}


@dataclass(slots=True)
class _Talk:
    """The state of one try."""

    stream: LiveStream
    since: float
    greeting: Greeting | None = None
    frames: FrameReader = field(default_factory=FrameReader)
    unsent: bytearray = field(default_factory=bytearray)
    heard: float = 0.0
    asked: bool = False
    answered: float = 0.0
    pong: bytes | None = None


class Connection:
    """A link to one server. `state` is its state, `error` the last or present fault, in a sentence;
    empty where all is well."""

    def __init__(
        self,
        address: Address,
        wish: LiveWish,
        protocol: ProtocolKind = "auto",
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], int] = time.time_ns,
        find: Callable[[Address], list[Place]] = look_up,
        open_stream: Callable[[Address, Place], LiveStream] = LiveStream,
    ) -> None:
        self.address = address
        self.state: State = "connecting"
        self.error = ""
        self.dialect: Dialect | None = None
        self.lost = 0
        self._wish = wish
        self._protocol: ProtocolKind = protocol
        self._clock, self._wall = clock, wall
        self._find, self._open = find, open_stream
        self._talk: _Talk | None = None
        self._places: Iterator[Place] | None = None
        self._left = 0
        """Places that are still to be tried before a pause."""
        self._count = 0
        self.tries = 0
        """How often it failed since it was connected."""
        self._until = 0.0
        self._polled = clock()
        self._offers = protocol != "rosbridge"
        self._recording = False
        self._is_named = address.is_numeric or address.host == "localhost"
        self._told = False

    @property
    def detail(self) -> str:
        """The present activity, in a few words."""
        if self.state == "connecting" and self._places is None and not self._is_named:
            return f"looking up {self.address.host}"
        if self.state == "waiting":
            return f"trying again in {max(self._until - self._clock(), 0.0):.1f} s"
        if self.state == "connected" and self.dialect is not None:
            return "Foxglove" if isinstance(self.dialect, Foxglove) else "rosbridge"
        return ""

    @property
    def topics(self) -> dict[str, str]:
        """The topics that the server announces, with their types."""
        return {} if self.dialect is None else dict(self.dialect.topics)

    @property
    def dropped(self) -> int:
        """How many messages made no sense."""
        return self.lost + (0 if self.dialect is None else self.dialect.dropped)

    def poll(self) -> list[Arrival]:
        """Continues a little, and returns the arrivals."""
        now = self._clock()
        budget = min(max(BUDGET, _SHARE * (now - self._polled)), MOST_BUDGET)
        self._polled = now
        try:
            return self._step(now, now + budget)
        except BrokenError as error:
            self._give_up(str(error))
        except ConnectionRefusedError:
            # A refusal by another address of the host must not hide the error of the first.
            going = self.state == "connecting" and self._left < self._count - 1
            nobody = f"nothing listens at {self.address.netloc}"
            self._give_up(self.error if going and self.error else nobody)
        except OSError as error:
            self._give_up(_explain(error, self.address))
        return []

    def set_recording(self, is_on: bool) -> None:
        """Asks for all messages, or only for the newest."""
        self._recording = is_on
        if self.dialect is not None:
            self.dialect.set_recording(is_on)

    def publish(self, message: Packed) -> bool:
        """Sends a message with the next poll. Returns whether it goes out: not while the server has
        not taken earlier messages, nor without a connection. Raises ConnectError where it takes
        none."""
        talk, dialect = self._talk, self.dialect
        if self.state != "connected" or talk is None or dialect is None:
            return False
        if len(talk.unsent) > MOST_UNSENT or len(dialect.outgoing) > 100:
            return False
        dialect.publish(message)
        return True

    def close(self) -> None:
        """Says good-bye, as far as that goes without waiting, and ends for good."""
        talk, self._talk = self._talk, None
        if talk is not None:
            if self.state == "connected":
                talk.unsent += format_frame(FrameKind.CLOSE, (1000).to_bytes(2, "big"))
                # It may be gone already.
                with contextlib.suppress(OSError):
                    talk.stream.write(bytes(talk.unsent))
            talk.stream.close()
        self.state = "closed"

    def _step(self, now: float, until: float) -> list[Arrival]:
        if self.state == "closed" or (self.state == "waiting" and now < self._until):
            return []
        if self.state == "waiting":
            self.state = "connecting"
        if self._talk is None:
            self._begin(now)
            return []
        if self.state == "connecting":
            self._greet(self._talk, now)
            return []
        arrivals = self._read(self._talk, until)
        if self._talk is not None:
            self._look_after(self._talk, arrivals, now)
            self._send(self._talk)
        return arrivals

    def _begin(self, now: float) -> None:
        if self._places is None:
            if not self._is_named and not self._told:
                self._told = True  # So that the drawn state shows the slow step.
                return
            places = self._find(self.address)
            if not places:
                raise OSError("the host has no address")
            self._places, self._count = cycle(places), len(places)
        if not self._left:
            self._left = self._count
        self._left -= 1
        self._talk = _Talk(self._open(self.address, next(self._places)), now)

    def _greet(self, talk: _Talk, now: float) -> None:
        """Continues until the server's greeting is whole."""
        if now - talk.since > PATIENCE:
            raise BrokenError(f"no answer from {self.address}")
        if talk.greeting is None:
            if not talk.stream.advance():
                return
            offered = Foxglove.protocols if self._offers else ()
            talk.greeting = Greeting(self.address, offered)
            talk.unsent += talk.greeting.request
        self._flush(talk)
        data = talk.stream.read()
        if data == b"":
            raise BrokenError("the server closed the connection before its greeting")
        rest = talk.greeting.receive(data) if data else None
        if rest is not None:
            talk.frames.feed(rest)
            self._welcome(talk, talk.greeting.protocol, now)

    def _welcome(self, talk: _Talk, protocol: str, now: float) -> None:
        if self._protocol == "foxglove" and not protocol:
            raise BrokenError("the server does not speak Foxglove's protocol")
        name = "foxglove" if protocol else "rosbridge"
        self.dialect = _DIALECTS[name](self._wish)
        self.dialect.is_recording = self._recording
        self.dialect.start()
        self.state, self.error, self.tries, self._left = "connected", "", 0, 0
        talk.heard = talk.answered = now
        self._send(talk)

    def _read(self, talk: _Talk, until: float) -> list[Arrival]:
        """Takes messages until there are no more, or the time is up; always at least one."""
        dialect = self.dialect
        assert dialect is not None
        ended = False
        while not ended:
            message = talk.frames.next()
            if message is None:
                data = talk.stream.read()
                if data is None:
                    break
                ended = data == b""
                talk.frames.feed(data)
            else:
                talk.heard, talk.asked = self._clock(), False
                ended = message.kind is FrameKind.CLOSE
                if message.kind < FrameKind.CLOSE:
                    dialect.receive(message, self._wall())
                elif message.kind is FrameKind.PING:
                    talk.pong = message.data  # Of many pings, only the last is answered.
            if self._clock() >= until:
                break
        arrivals = dialect.flush()
        if ended:
            self._give_up("the server ended the connection")
        return arrivals

    def _look_after(self, talk: _Talk, arrivals: list[Arrival], now: float) -> None:
        """Asks a silent server whether it is there, and tells where no motion comes."""
        assert self.dialect is not None
        if now - talk.heard > QUIET:
            if talk.asked:
                raise BrokenError("the server stopped answering")
            talk.asked, talk.heard = True, now
            talk.unsent += format_frame(FrameKind.PING, b"")
        if arrivals:
            talk.answered = now
        if not self._wish.takes:
            return
        if now - talk.answered > SILENT:
            talk.answered = now
            self.dialect.ask_again()
            usual = quote(self._wish.usual)
            self.error = self.dialect.problem or (
                f"no message on {usual} for {SILENT:.0f} s: is anything published there?"
            )
        elif arrivals:
            self.error = self.dialect.problem

    def _send(self, talk: _Talk) -> None:
        assert self.dialect is not None
        if talk.pong is not None and len(talk.unsent) < MOST_UNSENT:
            talk.unsent += format_frame(FrameKind.PONG, talk.pong)
            talk.pong = None
        while self.dialect.outgoing and len(talk.unsent) < MOST_UNSENT:
            message = self.dialect.outgoing.popleft()
            talk.unsent += format_frame(message.kind, message.data)
        self._flush(talk)

    def _flush(self, talk: _Talk) -> None:
        if talk.unsent:
            sent = talk.stream.write(bytes(talk.unsent[: 64 * 1024]))
            del talk.unsent[:sent]

    def _give_up(self, reason: str) -> None:
        """Ends an attempt; retries at once if the host has another address, else later."""
        talk, self._talk = self._talk, None
        if talk is not None:
            talk.stream.close()
            if talk.greeting is not None and talk.greeting.status not in (0, 101):
                # Some servers refuse clients that offer an unknown protocol.
                self._offers = self._protocol == "foxglove" or (
                    self._protocol == "auto" and not self._offers
                )
        if self.dialect is not None:
            self.lost += self.dialect.dropped
            self.dialect = None
        self.error = reason
        if self._left and self.state == "connecting":
            return
        self._left = 0
        wait = WAITS[min(self.tries, len(WAITS) - 1)]
        self.tries += 1
        self.state, self._until = "waiting", self._clock() + wait


def _explain(error: OSError, address: Address) -> str:
    """Returns a network's error, in a sentence."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"{address.host} cannot prove that it is {address.host}: {error.verify_message}"
    words: Any = error.strerror or str(error)
    return f"{address.netloc}: {words}"
