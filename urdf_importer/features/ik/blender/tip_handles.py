# SPDX-License-Identifier: GPL-3.0-or-later
"""Tips of robots as things to take hold of: a hand is brought somewhere, and its joints follow.

Nothing needs to be set up: which links are tips follows from the description and its SRDF. While a
tip is dragged the joints' numbers change, and no object comes or goes.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import bpy
import mathutils
import numpy as np

from ....core.blender.memory import recall
from ....core.blender.semantics.markers import followed_targets_of, targets_of
from ....core.blender.semantics.record import effector_links
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import armatures_by_name, bones_of
from ....core.blender.standing.handles import explain_hold, make_handle
from ....core.blender.standing.joints import RigJoint, keep_joints, posed_joints_of
from ....core.blender.standing.links import find_link, visuals_of
from ....core.blender.standing.loops import find_loops
from ....core.blender.standing.pose import get_joint_positions, link_pose, put_position
from ....core.blender.standing.robot_table import list_robots
from ....core.diagnostics import RobotError
from ....core.geometry.transforms import Matrix, make_frame, nearest_rotation
from ....core.kinematics.tips import find_tips
from ..options import IKOptions
from ..solve import IKResult, inverse_kinematics
from .live import bring_to_link
from .solve import choose_joints, recall_rig
from .targets import find_moved

_FULL = 6
"""Joints from which on a link can be anywhere in any orientation."""
_BALL = 3
_SECONDS, _CROWD_SECONDS = 0.25, 0.006
"""The first tries take 2 ms at most; the last looks for other ways as long as a redraw may wait."""
_BEND = 0.15
"""Radians and metres by which joints are bent, or shares of their range where that is little."""
_REST = 1e-7
_NO_SIZE = 1e-18


@dataclass(frozen=True, slots=True, kw_only=True)
class TipHandle:
    """A tip of a robot in the scene: `empty` is its link's, `point` (3,) the tip in the link's
    frame, `joints` are the joints that move for it."""

    armature: Any
    empty: Any
    link: str
    point: tuple[float, float, float]
    joints: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TipFrame:
    """Where a tip is shown, in the world: `origin` (3,), and the unit `axes` of its link."""

    origin: mathutils.Vector
    axes: tuple[mathutils.Vector, mathutils.Vector, mathutils.Vector]


def handles_in(scene: Any) -> tuple[TipHandle, ...]:
    """Returns the tips of all robots of a scene."""
    return recall(scene, "tips", _read_handles, shaped=True)


def _read_handles(scene: Any) -> tuple[TipHandle, ...]:
    found: list[TipHandle] = []
    for robot in list_robots(scene):
        # There are none of a robot that its user took apart: links are missing.
        with suppress(RobotError):
            found += list(_handles_of(robot))
    return tuple(found)


def read_frame(handle: TipHandle) -> TipFrame:
    """Reads where a tip is shown in the pose of the moment; of links that are hidden too."""
    place = _place(handle.empty)
    x, y, z = (place.col[axis].to_3d().normalized() for axis in range(3))
    return TipFrame(origin=place @ mathutils.Vector(handle.point), axes=(x, y, z))


def _place(empty: Any) -> mathutils.Matrix:
    """Returns the empty's place in the world. Blender does not keep hidden objects' places up to
    date, but it does bones'."""
    above = empty.parent
    if above is None:
        return empty.matrix_world
    held = above.matrix_world
    bone = above.pose.bones.get(empty.parent_bone) if empty.parent_type == "BONE" else None
    if bone is not None:
        held = held @ bone.matrix @ mathutils.Matrix.Translation((0.0, bone.bone.length, 0.0))
    return held @ empty.matrix_parent_inverse @ empty.matrix_basis


