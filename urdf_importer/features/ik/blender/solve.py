# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a rig set so that a link reaches its target; or nothing is touched at all.

The numbers are solved from the description, set on the bones' channels, and looked at in the
evaluated scene: changes to the rig (muted limits, constraints, animation) may disagree.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ....core.arguments import options_of, rig_of
from ....core.blender.extract.robot import extract_robot
from ....core.blender.memory import recall
from ....core.blender.semantics.apply import extract_semantics, find_state
from ....core.blender.semantics.record import effector_links, find_semantics
from ....core.blender.standing import properties
from ....core.blender.standing.armatures import bones_of, update_tags
from ....core.blender.standing.joints import keep_joints, list_held, posed_joints_of
from ....core.blender.standing.loops import find_loops
from ....core.blender.standing.pose import get_joint_positions, key_joints, link_pose, put_position
from ....core.diagnostics import Diagnostics, KinematicsError, quote, unknown_name
from ....core.geometry.transforms import Matrix
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.semantic_groups import group_joints
from ....core.kinematics.tips import find_palm, moving_joints, survey_tree
from ....core.kinematics.tree import KinematicTree, retrace_tree
from ....core.model import Robot
from ..looped import find_movers
from ..options import IKOptions, RigIKOptions
from ..problem import Target
from ..solve import IKResult, inverse_kinematics
from .targets import Aim, IkWish, Solved, aim, default_positions, find_moved

NEAR = 1e-5
"""How exactly Blender's single precision places a link: m for each metre of reach and one more,
and rad."""


