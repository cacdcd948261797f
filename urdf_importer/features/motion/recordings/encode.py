# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories -> serialized messages of ROS 1 and ROS 2.

Samples become JointStates, in which only joints that have a sample are named; commands one
JointTrajectory; frames TFMessages.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import pack

import numpy as np

from ....core.diagnostics import WriteError
from ..trajectory import KINDS, NANOSECONDS, FrameTrack, Numbers, Trajectory, to_nanoseconds
from .definitions import Encoding, text_of

STATES, COMMANDS, FRAMES = "/joint_states", "/joint_trajectory", "/tf"
TYPES = {
    STATES: "sensor_msgs/JointState",
    COMMANDS: "trajectory_msgs/JointTrajectory",
    FRAMES: "tf2_msgs/TFMessage",
}
MD5 = {
    "sensor_msgs/JointState": "3066dcd76a6cfaef579bd0f34173e9fd",
    "trajectory_msgs/JointTrajectory": "65b4f94a94d1ed67169da35a02f33d3f",
    "tf2_msgs/TFMessage": "94810edda583a504dfda3829e70d7eec",
    "nav_msgs/Odometry": "cd5e73d190d741a2f92e81eda573aca7",
    "sensor_msgs/LaserScan": "90c7ef2dc6895d81024acba2ac42f369",
    "sensor_msgs/Range": "c005c34273dc426c67a020a87bc24148",
    "sensor_msgs/Image": "060021388200f6f0f447d0fcd9c64743",
    "sensor_msgs/CompressedImage": "8f7a12909da2c9d3332d540a0977563f",
    "sensor_msgs/CameraInfo": "c9a58c1b0b154e0e6da7578cb991d214",
    "sensor_msgs/PointCloud2": "1158d486dd51d683ce2f1be655c3c181",
    "sensor_msgs/Imu": "6a62c6daae103f4ff57a132d6f95cec2",
}
_MOST_SECONDS = {"ros1": 2**32, "cdr": 2**31}


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedMessage:
    """A message: its topic, the nanoseconds of its recording, its bytes."""

    topic: str
    log: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTopic:
    """A topic, its type as ROS 1 spells it, and the definition of the type. `is_latched`: late
    subscribers get the last message.
    """

    name: str
    type: str
    definition: str
    is_latched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Messages:
    """The content of a recording: its topics, and the messages in the order of their times, at
    least one."""

    topics: Sequence[WrittenTopic]
    stream: Iterable[EncodedMessage]


def describe_topic(
    name: str, kind: str, encoding: Encoding, *, is_latched: bool = False
) -> WrittenTopic:
    """Describes a topic of a type as ROS 1 spells it."""
    definition = text_of(kind, encoding)
    return WrittenTopic(name=name, type=kind, definition=definition, is_latched=is_latched)


def messages_of(trajectory: Trajectory, encoding: Encoding) -> Messages:
    """Returns a trajectory as messages. Raises WriteError as encode does."""
    return Messages(topics=list_written(trajectory, encoding), stream=encode(trajectory, encoding))


def list_written(trajectory: Trajectory, encoding: Encoding) -> tuple[WrittenTopic, ...]:
    """Returns the topics that a trajectory takes."""
    joints = COMMANDS if trajectory.interpolation == "spline" else STATES
    wanted = ((joints, trajectory.names), (FRAMES, trajectory.frames))
    return tuple(describe_topic(name, TYPES[name], encoding) for name, own in wanted if own)


def encode(trajectory: Trajectory, encoding: Encoding) -> Iterator[EncodedMessage]:
    """Yields the messages in the order of their times. Raises WriteError for times that messages
    cannot hold."""
    logs = to_nanoseconds(trajectory.times) + trajectory.start_time
    tracks = [to_nanoseconds(track.times) + trajectory.start_time for track in trajectory.frames]
    ends = [each for times in (logs, *tracks) if len(times) for each in (times[0], times[-1])]
    if min(ends) < 0 or max(ends) >= _MOST_SECONDS[encoding] * NANOSECONDS:
        raise WriteError("its timestamps cannot be stored in a message: before 1970, or too late")
    if trajectory.interpolation == "spline" and trajectory.names:
        messages = [_command(trajectory, encoding)]
    else:
        messages = list(_states(trajectory, logs.tolist(), encoding))
    for track, times in zip(trajectory.frames, tracks, strict=True):
        messages += _transforms(track, times.tolist(), encoding)
    yield from sorted(messages, key=lambda each: each.log)


