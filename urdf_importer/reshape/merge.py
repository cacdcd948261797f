# SPDX-License-Identifier: GPL-3.0-or-later
"""merge_fixed: a robot whose links on fixed joints are parts of the links that they hang on."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ..arguments import diagnostics_of, robot_of, texts_of
from ..diagnostics import Diagnostics, quote, unknown_name
from ..gazebo.tags import find_reference, holds_sensor, preserves_joint
from ..geometry.inertia import add_bodies, body_of, inertial_of, move_pose
from ..geometry.transforms import Matrix, matrix_from_pose, pose_of
from ..kinematics.tree import KinematicTree, retrace_tree
from ..model import (
    IDENTITY,
    Collision,
    Extra,
    Inertial,
    Joint,
    Link,
    LoopJoint,
    Pose,
    Robot,
    Visual,
)
from .references import follow_names, free_followers

_Shape = TypeVar("_Shape", Visual, Collision)


@dataclass(slots=True)
class _Merged:
    """The parts that merge into one link. `frames`: of each part in the link's, None where it is
    that frame itself."""

    link: Link
    parts: list[tuple[Link, Matrix | None]] = field(default_factory=list)


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
    for name in keep:
        if name not in tree.index and name not in tree.joint_index:
            known = (*tree.index, *tree.joint_index)
            raise unknown_name("the robot has no link or joint", name, known, source=robot.source)
    preserved = {*keep, *_find_preserved(robot)}
    hosts, frames = _find_hosts(tree, preserved)
    if all(hosts[place] == place for place in range(len(hosts))):
        return robot
    merged = _build_links(robot, tree, hosts, frames)
    melted = {
        motion.joint.name
        for place, motion in enumerate(tree.motions)
        if motion is not None and hosts[place] != place
    }
    joints = [
        _hang_on(joint, tree, hosts, frames) for joint in robot.joints if joint.name not in melted
    ]
    names = {joint.name for joint in joints}
    result = replace(
        robot,
        links=merged,
        loops=tuple(_move_loop(loop, tree, frames) for loop in robot.loops),
        joints=free_followers(joints, names.__contains__, diagnostics),
    )
    _warn_of_places(robot, tree, hosts, frames, diagnostics)
    links = {
        link.name: tree.links[hosts[place]].name
        for place, link in enumerate(tree.links)
        if hosts[place] != place
    }
    return follow_names(result, links, dict.fromkeys(melted), robot)


def _move_loop(loop: LoopJoint, tree: KinematicTree, frames: Sequence[Matrix | None]) -> LoopJoint:
    """The same joint in the frames of the links that its links become parts of."""
    return replace(
        loop,
        origin1=_move_origin(loop.origin1, loop.link1, tree, frames),
        origin2=_move_origin(loop.origin2, loop.link2, tree, frames),
    )


def _move_origin(
    origin: Pose, link: str, tree: KinematicTree, frames: Sequence[Matrix | None]
) -> Pose:
    frame = frames[tree.index[link]] if link in tree.index else None
    return origin if frame is None else pose_of(frame @ matrix_from_pose(origin))


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
    merged = {place: _Merged(tree.links[place]) for place in sorted(set(hosts))}
    for place, host in enumerate(hosts):
        merged[host].parts.append((tree.links[place], frames[place]))
    built = {each.link.name: _build_link(each) for each in merged.values()}
    order = [link.name for link in robot.links if link.name in built]
    # A link that only joints name becomes a real one where something merged into it.
    order += [
        name for name, link in built.items() if name in tree.undefined and link != Link(name=name)
    ]
    return tuple(built[name] for name in order)


def _build_link(merged: _Merged) -> Link:
    if len(merged.parts) == 1:
        return merged.link
    visuals: list[Visual] = []
    collisions: list[Collision] = []
    extras: list[Extra] = []
    for part, frame in merged.parts:
        visuals += (v if frame is None else _moved(v, frame) for v in part.visuals)
        collisions += (c if frame is None else _moved(c, frame) for c in part.collisions)
        extras += part.extras
    return replace(
        merged.link,
        inertial=_merge_inertials(merged.parts),
        visuals=tuple(visuals),
        collisions=tuple(collisions),
        extras=tuple(extras),
    )


def _moved(shape: _Shape, frame: Matrix) -> _Shape:
    return replace(shape, origin=move_pose(frame, shape.origin))


def _merge_inertials(parts: list[tuple[Link, Matrix | None]]) -> Inertial | None:
    there = [(part.inertial, frame) for part, frame in parts if part.inertial is not None]
    heavy = [(inertial, frame) for inertial, frame in there if inertial.mass]
    if len(heavy) < 2:
        chosen = (heavy or there)[:1]
        if not chosen:
            return None
        inertial, frame = chosen[0]
        if frame is None:
            return inertial
        return replace(inertial, origin=move_pose(frame, inertial.origin))
    return inertial_of(add_bodies([body_of(inertial, frame) for inertial, frame in heavy]))


def _hang_on(
    joint: Joint, tree: KinematicTree, hosts: list[int], frames: list[Matrix | None]
) -> Joint:
    """Re-parents a remaining joint to the link that absorbed its parent."""
    place = tree.index[joint.parent]
    child = tree.links[hosts[tree.index[joint.child]]].name
    parent = tree.links[hosts[place]].name
    frame = frames[place]
    origin = joint.origin if frame is None else move_pose(frame, joint.origin)
    return replace(joint, parent=parent, child=child, origin=origin)


def _warn_of_places(
    robot: Robot,
    tree: KinematicTree,
    hosts: list[int],
    frames: list[Matrix | None],
    diagnostics: Diagnostics,
) -> None:
    """Warns of further XML with places in a link that is a part of another now."""
    for extra in robot.extras:
        place = tree.index.get(find_reference(extra) or "", -1)
        if place >= 0 and frames[place] is not None and holds_sensor(extra):
            diagnostics.warning(
                "reference-not-followed",
                f"<{extra.tag}> of link {quote(tree.links[place].name)} has a sensor, whose place "
                f"in that link is read as one in link {quote(tree.links[hosts[place]].name)} now",
                subject=tree.links[place].name,
                line=extra.line,
            )
