# SPDX-License-Identifier: GPL-3.0-or-later
"""The look of bones: their marks, sizes and colours, and the lines they are drawn by.

The marks say how a joint moves. Their size follows the thickness of the links that the joint moves,
so that they surround them: the thickness of their simple shapes, else of a box with their inertia,
which nearly every link has. Mesh files are not looked at: a plan must not wait for them. Marks of a
joint's limits are beside the joint, in the link that it turns against.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..geometry.transforms import Matrix, Vector, invert
from ..geometry.volumes import tensor_of
from ..kinematics.tree import KinematicTree
from ..model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Inertial, Link, Sphere
from .bones import BoneShape
from .rig_plan import BoneLook, JointPlan, LimitMarkPlan, Mark, Role
from .skeleton import Skeleton

CLEARANCE = 1.35
"""Radius of a mark as a multiple of half the thickness of the link: outside most shapes."""

UNKNOWN_SHARE = 0.3
"""Radius as a share of the bone's length where the link's thickness is unknown."""

MOST_OF_LENGTH = 0.75
"""Bound of a radius that follows from inertia, as a share of the bone's length: many inertias are
made up."""

SMALLEST, LARGEST = 0.012, 0.09
"""Bounds of the radius as shares of the robot's size: to be seen, and not to hide the rest."""

ROOT_SHARE = 0.3
"""Radius of the handle that moves the whole robot, as a share of the robot's size."""

FIXED_SHARE = 0.5
"""A fixed joint's mark as a share of a moving one's radius."""

_ROLES: dict[str, Role] = {"turn": "revolute", "spin": "continuous", "slide": "prismatic"}
_SANE = 1e12
"""Masses and moments beyond this, or masses under its inverse, say nothing about a shape."""


def measure_joints(
    tree: KinematicTree, skeleton: Skeleton, shapes: Sequence[BoneShape], size: float
) -> Vector:
    """Returns (N,) radius in metres of the marks of each bone's joints. `size` is the robot's."""
    if not shapes:
        return np.zeros(0)
    lengths = np.array([shape.length for shape in shapes])
    drawn = CLEARANCE * np.minimum(_thickest(_drawn_thickness(tree.links), skeleton), size)
    heavy = CLEARANCE * _thickest(_inert_thickness(tree.links), skeleton)
    guess = np.where(
        heavy > 0, np.minimum(heavy, MOST_OF_LENGTH * lengths), UNKNOWN_SHARE * lengths
    )
    wished = np.where(drawn > 0, drawn, guess)
    return np.clip(wished, SMALLEST * size, LARGEST * size)


def fixed_look(radius: float) -> BoneLook:
    return BoneLook(marks=(("fixed", 0),), radius=FIXED_SHARE * radius, role="fixed")


def joint_look(joints: Sequence[JointPlan], radius: float, size: float, *, root: bool) -> BoneLook:
    """Returns the look of the bone that holds these joints; `root` where it has no parent."""
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
    moved = (seed.group.links if seed.group else (seed.link,) for seed in skeleton.seeds)
    return np.array([max(known[link] for link in links) for links in moved])


def _drawn_thickness(links: Sequence[Link]) -> Vector:
    """(links,) half of the middle extent of each link's largest simple shape, in metres; zero where
    there is none."""
    shown = ([each.geometry for each in link.visuals or link.collisions] for link in links)
    return np.array([max(map(_thickness, shapes), default=0.0) for shapes in shown])


def _inert_thickness(links: Sequence[Link]) -> Vector:
    """(links,) the same of the box that has the link's inertia; zero for numbers that no body
    has."""
    found = np.zeros(len(links))
    inertials = {i: link.inertial for i, link in enumerate(links)}
    heavy = {i: each for i, each in inertials.items() if each is not None and _has_inertia(each)}
    if heavy:
        tensors = np.array([tensor_of(each.inertia) for each in heavy.values()])
        masses = np.array([each.mass for each in heavy.values()])
        moments = np.linalg.eigvalsh(tensors)
        squares = 1.5 * (moments.sum(axis=1)[:, None] - 2 * moments) / masses[:, None]
        found[list(heavy)] = np.sqrt(np.maximum(squares[:, 1], 0.0))
    return found


