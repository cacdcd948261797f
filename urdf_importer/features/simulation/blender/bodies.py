# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as rigid bodies for Bullet: links in groups, their masses as boxes, their places."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ....core.diagnostics import Diagnostics
from ....core.geometry.inertia import BodyMass, add_bodies, body_of, clamp_inertia
from ....core.geometry.transforms import Matrix, Vector, invert, make_frame, matrix_from_pose
from ....core.kinematics.forward import Positions, complete_positions, place_links
from ....core.kinematics.motion import JointMotion, interpret_joint
from ....core.kinematics.tree import KinematicTree
from ....core.model.loop import hang_on
from ...collisions.matrix import find_adjacent
from ...collisions.parts import TestedPart
from ...collisions.separation import find_near
from ..shapes import DEEP, find_lowest
from ..states import StartedRobot

_LIGHT = 0.1
"""Of the lightest neighbour's mass: the mass of links that have none."""
_LEAST_SIDE = 0.03
"""Metres, of the box whose inertia a mass without one gets."""
_LEVER = 0.1
"""Of the distance to its joints: a smaller body between two joints gets a box that reaches half as
far as they are, since a joint on a lever without inertia comes apart."""
_THIN = 0.02
"""The least side of a body's box, as a share of the largest: thinner ones spin out of hand."""
_SHARES = (0.1, 0.3)
"""The least and greatest share of a group's mass in the body that touches others: with less it
sinks into them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RigidGroup:
    """Links that do not move against each other.

    links     their places in the tree, the first nearest to its root
    start     (4, 4) the body in the world at the start: its origin at the centre of mass, along the
              principal axes
    model     (4, 4) the body in the world in the pose in which its joints are made
    mass      kg; of links without mass, a little
    sides     (3,) of the box of this mass that has their inertia
    parts     the shapes by which it touches others, with the frames (4, 4) of their links in it
    """

    links: tuple[int, ...]
    start: Matrix
    model: Matrix
    mass: float
    sides: Vector
    parts: tuple[tuple[TestedPart, Matrix], ...]

    @property
    def reach(self) -> Vector:
        """(3,) the sides of the box around all its parts, along its axes."""
        points = [part.vertices @ at[:3, :3].T + at[:3, 3] for part, at in self.parts]
        extent: Vector = np.ptp(np.concatenate(points), axis=0)
        return extent

    def divide(self) -> tuple[float, Vector]:
        """Divides a group with shapes into the body that touches others, whose inertia Bullet takes
        from the box around it, and the one that carries the rest: returns the share of the mass
        that touches, and the sides (3,) of the box of the other."""
        squares, reach = self.sides**2, self.reach**2
        most = float((0.9 * squares / np.maximum(reach, 1e-12)).min())
        share = min(max(most, _SHARES[0]), _SHARES[1])
        left = (squares - share * reach) / (1.0 - share)
        return share, np.sqrt(np.maximum(left, (_THIN * self.sides.max()) ** 2))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupJoint:
    """A joint between two groups, by their indices.

    before  (4, 4) the joint's frame in the parent's body
    after   (4, 4) the moved joint's frame in the child's body
    start   its position at the start, of joints of one axis
    model   its position in the pose in which it is made
    """

    motion: JointMotion
    parent: int
    child: int
    before: Matrix
    after: Matrix
    start: float = 0.0
    model: float = 0.0


class RobotBodies:
    """The groups and joints of one robot."""

    def __init__(self, started: StartedRobot) -> None:
        self.started = started
        self.tree = tree = started.tree
        numbers = {first: number for number, first in enumerate(dict.fromkeys(tree.bodies))}
        self._holder = [numbers[first] for first in tree.bodies]
        self._moved = [place for place, first in enumerate(tree.bodies) if place == first][1:]
        middles = {} if tree.robot.loops else _find_middles(tree)
        self._model = complete_positions(tree.joint_motions, {**started.positions, **middles})
        self._links = self._place(started.positions)
        self.groups = self._make_groups()
        self.joints = [self._make_joint(place) for place in self._moved]
        self.loops = list(self._make_loops())

    @property
    def assumed(self) -> dict[str, float]:
        """Link that moves and has no mass, with all that is fixed to it -> kg that it gets."""
        first = 0 if self.started.is_free else 1
        return {
            self.tree.links[group.links[0]].name: group.mass
            for group in self.groups[first:]
            if not any(self.tree.links[place].has_mass for place in group.links)
        }

    @property
    def lightest(self) -> float:
        """The mass in kg that the lightest of its bodies has at least."""
        return min(group.mass * (_SHARES[0] if group.parts else 1.0) for group in self.groups)

    def weigh_below(self, joint: GroupJoint) -> float:
        """Returns the mass in kg of all groups that a joint carries."""
        below = self.tree.subtree(self.groups[joint.child].links[0])
        return sum(self.groups[each].mass for each in {self._holder[place] for place in below})

    def find_group(self, link: str) -> int:
        """Returns the index of the group of a link."""
        return self._holder[self.tree.index[link]]

    def place_in_group(self, link: str) -> Matrix:
        """Returns the frame (4, 4) of a link in its group's body."""
        back = invert(self.groups[self.find_group(link)].start)
        frame: Matrix = back @ self._links[self.tree.index[link]]
        return frame

    def find_apart(self, self_collision: str) -> set[tuple[int, int]]:
        """Finds the pairs of groups that must not touch: neighbours, pairs that the SRDF disables,
        and pairs that touch at the start; or all."""
        named = [*self.started.apart, *find_adjacent(self.tree, self.started.parts)]
        named += [(loop.link1, loop.link2) for loop in self.tree.robot.loops]
        known = self.tree.index
        apart = {
            frozenset((self.find_group(one), self.find_group(other)))
            for one, other in named
            if one in known and other in known
        }
        solid = [index for index, group in enumerate(self.groups) if group.parts]
        return {
            pair
            for pair in combinations(solid, 2)
            if self_collision == "none" or frozenset(pair) in apart or self._touch(*pair)
        }

    def find_sunk(self) -> dict[int, list[str]]:
        """Finds the groups, but for the base, that are in the floor at the start: group -> links
        with shapes in it."""
        found: dict[int, list[str]] = {}
        for index, group in enumerate(self.groups[1:], start=1):
            for part, at in group.parts:
                frame, shape = group.start @ at, part.shape.geometry
                if find_lowest(shape, part.vertices, frame, part.origin) < -DEEP:
                    found.setdefault(index, []).append(part.link)
        return found

    def _touch(self, one: int, other: int) -> bool:
        """Whether two groups touch at the start or are very near."""
        first, second = self.groups[one], self.groups[other]
        between = invert(first.start) @ second.start
        for part, at in first.parts:
            for against, there in second.parts:
                pose = invert(at) @ between @ there
                if len(find_near(part, against, pose[None, :3, :3], pose[None, :3, 3])):
                    return True
        return False

    def _place(self, positions: Positions) -> Matrix:
        """Returns (N, 4, 4), the links in the world."""
        frames = place_links(self.tree, positions).values()
        placed: Matrix = self.started.base @ np.array(list(frames))
        return placed

    def _find_arms(self, group: int, back: Matrix) -> Vector:
        """Returns how far (3,) along its axes the joints of a group are from it, whose frame in the
        world is the inverse of `back`; zeros where it has one alone."""
        joints = [
            (back @ self._links[place])[:3, 3]
            for place in self._moved
            if group in (self._holder[place], self._holder[self.tree.parents[place]])
        ]
        return np.abs(joints).max(axis=0) if len(joints) > 1 else np.zeros(3)

    def _make_groups(self) -> list[RigidGroup]:
        """Makes the groups, in the pose in which their joints are made too: Bullet's hinges have
        stops within half a turn of that pose, so they are in the middle between them; but robots
        with loops start as they are, with their loops closed."""
        members: list[list[int]] = [[] for _ in range(len(self._moved) + 1)]
        for place, holder in enumerate(self._holder):
            members[holder].append(place)
        model = self._place(self._model)
        masses = [self._weigh(places) for places in members]
        light, groups = self._find_light(masses), []
        for group, places in enumerate(members):
            body = self._add_rotor(masses[group] or light[group], places[0])
            frame, sides = _shape_body(body)
            start = self._links[places[0]] @ frame
            back = invert(start)
            arms = self._find_arms(group, back)
            if sides.max() <= _LEVER * arms.max():
                sides = np.maximum(arms, _LEAST_SIDE)
            groups.append(
                RigidGroup(
                    links=tuple(places),
                    start=start,
                    model=model[places[0]] @ frame,
                    mass=body.mass,
                    sides=sides,
                    parts=tuple(
                        (part, back @ self._links[place])
                        for place in places
                        for part in self.started.parts.get(self.tree.links[place].name, ())
                    ),
                )
            )
        return groups

    def _add_rotor(self, body: BodyMass, place: int) -> BodyMass:
        """Adds the rotor of the joint of a link, that it carries, as a disk about the joint's axis:
        exact about it where the link above stays."""
        motion = self.tree.motions[place]
        dynamics = motion.joint.dynamics if motion is not None else None
        if motion is None or motion.kind != "revolute" or dynamics is None or not dynamics.armature:
            return body
        seat = matrix_from_pose(motion.joint.child_origin)[:3, :3]
        axis = seat.T @ np.array(motion.axis)
        disk = 0.5 * dynamics.armature * (np.eye(3) + np.outer(axis, axis))
        return replace(body, inertia=body.inertia + disk)

    def _weigh(self, places: list[int]) -> BodyMass | None:
        """Returns the mass of links together, in the frame of the first; None without any."""
        back = invert(self._links[places[0]])
        bodies = [
            body_of(inertial, back @ self._links[place])
            for place in places
            if (inertial := self.tree.links[place].inertial) is not None
            and (inertial.mass or 0.0) > 0.0
        ]
        return add_bodies(bodies) if bodies else None

    def _find_light(self, masses: Sequence[BodyMass | None]) -> list[BodyMass]:
        """Returns the mass that each group gets where it has none of its own: a share of the
        lightest that it connects, over others without mass."""
        holder, parents = self._holder, self.tree.parents
        pairs = [(holder[parents[each]], holder[each]) for each in self._moved]
        chain, near = list(range(len(masses))), [[math.inf] for _ in masses]
        for above, below in pairs:
            if masses[above] is None and masses[below] is None:
                chain[below] = chain[above]
        for above, below in (*pairs, *(pair[::-1] for pair in pairs)):
            body = masses[above]
            if body is not None:
                near[chain[below]].append(body.mass)
        least = [min(near[each]) for each in chain]
        return [
            BodyMass(
                mass=_LIGHT * (each if math.isfinite(each) else 1.0),
                center=np.zeros(3),
                inertia=np.zeros((3, 3)),
            )
            for each in least
        ]

    def _make_joint(self, place: int) -> GroupJoint:
        motion = self.tree.motions[place]
        assert motion is not None
        joint = motion.joint
        frames = matrix_from_pose(joint.origin), invert(matrix_from_pose(joint.child_origin))
        made = self._join(motion, (joint.parent, joint.child), frames)
        start, model = self.started.positions.get(joint.name), self._model.get(joint.name)
        return replace(
            made,
            start=start if isinstance(start, float) else 0.0,
            model=model if isinstance(model, float) else 0.0,
        )

    def _make_loops(self) -> Iterator[GroupJoint]:
        """Yields the joints that close loops, as closed as the pose at the start has them."""
        for loop in self.tree.robot.loops:
            if self.find_group(loop.link1) != self.find_group(loop.link2):
                # Its limits are left out: the joints of the tree have theirs.
                motion = interpret_joint(replace(hang_on(loop), limit=None), Diagnostics())
                frames = matrix_from_pose(loop.origin1), matrix_from_pose(loop.origin2)
                yield self._join(motion, (loop.link1, loop.link2), frames)

    def _join(
        self, motion: JointMotion, links: tuple[str, str], frames: tuple[Matrix, Matrix]
    ) -> GroupJoint:
        """Returns a joint between two links, at its frames (4, 4) in these."""
        parent, child = map(self.find_group, links)
        before, after = (
            self.place_in_group(link) @ frame for link, frame in zip(links, frames, strict=True)
        )
        return GroupJoint(motion=motion, parent=parent, child=child, before=before, after=after)


def _find_middles(tree: KinematicTree) -> dict[str, float]:
    """Returns the middle between the stops of each turning joint that has two."""
    return {
        motion.joint.name: 0.5 * (motion.lower + motion.upper)
        for motion in tree.joint_motions
        if motion.kind == "revolute" and motion.lower is not None and motion.upper is not None
    }


def _shape_body(body: BodyMass) -> tuple[Matrix, Vector]:
    """Returns the frame (4, 4) of a body, along its principal axes, in the frame of its mass, and
    the sides (3,) of the box that has its inertia: l_i^2 = 6 (I_j + I_k - I_i) / m; zeros where it
    has none."""
    moments, axes = np.linalg.eigh(clamp_inertia(body.inertia))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    sides = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / body.mass, 0.0))
    return make_frame(axes, body.center), np.maximum(sides, _THIN * sides.max())
