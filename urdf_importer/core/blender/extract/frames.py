# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and links as the rig rests now: where edit bones and the empties of links were moved to.

A joint's frame is where its bone rests. A joint without a bone of its own rides on the bone of the
link above it. So a bone that is moved takes along everything on it that has no bone; other bones
stay, as they do in Blender, and so do their joints: their origins change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...geometry.rounding import is_identity, tidy_pose
from ...geometry.transforms import Matrix, invert, make_frame, matrix_from_pose, nearest_rotation
from ...model import IDENTITY, Joint, Pose, Robot
from ..standing.armatures import bone_of, frames_at_rest, held_frame
from ..standing.joints import joints_of
from ..standing.rests import read_bone_rest, read_link_rest


@dataclass(frozen=True, slots=True, kw_only=True)
class RestFrames:
    """The moves since the import.

    origins  joint -> its new origin
    moved    link -> (4, 4), the moved frame of its shapes and its mass, in the link's frame
    """

    origins: Mapping[str, Pose]
    moved: Mapping[str, Matrix]


def find_rest_frames(armature: Any, robot: Robot, empties: Mapping[str, Any]) -> RestFrames:
    """Finds the moves since the import. In a robot of several armatures each part is in a frame of
    its own, which a bone above it may carry along."""
    frames = frames_at_rest(armature)
    carriers = {joint.name: joint.bone for joint in joints_of(armature)}
    turns = {
        bone.name: _find_turn(bone, frame)
        for home, frame in frames.items()
        for bone in home.data.bones
    }
    above = {joint.child: joint for joint in robot.joints}
    parents = {joint.parent for joint in robot.joints}
    before: dict[str, Matrix] = {}
    after: dict[str, Matrix] = {}
    moved: dict[str, Matrix] = {}
    for name, empty in empties.items():
        rest = read_link_rest(empty)
        if rest is None:
            continue
        joint = above.get(name)
        carrier = carriers.get(joint.name, empty.parent_bone) if joint else empty.parent_bone
        turn = turns.get(carrier)
        before[name] = rest
        after[name] = rest if turn is None else turn @ rest
        shift = invert(after[name]) @ place_of(empty, frames)
        if is_identity(_rigid(shift), _reach(rest)):
            continue
        if joint is not None and joint.type == "fixed" and name not in parents:
            after[name] = after[name] @ _rigid(shift)
        else:
            moved[name] = _rigid(shift)
    bare = [joint for joint in robot.joints if joint.child not in before]
    ridden = {joint.name: turns.get(carriers.get(joint.name, "")) for joint in bare}
    _place_bare(bare, ridden, before, after)
    origins = {
        joint.name: _find_origin(joint, before, after)
        for joint in robot.joints
        if joint.child in before and joint.parent in before
    }
    changed = {name: pose for name, pose in origins.items() if pose is not None}
    return RestFrames(origins=changed, moved=moved)


def _place_bare(
    waiting: list[Joint],
    turns: Mapping[str, Matrix | None],
    before: dict[str, Matrix],
    after: dict[str, Matrix],
) -> None:
    """Places links whose empty is gone, below the `waiting` joints: where the description has them
    in the link above, and where their bone took them, by `turns` of their joints."""
    while waiting:
        ready = [joint for joint in waiting if joint.parent in before]
        for joint in ready:
            rest = before[joint.parent] @ matrix_from_pose(joint.origin)
            rest = rest @ matrix_from_pose(joint.child_origin)
            turn = turns[joint.name]
            ride = after[joint.parent] @ invert(before[joint.parent])
            before[joint.child] = rest
            after[joint.child] = (ride if turn is None else turn) @ rest
        waiting = [joint for joint in waiting if joint.child not in before]
        if not ready:
            return


def _find_turn(bone: Any, frame: Matrix) -> Matrix | None:
    """Finds the move of a bone from its old frame to its rest frame (4, 4) in the main armature, in
    which its own has this frame; None for an unmoved bone, and for a user's."""
    kept = read_bone_rest(bone)
    if kept is None:
        return None
    now = frame @ np.array(bone.matrix_local, dtype=np.float64)
    if np.array_equal(now, kept[0]):
        return None
    turn = now @ invert(kept[0])
    return None if is_identity(turn, _reach(kept[0])) else _rigid(turn)


def place_of(empty: Any, frames: Mapping[Any, Matrix]) -> Matrix:
    """Returns an empty's place at rest in the main armature (4, 4), from its set values, with the
    scale taken out. `frames` are the frames of the armatures in it."""
    local = np.array(empty.matrix_parent_inverse) @ np.array(empty.matrix_basis)
    if empty.parent not in frames:
        return np.asarray(local, dtype=np.float64)
    placed: Matrix = held_frame(frames[empty.parent], empty.parent, bone_of(empty)) @ local
    return placed


def _find_origin(
    joint: Joint, before: Mapping[str, Matrix], after: Mapping[str, Matrix]
) -> Pose | None:
    """Finds the new origin of a joint; None where it and its parent moved alike, or not at all."""
    was = invert(before[joint.parent]) @ before[joint.child]
    now = invert(after[joint.parent]) @ after[joint.child]
    if np.array_equal(was, now) or is_identity(invert(was) @ now, _reach(was)):
        return None
    if joint.child_origin != IDENTITY:
        now = now @ invert(matrix_from_pose(joint.child_origin))
    pose = tidy_pose(now, joint.origin)
    return None if pose == joint.origin else pose


def _rigid(frame: Matrix) -> Matrix:
    """Returns the frame with a rotation of unit axes: the nearest one without scale."""
    return make_frame(nearest_rotation(frame[:3, :3]), frame[:3, 3])


def _reach(frame: Matrix) -> float:
    return float(np.abs(frame[:3, 3]).max())
