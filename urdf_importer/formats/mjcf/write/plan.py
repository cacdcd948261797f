# SPDX-License-Identifier: GPL-3.0-or-later
"""From a robot to its bodies and joints, as plain data.

1. Each link is a body, also one on a fixed joint, so that no frame is lost.
2. A root link called world that weighs nothing is the world of MuJoCo itself, which has that name.
3. A planar joint is two slides and a hinge. A floating joint is free where its parent never moves:
   MuJoCo has free joints in the world alone, so its body is put there. Elsewhere it is three slides
   and a ball.
4. A body has all joints that MuJoCo's had before they were read: the empty links between them,
   which are called after both, are not bodies then.
5. A joint whose limits leave it no room is held by an equality, since MuJoCo takes no such range.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.inertia import BodyMass
from ....core.geometry.transforms import (
    Matrix,
    Vector,
    invert,
    matrix_from_pose,
    plane_axes,
    quaternion_from_rotation,
)
from ....core.kinematics.forward import motion_matrix, zero_frames
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.tree import KinematicTree
from ....core.markup.write import Value
from ....core.model import Link
from ....core.names import Claims

JointKind = Literal["hinge", "slide", "ball", "free"]
WORLD = "world"
FREE_JOINT = "floating_base"
_SINGLE = ("hinge", "slide")
_FAR = 1e10
"""Metres or radians: MuJoCo's ranges have two ends."""


@dataclass(frozen=True, slots=True)
class PlannedElement:
    """An element of a section, such as <asset>, <equality> or <actuator>."""

    tag: str
    attributes: dict[str, Value]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MjcfJoint:
    """One joint of MuJoCo. `axis` is a unit vector and `point` a point on it, in the body's frame
    and None for its origin; `of` is the joint of the description, None for the joint of a free
    root. `held` is where an equality holds it."""

    name: str
    kind: JointKind
    of: JointMotion | None = None
    axis: Vector | None = None
    point: Vector | None = None
    limits: tuple[float, float] | None = None
    held: float | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class BodyPlan:
    """A link. `frame` (4, 4) is its body's frame in the body `parent`, with all joints at zero; a
    parent of -1 is the world. `mass` is None for massless links; a link between joints that share a
    body has no body of its own (`is_joined`)."""

    name: str
    link: Link
    parent: int
    frame: Matrix
    joints: list[MjcfJoint] = field(default_factory=list)
    mass: BodyMass | None = None
    is_joined: bool = False

    @property
    def is_world(self) -> bool:
        return self.name == self.link.name == WORLD


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StructurePlan:
    """`bodies` are in tree order, so a body's place is its link's place in the tree; `joints` maps
    a described joint's name to its joints of MuJoCo."""

    tree: KinematicTree
    bodies: tuple[BodyPlan, ...]
    base: Matrix

    @property
    def body_names(self) -> dict[str, str]:
        """Link -> the name of its body."""
        return {body.link.name: body.name for body in self.bodies}

    @property
    def joints(self) -> dict[str, list[MjcfJoint]]:
        """Joint of the description -> joints of MuJoCo."""
        found: dict[str, list[MjcfJoint]] = {}
        for joint in self.all_joints():
            if joint.of is not None:
                found.setdefault(joint.of.joint.name, []).append(joint)
        return found

    def all_joints(self) -> Iterable[MjcfJoint]:
        """Yields all joints, in tree order."""
        return (joint for body in self.bodies for joint in body.joints)

    def children(self) -> tuple[list[int], list[list[int]]]:
        """Returns the places of bodies in the world, and of bodies in each body, in tree order."""
        top: list[int] = []
        below: list[list[int]] = [[] for _ in self.bodies]
        for place, body in enumerate(self.bodies):
            if not (body.is_world or body.is_joined):
                (top if body.parent < 0 else below[body.parent]).append(place)
        return top, below


def plan_structure(
    tree: KinematicTree, base: Matrix, *, is_free: bool, diagnostics: Diagnostics
) -> StructurePlan:
    """Plans bodies and joints. `base` (4, 4) is the root link's frame in the world."""
    planner = _Planner(tree, base, diagnostics)
    bodies = [planner.plan_body(place, is_free=is_free) for place in range(len(tree.links))]
    _join_chains(tree, bodies)
    return StructurePlan(tree=tree, bodies=tuple(bodies), base=base)


