# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that a robot's link follows while they are moved: by hand, by keyframes, by parents.

Blender's own inverse kinematics does it where it can (native.py); else this code, as follows.

A target is an empty, marked by `urdf_ik`. Blender tells when it moves; then the joints are solved
from where they are, and set. So every tool that moves objects moves the hand, undo takes both back,
and limits hold exactly. While the target is out of reach the link comes as near as it can, and the
empty is red. The .blend keeps the last pose where this code is not installed.
"""

import atexit
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bpy
import mathutils
import numpy as np

from ....core.arguments import rig_of
from ....core.blender import memory
from ....core.blender.memory import forget, recall
from ....core.blender.semantics.apply import extract_semantics
from ....core.blender.semantics.markers import (
    is_followed,
    new_target,
    remove_marker,
    show_target,
    targets_of,
)
from ....core.blender.standing import properties
from ....core.blender.standing.joints import list_held, posed_joints_of
from ....core.blender.standing.keys import is_keyed_now
from ....core.blender.standing.pose import get_joint_positions, key_joints, link_pose, read_shown
from ....core.blender.standing.robot_table import find_robot
from ....core.diagnostics import Diagnostics, KinematicsError, quote
from ....core.geometry.transforms import Matrix, nearest_rotation
from ..options import Effort, IKOptions
from ..solve import IKResult, inverse_kinematics
from .native import find_obstacle, let_go, set_influence, try_native, write_shown
from .solve import choose_joints, choose_unlocked, drop_locked, recall_rig, set_positions
from .targets import find_moved, world_from_armature

FREE = (1.0, 1.0, 1.0, 1.0)
OUT_OF_REACH = (1.0, 0.1, 0.1, 1.0)
_REST = 1e-7
_ALL_WAYS = 6
"""Joints that it takes to turn a link as one likes: with fewer the place alone counts."""

_busy = False


def add_ik(
    armature: Any, group_or_link: str, *, live: bool = False, diagnostics: Diagnostics | None = None
) -> Any:
    """Gives a link of an imported robot a target and returns it: an empty at the link's frame.
    Where the empty goes, by hand, keyframes or parents, the link follows within limits; out of
    reach it comes as near as it can. Of a group of the SRDF it is the target of its end effector,
    or the tip of its chain, and only the group's joints move. Where fewer than six joints move, the
    place alone counts, and not how the empty is turned.

    Where the joints only turn, one on a bone, and their limits hold zero, it is Blender's own
    inverse kinematics that does it, which works without this extension. Else, or with `live`, the
    numeric solver follows the empty; a diagnostic `ik-not-native` says why.

    Raises KinematicsError for a name that is neither, and where nothing moves the link, BuildError
    for an object that is not an imported robot.
    """
    armature = rig_of(armature)
    rig = recall_rig(armature)
    group, link = "", group_or_link
    if link not in rig.tree.index:
        group, link = group_or_link, _find_tip(armature, group_or_link)
    joints = choose_joints(armature, rig, link, group or None)
    if not joints:
        raise KinematicsError(f"no joint that may move moves link {quote(link)}")
    found = [each for each in targets_of(armature) if each[properties.IK].get("link") == link]
    target = found[0] if found else new_target(armature, link, group)
    if target[properties.IK].get("native"):
        let_go(armature, target)
    target[properties.IK]["turned"] = len(joints) >= _ALL_WAYS
    show_target(target, shown=True)
    # First there, then followed: the link must not move to where the empty was made.
    bring_to_link(armature, target)
    reason = "" if live else _go_native(armature, target, joints)
    if reason:
        kept = Diagnostics() if diagnostics is None else diagnostics
        kept.warning(
            "ik-not-native",
            f"link {quote(link)} follows its target while this extension is enabled: Blender's own "
            f"inverse kinematics cannot do it, since {reason}",
            subject=link,
        )
    target[properties.IK]["live"] = bool(live or reason)
    watch()
    forget()
    return target


def _go_native(armature: Any, target: Any, joints: Collection[str]) -> str:
    """Hands a target to Blender's own IK. Returns an empty text, or why it cannot be."""
    said = target[properties.IK]
    link, turned = str(said["link"]), bool(said["turned"])
    with quietly():
        obstacle = find_obstacle(armature, link, joints)
        return obstacle or try_native(armature, target, link, joints, turned)


def remove_ik(target: Any) -> None:
    """Lets go of a target that add_ik gave, and removes all that it made. The joints stay where
    they are shown."""
    said = target[properties.IK]
    said["live"] = False
    robot = find_robot(target)
    if robot is not None and said.get("native"):
        with quietly():
            let_go(robot, target)
    known = extract_semantics(robot).end_effectors if robot is not None else ()
    kept = said.get("effector", "") and any(
        each.name == said["effector"] and each.group for each in known
    )
    if kept:
        for name in ("live", "native", "turned"):
            said.pop(name, None)
        show_target(target, shown=False)
    else:
        remove_marker(target)
    forget()


