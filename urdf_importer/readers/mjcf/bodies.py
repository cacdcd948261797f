# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies -> links and joints.

A body turns and slides by its joints one after another, each about a point of its own, in the
body's frame. So several joints become a chain with empty links between, and a point away from the
body's frame is the `child_origin` of the link below. Joints count from `ref`, as in MuJoCo.

The world is the link `world`, unless one body alone stands in it, fixed at its origin.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Matrix, pose_of, rotations_about, unit
from ...model import Dynamics, Extra, Joint, Limit, Link, Vector3
from ...names import Claims
from .document import Compiler, Defaults, Node
from .geoms import Assets, Geom, make_collision, make_visual
from .masses import Scales

WORLD = "world"
_TYPES = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
_UNLIMITED = 1e16
_MOST_BODIES = 100_000
_LOST = {
    "replicate": "its copies are not made, its content is read once",
    "attach": "the model that it attaches is not read",
    "composite": "the parts that it makes are not read",
    "flexcomp": "the soft body that it makes is not read",
}


@dataclass(slots=True, kw_only=True, eq=False)
class BodyReading:
    """A body: `frame` (4, 4) is where it stands in the body `parent`, a place in the list, with
    joints where MuJoCo begins; `zero` is the same in the world. `sites` stand in it by name."""

    name: str
    node: Node
    parent: int
    frame: Matrix
    zero: Matrix
    joints: list[tuple[Node, Matrix]] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    inertial: tuple[Node, Matrix] | None = None
    sites: dict[str, Matrix] = field(default_factory=dict)
    extras: list[Extra] = field(default_factory=list)


class BodyReader:
    """Reads all bodies of a model."""

    def __init__(
        self, compiler: Compiler, defaults: Defaults, assets: Assets, diagnostics: Diagnostics
    ) -> None:
        self._compiler = compiler
        self._defaults = defaults
        self._assets = assets
        self._diagnostics = diagnostics
        self._names = Claims()
        self.bodies: list[BodyReading] = []

    def read(self, root: Node) -> list[BodyReading]:
        """Returns the bodies, parents first, the world before all. Raises ReadError."""
        world = Node("worldbody", {}, root.line, root.source)
        world.children = [child for each in root.all("worldbody") for child in each.children]
        classes = [each.text("childclass") for each in root.all("worldbody")]
        self._names.claim(WORLD)
        stack = [(world, -1, np.eye(4), next(iter(classes), ""))]
        while stack:
            node, parent, frame, childclass = stack.pop()
            stack += reversed(self._read_body(node, parent, frame, childclass))
            if len(self.bodies) > _MOST_BODIES:
                raise node.refuse(f"the model has more than {_MOST_BODIES} bodies")
        return self.bodies

    def _read_body(
        self, node: Node, parent: int, holder: Matrix, childclass: str
    ) -> list[tuple[Node, int, Matrix, str]]:
        """Reads one body, which a frame (4, 4) of its parent holds; returns those in it."""
        frame = holder @ self._compiler.frame(node)
        name = WORLD if parent < 0 else self._names.claim(node.text("name") or "body")
        above = self.bodies[parent].zero if parent >= 0 else np.eye(4)
        body = BodyReading(name=name, node=node, parent=parent, frame=frame, zero=above @ frame)
        place = len(self.bodies)
        self.bodies.append(body)
        below = []
        for child, within, own in self._flatten(node, node.text("childclass") or childclass):
            if child.tag == "body":
                below.append((child, place, within, own))
            else:
                self._read_part(self._defaults.resolve(child, own), within, body)
        return below

    def _flatten(self, node: Node, childclass: str) -> Iterator[tuple[Node, Matrix, str]]:
        """Yields what a body holds, with the frame (4, 4) and the class of the <frame> elements
        around it."""
        stack = [(child, np.eye(4), childclass) for child in reversed(node.children)]
        while stack:
            child, frame, own = stack.pop()
            if child.tag in _LOST:
                self._leave_out(child)
            if child.tag == "frame":
                frame = frame @ self._compiler.frame(child)
            if child.tag in ("frame", "replicate"):
                own = child.text("childclass") or own
                stack += [(each, frame, own) for each in reversed(child.children)]
            elif child.tag not in _LOST:
                yield child, frame, own

    def _read_part(self, node: Node, frame: Matrix, body: BodyReading) -> None:
        if node.tag in ("joint", "freejoint"):
            body.joints.append((node, frame))
        elif node.tag == "geom":
            geom = self._assets.read_geom(node, frame)
            if geom is not None:
                body.geoms.append(geom)
        elif node.tag == "inertial":
            body.inertial = (node, frame)
        elif node.xml:
            body.extras.append(node.extra())
        if node.tag == "site" and node.text("name"):
            body.sites[node.text("name")] = frame @ self._compiler.frame(node)

    def _leave_out(self, node: Node) -> None:
        name = node.text("name") or node.text("prefix") or node.text("body")
        self._diagnostics.error(
            "mjcf-not-read",
            f"<{node.tag}> {quote(name)}: {_LOST[node.tag]}",
            subject=name,
            line=node.line,
            source=node.source,
        )


