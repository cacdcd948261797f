# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that go along a table of timed places, frame by frame; and such tables read off a rig."""

import math
from collections.abc import Collection
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from ....core.arguments import options_of, rig_of
from ....core.blender.curves import MOST_FRAMES, frame_rate
from ....core.blender.semantics.markers import followed_targets_of
from ....core.blender.standing import properties
from ....core.blender.standing.pose import link_pose
from ....core.diagnostics import Diagnostics, KinematicsError, quote
from ....core.files.packages import AnyPath
from ....core.geometry.transforms import Matrix
from ....core.kinematics.conventions import Convention
from ....core.kinematics.link_path_file import read_link_path
from ....core.kinematics.link_paths import LinkPath, Rows, plan_path, row_of
from ...ik.blender.bake import bake_frames, list_frames
from ...ik.blender.live import joints_of_target
from ...ik.blender.solve import choose_unlocked, read_wish, recall_rig
from ...ik.blender.targets import IkWish, Solved, find_frame
from ...ik.options import IKOptions, RigIKOptions
from ...ik.problem import recall_robot
from ...ik.solve import IKResult, inverse_kinematics
from ...motion.baked import BakeResult
from ...motion.blender.sample import walk_frames
from ..courses import plan_line
from ..follow import Leg, follow
from ..machine import PlannedArm


