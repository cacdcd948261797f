# SPDX-License-Identifier: GPL-3.0-or-later
"""Live links in Blender: robots that follow a server, and are followed; the timer that polls them.

Undo replaces every object, so a robot is looked up by its name and its session's number whenever
something is done with it. Data about its joints are names and numbers, read anew each second and
whenever a bone is not where it was.
"""

import atexit
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import bpy
import numpy as np

from ....core.arguments import diagnostics_of, options_of, rig_of
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import armatures_by_name, armatures_of, check_robot
from ....core.blender.standing.joints import RigJoint, joints_of, read_link_joint
from ....core.blender.standing.links import links_of, name_link
from ....core.blender.standing.loops import find_loops
from ....core.blender.standing.pose import get_joint_positions, link_pose, loops_closed
from ....core.diagnostics import BuildError, ConnectError, Diagnostics, quote
from ...motion.blender.apply import apply_trajectory
from ...motion.blender.base import name_frames, plan_frames
from ...motion.blender.own_curves import pose_of_matrix
from ...motion.frames import track_poses
from ...motion.options import MotionOptions
from ...motion.trajectory import FrameTrack, Numbers, Trajectory
from ..address import Address, find_default, read_address, warn_of_readers
from ..connection import Connection
from ..link import LiveLink, LiveRig, check_names, plan_wish
from ..options import LiveOptions
from ..packed import Packed
from .sensors import LiveSensors

INTERVAL = 1 / 60
_BUDGET = 0.010
"""Seconds for all links at a tick, at least one of them."""
_KEPT = 1.0
_SAME = 1e-7
_NUMBERED = ("fixed", "revolute", "continuous", "prismatic")

_links: list[LiveLink] = []


