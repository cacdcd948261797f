# SPDX-License-Identifier: GPL-3.0-or-later
"""prune: a robot without some of its limbs."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from ..arguments import diagnostics_of, robot_of, texts_of
from ..diagnostics import Diagnostics, KinematicsError
from ..kinematics.tree import KinematicTree, retrace_tree
from ..model import Robot
from .references import follow_names, free_followers, need_links, need_parts


def prune(
    robot: Robot,
    *,
    keep: Collection[str] | None = None,
    remove: Collection[str] = (),
    unused_frames: bool = False,
    diagnostics: Diagnostics | None = None,
) -> Robot:
    """Returns the robot without some links and all their descendants.

    `remove` names links, or joints whose child links are meant. With `keep` only links on the ways
    from the roots to these stay. `unused_frames` takes leaves on fixed joints that have neither
    shape nor mass, again and again. References to removed parts follow; a joint whose leader is
    gone moves by itself, with a warning. Raises KinematicsError for an unknown name, and where
    nothing would be left.
    """
    robot = robot_of(robot)
    keep = None if keep is None else texts_of(keep, "keep")
    remove = texts_of(remove, "remove")
    diagnostics = diagnostics_of(diagnostics, robot.source)
    tree = retrace_tree(robot)
    gone = _find_gone(robot, tree, keep, remove)
    if unused_frames:
        gone |= _find_unused(tree, gone)
    if not gone:
        return robot
    if len(gone) >= len(tree.links):
        raise KinematicsError("nothing would be left of the robot", source=robot.source)
    joints = [j for j in robot.joints if j.child not in gone and j.parent not in gone]
    names = {joint.name for joint in joints}
    left = replace(
        robot,
        links=tuple(link for link in robot.links if link.name not in gone),
        joints=free_followers(joints, names.__contains__, diagnostics),
    )
    gone_joints = [joint.name for joint in robot.joints if joint.name not in names]
    return follow_names(left, dict.fromkeys(gone), dict.fromkeys(gone_joints), robot)


def _find_gone(
    robot: Robot, tree: KinematicTree, keep: Collection[str] | None, remove: Iterable[str]
) -> set[str]:
    places = {**tree.joint_index, **tree.index}
    need_parts("link or joint", (*tree.index, *tree.joint_index), robot, remove)
    gone = {tree.links[index].name for name in remove for index in tree.subtree(places[name])}
    if keep is not None:
        need_links(robot, keep)
        wanted: set[int] = set()
        for name in keep:
            for place in tree.ancestors(tree.index[name]):
                if place in wanted:
                    break
                wanted.add(place)
        gone.update(link.name for place, link in enumerate(tree.links) if place not in wanted)
    return gone


def _find_unused(tree: KinematicTree, gone: set[str]) -> set[str]:
    """Leaves first: in tree order children come after their parents."""
    left = Counter(
        parent for place, parent in enumerate(tree.parents) if tree.links[place].name not in gone
    )
    found: set[str] = set()
    for place in range(len(tree.links) - 1, -1, -1):
        link, motion = tree.links[place], tree.motions[place]
        is_frame = motion is not None and motion.joint.type == "fixed" and link.is_bare
        if is_frame and not left[place] and link.name not in gone:
            found.add(link.name)
            left[tree.parents[place]] -= 1
    return found
