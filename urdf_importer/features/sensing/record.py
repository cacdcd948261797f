# SPDX-License-Identifier: GPL-3.0-or-later
"""The sensors of a robot over the frames of an animation -> recordings that ROS plays."""

import heapq
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ...core.arguments import diagnostics_of, options_of, rig_of
from ...core.diagnostics import ArgumentError, Diagnostics, KinematicsError, quote
from ...core.files.packages import AnyPath
from ...core.pipeline.extracting import extract_robot
from ...core.progress import Progress, finish, relay
from ...core.sensors.placed import PlacedSensor
from ..motion.recordings.definitions import Encoding
from ..motion.recordings.encode import (
    FRAMES,
    EncodedMessage,
    Messages,
    describe_topic,
    encode,
    list_written,
)
from ..motion.recordings.write import write_messages
from ..motion.trajectory import NANOSECONDS, Trajectory, to_nanoseconds
from .base_motion import MOST_MEASUREMENTS, ODOM, BaseMotion, find_base, times_of
from .messages import SensorTopic, list_topics_of, pack_message, pack_odometry, pack_static
from .options import RecordOptions
from .sense import choose_sensors, open_looker

ODOMETRY, STATIC = "/odom", "/tf_static"


def record_sensors(
    armature: Any,
    path: AnyPath,
    *,
    options: RecordOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[Path, ...]:
    """Records the sensors of a robot in Blender over the frames of its animation, and returns the
    files: .mcap (ROS 2), .bag (ROS 1), or a path without a suffix, a folder of rosbag2. An existing
    file is overwritten.

    Beside the sensors' own topics there are /joint_states, /tf with all links, /tf_static, and
    /odom, from the frame odom, which is Blender's world, to the robot's base. Stamps are seconds
    from the first frame on. The frame that was shown is shown again.

    Raises KinematicsError for an unknown sensor and a range that makes no sense, ArgumentError for
    a sensor that measures nothing here, BuildError as sense does, WriteError where the file cannot
    be put there; nothing is left of it then.
    """
    return finish(record_steps(armature, path, options=options, diagnostics=diagnostics))


def record_steps(
    armature: Any,
    path: AnyPath,
    *,
    options: RecordOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, tuple[Path, ...]]:
    """Runs record_sensors in steps, for progress bars."""
    armature = rig_of(armature)
    options = options_of(options, RecordOptions)
    diagnostics = diagnostics_of(diagnostics)
    yield Progress(share=0.0, text="motion")
    recording = _prepare(armature, options, diagnostics)
    last = max(float(recording.base.times[-1]) * NANOSECONDS, 1.0)

    def show(log: int) -> Progress:
        return Progress(share=min(log / last, 1.0), text=f"second {log / NANOSECONDS:.1f}")

    return (yield from relay(write_messages(recording.messages, Path(path)), show))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Recording:
    """A recording to be made; `per_second` frames a second from frame `first` on."""

    looker: Any
    trajectory: Trajectory
    base: BaseMotion
    sensors: Sequence[tuple[PlacedSensor, Any, Sequence[SensorTopic]]]
    first: float
    per_second: float

    def messages(self, encoding: Encoding) -> Messages:
        """Returns its messages; they are made while they are read."""
        has_motion = bool(self.trajectory.names or self.trajectory.frames)
        topics = list(list_written(self.trajectory, encoding)) if has_motion else []
        topics.append(describe_topic(ODOMETRY, "nav_msgs/Odometry", encoding))
        topics.append(describe_topic(STATIC, "tf2_msgs/TFMessage", encoding, is_latched=True))
        own = [each for _, _, several in self.sensors for each in several]
        topics += [describe_topic(each.name, each.type, encoding) for each in own]
        still = EncodedMessage(topic=STATIC, log=0, data=pack_static(self._list_still(), encoding))
        streams = [[still], self._odometry(encoding), self._measure(encoding)]
        if has_motion:
            streams.append(encode(self.trajectory, encoding))
        stream = heapq.merge(*streams, key=lambda each: each.log)
        return Messages(topics=tuple(topics), stream=stream)

    def _list_still(self) -> list[tuple[str, str, Any]]:
        found = [] if self.base.still is None else [(ODOM, self.base.root, self.base.still)]
        placed = (sensor for sensor, _, _ in self.sensors if sensor.has_own_frame)
        return found + [(each.link, each.frame_id, each.frame) for each in placed]

    def _odometry(self, encoding: Encoding) -> Iterator[EncodedMessage]:
        for row, log in enumerate(to_nanoseconds(self.base.times).tolist()):
            data = pack_odometry(self.base, row, log, encoding)
            yield EncodedMessage(topic=ODOMETRY, log=log, data=data)

    def _measure(self, encoding: Encoding) -> Iterator[EncodedMessage]:
        from ..motion.blender.sample import walk_frames

        due: dict[int, list[int]] = {}
        for place, (_, times, _) in enumerate(self.sensors):
            for log in to_nanoseconds(times).tolist():
                due.setdefault(log, []).append(place)
        logs, sequence = sorted(due), dict.fromkeys(range(len(self.sensors)), 0)
        frames = (self.first + log / NANOSECONDS * self.per_second for log in logs)
        for log, _ in zip(logs, walk_frames(frames), strict=True):
            for place in due[log]:
                sensor, _, topics = self.sensors[place]
                reading = self.looker.measure(sensor)
                for topic in topics:
                    yield pack_message(topic, reading, log, sequence[place], encoding)
                sequence[place] += 1


def _prepare(armature: Any, options: RecordOptions, diagnostics: Diagnostics) -> _Recording:
    from ...core.blender.curves import frame_rate
    from ...core.blender.span import find_range
    from ..motion.blender.sample import sample_trajectory

    chosen = _choose(armature, options, diagnostics)
    looker = open_looker(armature, options, diagnostics)
    per_second = frame_rate()
    given = (options.start_frame, options.end_frame)
    found = find_range(armature) if None in given else (0.0, 0.0)
    first, last = (f if g is None else g for g, f in zip(given, found, strict=True))
    if not (isfinite(first) and isfinite(last) and last >= first):
        raise KinematicsError(f"frames must rise, not go from {first:g} to {last:g}")
    rate = options.motion_rate or per_second
    motion = sample_trajectory(armature, frame_range=(first, last), rate=rate, links=True)
    trajectory, base = find_base(extract_robot(armature), motion, *looker.find_base())
    taken = {ODOMETRY, STATIC, FRAMES, "/joint_states"}
    sensors = []
    for each in chosen:
        times = times_of(each, options.rate, (last - first) / per_second, per_second)
        topics = list_topics_of(each, compressed=options.compressed, taken=taken)
        sensors.append((each, times, topics))
    if sum(len(times) for _, times, _ in sensors) > MOST_MEASUREMENTS:
        most = f"more than {MOST_MEASUREMENTS} times"
        raise ArgumentError(f"the sensors would measure {most}; give a lower rate")
    return _Recording(
        looker=looker,
        trajectory=trajectory,
        base=base,
        sensors=sensors,
        first=first,
        per_second=per_second,
    )


def _choose(
    armature: Any, options: RecordOptions, diagnostics: Diagnostics
) -> tuple[PlacedSensor, ...]:
    """Returns the sensors to record; all that measure something where none are named."""
    from .blender.measure import MEASURED

    found = choose_sensors(armature, options.sensors or None, diagnostics)
    for each in found:
        if each.kind not in MEASURED:
            words = f"sensor {quote(each.name)} has the kind {quote(each.kind)}, which measures "
            if options.sensors:
                raise ArgumentError(f"{words}nothing in Blender")
            message = f"{words}nothing in Blender; it is not recorded"
            diagnostics.warning("sensor-not-recorded", message, subject=each.name)
        elif each.has_own_frame and each.sensor.stream.frame not in ("", each.frame_id):
            message = (
                f"sensor {quote(each.name)} is not where its frame "
                f"{quote(each.sensor.stream.frame)} is; its messages are in a frame of its own, "
                f"{quote(each.frame_id)}"
            )
            diagnostics.warning("sensor-frame-added", message, subject=each.name)
    chosen = tuple(each for each in found if each.kind in MEASURED)
    if not chosen:
        message = "the robot has no sensor that measures in Blender; its motion alone is recorded"
        diagnostics.warning("no-sensors", message)
    return chosen
