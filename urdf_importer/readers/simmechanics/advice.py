# SPDX-License-Identifier: GPL-3.0-or-later
"""Advice where meshes and the places of parts disagree: STL has no unit, and CAD systems write
millimetres or inches."""

import re
from collections.abc import Callable, Mapping

import numpy as np

from ...diagnostics import Diagnostics, MeshError, ReadError, quote
from ...files.packages import PackageResolver
from ...files.regular import read_regular_file
from ...model import Mesh, Robot
from .assembly import Assembly
from .mechanism.graph import Matrix
from .placing import Placed

# The greatest extent of a mesh file in its own unit; None where it cannot be found or read.
Measure = Callable[[str], float | None]

_MOST_MESHES = 3
_TOO_LARGE = 20.0
_FITTING = 3.0
_MOST_ASCII = 2_000_000
_VERTEX = re.compile(rb"vertex\s+(\S{1,40})\s+(\S{1,40})\s+(\S{1,40})")


def advise_scale(
    assembly: Assembly,
    placed: Mapping[int, Placed],
    robot: Robot,
    measure: Measure,
    diagnostics: Diagnostics,
) -> None:
    """Says so where the first meshes are a factor of a unit too large for the frames, with the line
    to write. Nothing is ever scaled silently."""
    bodies = assembly.mechanism.bodies
    points = [bodies[index].part[:3, 3] for index in placed]
    centers = (bodies[index].center for index in placed)
    points += [center[:3, 3] for center in centers if center is not None]
    points += [frame.point for index in placed for frame in bodies[index].frames]
    size = float(np.ptp(np.array(points), axis=0).max())
    unit = assembly.mechanism.unit if assembly.mechanism.unit != 1.0 else 0.001
    if size < 1e-6:
        return
    meshes = [
        (link.name, visual.geometry, visual.line)
        for link in robot.links
        for visual in link.visuals
        if isinstance(visual.geometry, Mesh) and visual.geometry.filename.lower().endswith(".stl")
    ]
    for name, mesh, line in meshes[:_MOST_MESHES]:
        extent = measure(mesh.filename)
        shown = None if extent is None else extent * max(map(abs, mesh.scale))
        if shown is None or shown < _TOO_LARGE * size or shown * unit > _FITTING * size:
            continue
        diagnostics.warning(
            "suspicious-mesh-scale",
            f"mesh {quote(mesh.filename)} of link {quote(name)} is {shown:.3g} m long, while all "
            f"parts stand within {size:.3g} m; if it is not written in metres, say so in a "
            f'parameter file: `scale: "{unit:g} {unit:g} {unit:g}"`',
            subject=name,
            line=line,
        )
        return


def measure_stl(resolver: PackageResolver, filename: str) -> float | None:
    """Returns the greatest extent along an axis of an STL file, binary or ASCII, in the file's
    unit; None where it cannot be found or read. What is wrong with it is said by those who load
    it."""
    try:
        path = resolver.resolve_file(filename, lambda code, message: None)
        data = read_regular_file(str(path))
    except (MeshError, ReadError):
        return None
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count and count:
        rows = np.frombuffer(data, np.uint8, 50 * count, 84).reshape(count, 50)
        corners = rows[:, 12:48].copy().view("<f4").reshape(-1, 3).astype(float)
    else:
        corners = _ascii_corners(data[:_MOST_ASCII])
    if not len(corners) or not np.isfinite(corners).all():
        return None
    return float(np.ptp(corners, axis=0).max())


def _ascii_corners(data: bytes) -> Matrix:
    try:
        found = [[float(word) for word in words] for words in _VERTEX.findall(data)]
    except ValueError:
        found = []
    return np.array(found, dtype=float).reshape(-1, 3)