@dataclass(slots=True, kw_only=True)
class TipDrag:
    """A tip that is being dragged by `joints`, which are on `homes`, armatures by their names;
    `followers` are moved by loops and by no driver. `shown` and `begun` are the positions of all
    joints, now and at the start. `turned` (3, 3) is the link's rotation then, in armature space,
    and `raw` are the channels' numbers, to the last bit; `take_back` puts these there again.
    `answer` is the last one found."""

    handle: TipHandle
    start: TipFrame
    homes: dict[str, Any]
    joints: dict[str, RigJoint]
    followers: dict[str, RigJoint]
    turned: Matrix
    shown: dict[str, float | tuple[float, ...]]
    begun: dict[str, float | tuple[float, ...]]
    raw: dict[str, float]
    take_back: Callable[[], None]
    answer: IKResult | None = None

    def move(self, origin: mathutils.Vector, turn: mathutils.Quaternion, *, turning: bool) -> None:
        """Brings the tip to a place of the world, turned away from where it was, or as near as it
        can come. `turning` says which of the two the hand is after: without enough joints the other
        is let go."""
        goal = self._enter_armature(origin, turn)
        starts = ((self.shown, 0), (self._bend(), 0), (self.begun, 0), (self.shown, 1))
        tries = (self._solve(goal, turning, start, crowds) for start, crowds in starts)
        nearest = next(tries)
        answer = nearest if nearest.success else next((t for t in tries if t.success), nearest)
        self.answer = answer
        for name, position in find_moved(answer.closest, self.shown, _REST).items():
            self.shown[name] = position
            joint = self.joints.get(name) or self.followers.get(name)
            if joint is not None:
                put_position(self._bone(joint), joint, position)

    def _solve(
        self, goal: Matrix, turning: bool, start: Mapping[str, Any], crowds: int
    ) -> IKResult:
        armature, count = self.handle.armature, len(self.joints)
        return inverse_kinematics(
            recall_rig(armature).robot, self.handle.link, target=goal, start_positions=start,
            options=IKOptions(
                joints=tuple(self.joints), tip=self.handle.point,
                position=not turning or count > _BALL, orientation=turning or count >= _FULL,
                restarts=crowds, seconds=_CROWD_SECONDS if crowds else _SECONDS,
            ),
        )  # fmt: skip

    def _bend(self) -> dict[str, float | tuple[float, ...]]:
        """Returns the pose a little bent, away from limits: from a stretched arm no small step
        leads inward."""
        bent = dict(self.shown)
        for place, (name, joint) in enumerate(self.joints.items()):
            channel, position = joint.channels[0], self.shown[name]
            assert isinstance(position, float)
            side, size = (-1) ** place, _BEND
            if channel.lower is not None and channel.upper is not None:
                middle = 0.5 * (channel.lower + channel.upper)
                side = side if position == middle else int(np.sign(middle - position))
                size = min(size, 0.2 * (channel.upper - channel.lower))
            bent[name] = position + side * size
        return bent

    def keep(self) -> bool:
        """Ends it; moved joints get keyframes where Blender's auto keying is on. Returns whether
        any is elsewhere than it was."""
        moved = [name for name in self.joints if self.read(name) != self.raw[name]]
        for name in moved:
            channel, bone = self.joints[name].channels[0], self._bone(self.joints[name])
            channel.set(bone, channel.get(bone))
        for joint in self.followers.values() if moved else ():
            for channel in joint.channels:
                channel.set(self._bone(joint), channel.get(self._bone(joint)))
        if moved:
            self._bring_targets()
        return bool(moved)

    def _bring_targets(self) -> None:
        """Brings live targets to where their links are now, except animated ones."""
        for target in followed_targets_of(self.handle.armature):
            live = target[properties.IK].get("live")
            if live and target.is_editable and target.animation_data is None:
                bpy.context.view_layer.update()
                bring_to_link(self.handle.armature, target)

    def _enter_armature(self, origin: mathutils.Vector, turn: mathutils.Quaternion) -> Matrix:
        """Returns (4, 4) in armature space, without its scale. Also for a mirrored armature: a turn
        in the world goes the other way there."""
        inverse = np.linalg.inv(np.array(self.handle.armature.matrix_world, dtype=np.float64))
        axes = nearest_rotation(inverse[:3, :3])
        point = inverse[:3, :3] @ np.array(origin) + inverse[:3, 3]
        return make_frame(axes @ np.array(turn.to_matrix()) @ axes.T @ self.turned, point)

    def _bone(self, joint: RigJoint) -> Any:
        return self.homes[joint.armature].pose.bones[joint.bone]

    def read(self, name: str) -> float:
        """Returns the number of a joint's channel."""
        channel = self.joints[name].channels[0]
        return float(getattr(self._bone(self.joints[name]), channel.prop)[channel.index])


