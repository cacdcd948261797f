# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to machine: the links that are rigid bodies, their joints, and their masses.

A body has its link's frame. Links without mass on fixed joints are frames in the body that carries
them; under an empty root that is fixed in the world, they are frames of the world.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.inertia import BodyMass, add_bodies, body_of
from ....core.geometry.transforms import Matrix, Vector, invert, matrix_from_pose
from ....core.kinematics.forward import zero_frames
from ....core.kinematics.motion import JointMotion, interpret_joint
from ....core.kinematics.tree import KinematicTree
from ....core.model import Link, hang_on
from ....core.writers.masses import sphere_inertia

WORLD = ""
"""The world, where a body is asked for."""
_SMALL_SHARE, _SMALL_MASS = 0.01, 0.001
"""A body that moves and has no mass gets a hundredth of its lightest neighbour's, as a small
sphere; this mass in kg where none of them has any."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Member:
    """A link, and its frame (4, 4) in the body that carries it, or in the world."""

    link: Link
    frame: Matrix


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RigidBody:
    """A body, called as its link. `frame`: (4, 4) at zero in the robot's root frame; `members`: the
    links that it carries, its own first; `mass`: of all of them, None where unknown."""

    link: Link
    frame: Matrix
    members: tuple[Member, ...]
    mass: BodyMass | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MachineJoint:
    """A joint between two bodies, named by their links; `parent` may be WORLD.

    motion  how it moves; None where it is fixed
    frames  (4, 4) each, the joint in the parent's frame and in the child's; the axis is in it
    place   the child link's place in the tree; -1 for a joint that closes a loop
    inside  whether it is part of the articulation, not a tie between two
    """

    name: str
    motion: JointMotion | None
    parent: str
    child: str
    frames: tuple[Matrix, Matrix]
    place: int = -1
    inside: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Machine:
    """Bodies and joints, parents first. `fixtures` are links fixed in the world; `carriers`: link
    -> its body, or WORLD, and its frame (4, 4) there."""

    tree: KinematicTree
    bodies: Mapping[str, RigidBody]
    joints: tuple[MachineJoint, ...]
    fixtures: tuple[Member, ...]
    carriers: Mapping[str, tuple[str, Matrix]]


def plan_machine(
    tree: KinematicTree, base: str, *, merge: bool, diagnostics: Diagnostics
) -> Machine:
    """Plans the machine of a robot. `base`: auto, static or free; `merge`: links with mass on fixed
    joints are frames too."""
    planner = _Planner(tree, base, merge=merge)
    for place in range(len(tree.links)):
        planner.place_link(place)
    joints = [*planner.joints, *_list_loops(tree, planner.carriers, diagnostics)]
    bodies = {
        name: RigidBody(
            link=members[0].link,
            frame=planner.zero[tree.index[name]],
            members=tuple(members),
            mass=_sum_masses(members),
        )
        for name, members in planner.members.items()
    }
    return Machine(
        tree=tree,
        bodies=_assume_masses(bodies, joints, diagnostics),
        joints=tuple(joints),
        fixtures=tuple(planner.fixtures),
        carriers=planner.carriers,
    )


def adds_mass(link: Link) -> bool:
    """Whether a link adds mass or, without a mass, inertia to the body that carries it."""
    if link.inertial is None or (link.inertial.mass or 0.0) < 0.0:
        return False
    return link.has_mass or bool(body_of(link.inertial).inertia.any())


def _is_empty(link: Link) -> bool:
    return not (link.has_mass or link.visuals or link.collisions)


class _Planner:
    """Goes through the links, parents first."""

    def __init__(self, tree: KinematicTree, base: str, *, merge: bool) -> None:
        self._tree, self._base, self._merge = tree, base, merge
        self.zero = zero_frames(tree)
        self.members: dict[str, list[Member]] = {}
        self.fixtures: list[Member] = []
        self.joints: list[MachineJoint] = []
        self.carriers: dict[str, tuple[str, Matrix]] = {}

    def place_link(self, place: int) -> None:
        motion, link = self._tree.motions[place], self._tree.links[place]
        if motion is None:
            if not self._is_anchored(place):
                self._start_body(place)
            elif self._is_world(place):
                self._carry(place, WORLD)
            else:
                self._start_body(place)
                self._join(place, WORLD, None, "root_joint")
            return
        home = self.carriers[motion.joint.parent][0]
        if motion.kind == "floating":
            # It goes anywhere: a body of its own says as much.
            self._start_body(place)
        elif motion.moves:
            self._start_body(place)
            self._join(place, home, motion, motion.joint.name)
        elif self._stays(place, link, home):
            self._carry(place, home)
        else:
            self._start_body(place)
            self._join(place, home, None, motion.joint.name)

    def _is_anchored(self, place: int) -> bool:
        """Whether a root is fixed in the world: by option, by its name as in Gazebo, or because the
        whole robot glides on a plane above it."""
        link, below = self._tree.links[place], self._motions_below(place)
        if self._base != "auto":
            return self._base == "fixed"
        glides = bool(below) and all(each.kind == "planar" for each in below)
        return glides or (_is_empty(link) and bool(below) and link.name == "world")

    def _is_world(self, place: int) -> bool:
        """Whether a link that is fixed in the world is only a frame of it. A link that carries
        joints is a body: simulators want a base to build an articulation on."""
        below = self._motions_below(place)
        if any(each.kind not in ("fixed", "floating", "planar") for each in below):
            return False
        return _is_empty(self._tree.links[place])

    def _motions_below(self, place: int) -> list[JointMotion]:
        found = (self._tree.motions[child] for child in self._tree.children[place])
        return [each for each in found if each is not None]

    def _stays(self, place: int, link: Link, home: str) -> bool:
        if home == WORLD:
            return self._is_world(place)
        if self._merge or not link.has_mass:
            return True
        # A body without mass would be torn off: it takes in the first link that has some.
        return not any(member.link.has_mass for member in self.members[home])

    def _start_body(self, place: int) -> None:
        self.members[self._tree.links[place].name] = []
        self._carry(place, self._tree.links[place].name)

    def _carry(self, place: int, home: str) -> None:
        link, frame = self._tree.links[place], self.zero[place]
        if home != WORLD:
            frame = invert(self.zero[self._tree.index[home]]) @ frame
        self.carriers[link.name] = (home, frame)
        members = self.fixtures if home == WORLD else self.members[home]
        members.append(Member(link=link, frame=frame))

    def _join(self, place: int, home: str, motion: JointMotion | None, name: str) -> None:
        frame = self.zero[place]
        if home != WORLD:
            frame = invert(self.zero[self._tree.index[home]]) @ frame
        self.joints.append(
            MachineJoint(
                name=name,
                motion=motion,
                parent=home,
                child=self._tree.links[place].name,
                frames=(frame, np.eye(4)),
                place=place,
                # Articulations of PhysX know no joint of two translations.
                inside=motion is None or motion.kind != "planar",
            )
        )


def _list_loops(
    tree: KinematicTree, carriers: Mapping[str, tuple[str, Matrix]], diagnostics: Diagnostics
) -> list[MachineJoint]:
    found = []
    for loop in tree.robot.loops:
        if loop.link1 not in carriers or loop.link2 not in carriers:
            continue
        motion = interpret_joint(hang_on(loop), diagnostics)
        ends = []
        for link, origin in ((loop.link1, loop.origin1), (loop.link2, loop.origin2)):
            home, frame = carriers[link]
            ends.append((home, frame @ matrix_from_pose(origin)))
        if ends[1][0] == WORLD:
            ends.reverse()
        (parent, one), (child, other) = ends
        if child == WORLD or parent == child:
            continue
        found.append(
            MachineJoint(
                name=loop.name,
                motion=motion if motion.moves else None,
                parent=parent,
                child=child,
                frames=(one, other),
                inside=False,
            )
        )
    return found


def _sum_masses(members: Sequence[Member]) -> BodyMass | None:
    """Returns the mass of links together; the inertia of a link without a mass counts too."""
    if not any(member.link.has_mass for member in members):
        return None
    return add_bodies(
        [
            body_of(member.link.inertial, member.frame)
            for member in members
            if member.link.inertial is not None and adds_mass(member.link)
        ]
    )


def _assume_masses(
    bodies: Mapping[str, RigidBody], joints: Sequence[MachineJoint], diagnostics: Diagnostics
) -> dict[str, RigidBody]:
    """Gives bodies that move a mass where they have none."""
    held = {joint.child for joint in joints if joint.parent == WORLD and joint.motion is None}
    found = dict(bodies)
    for name, body in bodies.items():
        if body.mass is not None or name in held:
            continue
        beside = {joint.parent for joint in joints if joint.child == name}
        beside |= {joint.child for joint in joints if joint.parent == name}
        masses = [bodies[each].mass for each in beside if each != WORLD]
        known = [mass.mass for mass in masses if mass is not None]
        mass = _SMALL_SHARE * min(known) if known else _SMALL_MASS
        small = BodyMass(mass=mass, center=np.zeros(3), inertia=sphere_inertia(mass))
        found[name] = replace(body, mass=small)
        diagnostics.warning(
            "usd-mass-assumed",
            f"link {quote(name)} moves and has no mass; it gets {mass:.3g} kg",
            subject=name,
            line=body.link.line,
        )
    return found


def inertia_about(tree: KinematicTree, place: int, motion: JointMotion) -> float:
    """Returns the inertia that a joint must move with all others at zero: kg for a sliding joint,
    kg m^2 about its axis for a turning one (parallel axis theorem)."""
    zero = zero_frames(tree)
    back = invert(zero[place])
    masses = [
        body_of(link.inertial, back @ zero[index])
        for index in tree.subtree(place)
        for link in (tree.links[index],)
        if link.inertial is not None and link.has_mass
    ]
    if not masses:
        return 0.0
    total = add_bodies(masses)
    if motion.kind == "prismatic":
        return total.mass
    axis: Vector = np.array(motion.axis)
    arm = total.center - (total.center @ axis) * axis
    return float(axis @ total.inertia @ axis + total.mass * (arm @ arm))
