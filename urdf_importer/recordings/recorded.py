# SPDX-License-Identifier: GPL-3.0-or-later
"""Containers of messages -> the motions in their messages."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..diagnostics import Diagnostics, ReadError, quote
from ..files.regular import explain_failure, open_regular_file
from ..motion.gather import Gathered
from ..motion.options import MotionOptions
from . import bags, mcap, rosbag2
from .compression import MOST_UNPACKED
from .definitions import Definition, Encoding, read_definition
from .formats import BAG, DATABASE, MCAP
from .layouts import Decoder
from .motions import Collector
from .streams import Channel, Piece, Pieces, Survey, Wanted
from .topics import Topic, choose_topic

STREAMS = (*BAG.suffixes, *MCAP.suffixes, *DATABASE.suffixes)
_ALONG = frozenset(
    ("tf2_msgs/TFMessage", "tf/tfMessage", "nav_msgs/Odometry", "sensor_msgs/MultiDOFJointState")
)
"""Types whose frames name the moving body, so that they come along with joints."""
_ENCODINGS = ("ros1", "cdr")


def list_streams(source: str) -> tuple[Topic, ...]:
    """Returns the topics of a recording by name, after a look at every message."""
    counts: dict[Channel, tuple[int, int, int]] = {}
    quiet = Diagnostics(source)

    def note(channel: Channel) -> bool:
        counts.setdefault(channel, (0, 0, 0))
        return True

    for piece in _walk(source, note, quiet):
        count, start, end = counts[piece.channel]
        first = min(piece.logs) if not count else min(start, *piece.logs)
        last = max(end, *piece.logs) if count else max(piece.logs)
        counts[piece.channel] = (count + len(piece.logs), first, last)
    return _merge(counts)


def _merge(counts: dict[Channel, tuple[int, int, int]]) -> tuple[Topic, ...]:
    """Several publishers of one topic are one topic."""
    found: dict[tuple[str, str], Topic] = {}
    definitions = _Definitions()
    for channel, (count, start, end) in counts.items():
        before = found.get((channel.topic, channel.type))
        if before is not None and before.count:
            count += before.count
            start = min(start, before.start) if count > before.count else before.start
            end = max(end, before.end)
        definition = definitions.find(channel)
        found[channel.topic, channel.type] = Topic(
            name=channel.topic,
            type=channel.type,
            count=count,
            start=start,
            end=end,
            motion=definition.motion if definition else "",
        )
    return tuple(sorted(found.values(), key=lambda each: (each.name, each.type)))


class _Definitions:
    """The definitions of channels, each read once: many channels share one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Definition | None] = {}

    def find(self, channel: Channel) -> Definition | None:
        """Returns the definition of a channel's type; None where its messages cannot be read."""
        key = (channel.encoding, channel.type, channel.definition)
        if key not in self._known:
            self._known[key] = _define(channel)
        return self._known[key]


def _define(channel: Channel) -> Definition | None:
    if channel.encoding not in _ENCODINGS:
        return None
    try:
        return read_definition(channel.type, channel.definition, _encoding(channel))
    except ReadError:
        return None


def _encoding(channel: Channel) -> Encoding:
    return "cdr" if channel.encoding == "cdr" else "ros1"


def read_stream(
    source: str, topic: str | None, options: MotionOptions, diagnostics: Diagnostics
) -> tuple[str, Gathered]:
    """Returns the topic that was read and its content, with the frames of other topics."""
    survey = _survey(source)
    topics = (
        list_streams(source)
        if survey is None
        else _merge({channel: (count, 0, 0) for channel, count in survey.items()})
    )
    chosen = choose_topic(topics, topic, source)

    def wanted(channel: Channel) -> bool:
        is_chosen = (channel.topic, channel.type) == (chosen.name, chosen.type)
        return is_chosen or (channel.type in _ALONG and channel.encoding in _ENCODINGS)

    collector = Collector(options)
    lost = _decode(_walk(source, wanted, diagnostics), collector)
    if lost:
        diagnostics.warning(
            "bad-message",
            f"{lost} messages do not fit their definitions; they are passed over",
        )
    return chosen.name, collector.finish()


