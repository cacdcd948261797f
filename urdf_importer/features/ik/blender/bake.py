# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints keyed from frame to frame, so that a link follows a target or a path; and paths read off a
rig."""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from ....core.arguments import options_of, rig_of
from ....core.blender.curves import MOST_FRAMES, frame_rate
from ....core.blender.semantics.markers import followed_targets_of
from ....core.blender.span import find_range
from ....core.blender.standing import properties
from ....core.blender.standing.joints import list_held
from ....core.blender.standing.pose import get_joint_positions, key_joints, link_pose
from ....core.diagnostics import ArgumentError, Diagnostics, KinematicsError, quote
from ....core.files.packages import AnyPath
from ....core.geometry.transforms import Matrix
from ....core.kinematics.conventions import Convention
from ....core.kinematics.link_path_file import read_link_path
from ....core.kinematics.link_paths import Rows, plan_path, row_of
from ...motion.baked import BakeResult
from ...motion.blender.sample import walk_frames
from ..options import Effort, RigIKOptions
from ..solve import IKResult, inverse_kinematics
from .live import joints_of_target, quietly, solve_target
from .native import set_influence
from .solve import choose_unlocked, read_wish, recall_rig, set_positions
from .targets import IkWish, Solved, find_frame

_EFFORT = Effort(restarts=24, seconds=0.25)


def bake_ik(
    armature: Any, target: Any, *, frame_range: tuple[int, int] | None = None, step: int = 1
) -> BakeResult:
    """Keys a robot's joints from frame to frame so that the link follows its target, each frame
    from the one before. `frame_range` are the first and the last frame, the playing action's by
    default; `step` is from one key to the next. Frames that fail hold the last pose. Raises
    ArgumentError where there is no such frame."""
    armature = rig_of(armature)

    def solve(frame: float, shown: Solved) -> IKResult:
        return solve_target(armature, target, shown, _EFFORT)

    result = _bake(armature, _frames(armature, frame_range, step), solve)
    # Keys show from now on, also where the target is out of reach.
    set_influence(armature, 0.0, target)
    return result


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
    """Keys a robot's joints so that a link goes along a route, in every frame from the one before.

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
    kept: list[Matrix] = []

    def solve(frame: float, shown: Solved) -> IKResult:
        given = way.at((frame - start_frame) / rate)
        target = given if way.turns is not None else given[:3, 3]
        wish = IkWish(link=link, target=target, options=options)
        rig, _, wanted, asked = read_wish(armature, wish, shown)
        if way.turns is None:
            # As the link was turned in the first frame, not as the last one came out.
            kept.append(wanted.frame[:3, :3])
            wanted.frame[:3, :3] = kept[0]
        return inverse_kinematics(
            rig.robot, link, target=wanted.frame, start_positions=wanted.start, options=asked,
            diagnostics=diagnostics if frame == first else Diagnostics(),
        )  # fmt: skip

    return _bake(armature, range(first, last + 1), solve)


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
    frames = _frames(armature, frame_range, step)
    rate, rows = frame_rate(), []
    for number in walk_frames(frames):
        shown = np.linalg.solve(find_frame(armature, in_frame), link_pose(armature, link))
        rows.append(row_of((number - frames[0]) / rate, shown, convention))
    return tuple(rows)


def _frames(armature: Any, frame_range: tuple[int, int] | None, step: int) -> range:
    start, end = frame_range or find_range(armature)
    if end < start or step < 1:
        raise ArgumentError(
            f"frames {start} to {end} in steps of {step} are an empty range: the last one cannot "
            "be before the first, nor the step below 1"
        )
    return range(start, end + 1, step)


def _bake(armature: Any, frames: range, solve: Callable[[float, Solved], IKResult]) -> BakeResult:
    """Keys the joints frame by frame, each from the one before; frames that fail hold the last
    pose. A joint that is held for a while is keyed there as it is shown, so that it rests."""
    failed: list[int] = []
    last: Solved = {}
    with quietly():
        for frame in walk_frames(frames):
            shown, held = get_joint_positions(armature), list_held(armature)
            shown |= {name: each for name, each in last.items() if name not in held}
            answer = solve(frame, shown)
            if not answer.success:
                failed.append(int(frame))
            last = {name: shown[name] for name in (*last, *answer.positions)}
            if answer.success:
                last |= answer.positions
            set_positions(armature, last)
            key_joints(armature, last)
    return BakeResult(first=frames[0], last=frames[-1], failed=tuple(failed), positions=last)


def _check_free(armature: Any, joints: Collection[str]) -> None:
    """Raises KinematicsError where a target would move the joints away from the baked pose."""
    for target in followed_targets_of(armature):
        if set(joints) & set(joints_of_target(armature, target)):
            link = str(target[properties.IK]["link"])
            raise KinematicsError(
                f"link {quote(link)} follows {quote(target.name)}: let go of it first"
            )
