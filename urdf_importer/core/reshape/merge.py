# SPDX-License-Identifier: GPL-3.0-or-later
"""merge_fixed: a robot whose links on fixed joints are parts of the links that carry them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..arguments import diagnostics_of, robot_of, texts_of
from ..diagnostics import Diagnostics, quote
from ..gazebo.tags import find_reference, holds_sensor, preserves_joint
from ..geometry.inertia import add_bodies, body_of, inertial_of
from ..geometry.transforms import Matrix, matrix_from_pose
from ..kinematics.tree import KinematicTree, retrace_tree
from ..model import IDENTITY, Inertial, Link, Pose, Robot
from .references import follow_names, free_followers, need_parts
from .rename import rename_joint
from .seat import move_link, seat_joint, seat_loop

_Parts = list[tuple[Link, Matrix | None]]
"""The link that stays and the links that merge into it, with their frames in the former: None where
it is that frame itself."""


def merge_fixed(
    robot: Robot, *, keep: Collection[str] = (), diagnostics: Diagnostics | None = None
) -> Robot:
    """Returns the robot with the child link of each fixed joint melted into its parent.

    Shapes and masses move by the joint's origin; everything attached to the child is attached to
    the parent, and references to the child name the parent. `keep` names links and joints that
    stay; so do joints that Gazebo preserves and joints with the attribute dont_collapse. Origins of
    unmoved parts stay as written. Raises KinematicsError for a name in `keep` that nothing has.
    """
    robot = robot_of(robot)
    keep = texts_of(keep, "keep")
    diagnostics = diagnostics_of(diagnostics, robot.source)
    tree = retrace_tree(robot)
    need_parts("link or joint", (*tree.index, *tree.joint_index), robot, keep)
    hosts, frames = _find_hosts(tree, {*keep, *_find_preserved(robot)})
    if all(hosts[place] == place for place in range(len(hosts))):
        return robot
    moved = {
        link.name: frame
        for link, frame in zip(tree.links, frames, strict=True)
        if frame is not None
    }
    hung = {
        link.name: tree.links[host].name
        for place, (link, host) in enumerate(zip(tree.links, hosts, strict=True))
        if host != place
    }
    motions = (motion for motion in tree.motions if motion is not None)
    melted = {each.joint.name: None for each in motions if each.joint.child in hung}
    joints = [
        rename_joint(seat_joint(joint, moved), hung, {})
        for joint in robot.joints
        if joint.name not in melted
    ]
    names = {joint.name for joint in joints}
    result = replace(
        robot,
        links=_build_links(robot, tree, hosts, frames),
        loops=tuple(seat_loop(loop, moved) for loop in robot.loops),
        joints=free_followers(joints, names.__contains__, diagnostics),
    )
    _warn_of_places(robot, moved, hung, diagnostics)
    return follow_names(result, hung, melted, robot)


def _find_preserved(robot: Robot) -> set[str]:
    found = {j.name for j in robot.joints if dict(j.attributes).get("dont_collapse") == "true"}
    for extra in robot.extras:
        reference = find_reference(extra)
        if reference is not None and preserves_joint(extra):
            found.add(reference)
    return found


def _find_hosts(
    tree: KinematicTree, preserved: Collection[str]
) -> tuple[list[int], list[Matrix | None]]:
    """Per link, the place of the link that it becomes a part of, and its frame there."""
    hosts: list[int] = []
    frames: list[Matrix | None] = []
    for place, (parent, motion) in enumerate(zip(tree.parents, tree.motions, strict=True)):
        melts = (
            motion is not None
            and motion.joint.type == "fixed"
            and motion.joint.name not in preserved
            and tree.links[place].name not in preserved
        )
        if not melts or motion is None:
            hosts.append(place)
            frames.append(None)
            continue
        hosts.append(hosts[parent])
        frame = _compose(frames[parent], motion.joint.origin)
        frames.append(_compose(frame, motion.joint.child_origin))
    return hosts, frames


def _compose(frame: Matrix | None, origin: Pose) -> Matrix | None:
    if origin == IDENTITY:
        return frame
    place = matrix_from_pose(origin)
    return place if frame is None else frame @ place


def _build_links(
    robot: Robot, tree: KinematicTree, hosts: list[int], frames: list[Matrix | None]
) -> tuple[Link, ...]:
    """The links that stay, in the order of the robot."""
    parts: dict[int, _Parts] = {place: [] for place in sorted(set(hosts))}
    for place, host in enumerate(hosts):
        parts[host].append((tree.links[place], frames[place]))
    built = {each[0][0].name: _build_link(each) for each in parts.values()}
    order = [link.name for link in robot.links if link.name in built]
    # A link that only joints name becomes a real one where something merged into it.
    order += [
        name for name, link in built.items() if name in tree.undefined and link != Link(name=name)
    ]
    return tuple(built[name] for name in order)


def _build_link(parts: _Parts) -> Link:
    moved = [link if frame is None else move_link(link, frame) for link, frame in parts]
    if len(parts) == 1:
        return moved[0]
    return replace(
        moved[0],
        inertial=_merge_inertials(parts, moved),
        visuals=tuple(visual for link in moved for visual in link.visuals),
        collisions=tuple(collision for link in moved for collision in link.collisions),
        extras=tuple(extra for link in moved for extra in link.extras),
    )


def _merge_inertials(parts: _Parts, moved: Sequence[Link]) -> Inertial | None:
    """Adds up the masses of parts; a single one stays as written, but for its place."""
    there = [(link.inertial, frame) for link, frame in parts if link.inertial is not None]
    heavy = [(inertial, frame) for inertial, frame in there if inertial.mass]
    if len(heavy) > 1:
        return inertial_of(add_bodies([body_of(inertial, frame) for inertial, frame in heavy]))
    placed = [link.inertial for link in moved if link.inertial is not None]
    return next((each for each in placed if each.mass), placed[0] if placed else None)


def _warn_of_places(
    robot: Robot, moved: Mapping[str, Matrix], hung: Mapping[str, str], diagnostics: Diagnostics
) -> None:
    """Warns of further XML with places in a link that is a part of another now."""
    for extra in robot.extras:
        link = find_reference(extra) or ""
        if link in moved and holds_sensor(extra):
            diagnostics.warning(
                "reference-not-followed",
                f"<{extra.tag}> of link {quote(link)} has a sensor, whose place in that link is "
                f"read as one in link {quote(hung[link])} now",
                subject=link,
                line=extra.line,
            )
