# SPDX-License-Identifier: GPL-3.0-or-later
"""Cameras as matrices. The one place that knows where pixels are.

Pixels are counted as OpenCV counts them: (0, 0) is the centre of the top left one, u runs right
and v down. Optical frames have x right, y down, z forward (REP 103); Blender's and MuJoCo's cameras
look along -z with y up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..diagnostics import ArgumentError
from ..geometry.transforms import Matrix
from ..model import Camera, Intrinsics

SENSOR_WIDTH = 36.0
"""Millimetres across of Blender's cameras; lenses count from it."""
WIDEST = math.pi - 1e-3
"""Radians across of the widest plane picture."""
MOST_PIXELS = 64 * 1024 * 1024
_MOST_CALIBRATED = 1e6
"""Pixels."""
_MOST_STEPS, _SAME, _LOST = 200, 1e-9, 1e6

BLENDER_FROM_OPTICAL = np.diag([1.0, -1.0, -1.0, 1.0])
"""The optical frame of a camera in its Blender frame, and the reverse: (4, 4)."""
FORWARD_FROM_OPTICAL = np.array(
    [[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)
"""The optical frame (4, 4) in a frame that looks along x with z up, as descriptions write it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PictureGeometry:
    """The geometry of plane pictures: `K` (3, 3) projects optical points to pixels, `D` holds k1,
    k2, p1, p2, k3 of the lens, which ideal pictures are without; `near`, `far` are depths in
    metres."""

    width: int
    height: int
    K: Matrix
    D: Matrix
    near: float
    far: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BlenderLens:
    """The settings of a Blender camera (`sensor_fit` HORIZONTAL, `sensor_width` SENSOR_WIDTH) and
    of its scene (`aspect_x`, `aspect_y`: the pixel's aspect)."""

    lens: float
    shift_x: float
    shift_y: float
    aspect_x: float
    aspect_y: float


def matrix_from_angle(width: int, height: int, angle: float) -> Matrix:
    """Returns K (3, 3) of a camera whose picture is `angle` radians across, with square pixels and
    its axis in the middle. Raises ArgumentError for no pixels, or too many, and for an angle that
    plane pictures cannot have."""
    check_size(width, height)
    if not 0.0 < angle <= WIDEST:
        raise ArgumentError(f"a plane picture cannot be {angle:g} radians across")
    f = width / (2.0 * math.tan(angle / 2.0))
    return np.array([[f, 0.0, (width - 1) / 2.0], [0.0, f, (height - 1) / 2.0], [0.0, 0.0, 1.0]])


def check_size(width: int, height: int) -> None:
    """Raises ArgumentError for a picture of no pixels, or of more than MOST_PIXELS."""
    if width < 1 or height < 1:
        raise ArgumentError(f"a picture of {width} x {height} pixels has nothing to show")
    if width * height > MOST_PIXELS:
        most = f"{MOST_PIXELS // 2**20} megapixels are the most"
        raise ArgumentError(f"a picture of {width} x {height} pixels is too large; {most}")


def geometry_of(camera: Camera) -> PictureGeometry | None:
    """Returns the geometry of a described camera's pictures; None for angles that no plane picture
    has. Skew is left out: no renderer has it. Raises ArgumentError for pictures that are too large,
    and for calibrations of no camera."""
    check_size(camera.width, camera.height)
    found, lens = camera.intrinsics, camera.lens
    if found is not None:
        _check_calibration(camera, found)
        K = np.array([[found.fx, 0.0, found.cx], [0.0, found.fy, found.cy], [0.0, 0.0, 1.0]])
    elif camera.field_of_view <= WIDEST:
        K = matrix_from_angle(camera.width, camera.height, camera.field_of_view)
    else:
        return None
    return PictureGeometry(
        width=camera.width,
        height=camera.height,
        K=K,
        D=np.zeros(5) if lens is None else np.array([*lens.radial, *lens.tangential, lens.k3]),
        near=camera.near,
        far=camera.far,
    )


def _check_calibration(camera: Camera, found: Intrinsics) -> None:
    """Raises ArgumentError for numbers that no camera has: rays of single precision must hold
    them."""
    widths = ((camera.width, found.fx), (camera.height, found.fy))
    angles = (2.0 * math.atan2(size, 2.0 * f) for size, f in widths)
    numbers = (found.fx, found.fy, found.cx, found.cy)
    if max(angles) > WIDEST or max(map(abs, numbers)) > _MOST_CALIBRATED:
        raise ArgumentError(
            f"its focal lengths of {found.fx:g} and {found.fy:g} pixels and its centre at "
            f"{found.cx:g}, {found.cy:g} fit no camera"
        )


def lens_of_matrix(K: Matrix, width: int, height: int) -> BlenderLens:
    """Returns the Blender camera of a K (3, 3). Blender counts from the corners of pixels, half a
    pixel off their centres."""
    fx, fy, cx, cy = K[0, 0], K[1, 1], K[0, 2] + 0.5, K[1, 2] + 0.5
    return BlenderLens(
        lens=float(fx * SENSOR_WIDTH / width),
        shift_x=float((width / 2.0 - cx) / width),
        shift_y=float((cy - height / 2.0) / width * fx / fy),
        aspect_x=float(max(fy / fx, 1.0)),
        aspect_y=float(max(fx / fy, 1.0)),
    )


def project(K: Matrix, points: Matrix) -> Matrix:
    """Returns pixels (n, 2) of points (n, 3) in the optical frame; NaN for points that are not in
    front of the camera."""
    depths = np.where(points[:, 2] > 0.0, points[:, 2], np.nan)
    return np.stack(
        [K[0, 0] * points[:, 0] / depths + K[0, 2], K[1, 1] * points[:, 1] / depths + K[1, 2]],
        axis=1,
    )


def pixel_rays(K: Matrix, width: int, height: int) -> Matrix:
    """Returns the ray (height, width, 3) through the centre of each pixel in the optical frame,
    with z = 1: times a depth along the axis it is the point."""
    u = (np.arange(width) - K[0, 2]) / K[0, 0]
    v = (np.arange(height) - K[1, 2]) / K[1, 1]
    rays = np.ones((height, width, 3))
    rays[..., 0], rays[..., 1] = u, v[:, None]
    return rays


def distort(D: Sequence[float] | Matrix, points: Matrix) -> Matrix:
    """Returns where a lens of k1, k2, p1, p2, k3 shows points (..., 2) of the plane z = 1: Brown's
    model, as OpenCV and ROS (plumb_bob) have it."""
    k1, k2, p1, p2, k3 = D
    x, y = points[..., 0], points[..., 1]
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return np.stack(
        [
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        ],
        axis=-1,
    )


def undistort(D: Sequence[float] | Matrix, points: Matrix) -> Matrix:
    """Returns the points (..., 2) of the plane z = 1 that a lens shows at `points`: the reverse of
    distort. Raises ArgumentError for a lens that folds its picture."""
    found = points.copy()
    for _ in range(_MOST_STEPS):
        off = points - distort(D, found)
        found += off
        largest = float(np.abs(off).max(initial=0.0))
        if largest < _SAME:
            return found
        if not largest < _LOST:
            break
    raise ArgumentError("a lens folds its picture: its coefficients fit no camera")
