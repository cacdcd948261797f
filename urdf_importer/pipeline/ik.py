# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics on a rig that exists."""

from collections.abc import Collection
from os import PathLike
from typing import Any

from ..arguments import rig_of
from ..diagnostics import ArgumentError, Diagnostics
from ..files.outputs import write_text
from ..files.packages import AnyPath
from ..kinematics import IKResult
from ..kinematics.conventions import Convention
from ..kinematics.inverse import Target
from ..kinematics.link_path_file import HEADS, read_link_path
from ..kinematics.link_paths import Rows, plan_path


def solve_ik(
    armature: Any,
    link: str,
    target: Target,
    *,
    mode: str = "absolute",
    frame: str = "armature",
    orientation: Any = "keep",
    group: str | Collection[str] | None = None,
    state: str = "",
    convention: Convention | None = None,
    key: bool = False,
    seconds: float = 0.25,
    restarts: int = 24,
    seed: int = 0,
    diagnostics: Diagnostics | None = None,
) -> IKResult:
    """Poses an imported robot so that a link is where it is wanted, or leaves everything as it is.

    `target` is a frame (4, 4) or three numbers: with `mode` "absolute" where the link is to be,
    with "relative" how far from where the rig shows it, with "default" how far from where it is in
    the default pose: the joints of the group at zero, or in the middle where limits (tightened by
    soft limits) leave zero out, or as `state` of the SRDF says; all others as shown. Relative
    frames turn the link too. `frame` says whose axes, and for absolute targets whose origin, the
    numbers are in: "armature", "world", or a link's name. `convention` says how the numbers are
    written.

    `orientation`: "keep" (that of a frame as target; else as the link has it, or has it in the
    default pose), "free", or a quaternion (x, y, z, w) in the frame's axes. Only the joints of
    `group` move, a group of the SRDF or names; passive ones stay. `key` keys the joints that moved.
    `seconds`, `restarts` and `seed` are those of inverse_kinematics.

    The answer is looked at in the evaluated scene. Without success no channel, keyframe or object
    has changed, and `message` says why in one sentence. Raises KinematicsError for unknown names,
    modes and shapes, BuildError for an object that is not an imported robot.
    """
    from ..blender.ik.solve import Effort, pose_link
    from ..blender.ik.targets import Wish

    armature = rig_of(armature)
    wish = Wish(
        link=link, target=target, mode=mode, frame=frame, orientation=orientation, group=group,
        state=state, convention=convention,
    )  # fmt: skip
    effort = Effort(seconds=seconds, restarts=restarts, seed=seed)
    return pose_link(armature, wish, effort, key=key, diagnostics=diagnostics)


def add_ik(
    armature: Any, group_or_link: str, *, live: bool = False, diagnostics: Diagnostics | None = None
) -> Any:
    """Gives a link of an imported robot a target and returns it: an empty that stands where
    the link is. Where the empty goes, by hand, keyframes or parents, the link follows within
    limits; out of reach it comes as near as it can. Of a group of the SRDF it is the target of its
    end effector, or the tip of its chain, and only the group's joints move. Where fewer than six
    joints move, the place alone counts, and not how the empty is turned.

    Where the joints only turn, one on a bone, and their limits hold zero, it is Blender's own
    inverse kinematics that does it, which works without this extension. Else, or with `live`, the
    numeric solver follows the empty; a diagnostic `ik-not-native` says why.

    Raises KinematicsError for a name that is neither, and where nothing moves the link, BuildError
    for an object that is not an imported robot.
    """
    from ..blender.ik import live as following

    armature = rig_of(armature)
    return following.add_ik(armature, group_or_link, live=live, diagnostics=diagnostics)


def remove_ik(target: Any) -> None:
    """Lets go of a target that add_ik gave, and takes away all that it made. The joints stay where
    they are shown."""
    from ..blender.ik import live

    live.remove_ik(target)


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
    evenly. Time 0 is frame `start`; `fps` are those of the scene unless given. `frame`, `group` and
    `orientation` are those of solve_ik; without quaternions "keep" is as the link is turned in the
    first frame.

    Returns the frames in which the link cannot be there: they hold the last pose. Raises
    ReadError for a file that does not hold a path; KinematicsError for wrong rows, unknown names,
    and where the link follows a target.
    """
    from ..blender.ik import bake
    from ..blender.ik.targets import Wish

    armature = rig_of(armature)
    rows = read_link_path(str(path)) if isinstance(path, (str, PathLike)) else path
    wish = Wish(
        link=link, target=(0.0, 0.0, 0.0), mode="absolute", frame=frame, orientation=orientation,
        group=group, state="", convention=None,
    )  # fmt: skip
    return bake.bake_path(
        armature, wish, plan_path(rows, convention), start=start, fps=fps, diagnostics=diagnostics
    )


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
    from ..blender.ik import bake

    armature = rig_of(armature)
    rows = bake.trace_path(armature, link, _frames(start, end, step), frame, convention)
    if output is not None:
        lines = [HEADS[1], *(",".join(map(repr, row)) for row in rows)]
        write_text(output, "\n".join(lines) + "\n")
    return rows


def bake_ik(armature: Any, target: Any, start: int, end: int, step: int = 1) -> tuple[int, ...]:
    """Keys a robot's joints from frame to frame so that the link follows its target, each frame
    from the one before. Returns the frames in which it cannot: they hold the last pose. Raises
    ArgumentError where there is no such frame."""
    from ..blender.ik import bake

    armature = rig_of(armature)
    return bake.bake_ik(armature, target, _frames(start, end, step))


def _frames(start: int, end: int, step: int) -> range:
    if end < start or step < 1:
        raise ArgumentError(
            f"frames {start} to {end} in steps of {step} are none: the last one cannot be before "
            "the first, nor the step below 1"
        )
    return range(start, end + 1, step)
