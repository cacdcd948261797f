# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the containers of messages: a container knows nothing of a message's content."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ....core.diagnostics import ReadError

MOST_CHUNK = 256 * 1024 * 1024
MOST_CHANNELS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Messages of one type on one topic. `encoding` is "ros1", "cdr", "json" or "protobuf", or
    an unsupported one; `definition` the text of the type's definition, or of its descriptors a
    letter for each byte, as far as the recording has it."""

    topic: str
    type: str
    encoding: str
    definition: str = ""


@dataclass(slots=True)
class Piece:
    """Some messages of a channel, their times of recording in nanoseconds, and their places among
    all of the recording."""

    channel: Channel
    messages: list[memoryview | bytes] = field(default_factory=list)
    logs: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)


Wanted = Callable[[Channel], bool]
Pieces = Iterator[Piece]
Survey = dict[Channel, int]
"""How many messages each channel has."""


def check_chunk(length: int) -> None:
    """Raises ReadError for a chunk that is larger than any that is read."""
    if length > MOST_CHUNK:
        raise ReadError(f"a chunk has {length} bytes; {MOST_CHUNK} are the most that is read")


class Sorter:
    """Puts the messages of a chunk into pieces by their channels."""

    def __init__(self, wanted: Wanted) -> None:
        self.channels: dict[int, Channel] = {}
        self._wanted = wanted
        self._chosen: dict[int, bool] = {}
        self._pieces: dict[int, Piece] = {}
        self._place = 0

    def add_channel(self, number: int, channel: Channel) -> None:
        """Adds a channel. Raises ReadError where there are too many."""
        if self.channels.setdefault(number, channel) is channel:
            self._chosen[number] = self._wanted(channel)
        if len(self.channels) > MOST_CHANNELS:
            raise ReadError(f"it has more than {MOST_CHANNELS} channels")

    def add(self, number: int, log: int, message: memoryview | bytes) -> None:
        """Adds a message; messages of unknown or unwanted channels are passed over."""
        self._place += 1
        if self._chosen.get(number):
            piece = self._pieces.get(number)
            if piece is None:
                piece = self._pieces[number] = Piece(self.channels[number])
            piece.messages.append(message)
            piece.logs.append(log)
            piece.places.append(self._place)

    def count(self, counts: Mapping[int, int]) -> Survey:
        """Returns how many messages each channel has, of counts by the numbers of channels."""
        survey: Survey = {}
        for number, channel in self.channels.items():
            survey[channel] = survey.get(channel, 0) + counts.get(number, 0)
        return survey

    def drain(self) -> Pieces:
        """Yields the messages added since the last time."""
        pieces, self._pieces = self._pieces, {}
        yield from pieces.values()