def bring_to_link(armature: Any, target: Any) -> None:
    """Puts a target where its link is shown. Native IK that rested acts again."""
    with quietly():
        frame = link_pose(armature, target[properties.IK]["link"])
        world = world_from_armature(armature) @ frame
        target.matrix_world = mathutils.Matrix(world.tolist())
        target.color = FREE
        set_influence(armature, 1.0, target)
        bpy.context.view_layer.update()


def snap_joints(armature: Any) -> None:
    """Sets every joint to the position that is shown; native IK rests from then on."""
    with quietly():
        set_positions(armature, get_joint_positions(armature))
        set_influence(armature, 0.0)
        bpy.context.view_layer.update()


def solve_target(
    armature: Any, target: Any, shown: Any, effort: Effort, depsgraph: Any | None = None
) -> IKResult:
    """Solves for where a target is, from the positions that are shown; sets nothing. A handler
    gives its own depsgraph."""
    said = target[properties.IK]
    rig, link = recall_rig(armature), str(said["link"])
    goal = _find_goal(armature, target, depsgraph or bpy.context.evaluated_depsgraph_get())
    return inverse_kinematics(
        rig.robot, link, target=goal, start_positions=shown,
        options=IKOptions(
            joints=joints_of_target(armature, target),
            orientation=bool(said.get("turned", True)),
            restarts=effort.restarts, seconds=effort.seconds,
        ),
    )  # fmt: skip


_AT_ONCE, _ONCE_MORE = Effort(restarts=0, seconds=0.05), Effort(restarts=1, seconds=0.05)
"""The two tries of a redraw, with seconds for machines that do other things too: the bound is the
number of iterations, which take 2 and 10 ms at most."""


def joints_of_target(armature: Any, target: Any) -> tuple[str, ...]:
    """Returns the joints that move for a target."""
    return drop_locked(armature, _list_unlocked(armature, target))


def _list_unlocked(armature: Any, target: Any) -> tuple[str, ...]:
    said = target[properties.IK]
    link, group = str(said["link"]), str(said.get("group", ""))

    def choose(robot: Any) -> tuple[str, ...]:
        """Reads the whole SRDF for a group: too long for a redraw."""
        return choose_unlocked(robot, recall_rig(robot), link, group or None)

    found: tuple[str, ...] = recall(armature, ("joints", link, group), choose)
    return found


def _find_goal(armature: Any, target: Any, depsgraph: Any) -> Matrix:
    """Where the target is in armature space, without scale."""
    world = np.array(target.evaluated_get(depsgraph).matrix_world, dtype=float)
    goal: Matrix = np.linalg.inv(world_from_armature(armature, depsgraph)) @ world
    goal[:3, :3] = nearest_rotation(goal[:3, :3])
    return goal


def _find_tip(armature: Any, group: str) -> str:
    """The link that a group brings somewhere: where an end effector sits, else the tip of its
    chain."""
    semantics = extract_semantics(armature)
    found = [each for each in semantics.groups if each.name == group]
    if not found:
        raise KinematicsError(f"the robot has neither a link nor a group {quote(group)}")
    for effector in semantics.end_effectors:
        if effector.parent_group == group:
            return effector.parent_link
    if not found[0].chains:
        raise KinematicsError(
            f"group {quote(group)} has neither an end effector nor a chain: name the link itself"
        )
    return found[0].chains[-1].tip_link


@contextmanager
def quietly() -> Iterator[None]:
    """Targets that move by this code's own doing are not followed."""
    global _busy
    before, _busy = _busy, True
    try:
        yield
    finally:
        _busy = before


def watch() -> None:
    """Follows live targets from now on; asked twice it is as if asked once."""
    memory.watch()  # It forgets removed objects before targets are followed.
    for moments, handler in _handlers():
        if handler not in moments:
            # It stays when another file is opened.
            moments.append(bpy.app.handlers.persistent(handler))
    atexit.register(unwatch)  # As for the memory's own handlers.


def unwatch() -> None:
    """Undoes watch."""
    for moments, handler in _handlers():
        if handler in moments:
            moments.remove(handler)
    forget()


def _handlers() -> Iterator[tuple[Any, Any]]:
    yield bpy.app.handlers.depsgraph_update_post, _follow_moved
    yield bpy.app.handlers.frame_change_post, _follow_all


def _live_targets(scene: Any) -> dict[int, Any]:
    """Returns the targets of a scene that links follow by their session numbers: names change. In
    the order of their names."""
    return recall(scene, "live targets", _read_live_targets)


