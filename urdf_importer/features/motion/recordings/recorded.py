# SPDX-License-Identifier: GPL-3.0-or-later
"""Containers of messages -> the motions in their messages."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.files.regular import (
    HEAD_BYTES,
    naming_file,
    open_regular_file,
    refuse_pointer,
)
from ..gather import Gathered
from ..messages.decoders import ENCODINGS, find_decoder, find_motion
from ..options import MotionOptions
from . import bags, mcap, rosbag2
from .compression import MOST_UNPACKED
from .formats import BAG, DATABASE, MCAP
from .motions import Collector
from .streams import Channel, Piece, Pieces, Survey, Wanted
from .topics import Topic, choose_topic

STREAMS = (*BAG.suffixes, *MCAP.suffixes, *DATABASE.suffixes)
_ALONG = frozenset(
    (
        *("tf2_msgs/TFMessage", "tf/tfMessage", "nav_msgs/Odometry"),
        *("sensor_msgs/MultiDOFJointState", "foxglove.FrameTransform", "foxglove.FrameTransforms"),
    )
)
"""Types whose frames name the moving body, so that they come along with joints."""


def list_streams(source: str) -> tuple[Topic, ...]:
    """Returns the topics of a recording by name, after a look at every message."""
    return _merge(_count(source))


def _refuse_encodings(counts: Mapping[Channel, tuple[int, int, int]]) -> None:
    """Raises ReadError where messages are encoded in a way that is not read."""
    for channel, (count, _, _) in counts.items():
        if channel.encoding not in ENCODINGS:
            raise ReadError(
                f"{quote(channel.topic)} ({count} of {quote(channel.type)[1:-1]}) is encoded in "
                f"{quote(channel.encoding)[1:-1]}, which is not read; ros1, cdr, json and protobuf "
                "are"
            )


def _count(source: str) -> dict[Channel, tuple[int, int, int]]:
    """Returns how many messages each channel has, and when the first and the last came."""
    counts: dict[Channel, tuple[int, int, int]] = {}
    quiet = Diagnostics(source)

    def note(channel: Channel) -> bool:
        counts.setdefault(channel, (0, 0, 0))
        return True

    for piece in walk(source, note, quiet):
        count, start, end = counts[piece.channel]
        first = min(piece.logs) if not count else min(start, *piece.logs)
        last = max(end, *piece.logs) if count else max(piece.logs)
        counts[piece.channel] = (count + len(piece.logs), first, last)
    return counts


def _merge(counts: dict[Channel, tuple[int, int, int]]) -> tuple[Topic, ...]:
    """Several publishers of one topic are one topic."""
    found: dict[tuple[str, str], Topic] = {}
    define = lru_cache(maxsize=None)(find_motion)
    for channel, (count, start, end) in counts.items():
        before = found.get((channel.topic, channel.type))
        if before is not None and before.count:
            count += before.count
            start = min(start, before.start) if count > before.count else before.start
            end = max(end, before.end)
        motion: Any = define(channel.encoding, channel.type, channel.definition)
        found[channel.topic, channel.type] = Topic(
            name=channel.topic,
            type=channel.type,
            count=count,
            start=start,
            end=end,
            motion=motion,
        )
    return tuple(sorted(found.values(), key=lambda each: (each.name, each.type)))


def read_stream(
    source: str, topic: str | None, options: MotionOptions, diagnostics: Diagnostics
) -> tuple[str, Gathered]:
    """Returns the topic that was read and its content, with the frames of other topics."""
    survey = _survey(source)
    counts = (
        _count(source)
        if survey is None
        else {channel: (count, 0, 0) for channel, count in survey.items()}
    )
    topics = _merge(counts)
    if topic is None and not any(each.motion for each in topics):
        _refuse_encodings(counts)
    chosen = choose_topic(topics, topic)

    def wanted(channel: Channel) -> bool:
        is_chosen = (channel.topic, channel.type) == (chosen.name, chosen.type)
        return is_chosen or (channel.type in _ALONG and channel.encoding in ENCODINGS)

    collector = Collector(options)
    lost = _decode(walk(source, wanted, diagnostics), collector)
    if lost:
        message = f"{lost} messages do not fit their definitions; they are passed over"
        diagnostics.warning("bad-message", message)
    return chosen.name, collector.finish()


def _decode(pieces: Iterable[Piece], collector: Collector) -> int:
    """Returns how many messages could not be read."""
    find = lru_cache(maxsize=None)(find_decoder)
    lost = 0
    for piece in pieces:
        channel = piece.channel
        decoder = find(channel.encoding, channel.type, channel.definition)
        if decoder is None:
            lost += len(piece.messages)
            continue
        logs, places = np.array(piece.logs), np.array(piece.places)
        lost += len(logs)
        is_static = channel.topic.rstrip("/").endswith("tf_static")
        for rows, tree in decoder(piece.messages):
            lost -= len(rows)
            origin = channel.topic
            collector.collect(tree, logs[rows], places[rows], is_static=is_static, origin=origin)
    return lost


def walk(source: str, wanted: Wanted, diagnostics: Diagnostics) -> Pieces:
    """Yields the messages of all files of a recording, in their order. Raises ReadError."""
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
    with _open(path) as (file, size, place):
        container = _find_container(file)
        if container is None:
            yield from rosbag2.read_database(place, wanted, diagnostics)
        else:
            yield from container[0](file, size, wanted, diagnostics)


def _survey(source: str) -> Survey | None:
    """Returns the channels of a recording from its indices; None where one is missing."""
    total: Survey = {}
    for path in _parts(source):
        with _open(path) as (file, size, place):
            container = _find_container(file)
            found = (
                rosbag2.survey_database(place, Diagnostics(source))
                if container is None
                else container[1](file, size)
            )
        if found is None:
            return None
        for channel, count in found.items():
            total[channel] = total.get(channel, 0) + count
    return total


@contextmanager
def _open(path: Path) -> Iterator[tuple[BinaryIO, int, Path]]:
    """Gives a file, its size, and its folder; a file packed as a whole is unpacked."""
    with naming_file(str(path)):
        with open_regular_file(path) as (file, size):
            if not path.name.lower().endswith(".zstd"):
                yield file, size, path
                return
        with rosbag2.unpacked(path, MOST_UNPACKED) as (place, unpacked, size):
            yield unpacked, size, place


def _find_container(file: BinaryIO) -> tuple[Any, Any] | None:
    """Returns the functions that read and survey a file by its first bytes; None for a database,
    which only SQLite opens. Raises ReadError for anything else."""
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    refuse_pointer(head)
    if head.startswith(bags.MAGIC):
        return bags.read_bag, bags.survey_bag
    if head.startswith(mcap.MAGIC):
        return mcap.read_mcap, mcap.survey_mcap
    if head.startswith(rosbag2.MAGIC):
        return None
    if head.startswith(b"#ROSBAG V"):
        version = head.partition(b"\n")[0].decode("latin-1")[9:]
        raise ReadError(f"this is a bag of version {quote(version)[1:-1]}; 2.0 is read")
    raise ReadError("this is not a bag, an MCAP file or a database of ROS 2")