def _decode(pieces: Iterable[Piece], collector: Collector) -> int:
    """Returns how many messages could not be read."""
    decoders: dict[Channel, Decoder | None] = {}
    definitions = _Definitions()
    lost = 0
    for piece in pieces:
        channel = piece.channel
        if channel not in decoders:
            definition = definitions.find(channel)
            decoders[channel] = Decoder(definition, _encoding(channel)) if definition else None
        decoder = decoders[channel]
        if decoder is None:
            lost += len(piece.messages)
            continue
        logs, places = np.array(piece.logs), np.array(piece.places)
        lost += len(logs)
        is_static = channel.topic.rstrip("/").endswith("tf_static")
        for rows, tree in decoder.decode(piece.messages):
            lost -= len(rows)
            collector.take(
                tree, logs[rows], places[rows], is_static=is_static, origin=channel.topic
            )
    return lost


def _walk(source: str, wanted: Wanted, diagnostics: Diagnostics) -> Pieces:
    """Yields the messages of all files of a recording, in their order."""
    shift = last = 0
    for path in _parts(source):
        for piece in _walk_file(path, wanted, diagnostics):
            piece.places = [place + shift for place in piece.places]
            last = max(last, piece.places[-1])
            yield piece
        shift = last


def _parts(source: str) -> list[Path]:
    path = Path(source)
    return rosbag2.find_parts(path) if path.is_dir() else [path]


def _walk_file(path: Path, wanted: Wanted, diagnostics: Diagnostics) -> Pieces:
    with _naming(path), _open(path) as (file, size, place):
        kind = _kind_of(file)
        if kind == "bag":
            yield from bags.read_bag(file, size, wanted, diagnostics)
        elif kind == "mcap":
            yield from mcap.read_mcap(file, size, wanted, diagnostics)
        else:
            yield from rosbag2.read_database(place, wanted, diagnostics)


def _survey(source: str) -> Survey | None:
    """Returns the channels of a recording from its indices; None where one is missing."""
    total: Survey = {}
    for path in _parts(source):
        with _naming(path), _open(path) as (file, size, place):
            kind = _kind_of(file)
            found = (
                bags.survey_bag(file, size)
                if kind == "bag"
                else mcap.survey_mcap(file, size)
                if kind == "mcap"
                else rosbag2.survey_database(place, Diagnostics(source))
            )
        if found is None:
            return None
        for channel, count in found.items():
            total[channel] = total.get(channel, 0) + count
    return total


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Gives errors the file that they are about."""
    try:
        yield
    except ReadError as error:
        if error.source:
            raise
        raise ReadError(error.message, source=str(path)) from None


@contextmanager
def _open(path: Path) -> Iterator[tuple[BinaryIO, int, Path]]:
    """Gives a file, its size, and its folder; a file packed as a whole is unpacked."""
    try:
        with open_regular_file(path) as (file, size):
            if not path.name.lower().endswith(".zstd"):
                yield file, size, path
                return
        with rosbag2.unpacked(path, MOST_UNPACKED) as (place, unpacked, size):
            yield unpacked, size, place
    except FileNotFoundError:
        raise ReadError("no such file", source=str(path)) from None
    except OSError as error:
        raise ReadError(explain_failure(error), source=str(path)) from None


def _kind_of(file: BinaryIO) -> str:
    file.seek(0)
    head = file.read(16)
    file.seek(0)
    if head.startswith(bags.MAGIC):
        return "bag"
    if head.startswith(mcap.MAGIC):
        return "mcap"
    if head == rosbag2.MAGIC:
        return "db3"
    if head.startswith(b"#ROSBAG V"):
        version = head.partition(b"\n")[0].decode("latin-1")[9:]
        raise ReadError(f"this is a bag of version {quote(version)[1:-1]}; 2.0 is read")
    raise ReadError("this is not a bag, an MCAP file or a database of ROS 2")
