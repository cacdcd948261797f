# SPDX-License-Identifier: GPL-3.0-or-later
"""An SRDF put on a rig, and made of one.

The rig's objects count, up to single precision: bones of groups, curves of poses. All else is given
back as the SRDF on the armature has it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...arguments import rig_of
from ...diagnostics import BuildError, quote
from ...kinematics.semantic_groups import resolve_groups
from ...model import EndEffector, Group, GroupState, Robot, Semantics
from ...names import find_free
from ..extract.robot import extract_name, extract_robot
from ..memory import forget
from ..standing import properties
from ..standing.armatures import check_own
from ..standing.joints import joints_of
from ..standing.links import links_of, name_link
from ..standing.pose import get_joint_positions
from ..standing.poses import (
    is_same_position,
    loose_poses,
    new_pose,
    poses_of,
    read_pose,
    write_pose,
)
from .blending import PoseBlend
from .control import build_control
from .groups import build_groups, extract_groups, joints_of_group
from .markers import build_markers, targets_of
from .record import find_semantics, keep_semantics

_WHOLE = "whole_body"


def apply_semantics(armature: Any, semantics: Semantics) -> None:
    """Puts an SRDF on an imported robot: groups, poses, targets, the root control; in place of an
    earlier one. Raises BuildError for an object that is not an imported robot, and for a robot of
    another file."""
    robot = extract_robot(armature)
    check_own(armature, "open that file to change it")
    build_control(armature, robot, semantics)
    build_groups(armature, robot, semantics)
    build_markers(armature, robot, semantics)
    _build_states(armature, robot, semantics)
    keep_semantics(armature, semantics)
    forget()


def extract_semantics(armature: Any) -> Semantics:
    """Returns the SRDF of a rig as the scene has it: groups from bone collections, states from pose
    assets, and the rest from its original SRDF. A rig that came with none gives the user's own
    groups and states. Raises BuildError for an object that is not an imported robot."""
    armature = rig_of(armature)
    return extract_semantics_of(armature, extract_robot(armature))


def extract_semantics_of(armature: Any, robot: Robot) -> Semantics:
    """Returns the SRDF of a rig as extract_semantics does; `robot` is the result of extract_robot
    for it."""
    kept = find_semantics(armature) or Semantics(name=robot.name)
    groups = extract_groups(armature, robot, kept)
    effectors = (*kept.end_effectors, *_find_new_effectors(armature, kept))
    return _with_states(armature, robot, replace(kept, groups=groups, end_effectors=effectors))


def show_state(armature: Any, group: str, name: str) -> None:
    """Poses a robot as a state says; joints that the state does not name stay. Raises BuildError
    for a state that the robot does not have."""
    PoseBlend(armature, dict(find_state(armature, group, name).positions)).show(1.0)


def find_state(armature: Any, group: str, name: str) -> GroupState:
    """Finds a state of a robot, with the present content of its pose asset."""
    for state in extract_semantics(armature).group_states:
        if (state.group, state.name) == (group, name):
            return state
    raise BuildError(f"{quote(armature.name)} has no state {quote(name)} of group {quote(group)}")


def keep_state(armature: Any, group: str, name: str) -> None:
    """Keeps the displayed positions of a group's joints as a named state: a pose asset, in place of
    one with this name. Raises KinematicsError for a group without bones."""
    joints = joints_of_group(armature, group)
    shown = get_joint_positions(armature)
    positions = {joint: shown[joint] for joint in joints if joint in shown}
    robot = extract_name(armature)
    for home, kept, action in poses_of(robot):
        if (home, kept) == (group, name):
            write_pose(action, armature, positions)
            return
    new_pose(armature, name, positions, robot=robot, group=group)


def _bare(numbers: tuple[float, ...]) -> float | tuple[float, ...]:
    return numbers[0] if len(numbers) == 1 else numbers


def _build_states(armature: Any, robot: Robot, semantics: Semantics) -> None:
    """Makes an action for each state; existing ones are written again."""
    found = {(group, name): action for group, name, action in poses_of(robot.name)}
    sizes = {joint.name: len(joint.channels) for joint in joints_of(armature)}
    for state in semantics.group_states:
        positions = {
            joint: _bare(numbers)
            for joint, numbers in state.positions
            # Angles of joints that turn freely are quaternions in states.
            if (sizes.get(joint), len(numbers)) in ((1, 1), (3, 3), (3, 4), (6, 7))
        }
        action = found.get((state.group, state.name))
        if action is None:
            new_pose(armature, state.name, positions, robot=robot.name, group=state.group)
        elif action.library is None:
            write_pose(action, armature, positions)


def _find_new_effectors(armature: Any, semantics: Semantics) -> Iterator[EndEffector]:
    """Yields end effectors whose targets the user made."""
    known = {effector.name for effector in semantics.end_effectors}
    links = {name_link(item) for item in links_of(armature)}
    for target in targets_of(armature):
        said = target[properties.IK]
        name, link = str(said.get("effector", target.name)), str(said.get("link", ""))
        if name not in known and link in links:
            hand = str(said.get("hand", "")) or str(said.get("group", ""))
            yield EndEffector(name=name, group=hand, parent_link=link)


def _with_states(armature: Any, robot: Robot, semantics: Semantics) -> Semantics:
    poses = {(group, name): action for group, name, action in poses_of(robot.name)}
    states = []
    for state in semantics.group_states:
        action = poses.pop((state.group, state.name), None)
        states.append(state if action is None else _as_shown(state, read_pose(action, armature)))
    new = [(group, name, read_pose(action, armature)) for (group, name), action in poses.items()]
    new += [("", name, positions) for name, positions in loose_poses(armature)]
    semantics = replace(semantics, group_states=tuple(states))
    for group, name, positions in new:
        if positions:
            semantics = _with_new_state(robot, semantics, group, name, positions)
    return semantics


def _with_new_state(
    robot: Robot,
    semantics: Semantics,
    group: str,
    name: str,
    positions: Mapping[str, tuple[float, ...]],
) -> Semantics:
    """With a state, in the given group or one that has all its joints, made if need be."""
    known = {each.name for each in semantics.groups}
    home = group if group in known else _find_group(robot, semantics, positions)
    made = () if home in known else (Group(name=home, joints=tuple(positions)),)
    state = GroupState(name=name, group=home, positions=tuple(positions.items()))
    return replace(
        semantics,
        groups=(*semantics.groups, *made),
        group_states=(*semantics.group_states, state),
    )


def _as_shown(state: GroupState, shown: Mapping[str, tuple[float, ...]]) -> GroupState:
    """The state with the positions of its pose; numbers that are the same up to single precision
    stay."""
    positions = []
    for joint, numbers in state.positions:
        now = shown.get(joint, numbers)
        positions.append((joint, numbers if is_same_position(numbers, now) else now))
    named = {joint for joint, _ in state.positions}
    positions += [(joint, numbers) for joint, numbers in shown.items() if joint not in named]
    return replace(state, positions=tuple(positions))


def _find_group(robot: Robot, semantics: Semantics, shown: Mapping[str, object]) -> str:
    """The smallest group that has all these joints; else a name for a new one."""
    found = {
        name: len(joints)
        for name, joints in resolve_groups(robot, semantics).items()
        if shown.keys() <= set(joints)
    }
    if found:
        return min(found, key=lambda name: found[name])
    return find_free(_WHOLE, {group.name for group in semantics.groups}.__contains__)
