# SPDX-License-Identifier: GPL-3.0-or-later
"""<Joints> and <Constraints> of the second generation: pairs of bodies and their connections."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from .....core.diagnostics import quote
from .....core.geometry.transforms import make_frame
from .....core.markup.xml import Element
from .freedom import freedom_of_pair, rows_of_primitives
from .graph import NO_AXIS, WELD, Body, Edge, Frame, Matrix, Primitive, PrimitiveKind, Vector
from .instances import Instance, bodies_below, read_transform
from .mates import Entity, rows_of_mate
from .parts import Units
from .values import XmlPage

MOST_CONNECTIONS = 400_000

# The motions that each joint allows, slides first: t along and r about an axis of its base frame.
_MOTIONS = {
    "Weld": "weld",
    "Revolute": "rz",
    "Prismatic": "tz",
    "Cylindrical": "tz rz",
    "Planar": "tx ty rz",
    "PinSlot": "tx rz",
    "Universal": "rx ry",
    "Spherical": "ball",
    "Bushing": "tx ty tz ball",
    "SixDof": "tx ty tz ball",
}
_KINDS: dict[str, PrimitiveKind] = {
    "t": "prismatic", "r": "revolute", "b": "spherical", "w": "weld",
}  # fmt: skip
_TURNING = ("Revolute", "Cylindrical", "Planar", "PinSlot")


@dataclass(slots=True, kw_only=True, eq=False)
class _Pair:
    """All that holds two bodies together, in the order of the file."""

    base: int
    follower: int
    name: str
    line: int
    joints: list[Edge] = field(default_factory=list)
    rows: list[Matrix] = field(default_factory=list)
    points: list[Vector] = field(default_factory=list)
    unknown: str = ""

    def edge(
        self,
        base_frame: Frame,
        follower_frame: Frame,
        primitives: tuple[Primitive, ...],
        offset: float | None = None,
    ) -> Edge:
        """Returns a joint of the pair, which has no number yet."""
        return Edge(
            name=self.name,
            number="",
            base=self.base,
            follower=self.follower,
            base_frame=base_frame,
            follower_frame=follower_frame,
            primitives=primitives,
            offset=offset,
            line=self.line,
        )


class Connections:
    """Gathers joints and mates by pairs of bodies."""

    def __init__(self, page: XmlPage, bodies: list[Body]) -> None:
        self.page = page
        self.bodies = bodies
        self.pairs: dict[tuple[int, int], _Pair] = {}
        self.count = 0

    def add_rigid_group(self, instance: Instance) -> None:
        """Welds the bodies of an instance that is rigid."""
        within = instance.parent
        if not instance.is_rigid or (within is not None and within.is_rigid):
            return
        self._weld([instance.stands_for, *bodies_below(instance)], instance.line)

    def add_grounded(self, instance: Instance) -> None:
        """Welds the grounded parts of one assembly to each other."""
        if instance.body >= 0:
            return
        grounded = [child.stands_for for child in instance.children.values() if child.is_grounded]
        self._weld(grounded, instance.line)

    def _weld(self, bodies: Iterable[int], line: int) -> None:
        first, *others = [body for body in bodies if body >= 0] or [-1]
        for other in dict.fromkeys(others):
            if other == first:
                continue
            body = self.bodies[other]
            pair = self._pair(first, other, f"{body.name}_fixed_joint", line)
            frame = Frame(matrix=body.part)
            pair.joints.append(pair.edge(frame, frame, WELD))

    def add_assembly(self, element: Element, instance: Instance, units: Units) -> None:
        """Returns joints and mates of an assembly, for one instance of it. Raises ReadError for
        invalid numbers, and for more connections than any assembly has."""
        for group in element:
            if group.tag not in ("Joints", "Constraints"):
                continue
            self.count += len(group)
            if self.count > MOST_CONNECTIONS:
                raise self.page.refusal(
                    f"the assembly has more than {MOST_CONNECTIONS} joints and mates", group.line
                )
            for child in group:
                if group.tag == "Joints":
                    self._add_joint(child, instance, units)
                else:
                    self._add_mate(child, instance, units)

    def _add_joint(self, element: Element, instance: Instance, units: Units) -> None:
        name = element.attributes.get("name", "").strip() or element.tag
        sides = self.page.fields(element)
        ends: list[tuple[int, Frame]] = []
        for tag in ("BaseFrame", "FollowerFrame"):
            place = self._place(sides.get(tag), instance)
            if place is None:
                self._report_lost(name, element.line)
                return
            transform = self.page.fields(sides[tag]).get("Transform")
            local = read_transform(transform, units.length, f"joint {quote(name)}", self.page)
            frame = Frame(matrix=place.matrix @ local, line=sides[tag].line)
            ends.append((place.stands_for, frame))
        (base, base_frame), (follower, follower_frame) = ends
        if base == follower:
            return
        primitives = _primitives(element.tag, base_frame.matrix)
        pair = self._pair(base, follower, name, element.line)
        angle = None
        if element.tag in _TURNING:
            between = base_frame.matrix[:3, :3].T @ follower_frame.matrix[:3, :3]
            angle = math.atan2(between[1, 0], between[0, 0])
        pair.joints.append(pair.edge(base_frame, follower_frame, primitives, angle))

    def _add_mate(self, element: Element, instance: Instance, units: Units) -> None:
        name = element.attributes.get("name", "").strip() or element.tag
        sides = [child for child in element if child.tag == "ConstraintGeometry"]
        places = [self._place(side, instance) for side in sides]
        found = [place for place in places if place is not None]
        if len(sides) != 2 or len(found) != 2:
            self._report_lost(name, element.line)
            return
        one, other = found[0].stands_for, found[1].stands_for
        if one == other:
            return
        entities = [
            entity
            for side, place in zip(sides, found, strict=True)
            if (entity := self._entity(side, place, units))
        ]
        rows = rows_of_mate(element.tag.lower(), *entities) if len(entities) == 2 else None
        pair = self._pair(one, other, name, element.line)
        if rows is None:
            shapes = " and ".join(side.attributes.get("geomType", "?") for side in sides)
            pair.unknown = pair.unknown or f"{element.tag} {quote(name)} between {shapes}"
            return
        pair.rows.append(rows)
        pair.points += [entity.point for entity in entities]

    def _entity(self, element: Element, place: Instance, units: Units) -> Entity | None:
        """None where the mate does not say where it is."""
        fields = self.page.fields(element)
        if "Position" not in fields:
            return None
        point = self.page.point(fields["Position"], units.length, "the position of a mate")
        axis = NO_AXIS
        if "Axis" in fields:
            written = np.array(self.page.numbers(fields["Axis"], 3, "the axis of a mate"))
            length = float(np.linalg.norm(written))
            if 1e-12 < length < 1e30:
                axis = place.matrix[:3, :3] @ (written / length)
        return Entity(
            shape=element.attributes.get("geomType", "").lower(),
            point=place.matrix[:3, :3] @ point + place.matrix[:3, 3],
            axis=axis,
        )

    def _place(self, element: Element | None, instance: Instance) -> Instance | None:
        """The instance that the path in an element leads to; None where there is none."""
        if element is None:
            return None
        path = self.page.fields(element).get("InstancePath", ())
        place: Instance | None = instance
        for uid in path:
            place = place.children.get(self.page.text(uid)) if place is not None else None
        return place if place is not None and place.stands_for >= 0 else None

    def _report_lost(self, name: str, line: int) -> None:
        finding = f"joint {quote(name)} does not name two parts that are there; it is left out"
        self.page.error("lost-frame", finding, name, line)

    def _pair(self, base: int, follower: int, name: str, line: int) -> _Pair:
        key = (min(base, follower), max(base, follower))
        if key not in self.pairs:
            self.pairs[key] = _Pair(base=base, follower=follower, name=name, line=line)
        return self.pairs[key]

    def edges(self) -> list[Edge]:
        """Returns one edge for each pair that something holds."""
        found: list[Edge] = []
        for pair in self.pairs.values():
            edge = self._edge(pair)
            if edge is not None:
                found.append(replace(edge, number=str(len(found) + 1)))
        return found

    def _edge(self, pair: _Pair) -> Edge | None:
        if len(pair.joints) == 1 and not pair.rows and not pair.unknown:
            return pair.joints[0]
        if pair.unknown:
            return self._fix(pair, f"{pair.unknown} is unknown; its parts")
        return self._left_over(pair)

    def _fix(self, pair: _Pair, finding: str) -> Edge:
        """Welds a pair whose mates say nothing that a joint can do, which is reported."""
        message = f"{finding} are fixed to each other"
        self.page.warning("unknown-mate", message, pair.name, pair.line)
        frame = Frame(matrix=self.bodies[pair.follower].part)
        return pair.edge(frame, frame, WELD)

    def _left_over(self, pair: _Pair) -> Edge | None:
        """The joint that all mates and joints together leave; None where they hold nothing."""
        points = list(pair.points)
        rows = list(pair.rows)
        for joint in pair.joints:
            points += [joint.base_frame.point, joint.follower_frame.point]
            rows.append(rows_of_primitives(joint.primitives, joint.base_frame.point))
        places = [self.bodies[end].part[:3, 3] for end in (pair.base, pair.follower)]
        freedom = freedom_of_pair(rows, points, places)
        if not freedom.is_known:
            others = f"{quote(pair.name)} and the other mates of its two parts"
            return self._fix(pair, f"{others} leave a motion that no joint can make; the parts")
        if sum(3 if p.kind == "spherical" else 1 for p in freedom.primitives) == 6:
            return None
        rotation = self.bodies[pair.follower].part[:3, :3]
        frame = Frame(matrix=make_frame(rotation, freedom.point))
        offset = pair.joints[0].offset if pair.joints else None
        return pair.edge(frame, frame, freedom.primitives or WELD, offset)


def _primitives(word: str, matrix: Matrix) -> tuple[Primitive, ...]:
    if word not in _MOTIONS:
        return (Primitive(kind="unknown", word=word),)
    primitives = []
    for motion in _MOTIONS[word].split():
        kind, axis = _KINDS[motion[0]], "xyz".find(motion[1:])
        direction = matrix[:3, axis] if axis >= 0 else NO_AXIS
        primitives.append(Primitive(kind=kind, axis=direction, word=kind))
    return tuple(primitives)
