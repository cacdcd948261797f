# SPDX-License-Identifier: GPL-3.0-or-later
"""The models of a world: which are robots, and which are mere things."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ...diagnostics import Diagnostics, ReadError, unknown_name
from ...geometry.transforms import invert, matrix_from_pose, pose_of
from ...kinematics import forward_kinematics
from ...kinematics.tree import KinematicTree, retrace_tree
from ...model import IDENTITY, Joint, Link, LoopJoint, Pose, Robot, Transmission
from ...model.world import PlacedRobot, Thing
from ...names import Claims
from ...readers.mjcf import find_semantics
from ...reshape import merge_fixed, rename
from ...reshape.references import free_followers
from ...writers.mjcf.export import START

_ROUNDING = 1e-12
Positions = tuple[tuple[str, tuple[float, ...]], ...]
_FREE, WORLD = "floating", "world"


@dataclass(slots=True, eq=False)
class _Branch:
    """Links that hang on the world by `joints`, and all that hangs on them."""

    top: list[Joint] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    transmissions: list[Transmission] = field(default_factory=list)


def make_thing(model: PlacedRobot) -> Thing | None:
    """Returns a model as one link, where nothing in it moves or measures; else None. A model that
    is as a whole free to move has its mass."""
    robot, is_static = _unhang(model.robot), model.is_static
    moving = any(joint.type != "fixed" for joint in robot.joints)
    if moving or robot.loops or robot.sensors or robot.transmissions:
        return None
    friction = next((each.friction[0] for each in robot.settings if each.friction), None)
    bare = replace(
        robot,
        extras=(),
        joints=tuple(replace(joint, attributes=(), extras=()) for joint in robot.joints),
    )
    link = merge_fixed(bare, diagnostics=Diagnostics()).links[0]
    inertial = None if is_static or _is_held(model.robot) else link.inertial
    place = model.place
    if model.robot.start:
        frames = forward_kinematics(model.robot, dict(model.robot.start))
        place = pose_of(matrix_from_pose(place) @ frames[robot.links[0].name], rounding=_ROUNDING)
    return Thing(
        link=replace(link, name=robot.name, inertial=inertial), place=place, friction=friction
    )


def _unhang(robot: Robot) -> Robot:
    """Returns a robot without a world that its root link is free to move in."""
    root, *links = robot.links
    hung = [joint for joint in robot.joints if joint.parent == root.name]
    bare = not (root.visuals or root.collisions or root.inertial)
    if not bare or len(hung) != 1 or hung[0].type != _FREE or hung[0].origin != IDENTITY:
        return robot
    joints = tuple(joint for joint in robot.joints if joint is not hung[0])
    return replace(robot, links=tuple(links), joints=joints)


def _is_held(robot: Robot) -> bool:
    """Whether a fixed joint holds the model at the world."""
    return any(joint.parent == WORLD and joint.type == "fixed" for joint in robot.joints)


def split_models(whole: Robot, diagnostics: Diagnostics) -> Iterator[PlacedRobot]:
    """Yields the models of a robot whose root link is the world: its branches, and the shapes
    of the world itself as a model of its own. Loops between two of them keep these together."""
    tree = retrace_tree(whole)
    world = whole.links[0]
    claims = Claims()
    start = _find_start(whole, diagnostics)
    if world.visuals or world.collisions:
        name = claims.claim(f"{whole.name}_{world.name}")
        robot = replace(_bare(whole), name=name, links=(replace(world, extras=()),), joints=())
        yield PlacedRobot(robot=robot, is_static=True)
    for branch in _find_branches(whole, tree):
        yield _make_model(replace(whole, start=start), branch, claims, diagnostics)


def _find_start(whole: Robot, diagnostics: Diagnostics) -> Positions:
    """Returns the keyframe in which export_world writes a scene; nothing without one, and where
    keyframes cannot be read, which is reported."""
    try:
        semantics = find_semantics(whole, Diagnostics())
    except ReadError as error:
        diagnostics.warning("world-not-read", f"keyframes are left out: {error.message}")
        return ()
    states = () if semantics is None else semantics.group_states
    return next((each.positions for each in states if each.name == START), ())


def pick_model(whole: Robot, name: str, diagnostics: Diagnostics) -> Robot:
    """Returns one of the models of split_models; a robot without a world is the only one. Raises
    KinematicsError for an unknown name."""
    if whole.links[0].name != WORLD:
        return whole
    models = {each.robot.name: each.robot for each in split_models(whole, diagnostics)}
    if name not in models:
        raise unknown_name("the file has no model", name, models, source=whole.source)
    return models[name]


def _bare(whole: Robot) -> Robot:
    return replace(whole, extras=(), transmissions=(), loops=(), text=b"", sensors=(), settings=())


def _find_branches(whole: Robot, tree: KinematicTree) -> Iterable[_Branch]:
    """Returns the branches below the root that have something to see, to touch or to weigh."""
    owner: dict[str, _Branch] = {}
    branches: dict[int, _Branch] = {}
    for place, link in enumerate(tree.links):
        parent, motion = tree.parents[place], tree.motions[place]
        if parent < 0 or motion is None:
            continue
        branch = owner.get(tree.links[parent].name)
        if branch is None:
            branch = _Branch(top=[motion.joint])
            branches[id(branch)] = branch
        else:
            branch.joints.append(motion.joint)
        branch.links.append(link)
        owner[link.name] = branch
    for loop in whole.loops:
        one, other = (owner.get(name) for name in (loop.link1, loop.link2))
        held = one or other
        if one is not None and other is not None and one is not other:
            one.top += other.top
            one.links += other.links
            one.joints += other.joints
            one.loops += other.loops
            owner |= dict.fromkeys((link.name for link in other.links), one)
            del branches[id(other)]
        if held is not None:
            held.loops.append(loop)
    drives = {joint.name: each for each in branches.values() for joint in (*each.top, *each.joints)}
    for transmission in whole.transmissions:
        driven = {id(drives.get(joint.name)): joint.name for joint in transmission.joints}
        if len(driven) == 1:
            found = drives.get(next(iter(driven.values())))
            if found is not None:
                found.transmissions.append(transmission)
    return [
        each
        for each in branches.values()
        if any(link.visuals or link.collisions or link.inertial for link in each.links)
    ]


def _make_model(
    whole: Robot, branch: _Branch, claims: Claims, diagnostics: Diagnostics
) -> PlacedRobot:
    """Returns the robot of a branch, in the frame of its only link on the world. The world is a
    link of it, unless it is fixed there."""
    top, place = branch.top, IDENTITY
    world = whole.links[0].name
    links: list[Link] = list(branch.links)
    if len(top) == 1 and not any(world in (each.link1, each.link2) for each in branch.loops):
        place, top = _move_top(top[0])
    if top:
        links.insert(0, Link(name=world))
    joints = [*top, *branch.joints]
    moving = {joint.name for joint in joints}
    robot = replace(
        _bare(whole),
        links=tuple(links),
        joints=free_followers(joints, moving.__contains__, diagnostics),
        loops=tuple(branch.loops),
        transmissions=tuple(branch.transmissions),
    )
    robot = _without_prefix(robot, branch.links)
    found, pairs = dict(whole.start), zip(joints, robot.joints, strict=True)
    start = tuple((new.name, found[old.name]) for old, new in pairs if old.name in found)
    robot = replace(robot, name=claims.claim(robot.name), start=start)
    return PlacedRobot(robot=robot, place=place, is_static=not top)


def _move_top(joint: Joint) -> tuple[Pose, list[Joint]]:
    """Returns the place of the only link on the world, and the joint with that taken out of it;
    none where it is fixed."""
    frame = matrix_from_pose(joint.origin) @ matrix_from_pose(joint.child_origin)
    place = pose_of(frame, rounding=_ROUNDING)
    if joint.type == "fixed":
        return place, []
    rest = invert(frame) @ matrix_from_pose(joint.origin)
    return place, [replace(joint, origin=pose_of(rest, rounding=_ROUNDING))]


def _without_prefix(robot: Robot, links: list[Link]) -> Robot:
    """Returns a robot called as its first link; where all names begin with "NAME/", without
    that."""
    name, slash, _ = links[0].name.partition("/")
    prefix = name + slash
    names = [link.name for link in links] + [joint.name for joint in robot.joints]
    if not slash or not all(each.startswith(prefix) and each != prefix for each in names):
        return replace(robot, name=links[0].name)
    mapping = {each: each[len(prefix) :] for each in names}
    shorter = rename(
        robot,
        links={link.name: mapping[link.name] for link in links},
        joints={joint.name: mapping[joint.name] for joint in robot.joints},
    )
    return replace(shorter, name=name)
