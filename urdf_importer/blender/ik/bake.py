# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints keyed from frame to frame, so that a link follows a target or a path; and paths read off a
rig."""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from os import PathLike
from typing import Any

import bpy
import numpy as np

from ...arguments import rig_of
from ...diagnostics import ArgumentError, Diagnostics, KinematicsError, quote
from ...files.outputs import write_text
from ...files.packages import AnyPath
from ...geometry.transforms import Matrix
from ...kinematics.conventions import Convention
from ...kinematics.inverse import IKResult, inverse_kinematics
from ...kinematics.link_path_file import HEADS, read_link_path
from ...kinematics.link_paths import Rows, plan_path, row_of
from ..animation.curves import frame_rate
from ..standing import properties
from ..standing.pose import get_joint_positions, key_joints, link_pose
from .live import followed_targets_of, joints_of_target, quietly, solve_target
from .native import set_influence
from .solve import choose_joints, recall_rig, set_positions
from .targets import Solved, Wish, aim, find_frame

_RESTARTS, _SECONDS = 24, 0.25
_MOST_FRAMES = 1_000_000


def bake_ik(armature: Any, target: Any, start: int, end: int, step: int = 1) -> tuple[int, ...]:
    """Keys a robot's joints from frame to frame so that the link follows its target, each frame
    from the one before. Returns the frames in which it cannot: they hold the last pose. Raises
    ArgumentError where there is no such frame."""
    armature, frames = rig_of(armature), _frames(start, end, step)

    def solve(frame: int, shown: Solved) -> IKResult:
        return solve_target(armature, target, shown, restarts=_RESTARTS, seconds=_SECONDS)

    failed = _bake(armature, frames, solve)
    # Keys show from now on, also where the target is out of reach.
    set_influence(armature, 0.0, target)
    return failed


def bake_path(
    armature: Any,
    link: str,
    path: AnyPath | Rows,
    *,
    start: float = 1.0,
    fps: float | None = None,
    frame: str = "armature",
    orientation: Any = "keep",
    group: str | Collection[str] | None = None,
    convention: Convention | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[int, ...]:
    """Keys a robot's joints so that a link goes along a path, in every frame from the one before.

    `path` is a CSV file or rows: (time, x, y, z), or (time, x, y, z, qx, qy, qz, qw), in seconds
    and in the axes and the unit of `convention`. Between rows the link goes straight and turns
    evenly. Time 0 is frame `start`; `fps` is the scene's rate unless given. `frame`, `group` and
    `orientation` are as for solve_ik; without quaternions "keep" is the link's orientation in the
    first frame.

    Returns the frames in which the link cannot be there: they hold the last pose. Raises
    ReadError for a file that does not hold a path; KinematicsError for wrong rows, unknown names,
    and where the link follows a target.
    """
    armature = rig_of(armature)
    rows = read_link_path(str(path)) if isinstance(path, (str, PathLike)) else path
    wish = Wish(
        link=link, target=(0.0, 0.0, 0.0), mode="absolute", frame=frame, orientation=orientation,
        group=group, state="", convention=None,
    )  # fmt: skip
    way = plan_path(rows, convention)
    rig = recall_rig(armature)
    joints = choose_joints(armature, rig, wish.link, wish.group)
    _check_free(armature, joints)
    rate = fps or frame_rate()
    first = math.ceil(start + rate * float(way.times[0]) - 1e-6)
    last = math.floor(start + rate * float(way.times[-1]) + 1e-6)
    if last - first > _MOST_FRAMES:
        raise KinematicsError("the path is longer than a million frames")
    kept: list[Matrix] = []

    def solve(frame: int, shown: Solved) -> IKResult:
        given = way.at((frame - start) / rate)
        target = given if way.turns is not None else given[:3, 3]
        wanted = aim(armature, rig.robot, replace(wish, target=target), shown, {})
        if way.turns is None:
            # As the link was turned in the first frame, not as the last one came out.
            kept.append(wanted.frame[:3, :3])
            wanted.frame[:3, :3] = kept[0]
        return inverse_kinematics(
            rig.robot, wish.link, wanted.frame, start=wanted.start, joints=joints,
            orientation=wanted.turned, seconds=_SECONDS, restarts=_RESTARTS,
            diagnostics=diagnostics if frame == first else Diagnostics(),
        )  # fmt: skip

    return _bake(armature, range(first, last + 1), solve)


def trace_path(
    armature: Any,
    link: str,
    start: int,
    end: int,
    step: int = 1,
    *,
    frame: str = "armature",
    convention: Convention | None = None,
    output: AnyPath | None = None,
) -> tuple[tuple[float, ...], ...]:
    """Returns the way of a link over frames of the scene, as bake_path takes it: rows (time, x, y,
    z, qx, qy, qz, qw), the first at time 0, written in `convention`. With `output` it is also
    written there, as CSV. Raises KinematicsError for unknown names, ArgumentError where there is no
    such frame, WriteError where the file cannot be written."""
    armature, frames = rig_of(armature), _frames(start, end, step)
    scene, rate = bpy.context.scene, frame_rate()
    before, rows = scene.frame_current, []
    first: int | None = None
    try:
        for number in frames:
            first = number if first is None else first
            scene.frame_set(number)
            shown = np.linalg.solve(find_frame(armature, frame), link_pose(armature, link))
            rows.append(row_of((number - first) / rate, shown, convention))
    finally:
        scene.frame_set(before)
    if output is not None:
        lines = [HEADS[1], *(",".join(map(repr, row)) for row in rows)]
        write_text(output, "\n".join(lines) + "\n")
    return tuple(rows)


def _frames(start: int, end: int, step: int) -> range:
    if end < start or step < 1:
        raise ArgumentError(
            f"frames {start} to {end} in steps of {step} are none: the last one cannot be before "
            "the first, nor the step below 1"
        )
    return range(start, end + 1, step)


def _bake(
    armature: Any, frames: Iterable[int], solve: Callable[[int, Solved], IKResult]
) -> tuple[int, ...]:
    """Keys the joints frame by frame, each from the one before. Returns the frames that failed,
    which hold the last pose."""
    scene = bpy.context.scene
    before = scene.frame_current
    failed: list[int] = []
    last: Solved = {}
    with quietly():
        for frame in frames:
            scene.frame_set(frame)
            shown = get_joint_positions(armature) | last
            answer = solve(frame, shown)
            if answer.success:
                last = dict(answer.positions)
            else:
                failed.append(frame)
                last = last or {name: shown[name] for name in answer.positions}
            set_positions(armature, last)
            key_joints(armature, last)
        scene.frame_set(before)
    return tuple(failed)


def _check_free(armature: Any, joints: Collection[str]) -> None:
    """Raises KinematicsError where a target would move the joints away from the baked pose."""
    for target in followed_targets_of(armature):
        if set(joints) & set(joints_of_target(armature, target)):
            link = str(target[properties.IK]["link"])
            raise KinematicsError(
                f"link {quote(link)} follows {quote(target.name)}: let go of it first"
            )
