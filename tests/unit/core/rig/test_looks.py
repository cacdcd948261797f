# SPDX-License-Identifier: GPL-3.0-or-later
"""What bones look like and where limits are marked, as numbers."""

import numpy as np
import pytest
from hypothesis import given

from support.strategies import robots
from urdf_importer.core.kinematics.loops import forward_kinematics
from urdf_importer.core.model import (
    Box,
    Cylinder,
    Inertia,
    Inertial,
    Joint,
    Limit,
    Link,
    Mesh,
    Mimic,
    Pose,
    Robot,
    Sphere,
    Visual,
)
from urdf_importer.core.options import ImportOptions
from urdf_importer.core.rig.looks import LARGEST, ROOT_SHARE, SMALLEST, draw_limits, draw_marks
from urdf_importer.core.rig.plan import plan_rig

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
HALF_TURN = Limit(lower=-1.0, upper=2.0)


def limb(*joints, moved=None, **options):
    """Joints of 0.5 m in a chain; `moved` is the link below the first."""
    count = len(joints)
    links = [Link(name=f"l{i}") for i in range(count + 1)]
    if moved is not None:
        links[1] = moved
    chain = [
        Joint(
            name=f"j{i}", parent=f"l{i}", child=f"l{i + 1}",
            **{"origin": Pose(xyz=(0.5, 0.0, 0.0)), "axis": Z} | given,
        )
        for i, given in enumerate(joints)
    ]  # fmt: skip
    return plan_rig(
        Robot(name="r", links=tuple(links), joints=tuple(chain)), options=ImportOptions(**options)
    )


def look_of(plan, name):
    (bone,) = [bone for bone in plan.bones if bone.name == name]
    return bone.look


@pytest.mark.parametrize(
    ("joint", "marks", "role"),
    [
        ({"type": "revolute", "limit": HALF_TURN}, (("turn", 0),), "revolute"),
        ({"type": "continuous"}, (("spin", 0),), "continuous"),
        ({"type": "revolute"}, (("spin", 0),), "continuous"),
        ({"type": "prismatic", "limit": HALF_TURN}, (("slide", 0),), "prismatic"),
        ({"type": "prismatic"}, (("slide", 0),), "prismatic"),
        ({"type": "planar"}, (("plane", 0),), "root"),
        ({"type": "floating"}, (("free", 2),), "root"),
        ({"type": "ball"}, (("spin", 0), ("spin", 1), ("spin", 2)), "several"),
    ],
)
def test_marks_say_how_a_joint_moves(joint, marks, role):
    look = look_of(limb(joint), "j0")
    assert (look.marks, look.role) == (marks, role)


def test_only_what_hangs_on_nothing_is_the_handle_of_the_robot():
    plan = limb({"type": "floating"}, {"type": "floating"}, {"type": "planar"})
    assert [bone.look.role for bone in plan.bones] == ["root", "several", "several"]
    assert plan.bones[0].look.radius == ROOT_SHARE * plan.size > plan.bones[1].look.radius


def test_followers_and_fixed_joints_have_their_own_colour():
    mimic = Mimic(joint="j0", multiplier=2.0)
    plan = limb(
        {"type": "revolute", "limit": HALF_TURN},
        {"type": "fixed"},
        {"type": "prismatic", "limit": HALF_TURN, "mimic": mimic},
    )
    assert [bone.look.role for bone in plan.bones] == ["revolute", "fixed", "follower"]
    assert plan.bones[1].look.marks == (("fixed", 0),)


def test_a_bone_of_several_joints_shows_all_of_them_outermost_first():
    here = Pose()
    plan = limb(
        {"type": "revolute", "limit": HALF_TURN},
        {"type": "continuous", "axis": X, "origin": here},
        {"type": "revolute", "limit": HALF_TURN, "axis": Y, "origin": here},
    )
    look = look_of(plan, "j0>j1>j2")
    channels = [joint.channels[0].index for joint in plan.joints]
    kinds = ("turn", "spin", "turn")
    assert look.role == "several"
    assert look.marks == tuple(zip(kinds, channels, strict=True))
    hidden = [bone for bone in plan.bones if bone.collection == "Mechanism"]
    assert hidden and all(bone.look is None for bone in hidden)


def test_without_the_option_no_bone_has_a_look():
    plan = limb({"type": "continuous"}, {"type": "fixed"}, {"type": "planar"}, bone_shapes=False)
    assert [bone.look for bone in plan.bones] == [None] * 3


