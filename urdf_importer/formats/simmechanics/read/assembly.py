# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters applied to a mechanism: the bodies that become links, and the joints that hold them.

A body that represents an assembly itself (RootPart) or the ground only places parts, unless one of
its joints moves: then it is a link like others.
"""

from dataclasses import dataclass, replace

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from .mechanism.freedom import freedom_of_pair, rows_of_primitives
from .mechanism.graph import WELD, Edge, Matrix, Mechanism, Primitive, Vector
from .named_frames import NamedFrames
from .naming import FinalNames
from .parameters.keys import JointChange, Parameters
from .parameters.values import Values

# Files of the first generation have six digits.
_WRITTEN_TOLERANCE = 2e-5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssemblyJoint:
    """A joint as it counts, between bodies. `frame` is the one at whose point it sits; `edge` the
    joint of the file that it comes from, -1 for extra joints."""

    name: str
    label: str
    base: int
    follower: int
    frame: Matrix
    primitives: tuple[Primitive, ...]
    change: JointChange | None = None
    edge: int = -1
    offset: float | None = None
    line: int = 0

    @property
    def freedom(self) -> int:
        if self.change is not None:
            return 0 if self.change.type == "fixed" else 1
        return sum(
            {"spherical": 3, "revolute": 1, "prismatic": 1}.get(item.kind, 0)
            for item in self.primitives
        )

    @property
    def moves(self) -> bool:
        return self.freedom > 0

    def other(self, body: int) -> int:
        return self.follower if body == self.base else self.base


@dataclass(slots=True, kw_only=True, eq=False)
class Assembly:
    """The material of the tree. `links` are the bodies that are links, in the order of the file;
    `placements` are the joints that only place: (placing body, body, edge); `removed` were taken
    out by the user."""

    mechanism: Mechanism
    parameters: Parameters
    values: Values
    names: FinalNames
    frames: NamedFrames
    links: list[int]
    connections: list[AssemblyJoint]
    placements: list[tuple[int, int, int]]
    removed: list[int]
    # All joints of the file and the user, for the graph; None for joints that only place.
    shown: list[AssemblyJoint]
    is_stiff: bool

    def link_name(self, body: int) -> str:
        return self.names.links[body]

    def warn_of_body(self, code: str, message: str, body: int) -> None:
        line = self.mechanism.bodies[body].line
        self.diagnostics.warning(code, message, subject=self.link_name(body), line=line)

    @property
    def diagnostics(self) -> Diagnostics:
        return self.values.diagnostics


def apply_parameters(
    mechanism: Mechanism,
    parameters: Parameters,
    diagnostics: Diagnostics,
    held: frozenset[str] = frozenset(),
) -> Assembly:
    """Fixes the joints that are `held`, too. Raises ReadError where the parameters name a root or a
    base frame that is not there."""
    values = Values(parameters.source, diagnostics)
    names = FinalNames(mechanism, parameters, values)
    frames = NamedFrames(mechanism, parameters, names, values)
    removed = names.joints_of(parameters.remove, "remove", parameters.line("remove"))
    raw = _read_connections(mechanism, parameters, names)
    kept = {index: joint for index, joint in raw.items() if index not in removed}
    real = _real_places(mechanism, kept)
    world = next((i for i in sorted(real) if mechanism.bodies[i].kind == "ground"), -1)
    if world >= 0:
        names.links[world] = names.giver.claim_like("world")
        names.body_of[names.links[world]] = world
    connections: list[AssemblyJoint] = []
    placements: list[tuple[int, int, int]] = []
    for index, joint in kept.items():
        place = _placing_end(mechanism, joint, real)
        if place < 0:
            connections.append(_at_world(joint, mechanism, world))
        else:
            placements.append((place, joint.other(place), index))
    frames.adopt(placements)
    extra = _extra_connections(parameters, frames)
    counting = [*_combine(connections, mechanism, values), *extra]
    return Assembly(
        mechanism=mechanism,
        parameters=parameters,
        values=values,
        names=names,
        frames=frames,
        links=_find_links(mechanism, real, world),
        connections=[
            replace(joint, primitives=WELD, change=None) if joint.name in held else joint
            for joint in counting
        ],
        placements=placements,
        removed=sorted(removed),
        shown=[*connections, *extra],
        is_stiff=parameters.is_stiff,
    )


def _find_links(mechanism: Mechanism, real: set[int], world: int) -> list[int]:
    """The bodies that are links: all grounds are one."""
    return [
        index
        for index, body in enumerate(mechanism.bodies)
        if body.kind == "part" or index == world or (body.kind == "placement" and index in real)
    ]


def _read_connections(
    mechanism: Mechanism, parameters: Parameters, names: FinalNames
) -> dict[int, AssemblyJoint]:
    """All joints of the file by index, as redefined or frozen."""
    frozen = names.joints_of(parameters.freeze, "freeze", parameters.line("freeze"))
    changes = _match_changes(parameters, names)
    found: dict[int, AssemblyJoint] = {}
    for index, edge in enumerate(mechanism.edges):
        change = changes.get(index)
        primitives = _checked_primitives(edge, parameters, names.values)
        if change is None and (parameters.freeze_all or index in frozen):
            primitives = WELD
        label = edge.name.strip()
        if parameters.dialect == "ros" and edge.follower_frame.ref:
            label = f"{edge.base_frame.ref}:{edge.follower_frame.ref}"
        found[index] = AssemblyJoint(
            name=names.joints[index],
            label=label,
            base=edge.base,
            follower=edge.follower,
            frame=edge.base_frame.matrix,
            primitives=primitives,
            change=change,
            edge=index,
            offset=edge.offset,
            line=edge.line,
        )
    return found


def _match_changes(parameters: Parameters, names: FinalNames) -> dict[int, JointChange]:
    values = names.values
    changes: dict[int, JointChange] = {}
    called: dict[int, str] = {}
    for key, change in parameters.redefined.items():
        edges = names.find_joints(key)
        if not edges:
            values.bad("redefinedjoints", names.no_joint(key), change.line)
        for index in edges:
            if index in changes:
                values.bad(
                    "redefinedjoints",
                    f"{key!r} means joint {names.joints[index]!r}, which is redefined already",
                    change.line,
                )
                continue
            changes[index] = change
            if not change.name or change.name == names.joints[index]:
                continue
            if names.giver.claim(change.name):
                called[index] = change.name
            else:
                values.bad(
                    "redefinedjoints", f"the name {change.name!r} is taken already", change.line
                )
    names.call_joints(called)
    return changes


def _checked_primitives(
    edge: Edge, parameters: Parameters, values: Values
) -> tuple[Primitive, ...]:
    """The primitives that move, or a weld; with a diagnostic where the file does not say."""
    unknown = next((item for item in edge.primitives if item.kind == "unknown"), None)
    if not edge.primitives or unknown is not None:
        finding = "has no primitive that says how it moves"
        if unknown is not None:
            finding = f"moves by {quote(unknown.word)}, which is unknown"
        code = "missing-primitive" if unknown is None else "unknown-primitive"
        values.warning(code, f"joint {quote(edge.name)} {finding}; it is fixed", edge)
        return WELD
    if len(edge.primitives) > 1 and not parameters.has_chains:
        return WELD
    moving = tuple(item for item in edge.primitives if item.kind != "weld")
    return moving or WELD


def _real_places(mechanism: Mechanism, joints: dict[int, AssemblyJoint]) -> set[int]:
    """The RootParts and grounds that a moving joint makes links; all grounds are one place."""
    real: set[int] = set()
    for joint in joints.values():
        if joint.moves:
            ends = (joint.base, joint.follower)
            real.update(end for end in ends if mechanism.bodies[end].kind != "part")
    grounds = {i for i, body in enumerate(mechanism.bodies) if body.kind == "ground"}
    return real | grounds if real & grounds else real


def _placing_end(mechanism: Mechanism, joint: AssemblyJoint, real: set[int]) -> int:
    """The end of a joint that only places; -1 where it joins links."""
    places = (end for end in (joint.base, joint.follower) if mechanism.bodies[end].kind != "part")
    return next((end for end in places if end not in real), -1)


def _at_world(joint: AssemblyJoint, mechanism: Mechanism, world: int) -> AssemblyJoint:
    if mechanism.bodies[joint.base].kind == "ground":
        return replace(joint, base=world)
    if mechanism.bodies[joint.follower].kind == "ground":
        return replace(joint, follower=world)
    return joint


def _extra_connections(parameters: Parameters, frames: NamedFrames) -> list[AssemblyJoint]:
    names = frames.names
    found = []
    for name, extra in parameters.extra_joints.items():
        ends = [names.body_of.get(link, -1) for link in (extra.parent, extra.child)]
        frame = frames.find(extra.origin)
        faults = [
            names.no_link(link)
            for link, end in zip((extra.parent, extra.child), ends, strict=True)
            if end < 0
        ]
        if frame is None:
            faults.append(frames.no_frame(extra.origin))
        if not faults and ends[0] == ends[1]:
            faults.append(f"{name!r} connects a link to itself")
        if not faults and not names.giver.claim(name):
            faults.append(f"the name {name!r} is taken already")
        for fault in faults:
            names.values.bad("extrajoints", fault, extra.line)
        if faults or frame is None:
            continue
        word = extra.change.type or ("continuous" if extra.change.axis else "fixed")
        found.append(
            AssemblyJoint(
                name=name,
                label=f"{extra.origin}:{name}",
                base=ends[0],
                follower=ends[1],
                frame=frame,
                primitives=WELD,
                change=replace(extra.change, type=word),
                line=extra.line,
            )
        )
    return found


def _combine(
    joints: list[AssemblyJoint], mechanism: Mechanism, values: Values
) -> list[AssemblyJoint]:
    """One joint for each pair of bodies, in the order of the file: the motion that all of a pair
    allow; a redefined one counts alone."""
    pairs: dict[tuple[int, int], list[AssemblyJoint]] = {}
    for joint in joints:
        key = (min(joint.base, joint.follower), max(joint.base, joint.follower))
        pairs.setdefault(key, []).append(joint)
    combined = []
    for group in pairs.values():
        redefined = [joint for joint in group if joint.change is not None]
        if len(group) == 1 or redefined:
            combined.append((redefined or group)[0])
        else:
            combined.append(_left_over(group, mechanism, values))
    return combined


def _left_over(group: list[AssemblyJoint], mechanism: Mechanism, values: Values) -> AssemblyJoint:
    first = group[0]
    if any(not joint.moves for joint in group):
        return replace(first, primitives=WELD)
    points = [joint.frame[:3, 3] for joint in group]
    places = [mechanism.bodies[end].part[:3, 3] for end in (first.base, first.follower)]
    rows = [rows_of_primitives(joint.primitives, joint.frame[:3, 3]) for joint in group]
    freedom = freedom_of_pair(rows, points, places, _WRITTEN_TOLERANCE)
    if not freedom.is_known:
        values.warning(
            "unknown-mate",
            f"joint {quote(first.name)} and the others between its two bodies leave a motion "
            "that no joint can make; the bodies are fixed to each other",
            first,
        )
        return replace(first, primitives=WELD)
    primitives = tuple(_as_written(item, group) for item in freedom.primitives) or WELD
    frame = first.frame.copy()
    if _leaves_axes(frame[:3, 3] - freedom.point, primitives, freedom.slack):
        frame[:3, 3] = freedom.point
    return replace(first, primitives=primitives, frame=frame)


def _as_written(primitive: Primitive, group: list[AssemblyJoint]) -> Primitive:
    """The same motion with the direction of the first joint's axis, where that is along it."""
    for item in (item for joint in group for item in joint.primitives):
        if item.kind == primitive.kind and abs(float(item.axis @ primitive.axis)) > 1.0 - 1e-6:
            return item
    return primitive


def _leaves_axes(away: Vector, primitives: tuple[Primitive, ...], slack: float) -> bool:
    """Whether a point that lies `away` from a point on the axes of turning lies beside them."""
    beside = [np.cross(item.axis, away) for item in primitives if item.kind == "revolute"]
    beside += [away for item in primitives if item.kind == "spherical"]
    return any(float(np.linalg.norm(gap)) > slack for gap in beside)
