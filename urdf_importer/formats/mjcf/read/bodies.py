# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies -> links and joints.

A body turns and slides by its joints one after another, each about a point of its own, in the
body's frame. So several joints become a chain with empty links between, and a point away from the
body's frame is the `child_origin` of the link below. Joints count from `ref`, as in MuJoCo.

The world is the link `world`, unless it contains a single body, fixed at its origin.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import Matrix, make_frame, pose_of
from ....core.model import Extra, Joint, Link, Vector3
from ....core.names import Claims
from .document import MjcfElement
from .geoms import Geom, make_collision, make_visual
from .joints import (
    TYPES,
    JointReading,
    count_from,
    find_axis,
    find_point,
    read_dynamics,
    read_limit,
)
from .masses import Scales
from .models import Model, Models
from .sites import SITE, Site, read_site

WORLD = "world"
_MOST_BODIES = 100_000
_MOST_ELEMENTS = 200_000
_MOST_COPIES = 20_000
_LOST = {
    "composite": "the parts that it makes are not read",
    "flexcomp": "the soft body that it makes is not read",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ElementContext:
    """The context of an element: `frame` (4, 4) is its parent's frame in the body, `childclass` is
    the class that it has unless it says otherwise, `suffix` ends its name, since it may be one of
    many copies."""

    model: Model
    frame: Matrix
    childclass: str = ""
    suffix: str = ""

    def call(self, node: MjcfElement) -> MjcfElement:
        """Returns an element of this place by its whole name."""
        return node.called(self.model.prefix, self.suffix)


@dataclass(slots=True, kw_only=True, eq=False)
class BodyReading:
    """A body: `frame` (4, 4) is its frame in the body `parent`, a place in the list, with joints
    where MuJoCo begins; `zero` is the same in the world. `sites` are its sites by name, `cameras`
    its cameras with their frames (4, 4) in it."""

    name: str
    node: MjcfElement
    parent: int
    frame: Matrix
    zero: Matrix
    joints: list[JointReading] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    inertial: tuple[MjcfElement, Matrix] | None = None
    sites: dict[str, Site] = field(default_factory=dict)
    cameras: list[tuple[MjcfElement, Matrix]] = field(default_factory=list)
    extras: list[Extra] = field(default_factory=list)


class BodyReader:
    """Reads all bodies of a model, and of the models that it attaches."""

    def __init__(self, models: Models, diagnostics: Diagnostics) -> None:
        self._models = models
        self._diagnostics = diagnostics
        self._names = Claims(taken=[WORLD])
        self._elements = 0
        self._copies = 0.0
        self.bodies: list[BodyReading] = []
        self.suffixes: list[str] = []
        """Suffixes of the names of copies."""

    def read(self, model: Model) -> list[BodyReading]:
        """Returns the bodies, parents first, the world before all. Raises ReadError."""
        stack = [(model.make_world(), -1, ElementContext(model=model, frame=np.eye(4)))]
        while stack:
            node, parent, place = stack.pop()
            stack += reversed(self._read_body(node, parent, place))
            if len(self.bodies) > _MOST_BODIES:
                raise node.refuse(f"the model has more than {_MOST_BODIES} bodies")
        for body in self.bodies:
            # Last, so that none takes the name that another has by itself.
            body.name = body.name or self._names.claim("body")
        return self.bodies

    def _read_body(
        self, node: MjcfElement, parent: int, held: ElementContext
    ) -> list[tuple[MjcfElement, int, ElementContext]]:
        """Reads one body, which a place in its parent holds; returns the bodies in it."""
        frame = held.frame @ held.model.compiler.frame(node)
        written = node.text("name")
        name = WORLD if parent < 0 else written and self._names.claim(written)
        above = self.bodies[parent].zero if parent >= 0 else np.eye(4)
        body = BodyReading(name=name, node=node, parent=parent, frame=frame, zero=above @ frame)
        index = len(self.bodies)
        self.bodies.append(body)
        below = []
        inner = replace(
            held, frame=np.eye(4), childclass=node.text("childclass") or held.childclass
        )
        for child, place in self._flatten(node, inner):
            if child.tag == "body":
                below.append((child, index, place))
            else:
                resolved = place.model.defaults.resolve(child, place.childclass)
                self._read_part(resolved, place, body)
        return below

    def _flatten(
        self, node: MjcfElement, inside: ElementContext
    ) -> Iterator[tuple[MjcfElement, ElementContext]]:
        """Yields the content of a body by its whole names, with its place: in <frame> elements, in
        the copies of <replicate>, in models that are attached."""
        stack = [(child, inside) for child in reversed(node.children)]
        while stack:
            child, place = stack.pop()
            self._elements += 1
            if self._elements > _MOST_ELEMENTS:
                raise child.refuse(f"bodies hold more than {_MOST_ELEMENTS} elements")
            if child.tag in _LOST:
                self._leave_out(child)
            elif child.tag == "frame":
                stack += _enter(child, place, place.frame @ place.model.compiler.frame(child))
            elif child.tag == "replicate":
                stack += self._replicate(child, place)
            elif child.tag == "attach":
                model, part, childclass = self._models.attach(place.model, child, place.suffix)
                stack.append((part, replace(place, model=model, childclass=childclass)))
            else:
                yield place.call(child), place

    def _replicate(
        self, node: MjcfElement, place: ElementContext
    ) -> list[tuple[MjcfElement, ElementContext]]:
        """Returns the content of the copies, last first. Each copy is turned by the angles and
        shifted by the offset, relative to the one before. Raises ReadError for too many."""
        count, compiler = node.number("count"), place.model.compiler
        self._copies += max(count, 0.0)
        if count < 0 or self._copies > _MOST_COPIES:
            raise node.refuse(f"<replicate> has a count of {count:g}; {_MOST_COPIES} is the most")
        if count * len(node.children) > _MOST_ELEMENTS:
            raise node.refuse(f"<replicate> makes more than {_MOST_ELEMENTS} elements")
        offset, angles = node.vector("offset", 3), node.vector("euler", 3)
        stack: list[tuple[MjcfElement, ElementContext]] = []
        frame, digits = np.eye(4), len(str(int(count)))
        for index in range(int(count)):
            suffix = f"{node.text('sep')}{index:0{digits}d}{place.suffix}"
            self.suffixes.append(suffix)
            if angles is not None:
                frame[:3, :3] = compiler.turn_by_euler([index * angle for angle in angles])
            stack += _enter(node, replace(place, suffix=suffix), place.frame @ frame)[::-1]
            frame[:3, 3] += frame[:3, :3] @ (offset or (0.0, 0.0, 0.0))
        return stack[::-1]

    def _read_part(self, node: MjcfElement, place: ElementContext, body: BodyReading) -> None:
        frame, compiler = place.frame, place.model.compiler
        if node.tag in ("joint", "freejoint"):
            body.joints.append(JointReading(node=node, frame=frame, compiler=compiler))
        elif node.tag == "geom":
            geom = place.model.assets.read_geom(node, frame)
            if geom is not None:
                body.geoms.append(geom)
        elif node.tag == "inertial":
            body.inertial = (node, frame @ compiler.frame(node))
        elif node.tag == SITE and self._read_named_site(node, place, body):
            pass
        elif node.tag == "camera" and not _is_flat(node):
            body.cameras.append((node, frame @ compiler.frame(node)))
        elif node.xml and not (place.suffix or place.model.prefix):
            body.extras.append(node.extra())

    def _read_named_site(self, node: MjcfElement, place: ElementContext, body: BodyReading) -> bool:
        """Reads a site that has a name; returns whether it becomes a link."""
        name = node.text("name")
        if not name:
            return False
        written = name[len(place.model.prefix) : len(name) - len(place.suffix)]
        is_frame = written not in place.model.frameless
        site = read_site(node, place.frame, place.model.compiler, is_frame=is_frame)
        body.sites[name] = site
        return is_frame

    def _leave_out(self, node: MjcfElement) -> None:
        name = node.text("name") or node.text("prefix")
        finding = f"<{node.tag}> {quote(name)}: {_LOST[node.tag]}"
        node.report("mjcf-not-read", finding, name, self._diagnostics.error)


def _is_flat(camera: MjcfElement) -> bool:
    """Whether the pictures of a camera are not in perspective: nothing else has such cameras."""
    return camera.text("projection") == "orthographic" or camera.flag("orthographic")


def _enter(
    node: MjcfElement, place: ElementContext, frame: Matrix
) -> list[tuple[MjcfElement, ElementContext]]:
    """Returns the content of an element, last first, at a frame (4, 4) of the body."""
    childclass = node.text("childclass") or place.childclass
    within = replace(place, frame=frame, childclass=childclass)
    return [(child, within) for child in reversed(node.children)]


@dataclass(slots=True, kw_only=True)
class Built:
    """Links and joints; `refs` are where joints count from, by name, in radians or metres."""

    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    refs: dict[str, float] = field(default_factory=dict)


class LinkBuilder:
    """Makes links and joints of bodies."""

    def __init__(self, bodies: list[BodyReading], scales: Scales) -> None:
        self._bodies = bodies
        self._scales = scales
        self._link_names = Claims(taken=[body.name for body in bodies])
        self._joint_names = Claims()
        self._built = Built()
        self._own = {
            id(joint): self._joint_names.claim(name)
            for body in bodies
            for joint in body.joints
            if (name := joint.node.text("name"))
        }

    def build(self, *, keeps_world: bool) -> Built:
        """Returns the links and joints; with `keeps_world` the world is a link in any case. Raises
        ReadError for a joint without an axis."""
        first = 1 if not keeps_world and _is_bare(self._bodies) else 0
        for place, body in enumerate(self._bodies[first:], first):
            if place > first:
                self._hang(body)
            self._built.links.append(self._make_link(body))
        self._hang_sites(first)
        return self._built

    def _hang_sites(self, first: int) -> None:
        """Adds the links of sites that are frames; their names come after all others. Where the
        world has no link, its own are in the one body, which is where it is."""
        for place, body in enumerate(self._bodies):
            parent = self._bodies[max(place, first)].name
            for name, site in body.sites.items():
                if site.look is not None:
                    link, line = self._link_names.claim(name), site.look.line
                    self._built.links.append(Link(name=link, extras=(site.look,), line=line))
                    self._fix(link, parent, site.frame, line)

    def _fix(self, link: str, parent: str, frame: Matrix, line: int) -> None:
        """Adds the joint that fixes a link."""
        name, origin = self._joint_names.claim(f"{link}_fixed"), pose_of(frame)
        joint = Joint(name=name, type="fixed", parent=parent, child=link, origin=origin, line=line)
        self._built.joints.append(joint)

    def _make_link(self, body: BodyReading) -> Link:
        geoms = [geom for geom in body.geoms if geom.geometry is not None]
        inertial = None
        if body.parent >= 0:
            inertial = self._scales.weigh(body.inertial, body.geoms, body.node)
        return Link(
            name=body.name,
            inertial=inertial,
            visuals=tuple(make_visual(geom) for geom in _find_seen(geoms)),
            collisions=tuple(make_collision(geom) for geom in geoms if geom.collides),
            extras=tuple(body.extras),
            line=body.node.line,
        )

    def _hang(self, body: BodyReading) -> None:
        """Adds the joints of a body, with empty links between several."""
        above, frame = self._bodies[body.parent].name, body.frame
        if not body.joints:
            self._fix(body.name, above, frame, body.node.line)
        for joint in body.joints:
            node, child = joint.node, body.name
            name = self._own.get(id(joint)) or self._joint_names.claim(f"{body.name}_joint")
            if joint.kind not in TYPES:
                raise node.refuse(f"joint {quote(name)} has the unknown type {quote(joint.kind)}")
            if joint is not body.joints[-1]:
                child = self._link_names.claim(f"{body.name}_{name}")
                self._built.links.append(Link(name=child, line=node.line))
            self._built.refs[name] = joint.angle(node.number("ref"))
            self._built.joints.append(_make_joint(joint, frame, name, above, child))
            above, frame = child, np.eye(4)


def _find_seen(geoms: list[Geom]) -> list[Geom]:
    """Returns the geoms that are seen. Where two of equal shape are at one place, as in models made
    from URDF, the one that collides is left out: surfaces in one place are speckled in renders."""
    seen = [geom for geom in geoms if geom.is_seen]
    shown = {_name_shape(geom) for geom in seen if not geom.collides and geom.is_opaque}
    return [geom for geom in seen if not (geom.collides and _name_shape(geom) in shown)]


def _name_shape(geom: Geom) -> tuple[object, bytes]:
    return geom.geometry, geom.frame.tobytes()


def _make_joint(joint: JointReading, frame: Matrix, name: str, parent: str, child: str) -> Joint:
    """Returns a joint whose body is at a frame (4, 4) in the link above."""
    node, kind = joint.node, TYPES[joint.kind]
    point = find_point(joint.frame, node) if kind in ("revolute", "ball") else np.eye(4)
    axis = find_axis(joint.frame, node) if kind in ("revolute", "prismatic") else None
    away = make_frame(point=-point[:3, 3])
    limit = read_limit(joint, kind)
    if kind == "revolute" and (limit is None or limit.lower is None):
        kind = "continuous"
    return Joint(
        name=name,
        type=kind,
        parent=parent,
        child=child,
        origin=pose_of(frame @ point @ count_from(joint, axis)),
        child_origin=pose_of(away),
        axis=None if axis is None else _vector(axis),
        limit=limit,
        dynamics=read_dynamics(joint),
        line=node.line,
    )


def _is_bare(bodies: list[BodyReading]) -> bool:
    """Whether the world is but the place of one body."""
    top = [body for body in bodies if body.parent == 0]
    return (
        len(top) == 1
        and not bodies[0].geoms
        and not top[0].joints
        and np.array_equal(top[0].frame, np.eye(4))
    )


def _vector(numbers: Matrix) -> Vector3:
    x, y, z = (float(number) + 0.0 for number in numbers)
    return (x, y, z)