# Sizes


@pytest.mark.parametrize(
    ("geometry", "half"),
    [
        (Box(size=(0.5, 0.04, 0.06)), 0.03),
        (Cylinder(radius=0.05, length=0.4), 0.05),
        (Cylinder(radius=0.05, length=0.01), 0.05),
        (Sphere(radius=0.04), 0.04),
        (Sphere(radius=1.7e308), 1e308),
    ],
)
def test_marks_stand_around_the_simple_shapes_of_the_link(geometry, half):
    moved = Link(
        name="l1", visuals=(Visual(geometry=Sphere(radius=1e-4)), Visual(geometry=geometry))
    )
    plan = limb({"type": "continuous"}, {"type": "continuous"}, moved=moved)
    wanted = min(1.35 * half, LARGEST * plan.size)
    assert look_of(plan, "j0").radius == pytest.approx(wanted)


def test_marks_stand_around_the_box_that_has_the_inertia():
    a, b, c, mass = 0.2, 0.04, 0.03, 3.0
    squares = np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    t = turn @ np.diag(mass / 3 * squares) @ turn.T
    inertia = Inertia(ixx=t[0, 0], ixy=t[0, 1], ixz=t[0, 2], iyy=t[1, 1], iyz=t[1, 2], izz=t[2, 2])
    moved = Link(
        name="l1",
        inertial=Inertial(mass=mass, inertia=inertia),
        visuals=(Visual(geometry=Mesh(filename="arm.stl")),),
    )
    plan = limb({"type": "continuous"}, {"type": "continuous"}, moved=moved)
    assert look_of(plan, "j0").radius == pytest.approx(1.35 * b)


@pytest.mark.parametrize(
    "inertial",
    [
        None,
        Inertial(mass=1.0),
        Inertial(mass=0.0, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0)),
        Inertial(mass=1.0, inertia=Inertia()),
        Inertial(mass=1.0, inertia=Inertia(ixx=1e-3, iyy=1e-3, izz=1.0)),
        Inertial(mass=1.0, inertia=Inertia(ixx=1e300, iyy=1e308, izz=1e308)),
        Inertial(mass=1e-300, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0)),
    ],
)
def test_inertias_of_no_body_tell_nothing(inertial):
    plan = limb(
        {"type": "continuous"}, {"type": "continuous"}, moved=Link(name="l1", inertial=inertial)
    )
    bone = plan.bones[0]
    assert bone.look.radius == pytest.approx(min(0.3 * bone.length, LARGEST * plan.size))


@given(robots())
def test_every_mark_is_seen_and_hides_nothing(robot):
    plan = plan_rig(robot)
    for bone in plan.bones:
        if bone.look is not None:
            least = SMALLEST * plan.size * (0.5 if bone.look.role == "fixed" else 1.0)
            most = plan.size * (ROOT_SHARE if bone.look.role == "root" else LARGEST)
            assert least * 0.999 <= bone.look.radius <= most * 1.001
            assert bone.look.marks
        else:
            assert bone.collection == "Mechanism"


# Lines