class BlenderRig(LiveRig):
    """An imported robot, by its name and number."""

    def __init__(self, armature: Any) -> None:
        self.name = armature.name
        self._number = armature.session_uid
        self._joints: dict[str, RigJoint] = {}
        self._others: set[str] = set()
        self._read_at = 0.0
        self._sensors = LiveSensors(rate=0.0)

    def find(self) -> Any | None:
        """Returns the armature; None where it is gone."""
        objects = bpy.data.objects
        found = objects.get(self.name)
        if found is None or found.session_uid != self._number:
            found = next((each for each in objects if each.session_uid == self._number), None)
        if found is None or properties.ROBOT not in found:
            return None
        self.name = found.name
        return found

    def is_there(self) -> bool:
        """Whether it is, in the scene or elsewhere in the file."""
        return self.find() is not None

    def is_busy(self) -> bool:
        """Whether Blender reads it now, or keeps its bones elsewhere."""
        if bpy.app.is_job_running("RENDER"):
            return True
        return any(each.mode == "EDIT" for each in armatures_of(self.find()))

    def _read_joints(self) -> dict[str, RigJoint]:
        now = time.monotonic()
        if now - self._read_at > _KEPT or not self._joints:
            armature = self.find()
            self._read_at = now
            found = joints_of(armature)
            self._joints = {each.name: each for each in found if len(each.channels) == 1}
            assert armature is not None
            self._others = set(armature[properties.ROBOT]["joints"]) - self._joints.keys()
        return self._joints

    def joints(self) -> Collection[str]:
        """Returns the joints that one number moves."""
        return self._read_joints().keys()

    def others(self) -> Collection[str]:
        """Returns the other joints that the description has."""
        self._read_joints()
        return self._others

    def pose(self, positions: Mapping[str, float]) -> bool:
        """Sets joints where they are not yet; nothing is keyed."""
        if not positions:
            return False
        armature = self.find()
        homes = armatures_by_name(armature)
        moved = set()
        loops = find_loops(armature)
        still = nullcontext() if loops is None or not loops.asked else loops_closed(armature)
        with still:
            for name, position in positions.items():
                joint = self._read_joints().get(name)
                if joint is None or joint.mimics:
                    continue
                home = homes.get(joint.armature)
                bone = home.pose.bones.get(joint.bone) if home is not None else None
                if bone is None:
                    self._read_at = 0.0  # It was renamed; the next word about it finds it.
                    continue
                channel = joint.channels[0]
                if abs(channel.get(bone) - position) > _SAME * max(1.0, abs(position)):
                    channel.put(bone, position)
                    moved.add(joint.armature)
        for name in moved:
            homes[name].update_tag()
        return bool(moved)

    def move_base(self, tracks: Sequence[FrameTrack], options: MotionOptions) -> bool:
        """Moves the planar or floating joint on the root link, or the armature object."""
        armature = self.find()
        came = Trajectory(
            names=(), times=np.empty(0), positions=np.empty((0, 0)), frames=tuple(tracks)
        )
        motion = name_frames(armature, came, options)
        moved = False
        # Motion that a planar joint cannot follow is reported once, when the recording becomes
        # keyframes.
        for curve in plan_frames(armature, motion, options, Diagnostics()):
            item, index, value = curve.item, curve.index, float(curve.keys.values[0])
            if curve.path == "rotation_quaternion" and item.rotation_mode != "QUATERNION":
                item.rotation_mode = "QUATERNION"
            numbers = item.path_resolve(curve.path)
            if abs(numbers[index] - value) > _SAME * max(1.0, abs(value)):
                numbers[index] = value
                moved = True
            item.update_tag()
        return moved

    def read(self) -> Mapping[str, float]:
        """Returns the positions that are shown, of followers too."""
        shown = get_joint_positions(self.find())
        return {name: value for name, value in shown.items() if isinstance(value, float)}

    def read_frames(self) -> Sequence[FrameTrack]:
        """Returns the root link in the world, and links on joints that no number says in the links
        that carry them."""
        armature = self.find()
        assert armature is not None
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        frames = []
        for link in links_of(armature):
            joint, name = read_link_joint(link), name_link(link) or ""
            if joint is None:
                frames.append(_make_track("world", name, np.array(shown.matrix_world)))
            elif joint.type not in _NUMBERED:
                above, below = link_pose(armature, joint.parent), link_pose(armature, name)
                frames.append(_make_track(joint.parent, name, np.linalg.solve(above, below)))
        return frames

    def measure(self, options: LiveOptions, stamp: int) -> Iterable[Packed]:
        """Measures with the sensor that is due; one at a time, so that views stay alive."""
        self._sensors.rate, self._sensors.pictures = options.sensor_rate, options.send_pictures
        return self._sensors.measure(self.find(), stamp)

    def stop_measuring(self) -> None:
        """Drops measurements that are not finished."""
        self._sensors.rest()

    def key(self, motion: Trajectory, options: MotionOptions, diagnostics: Diagnostics) -> Any:
        """Makes a new action of a motion."""
        return apply_trajectory(self.find(), motion, options=options, diagnostics=diagnostics)

    def follows(self) -> frozenset[str]:
        """Returns the links whose frames follow from joints of one number, or never move."""
        links = ((name_link(link) or "", read_link_joint(link)) for link in links_of(self.find()))
        return frozenset(
            name for name, joint in links if joint is not None and joint.type in _NUMBERED
        )


def _make_track(parent: str, child: str, frame: Numbers) -> FrameTrack:
    return track_poses(parent, child, np.zeros(1), np.array([pose_of_matrix(frame)]))