@dataclass(slots=True, kw_only=True)
class Built:
    """Links and joints; `joint_nodes` are the elements of joints that were read, by name."""

    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    joint_nodes: dict[str, Node] = field(default_factory=dict)


def build_links(
    bodies: list[BodyReading],
    compiler: Compiler,
    assets: Assets,
    scales: Scales,
    *,
    keeps_world: bool,
) -> Built:
    """Makes links and joints of bodies; with `keeps_world` the world is a link in any case. Raises
    ReadError for a joint without an axis."""
    return _Builder(bodies, compiler, assets, scales).build(keeps_world=keeps_world)


class _Builder:
    def __init__(
        self, bodies: list[BodyReading], compiler: Compiler, assets: Assets, scales: Scales
    ) -> None:
        self._bodies = bodies
        self._compiler = compiler
        self._assets = assets
        self._scales = scales
        self._link_names = Claims()
        self._joint_names = Claims()
        self._built = Built()
        for body in bodies:
            self._link_names.claim(body.name)
        self._own = {
            id(node): self._joint_names.claim(name)
            for body in bodies
            for node, _ in body.joints
            if (name := node.text("name"))
        }

    def build(self, *, keeps_world: bool) -> Built:
        first = 1 if not keeps_world and _is_bare(self._bodies) else 0
        for place, body in enumerate(self._bodies[first:], first):
            if place > first:
                self._hang(body)
            self._built.links.append(self._make_link(body))
        return self._built

    def _make_link(self, body: BodyReading) -> Link:
        geoms = [geom for geom in body.geoms if geom.geometry is not None]
        inertial = None
        if body.parent >= 0:
            inertial = self._scales.weigh(body.inertial, body.geoms, body.node.line)
        return Link(
            name=body.name,
            inertial=inertial,
            visuals=tuple(make_visual(geom, self._assets) for geom in geoms if geom.is_seen),
            collisions=tuple(make_collision(geom) for geom in geoms if geom.collides),
            extras=tuple(body.extras),
            line=body.node.line,
        )

    def _hang(self, body: BodyReading) -> None:
        """Adds the joints of a body, with empty links between several."""
        above, frame = self._bodies[body.parent].name, body.frame
        if not body.joints:
            name = self._joint_names.claim(f"{body.name}_fixed")
            self._add_joint(name, "fixed", above, body, pose=frame)
        last = len(body.joints) - 1
        for index, (node, holder) in enumerate(body.joints):
            kind = "free" if node.tag == "freejoint" else node.text("type", "hinge")
            name = self._own.get(id(node)) or self._joint_names.claim(f"{body.name}_joint")
            if kind not in _TYPES:
                raise node.refuse(f"joint {quote(name)} is of the unknown type {quote(kind)}")
            child = body.name
            if index < last:
                child = self._link_names.claim(f"{body.name}_{name}")
                self._built.links.append(Link(name=child, line=node.line))
            self._built.joint_nodes[name] = node
            point = _at(holder, node) if kind in ("hinge", "ball") else np.eye(4)
            axis = _axis_of(holder, node) if kind in ("hinge", "slide") else None
            self._add_joint(
                name,
                _TYPES[kind],
                above,
                body,
                pose=frame @ point @ self._count_from(node, kind, axis),
                child=child,
                point=point,
                axis=axis,
                node=node,
            )
            above, frame = child, np.eye(4)

    def _count_from(self, node: Node, kind: str, axis: Matrix | None) -> Matrix:
        """Returns how a joint (4, 4) at zero stands from where MuJoCo begins, at `ref`."""
        ref = node.number("ref")
        back = np.eye(4)
        if axis is not None and ref:
            if kind == "hinge":
                back[:3, :3] = rotations_about(axis[None], np.array([-self._compiler.angle(ref)]))[
                    0
                ]
            else:
                back[:3, 3] = -ref * axis
        return back

    def _add_joint(
        self,
        name: str,
        kind: str,
        parent: str,
        body: BodyReading,
        *,
        pose: Matrix,
        child: str = "",
        point: Matrix | None = None,
        axis: Matrix | None = None,
        node: Node | None = None,
    ) -> None:
        away = np.eye(4)
        if point is not None:
            away[:3, 3] = -point[:3, 3]
        limit = None if node is None else self._read_limit(node, kind)
        if kind == "revolute" and (limit is None or limit.lower is None):
            kind = "continuous"
        self._built.joints.append(
            Joint(
                name=name,
                type=kind,
                parent=parent,
                child=child or body.name,
                origin=pose_of(pose),
                child_origin=pose_of(away),
                axis=None if axis is None else _vector(axis),
                limit=limit,
                dynamics=None if node is None else _read_dynamics(node),
                line=(node or body.node).line,
            )
        )

    def _read_limit(self, node: Node, kind: str) -> Limit | None:
        """Returns the range of a joint of one axis, and the most that drives it."""
        if kind not in ("revolute", "prismatic"):
            return None
        low, high = node.vector("range", 2) or (0.0, 0.0)
        limited = node.text("limited", "auto")
        bounded = limited == "true" or (
            limited == "auto" and self._compiler.autolimits and low < high
        )
        drive = node.vector("actuatorfrcrange", 2)
        effort = None if drive is None else max(abs(drive[0]), abs(drive[1]))
        if bounded:
            turn = self._compiler.angle if kind == "revolute" else float
            return Limit(lower=turn(low), upper=turn(high), effort=effort)
        if kind == "prismatic":
            return Limit(lower=-_UNLIMITED, upper=_UNLIMITED, effort=effort)
        return None if effort is None else Limit(effort=effort)