def _thickness(geometry: Geometry) -> float:
    match geometry:
        case Box(size=size):
            return sorted(size)[1] / 2
        case Ellipsoid(radii=radii):
            return sorted(radii)[1]
        case Sphere() | Capsule() | Cylinder() | Cone():
            return geometry.radius
        case _:
            return 0.0


def _has_inertia(inertial: Inertial) -> bool:
    if inertial.inertia is None or not inertial.mass:
        return False
    i = inertial.inertia
    largest = max(map(abs, (i.ixx, i.ixy, i.ixz, i.iyy, i.iyz, i.izz)))
    return 1 / _SANE < inertial.mass < _SANE and largest < _SANE


BEYOND = 1.2
"""Radius as a multiple of the radius of the bone's own marks: outside them."""


def plan_limit_marks(
    joints: Sequence[JointPlan],
    rests: Mapping[str, Matrix],
    radii: Mapping[str, float],
    links: Mapping[str, Matrix],
) -> tuple[LimitMarkPlan, ...]:
    """Plans one for each joint with a bound of its own; followers have none.

    `rests`: bone -> (4, 4), `links`: link -> (4, 4), both in armature space with all joints at
    zero; `radii`: bone -> radius in metres of its marks.
    """
    return tuple(
        LimitMarkPlan(
            joint=joint.joint.name,
            parent=joint.joint.parent,
            kind=joint.kind,
            place=invert(links[joint.joint.parent]) @ _joint_frame(joint, rests),
            radius=BEYOND * radii[joint.channels[0].bone],
            lower=joint.lower,
            upper=joint.upper,
        )
        for joint in joints
        if not joint.mimics and (joint.lower is not None or joint.upper is not None)
    )


def _joint_frame(joint: JointPlan, rests: Mapping[str, Matrix]) -> Matrix:
    """(4, 4) X along the joint's axis with its sign, Y where its pointer is."""
    rest = rests[joint.channels[0].bone]
    axis = joint.channels[0].index
    pointer = pointer_axis(axis)
    side = 3 - axis - pointer
    frame = rest.copy()
    frame[:3, 0] = joint.sign * rest[:3, axis]
    frame[:3, 1] = rest[:3, pointer]
    handed = 1 if (pointer - axis) % 3 == 1 else -1
    frame[:3, 2] = joint.sign * handed * rest[:3, side]
    return frame


def pointer_axis(axis: int) -> int:
    """Returns which of a bone's axes the pointer of a turning mark lies on: along the limb where it
    can."""
    return 2 if axis == 1 else 1


Edge = tuple[int, int]
Lines = tuple[Matrix, list[Edge]]
"""Points (n, 3), and the pairs of them that are joined."""

_SIDES = 48
_INNER = 0.17
"""By how much each further joint's mark of one bone is smaller, so that rings do not merge."""

_STEP = math.radians(5)
_TICK, _SPOKE = 0.25, 0.4
"""Length of the end of a line or an arc, as a share of the mark's radius: all of it would hide the
bone's own marks."""


def draw_marks(marks: Sequence[Mark]) -> Lines:
    """Draws a bone's marks in the bone's frame, the outermost joint's of radius one."""
    parts = []
    for place, (kind, axis) in enumerate(marks):
        # A carriage shows which way a slider lies, but hides the marks of other joints.
        points, edges = _ARROWS if kind == "slide" and len(marks) > 1 else _DRAWN[kind]
        pointer = pointer_axis(axis)
        order = np.argsort((axis, pointer, 3 - axis - pointer))
        parts.append(((1 - _INNER * place) * points[:, order], edges))
    return _join(parts)


def draw_limits(plan: LimitMarkPlan) -> Lines:
    """Draws a joint's range in the frame `plan.place`, in metres: an arc about X, or a line along
    X, with a line across each end."""
    ends = [end for end in (plan.lower, plan.upper) if end is not None]
    if plan.kind == "prismatic":
        parts = [_tick(end, plan.radius) for end in ends]
        if len(ends) == 2:
            parts.append(_path([(end, plan.radius, 0.0) for end in ends]))
        return _join(parts)
    inner = (1 - _SPOKE) * plan.radius
    parts = [_path([_on_circle(end, inner), _on_circle(end, plan.radius)]) for end in ends]
    if len(ends) == 2:
        last = min(ends[1], ends[0] + 2 * math.pi)
        count = max(2, math.ceil((last - ends[0]) / _STEP) + 1)
        angles = np.linspace(ends[0], last, count).tolist()
        parts.append(_path([_on_circle(angle, plan.radius) for angle in angles]))
    return _join(parts)


