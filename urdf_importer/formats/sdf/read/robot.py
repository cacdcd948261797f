# SPDX-License-Identifier: GPL-3.0-or-later
"""Scope -> Robot: one tree of links, the joints that close loops, and all further content."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.diagnostics import Diagnostics, NoLinksError, quote
from ....core.gazebo import interpret_extras
from ....core.geometry.transforms import Matrix, invert, pose_of
from ....core.markup.write import format_numbers
from ....core.markup.xml import Element
from ....core.meshes import RobotFiles
from ....core.model import (
    IDENTITY,
    Extra,
    Joint,
    Link,
    LoopJoint,
    Robot,
    Transmission,
    Vector3,
    close_with,
)
from ....core.names import Claims
from .constraints import BALL_CONSTRAINT, couple, find_geared, read_ball_constraints
from .joints import ROTOR, Drafted, draft_joint, wrap_extras
from .motors import read_motors
from .page import all_of, find
from .pieces import Made, Names, make_joint, name_parts
from .scope import (
    MODEL,
    ROUNDING,
    WORLD,
    FramedElement,
    Scope,
    place_part,
    read_base,
    report_lost_names,
)
from .shapes import read_link
from .urdf_models import Renamed, rename_robot

_STRUCTURE = frozenset({"link", "joint", "frame", "model", "include", BALL_CONSTRAINT})
FIXED_JOINT = "urdf:joint"
"""The attribute of a frame or link that names the fixed joint that it replaces, as
formats/sdf/write/document.py writes it."""
_OF_LINKS = frozenset({"pose", "inertial", "visual", "collision"})
_OF_JOINTS = frozenset({"pose", "parent", "child", "axis", "axis2", *ROTOR})
_X = (1.0, 0.0, 0.0)
"""The default axis of joints, in URDF."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Draft:
    """The parts read so far. `places` are the frames of links in the robot's (4, 4), by name;
    `carried` maps frame -> its link, `held` link or frame -> the fixed joint that it replaces,
    `tails` link between joints -> the link that a loop fixes to
    it."""

    scope: Scope
    files: RobotFiles
    diagnostics: Diagnostics
    links: dict[str, Link] = field(default_factory=dict)
    places: dict[str, Matrix] = field(default_factory=dict)
    carried: dict[str, str] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    tails: dict[str, str] = field(default_factory=dict)
    drafted: list[Drafted] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    extras: list[Extra] = field(default_factory=list)
    transmissions: list[Transmission] = field(default_factory=list)
    renamed: dict[int, Renamed] = field(default_factory=dict)


def make_robot(scope: Scope, source: str, files: RobotFiles, diagnostics: Diagnostics) -> Robot:
    """Returns the robot for a model, in the model's frame; `files` hold the meshes that are
    weighed. Raises NoLinksError for a model without links, and ReadError for text that is not a
    number."""
    draft = _Draft(scope=scope, files=files, diagnostics=diagnostics)
    roots = _place_scopes(scope)
    _rename_robots(draft, roots)
    for node in scope.items():
        _read_node(node, roots.get(id(node.scope)), draft)
    if not draft.links:
        raise NoLinksError(
            f"the model {quote(scope.name)} has no links", source=source, line=scope.element.line
        )
    report_lost_names(scope)
    _connect(draft)
    draft.loops += read_ball_constraints(scope, draft.links, _joint_names(draft))
    _attach_frames(draft)
    _hang_roots(draft)
    for each in scope.walk():
        for page, others in each.others(_STRUCTURE):
            draft.extras += wrap_extras(page, others, "")
    last = max([each.line for each in draft.links.values()])
    last = max([last, *(each.line for each in draft.joints)])
    robot = Robot(
        name=scope.name or "robot",
        links=tuple(draft.links.values()),
        joints=tuple(draft.joints),
        loops=tuple(draft.loops),
        transmissions=(*draft.transmissions, *_read_motors(draft)),
        # Behind all links, where a writer goes by lines.
        extras=tuple(replace(extra, line=last) for extra in draft.extras),
        source=source,
    )
    return interpret_extras(robot)


def _read_motors(draft: _Draft) -> list[Transmission]:
    """Motors in plugins, for joints without another transmission."""
    driven = {joint.name for each in draft.transmissions for joint in each.joints}
    moving = {each.name for each in draft.joints if each.type != "fixed"}
    return read_motors(draft.scope, moving - driven)


def _place_scopes(top: Scope) -> dict[int, Matrix]:
    """Maps the id of each model whose place is known -> its frame in the robot (4, 4)."""
    found = {id(top): np.eye(4)}
    waiting = [top]
    while waiting:
        scope = waiting.pop()
        for inner in scope.inner():
            place = scope.place_model(inner)
            if place is None:
                finding = f"model {quote(inner.name)} is placed in an unknown frame"
                page = inner.placed_page
                page.error("sdf-unknown-frame", f"{finding}; it is left out", inner.placed)
                continue
            found[id(inner)] = found[id(scope)] @ place
            waiting.append(inner)
    return found