class _Planner:
    """Takes the links in tree order; names of joints with one axis come before made ones."""

    def __init__(self, tree: KinematicTree, base: Matrix, diagnostics: Diagnostics) -> None:
        self._tree = tree
        self._base = base
        self._diagnostics = diagnostics
        self._zero = zero_frames(tree)
        self._static: list[bool] = []
        self._joint_names = Claims()
        self._own = {
            motion.joint.name: self._joint_names.claim(motion.joint.name or "joint")
            for motion in tree.joint_motions
            if motion.is_scalar or motion.kind == "spherical"
        }
        self._body_names = Claims(taken=[WORLD])
        self._worlds: set[int] = set()
        self._carriers = {
            each.joint.parent for each in tree.joint_motions if each.kind == "floating"
        }

    def plan_body(self, place: int, *, is_free: bool) -> BodyPlan:
        link, motion = self._tree.links[place], self._tree.motions[place]
        if motion is None:
            return self._plan_root(place, is_free=is_free)
        parent = self._tree.parents[place]
        static = self._static[parent]
        child = matrix_from_pose(motion.joint.child_origin)
        frame = matrix_from_pose(motion.joint.origin) @ child
        if motion.kind == "floating" and static:
            frame = self._base @ self._zero[place]
            parent = -1
        elif parent in self._worlds:
            frame = self._base @ frame
            parent = -1
        joints = [_carry(each, child) for each in self._plan_joints(motion, is_free=parent < 0)]
        if is_free and parent < 0 and not joints:
            joints = [self._make_free_root()]
        self._static.append(static and not joints)
        return BodyPlan(
            name=self._name_body(link), link=link, parent=parent, frame=frame, joints=joints
        )

    def _plan_root(self, place: int, *, is_free: bool) -> BodyPlan:
        link = self._tree.links[place]
        if link.name == WORLD and not link.has_mass and not self._worlds:
            self._worlds.add(place)
            self._static.append(True)
            return BodyPlan(name=WORLD, link=link, parent=-1, frame=self._base)
        # Parts on a floating joint move by that joint, not with its parent.
        moves = is_free and not (link.name in self._carriers and not link.has_mass)
        self._static.append(not moves)
        joints = [self._make_free_root()] if moves else []
        return BodyPlan(
            name=self._name_body(link), link=link, parent=-1, frame=self._base, joints=joints
        )

    def _make_free_root(self) -> MjcfJoint:
        return MjcfJoint(name=self._joint_names.claim(FREE_JOINT), kind="free")

    def _name_body(self, link: Link) -> str:
        name = self._body_names.claim(link.name or "link")
        if name != link.name:
            self._diagnostics.warning(
                "mjcf-renamed",
                f"link {quote(link.name)} is called {quote(name)}: MuJoCo gives that name to its "
                "world",
                subject=link.name,
                line=link.line,
            )
        return name

    def _plan_joints(self, motion: JointMotion, *, is_free: bool) -> list[MjcfJoint]:
        name = motion.joint.name
        if motion.is_scalar:
            kind: JointKind = "hinge" if motion.kind == "revolute" else "slide"
            joint = MjcfJoint(
                name=self._own[name], kind=kind, of=motion, axis=np.array(motion.axis)
            )
            return [_limit(joint, motion)]
        if motion.kind == "spherical":
            return [MjcfJoint(name=self._own[name], kind="ball", of=motion)]
        claim = self._joint_names.claim
        if motion.kind == "planar":
            normal = np.array(motion.axis)
            slides = self._make_slides(motion, plane_axes(normal))
            yaw = MjcfJoint(name=claim(f"{name}_yaw"), kind="hinge", of=motion, axis=normal)
            return [*slides, yaw]
        if motion.kind == "floating":
            slides = [] if is_free else self._make_slides(motion, np.eye(3))
            kind = "free" if is_free else "ball"
            return [*slides, MjcfJoint(name=claim(name), kind=kind, of=motion)]
        return []

    def _make_slides(self, motion: JointMotion, axes: Iterable[Vector]) -> list[MjcfJoint]:
        name, claim = motion.joint.name, self._joint_names.claim
        return [
            MjcfJoint(name=claim(f"{name}_{letter}"), kind="slide", of=motion, axis=axis)
            for letter, axis in zip("xyz", axes, strict=False)
        ]