def _tick(place: float, radius: float) -> Lines:
    """A cross at the end of a line."""
    reach = _TICK * radius
    across = _path([(place, radius - reach, 0.0), (place, radius + reach, 0.0)])
    return _join([across, _path([(place, radius, -reach), (place, radius, reach)])])


def _on_circle(angle: float, radius: float = 1.0) -> tuple[float, float, float]:
    """A point of the circle about X; angle zero lies on Y."""
    return (0.0, radius * math.cos(angle), radius * math.sin(angle))


def _join(parts: Iterable[Lines]) -> Lines:
    points: list[Matrix] = []
    edges: list[Edge] = []
    count = 0
    for more, pairs in parts:
        edges += [(count + a, count + b) for a, b in pairs]
        points.append(more)
        count += len(more)
    return np.concatenate(points), edges


def _path(points: Sequence[tuple[float, float, float]], *, closed: bool = False) -> Lines:
    count = len(points)
    edges = [(i, i + 1) for i in range(count - 1)]
    return np.array(points, float), edges + ([(count - 1, 0)] if closed else [])


def _arc(first: float, last: float) -> Lines:
    """Angles in turns."""
    count = math.ceil(_SIDES * (last - first)) + 1
    angles = np.linspace(2 * math.pi * first, 2 * math.pi * last, count).tolist()
    return _path([_on_circle(angle) for angle in angles])


def _ring() -> Lines:
    return _path([_on_circle(2 * math.pi * i / _SIDES) for i in range(_SIDES)], closed=True)


def _turn() -> Lines:
    """A ring with a pointer, and a pin along the axis."""
    pointer = _path([_on_circle(-0.13), (0.0, 1.4, 0.0), _on_circle(0.13)])
    return _join([_ring(), pointer, _pin()])


def _pin() -> Lines:
    return _path([(-0.45, 0.0, 0.0), (0.45, 0.0, 0.0)])


def _spin() -> Lines:
    """Two arrows that go around."""
    arcs = [_arc(start + 0.03, start + 0.46) for start in (0.0, 0.5)]
    heads = [_head_on_circle(2 * math.pi * (start + 0.46)) for start in (0.0, 0.5)]
    return _join([*arcs, *heads, _pin()])


def _head_on_circle(angle: float) -> Lines:
    back = angle - 0.3
    return _path([_on_circle(back, 1.17), _on_circle(angle), _on_circle(back, 0.83)])


def _square(half: float) -> Lines:
    """A carriage, or the square in a plane."""
    corners = [(half, half), (-half, half), (-half, -half), (half, -half)]
    return _path([(0.0, a, b) for a, b in corners], closed=True)


def _double_arrow() -> Lines:
    line = _path([(-1.5, 0.0, 0.0), (1.5, 0.0, 0.0)])
    return _join([line, *(_slide_head(1.5 * side, side) for side in (-1, 1))])


def _slide_head(tip: float, side: int) -> Lines:
    back = tip - 0.4 * side
    flat = _path([(back, 0.25, 0.0), (tip, 0.0, 0.0), (back, -0.25, 0.0)])
    return _join([flat, _path([(back, 0.0, 0.25), (tip, 0.0, 0.0), (back, 0.0, -0.25)])])


def _four_arrows() -> list[Lines]:
    arrow = [(0.0, 1.12, 0.16), (0.0, 1.4, 0.0), (0.0, 1.12, -0.16)]
    quarter = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    points, edges = _path(arrow, closed=True)
    return [(points @ np.linalg.matrix_power(quarter, i), edges) for i in range(4)]


def _diamond() -> Lines:
    corners = np.concatenate([np.eye(3), -np.eye(3)])
    edges = [(a, b) for a in range(6) for b in range(a + 1, 6) if b != a + 3]
    return corners, edges


_ARROWS = _double_arrow()
"""Along the axis of a slide, through its carriage."""
_DRAWN: dict[str, Lines] = {
    "turn": _turn(),
    "spin": _spin(),
    "slide": _join([_square(0.6), _ARROWS]),
    "plane": _join([_square(1.0), *_four_arrows()]),
    "free": _join([_ring(), *_four_arrows()]),
    "fixed": _diamond(),
}