def explain_tip(handle: TipHandle) -> str:
    """Explains in a few words why a tip cannot be dragged; empty where it can."""
    if abs(handle.armature.matrix_world.determinant()) < _NO_SIZE:
        return "the armature is scaled to nothing"
    held = _find_held(handle)
    return next(iter(held.values())) if len(held) == len(handle.joints) else ""


def _find_held(handle: TipHandle) -> dict[str, str]:
    """Returns the reasons why joints of a chain cannot move."""
    held = {}
    for name in handle.joints:
        joint = make_handle(handle.armature, name)
        reason = "without its bone" if joint is None else explain_hold(joint)
        if reason:
            held[name] = reason
    return held


def grip_tip(handle: TipHandle) -> TipDrag:
    """Takes hold of a tip, where the rig shows it."""
    held = _find_held(handle)
    homes = armatures_by_name(handle.armature)
    joints = {
        joint.name: joint
        for _, joint in posed_joints_of(handle.armature)
        if joint.name in handle.joints and joint.name not in held
    }
    loops = find_loops(handle.armature)
    followers = {
        joint.name: joint
        for _, joint in posed_joints_of(handle.armature)
        if loops is not None and joint.name in loops.solved
    }
    shown = get_joint_positions(handle.armature)
    drag = TipDrag(
        handle=handle, start=read_frame(handle), homes=homes, joints=joints, followers=followers,
        turned=nearest_rotation(link_pose(handle.armature, handle.link)[:3, :3]), shown=shown,
        begun=dict(shown), raw={},
        take_back=keep_joints(handle.armature, joints.keys() | followers.keys()),
    )  # fmt: skip
    drag.raw = {name: drag.read(name) for name in joints}
    return drag


def _handles_of(armature: Any) -> Iterator[TipHandle]:
    rig = recall_rig(armature)
    passive = {name for bone in bones_of(armature) for name in bone.get(properties.PASSIVE, ())}
    groups = _groups_of(armature)
    for tip in find_tips(rig.tree, groups, passive):
        joints = tip.joints
        if groups.get(tip.link) or rig.robot.loops:
            joints = choose_joints(armature, rig, tip.link, groups.get(tip.link) or None)
        empty = find_link(armature, tip.link)
        yield TipHandle(
            armature=armature,
            empty=empty,
            link=tip.link,
            point=(0.0, 0.0, 0.0) if tip.pointed else _find_end(armature, empty),
            joints=tuple(name for name in joints if rig.motions[name].is_scalar),
        )


def _groups_of(armature: Any) -> dict[str, str]:
    """Returns link -> the group that moves it, "" where there is none, of the end effectors of the
    robot's SRDF."""
    marked = {
        str(each[properties.IK]["link"]): str(each[properties.IK].get("group", ""))
        for each in targets_of(armature)
    }
    return {link: marked.get(link, "") for link in effector_links(armature)}


def _find_end(armature: Any, empty: Any) -> tuple[float, float, float]:
    """Finds the point of a link's frame in which its bodies end: the middle of the face, of the box
    around them, farthest from the frame's origin."""
    corners = [
        empty_from_item @ mathutils.Vector(corner)
        for item in visuals_of(armature)
        if item.parent == empty and item.type == "MESH"
        for empty_from_item in [item.matrix_parent_inverse @ item.matrix_basis]
        for corner in item.bound_box
    ]
    if not corners:
        return (0.0, 0.0, 0.0)
    box = np.array(corners)
    middle, half = (box.max(0) + box.min(0)) / 2.0, (box.max(0) - box.min(0)) / 2.0
    axis = int(np.argmax(np.abs(middle)))
    if abs(middle[axis]) < 0.5 * half[axis]:
        return (0.0, 0.0, 0.0)  # It lies around its joint, as a wheel does.
    middle[axis] += np.copysign(half[axis], middle[axis])
    x, y, z = middle.tolist()
    return (x, y, z)
