# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own inverse kinematics, set up so that a link goes where an empty is.

A hidden, locked bone `TIP-<link>` has the link's frame, its tail in the link's origin. It has the
IK constraint, which by that tail brings the origin to the target and the axes with it. Such files
need no extension. It is good only for joints that turn, one on a bone, with limits that hold zero:
Blender widens the others. So a rig is asked first, tried, and restored where the link does not stay
where it is.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import bpy
import numpy as np

from ....core.blender.modes import edit_bones_of, reachable, selection_kept
from ....core.blender.semantics.markers import targets_of
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import armatures_of, held_frame, pose_bones_of, update_tags
from ....core.blender.standing.joints import RigJoint, follow_leaders, joints_of, name_joints
from ....core.blender.standing.keys import find_curves
from ....core.blender.standing.links import find_link
from ....core.blender.standing.loops import find_loops
from ....core.blender.standing.pose import get_joint_positions, link_pose
from ....core.blender.standing.record import find_record
from ....core.diagnostics import KinematicsError, quote
from ....core.geometry.transforms import Matrix
from .solve import NEAR, choose_joints, recall_rig, set_positions

_PREFIX = "TIP-"
_COLLECTION = "Mechanism"
_LENGTHS = (0.05, 0.0573, 0.0431, 0.0689)
"""Lengths of the bone, in sizes of the robot, to try: single precision suits some better."""
_STRAIGHT = 2e-6
_STILL = 1e-3
"""How far a joint may move, in rad, when the constraint is added: nothing must move."""


def find_obstacle(armature: Any, link: str, joints: Collection[str]) -> str:
    """Returns why Blender's own IK cannot move these joints for a link, as half a sentence; empty
    where it can."""
    return _find_owner(armature) or _find_misfit(armature, link, joints)


def _find_owner(armature: Any) -> str:
    """Who would mind a new bone."""
    if properties.ARMATURES in armature:
        return "the robot has several armatures"
    if armature.data.library is not None or armature.data.override_library is not None:
        return "the bones belong to another file"
    if armature.data.users > 1:
        return "other objects share the robot's bones"
    if find_record(armature).options.profile == "morse":
        return "the simulator MORSE would take the bone at the tip for a joint"
    return ""


def _find_misfit(armature: Any, link: str, joints: Collection[str]) -> str:
    """Which joint Blender's own IK could not move, or not hold."""
    by_name = {joint.name: joint for joint in joints_of(armature)}
    together = Counter(joint.bone for joint in by_name.values())
    for joint in map(by_name.__getitem__, joints):
        reason = _find_fault(joint, together[joint.bone])
        if reason:
            return f"joint {quote(joint.name)} {reason}"
    loops = find_loops(armature)
    for name in joints:
        if loops is not None and name in loops.asked:
            return f"joint {quote(name)} is on a closed loop, which no driver of the rig closes"
    line = _find_line(armature, link)
    chain = set(_cut_chain(line, joints, by_name))
    for joint in by_name.values():
        if joint.bone in chain and joint.name not in joints:
            return f"joint {quote(joint.name)} is between the others and may not move"
        (*_, leader) = follow_leaders(by_name, joint.name)
        if joint.bone in line and leader.name in joints and joint.mimics:
            return f"joint {quote(joint.name)} follows another on the way to link {quote(link)}"
    if any(by_name[name].bone not in chain for name in joints):
        return f"not all joints that move link {quote(link)} are above it"
    return ""


def _find_fault(joint: RigJoint, together: int) -> str:
    if joint.kind != "revolute":
        return "does not turn about one axis"
    if together > 1:
        return "shares its bone with another joint"
    lower, upper = joint.limits
    if (lower is not None and lower > 0.0) or (upper is not None and upper < 0.0):
        return "has limits that exclude zero"
    return ""


def _find_line(armature: Any, link: str) -> list[str]:
    """The names of the bones from a link's carrier up to the root."""
    empty = find_link(armature, link)
    bone = armature.data.bones.get(empty.parent_bone) if empty.parent == armature else None
    return [] if bone is None else [bone.name, *(each.name for each in bone.parent_recursive)]


