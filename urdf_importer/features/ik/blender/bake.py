# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints keyed from frame to frame, so that a link follows a target."""

from collections.abc import Callable
from typing import Any

from ....core.arguments import rig_of
from ....core.blender.span import find_range
from ....core.blender.standing.joints import list_held
from ....core.blender.standing.pose import get_joint_positions, key_joints
from ....core.diagnostics import ArgumentError
from ...motion.baked import BakeResult
from ...motion.blender.sample import walk_frames
from ..options import Effort
from ..solve import IKResult
from .live import quietly, solve_target
from .native import set_influence
from .solve import set_positions
from .targets import Solved

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

    result = bake_frames(armature, list_frames(armature, frame_range, step), solve)
    # Keys show from now on, also where the target is out of reach.
    set_influence(armature, 0.0, target)
    return result


def list_frames(armature: Any, frame_range: tuple[int, int] | None, step: int) -> range:
    """Returns the frames from the first to the last, the playing action's by default. Raises
    ArgumentError for an empty range."""
    start, end = frame_range or find_range(armature)
    if end < start or step < 1:
        raise ArgumentError(
            f"frames {start} to {end} in steps of {step} are an empty range: the last one cannot "
            "be before the first, nor the step below 1"
        )
    return range(start, end + 1, step)


def bake_frames(
    armature: Any, frames: range, solve: Callable[[float, Solved], IKResult]
) -> BakeResult:
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
