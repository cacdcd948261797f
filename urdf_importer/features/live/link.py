# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig and a server, kept together: incoming states are shown, recorded and made keyframes; the
rig's own state is sent. The rig's side in Blender is in another module.
"""

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ...core.diagnostics import (
    ConnectError,
    Diagnostics,
    KinematicsError,
    RobotError,
    one_line,
    quote,
)
from ..motion.names import match_names
from ..motion.options import MotionOptions
from ..motion.trajectory import FrameTrack, Trajectory
from .arrivals import Newest, Publisher, Recording
from .connection import Connection, State
from .dialect import Arrival, LiveWish, within
from .options import LiveOptions
from .packed import Packed, pack_motion

_MOST_STATIC = 100
_STALE = 0.5
"""Seconds after which the state that was sent last says nothing of how fast joints are."""
_OF_MOTIONS = ("names", "prefix", "base", "fixed_frame")
SENT_TOPIC = "/blender/joint_states"


class LiveRig(Protocol):
    """The interface of a robot in Blender that a link needs."""

    name: str

    def is_there(self) -> bool:
        """Whether the robot still is."""

    def is_busy(self) -> bool:
        """Whether it must be left alone for now: it is rendered, or edited."""

    def joints(self) -> Collection[str]:
        """Returns the joints that one number moves."""

    def others(self) -> Collection[str]:
        """Returns the known joints that take no number: fixed and planar joints."""

    def pose(self, positions: Mapping[str, float]) -> bool:
        """Sets joints; returns whether anything changed."""

    def move_base(self, tracks: Sequence[FrameTrack], options: MotionOptions) -> bool:
        """Moves the base to the place given by frames of one sample, under their recorded names."""

    def read(self) -> Mapping[str, float]:
        """Returns the positions that are shown."""

    def read_frames(self) -> Sequence[FrameTrack]:
        """Returns the frames of the base and of floating joints."""

    def measure(self, options: LiveOptions, stamp: int) -> Iterable[Packed]:
        """Yields messages of sensors that are due; `stamp` in nanoseconds. Raises RobotError."""
        return ()

    def stop_measuring(self) -> None:
        """Drops measurements that are not finished."""

    def key(self, motion: Trajectory, options: MotionOptions, diagnostics: Diagnostics) -> Any:
        """Makes keyframes of a motion and returns the action."""


class LiveLink:
    """A link between a robot and a server. Call `poll()` again and again; in Blender's window a
    timer does. It never raises for a server's behaviour: `state` and `error` report it. Any
    exception is a fault in the link, which ends it.

    state        "connecting", "connected", "waiting" (it tries again by itself) or "closed"
    error        the fault, in a sentence; empty where all is well
    detail       the present activity, in a few words
    diagnostics  oddities of names and frames
    """

    def __init__(
        self,
        rig: LiveRig,
        connection: Connection,
        options: LiveOptions,
        diagnostics: Diagnostics,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], int] = time.time_ns,
    ) -> None:
        self.options = options
        self.diagnostics = diagnostics
        self.rig, self._connection = rig, connection
        self._clock, self._wall = clock, wall
        self._newest = Newest()
        self._recording: Recording | None = None
        self._statics: list[Arrival] = []
        self._matched: dict[Publisher, dict[str, str]] = {}
        self._fresh: set[Publisher] = set()
        self._frames_moved = False
        self._problem = self._end = ""
        self._sent: tuple[float, dict[str, float]] = (-math.inf, {})
        if options.record:
            self.record()

    @property
    def robot(self) -> str:
        """The robot's name."""
        return self.rig.name

    @property
    def url(self) -> str:
        """The server's address."""
        return str(self._connection.address)

    @property
    def state(self) -> State:
        """The state of the link."""
        return self._connection.state

    @property
    def error(self) -> str:
        """The fault, in a sentence; empty where all is well."""
        return self._end or self._connection.error or self._problem

    @property
    def detail(self) -> str:
        """The present activity, in a few words."""
        return self._connection.detail

    @property
    def topics(self) -> dict[str, str]:
        """The topics that the server announces, with their types."""
        return self._connection.topics

    @property
    def dropped(self) -> int:
        """How many messages made no sense."""
        return self._connection.dropped + self._newest.dropped

    @property
    def recording(self) -> bool:
        """Whether it records."""
        return self._recording is not None

    @property
    def recorded(self) -> int:
        """How many messages are recorded."""
        return 0 if self._recording is None else self._recording.count

    @property
    def sends_to(self) -> str:
        """The topic to which the pose is sent."""
        return self.options.command_topic or within(self.options.namespace, SENT_TOPIC)

    def poll(self) -> bool:
        """Continues a little: reads arrivals, and shows or sends the newest. Returns whether the
        robot moved."""
        try:
            return self._go_on()
        except Exception as error:
            self.close()
            self._end = "a fault of the importer ended the link, the console says where: "
            self._end += one_line(error)
            raise

    def _go_on(self) -> bool:
        if self.state == "closed":
            return False
        if not self.rig.is_there():
            self.close()
            self._end = "the robot is gone: it was deleted, or another file was opened"
            return False
        self._take(self._connection.poll())
        if self.rig.is_busy():
            return False
        moved = False
        if self.options.direction == "out":
            self._send_state()
        else:
            moved = self._show()
        if self.options.send_sensors and self.state == "connected":
            self._send_sensors()
        return moved

    def _send_sensors(self) -> None:
        try:
            for each in self.rig.measure(self.options, self._wall()):
                self._connection.publish(each)
        except RobotError as error:
            self._problem = error.message

    def send_sensors(self, on: bool = True, *, pictures: bool = False) -> None:
        """Begins to send the measurements of the robot's scanners and depth cameras, and of its
        cameras with `pictures`; or ends that."""
        self.options = replace(self.options, send_sensors=on, send_pictures=pictures)
        if not on:
            self.rig.stop_measuring()

    def _take(self, arrivals: list[Arrival]) -> None:
        if self._recording is not None:
            self._recording.add(arrivals)
        room = _MOST_STATIC - len(self._statics)
        self._statics += [each for each in arrivals if each.is_static][: max(room, 0)]
        changed, moved = self._newest.update(arrivals)
        self._fresh |= changed
        self._frames_moved |= moved

    def _show(self) -> bool:
        """Shows news; where two publishers report the same joint, the later message counts."""
        fresh, self._fresh = self._fresh, set()
        said: dict[str, tuple[int, float]] = {}
        for publisher in fresh:
            matched = self._match(publisher)
            for name, (order, value) in self._newest.joints[publisher].items():
                joint = matched.get(name)
                if joint is not None and said.get(joint, (-1, 0.0))[0] < order:
                    said[joint] = order, value
        moved = self.rig.pose({joint: value for joint, (_, value) in said.items()})
        if self._frames_moved and self.options.base != "none":
            moved |= self.rig.move_base(self._newest.tracks(), self._motion_options())
        self._frames_moved = False
        return moved

    def _match(self, publisher: Publisher) -> dict[str, str]:
        """Matches the names of each publisher on their own, once."""
        if publisher in self._matched:
            return self._matched[publisher]
        given, others = dict(self.options.names), self.rig.others()
        names = [name for name in publisher if name not in others or name in given]
        found: dict[str, str] = {}
        try:
            if names:
                found = match_names(
                    names, self.rig.joints(), given, self.options.prefix, self.diagnostics
                )
        except KinematicsError as error:
            self._problem = error.message
        if found:
            self._problem = ""
        self._matched[publisher] = found
        return found

    def _motion_options(self, name: str = "") -> MotionOptions:
        own = {each: getattr(self.options, each) for each in _OF_MOTIONS}
        return MotionOptions(action=name, **own)

    def record(self) -> None:
        """Begins to record all arrivals; an earlier recording that was not kept is dropped."""
        self._recording = Recording()
        self._recording.add(self._statics)
        self._connection.set_recording(True)

    def stop(self, name: str = "") -> Any:
        """Ends the recording and makes it keyframes: a new action of the robot, which is returned.

        Raises ConnectError where nothing is recorded, ReadError where no motion came, and
        KinematicsError where no joint of the robot is in it.
        """
        recording, self._recording = self._recording, None
        self._connection.set_recording(False)
        if recording is None:
            raise ConnectError("nothing is being recorded")
        if not self.rig.is_there():
            raise ConnectError("the robot is gone")
        motion = recording.finish(self.diagnostics, source=self.url, topic=self.options.topic)
        options = self._motion_options(name or f"{self.robot} live")
        return self.rig.key(motion, options, self.diagnostics)

    def send(self, motion: Trajectory, topic: str) -> bool:
        """Sends a motion to a controller's topic, as one JointTrajectory that begins when it is
        received, whatever the limits say: check_trajectory tells. Joints have the names of the
        other side. Returns whether it goes out. Raises ConnectError."""
        if not topic.strip():
            raise ConnectError("name the topic that the controller listens to")
        if not (motion.names and len(motion.times)):
            raise ConnectError("the motion has no joints")
        if np.isnan(motion.positions).any():
            raise ConnectError("a controller takes a motion only if all joints have all samples")
        named = replace(
            motion,
            names=tuple(self._name_there(name) for name in motion.names),
            frames=(),
            start_time=0,
            interpolation="spline",
        )
        return self._connection.publish(pack_motion(topic.strip(), named))

    def _name_there(self, joint: str) -> str:
        back = {ours: theirs for theirs, ours in self.options.names}
        return back.get(joint, f"{self.options.prefix}{joint}")

    def _send_state(self) -> None:
        now = self._clock()
        then, before = self._sent
        if self.state != "connected" or now - then < 1.0 / self.options.rate - 1e-3:
            return
        shown = dict(self.rig.read())
        step = now - then
        speeds = [
            (value - before[name]) / step if step < _STALE and name in before else 0.0
            for name, value in shown.items()
        ]
        self._sent = (now, shown)
        state = Trajectory(
            names=tuple(self._name_there(name) for name in shown),
            times=np.zeros(1),
            positions=np.array([list(shown.values())]),
            velocities=np.array([speeds]),
            start_time=self._wall(),
        )
        messages = [pack_motion(self.sends_to, state)] if state.names else []
        if self.options.send_base:
            frames = replace(
                state, names=(), times=np.empty(0), positions=np.empty((0, 0)), velocities=None,
                frames=tuple(self.rig.read_frames()),
            )  # fmt: skip
            messages.append(pack_motion("/tf", frames))
        try:
            for each in messages:
                self._connection.publish(each)
            self._problem = ""
        except ConnectError as error:
            self._problem = error.message

    def close(self) -> None:
        """Ends the link; a recording that was not stopped is dropped."""
        self._connection.close()
        self._recording = None


def plan_wish(options: LiveOptions, skips: Collection[str]) -> LiveWish:
    """Returns a link's wishes towards a server; `skips` are the links that follow from joints."""
    prefixed = {f"{options.prefix}{name}" for name in skips}
    return LiveWish(
        takes=options.direction == "in",
        topic=options.topic.strip(),
        namespace=options.namespace.strip(),
        base=options.base != "none",
        skips=frozenset(skips) | prefixed,
    )


def check_names(options: LiveOptions, rig: LiveRig) -> None:
    """Raises KinematicsError for names that are not joints of the robot."""
    known = rig.joints()
    for joint in dict(options.names).values():
        if joint not in known:
            raise KinematicsError(f"the robot has no moving joint {quote(joint)}")