def _read_node(node: FramedElement, root: Matrix | None, draft: _Draft) -> None:
    if root is None:
        return
    if node.given is not None:
        _take_given(node, node.given, root, draft)
        return
    if node.kind == "joint":
        drafted = draft_joint(node, root)
        if drafted is not None:
            draft.drafted.append(drafted)
        return
    place = node.scope.pose_of(node.name)
    link = node.scope.link_of(node.name)
    if place is None or link is None:
        node.scope.say_lost(node)
        return
    name = node.full_name
    draft.places[name] = root @ place
    held = node.element.attributes.get(FIXED_JOINT, "").strip()
    if held:
        draft.held[name] = held
    if node.kind == "frame":
        draft.carried[name] = link.full_name
        draft.links[name] = Link(name=name, line=node.element.line)
        return
    draft.links[name] = read_link(node, draft.files)
    _add_link_extras(node, draft)


def _take_given(node: FramedElement, given: Link | Joint, root: Matrix, draft: _Draft) -> None:
    """Takes over a part that a reader of URDF has read, by its name in the whole model."""
    robot, place = draft.renamed[id(node.scope)], node.scope.pose_of(node.name)
    assert place is not None
    if isinstance(given, Link):
        draft.links[node.full_name] = robot.link(given)
        draft.places[node.full_name] = root @ place
    elif {given.parent, given.child} <= robot.links.keys():
        joint = robot.joint(given)
        draft.drafted.append(
            Drafted(
                node=node,
                type=joint.type,
                parent=joint.parent,
                child=joint.child,
                frame=root @ place,
                given=joint,
            )
        )


def _rename_robots(draft: _Draft, roots: Mapping[int, Matrix]) -> None:
    """Finds the robots of URDF among the models, and takes over everything outside their links and
    joints."""
    for scope in draft.scope.walk():
        tree = scope.page.urdf
        if tree is None or id(scope) not in roots:
            continue
        robot = rename_robot(scope, tree, is_top=scope is draft.scope)
        draft.renamed[id(scope)] = robot
        draft.loops += robot.loops
        draft.transmissions += robot.transmissions
        draft.extras += robot.extras


# Gazebo's data


def _list_others(element: Element, handled: frozenset[str]) -> list[Element]:
    """The children that are read nowhere else, sensors last."""
    others = [child for child in element if child.tag not in handled]
    return sorted(others, key=lambda child: child.tag == "sensor")


def _add_link_extras(node: FramedElement, draft: _Draft) -> None:
    others = _list_others(node.element, _OF_LINKS)
    rest = [each for each in others if each.tag != "sensor"]
    for collision in all_of(node.element, "collision"):
        rest += all_of(collision, "surface")
    draft.extras += wrap_extras(node.page, rest, node.full_name)
    for sensor in (each for each in others if each.tag == "sensor"):
        (extra,) = wrap_extras(node.page, [sensor], node.full_name)
        draft.extras.append(_place_sensor(extra, sensor, node))


def _place_sensor(extra: Extra, sensor: Element, node: FramedElement) -> Extra:
    """The sensor with its pose in its link's own frame, where it is written in another."""
    pose = find(sensor, "pose")
    if pose is None or not read_base(pose):
        return extra
    placed = place_part(sensor, node)
    text = format_numbers((*placed.xyz, *placed.rpy))
    return replace(extra, xml=extra.xml.replace(node.page.verbatim(pose), f"<pose>{text}</pose>"))


# The tree


def _connect(draft: _Draft) -> None:
    """Chooses which joints make the tree: of several parents of a link the first, but for
    gearboxes, and no joint that would close a ring. The others close loops."""
    children: set[str] = set()
    above: dict[str, str] = {}
    closing: list[Drafted] = []
    plain = _plain_joints(draft)
    names = name_parts(draft.drafted, draft.links)
    for drafted in plain:
        top = _find_top(drafted.parent, above)
        if drafted.child in children or drafted.child == top:
            closing.append(drafted)
        else:
            children.add(drafted.child)
            above[drafted.child] = top
            _add_made(_make(drafted, draft, names), draft)
    leaders = _find_leaders(draft)
    for drafted in closing:
        made = _make(drafted, draft, names, closes=True, leads=drafted.name in leaders)
        _add_made(made, draft)
    for gearbox in _list_gearboxes(draft):
        draft.joints = couple(gearbox, draft.joints, draft.places, draft.tails)


