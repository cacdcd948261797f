# SPDX-License-Identifier: GPL-3.0-or-later
"""The sensors of a robot, over a live link: each measures at its own rate, one at a time and no
longer than some milliseconds at once."""

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ....core.blender.build.sensors import sensor_objects
from ....core.blender.extract.robot import extract_robot
from ....core.blender.memory import recall
from ....core.diagnostics import ArgumentError, Diagnostics, RobotError, quote
from ....core.gazebo import interpret_extras
from ....core.geometry.transforms import Matrix
from ....core.sensors.placed import PlacedSensor, place_sensors
from ...motion.recordings.definitions import Encoding
from ...sensing.blender.measure import Looker, read_motion
from ...sensing.messages import SensorTopic, list_topics_of, pack_message, pack_static
from ...sensing.options import SenseOptions
from ...sensing.reading import Reading
from ..packed import Packed

_BY_RAYS = ("lidar", "sonar", "depth")
_BY_LIGHT = ("camera", "rgbd", "wide")
_SLICE = 0.005
"""Seconds of work at once: a depth camera of 320 x 240 pixels beside a large robot needs some 65 ms
for each picture, which are 5 Hz by the timer of a window."""
_LONGEST = 500_000_000
"""Nanoseconds: poses that are further apart say nothing of motion."""
_Poses = deque[tuple[int, Matrix]]
_MOST_PIXELS = 4_000_000
_TAKEN = ("/tf", "/tf_static", "/odom", "/joint_states")


@dataclass(slots=True)
class LiveSensors:
    """When each sensor measured last, and how often at most, in Hz. Pictures are rendered, which
    takes a second, and large, so only scans, depths and motion are sent without `pictures`."""

    rate: float
    pictures: bool = False
    _last: dict[str, float] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _felt: dict[str, _Poses] = field(default_factory=dict)
    _work: Iterator[Any] | None = None

    def measure(self, armature: Any, stamp: int) -> Iterator[Packed]:
        """Yields the messages of all IMUs that are due, and continues a little with the sensor that
        has waited longest; yields its messages once it is done. `stamp` in nanoseconds. Raises
        RobotError as sense does, for an IMU after all others."""
        now = time.monotonic()
        known = recall(armature, "live sensors", _read)
        how: Any = {"options": SenseOptions(samples=1), "diagnostics": Diagnostics()}
        looker = Looker(armature=armature, links=known[1], sliced=True, **how)
        faults = []
        for sensor, topics in known[0]:
            if sensor.kind == "imu":
                try:
                    poses = self._note_pose(looker, sensor, stamp)
                except RobotError as error:
                    faults.append(error)
                    continue
                if len(poses) == 3 and self._is_due(sensor, now):
                    self._last[sensor.name] = now
                    yield from self._feel(sensor, topics, poses)
        if self._work is None:
            self._work = self._begin(looker, known[0], now, stamp)
        yield from self._go_on(self._work)
        if faults:
            raise faults[0]

    def rest(self) -> None:
        """Drops measurements that are not finished."""
        self._work = None
        self._felt.clear()

    def _go_on(self, work: Iterator[Any]) -> Iterator[Packed]:
        """Works for a slice of time."""
        end = time.perf_counter() + _SLICE
        try:
            for each in work:
                if isinstance(each, Packed):
                    yield each
                if time.perf_counter() > end:
                    return
        except RobotError:
            self._work = None
            raise
        self._work = None

    def _begin(self, looker: Looker, known: Any, now: float, stamp: int) -> Iterator[Any]:
        """Measures with the sensor that has waited longest; yields its steps, then messages."""
        waits = [
            (now - self._last.get(sensor.name, 0.0), sensor.name, sensor, topics)
            for sensor, topics in known
            if sensor.kind in (*_BY_RAYS, *(_BY_LIGHT if self.pictures else ()))
        ]
        due = [each for each in waits if self._is_due(each[2], now)]
        if not due:
            return
        *_, sensor, topics = max(due, key=lambda each: each[:2])
        self._last[sensor.name] = now
        size = 0 if sensor.camera is None else sensor.camera.width * sensor.camera.height
        if size > _MOST_PIXELS:
            raise ArgumentError(
                f"the pictures of sensor {quote(sensor.name)} are too large for a live link"
            )
        reading = yield from looker.measure_steps(sensor)
        yield from self._send(sensor, topics, reading, stamp)

    def _note_pose(self, looker: Looker, sensor: PlacedSensor, stamp: int) -> _Poses:
        """Returns the poses of an IMU at this tick and the two before."""
        known = self._felt.setdefault(sensor.name, deque(maxlen=3))
        if known and not 0 < stamp - known[-1][0] < _LONGEST:
            known.clear()
        frame, scale = looker.find_frame(sensor)
        frame[:3, 3] /= scale
        known.append((stamp, frame))
        return known

    def _feel(self, sensor: PlacedSensor, topics: Any, known: _Poses) -> Iterator[Packed]:
        """Yields the message of an IMU about the middle one of three poses."""
        times, poses = zip(*known, strict=True)
        first, second = ((b - a) * 1e-9 for a, b in pairwise(times))
        reading = read_motion(sensor, np.array(poses), (first, second))
        yield from self._send(sensor, topics, reading, times[1])

    def _send(
        self, sensor: PlacedSensor, topics: Any, reading: Reading, stamp: int
    ) -> Iterator[Packed]:
        count = self._counts[sensor.name] = self._counts.get(sensor.name, -1) + 1
        if sensor.has_own_frame:
            own = [(sensor.link, sensor.frame_id, sensor.frame)]
            pack = partial(pack_static, own, log=stamp)
            yield Packed(topic="/tf", type="tf2_msgs/TFMessage", pack=pack)
        for topic in topics:
            pack = partial(_pack, topic, reading, stamp, count)
            yield Packed(topic=topic.name, type=topic.type, pack=pack)

    def _is_due(self, sensor: PlacedSensor, now: float) -> bool:
        rate = min(self.rate, sensor.rate) if sensor.rate else self.rate
        return (now - self._last.get(sensor.name, 0.0)) * rate >= 1.0


def _pack(topic: SensorTopic, reading: Any, stamp: int, count: int, encoding: Encoding) -> bytes:
    return pack_message(topic, reading, stamp, count, encoding).data


def _read(armature: Any) -> tuple[list[tuple[PlacedSensor, Any]], tuple[str, ...]]:
    """Reads the sensors that measure, each with its topics, and the links."""
    robot, objects = interpret_extras(extract_robot(armature)), sensor_objects(armature)
    taken, found = set(_TAKEN), []
    for each in place_sensors(robot, Diagnostics()):
        if each.kind in ("imu", *_BY_RAYS, *_BY_LIGHT):
            item = objects.get(each.name)
            placed = replace(each, object="" if item is None else item.name)
            found.append((placed, list_topics_of(each, compressed=False, taken=taken)))
    return found, tuple(link.name for link in robot.links)