def connect(
    armature: Any,
    url: str | None = None,
    *,
    options: LiveOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> LiveLink:
    """Connects an imported robot to a rosbridge or Foxglove server, and returns at once: the robot
    follows the server's joint states, or with `direction="out"` the server gets the rig's.

    In Blender's window a timer polls the link; a script calls `link.poll()` itself. Without an
    address it is $ROSBRIDGE_URL, port 9090 of $ROS_MASTER_URI's host, or ws://localhost:9090. Other
    computers take Blender's permission to go online. A robot has one link: a new one ends that
    before. A link ends with its robot, when another file is opened, and when Blender ends.

    Raises ConnectError for a bad address, without permission, and where another robot sends to
    the same topic; KinematicsError for names that are not joints, BuildError for an object that is
    not an imported robot.
    """
    armature = rig_of(armature)
    diagnostics = diagnostics_of(diagnostics, url or "")
    options = options_of(options, LiveOptions)
    check_robot(armature)
    if options.direction == "in" and not armature.is_editable:
        raise BuildError(
            f"robot {quote(armature.name)} is linked from another file: make a library override "
            "to pose it"
        )
    address = read_address(url or default_address())
    check_access(address)
    warn_of_readers(address, diagnostics)
    rig = BlenderRig(armature)
    check_names(options, rig)
    wish = plan_wish(options, rig.follows())
    before = find_live_link(armature)
    if before is not None:
        before.close()
    link = LiveLink(rig, Connection(address, wish, options.protocol), options, diagnostics)
    _check_rivals(link)
    _links[:] = [*live_links(), link]
    _watch()
    return link


def default_address() -> str:
    """Returns the address of a link that is given none; see ../address.py."""
    return find_default(os.environ)


def check_access(address: Address) -> None:
    """Raises ConnectError for another computer, where Blender may not go online."""
    if not address.is_local and not bpy.app.online_access:
        raise ConnectError(
            f"{address.host} is another computer, and Blender may not go online: allow it under "
            "Preferences > System > Network, Allow Online Access"
        )


def _check_rivals(link: LiveLink) -> None:
    """Raises ConnectError where another robot sends to the same topic."""
    own = ("out", link.url, link.sends_to)
    for other in live_links():
        sent = (other.options.direction, other.url, other.sends_to)
        if sent == own and link.options.direction == "out":
            raise ConnectError(
                f"robot {quote(other.robot)} sends to {quote(link.sends_to)} already: give each "
                "robot a namespace"
            )


def live_links() -> list[LiveLink]:
    """Lists the links that are not closed."""
    return [link for link in _links if link.state != "closed"]


def find_live_link(armature: Any) -> LiveLink | None:
    """Finds the link of a robot; None where it has none, or it was closed."""
    rigs = ((link, link.rig) for link in live_links())
    found = (link for link, rig in rigs if isinstance(rig, BlenderRig) and rig.find() == armature)
    return next(found, None)


def find_ended(armature: Any) -> str:
    """Returns why the last link of a robot ended, where it was not the user who ended it."""
    return next(
        (link.error for link in reversed(_links) if link.robot == armature.name and link.error), ""
    )


def close_links(*_: Any) -> None:
    """Closes all links, when another file is opened and when Blender ends."""
    for link in _links:
        link.close()
    _links.clear()


def _watch() -> None:
    if close_links not in bpy.app.handlers.load_pre:
        # It stays when another file is opened.
        bpy.app.handlers.load_pre.append(bpy.app.handlers.persistent(close_links))
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=INTERVAL, persistent=True)
    atexit.unregister(close_links)
    atexit.register(close_links)


def stop_watching() -> None:
    """Closes all links and removes the timer, as when the extension is switched off."""
    close_links()
    atexit.unregister(close_links)
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    if close_links in bpy.app.handlers.load_pre:
        bpy.app.handlers.load_pre.remove(close_links)


def _tick() -> float | None:
    """Polls the links in turn, and begins with another each time; ends itself where none is
    left."""
    waiting = live_links()
    if not waiting:
        return None
    end = time.perf_counter() + _BUDGET
    try:
        for link in waiting:
            link.poll()
            _links.remove(link)
            _links.append(link)
            if time.perf_counter() > end:
                break
    except Exception:
        # It ended its own link. Blender shows the traceback and removes the timer, which the
        # other links need.
        bpy.app.timers.register(_tick, first_interval=INTERVAL, persistent=True)
        raise
    redraw()
    return INTERVAL


def redraw() -> None:
    """Lets the panels that show links be drawn again, where their content changed."""
    global _shown
    shown = [(link.state, link.error, link.detail[:12], link.recorded // 10) for link in _links]
    if shown == _shown:
        return
    _shown = shown
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


_shown: list[Any] = []
