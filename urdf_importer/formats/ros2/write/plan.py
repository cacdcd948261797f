# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of a robot as ros2_control sees them, and the controllers that command them.

No interface of a joint is claimed twice: a drive takes its wheels, hands take their joints, then
the smaller groups before the larger ones, and one controller takes the rest.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ....core.diagnostics import Diagnostics, WriteError, quote
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.semantic_groups import resolve_groups
from ....core.kinematics.tree import KinematicTree
from ....core.model import Robot, Semantics
from ....core.names import Claims
from .drives import Drive, DriveSearch
from .groups import add_passive, find_home, make_semantics

BROADCASTER = "joint_state_broadcaster"
TRAJECTORY = "joint_trajectory_controller/JointTrajectoryController"
GRIPPER = "parallel_gripper_action_controller/GripperActionController"
_COMMANDS = ("position", "velocity", "effort")
_STATES = ("position", "velocity")
_REACH = 0.1
"""Radians, or metres, from its target at which a joint by effort gives all of it."""
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedJoint:
    """A joint in the block of ros2_control: its commands, none for a follower or a passive joint,
    and its states."""

    motion: JointMotion
    commands: tuple[str, ...]
    states: tuple[str, ...] = _STATES

    @property
    def name(self) -> str:
        return self.motion.joint.name


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RosController:
    """A controller with its parameters. `joints` are MoveIt's to send to it, none for a
    drive."""

    name: str
    type: str
    parameters: Mapping[str, Any]
    joints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RosPlan:
    """`name` begins the names of the packages; `has_block` says that the description has a block of
    ros2_control of its own; `groups` are the joints of each group that move on their own."""

    name: str
    tree: KinematicTree
    semantics: Semantics
    drive: Drive | None
    has_block: bool
    joints: tuple[PlannedJoint, ...]
    groups: Mapping[str, tuple[str, ...]]
    controllers: tuple[RosController, ...]

    @property
    def robot(self) -> Robot:
        return self.tree.robot


def plan_ros(
    name: str, search: DriveSearch, given: Semantics | None, mode: str, diagnostics: Diagnostics
) -> RosPlan:
    """Plans joints, groups and controllers; `mode` is the option `drive`. Raises WriteError where
    no joint could be moved, and KinematicsError for a drive that the robot does not have."""
    tree, passive = search.tree, search.passive
    own = _read_block(tree)
    commands = {each.name: each.commands for each in own if each.commands}
    if own:
        left = tree.motion_of.keys() - commands.keys()
        search = replace(search, passive={*passive, *left}, commands=commands)
    drive = search.find(mode, diagnostics)
    semantics = make_semantics(tree, given, drive, passive)
    groups = _find_groups(tree, semantics)
    idle = {*passive, *_find_casters(tree, groups, drive)}
    if not (given is not None and given.groups):
        semantics = add_passive(semantics, [name for name in tree.motion_of if name in idle])
    joints = own or _plan_joints(tree, drive, idle)
    if not any(each.commands for each in joints):
        source = tree.robot.source
        raise WriteError("the robot has no joint that a controller could move", source=source)
    controllers = tuple(_Claimer(joints, semantics, diagnostics).claim(groups, drive))
    driven = drive.joints if drive is not None else ()
    claimed = {*driven, *(joint for each in controllers for joint in each.joints), *idle}
    _report_left(tree, claimed, diagnostics)
    return RosPlan(
        name=name,
        tree=tree,
        semantics=semantics,
        drive=drive,
        has_block=bool(own),
        joints=joints,
        groups=groups,
        controllers=controllers,
    )


def find_passive(robot: Robot, semantics: Semantics | None) -> tuple[str, ...]:
    """Returns the joints that nothing drives: by the SRDF, and joints that the transmissions leave
    out, where the description has any."""
    passive = [each.name for each in semantics.passive_joints] if semantics is not None else []
    driven = {joint.name for each in robot.transmissions for joint in each.joints}
    if driven and not robot.controls:
        moving = [each for each in robot.joints if each.type != "fixed" and each.mimic is None]
        passive += [each.name for each in moving if each.name not in driven]
    return tuple(dict.fromkeys(passive))


def _read_block(tree: KinematicTree) -> tuple[PlannedJoint, ...]:
    """Returns the joints of the blocks of ros2_control in the description."""
    return tuple(
        PlannedJoint(
            motion=tree.motion_of[each.joint],
            commands=() if tree.motion_of[each.joint].mimic else each.command_interfaces,
            states=each.state_interfaces,
        )
        for each in tree.robot.controls
        if each.joint in tree.motion_of
    )


def _plan_joints(
    tree: KinematicTree, drive: Drive | None, idle: Collection[str]
) -> tuple[PlannedJoint, ...]:
    """Returns all joints of one axis that move. One that should follow and cannot is left out:
    ros2_control would refuse the block."""
    rolling = drive.rolling if drive is not None else ()
    found = []
    for motion in tree.joint_motions:
        name, follows, written = motion.joint.name, motion.mimic is not None, motion.joint.mimic
        led = written is None or (follows and written.joint in tree.motion_of)
        if motion.is_scalar and led:
            command = "velocity" if name in rolling else "position"
            found.append(
                PlannedJoint(motion=motion, commands=() if follows or name in idle else (command,))
            )
    return tuple(found)


def _find_groups(tree: KinematicTree, semantics: Semantics) -> dict[str, tuple[str, ...]]:
    """Returns the joints of each group that move on their own, along or about one axis."""
    lead = {each.joint.name for each in tree.joint_motions if each.is_scalar and each.mimic is None}
    resolved = resolve_groups(tree.robot, semantics)
    return {group: tuple(filter(lead.__contains__, names)) for group, names in resolved.items()}


