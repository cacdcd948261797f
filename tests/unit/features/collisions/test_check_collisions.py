# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of poses and motions: coal and Pinocchio are the truth pose by pose, closed forms and
dense sampling between."""

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.real_robots import ROOT
from urdf_importer import (
    ArgumentError,
    CheckOptions,
    Diagnostics,
    FrameTrack,
    KinematicsError,
    Robot,
    RobotError,
    Trajectory,
    check_collisions,
    find_limits,
    read_robot,
)
from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.geometry.primitives import make_primitive
from urdf_importer.core.model import Box, Collision, Joint, Limit, Link, Mesh, Mimic, Pose, Sphere
from urdf_importer.features.collisions import check, disabled_pairs
from urdf_importer.features.collisions.checker import Request
from urdf_importer.features.collisions.link_motion import Course
from urdf_importer.features.collisions.pairs import PairTester
from urdf_importer.features.collisions.parts import make_part
from urdf_importer.features.collisions.separation import relate
from urdf_importer.features.collisions.testers import CoalTester, TriangleTester, find_coal
from urdf_importer.features.collisions.triangles import measure_triangles

PANDA = ROOT / "panda_description" / "urdf" / "panda.urdf"
ALL = CheckOptions(disabled="none")


@pytest.fixture(autouse=True, scope="module")
def _with_coal() -> None:
    assert find_coal() is not None


@pytest.fixture
def without_coal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disabled_pairs, "find_coal", lambda: None)
    monkeypatch.setitem(sys.modules, "urdf_importer.features.collisions.blender.links", None)


def box(name: str, size: tuple[float, float, float], xyz: Any = (0.0, 0.0, 0.0)) -> Link:
    shape = Collision(geometry=Box(size=size), origin=Pose(xyz=xyz))
    return Link(name=name, collisions=(shape,))


def cart(width: float = 0.2) -> Robot:
    """A cart that slides along x, and a wall of 1 mm at x = 1."""
    rail = Joint(name="slide", type="prismatic", parent="wall", child="cart", axis=(1, 0, 0))
    wall = box("wall", (0.001, 1.0, 1.0), (1.0, 0.0, 0.0))
    return Robot(name="cart", links=(wall, box("cart", (width, 0.1, 0.1))), joints=(rail,))


def arm() -> Robot:
    """A rod of 1 m that turns about z, and a post at an angle of one radian."""
    turn = Joint(
        name="turn", type="revolute", parent="base", child="rod", axis=(0, 0, 1),
        limit=Limit(lower=-3.0, upper=3.0),
    )  # fmt: skip
    post = (0.9 * math.cos(1.0), 0.9 * math.sin(1.0), 0.0)
    base = Link(
        name="base", collisions=(Collision(geometry=Sphere(radius=0.05), origin=Pose(xyz=post)),)
    )
    return Robot(
        name="arm", links=(base, box("rod", (1.0, 0.02, 0.02), (0.5, 0, 0))), joints=(turn,)
    )


def motion(times: list[float], **joints: list[float]) -> Trajectory:
    return Trajectory(
        names=tuple(joints), times=np.array(times), positions=np.array(list(joints.values())).T
    )


def test_a_cart_that_jumps_over_a_wall_between_two_samples_is_found() -> None:
    for width in (0.2, 0.002):
        report = check_collisions(cart(width), motion([0.0, 1 / 60], slide=[0.0, 2.0]), options=ALL)
        (contact,) = report.contacts
        reach = (width + 0.001) / 2.0
        assert contact.start == pytest.approx((1.0 - reach) / 2.0 / 60, abs=1e-3)
        assert contact.end == pytest.approx((1.0 + reach) / 2.0 / 60, abs=1e-3)
        assert report.pairs == {frozenset(("cart", "wall"))}
        assert report.first is contact and report.collides
        assert report.links == {"wall": True, "cart": True}
        assert contact.point[0] == pytest.approx(1.0, abs=0.1)


def test_a_rod_meets_a_post_when_it_should() -> None:
    report = check_collisions(arm(), motion([0.0, 1.0, 2.0], turn=[0.0, 3.0, 0.0]), options=ALL)
    half = math.asin(0.06 / 0.9)
    begin, end = (1.0 - half) / 3.0, (1.0 + half) / 3.0
    times = [(each.start, each.end) for each in report.contacts]
    assert np.allclose(times, [(begin, end), (2.0 - end, 2.0 - begin)], atol=1e-3)


def test_two_contacts_less_than_a_millisecond_apart_are_one() -> None:
    swing = [0.9995, 1.0, 1.0005]
    away = 1.0 - math.asin(0.06 / 0.9) - 1e-5
    turn = [1.0, away, 1.0]
    report = check_collisions(arm(), motion([t - 0.9995 for t in swing], turn=turn), options=ALL)
    assert len(report.contacts) == 1


def test_cubics_are_followed_between_their_samples() -> None:
    path = Trajectory(
        names=("turn",), times=np.array([0.0, 2.0]), positions=np.zeros((2, 1)),
        velocities=np.array([[4.0], [-4.0]]), interpolation="spline",
    )  # fmt: skip
    report = check_collisions(arm(), path, options=ALL)
    # q(t) = 4 t - 2 t^2, 2 rad at most.
    low, high = 1.0 - math.asin(0.06 / 0.9), 1.0 + math.asin(0.06 / 0.9)
    begin, end = (1.0 - math.sqrt(1.0 - q / 2.0) for q in (low, high))
    assert report.contacts[0].start == pytest.approx(begin, abs=1e-3)
    assert report.contacts[0].end == pytest.approx(end, abs=1e-3)
    assert len(report.contacts) == 2


def any_motion(seed: int) -> tuple[Robot, Trajectory]:
    """Five links that turn, slide and float."""
    chance = np.random.default_rng(seed)
    kinds = ["revolute", "prismatic", "spherical", "floating", "planar"]
    links = [box("base", (0.3, 0.3, 0.3))]
    joints = []
    for i, kind in enumerate(chance.permutation(kinds).tolist()):
        links.append(
            box(f"l{i}", tuple(chance.uniform(0.05, 0.4, 3)), tuple(chance.normal(size=3) / 8))
        )
        joints.append(
            Joint(
                name=f"j{i}", type="ball" if kind == "spherical" else kind,
                parent=links[-2].name, child=f"l{i}", axis=tuple(chance.normal(size=3)),
                origin=Pose(xyz=tuple(chance.normal(size=3) / 3), rpy=tuple(chance.normal(size=3))),
                limit=Limit(lower=-9.0, upper=9.0),
            )
        )  # fmt: skip
    robot = Robot(name="r", links=tuple(links), joints=tuple(joints))
    times = np.array([0.0, 0.4, 1.0])
    scalar = [j.name for j in joints if j.type in ("revolute", "prismatic")]
    tracks = []
    for joint in joints:
        if joint.name not in scalar:
            turns = chance.normal(size=(3, 4))
            if joint.type == "planar":
                half = chance.uniform(-1.5, 1.5, 3)
                turns = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=1)
            places = chance.normal(size=(3, 3)) / 3 * [1, 1, joint.type == "floating"]
            tracks.append(
                FrameTrack(
                    parent=joint.parent, child=joint.name, times=times,
                    translations=places * (joint.type != "ball"),
                    quaternions=turns / np.linalg.norm(turns, axis=1, keepdims=True),
                )
            )  # fmt: skip
    moved = Trajectory(
        names=tuple(scalar), times=times, positions=chance.normal(size=(3, 2)) * [2.0, 2.0],
        frames=tuple(tracks),
    )  # fmt: skip
    return robot, moved


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_no_contact_of_any_motion_is_missed(seed: int) -> None:
    """Each is tried at hundreds of times."""
    robot, moved = any_motion(seed)
    times = moved.times
    report = check_collisions(robot, moved, options=ALL)
    checker = check.recall_checker(robot, ALL)
    way = check._read_way(robot, checker.tree, moved, Diagnostics())
    pairs = PairTester(checker.parts, checker.tester)
    course = Course(checker.tree, pairs.balls, way)
    dense = np.linspace(0.0, 1.0, 400)
    spans = np.clip(np.searchsorted(times, dense, "right") - 1, 0, 1)
    moments = course.at(spans, (dense - times[spans]) / np.diff(times)[spans], np.zeros(400))
    for pair in checker.list_pairs((), ()):
        rotations, places = relate(
            moments.frames, course.index[pair[0]], course.index[pair[1]], np.arange(400)
        )
        own = [each for each in report.contacts if (each.link1, each.link2) == pair]
        touches = [pairs.touch(pair, rotations[k], places[k]) for k in range(400)]
        for k, time in enumerate(dense.tolist()):
            said = any(each.start - 1e-3 <= time <= each.end + 1e-3 for each in own)
            deep = any(each.start + 1e-3 < time < each.end - 1e-3 for each in own)
            assert said or not touches[k]
            # Gaps of less than a fiftieth of a second are not looked for.
            assert not deep or any(touches[max(k - 8, 0) : k + 9])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.002, 0.4))
def test_no_distance_of_two_links_changes_faster_than_its_bound(seed: int, length: float) -> None:
    """Of points of their balls, from step to step of a short time."""
    robot, moved = any_motion(seed)
    checker = check.recall_checker(robot, ALL)
    way = check._read_way(robot, checker.tree, moved, Diagnostics())
    balls = PairTester(checker.parts, checker.tester).balls
    course = Course(checker.tree, balls, way)
    count = 41
    steps = np.linspace(0.5 - length, 0.5 + length, count)
    dense = course.at(np.zeros(count, np.intp), steps, np.zeros(count)).frames
    one = np.zeros(1, np.intp)
    moment = course.at(one, np.full(1, 0.5), np.full(1, length))
    ends = dense.select(one), dense.select(one + count - 1)
    directions = np.random.default_rng(seed).normal(size=(60, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for pair in checker.list_pairs((), ()):
        bound = float(moment.tighten(pair, one, *ends)[0])
        assert bound <= float(moment.sway(pair)[0]) + 1e-12
        one_ball, other_ball = (
            (balls[name].center + balls[name].radius * directions)
            @ dense.rotations[course.index[name]].transpose(0, 2, 1)
            + dense.places[course.index[name]][:, None]
            for name in pair
        )
        apart = np.linalg.norm(one_ball[:, :, None] - other_ball[:, None], axis=3)
        change = float(np.abs(np.diff(apart, axis=0)).max())
        assert change <= bound * 2.0 / (count - 1) * (1.0 + 1e-9) + 1e-12


def drain(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            return finished.value


def random_poses(robot: Robot, count: int) -> list[dict[str, float]]:
    chance = np.random.default_rng(3)
    limits = find_limits(robot)
    followers = {joint.name for joint in robot.joints if joint.mimic}
    bounds = {
        name: (
            -3.0 if each.lower is None else each.lower,
            3.0 if each.upper is None else each.upper,
        )
        for name, each in limits.items()
        if name not in followers
    }
    return [
        {name: float(chance.uniform(*each)) for name, each in bounds.items()} for _ in range(count)
    ]


@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_triangles_agree_with_coal_on_meshes(margin: float) -> None:
    robot = read_robot(PANDA)
    options = CheckOptions(disabled="none", margin=margin)
    poses = random_poses(robot, 12)
    truth = [check_collisions(robot, pose, options=options).pairs for pose in poses]
    checker = check.recall_checker(robot, ALL)
    other = replace(checker, tester=TriangleTester())
    assert isinstance(checker.tester, CoalTester)
    for pose, pairs in zip(poses, truth, strict=True):
        way = check._read_way(robot, checker.tree, pose, Diagnostics())
        question = Request(way=way, pairs=checker.list_pairs((), ()), margin=margin)
        assert drain(other.check(question)).pairs == pairs
    assert any(truth)


def test_links_are_placed_once_for_all_contacts(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = read_robot(PANDA, diagnostics=Diagnostics())
    counts: list[int] = []
    at = Course.at

    def count(self: Course, spans: Any, *rest: Any) -> Any:
        counts.append(len(spans))
        return at(self, spans, *rest)

    monkeypatch.setattr(Course, "at", count)
    report = check_collisions(robot, options=ALL, diagnostics=Diagnostics())
    assert counts == [1, len(report.contacts)]
    assert len(report.contacts) > 5


def test_distances_are_exact() -> None:
    options = CheckOptions(disabled="none", distances=True)
    report = check_collisions(cart(), {"slide": 0.5}, options=options)
    assert report.distance == pytest.approx(1.0 - 0.0005 - 0.6, abs=1e-9)
    assert report.nearest == ("cart", "wall") and not report.collides
    moved = motion([0.0, 1.0, 2.0, 3.0], slide=[0.0, 0.8, 0.85, 0.1])
    report = check_collisions(cart(), moved, options=options)
    assert report.distance == pytest.approx(1.0 - 0.0005 - 0.95, abs=1e-9)
    near = CheckOptions(disabled="none", margin=0.2)
    (contact,) = check_collisions(cart(), moved, options=near).contacts
    assert contact.distance == pytest.approx(1.0 - 0.0005 - 0.95, abs=1e-9)
    assert contact.start == pytest.approx((1.0 - 0.0005 - 0.3) / 0.8, abs=1e-3)
    assert contact.end == pytest.approx(2.0 + (0.85 - (1.0 - 0.0005 - 0.3)) / 0.75, abs=1e-3)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_distances_of_triangles(seed: int) -> None:
    chance = np.random.default_rng(seed)
    one, other = chance.normal(size=(2, 20, 3, 3))
    other += chance.normal(size=(20, 1, 3))
    distances, points = measure_triangles(one, other)
    share = np.linspace(0.0, 1.0, 25)
    u, v = (part.ravel() for part in np.meshgrid(share, share))
    inside = np.stack([1 - u - v, u, v])[:, u + v <= 1.0 + 1e-9]
    for k in range(20):
        a, b = inside.T @ one[k], inside.T @ other[k]
        tried = np.linalg.norm(a[:, None] - b[None], axis=2).min()
        assert distances[k] <= tried + 1e-12
        assert tried <= distances[k] + 0.35
        near = [np.linalg.norm(corners - points[k], axis=1).min() for corners in (a, b)]
        assert max(near) <= distances[k] / 2.0 + 0.25


def test_everything_works_without_coal_and_says_so_once(without_coal: None) -> None:
    said = Diagnostics()
    report = check_collisions(
        arm(), motion([0.0, 1.0], turn=[0.0, 3.0]), options=ALL, diagnostics=said
    )
    half = math.asin(0.06 / 0.9)
    assert report.contacts[0].start == pytest.approx((1.0 - half) / 3.0, abs=1e-3)
    assert [each.code for each in said] == ["without-coal"]


def test_coal_sees_a_solid_in_the_middle_of_a_triangle() -> None:
    """Without contacts, its search ends too early where axes and edges meet."""
    rod = make_part("rod", Collision(geometry=Box(size=(0.6, 0.02, 0.02))), cube_data(0.0))
    mesh = make_part("cube", Collision(geometry=Mesh(filename="cube")), cube_data(0.1))
    turned = np.array([[0.0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert CoalTester(find_coal()).touches(rod, mesh, turned)


def cube_data(size: float) -> MeshData:
    return make_primitive(Box(size=(size or 0.6, size or 0.02, size or 0.02)))


def test_pairs_are_derived_where_there_is_no_srdf() -> None:
    said = Diagnostics()
    report = check_collisions(cart(), {"slide": 1.0}, diagnostics=said)
    assert not report.collides and [each.code for each in said] == ["derived-pairs"]
    allowed = CheckOptions(disabled="none", allowed=(("cart", "wall"),))
    assert not check_collisions(cart(), {"slide": 1.0}, options=allowed).collides
    near = CheckOptions(srdf="auto")
    robot = read_robot(PANDA)
    assert not check_collisions(robot, options=near).diagnostics


def test_a_follower_is_where_its_master_says() -> None:
    robot = cart()
    lead = Joint(name="lead", type="prismatic", parent="wall", child="dot", axis=(0, 0, 1))
    follow = Joint(
        name="slide", type="prismatic", parent="wall", child="cart", axis=(1, 0, 0),
        mimic=Mimic(joint="lead", multiplier=2.0),
    )  # fmt: skip
    robot = Robot(name="r", links=(*robot.links, Link(name="dot")), joints=(lead, follow))
    report = check_collisions(robot, motion([0.0, 1.0], lead=[0.0, 1.0]), options=ALL)
    assert report.contacts[0].start == pytest.approx((1.0 - 0.1005) / 2.0, abs=1e-3)


def test_bad_input_is_one_sentence() -> None:
    robot = cart()
    with pytest.raises(KinematicsError, match="has no joint"):
        check_collisions(robot, {"slid": 1.0})
    with pytest.raises(KinematicsError, match="one finite number"):
        check_collisions(robot, {"slide": math.nan})
    with pytest.raises(KinematicsError, match="no joint of the robot is in the motion"):
        check_collisions(robot, motion([0.0, 1.0], other=[0.0, 1.0]))
    with pytest.raises(ArgumentError, match="pass the robot's armature"):
        check_collisions(robot, objects=["Cube"])
    with pytest.raises(RobotError, match="there is no link or object 'walls'"):
        check_collisions(robot, options=CheckOptions(allowed=(("cart", "walls"),)))
    for wrong in ({"margin": -0.1}, {"margin": math.nan}, {"disabled": "some"}):
        with pytest.raises(ArgumentError, match="it must be"):
            CheckOptions(**wrong)
    with pytest.raises(ArgumentError):
        check_collisions(robot, 3.0)
