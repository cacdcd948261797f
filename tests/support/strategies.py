# SPDX-License-Identifier: GPL-3.0-or-later
"""Random robots for property tests.

    @given(robots())                    a Robot of 1 to 25 links
    @given(robots_with_positions())     one with positions of its independent joints
    chain(3000), tree(100, seed=1)      big ones without chance
    write_robot_text(robot)                   its text, for other programs

Numbers have three decimals at most: small enough to read in a failing example, and nothing lies
between "coincides" and "does not". What a rig must get right is drawn on purpose and often: joints
at one point, axes at right angles, nearly so (1.57 for pi/2) and oblique, followers of followers.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

from support.big_robots import chain, tree
from urdf_importer.core.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Geometry,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Pose,
    Robot,
    Sphere,
    Vector3,
    Visual,
)
from urdf_importer.formats.urdf.write.plain import write_robot_text

__all__ = [
    "Position",
    "Wishes",
    "chain",
    "position_range",
    "positions",
    "robots",
    "robots_with_positions",
    "tree",
    "unseated",
    "write_robot_text",
]

Position = float | tuple[float, ...]
_Part = TypeVar("_Part", Link, Joint)

SCALAR_TYPES = ("revolute", "continuous", "prismatic")
# How often each type comes up.
TYPES = ("revolute",) * 8 + ("continuous",) * 4 + ("prismatic",) * 4 + ("fixed",) * 4
FREE_TYPES = ("planar", "floating")
MAIN_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
QUARTER_TURNS = (0.0, math.pi / 2, -math.pi / 2, math.pi, 1.57, 3.14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What robots() may draw.

    `readable_by_pinocchio` keeps to what Pinocchio reads and reads alike: limits everywhere, no
    capsules, planar joints across z. The others add what a description may, but should not, have.
    """

    most_links: int = 25
    free_joints: bool = True
    mimics: bool = True
    mimic_rings: bool = False
    shapes: bool = True
    swapped_limits: bool = False
    missing_limits: bool = False
    awkward_names: bool = False
    readable_by_pinocchio: bool = False

    def __post_init__(self) -> None:
        if self.readable_by_pinocchio and (self.missing_limits or self.awkward_names):
            raise ValueError("Pinocchio reads neither joints without limits nor all names")


@cache
def thousandths(most: float) -> st.SearchStrategy[float]:
    """-most to most in steps of a thousandth."""
    return st.integers(round(-1000 * most), round(1000 * most)).map(lambda n: n / 1000)


@cache
def sizes(most: float = 0.5) -> st.SearchStrategy[float]:
    return st.integers(1, round(1000 * most)).map(lambda n: n / 1000)


@cache
def vectors(most: float) -> st.SearchStrategy[Vector3]:
    return st.tuples(thousandths(most), thousandths(most), thousandths(most))


@cache
def angles() -> st.SearchStrategy[float]:
    return st.sampled_from(QUARTER_TURNS) | thousandths(3.2)


@cache
def origins() -> st.SearchStrategy[Pose]:
    """Two in five without length, and one in three turned by other than right angles."""
    along = st.sampled_from(MAIN_AXES).map(lambda a: (0.3 * a[0], -0.2 * a[1], 0.4 * a[2]))
    zero = st.just((0.0, 0.0, 0.0))
    straight = st.just((0.0, 0.0, 0.0))
    return st.builds(
        lambda xyz, rpy: Pose(xyz=xyz, rpy=rpy),
        st.one_of(zero, zero, along, vectors(0.5), vectors(0.5)),
        st.one_of(
            straight,
            st.tuples(*[st.sampled_from(QUARTER_TURNS)] * 3),
            st.tuples(angles(), angles(), angles()),
        ),
    )


@cache
def axes() -> st.SearchStrategy[Vector3 | None]:
    """Along a main axis with either sign, oblique, of another length than one, or not written."""
    main = st.sampled_from([*MAIN_AXES, *[(-x, -y, -z) for x, y, z in MAIN_AXES]])
    oblique = vectors(1).map(lambda a: a if max(map(abs, a)) > 0.05 else (0.6, -0.3, a[2]))
    long = st.builds(lambda a, k: (k * a[0], k * a[1], k * a[2]), main, sizes(3))
    return st.one_of(main, main, oblique, long, st.none())


@st.composite
def limits(draw: st.DrawFn, joint_type: str, wishes: Wishes) -> Limit | None:
    if wishes.missing_limits and draw(st.integers(0, 3)) == 0:
        return draw(
            st.sampled_from([None, Limit(), Limit(effort=3.0), Limit(effort=1.0, lower=-1.0)])
        )
    reach = 1.0 if joint_type == "prismatic" else 3.0
    low, high = sorted((draw(thousandths(reach)), draw(thousandths(reach))))
    kind = draw(st.sampled_from(("around zero", "around zero", "anywhere", "wide", "huge", "none")))
    if kind == "around zero":
        low, high = -abs(low), abs(high)
    elif kind == "wide":
        low, high = low - 3.0, high + 4.0
    elif kind == "huge":
        low, high = -1e16, 1e16
    elif kind == "none":
        low = high  # locked
    if wishes.swapped_limits and draw(st.booleans()):
        low, high = high, low
    return Limit(lower=low, upper=high, effort=draw(sizes(50)), velocity=draw(sizes(5)))