def _carry(joint: MjcfJoint, frame: Matrix) -> MjcfJoint:
    """Returns a joint in a body that has the pose `frame` (4, 4) in the joint's old frame."""
    if joint.kind == "free" or np.array_equal(frame, np.eye(4)):
        return joint
    at = np.zeros(3) if joint.point is None else joint.point
    turn = frame[:3, :3].T
    axis = None if joint.axis is None else turn @ joint.axis
    return replace(joint, axis=axis, point=turn @ (at - frame[:3, 3]))


def _join_chains(tree: KinematicTree, bodies: list[BodyPlan]) -> None:
    """Gives bodies the joints of the empty links above them that reading MJCF made: links called
    BODY_JOINT, without other children, which nothing names."""
    hanging = Counter(body.parent for body in bodies)
    named = {name for loop in tree.robot.loops for name in (loop.link1, loop.link2)}
    named |= {sensor.reference for sensor in tree.robot.sensors}
    for body in bodies:
        while body.parent >= 0 and hanging[body.parent] == 1:
            above = bodies[body.parent]
            if above.link.name in named or not _is_between(above, body):
                break
            body.joints = [*(_carry(each, body.frame) for each in above.joints), *body.joints]
            body.frame, body.parent = above.frame @ body.frame, above.parent
            above.is_joined, above.name, above.joints = True, body.name, []


def _is_between(above: BodyPlan, body: BodyPlan) -> bool:
    link, joints = above.link, [*above.joints, *body.joints]
    if not (above.joints and body.joints) or any(each.kind not in _SINGLE for each in joints):
        return False
    motion = above.joints[-1].of
    is_empty = link.is_bare and not link.extras
    called = motion is not None and link.name == f"{body.link.name}_{motion.joint.name}"
    return is_empty and called


def _limit(joint: MjcfJoint, motion: JointMotion) -> MjcfJoint:
    lower, upper = motion.lower, motion.upper
    if lower is None and upper is None:
        return joint
    low = -_FAR if lower is None else lower
    high = _FAR if upper is None else upper
    if low < high:
        return replace(joint, limits=(low, high))
    return joint if motion.mimic is not None else replace(joint, held=low)


def order_bodies(plan: StructurePlan) -> list[int]:
    """Returns the places of all bodies but the world in the order of the file, depth first."""
    top, below = plan.children()
    order: list[int] = []
    stack = top[::-1]
    while stack:
        order.append(stack.pop())
        stack += below[order[-1]][::-1]
    return order


def make_qpos(
    plan: StructurePlan, positions: Mapping[str, float | tuple[float, ...]]
) -> list[float]:
    """Returns MuJoCo's positions of all joints, in the order of the file. `positions` are the
    positions of all moving joints of the description."""
    numbers: list[float] = []
    for place in order_bodies(plan):
        body = plan.bodies[place]
        before: MjcfJoint | None = None
        for joint in body.joints:
            if before is None or joint.of is not before.of:
                numbers += _find_numbers(body, joint, positions)
            before = joint
    return [float(number) + 0.0 for number in numbers]


def _find_numbers(
    body: BodyPlan, joint: MjcfJoint, positions: Mapping[str, float | tuple[float, ...]]
) -> Sequence[float]:
    """Returns the positions of the MuJoCo joints that together represent one described joint;
    `joint` is the first."""
    motion = joint.of
    if motion is None:
        return _read_free(body.frame)
    given = positions[motion.joint.name]
    if not isinstance(given, tuple):
        return (given,)
    if motion.kind == "planar":
        return given
    child = matrix_from_pose(motion.joint.child_origin)
    if joint.kind == "free":
        return _read_free(body.frame @ invert(child) @ motion_matrix(motion, given) @ child)
    # A ball turns in the frame of its body.
    return (*given[:-4], given[-1], *(child[:3, :3].T @ given[-4:-1]))


def _read_free(frame: Matrix) -> Sequence[float]:
    x, y, z, w = quaternion_from_rotation(frame[:3, :3])
    return (*frame[:3, 3], w, x, y, z)
