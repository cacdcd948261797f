# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a rig set so that a link reaches its target; or nothing is touched at all.

The numbers are solved from the description, set on the bones' channels, and looked at in the
evaluated scene: changes to the rig (muted limits, constraints, animation) may disagree.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ...arguments import rig_of
from ...diagnostics import Diagnostics, KinematicsError, quote, unknown_name
from ...geometry.transforms import Matrix
from ...kinematics.conventions import Convention
from ...kinematics.inverse import IKResult, Target, inverse_kinematics
from ...kinematics.inverse.chain import moving_joints
from ...kinematics.inverse.looped import find_movers
from ...kinematics.motion import JointMotion
from ...kinematics.semantic_groups import group_joints
from ...kinematics.tips import find_palm, survey_tree
from ...kinematics.tree import KinematicTree, retrace_tree
from ...model import Robot
from ..extract.robot import extract_robot
from ..memory import recall
from ..semantics.apply import extract_semantics, find_state
from ..semantics.record import effector_links, find_semantics
from ..standing import properties
from ..standing.armatures import armatures_of, bones_of
from ..standing.joints import RigJoint, posed_joints_of
from ..standing.loops import find_loops
from ..standing.pose import get_joint_positions, key_joints, link_pose, put_position
from .targets import Aim, Solved, Wish, aim, default_positions

NEAR = 1e-5
"""How exactly Blender's single precision places a link: m for each metre of reach and one more,
and rad."""


NEAR_ON_LOOPS = 1e-4
"""How exactly drivers close loops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """The description of a rig as input of inverse kinematics; without loops that the rig was to
    leave open."""

    robot: Robot
    tree: KinematicTree
    motions: Mapping[str, JointMotion]


def recall_rig(armature: Any) -> Rig:
    """Recalls the description of a rig. Raises BuildError for an object that is not an imported
    robot."""
    return recall(armature, "rig", _read_rig)


def _read_rig(armature: Any) -> Rig:
    robot = extract_robot(armature)
    if find_loops(armature) is None:
        robot = replace(robot, loops=())
    tree = retrace_tree(robot)
    motions = {motion.joint.name: motion for motion in tree.joint_motions}
    return Rig(robot=robot, tree=tree, motions=motions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How long and how often inverse_kinematics tries."""

    seconds: float
    restarts: int
    seed: int


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
    """Poses an imported robot so that a link reaches its target, or changes nothing.

    `target` is a frame (4, 4) or three numbers: with `mode` "absolute" where the link is to be,
    with "relative" how far from where the rig shows it, with "default" how far from where it is in
    the default pose: the joints of the group at zero, or in the middle where limits (tightened by
    soft limits) leave zero out, or as `state` of the SRDF says; all others as shown. Relative
    frames turn the link too. `frame` says whose axes, and for absolute targets whose origin, the
    numbers are in: "armature", "world", or a link's name. `convention` says how the numbers are
    written.

    `orientation`: "keep" (a target frame's; else the link's present one, or the one in the default
    pose), "free", or a quaternion (x, y, z, w) in the frame's axes. Only the joints of `group`
    move, a group of the SRDF or names; passive ones stay. `key` keys the joints that moved.
    `seconds`, `restarts` and `seed` are as for inverse_kinematics.

    The answer is looked at in the evaluated scene. Without success no channel, keyframe or object
    has changed, and `message` says why in one sentence. Raises KinematicsError for unknown names,
    modes and shapes, BuildError for an object that is not an imported robot.
    """
    wish = Wish(
        link=link, target=target, mode=mode, frame=frame, orientation=orientation, group=group,
        state=state, convention=convention,
    )  # fmt: skip
    effort = Effort(seconds=seconds, restarts=restarts, seed=seed)
    return pose_link(rig_of(armature), wish, effort, key=key, diagnostics=diagnostics)


def pose_link(
    armature: Any,
    wish: Wish,
    effort: Effort,
    *,
    key: bool = False,
    diagnostics: Diagnostics | None = None,
) -> IKResult:
    """Poses a rig so that a link is where it is wished, or leaves it alone; see solve_ik."""
    rig = recall_rig(armature)
    shown = get_joint_positions(armature)
    joints = choose_joints(armature, rig, wish.link, wish.group)
    default = default_pose(armature, rig, joints, wish) if wish.mode == "default" else {}
    wanted = aim(armature, rig.robot, wish, shown, default)
    found = inverse_kinematics(
        rig.robot, wish.link, wanted.frame, start=wanted.start, joints=joints,
        orientation=wanted.turned, seconds=effort.seconds, restarts=effort.restarts,
        seed=effort.seed, diagnostics=diagnostics,
    )  # fmt: skip
    if not found.success:
        return replace(found, positions={name: shown[name] for name in found.positions})
    return _pose(armature, wish.link, wanted, found, shown, key)


def list_links(armature: Any) -> list[str]:
    """Lists the links that joints move, in the order of the tree."""
    tree = recall_rig(armature).tree
    moved = set[int]()
    for place, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        if parent in moved or (motion is not None and motion.is_scalar):
            moved.add(place)
    return [tree.links[place].name for place in sorted(moved)]


def list_groups(armature: Any) -> list[str]:
    """Lists the groups of the SRDF that the rig has."""
    semantics = find_semantics(armature)
    return [] if semantics is None else [group.name for group in semantics.groups]


def suggest_link(armature: Any) -> str:
    """Suggests the link that users mean by the robot's hand: where the first end effector of the
    SRDF sits, else the last link that most joints move; empty where none moves."""
    links = effector_links(armature)
    if links:
        return links[0]
    tree = recall_rig(armature).tree
    survey = survey_tree(tree)
    most = max(survey.counts)
    if not most:
        return ""
    return tree.links[find_palm(tree, survey.counts.index(most), survey)].name


