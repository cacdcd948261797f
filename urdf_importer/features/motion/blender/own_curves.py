# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot's motion from its curves alone: where nothing but keys and the rig's own drivers move it,
no frame needs to be shown.

Within its limits a joint shows its curve's number, and a follower the rig's own line through its
leader's. Whatever else could act makes find_own_motion return None, and the frames are shown; so
are frames in which a joint is beyond its limits, since there constraints act.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import mathutils
import numpy as np
from numpy.typing import NDArray

from ....core.blender.semantics.markers import followed_targets_of
from ....core.blender.standing.armatures import armatures_of
from ....core.blender.standing.handles import EULER_ORDERS
from ....core.blender.standing.joints import RigJoint, name_limits, read_joints
from ....core.blender.standing.keys import find_curves
from ....core.blender.standing.pose import position_of_numbers
from ....core.geometry.transforms import quaternion_from_rotation
from ..trajectory import Numbers

_NUMBER = r"-?\d+\.?\d*(?:e[-+]?\d+)?"
_LINE = re.compile(
    rf"(?P<factor>{_NUMBER}) \* "
    rf"(?:q|\(q if abs\(q - r\) < 0\.0001 else r\)|clamp\(q, {_NUMBER}, {_NUMBER}\)|"
    rf"(?:min|max)\(q, {_NUMBER}\)) \+ (?P<offset>{_NUMBER})"
)
"""A rig driver's function of its leader's number, which is unchanged within limits."""
_NEAR = 1e-6
_US = re.compile(r"\burdf_importer\.(core|\w+\.\w+)\.blender\.")
"""Modules of this library that need Blender, in the Python package and in the extension."""
Place = tuple[Any, str, int]
"""A number: its object, its path and its index."""