def _plain_joints(draft: _Draft) -> list[Drafted]:
    """Joints between existing links, but for gearboxes; the world is above, never below."""
    joints = [each for each in draft.drafted if each.type != "gearbox"]
    joints = [_turn_round(each) if each.child == WORLD else each for each in joints]
    if any(each.parent == WORLD for each in joints) and WORLD not in draft.links:
        draft.links = {WORLD: Link(name=WORLD), **draft.links}
        draft.places[WORLD] = np.eye(4)
    return [each for each in joints if {each.parent, each.child} <= draft.links.keys()]


def _turn_round(drafted: Drafted) -> Drafted:
    """The joint from the world: the axis that turned the world turns the other link against it. In
    URDF `world` is a link as any other."""
    if drafted.given is not None:
        return drafted
    axes = [replace(axis, vector=_against(axis.vector)) for axis in drafted.axes]
    return replace(drafted, parent=WORLD, child=drafted.parent, axes=axes, turned=True)


def _against(vector: Vector3 | None) -> Vector3 | None:
    if vector is None:
        return None
    x, y, z = vector
    return 0.0 - x, 0.0 - y, 0.0 - z


def _find_top(link: str, above: dict[str, str]) -> str:
    """Returns the link at the top of the tree that holds a link. `above` says link -> one above
    it; it is shortened on the way, so that long chains are walked only once."""
    top = link
    while top in above:
        top = above[top]
    while link != top:
        above[link], link = top, above[link]
    return top


def _find_leaders(draft: _Draft) -> set[str]:
    """Returns the names of joints that others may follow."""
    axes = [axis for each in draft.drafted for axis in each.axes]
    leaders = {axis.mimic.joint for axis in axes if axis.mimic is not None}
    geared = [ends for each in _list_gearboxes(draft) for ends in find_geared(each)]
    leaders.update(each.name for each in draft.drafted if {each.parent, each.child} in geared)
    return leaders


def _list_gearboxes(draft: _Draft) -> list[Drafted]:
    return [each for each in draft.drafted if each.type == "gearbox"]


def _make(
    drafted: Drafted, draft: _Draft, names: Names, *, closes: bool = False, leads: bool = False
) -> Made:
    if drafted.given is not None:
        return _make_given(drafted, drafted.given, closes=closes)
    frames = draft.places[drafted.parent], draft.places[drafted.child]
    made = make_joint(drafted, frames, names, closes=closes, leads=leads)
    others = _list_others(drafted.node.element, _OF_JOINTS)
    draft.extras += wrap_extras(drafted.node.page, others, drafted.name)
    return made


def _make_given(drafted: Drafted, joint: Joint, *, closes: bool) -> Made:
    if not closes:
        return Made(joints=[joint])
    loop = close_with(joint)
    if loop is not None:
        return Made(loops=[replace(loop, axis=joint.axis or _X)])
    finding = f"joint {quote(joint.name)} is {quote(joint.type)} and closes no loop; it is left out"
    drafted.node.page.error("sdf-joint-type", finding, drafted.node.element, joint.name)
    return Made()


def _add_made(made: Made, draft: _Draft) -> None:
    draft.joints += made.joints
    draft.loops += made.loops
    draft.links |= {link.name: link for link in made.links}
    draft.tails |= made.tails


# Frames and roots


def _attach_frames(draft: _Draft) -> None:
    names = Claims(taken=_joint_names(draft))
    for name, link in draft.carried.items():
        if link in draft.places:
            place = invert(draft.places[link]) @ draft.places[name]
            draft.joints.append(_fix(name, link, place, draft, names))


def _hang_roots(draft: _Draft) -> None:
    """Leaves one root in the robot's frame: the only one placed there, else `__model__`."""
    children = {joint.child for joint in draft.joints}
    roots = [name for name in draft.links if name not in children]
    if [pose_of(draft.places[name], rounding=ROUNDING) for name in roots] == [IDENTITY]:
        return
    first = min(link.line for link in draft.links.values())
    draft.links = {MODEL: Link(name=MODEL, line=first), **draft.links}
    names = Claims(taken=_joint_names(draft))
    draft.joints = [
        *(_fix(name, MODEL, draft.places[name], draft, names) for name in roots),
        *draft.joints,
    ]


def _joint_names(draft: _Draft) -> set[str]:
    return {joint.name for joint in draft.joints} | {each.name for each in draft.drafted}


def _fix(child: str, parent: str, place: Matrix, draft: _Draft, names: Claims) -> Joint:
    return Joint(
        name=names.claim(draft.held.get(child) or f"{child}_fixed"),
        type="fixed",
        parent=parent,
        child=child,
        origin=pose_of(place, rounding=ROUNDING),
        line=draft.links[child].line,
    )