def _cut_chain(
    line: list[str], joints: Collection[str], by_name: Mapping[str, RigJoint]
) -> list[str]:
    """The bones of a line down from the first joint's."""
    moved = {by_name[name].bone for name in joints}
    last = max((place for place, each in enumerate(line) if each in moved), default=-1)
    return line[: last + 1]


def try_native(armature: Any, target: Any, link: str, joints: Collection[str], turned: bool) -> str:
    """Gives a link Blender's own IK towards a target at the link's frame. Returns an empty text, or
    the reason why the rig was restored: the scene holds the link elsewhere."""
    wanted, before = link_pose(armature, link), get_joint_positions(armature)
    _build(armature, target, link, joints, turned)
    bpy.context.view_layer.update()
    shown, after = link_pose(armature, link), get_joint_positions(armature)
    near = 10.0 * NEAR * (1.0 + float(np.linalg.norm(wanted[:3, 3])))
    moved = max(float(np.abs(np.subtract(after[each], before[each])).max()) for each in joints)
    if np.abs(shown - wanted).max() > near or moved > _STILL:
        drop_native(armature, link)
        target[properties.IK]["native"] = False
        bpy.context.view_layer.update()
        return "something else moves the rig, such as a constraint or a driver"
    return ""


def _build(armature: Any, target: Any, link: str, joints: Collection[str], turned: bool) -> None:
    """Makes the bone at the tip and its constraint."""
    rest, carrier = _rest_of(armature, link)
    by_name = {joint.name: joint for joint in joints_of(armature)}
    count = len(_cut_chain(_find_line(armature, link), joints, by_name)) + 1
    name = _build_tip(armature, link, carrier, rest)
    _constrain(armature.pose.bones[name], target, count, turned)
    target[properties.IK]["native"] = True
    target[properties.IK]["live"] = False


def _rest_of(armature: Any, link: str) -> tuple[Matrix, str]:
    """The frame (4, 4) of a link in the armature's, at rest, and the bone that carries it."""
    empty = find_link(armature, link)
    carrier = str(empty.parent_bone)
    frame = held_frame(np.eye(4), armature, carrier)
    rest: Matrix = frame @ np.array(empty.matrix_parent_inverse) @ np.array(empty.matrix_basis)
    return rest, carrier


def _build_tip(armature: Any, link: str, carrier: str, rest: Matrix) -> str:
    """Makes the bone, with the length that gives the best axes. Returns its name."""
    size, (x, y, _), origin = max(armature.dimensions) or 1.0, rest[:3, :3].T, rest[:3, 3]
    plain = np.array(bpy.types.Bone.MatrixFromAxisRoll(y, 0.0))
    roll = float(np.arctan2(-x @ plain[:, 2], x @ plain[:, 0]))
    name, errors = f"{_PREFIX}{link}", dict[float, float]()
    for length in (*_LENGTHS, None):
        long = min(errors, key=errors.__getitem__) if length is None else length
        with ExitStack() as stack:
            stack.enter_context(selection_kept(armature))
            stack.enter_context(reachable(armature))
            bones = stack.enter_context(edit_bones_of(armature))
            made = bones.get(name) if errors else bones.new(name)
            made.parent, made.use_deform = bones[carrier], False
            made.head, made.tail, made.roll = origin - long * size * y, origin, roll
            name = made.name
        bone = armature.data.bones[name]
        errors[long] = float(np.abs(np.array(bone.matrix_local)[:3, :3] - rest[:3, :3]).max())
        if length is None or errors[long] < _STRAIGHT:
            break
    bone[properties.IK] = {"link": link}
    _hide(armature, bone)
    return str(name)


def _hide(armature: Any, bone: Any) -> None:
    home = armature.data.collections.get(_COLLECTION)
    if home is None:
        home = armature.data.collections.new(_COLLECTION)
        home.is_visible = False
    home.assign(bone)