class _Elsewhere(Exception):
    """Something other than curves may move the robot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMotion:
    """The motion shown in m frames: `positions` (m) of each joint as get_joint_positions has them,
    poses of the base (m, 7), and in which frames (m,) that is sure."""

    positions: dict[str, list[float | tuple[float, ...]]]
    base: Numbers
    is_sure: NDArray[np.bool_]


def find_own_motion(armature: Any, frames: Sequence[tuple[int, float]]) -> OwnMotion | None:
    """Returns a robot's motion in frames (whole, rest); None where its curves alone do not
    determine it."""
    render = bpy.context.scene.render
    if render.frame_map_old != render.frame_map_new:
        return None
    handlers = bpy.app.handlers
    running = (*handlers.frame_change_pre, *handlers.frame_change_post)
    # Ours bring links to live targets, and move nothing else; also the extension's, where this is
    # the library beside it.
    ours = all(_US.search(str(getattr(each, "__module__", ""))) for each in running)
    if followed_targets_of(armature) or not ours:
        return None
    moments = [float(np.float32(whole) + np.float32(rest)) for whole, rest in frames]
    try:
        return _Reader(armature, moments).read()
    except _Elsewhere:
        return None


class _Reader:
    def __init__(self, armature: Any, moments: Sequence[float]) -> None:
        self.armature = armature
        self.homes = list(armatures_of(armature))
        self.following: list[Place] = []
        self.moments = moments
        self.curves: dict[Place, Any] = {}
        self.drivers: dict[Place, Any] = {}
        self.known: dict[Place, Numbers] = {}
        self.is_sure = np.ones(len(moments), dtype=bool)

    def read(self) -> OwnMotion:
        positions: dict[str, list[float | tuple[float, ...]]] = {}
        for home in self.homes:
            _check_home(home)
            self._list_curves(home)
        for home in self.homes:
            for bone in home.pose.bones if home.pose else ():
                joints = read_joints(bone.bone)
                _check_constraints(bone, has_joints=bool(joints))
                if joints:
                    self._check_rest(bone, joints)
                for joint in joints:
                    positions[joint.name] = self._read_joint(bone, joint)
        return OwnMotion(positions=positions, base=self._read_base(), is_sure=self.is_sure)

    def _list_curves(self, home: Any) -> None:
        for curve in find_curves(home) or ():
            if curve.mute or not curve.is_valid or curve.is_empty or len(curve.modifiers):
                raise _Elsewhere
            if (curve.group is not None and curve.group.mute) or ".constraints[" in curve.data_path:
                raise _Elsewhere
            self.curves[home, curve.data_path, curve.array_index] = curve
        for curve in home.animation_data.drivers if home.animation_data else ():
            self.drivers[home, curve.data_path, curve.array_index] = curve

    def _read_joint(self, bone: Any, joint: RigJoint) -> list[float | tuple[float, ...]]:
        columns = []
        for channel in joint.channels:
            place = bone.id_data, f"{bone.path_from_id()}.{channel.prop}", channel.index
            column = self._read(place)
            low = -np.inf if channel.lower is None else channel.lower
            high = np.inf if channel.upper is None else channel.upper
            position = channel.sign * column
            self.is_sure &= (position >= low - _NEAR) & (position <= high + _NEAR)
            columns.append(column)
        if len(columns) == 1:
            return list((joint.sign * columns[0]).tolist())
        if joint.kind == "planar":
            return list(zip(*(column.tolist() for column in columns), strict=True))
        rows = np.stack(columns, axis=1).tolist()
        return [position_of_numbers(joint, row) for row in rows]

    def _check_rest(self, bone: Any, joints: Sequence[RigJoint]) -> None:
        """The other numbers of a joint's bone must rest."""
        if bone.rotation_mode not in EULER_ORDERS:
            raise _Elsewhere
        path = bone.path_from_id()
        used = {(channel.prop, channel.index) for joint in joints for channel in joint.channels}
        for prop, rest in (("location", 0.0), ("rotation_euler", 0.0), ("scale", 1.0)):
            for index in range(3):
                place = bone.id_data, f"{path}.{prop}", index
                if (prop, index) not in used:
                    self.is_sure &= np.abs(self._read(place) - rest) <= _NEAR

    def _read(self, place: Place) -> Numbers:
        """Returns the number (m,) at a place, as Blender has it, in single precision."""
        found = self.known.get(place)
        if found is None:
            if place in self.drivers:
                found = self._follow(self.drivers[place])
            elif place in self.curves:
                evaluate = self.curves[place].evaluate
                found = np.array([evaluate(moment) for moment in self.moments], dtype=np.float64)
            else:
                item, path, index = place
                found = np.full(len(self.moments), item.path_resolve(path)[index], dtype=np.float64)
            self.known[place] = found
        return found

    def _follow(self, curve: Any) -> Numbers:
        """Returns the result of a rig's driver for its leader."""
        variables = {variable.name: variable for variable in curve.driver.variables}
        line = _LINE.fullmatch(curve.driver.expression)
        leader = variables.get("q")
        if line is None or leader is None or leader.type != "SINGLE_PROP" or curve.mute:
            raise _Elsewhere
        if curve.driver.type != "SCRIPTED" or len(curve.modifiers) or len(curve.keyframe_points):
            raise _Elsewhere
        target = leader.targets[0]
        path, _, index = target.data_path.rpartition("[")
        place = target.id, path, int(index.rstrip("]"))
        if target.id not in self.homes or place in self.following:
            raise _Elsewhere
        self.following.append(place)
        number = float(line["factor"]) * self._read(place) + float(line["offset"])
        self.following.pop()
        return number.astype(np.float32).astype(np.float64)

    def _read_base(self) -> Numbers:
        """Returns poses (m, 7) of the armature object: its own, or from its curves."""
        own, count = self.armature, len(self.moments)
        moved = [
            path
            for item, path, _ in (*self.curves, *self.drivers)
            if item == own and not path.startswith(("pose.", '["'))
        ]
        above = own
        while above is not None:
            data = above.animation_data
            if above.constraints or above.rigid_body or (above != own and data is not None):
                raise _Elsewhere
            above = above.parent
        if not moved:
            return np.tile(shown_pose(own), (count, 1))
        turned = "rotation_quaternion" if own.rotation_mode == "QUATERNION" else "rotation_euler"
        strange = own.rotation_mode not in (*EULER_ORDERS, "QUATERNION")
        if own.parent is not None or strange or not set(moved) <= {"location", turned}:
            raise _Elsewhere
        if any(own.delta_location) or list(own.delta_scale) != [1, 1, 1]:
            raise _Elsewhere
        if any(own.delta_rotation_euler) or list(own.delta_rotation_quaternion) != [1, 0, 0, 0]:
            raise _Elsewhere
        sizes = (3, 4 if own.rotation_mode == "QUATERNION" else 3)
        columns = [
            self._read((own, path, index))
            for path, size in zip(("location", turned), sizes, strict=True)
            for index in range(size)
        ]
        rows = np.stack(columns, axis=1).tolist()
        return np.array([self._pose(row) for row in rows])

    def _pose(self, row: Sequence[float]) -> list[float]:
        mode = self.armature.rotation_mode
        if mode == "QUATERNION":
            rotation: Any = mathutils.Quaternion(row[3:]).normalized()
        else:
            rotation = mathutils.Euler(row[3:], mode)
        matrix = rotation.to_matrix().to_4x4()
        matrix.translation = row[:3]
        return pose_of_matrix(matrix)


def pose_of_matrix(matrix: Any) -> list[float]:
    """Returns x, y, z and a quaternion of a matrix (4, 4), whose scale is passed over."""
    array = np.array(matrix, dtype=float)
    scale = np.linalg.norm(array[:3, :3], axis=0)
    rotation = array[:3, :3] / np.where(scale > 0, scale, 1.0)
    return [*array[:3, 3].tolist(), *quaternion_from_rotation(rotation)]


def shown_pose(item: Any) -> list[float]:
    """Returns x, y, z and a quaternion of an object, where the scene shows it in the world."""
    shown = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return pose_of_matrix(shown.matrix_world)


def _check_home(home: Any) -> None:
    """Raises _Elsewhere where more than an action may move an armature's bones."""
    data = home.animation_data
    if home.data.pose_position != "POSE" or home.data.animation_data is not None:
        raise _Elsewhere
    if data is None:
        return
    if any(not track.mute for track in data.nla_tracks) and data.use_nla:
        raise _Elsewhere
    if data.action_blend_type != "REPLACE" or data.action_influence != 1.0:
        raise _Elsewhere


def _check_constraints(bone: Any, *, has_joints: bool) -> None:
    """Raises _Elsewhere where constraints other than the rig's act. Blender's IK moves bones that
    have no constraint of their own."""
    own = name_limits(bone.bone) if has_joints else ()
    for constraint in bone.constraints:
        rests = constraint.mute or constraint.influence == 0.0 or constraint.name in own
        if not rests and (has_joints or constraint.type in ("IK", "SPLINE_IK")):
            raise _Elsewhere
