# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bone looks like: which marks, how large, in which colour.

The marks say how a joint moves. Their size follows the thickness of the links that the joint moves,
so that they stand around them: as their simple shapes tell, else as their inertia does, which
nearly every link has. Mesh files are not looked at: a plan must not wait for them.
"""

from collections.abc import Sequence

import numpy as np

from ..geometry.transforms import Vector
from ..kinematics.tree import KinematicTree
from ..model import Box, Capsule, Cylinder, Geometry, Inertial, Link, Sphere
from .bones import BoneShape
from .rig_plan import BoneLook, JointPlan, Mark, Role
from .skeleton import Skeleton

CLEARANCE = 1.35
"""Radius of a mark as a multiple of half the thickness of the link: outside most shapes."""

UNKNOWN_SHARE = 0.3
"""Radius as a share of the bone's length where nothing tells how thick the link is."""

MOST_OF_LENGTH = 0.75
"""Bound of a radius told by inertia, as a share of the bone's length: many inertias are made up."""

SMALLEST, LARGEST = 0.012, 0.09
"""Bounds of the radius as shares of the robot's size: to be seen, and not to hide the rest."""

ROOT_SHARE = 0.3
"""Radius of the handle that moves the whole robot, as a share of the robot's size."""

FIXED_SHARE = 0.5
"""A fixed joint's mark as a share of what a moving one's radius would be."""

_ROLES: dict[str, Role] = {"turn": "revolute", "spin": "continuous", "slide": "prismatic"}
_SANE = 1e12
"""Masses and moments beyond this, or masses under its inverse, say nothing about a shape."""


def measure_joints(
    tree: KinematicTree, skeleton: Skeleton, shapes: Sequence[BoneShape], size: float
) -> Vector:
    """(N,) radius in metres of what marks the joints of each bone. `size` is the robot's."""
    if not shapes:
        return np.zeros(0)
    lengths = np.array([shape.length for shape in shapes])
    drawn = CLEARANCE * np.minimum(_thickest(_drawn_thickness(tree.links), skeleton), size)
    heavy = CLEARANCE * _thickest(_inert_thickness(tree.links), skeleton)
    guess = np.where(
        heavy > 0, np.minimum(heavy, MOST_OF_LENGTH * lengths), UNKNOWN_SHARE * lengths
    )
    wished = np.where(drawn > 0, drawn, guess)
    radii: Vector = np.clip(wished, SMALLEST * size, LARGEST * size)
    return radii


def fixed_look(radius: float) -> BoneLook:
    return BoneLook(marks=(("fixed", 0),), radius=FIXED_SHARE * radius, role="fixed")


def joint_look(joints: Sequence[JointPlan], radius: float, size: float, *, root: bool) -> BoneLook:
    """The look of the bone that holds these joints; `root` where it hangs on no other."""
    kind = joints[0].kind
    if root and kind in ("planar", "floating"):
        return BoneLook(marks=_marks(joints), radius=ROOT_SHARE * size, role="root")
    return BoneLook(marks=_marks(joints), radius=radius, role=_role(joints))


def _marks(joints: Sequence[JointPlan]) -> tuple[Mark, ...]:
    match joints[0].kind:
        case "planar":
            return (("plane", 0),)
        case "floating":
            return (("free", 2),)
        case "spherical":
            return tuple(("spin", axis) for axis in range(3))
    return tuple(_mark(joint) for joint in joints)


def _mark(joint: JointPlan) -> Mark:
    axis = joint.channels[0].index
    if joint.kind == "prismatic":
        return ("slide", axis)
    bounded = joint.lower is not None or joint.upper is not None
    return ("turn" if bounded else "spin", axis)


def _role(joints: Sequence[JointPlan]) -> Role:
    if any(joint.mimics for joint in joints):
        return "follower"
    if len(joints) > 1 or len(joints[0].channels) > 1:
        return "several"
    kind, _ = _mark(joints[0])
    return _ROLES[kind]


def _thickest(half: Vector, skeleton: Skeleton) -> Vector:
    """(bones,) of the links that a bone's joints move the most; `half`: (links,)."""
    known = half.tolist()
    return np.array(
        [
            max([known[link] for link in seed.group.links]) if seed.group else known[seed.link]
            for seed in skeleton.seeds
        ]
    )


def _drawn_thickness(links: Sequence[Link]) -> Vector:
    """(links,) half of the middle extent of each link's largest simple shape, in metres; zero where
    there is none."""
    return np.array(
        [
            max(
                [_thickness(shape.geometry) for shape in link.visuals or link.collisions],
                default=0.0,
            )
            for link in links
        ]
    )


def _inert_thickness(links: Sequence[Link]) -> Vector:
    """(links,) the same of the box that has the link's inertia."""
    found = np.zeros(len(links))
    heavy = [i for i, link in enumerate(links) if _has_inertia(link.inertial)]
    if heavy:
        found[heavy] = _box_thickness([links[i].inertial for i in heavy])
    return found


def _thickness(geometry: Geometry) -> float:
    match geometry:
        case Box(size=size):
            return sorted(size)[1] / 2
        case Sphere(radius=radius) | Capsule(radius=radius) | Cylinder(radius=radius):
            return radius
        case _:
            return 0.0


def _has_inertia(inertial: Inertial | None) -> bool:
    if inertial is None or inertial.inertia is None or not inertial.mass:
        return False
    i = inertial.inertia
    largest = max(map(abs, (i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz)))
    return 1 / _SANE < inertial.mass < _SANE and largest < _SANE


def _box_thickness(inertials: Sequence[Inertial | None]) -> Vector:
    """(N,) half of the middle extent of the boxes that have these inertias; zero for numbers that
    no body has."""
    rows = [(i.inertia, i.mass) for i in inertials if i is not None and i.inertia is not None]
    tensors = np.array(
        [((t.ixx, t.ixy, t.ixz), (t.ixy, t.iyy, t.iyz), (t.ixz, t.iyz, t.izz)) for t, _ in rows]
    )
    masses = np.array([mass for _, mass in rows])
    moments = np.linalg.eigvalsh(tensors)
    squares = 1.5 * (moments.sum(axis=1)[:, None] - 2 * moments) / masses[:, None]
    result: Vector = np.sqrt(np.maximum(squares[:, 1], 0.0))
    return result
