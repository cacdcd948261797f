# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels, matrices and lenses."""

import math

import numpy as np
import pytest

from urdf_importer import ArgumentError
from urdf_importer.core.model import Camera, Intrinsics, Lens
from urdf_importer.core.sensors.intrinsics import (
    BLENDER_FROM_OPTICAL,
    FORWARD_FROM_OPTICAL,
    SENSOR_WIDTH,
    distort,
    geometry_of,
    lens_of_matrix,
    matrix_from_angle,
    pixel_rays,
    project,
)


def matrix_of_lens(lens, width, height):
    """K (3, 3) of a Blender camera: the reverse of lens_of_matrix."""
    fx = lens.lens * width / SENSOR_WIDTH
    fy = fx * lens.aspect_x / lens.aspect_y
    cx = width / 2.0 - lens.shift_x * width
    cy = height / 2.0 + lens.shift_y * width * fy / fx
    return np.array([[fx, 0.0, cx - 0.5], [0.0, fy, cy - 0.5], [0.0, 0.0, 1.0]])


def camera(**more):
    plain = {"width": 640, "height": 480, "field_of_view": math.pi / 2, "near": 0.1, "far": 9.0}
    return Camera(**{**plain, "depth": (0.1, 9.0)} | more)


def test_the_middle_of_a_picture_is_between_its_middle_pixels():
    K = matrix_from_angle(640, 480, math.pi / 2)
    assert K.tolist() == pytest.approx(
        np.array([[320.0, 0.0, 319.5], [0.0, 320.0, 239.5], [0.0, 0.0, 1.0]])
    )
    # The border of the picture is half a pixel beyond the centres of its outermost pixels.
    border = project(K, np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]))
    assert border[:, 0].tolist() == pytest.approx([-0.5, 639.5])


def test_an_optical_point_to_the_right_and_below_is_further_right_and_down():
    K = matrix_from_angle(64, 48, 1.0)
    u, v = project(K, np.array([[0.1, 0.2, 1.0]]))[0]
    assert u > 31.5 and v > 23.5
    assert np.isnan(project(K, np.array([[0.0, 0.0, -1.0]]))).all()


def test_rays_through_pixels_project_onto_them():
    K = np.array([[500.0, 0.0, 300.0], [0.0, 400.0, 250.0], [0.0, 0.0, 1.0]])
    rays = pixel_rays(K, 64, 48)
    assert rays.shape == (48, 64, 3)
    u, v = project(K, rays[7, 21][None] * 3.0)[0]
    assert (u, v) == pytest.approx((21.0, 7.0))


@pytest.mark.parametrize("fx, fy", [(500.0, 500.0), (500.0, 400.0), (400.0, 500.0)])
@pytest.mark.parametrize("width, height", [(640, 480), (480, 640)])
def test_a_blender_lens_and_back(fx, fy, width, height):
    K = np.array([[fx, 0.0, 300.0], [0.0, fy, 250.0], [0.0, 0.0, 1.0]])
    lens = lens_of_matrix(K, width, height)
    assert min(lens.aspect_x, lens.aspect_y) == 1.0
    assert np.allclose(matrix_of_lens(lens, width, height), K)


def test_frames_turn_and_do_not_mirror():
    for frame in (BLENDER_FROM_OPTICAL, FORWARD_FROM_OPTICAL):
        assert np.linalg.det(frame) == pytest.approx(1.0)
    assert (FORWARD_FROM_OPTICAL @ [0.0, 0.0, 1.0, 0.0]).tolist() == [1.0, 0.0, 0.0, 0.0]
    assert (FORWARD_FROM_OPTICAL @ [0.0, 1.0, 0.0, 0.0]).tolist() == [0.0, 0.0, -1.0, 0.0]


def test_written_intrinsics_count():
    found = geometry_of(camera(intrinsics=Intrinsics(fx=100.0, fy=110.0, cx=3.0, cy=4.0)))
    assert found.K.tolist() == [[100.0, 0.0, 3.0], [0.0, 110.0, 4.0], [0.0, 0.0, 1.0]]
    assert found.D.tolist() == [0.0] * 5


def test_a_lens_has_five_coefficients():
    found = geometry_of(camera(lens=Lens(radial=(0.1, 0.2), tangential=(0.3, 0.4), k3=0.5)))
    assert found.D.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_no_plane_picture_of_half_a_turn():
    assert geometry_of(camera(field_of_view=math.pi)) is None


def test_distortion_is_browns():
    points = np.array([[0.3, -0.2], [0.0, 0.0]])
    r2 = 0.13
    k1, k2, p1, p2, k3 = D = (0.1, -0.05, 0.01, -0.02, 0.003)
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    x = 0.3 * radial + 2 * p1 * 0.3 * -0.2 + p2 * (r2 + 2 * 0.09)
    y = -0.2 * radial + p1 * (r2 + 2 * 0.04) + 2 * p2 * 0.3 * -0.2
    assert distort(D, points).tolist() == pytest.approx(np.array([[x, y], [0.0, 0.0]]))


@pytest.mark.parametrize("given", [(0, 480, 1.0), (100_000, 100_000, 1.0), (64, 48, 0.0)])
def test_pictures_that_cannot_be(given):
    with pytest.raises(ArgumentError):
        matrix_from_angle(*given)


@pytest.mark.parametrize(
    "numbers", [(1e-300, 1e-300, 8, 6), (500, 1e-9, 8, 6), (500, 1e30, 8, 6), (500, 500, 8, 1e30)]
)
def test_calibrations_of_no_camera(numbers):
    given = Intrinsics(**dict(zip(("fx", "fy", "cx", "cy"), numbers, strict=True)))
    with pytest.raises(ArgumentError, match="fit no camera"):
        geometry_of(camera(intrinsics=given))
