# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints keyed from frame to frame, so that a link follows a target or a path; and paths read off a
rig."""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...diagnostics import Diagnostics, KinematicsError, quote
from ...geometry.transforms import Matrix
from ...kinematics.conventions import Convention
from ...kinematics.inverse import IKResult, inverse_kinematics
from ...kinematics.link_paths import LinkPath, row_of
from ..animation.curves import frame_rate
from ..standing import properties
from ..standing.pose import get_joint_positions, key_joints, link_pose
from .live import followed_targets_of, joints_of_target, quietly, solve_target
from .native import set_influence
from .solve import choose_joints, recall_rig, set_positions
from .targets import Solved, Wish, aim, find_frame

_RESTARTS, _SECONDS = 24, 0.25
_MOST_FRAMES = 1_000_000


def bake_ik(armature: Any, target: Any, frames: Iterable[int]) -> tuple[int, ...]:
    """Keys the joints so that the link follows its target from frame to frame; see pipeline.ik."""

    def solve(frame: int, shown: Solved) -> IKResult:
        return solve_target(armature, target, shown, restarts=_RESTARTS, seconds=_SECONDS)

    failed = _bake(armature, frames, solve)
    # Keys show from now on, also where the target is out of reach.
    set_influence(armature, 0.0, target)
    return failed


def bake_path(
    armature: Any,
    wish: Wish,
    path: LinkPath,
    *,
    start: float,
    fps: float | None,
    diagnostics: Diagnostics | None,
) -> tuple[int, ...]:
    """Keys the joints so that the link goes along a path; `wish` says what is asked in every frame,
    but for its target. See pipeline.ik."""
    rig = recall_rig(armature)
    joints = choose_joints(armature, rig, wish.link, wish.group)
    _check_free(armature, joints)
    rate = fps or frame_rate()
    first = math.ceil(start + rate * float(path.times[0]) - 1e-6)
    last = math.floor(start + rate * float(path.times[-1]) + 1e-6)
    if last - first > _MOST_FRAMES:
        raise KinematicsError("the path is longer than a million frames")
    kept: list[Matrix] = []

    def solve(frame: int, shown: Solved) -> IKResult:
        given = path.at((frame - start) / rate)
        target = given if path.turns is not None else given[:3, 3]
        wanted = aim(armature, rig.robot, replace(wish, target=target), shown, {})
        if path.turns is None:
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
    armature: Any, link: str, frames: Iterable[int], frame: str, convention: Convention | None
) -> tuple[tuple[float, ...], ...]:
    """Returns the rows of the way that a link goes; see pipeline.ik."""
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
    return tuple(rows)


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
    """Raises KinematicsError where a target would move the joints away from what is baked."""
    for target in followed_targets_of(armature):
        if set(joints) & set(joints_of_target(armature, target)):
            link = str(target[properties.IK]["link"])
            raise KinematicsError(
                f"link {quote(link)} follows {quote(target.name)}: let go of it first"
            )