class Packer:
    """Writes the fields of a message one after the other, aligned in CDR."""

    def __init__(self, encoding: Encoding) -> None:
        self.aligned = encoding == "cdr"
        self.out = bytearray(b"\0\1\0\0" if self.aligned else b"")

    def number(self, value: int) -> None:
        self._align(4)
        self.out += (value & 0xFFFFFFFF).to_bytes(4, "little")

    def text(self, text: str) -> None:
        data = text.encode() + (b"\0" if self.aligned else b"")
        self.number(len(data))
        self.out += data

    def texts(self, texts: Sequence[str]) -> None:
        self.number(len(texts))
        for each in texts:
            self.text(each)

    def doubles(self, values: Numbers | None) -> None:
        """Writes a list; empty where there is none."""
        self.number(0 if values is None else len(values))
        if values is not None and len(values):
            self.fixed(values)

    def fixed(self, values: Numbers) -> None:
        self._align(8)
        self.out += values.astype("<f8").tobytes()

    def time(self, nanoseconds: int) -> None:
        seconds, rest = divmod(nanoseconds, NANOSECONDS)
        self.number(seconds)
        self.number(rest)

    def header(self, nanoseconds: int, frame: str = "", sequence: int = 0) -> None:
        if not self.aligned:
            self.number(sequence)
        self.time(nanoseconds)
        self.text(frame)

    def small(self, value: int) -> None:
        """Writes a byte, or a truth."""
        self.out.append(value)

    def singles(self, *values: float) -> None:
        """Writes numbers of single precision."""
        self._align(4)
        self.out += pack(f"<{len(values)}f", *values)

    def array(self, values: Numbers) -> None:
        """Writes a list of numbers of single precision."""
        self.number(len(values))
        self.out += values.astype("<f4").tobytes()

    def blob(self, data: bytes) -> None:
        """Writes a list of bytes."""
        self.number(len(data))
        self.out += data

    def _align(self, size: int) -> None:
        if self.aligned:
            self.out += bytes(-(len(self.out) - 4) % size)


def _states(
    trajectory: Trajectory, logs: list[int], encoding: Encoding
) -> Iterator[EncodedMessage]:
    names = np.array(trajectory.names, dtype=object)
    whole = ~np.isnan(trajectory.positions)
    arrays = (trajectory.positions, trajectory.velocities, trajectory.efforts)
    for row, log in enumerate(logs if trajectory.names else ()):
        said = whole[row]
        packer = Packer(encoding)
        packer.header(log, sequence=row)
        packer.texts(names[said].tolist())
        for array in arrays:
            packer.doubles(None if array is None else array[row, said])
        yield EncodedMessage(topic=STATES, log=log, data=bytes(packer.out))


def _command(trajectory: Trajectory, encoding: Encoding) -> EncodedMessage:
    packer = Packer(encoding)
    packer.header(trajectory.start_time)
    packer.texts(trajectory.names)
    after = to_nanoseconds(trajectory.times).tolist()
    packer.number(len(after))
    arrays = [getattr(trajectory, kind) for kind in KINDS]
    for row, later in enumerate(after):
        for array in arrays:
            packer.doubles(None if array is None else array[row])
        packer.time(later)
    return EncodedMessage(topic=COMMANDS, log=trajectory.start_time, data=bytes(packer.out))


def _transforms(track: FrameTrack, logs: list[int], encoding: Encoding) -> Iterator[EncodedMessage]:
    for row, log in enumerate(logs):
        data = pack_transforms([track], row, log, encoding)
        yield EncodedMessage(topic=FRAMES, log=log, data=data)


def pack_transforms(tracks: Sequence[FrameTrack], row: int, log: int, encoding: Encoding) -> bytes:
    """Returns the TFMessage of one sample of frames; `log` in nanoseconds."""
    packer = Packer(encoding)
    packer.number(len(tracks))
    for track in tracks:
        packer.header(log, track.parent, max(row, 0))
        packer.text(track.child)
        packer.fixed(track.translations[row])
        packer.fixed(track.quaternions[row])
    return bytes(packer.out)