@st.composite
def joints(
    draw: st.DrawFn, name: str, parent: str, child: str, joint_type: str, wishes: Wishes
) -> Joint:
    joint = Joint(name=name, type=joint_type, parent=parent, child=child, origin=draw(origins()))
    if joint_type in SCALAR_TYPES:
        joint = replace(joint, axis=draw(axes()))
        damping, friction = draw(st.none() | sizes(2)), draw(st.none() | sizes(1))
        if damping or friction:
            joint = replace(joint, dynamics=Dynamics(damping=damping, friction=friction))
    if joint_type == "planar":
        across_z = st.just((0.0, 0.0, 1.0))
        joint = replace(joint, axis=draw(across_z if wishes.readable_by_pinocchio else axes()))
    if joint_type in ("revolute", "prismatic"):
        joint = replace(joint, limit=draw(limits(joint_type, wishes)))
    return joint


@st.composite
def inertials(draw: st.DrawFn) -> Inertial:
    """Of a body that could be: three points of mass, and a little more on the diagonal."""
    inertia = [0.001, 0.0, 0.0, 0.001, 0.0, 0.001]
    for _ in range(3):
        mass, (x, y, z) = draw(sizes(2)), draw(vectors(0.2))
        squares = (y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y)
        inertia = [total + mass * square for total, square in zip(inertia, squares, strict=True)]
    ixx, ixy, ixz, iyy, iyz, izz = inertia
    return Inertial(
        origin=draw(origins()),
        mass=draw(sizes(20)),
        inertia=Inertia(ixx=ixx, ixy=ixy, ixz=ixz, iyy=iyy, iyz=iyz, izz=izz),
    )


@cache
def geometries(wishes: Wishes) -> st.SearchStrategy[Geometry]:
    shapes: list[st.SearchStrategy[Geometry]] = [
        st.builds(Box, size=st.tuples(sizes(), sizes(), sizes())),
        st.builds(Cylinder, radius=sizes(), length=sizes()),
        st.builds(Sphere, radius=sizes()),
    ]
    if not wishes.readable_by_pinocchio:
        shapes.append(st.builds(Capsule, radius=sizes(), length=sizes()))
    return st.one_of(shapes)


@cache
def materials() -> st.SearchStrategy[Material]:
    shares = st.integers(0, 10).map(lambda n: n / 10)
    inline = st.builds(lambda name, color: Material(name=name, color=color),
                       st.sampled_from(("paint", "rubber")), st.tuples(*[shares] * 4))  # fmt: skip
    return st.just(Material(name="steel")) | inline


@cache
def bodies(wishes: Wishes) -> st.SearchStrategy[Link]:
    """What a link has beside its name."""
    inertial = st.none() | inertials()
    if not wishes.shapes:
        return st.builds(Link, name=st.just(""), inertial=inertial)
    shown = st.builds(
        Visual,
        geometry=geometries(wishes),
        origin=origins(),
        material=st.none() | materials(),
        name=st.sampled_from(("", "shell")),
    )
    touched = st.builds(Collision, geometry=geometries(wishes), origin=origins())
    return st.builds(
        Link,
        name=st.just(""),
        inertial=inertial,
        visuals=st.lists(shown, max_size=2).map(tuple),
        collisions=st.lists(touched, max_size=1).map(tuple),
    )


@st.composite
def links(draw: st.DrawFn, link_names: Sequence[str], wishes: Wishes) -> list[Link]:
    """Links of these names, in any order. Up to four bodies serve all of them: what matters is how
    links hang together, and every number drawn takes time."""
    pool = draw(st.lists(bodies(wishes), min_size=1, max_size=4))
    made = [replace(pool[index % len(pool)], name=name) for index, name in enumerate(link_names)]
    return shuffled(made, draw(orders()))


def orders() -> st.SearchStrategy[int]:
    """0 leaves things as they were made. (st.permutations draws and shrinks every place.)"""
    return st.integers(0, 9)


def shuffled(made: Sequence[_Part], order: int) -> list[_Part]:
    result = list(made)
    if order:
        random.Random(order).shuffle(result)
    return result


@st.composite
def names(draw: st.DrawFn, prefix: str, index: int, wishes: Wishes) -> str:
    """Unique by the number at its end."""
    if not wishes.awkward_names:
        return f"{prefix}_{index}"
    # no $: "${" means xacro
    odd = st.characters(
        exclude_categories=("Cs", "Cc", "Cn"), exclude_characters="$"
    ) | st.sampled_from("'\"[]\\./<>&;{}#")
    stem = draw(st.text(odd, max_size=12) | st.sampled_from(("x" * 70, "ü" * 40, "\u202edrawkcab")))
    return f"{stem}{prefix}_{index}"


