# SPDX-License-Identifier: GPL-3.0-or-later
"""Dragging a body: what is held stays under the mouse, from every side."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from urdf_importer.core.geometry.transforms import rotations_about, unit
from urdf_importer.core.kinematics.dragging import (
    FINE,
    BallDrag,
    Drag,
    PlaneDrag,
    grip_ball,
    grip_plane,
    grip_slide,
    grip_turn,
    make_ray,
    snap,
)

STEPS = 24
NOT_NEAR = 0.01
"""Metres from the axis within which hands turn it as if they were that far."""
UP = np.array([0.0, 0.0, 1.0])
NOWHERE = np.zeros(3)

numbers = st.floats(-1.0, 1.0)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
directions = vectors.filter(lambda v: np.linalg.norm(v) > 0.1).map(unit)
eyes = st.tuples(directions, st.floats(2.5, 10.0), st.booleans())
"""Where the eye is, how far away, and whether lines of sight run parallel."""


def ray_through(point, eye):
    direction, distance, parallel = eye
    if parallel:
        return make_ray(point - 20.0 * direction, direction)
    place = -distance * direction
    return make_ray(place, point - place)


def turned(origin, axis, point, angle):
    return origin + rotations_about(axis, np.array(angle)) @ (point - origin)


@given(vectors, directions, vectors, eyes, st.floats(-3.0, 3.0))
def test_a_body_that_turns_stays_under_the_mouse(origin, axis, point, eye, angle):
    """At any angle while the axis is not across the view; else as long as the held point does not
    come to the edge of its circle, where nothing is seen of its way."""
    origin = 0.3 * origin
    arm = point - origin - axis * (axis @ (point - origin))
    assume(np.linalg.norm(arm) > 2 * NOT_NEAR)
    ray = ray_through(point, eye)
    grip = grip_turn(origin, axis, point, ray, NOT_NEAR)
    met = 0.0
    for share in np.linspace(0.0, 1.0, STEPS):
        target = turned(origin, axis, point, share * angle)
        aim = ray_through(target, eye)
        if grip.behind is None:
            assume(abs(axis @ aim.direction) > 0.1)
        else:
            flat = unit(aim.direction - axis * (axis @ aim.direction))
            facing = unit(turned(origin, axis, point, share * angle) - grip.center) @ flat
            assume(abs(facing) > math.cos(math.radians(74)))
            assume((facing > 0) == grip.behind)
        met = grip.follow(aim, met)
        assert met == pytest.approx(share * angle, abs=1e-5)
        off = np.cross(turned(origin, axis, point, met) - aim.origin, aim.direction)
        assert np.linalg.norm(off) < 1e-5


@given(directions, vectors, eyes, st.floats(-0.8, 0.8))
def test_a_body_that_slides_stays_under_the_mouse(axis, point, eye, way):
    assume(abs(eye[0] @ UP) < 0.99)  # No one looks along what is up in the view.
    ray = ray_through(point, eye)
    grip = grip_slide(axis, point, ray, UP)
    assume(grip.across is None)
    aim = ray_through(point + way * axis, eye)
    assume(abs(aim.direction @ axis) < 0.98)
    assert grip.follow(aim, 0.0) == pytest.approx(way, abs=1e-6)


@given(directions, directions, st.floats(0.05, 1.0), st.floats(-0.004, 0.004), directions)
def test_a_small_way_of_the_mouse_is_a_small_way_of_the_body(axis, view, reach, way, aside):
    """Also along the view, across it, and anywhere between."""
    assume(abs(view @ UP) < 0.99)
    point = reach * unit(np.cross(axis, [0.31, 0.52, 0.79]))
    eye = (view, 5.0, True)
    step = way * unit(aside - view * (view @ aside) + 1e-9)
    before, after = ray_through(point, eye), ray_through(point + step, eye)
    for grip in (grip_turn(np.zeros(3), axis, point, before, 0.02),):
        assert grip.follow(before, 0.0) == pytest.approx(0.0, abs=1e-9)
        assert abs(grip.follow(after, 0.0)) * reach <= 4.5 * abs(way) + 1e-9
    slide = grip_slide(axis, point, before, UP)
    assert slide.follow(before, 0.0) == pytest.approx(0.0, abs=1e-9)
    assert abs(slide.follow(after, 0.0)) <= 4.5 * abs(way) + 1e-9


@given(directions, st.floats(-5.0, 5.0))
def test_across_the_view_it_turns_on_when_the_mouse_leaves_the_circle(view, way):
    """Always the same way round, and back again when the mouse comes back."""
    axis = unit(np.cross(view, [0.31, 0.52, 0.79]))
    side = np.cross(axis, view)
    eye = (view, 5.0, True)
    point = -0.4 * view
    grip = grip_turn(np.zeros(3), axis, point, ray_through(point, eye), NOT_NEAR)
    assert grip.behind is False
    angles = [0.0]
    for share in np.linspace(0.0, way, 200):
        angles.append(grip.follow(ray_through(point + share * side, eye), angles[-1]))
    rises = np.diff(angles[1:])
    assert np.all(rises >= -1e-9) or np.all(rises <= 1e-9)
    if abs(way) > 1.0:
        assert abs(angles[-1]) > math.pi / 2
    angle = angles[-1]
    for share in np.linspace(way, 0.0, 200):
        angle = grip.follow(ray_through(point + share * side, eye), angle)
    assert angle == pytest.approx(0.0, abs=1e-9)


def test_what_is_held_on_the_far_side_goes_with_the_mouse_too():
    """An arm that points away from the eye: its tip goes up where the mouse goes up."""
    view, axis, tip = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0, 0.5, 0])
    eye = (view, 5.0, True)
    grip = grip_turn(np.zeros(3), axis, tip, ray_through(tip, eye), NOT_NEAR)
    assert grip.behind is True
    angle = grip.follow(ray_through(tip + 0.2 * UP, eye), 0.0)
    assert turned(np.zeros(3), axis, tip, angle)[2] == pytest.approx(0.2)


def test_a_mouse_that_goes_round_winds_the_joint():
    axis, point = UP, np.array([0.3, 0.0, 0.1])
    eye = (-UP, 4.0, False)
    grip = grip_turn(np.zeros(3), axis, point, ray_through(point, eye), NOT_NEAR)
    drag = Drag(grip=grip, position=1.0)
    for angle in np.linspace(0.0, 5 * math.pi, 60):
        position = drag.move(ray_through(turned(np.zeros(3), axis, point, angle), eye))
    assert position == pytest.approx(1.0 + 5 * math.pi, abs=1e-9)


def test_a_ray_that_misses_the_plane_looks_where_it_points():
    """Above the horizon, where the plane of a turntable is never met."""
    point = np.array([0.0, -0.5, 0.0])
    eye = np.array([0.0, -4.0, 2.0])
    grip = grip_turn(np.zeros(3), UP, point, make_ray(eye, point - eye), NOT_NEAR)
    aside, above = (grip.follow(make_ray(eye, [3.0, 1.0, z]), 1.0) for z in (-1e-6, 1e-3))
    assert grip.behind is None
    assert aside == pytest.approx(above, abs=1e-3)


def test_the_very_axis_can_be_held():
    """The hub of a wheel: there the joint goes evenly too, and does not jump at the first pixel."""
    eye = (-UP, 4.0, True)
    hub = np.zeros(3)
    grip = grip_turn(np.zeros(3), UP, hub, ray_through(hub, eye), 0.05)
    angles = [grip.follow(ray_through(np.array([x, x, 0.0]), eye), 0.0) for x in (0, 1e-3, 2e-3)]
    assert angles[0] == pytest.approx(0.0, abs=1e-12)
    assert 0 < abs(angles[1]) < 0.03
    assert 0.01 < abs(angles[2]) < 0.06


@pytest.mark.parametrize("sign", [1, -1])
def test_a_line_of_sight_is_pushed_by_pushing_the_mouse_up(sign):
    view = np.array([0.0, 1.0, 0.0])
    axis, eye, point = sign * view, (view, 5.0, False), np.zeros(3)
    grip = grip_slide(axis, point, ray_through(point, eye), UP)
    way = grip.follow(ray_through(point + 0.1 * UP, eye), 0.0)
    assert way * axis[1] == pytest.approx(0.1)


def test_a_slide_that_the_ray_does_not_tell_stays():
    axis, point = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    grip = grip_slide(axis, point, make_ray([0, -3, 0], [0, 1, 0]), UP)
    assert grip.follow(make_ray([-3, 0, 0], axis), 0.25) == 0.25


def test_fine_goes_on_from_where_it_was_without_a_jump():
    eye = (np.array([0.0, 1.0, 0.0]), 5.0, True)
    point = np.zeros(3)
    grip = grip_slide(np.array([1.0, 0, 0]), point, ray_through(point, eye), UP)
    drag = Drag(grip=grip, position=0.5)

    def at(x, fine=False):
        return drag.move(ray_through(np.array([x, 0.0, 0.0]), eye), fine=fine)

    assert at(0.2) == pytest.approx(0.7)
    assert at(0.2, fine=True) == pytest.approx(0.7)
    assert at(0.4, fine=True) == pytest.approx(0.7 + FINE * 0.2)
    assert at(0.5) == pytest.approx(0.7 + FINE * 0.2 + 0.1)


@given(st.floats(-3.0, 3.0).filter(lambda ratio: abs(ratio) > 0.2), st.floats(-0.5, 0.5))
def test_the_body_of_a_follower_stays_under_the_mouse_too(ratio, way):
    eye, point = (np.array([0.0, 1.0, 0.0]), 5.0, True), np.zeros(3)
    grip = grip_slide(np.array([1.0, 0, 0]), point, ray_through(point, eye), UP)
    drag = Drag(grip=grip, position=0.3, ratio=ratio)
    leader = drag.move(ray_through(np.array([way, 0.0, 0.0]), eye))
    assert ratio * (leader - 0.3) == pytest.approx(way)


def test_snapping():
    assert snap(0.0124, 0.005) == pytest.approx(0.01)
    assert snap(math.radians(-7.6), math.radians(5)) == pytest.approx(math.radians(-10))


# What moves freely


@given(directions, vectors, eyes, vectors)
def test_a_body_in_a_plane_stays_under_the_mouse(normal, point, eye, way):
    way = way - normal * (normal @ way)
    ray, aim = ray_through(point, eye), ray_through(point + way, eye)
    grip = grip_plane(normal, point, ray, UP)
    assume(grip.ways is None and abs(aim.direction @ normal) > 0.1)
    assert grip.follow(ray, NOWHERE) == pytest.approx(NOWHERE, abs=1e-9)
    assert grip.follow(aim, NOWHERE) == pytest.approx(way, abs=1e-5)


@given(directions, st.floats(-0.2, 0.2), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_a_plane_seen_from_its_edge_is_pushed_by_pushing_the_mouse_up(normal, slant, side, up):
    """To the side it goes with the mouse, up it goes away; it never leaves the plane."""
    view = unit(np.cross(normal, [0.31, 0.52, 0.79]))
    view = unit(view + slant * normal)
    across = unit(np.cross(normal, view))
    eye = (view, 5.0, True)
    higher = np.cross(across, view) * (1.0 if slant > 0 else -1.0)
    grip = grip_plane(normal, NOWHERE, ray_through(NOWHERE, eye), higher)
    assert grip.ways is not None
    way = grip.follow(ray_through(side * across + up * higher, eye), NOWHERE)
    assert way @ normal == pytest.approx(0.0, abs=1e-9)
    assert way @ across == pytest.approx(side, abs=1e-9)
    assert way @ unit(view - normal * (view @ normal)) == pytest.approx(up, abs=1e-9)


def test_a_plane_is_not_followed_to_its_horizon():
    eye = np.array([0.0, -4.0, 2.0])
    grip = grip_plane(UP, NOWHERE, make_ray(eye, -eye), UP)
    near = np.array([0.0, 7.0, 0.0])
    for upward in (0.0, 0.2, -1e-3):
        assert grip.follow(make_ray(eye, [0.3, 1.0, upward]), near) is near


@given(directions, st.floats(0.2, 1.0), eyes, directions, st.floats(-1.2, 1.2))
def test_a_body_that_turns_freely_stays_under_the_mouse(arm, reach, eye, about, angle):
    """From any side on which the held point is not at the edge of what is seen."""
    middle, about = NOWHERE, unit(np.cross(arm, about) + 1e-6)
    ray = ray_through(reach * arm, eye)
    grip = grip_ball(middle, reach * arm, ray, NOT_NEAR)
    assert grip.follow(ray) == pytest.approx(np.eye(3), abs=1e-9)
    for share in np.linspace(0.0, 1.0, STEPS):
        target = reach * turned(middle, about, arm, share * angle)
        aim = ray_through(target, eye)
        facing = -(target / reach) @ aim.direction
        assume(abs(facing) > math.cos(math.radians(74)) and (facing < 0) == grip.behind)
        turn = grip.follow(aim)
        assert turn @ turn.T == pytest.approx(np.eye(3), abs=1e-9)
        assert turn @ (reach * arm) == pytest.approx(target, abs=1e-5)


@given(directions, directions, st.floats(0.05, 1.0), st.floats(-0.004, 0.004), directions)
def test_a_small_way_of_the_mouse_is_a_small_turn(arm, view, reach, way, aside):
    """Also where the held point is at the edge of what is seen, and in the very middle."""
    eye = (view, 5.0, True)
    step = way * unit(aside - view * (view @ aside) + 1e-9)
    for point in (reach * arm, NOWHERE):
        before, after = ray_through(point, eye), ray_through(point + step, eye)
        turn = grip_ball(NOWHERE, point, before, 0.05).follow(after)
        assert np.linalg.norm(turn - np.eye(3)) * max(0.05, reach * (point @ point > 0)) < 0.05


def test_beyond_its_edge_a_ball_turns_on_and_comes_back():
    eye, point = (np.array([0.0, 1.0, 0.0]), 5.0, True), np.array([0.0, -0.2, 0.0])
    grip = grip_ball(NOWHERE, point, ray_through(point, eye), NOT_NEAR)
    drag = BallDrag(grip=grip)
    angles = []
    for x in [*np.linspace(0.0, 1.0, 200), *np.linspace(1.0, 0.0, 200)]:
        turn = drag.move(ray_through(point + np.array([x, 0.0, 0.0]), eye))
        angles.append(math.atan2(turn[0, 1] - turn[1, 0], turn[0, 0] + turn[1, 1]))
    there = np.unwrap(angles)
    assert abs(there[199]) > math.pi
    assert np.all(np.diff(np.abs(there[:200])) > -1e-9)
    assert turn == pytest.approx(np.eye(3), abs=1e-9)


def test_fine_is_a_share_of_what_moves_freely_too():
    eye, point = (np.array([0.0, 1.0, 0.0]), 5.0, True), np.array([0.0, -0.5, 0.0])
    ray = ray_through(point, eye)
    aims = [ray_through(point + np.array([x, 0.0, 0.0]), eye) for x in (0.1, 0.2)]
    slid = PlaneDrag(grip=grip_plane(np.array([0.0, 1.0, 0.0]), point, ray, UP))
    slid.move(aims[0])
    assert slid.move(aims[1], fine=True) == pytest.approx([0.1 + FINE * 0.1, 0.0, 0.0])
    grip = grip_ball(NOWHERE, point, ray, NOT_NEAR)
    ball = BallDrag(grip=grip)
    angles = [math.asin(x / 0.5) for x in (0.1, 0.2)]
    ball.move(aims[0])
    turn = ball.move(aims[1], fine=True)
    angle = angles[0] + FINE * (angles[1] - angles[0])
    assert turn == pytest.approx(rotations_about(UP, np.array(angle)), abs=1e-9)
