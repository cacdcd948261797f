# SPDX-License-Identifier: GPL-3.0-or-later
"""The models of a world that is one tree of bodies: the branches below its root."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....core.diagnostics import Diagnostics, ReadError, unknown_name
from ....core.gazebo import interpret_extras
from ....core.geometry.transforms import invert, matrix_from_pose, pose_of
from ....core.kinematics.tree import retrace_tree
from ....core.model import IDENTITY, CollisionPair, Joint, Link, Pose, Robot, Semantics
from ....core.model.world import PlacedRobot
from ....core.names import Claims
from ....core.readers.groups import Groups
from ....core.reshape import rename
from ....core.reshape.references import free_followers
from .bodies import WORLD
from .semantics import START, find_semantics, keep_semantics

_ROUNDING = 1e-12


def split_models(whole: Robot, diagnostics: Diagnostics) -> Iterator[PlacedRobot]:
    """Yields the models of a robot whose root link is the world: its branches, and the shapes
    of the world itself as a model of its own. Loops between two of them keep these together. Each
    has the motors, sensors, keyframes and excluded contacts that are its own alone."""
    world = whole.links[0]
    claims = Claims()
    words = _find_words(whole, diagnostics)
    if world.visuals or world.collisions:
        name = claims.claim(f"{whole.name}_{world.name}")
        robot = replace(_bare(whole), name=name, links=(replace(world, extras=()),), joints=())
        yield PlacedRobot(robot=robot, is_static=True)
    poses = {state.name: dict(state.positions) for state in words.group_states}
    lost: Counter[str] = Counter()
    branches = list(_find_branches(whole, words.disabled_collisions, lost))
    if lost:
        numbers = ", ".join(f"{kind} ({number})" for kind, number in sorted(lost.items()))
        diagnostics.warning(
            "world-not-read", f"left out, since they belong to no single model: {numbers}"
        )
    for branch, pairs in branches:
        yield _make_model(branch, (poses, pairs), claims, diagnostics)


def _find_words(whole: Robot, diagnostics: Diagnostics) -> Semantics:
    """Returns the keyframes and excluded contacts; nothing where they cannot be read, which is
    reported."""
    try:
        return find_semantics(whole, Diagnostics()) or Semantics(name=whole.name)
    except ReadError as error:
        diagnostics.warning("world-not-read", f"keyframes are left out: {error.message}")
        return Semantics(name=whole.name)


def pick_model(whole: Robot, name: str, diagnostics: Diagnostics) -> Robot:
    """Returns one of the models of split_models; a robot without a world is the only one. Raises
    KinematicsError for an unknown name."""
    if whole.links[0].name != WORLD:
        return whole
    models = {each.robot.name: each.robot for each in split_models(whole, diagnostics)}
    if name not in models:
        raise unknown_name("the file has no model", name, models, source=whole.source)
    return models[name]


def name_models(whole: Robot) -> tuple[str, ...]:
    """Returns the names that pick_model knows."""
    if whole.links[0].name != WORLD:
        return (whole.name,)
    return tuple(each.robot.name for each in split_models(whole, Diagnostics()))


def _bare(whole: Robot) -> Robot:
    return replace(
        whole,
        extras=(),
        transmissions=(),
        loops=(),
        text=b"",
        sensors=(),
        settings=(),
        controls=(),
    )


def _find_branches(
    whole: Robot, pairs: Iterable[CollisionPair], lost: Counter[str]
) -> Iterator[tuple[Robot, tuple[CollisionPair, ...]]]:
    """Yields the branches below the root that have something to see, to touch or to weigh; counts
    in `lost` the parts that belong to no branch, or to several."""
    tree = retrace_tree(whole)
    joints = [motion.joint for motion in tree.motions if motion is not None]
    carried = {joint.name: joint.child for joint in joints}
    groups = Groups(joint.child for joint in joints)
    edges = [(joint.parent, joint.child) for joint in joints]
    for ends in (*edges, *((loop.link1, loop.link2) for loop in whole.loops)):
        if WORLD not in ends:
            groups.join(*ends)

    def sort(
        items: Iterable[Any], links: Callable[[Any], Iterable[str]], kind: str = ""
    ) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for item in items:
            homes = {groups.find(name) for name in links(item) if name in groups}
            if len(homes) == 1:
                found.setdefault(homes.pop(), []).append(item)
            elif kind:
                lost[kind] += 1
        return found

    said = [each for each in whole.extras if each.tag == "gazebo"]
    about = dict(zip(map(id, said), (each.reference for each in whole.settings), strict=True))
    links = sort(tree.links, lambda link: [link.name])
    own_joints = sort(joints, lambda joint: [joint.child])
    loops = sort(whole.loops, lambda loop: [loop.link1, loop.link2])
    motors = sort(
        whole.transmissions, lambda each: [carried.get(j.name, "") for j in each.joints], "motors"
    )
    extras = sort(said, lambda extra: [about[id(extra)]])
    apart = sort(pairs, lambda pair: [pair.link1, pair.link2], "excluded contacts")
    for first, own in links.items():
        if any(link.visuals or link.collisions or link.inertial for link in own):
            robot = replace(
                _bare(whole),
                links=tuple(own),
                joints=tuple(own_joints[first]),
                loops=tuple(loops.get(first, ())),
                transmissions=tuple(motors.get(first, ())),
                extras=tuple(extras.get(first, ())),
            )
            yield robot, tuple(apart.get(first, ()))


_Words = tuple[Mapping[str, Mapping[str, tuple[float, ...]]], Iterable[CollisionPair]]
"""The keyframes of a world, joint -> position, and the pairs of links that are a branch's own."""