@st.composite
def robots(draw: st.DrawFn, wishes: Wishes | None = None) -> Robot:
    """A tree of links. Joints and links stand in any order, as in files."""
    wishes = wishes or Wishes()
    types = TYPES + (FREE_TYPES if wishes.free_joints else ())
    count = draw(st.integers(1, wishes.most_links))
    link_names = [draw(names("link", index, wishes)) for index in range(count)]
    made = []
    for child in range(1, count):
        parent = draw(st.just(child - 1) | st.integers(0, child - 1))
        name = draw(names("joint", child, wishes))
        joint_type = draw(st.sampled_from(types))
        made.append(draw(joints(name, link_names[parent], link_names[child], joint_type, wishes)))
    if wishes.mimics:
        made = draw(with_mimics(made))
    if wishes.mimic_rings:
        made = close_ring(made)
    return Robot(
        name="robot",
        links=tuple(draw(links(link_names, wishes))),
        joints=tuple(shuffled(made, draw(orders()))),
        materials=(Material(name="steel", color=(0.6, 0.6, 0.7, 1.0)),),
    )


@st.composite
def with_mimics(draw: st.DrawFn, made: Sequence[Joint]) -> list[Joint]:
    """Some joints follow others, without rings: a joint follows one nearer to the root, or, in
    half of all robots, one farther from it."""
    scalar = [joint.name for joint in made if joint.type in SCALAR_TYPES]
    if draw(st.booleans()):
        scalar.reverse()
    factors = st.sampled_from((1.0, -1.0, 0.5, -2.0)) | thousandths(3)
    follows = {}
    for index, name in enumerate(scalar):
        if index and draw(st.integers(0, 3)) == 0:
            source = draw(st.sampled_from(scalar[:index]))
            offset = draw(st.just(0.0) | thousandths(1))
            follows[name] = Mimic(joint=source, multiplier=draw(factors), offset=offset)
    return [replace(joint, mimic=follows.get(joint.name)) for joint in made]


def close_ring(made: Sequence[Joint]) -> list[Joint]:
    """Up to three joints follow each other in a ring."""
    ring = [joint.name for joint in made if joint.type in SCALAR_TYPES][:3]
    sources = dict(zip(ring, ring[1:] + ring[:1], strict=True))
    return [
        replace(joint, mimic=Mimic(joint=sources[joint.name])) if joint.name in sources else joint
        for joint in made
    ]


@st.composite
def positions(draw: st.DrawFn, robot: Robot) -> dict[str, Position]:
    """Positions within limits for every joint that moves and follows none.

    Radians or metres; (x, y, yaw) for planar joints; (x, y, z, qx, qy, qz, qw) for floating ones.
    """
    drawn: dict[str, Position] = {}
    for joint in robot.joints:
        if joint.type == "planar":
            drawn[joint.name] = (draw(thousandths(2)), draw(thousandths(2)), draw(thousandths(3)))
        elif joint.type == "floating":
            drawn[joint.name] = (*draw(vectors(2)), *draw(quaternions()))
        elif joint.type in SCALAR_TYPES and joint.mimic is None:
            drawn[joint.name] = draw(_between(*position_range(joint)))
    return drawn


def position_range(joint: Joint) -> tuple[float, float]:
    """The range to draw from: within the limits, and where there are none within seven.

    Seven is more than a full turn either way.
    """
    limit = joint.limit
    if limit is None or joint.type == "continuous":
        return -7.0, 7.0
    low, high = sorted((limit.lower or 0.0, limit.upper or 0.0))
    return max(low, -7.0), min(high, 7.0)


def _between(low: float, high: float) -> st.SearchStrategy[float]:
    """Both ends, and 998 places between."""
    return st.integers(0, 999).map(lambda n: high if n == 999 else low + (high - low) * n / 999)


@cache
def quaternions() -> st.SearchStrategy[tuple[float, float, float, float]]:
    """(x, y, z, w) of length one."""
    return st.tuples(*[thousandths(1)] * 4).map(_normalised)


def _normalised(q: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    length = math.hypot(*q)
    if length < 0.1:
        return 0.0, 0.0, 0.0, 1.0
    x, y, z, w = (number / length for number in q)
    return x, y, z, w


@st.composite
def robots_with_positions(
    draw: st.DrawFn, wishes: Wishes | None = None
) -> tuple[Robot, dict[str, Position]]:
    robot = draw(robots(wishes))
    return robot, draw(positions(robot))


@st.composite
def unseated(draw: st.DrawFn, wishes: Wishes | None = None) -> tuple[Robot, dict[str, Position]]:
    """A robot with positions, most of whose child links stand away from their joints' frames."""
    robot, where = draw(robots_with_positions(wishes or Wishes()))
    joints = tuple(
        replace(joint, child_origin=draw(origins())) if draw(st.integers(0, 3)) else joint
        for joint in robot.joints
    )
    return replace(robot, joints=joints), where