def _find_casters(
    tree: KinematicTree, groups: Mapping[str, tuple[str, ...]], drive: Drive | None
) -> Iterator[str]:
    """Yields the joints of a robot on wheels that turn without bounds, drive nothing and are in no
    group."""
    if drive is None:
        return
    known = {*drive.joints, *(name for joints in groups.values() for name in joints)}
    for motion in tree.joint_motions:
        if motion.is_endless and motion.mimic is None and motion.joint.name not in known:
            yield motion.joint.name


class _Claimer:
    """Gives each joint that has a command to one controller."""

    def __init__(
        self, joints: tuple[PlannedJoint, ...], semantics: Semantics, diagnostics: Diagnostics
    ) -> None:
        self._free = {each.name: each for each in joints if _command_of(each)}
        self._order = {each.name: place for place, each in enumerate(joints)}
        self._hands = {each.group for each in semantics.end_effectors}
        self._diagnostics = diagnostics
        self._names = Claims(taken=[BROADCASTER, "controller_manager"])
        self._guessed: list[str] = []

    def claim(
        self, groups: Mapping[str, tuple[str, ...]], drive: Drive | None
    ) -> Iterator[RosController]:
        if drive is not None:
            name = self._names.claim("base_controller")
            yield RosController(name=name, type=drive.type, parameters=drive.parameters)
        for joint in drive.joints if drive is not None else ():
            self._free.pop(joint, None)
        hands = self._hands
        for group in sorted(groups, key=lambda each: (each not in hands, len(groups[each]))):
            yield from self._take(f"{group}_controller", groups[group], group in hands)
        rest = sorted(self._free, key=self._order.__getitem__)
        yield from self._take("joint_trajectory_controller", tuple(rest), False)
        if self._guessed:
            self._diagnostics.warning(
                "guessed-gains",
                f"controllers command {_list(self._guessed)} by effort or velocity: the gains are "
                "guesses, to be tuned",
                subject=self._guessed[0],
            )

    def _take(self, wanted: str, names: tuple[str, ...], is_hand: bool) -> Iterator[RosController]:
        """Yields a controller for the joints that are free yet; one for each kind of command."""
        free = [self._free.pop(name) for name in names if name in self._free]
        alike: dict[tuple[str, tuple[str, ...]], list[PlannedJoint]] = {}
        for each in free:
            alike.setdefault((_command_of(each), _states_of(each)), []).append(each)
        for (command, states), joints in alike.items():
            name = self._names.claim(_make_node_name(wanted))
            called = tuple(each.name for each in joints)
            own: dict[str, Any] = {"joints": called, "command_interfaces": [command]}
            kind = TRAJECTORY
            if is_hand and len(free) == 1 and command == "position":
                kind, own = GRIPPER, {"joint": called[0], "allow_stalling": True}
            if kind == TRAJECTORY or states != _STATES:
                own["state_interfaces"] = states
            if command != "position":
                own["gains"] = {each.name: _guess_gains(each, command) for each in joints}
                self._guessed += called
            yield RosController(name=name, type=kind, parameters=own, joints=called)


def _command_of(joint: PlannedJoint) -> str:
    """Returns the first command that a controller of trajectories can give; "" for none. It must
    read the position at least, and for commands other than positions the velocity."""
    if "position" not in joint.states:
        return ""
    known = _COMMANDS if "velocity" in joint.states else _COMMANDS[:1]
    return next((each for each in known if each in joint.commands), "")


def _states_of(joint: PlannedJoint) -> tuple[str, ...]:
    return tuple(each for each in _STATES if each in joint.states)


def _guess_gains(joint: PlannedJoint, command: str) -> dict[str, float]:
    limit = joint.motion.joint.limit
    effort = limit.effort if limit is not None and limit.effort else 1.0
    p = effort / _REACH if command == "effort" else 1.0
    return {"p": p, "d": p / 20.0}


def _make_node_name(wanted: str) -> str:
    """Returns a name that a node of ROS can have."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", wanted)
    return name if name[0].isalpha() else f"group_{name}"


def _report_left(tree: KinematicTree, claimed: Collection[str], diagnostics: Diagnostics) -> None:
    left = [
        each.joint.name
        for each in tree.joint_motions
        if each.moves and each.mimic is None and each.joint.name not in claimed
    ]
    left += [loop.name for loop in tree.robot.loops]
    if left:
        diagnostics.warning(
            "without-controller",
            f"no controller commands {_list(left)}",
            subject=left[0],
        )


def _list(joints: list[str]) -> str:
    named = ", ".join(map(quote, joints[:_MOST_NAMED]))
    more = f" and {len(joints) - _MOST_NAMED} more" if len(joints) > _MOST_NAMED else ""
    return f"{'joint' if len(joints) == 1 else 'joints'} {named}{more}"


def choose_start(plan: RosPlan, shown: Mapping[str, float]) -> dict[str, float]:
    """Returns where the joints that lead start, within their limits: as `shown`, else by a state
    called home or ready, else at zero or in the middle."""
    stated: dict[str, float] = {}
    for wanted in ("ready", "home"):
        for state in plan.semantics.group_states:
            if state.name.lower() == wanted:
                stated |= {name: n[0] for name, n in state.positions if len(n) == 1}
    found = {}
    for joint in plan.joints:
        motion = joint.motion
        if motion.mimic is None:
            wish = shown.get(joint.name, stated.get(joint.name, find_home(motion)))
            found[joint.name] = motion.nearest_valid(wish)
    return found