def _make_model(
    branch: Robot, words: _Words, claims: Claims, diagnostics: Diagnostics
) -> PlacedRobot:
    """Returns the robot of a branch, in the frame of its only link on the world. The world is a
    link of it, unless it is fixed there."""
    top = [joint for joint in branch.joints if joint.parent == WORLD]
    rest = [joint for joint in branch.joints if joint.parent != WORLD]
    links, place = branch.links, IDENTITY
    if len(top) == 1 and not any(WORLD in (each.link1, each.link2) for each in branch.loops):
        place, top = _move_top(top[0])
    if top:
        links = (Link(name=WORLD), *links)
    joints = [*top, *rest]
    known = {joint.name for joint in joints}
    free = free_followers(joints, known.__contains__, diagnostics)
    robot = _without_prefix(replace(branch, links=links, joints=free), branch.links[0].name)
    new = _pair_names(joints, robot.joints)
    called = _pair_names(links, robot.links)
    poses = {
        key: tuple((called, pose[name]) for name, called in new.items() if name in pose)
        for key, pose in words[0].items()
    }
    start = poses.pop(START, ())
    named = [(called.get(each.link1), called.get(each.link2)) for each in words[1]]
    pairs = [(one, other) for one, other in named if one is not None and other is not None]
    robot = replace(
        robot,
        name=claims.claim(robot.name),
        extras=(*robot.extras, *keep_semantics(robot, poses, pairs)),
        start=start,
    )
    return PlacedRobot(robot=interpret_extras(robot), place=place, is_static=not top)


def _pair_names(old: Iterable[Any], new: Iterable[Any]) -> dict[str, str]:
    return {one.name: other.name for one, other in zip(old, new, strict=True)}


def _move_top(joint: Joint) -> tuple[Pose, list[Joint]]:
    """Returns the place of the only link on the world, and the joint with that taken out of it;
    none where it is fixed."""
    frame = matrix_from_pose(joint.origin) @ matrix_from_pose(joint.child_origin)
    place = pose_of(frame, rounding=_ROUNDING)
    if joint.type == "fixed":
        return place, []
    rest = invert(frame) @ matrix_from_pose(joint.origin)
    return place, [replace(joint, origin=pose_of(rest, rounding=_ROUNDING))]


def _without_prefix(robot: Robot, first: str) -> Robot:
    """Returns a robot called as its first link; where all names begin with "NAME/", without
    that."""
    name, slash, _ = first.partition("/")
    prefix = name + slash
    names = [each.name for each in robot.links if each.name != WORLD]
    names += [each.name for each in robot.joints]
    if not slash or not all(each.startswith(prefix) and each != prefix for each in names):
        return replace(robot, name=first)
    return replace(rename(robot, lambda each: each.removeprefix(prefix)), name=name)