def _is_bare(bodies: list[BodyReading]) -> bool:
    """Whether the world is but the place of one body."""
    top = [body for body in bodies if body.parent == 0]
    return (
        len(top) == 1
        and not bodies[0].geoms
        and not top[0].joints
        and np.array_equal(top[0].frame, np.eye(4))
    )


def _read_dynamics(node: Node) -> Dynamics | None:
    damping, friction = node.number("damping"), node.number("frictionloss")
    if not (damping or friction):
        return None
    return Dynamics(damping=damping or None, friction=friction or None)


def _at(holder: Matrix, node: Node) -> Matrix:
    """Returns the frame (4, 4), along the body's axes, at a joint's point."""
    point = np.eye(4)
    position = np.array(node.vector("pos", 3) or (0.0, 0.0, 0.0))
    point[:3, 3] = holder[:3, :3] @ position + holder[:3, 3]
    return point


def _axis_of(holder: Matrix, node: Node) -> Matrix:
    axis = np.array(node.vector("axis", 3) or (0.0, 0.0, 1.0))
    if not float(np.abs(axis).max()) > 1e-12:
        raise node.refuse(f"joint {quote(node.text('name'))} has an axis of length zero")
    return np.asarray(holder[:3, :3] @ unit(axis))


def _vector(numbers: Matrix) -> Vector3:
    x, y, z = (float(number) + 0.0 for number in numbers)
    return (x, y, z)