@pytest.mark.parametrize("kind", ["turn", "spin", "slide", "plane", "free", "fixed"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_marks_lie_along_their_axis(kind, axis):
    points, edges = draw_marks(((kind, axis),))
    assert np.array(edges).max() == len(points) - 1 and np.array(edges).min() == 0
    extents = np.abs(points).max(axis=0)
    across = np.delete(extents, axis)
    if kind == "slide":
        assert extents[axis] > 2 * across.max()
    elif kind != "fixed":
        assert extents[axis] < 0.5 < 0.99 < across.min()


def test_a_ring_turns_about_its_axis_and_its_pointer_lies_along_the_limb():
    for axis, pointer in ((0, 1), (1, 2), (2, 1)):
        points, _ = draw_marks((("turn", axis),))
        tip = points[np.argmax(np.linalg.norm(points, axis=1))]
        assert tip == pytest.approx(1.4 * np.eye(3)[pointer])


def test_rings_of_several_joints_do_not_merge():
    points, edges = draw_marks((("spin", 0), ("spin", 1), ("spin", 2)))
    one, _ = draw_marks((("spin", 0),))
    parts = np.split(points, 3)
    sizes = [np.linalg.norm(part, axis=1).max() for part in parts]
    assert len(points) == 3 * len(one) and len(edges) == 3 * (len(edges) // 3)
    assert sizes[0] > 1.15 * sizes[1] > 1.3 * sizes[2]


# Limits


def test_limits_are_marked_by_option_only():
    joint = {"type": "revolute", "limit": HALF_TURN}
    assert limb(joint).limit_marks == ()
    (mark,) = limb(joint, limit_arcs=True).limit_marks
    assert (mark.joint, mark.parent, mark.lower, mark.upper) == ("j0", "l0", -1.0, 2.0)


def test_what_has_no_bound_of_its_own_is_not_marked():
    plan = limb(
        {"type": "continuous"},
        {"type": "floating"},
        {"type": "revolute", "limit": Limit(lower=-1e9, upper=1e9)},
        {"type": "revolute", "limit": HALF_TURN},
        {"type": "revolute", "limit": HALF_TURN, "mimic": Mimic(joint="j3")},
        {"type": "prismatic", "limit": Limit(lower=-1e9, upper=0.25)},
        limit_arcs=True,
    )
    assert [mark.joint for mark in plan.limit_marks] == ["j3", "j5"]
    assert [end is None for end in (plan.limit_marks[1].lower, plan.limit_marks[1].upper)] == [
        True,
        False,
    ]


@given(robots())
def test_limit_marks_stand_at_the_joint_in_the_link_that_it_turns_against(robot):
    plan = plan_rig(robot, options=ImportOptions(limit_arcs=True))
    frames = {link.link.name: link.rest for link in plan.links}
    rests = {bone.name: bone.rest for bone in plan.bones}
    joints = {joint.joint.name: joint for joint in plan.joints}
    for mark in plan.limit_marks:
        joint = joints[mark.joint]
        place = frames[mark.parent] @ mark.place
        child = frames[joint.joint.child]
        assert place[:3, 3] == pytest.approx(child[:3, 3], abs=1e-6 * (1 + plan.size))
        assert np.linalg.det(place[:3, :3]) == pytest.approx(1.0, abs=1e-6)
        channel = joint.channels[0]
        axis = joint.sign * rests[channel.bone][:3, channel.index]
        assert place[:3, 0] == pytest.approx(axis, abs=1e-9)


def test_the_arc_ends_where_the_moved_link_ends():
    """The pointer's direction at zero, carried along to a bound, leads to the arc's end."""
    for axis, pose in ((Z, Pose(xyz=(0.5, 0.0, 0.0))), (X, Pose(rpy=(0.3, 0.7, -1.1)))):
        joint = {"type": "revolute", "limit": HALF_TURN, "axis": axis, "origin": pose}
        plan = limb(joint, {"type": "continuous", "axis": Y}, limit_arcs=True)
        mark = plan.limit_marks[0]
        points, _ = draw_limits(mark)
        frames = {link.link.name: link.rest for link in plan.links}
        world = points @ (frames["l0"] @ mark.place)[:3, :3].T + frames["l1"][:3, 3]
        pointer = frames["l0"][:3, :3] @ mark.place[:3, 1] * mark.radius
        in_child = frames["l1"][:3, :3].T @ pointer
        for bound in (-1.0, 2.0):
            turned = forward_kinematics(plan.robot, {"j0": bound})["l1"]
            tip = turned[:3, :3] @ in_child + turned[:3, 3]
            assert np.linalg.norm(world - tip, axis=1).min() < 1e-9


def test_lines_of_sliding_joints_are_as_long_as_their_range():
    limit = Limit(lower=-0.1, upper=0.3)
    (mark,) = limb({"type": "prismatic", "limit": limit}, limit_arcs=True).limit_marks
    points, edges = draw_limits(mark)
    assert (points[:, 0].min(), points[:, 0].max()) == (-0.1, 0.3)
    assert any(abs(points[a, 0] - points[b, 0]) == pytest.approx(0.4) for a, b in edges)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_one_bound_is_marked_alone(kind):
    limit = Limit(lower=-1e9, upper=0.25)
    (mark,) = limb({"type": kind, "limit": limit}, limit_arcs=True).limit_marks
    points, edges = draw_limits(mark)
    assert len(edges) == (1 if kind == "revolute" else 2)
    if kind == "prismatic":
        assert set(points[:, 0]) == {0.25}


def test_an_arc_goes_around_once_at_most():
    wide = Limit(lower=-50.0, upper=50.0)
    (mark,) = limb({"type": "revolute", "limit": wide}, limit_arcs=True).limit_marks
    points, _ = draw_limits(mark)
    assert len(points) < 90
    assert points[:, 1].min() == pytest.approx(-mark.radius, rel=1e-2)