def choose_joints(
    armature: Any, rig: Rig, link: str, group: str | Collection[str] | None
) -> tuple[str, ...]:
    """Returns the joints that may move for a link: the joints of the group, or all with one
    position; without passive ones, whose bones are marked. Of joints on closed loops the free ones,
    wherever they are.

    Raises KinematicsError for unknown links, groups and joints.
    """
    moving = _list_moving(armature, rig, link)
    passive = {name for bone in bones_of(armature) for name in bone.get(properties.PASSIVE, ())}
    if group is None:
        return tuple(n for n, motion in moving.items() if motion.is_scalar and n not in passive)
    names = _joints_of_group(armature, rig, group) if isinstance(group, str) else group
    for name in names:
        if name not in rig.motions:
            raise unknown_name("the robot has no joint", name, rig.motions)
    return tuple(name for name in moving if name in names and name not in passive)


def _list_moving(armature: Any, rig: Rig, link: str) -> dict[str, JointMotion]:
    """Lists the joints that move a link: above it, and free ones of the loops there; without joints
    that loops move."""
    base = rig.tree.links[0].name
    moving = moving_joints(rig.tree, base, link)
    loops = find_loops(armature)
    if loops is None:
        return moving
    freedom = loops.closer.freedom
    moving = {name: each for name, each in moving.items() if name not in freedom.followers}
    return moving | {name: rig.motions[name] for name in find_movers(loops.closer, base, link)}


def _joints_of_group(armature: Any, rig: Rig, group: str) -> tuple[str, ...]:
    """The joints on bones: virtual joints move the whole robot."""
    joints = group_joints(rig.robot, extract_semantics(armature), group)
    return tuple(name for name in joints if name in rig.motions)


def default_pose(armature: Any, rig: Rig, joints: Collection[str], wish: Wish) -> Solved:
    """Returns the start of mode default: the default pose, or a state of the group."""
    positions: Solved = dict(default_positions(rig.motions, joints))
    if not wish.state:
        return positions
    if not isinstance(wish.group, str):
        raise KinematicsError(f"state {quote(wish.state)} needs the group that it belongs to")
    for name, numbers in find_state(armature, wish.group, wish.state).positions:
        if name in rig.motions and rig.motions[name].mimic is None:
            positions[name] = numbers[0] if len(numbers) == 1 else numbers
    return positions


def _pose(
    armature: Any, link: str, wanted: Aim, found: IKResult, shown: Solved, key: bool
) -> IKResult:
    """Sets the solution and looks at it; takes it back where the scene does not show it."""
    before = set_positions(armature, found.positions)
    bpy.context.view_layer.update()
    distance, angle = _miss(link_pose(armature, link), wanted)
    size = float(np.linalg.norm(wanted.frame[:3, 3]))
    loops = find_loops(armature)
    exact = loops is None or not loops.led & found.positions.keys()
    near = (NEAR if exact else NEAR_ON_LOOPS) * (1.0 + size)
    if distance > near + 1e-6 or angle > (NEAR if exact else NEAR_ON_LOOPS) + 1e-6:
        restore(armature, before)
        bpy.context.view_layer.update()
        message = (
            f"the joints have an answer, but the scene holds link {quote(link)} {distance:.3g} m "
            f"and {angle:.3g} rad away from it: something else moves the rig, such as a "
            "constraint, a driver or an animation"
        )
        start = {name: shown[name] for name in found.positions}
        return replace(
            found, success=False, positions=start, position_error=distance,
            orientation_error=angle, message=message,
        )  # fmt: skip
    if key:
        key_joints(armature, _moved(found.positions, shown))
    return found


def _moved(positions: Solved, shown: Solved) -> list[str]:
    """The joints that are elsewhere now, by more than single precision."""
    return [
        name
        for name, position in positions.items()
        if not np.allclose(position, shown[name], rtol=1e-6, atol=1e-6)
    ]


def _miss(shown: Matrix, wanted: Aim) -> tuple[float, float]:
    distance = float(np.linalg.norm(shown[:3, 3] - wanted.frame[:3, 3]))
    if not wanted.turned:
        return distance, 0.0
    # |R - R'| is about sqrt(2) times a small angle between the two.
    turn = np.linalg.norm(shown[:3, :3] - wanted.frame[:3, :3])
    return distance, float(2.0 * np.arcsin(min(turn / np.sqrt(8.0), 1.0)))


Channels = list[tuple[str, str, str, int, float]]
"""(armature, bone, property, index, number): original values of channels."""


def set_positions(armature: Any, positions: Mapping[str, Any]) -> Channels:
    """Sets the channels of joints, without keyframes. Returns their original values."""
    before: Channels = []
    for pose_bone, joint in posed_joints_of(armature):
        if joint.name in positions:
            before += _remember(pose_bone, joint)
            put_position(pose_bone, joint, positions[joint.name])
    _tag(armature)
    return before


def restore(armature: Any, before: Channels) -> None:
    """Sets channels to the values found by set_positions."""
    homes = {each.name: each for each in armatures_of(armature)}
    for home, bone, prop, index, number in before:
        getattr(homes[home].pose.bones[bone], prop)[index] = number
    _tag(armature)


def _tag(armature: Any) -> None:
    for each in armatures_of(armature):
        each.update_tag()


def _remember(pose_bone: Any, joint: RigJoint) -> Channels:
    return [
        (pose_bone.id_data.name, pose_bone.name, each.prop, each.index,
         getattr(pose_bone, each.prop)[each.index])
        for each in joint.channels
    ]  # fmt: skip