def _read_live_targets(scene: Any) -> dict[int, Any]:
    live = [x for x in scene.objects if properties.IK in x and is_followed(x)]
    return {each.session_uid: each for each in sorted(live, key=lambda each: each.name)}


def _follow_moved(scene: Any, depsgraph: Any) -> None:
    """Follows the targets that the depsgraph says have moved."""
    live = {} if _busy else _live_targets(scene)
    if not live:
        return
    moved = {
        update.id.original.session_uid
        for update in depsgraph.updates
        if update.is_updated_transform and isinstance(update.id, bpy.types.Object)
    } & live.keys()
    _follow(scene, depsgraph, moved | _find_switched(live))
    # Moved since joints were keyed: forgotten with all else, so after undo there are none.
    waiting: set[int] = recall(scene, "moved targets", lambda _: set())
    waiting |= moved
    if waiting and depsgraph.id_type_updated("ACTION"):
        _key_moved(scene, waiting)


def _find_switched(live: Mapping[int, Any]) -> set[int]:
    """Finds the targets of Blender's own IK one of whose joints was locked or unlocked."""
    return {
        uid
        for uid, target in live.items()
        if target[properties.IK].get("native")
        and (robot := find_robot(target)) is not None
        and _has_held(robot, target) != bool(target[properties.IK].get("held"))
    }


def _has_held(armature: Any, target: Any) -> bool:
    return len(joints_of_target(armature, target)) < len(_list_unlocked(armature, target))


def _is_solved(armature: Any, target: Any, *, shows: bool = True) -> bool:
    """Whether this code moves the joints for a target. Blender's own IK cannot leave a joint where
    it is, so it rests as long as one of its joints is held. It `shows` the pose to stay in, but in
    a new frame, in which it has moved all joints: held ones are then where their channels say."""
    said = target[properties.IK]
    if not said.get("native"):
        return bool(said.get("live"))
    held = _has_held(armature, target)
    if held and not said.get("held"):
        if shows:
            write_shown(armature, target)
        set_influence(armature, 0.0, target)
        said["held"] = True
    elif not held and said.pop("held", False):
        set_influence(armature, 1.0, target)
    return held


def _key_moved(scene: Any, waiting: set[int]) -> None:
    """Keys the joints of targets that auto keying has keyed, when their drag has ended: so the pose
    is in the file, and a cancelled drag leaves no keys."""
    moved = set(waiting)
    waiting.clear()
    if not scene.tool_settings.use_keyframe_insert_auto:
        return
    with quietly():
        for uid, target in _live_targets(scene).items():
            armature = find_robot(target) if uid in moved else None
            if armature is not None and is_keyed_now(target) and _is_solved(armature, target):
                key_joints(armature, joints_of_target(armature, target))


def _follow_all(scene: Any, depsgraph: Any) -> None:
    """Follows all targets into another frame: animation moves them without a word."""
    if not _busy:
        _follow(scene, depsgraph, _live_targets(scene).keys(), shows=False)


def _follow(scene: Any, depsgraph: Any, moved: Collection[int], *, shows: bool = True) -> None:
    """Brings the links of targets to them, or as near as they can come. Targets of one robot are
    followed one after the other, each from the joints that the ones before it have set."""
    reached: dict[int, dict[str, Any]] = {}
    with quietly():
        for uid, target in _live_targets(scene).items():
            armature = find_robot(target) if uid in moved else None
            if armature is None or not armature.is_editable:
                continue
            if not _is_solved(armature, target, shows=shows):
                continue
            if armature.session_uid not in reached:
                reached[armature.session_uid] = read_shown(armature, depsgraph)
            shown = reached[armature.session_uid]
            if target[properties.IK].get("native"):
                shown |= _read_held(armature, shown)
            shown |= _bring(armature, target, shown, depsgraph)


def _read_held(armature: Any, shown: Mapping[str, Any]) -> dict[str, Any]:
    held = list_held(armature)
    return {
        joint.name: joint.channels[0].get(bone)
        for bone, joint in posed_joints_of(armature)
        if joint.name in held and isinstance(shown[joint.name], float)
    }


def _bring(armature: Any, target: Any, shown: dict[str, Any], depsgraph: Any) -> dict[str, Any]:
    """Sets the joints that a target moves, and returns the positions of the moved ones."""
    answer = solve_target(armature, target, shown, _AT_ONCE, depsgraph)
    if not answer.success:
        other = solve_target(armature, target, shown, _ONCE_MORE, depsgraph)
        answer = other if other.success else answer
    color = FREE if answer.success else OUT_OF_REACH
    if tuple(target.color) != tuple(mathutils.Vector(color)):
        target.color = color
    moved = find_moved(answer.closest, shown, _REST)
    if moved:
        set_positions(armature, moved)
    return moved