def bake_path(
    armature: Any,
    link: str,
    route: AnyPath | Rows,
    *,
    start_frame: float = 1.0,
    fps: float | None = None,
    options: RigIKOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> BakeResult:
    """Keys a robot's joints so that a link goes along a route, in every frame from the one before,
    and never into another configuration in between.

    `route` is a CSV file or rows: (time, x, y, z), or (time, x, y, z, qx, qy, qz, qw), in seconds
    and as the `options` say, as for solve_ik; `mode` and `state` do not count. Between rows the
    link goes straight and turns evenly. Time 0 is frame `start_frame`; `fps` is the scene's rate
    unless given. Without quaternions the link turns as it likes; with the orientation
    "keep" as it does in the first frame. Frames in which the link cannot be there hold the last
    pose.

    Raises ReadError for a file that does not hold a route; KinematicsError for wrong rows, unknown
    names, and where the link follows a target.
    """
    armature, options = rig_of(armature), options_of(options, RigIKOptions)
    rows = read_link_path(str(route)) if isinstance(route, (str, PathLike)) else route
    way = plan_path(rows, options.convention)
    rate = frame_rate(fps)
    first = math.ceil(start_frame + rate * float(way.times[0]) - 1e-6)
    last = math.floor(start_frame + rate * float(way.times[-1]) + 1e-6)
    if last - first > MOST_FRAMES:
        raise KinematicsError("the route is longer than a million frames")
    if last < first:
        raise KinematicsError("the route begins and ends between two frames")
    # Held ones are left out in each frame anew.
    joints = choose_unlocked(armature, recall_rig(armature), link, options.group)
    _check_free(armature, joints)
    # The way is in the robot's own units already.
    options = replace(options, mode="absolute", convention=None, group=joints)
    walk = _Walk(armature, link, way, options)

    def solve(frame: float, shown: Solved) -> IKResult:
        own = diagnostics if frame == first else Diagnostics()
        return walk.step((frame - start_frame) / rate, shown, own)

    return bake_frames(armature, range(first, last + 1), solve)


class _Walk:
    """A link on its way: from frame to frame by the follower of lines, from where it is."""

    def __init__(self, armature: Any, link: str, way: LinkPath, options: RigIKOptions) -> None:
        self.armature, self.link, self.way, self.options = armature, link, way, options
        self._turn: Matrix | None = None
        self._last: Matrix | None = None

    def step(self, second: float, shown: Solved, diagnostics: Diagnostics | None) -> IKResult:
        """Solves for a second of the way. The first frame, and the next after a failure, are looked
        for near the displayed pose."""
        given = self.way.at(second)
        target = given if self.way.turns is not None else given[:3, 3]
        wish = IkWish(link=self.link, target=target, options=self.options)
        rig, _, wanted, asked = read_wish(self.armature, wish, shown)
        if self.way.turns is None:
            # As the link was turned in the first frame, not as the last one came out.
            self._turn = wanted.frame[:3, :3].copy() if self._turn is None else self._turn
            wanted.frame[:3, :3] = self._turn
        before, self._last = self._last, wanted.frame
        if before is None or rig.robot.loops or not asked.joints:
            answer = inverse_kinematics(
                rig.robot, self.link, target=wanted.frame, start_positions=wanted.start,
                options=asked, diagnostics=diagnostics,
            )  # fmt: skip
        else:
            answer = _follow(rig.robot, self.link, (before, wanted.frame), (wanted.start, asked))
        if not answer.success:
            self._last = None
        return answer


def _follow(
    robot: Any, link: str, frames: tuple[Matrix, Matrix], asked: tuple[Solved, IKOptions]
) -> IKResult:
    """Goes straight from one frame to the next."""
    start, options = asked
    known = recall_robot(robot)
    base = known.tree.links[0].name
    chain = known.chain(base, link, np.eye(4), tuple(options.joints or ()), start)
    free = np.full(len(chain.variables), np.inf)
    machine = PlannedArm(
        chain=chain, link=link, outer=np.zeros(len(free), dtype=bool), lower=chain.lower,
        upper=chain.upper, velocities=free, accelerations=free, jerks=free, rest=start,
        place_only=not options.orientation,
    )  # fmt: skip
    values = np.array([float(start[name]) for name in machine.names])  # type: ignore[arg-type]
    here = {name: start[name] for name in machine.names}
    course = plan_line(
        machine.place(values[None])[0] if not machine.turns else frames[0], frames[1]
    )
    (found,) = follow(machine, [Leg(course=course, start=values)])
    last = found.values[-1]
    inside = (last >= chain.lower - 1e-9) & (last <= chain.upper + 1e-9)
    there = dict(zip(machine.names, np.clip(last, chain.lower, chain.upper).tolist(), strict=True))
    why: str = found.failure or ("" if inside.all() else "limit")
    if not why and options.refuse is not None:
        why = options.refuse(start | there)
    return IKResult(
        success=not why, positions=there if not why else here, closest=there, position_error=0.0,
        orientation_error=0.0, iterations=len(found.shares), restarts=0, seconds=0.0,
        message=f"link {quote(link)} cannot follow: {why}" if why else "",
    )  # fmt: skip


def trace_path(
    armature: Any,
    link: str,
    *,
    frame_range: tuple[int, int] | None = None,
    step: int = 1,
    in_frame: str = "armature",
    convention: Convention | None = None,
) -> tuple[tuple[float, ...], ...]:
    """Returns the way of a link as bake_path takes it: rows (time, x, y, z, qx, qy, qz, qw), the
    first at time 0, written in `convention`; write_link_path writes them to a file. `frame_range`
    and `step` are as for bake_ik. Raises KinematicsError for unknown names, ArgumentError where
    there is no such frame."""
    armature = rig_of(armature)
    frames = list_frames(armature, frame_range, step)
    rate, rows = frame_rate(), []
    for number in walk_frames(frames):
        shown = np.linalg.solve(find_frame(armature, in_frame), link_pose(armature, link))
        rows.append(row_of((number - frames[0]) / rate, shown, convention))
    return tuple(rows)


def _check_free(armature: Any, joints: Collection[str]) -> None:
    """Raises KinematicsError where a target would move the joints away from the baked pose."""
    for target in followed_targets_of(armature):
        if set(joints) & set(joints_of_target(armature, target)):
            link = str(target[properties.IK]["link"])
            raise KinematicsError(
                f"link {quote(link)} follows {quote(target.name)}: let go of it first"
            )
