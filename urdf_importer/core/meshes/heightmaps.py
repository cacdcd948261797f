# SPDX-License-Identifier: GPL-3.0-or-later
"""Images as surfaces: a heightmap of SDF is a mesh whose file is an image.

Without its scale it is 1 x 1 wide about zero, the image's first row at +y, and 1 high where the
image is brightest: Gazebo's rule, so black is the ground whatever the brightest is.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from ..files.regular import read_mesh_file
from ..geometry.mesh_data import MeshData
from ..images.decode import decode_brightness
from ..model import Geometry, Mesh
from .faces import unreadable

HEIGHTMAP_SUFFIXES = (".bmp", ".png", ".tga")
MOST_BYTES = 64 * 1024**2
MOST_POINTS = 513
"""Across, as most worlds have; of larger images that many are taken, evenly."""


def is_heightmap(geometry: Geometry) -> bool:
    """Whether a mesh's file is an image, which no other program takes as a mesh."""
    return isinstance(geometry, Mesh) and geometry.filename.lower().endswith(HEIGHTMAP_SUFFIXES)


def load_heightmap(path: Path, report: Report) -> MeshData:
    """Loads the surface of an image, triangles.

    Reports `coarse-heightmap` where it has more points than are taken. MeshError with the codes of
    `read_mesh_file`, `unreadable-mesh` for an image that cannot be read or is a single line.
    """
    data = read_mesh_file(path, MOST_BYTES)
    try:
        heights = decode_brightness(data)
    except MeshError as error:
        raise MeshError(f"{quote(path.name)}: {error.message}", code="unreadable-mesh") from None
    if heights is None:
        raise unreadable(path, "is an image of a kind that cannot be read")
    rows, columns = heights.shape
    if min(rows, columns) < 2:
        raise unreadable(path, f"has {columns} x {rows} pixels, which make no surface")
    taken = _sample(heights)
    if taken.shape != heights.shape:
        across, down = taken.shape[::-1]
        finding = f"{quote(path.name)} has {columns} x {rows} heights; {across} x {down} are shown"
        report("coarse-heightmap", finding)
    return _make_surface(taken, path.stem)


def _sample(heights: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W) -> at most MOST_POINTS each way, between its pixels by their distances."""
    for axis in (0, 1):
        count = heights.shape[axis]
        if count <= MOST_POINTS:
            continue
        place = np.linspace(0.0, count - 1.0, MOST_POINTS)
        below = np.minimum(place.astype(np.intp), count - 2)
        share = (place - below).astype(np.float32)
        share = share[:, None] if axis == 0 else share[None, :]
        first, second = heights.take(below, axis=axis), heights.take(below + 1, axis=axis)
        heights = first + (second - first) * share
    return heights


def _make_surface(heights: NDArray[np.float32], name: str) -> MeshData:
    rows, columns = heights.shape
    vertices = np.empty((rows, columns, 3), dtype=np.float32)
    vertices[:, :, 0] = np.linspace(-0.5, 0.5, columns)[None, :]
    vertices[:, :, 1] = np.linspace(0.5, -0.5, rows)[:, None]
    highest = float(heights.max())
    vertices[:, :, 2] = heights / highest if highest > 0.0 else 0.0
    corner = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    a, b = corner[:-1, :-1], corner[:-1, 1:]
    c, d = corner[1:, :-1], corner[1:, 1:]
    corners = np.stack([a, c, b, b, c, d], axis=2)
    points = vertices.reshape(-1, 3)
    return MeshData(vertices=points, corners=corners.ravel(), smooth=True, name=name)