def _constrain(tip: Any, target: Any, count: int, turned: bool) -> None:
    tip.lock_location = tip.lock_rotation = tip.lock_scale = (True, True, True)
    tip.lock_ik_x = tip.lock_ik_y = tip.lock_ik_z = True
    made = tip.constraints.new("IK")
    made.target, made.chain_count = target, count
    made.use_tail, made.use_rotation, made.use_stretch = True, turned, False


def drop_native(armature: Any, link: str) -> None:
    """Removes the bone of a link's native IK, its constraint and its animation."""
    for home in armatures_of(armature):
        names = [bone.name for bone in home.data.bones if _tip_of(bone) == link]
        if not names:
            continue
        paths = tuple(f'pose.bones["{bpy.utils.escape_identifier(name)}"]' for name in names)
        curves = find_curves(home) or []
        for curve in [each for each in curves if each.data_path.startswith(paths)]:
            curves.remove(curve)
        with selection_kept(home), reachable(home), edit_bones_of(home) as edit_bones:
            for name in names:
                edit_bones.remove(edit_bones[name])
        parts = home.data.collections
        if _COLLECTION in parts and not len(parts[_COLLECTION].bones):
            parts.remove(parts[_COLLECTION])


def _tip_of(bone: Any) -> str:
    return str(bone[properties.IK].get("link", "")) if properties.IK in bone else ""


def native_targets_of(armature: Any) -> list[Any]:
    """Lists the targets that Blender's own IK brings links to."""
    return [each for each in targets_of(armature) if each[properties.IK].get("native")]


def constraints_of(armature: Any, target: Any = None) -> Iterator[Any]:
    """Yields the IK constraints of bones at tips: one target's, or all."""
    for home in armatures_of(armature):
        for bone in home.pose.bones if home.pose else ():
            for each in bone.constraints if _tip_of(bone.bone) else ():
                if each.type == "IK" and (target is None or each.target == target):
                    yield each


def set_influence(armature: Any, influence: float, target: Any = None) -> None:
    """Lets native IK act, or rest, of one target or of all."""
    for each in constraints_of(armature, target):
        each.influence = influence
    update_tags(armature)


def let_go(armature: Any, target: Any) -> None:
    """Removes native IK from a target: the joints take the positions that it shows."""
    link = str(target[properties.IK].get("link", ""))
    write_shown(armature, target)
    drop_native(armature, link)
    target[properties.IK]["native"] = False
    bpy.context.view_layer.update()


def write_shown(armature: Any, target: Any = None) -> None:
    """Sets the joints that native IK moves, for one target or all, to its displayed result."""
    names = set[str]()
    for constraint in constraints_of(armature, target):
        tip = next(each for each in pose_bones_of(armature) if constraint in each.constraints[:])
        for bone in tip.parent_recursive[: constraint.chain_count - 1]:
            names.update(name_joints(bone.bone))
    shown = get_joint_positions(armature)
    set_positions(armature, {name: shown[name] for name in names})


def set_aside(armature: Any) -> None:
    """Removes all bones at tips before the rig's own change; the targets know of them."""
    for target in native_targets_of(armature):
        found = next(constraints_of(armature, target), None)
        target[properties.IK]["influence"] = 1.0 if found is None else float(found.influence)
        drop_native(armature, str(target[properties.IK]["link"]))


def bring_back(armature: Any) -> None:
    """Makes native IK that was set aside anew in a rig that was changed; where it cannot be any
    more, the target is live, and where the link is gone, it is a mere empty."""
    for target in native_targets_of(armature):
        said = target[properties.IK]
        said["native"] = False
        influence = float(said.pop("influence", 1.0))
        link, group = str(said["link"]), str(said.get("group", ""))
        try:
            joints = choose_joints(armature, recall_rig(armature), link, group or None)
        except KinematicsError:
            continue
        if not joints or find_obstacle(armature, link, joints):
            said["live"] = bool(joints)
            continue
        _build(armature, target, link, joints, bool(said.get("turned", True)))
        set_influence(armature, influence, target)