NEAR_ON_LOOPS = 1e-4
"""How exactly drivers close loops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IkRig:
    """The description of a rig as input of inverse kinematics; without loops that the rig leaves
    open.
    """

    robot: Robot
    tree: KinematicTree
    motions: Mapping[str, JointMotion]


def recall_rig(armature: Any) -> IkRig:
    """Recalls the description of a rig. Raises BuildError for an object that is not an imported
    robot."""
    return recall(armature, "rig", _read_rig)


def _read_rig(armature: Any) -> IkRig:
    robot = extract_robot(armature)
    if find_loops(armature) is None:
        robot = replace(robot, loops=())
    tree = retrace_tree(robot)
    motions = {motion.joint.name: motion for motion in tree.joint_motions}
    return IkRig(robot=robot, tree=tree, motions=motions)


def solve_ik(
    armature: Any,
    link: str,
    target: Target,
    *,
    options: RigIKOptions | None = None,
    key: bool = False,
    diagnostics: Diagnostics | None = None,
) -> IKResult:
    """Poses an imported robot so that a link reaches its target, or changes nothing.

    `target` is a frame (4, 4), or three numbers, which free the link's turn unless the orientation
    of the `options` says else; these also say how the numbers are meant, which joints may move, and
    how long the search may take. `key` keys the joints that moved.

    The answer is looked at in the evaluated scene. Without success no channel, keyframe or object
    has changed, and `message` says why in one sentence. Raises KinematicsError for unknown names
    and wrong shapes, BuildError for an object that is not an imported robot.
    """
    armature, options = rig_of(armature), options_of(options, RigIKOptions)
    wish = IkWish(link=link, target=target, options=options)
    rig, shown, wanted, asked = read_wish(armature, wish)
    found = inverse_kinematics(
        rig.robot, link, target=wanted.frame, start_positions=wanted.start, options=asked,
        diagnostics=diagnostics,
    )  # fmt: skip
    if not found.success:
        message = found.message + _name_held(armature, link, options, asked.joints or ())
        start = {name: shown[name] for name in found.positions}
        return replace(found, positions=start, message=message)
    missed = _show(armature, link, wanted, found)
    if missed is not None:
        start = {name: shown[name] for name in found.positions}
        return replace(missed, positions=start)
    if key:
        key_joints(armature, find_moved(found.positions, shown, 1e-6))
    return found


def _name_held(armature: Any, link: str, options: RigIKOptions, joints: Collection[str]) -> str:
    """Names the held joints that would move otherwise, as the end of a sentence."""
    free = choose_unlocked(armature, recall_rig(armature), link, options.group)
    held = [name for name in free if name not in joints]
    return f"; held: {', '.join(map(quote, held))}" if held else ""


def read_wish(
    armature: Any, wish: IkWish, shown: Solved | None = None
) -> tuple[IkRig, Solved, Aim, IKOptions]:
    """Returns the description of a rig, the positions that it shows (or `shown`), the new place of
    the link, and how inverse kinematics is asked for it.
    """
    rig, options = recall_rig(armature), wish.options
    shown = get_joint_positions(armature) if shown is None else shown
    joints = choose_joints(armature, rig, wish.link, options.group)
    default = default_pose(armature, rig, joints, options) if options.mode == "default" else {}
    wanted = aim(armature, rig.robot, wish, shown, default)
    asked = IKOptions(
        joints=joints, orientation=wanted.turned, seconds=options.seconds,
        restarts=options.restarts, seed=options.seed, refuse=options.refuse,
    )  # fmt: skip
    return rig, shown, wanted, asked


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
    armature: Any, rig: IkRig, link: str, group: str | Collection[str] | None
) -> tuple[str, ...]:
    """Returns the joints that may move for a link: the joints of the group, or all with one
    position; without passive ones, whose bones are marked, and without locked ones. Of joints on
    closed loops the free ones, wherever they are.

    Raises KinematicsError for unknown links, groups and joints.
    """
    return drop_locked(armature, choose_unlocked(armature, rig, link, group))


def drop_locked(armature: Any, joints: Sequence[str]) -> tuple[str, ...]:
    """Returns the joints that are not held."""
    held = list_held(armature)
    return tuple(name for name in joints if name not in held)


def choose_unlocked(
    armature: Any, rig: IkRig, link: str, group: str | Collection[str] | None
) -> tuple[str, ...]:
    """Returns the joints of choose_joints as if nothing were locked: Blender does not say when
    locks change, so that only these can be kept."""
    moving = _list_moving(armature, rig, link)
    passive = {name for bone in bones_of(armature) for name in bone.get(properties.PASSIVE, ())}
    if group is None:
        return tuple(n for n, motion in moving.items() if motion.is_scalar and n not in passive)
    names: Collection[str] = () if isinstance(group, str) else group
    for name in names:
        if name not in rig.motions:
            raise unknown_name("the robot has no joint", name, rig.motions)
    if isinstance(group, str):
        names = group_joints(rig.robot, group, semantics=extract_semantics(armature))
    return tuple(name for name in moving if name in names and name not in passive)


def _list_moving(armature: Any, rig: IkRig, link: str) -> dict[str, JointMotion]:
    """Lists the joints that move a link: above it, and free ones of the loops there; without joints
    that loops move.
    """
    base = rig.tree.links[0].name
    moving = moving_joints(rig.tree, base, link)
    loops = find_loops(armature)
    if loops is None:
        return moving
    freedom = loops.closer.freedom
    moving = {name: each for name, each in moving.items() if name not in freedom.followers}
    return moving | {name: rig.motions[name] for name in find_movers(loops.closer, base, link)}


def default_pose(
    armature: Any, rig: IkRig, joints: Collection[str], options: RigIKOptions
) -> Solved:
    """Returns the start of mode default: the default pose, or a state of the group."""
    positions: Solved = dict(default_positions(rig.motions, joints))
    if not options.state:
        return positions
    if not isinstance(options.group, str):
        raise KinematicsError(f"state {quote(options.state)} needs the group that it belongs to")
    for name, numbers in find_state(armature, options.group, options.state).positions:
        if name in rig.motions and rig.motions[name].mimic is None:
            positions[name] = numbers[0] if len(numbers) == 1 else numbers
    return positions


def _show(armature: Any, link: str, wanted: Aim, found: IKResult) -> IKResult | None:
    """Sets the solution and looks at it. Takes it back where the scene does not show it, and then
    returns the result with its errors."""
    restore = keep_joints(armature, found.positions)
    set_positions(armature, found.positions)
    bpy.context.view_layer.update()
    distance, angle = _miss(link_pose(armature, link), wanted)
    size = float(np.linalg.norm(wanted.frame[:3, 3]))
    loops = find_loops(armature)
    exact = loops is None or not loops.led & found.positions.keys()
    near = (NEAR if exact else NEAR_ON_LOOPS) * (1.0 + size)
    if distance <= near + 1e-6 and angle <= (NEAR if exact else NEAR_ON_LOOPS) + 1e-6:
        return None
    restore()
    update_tags(armature)
    bpy.context.view_layer.update()
    message = (
        f"the joints have an answer, but the scene holds link {quote(link)} {distance:.3g} m "
        f"and {angle:.3g} rad away from it: something else moves the rig, such as a "
        "constraint, a driver or an animation"
    )
    return replace(
        found, success=False, position_error=distance, orientation_error=angle, message=message
    )


def _miss(shown: Matrix, wanted: Aim) -> tuple[float, float]:
    distance = float(np.linalg.norm(shown[:3, 3] - wanted.frame[:3, 3]))
    if not wanted.turned:
        return distance, 0.0
    # |R - R'| is about sqrt(2) times a small angle between the two.
    turn = np.linalg.norm(shown[:3, :3] - wanted.frame[:3, :3])
    return distance, float(2.0 * np.arcsin(min(turn / np.sqrt(8.0), 1.0)))


def set_positions(armature: Any, positions: Mapping[str, Any]) -> None:
    """Sets the channels of joints, without keyframes."""
    for pose_bone, joint in posed_joints_of(armature):
        if joint.name in positions:
            put_position(pose_bone, joint, positions[joint.name])
    update_tags(armature)
