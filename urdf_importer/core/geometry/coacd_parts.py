# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as convex parts by CoACD (Wei et al. 2022), where that library is installed.

It cannot be stopped and takes minutes for some open meshes, so it runs in a child process, in one
thread and for a limited time.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .coverage import find_worst_miss
from .decomposition import box_around
from .hulls import convex_hull, mesh_of_hull
from .mesh_data import MeshData
from .triangles import Triangles

_WORST_MISS = 0.01
"""Of the size of the mesh: parts that miss more are of no use."""

_CHILD = """
import sys
folder, most, *sys.path[:0] = sys.argv[1:]
import numpy, coacd
coacd.set_log_level("off")
given = numpy.load(folder + "/mesh.npz")
found = coacd.run_coacd(
    coacd.Mesh(given["vertices"], given["faces"]), max_convex_hull=int(most), seed=0
)
numpy.savez(folder + "/parts.npz", *[vertices for vertices, _ in found])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoacdLimits:
    """How many parts of how many triangles there may be, how long they are sought, and how far a
    mesh may reach beyond them, in metres."""

    most_parts: int
    most_triangles: int
    seconds: float
    tolerance: float


def decompose_by_coacd(triangles: Triangles, limits: CoacdLimits) -> tuple[MeshData, ...] | None:
    """Returns convex meshes around a mesh, pushed out by the distance that they miss where that is
    more than the tolerance; None where the library fails or takes too long, and is stopped."""
    most_parts, most_triangles = limits.most_parts, limits.most_triangles
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        np.savez(
            Path(folder, "mesh.npz"),
            vertices=triangles.vertices.astype(np.float64),
            faces=triangles.faces,
        )
        # Never the modules of the current folder, which may be a stranger's.
        paths = [each for each in sys.path if each]
        command = [sys.executable, "-P", "-c", _CHILD, folder, str(most_parts), *paths]
        alone = {**os.environ, "OMP_NUM_THREADS": "1"}
        try:
            subprocess.run(
                command, timeout=limits.seconds, env=alone, capture_output=True, check=True
            )
            with np.load(Path(folder, "parts.npz")) as found:
                points = [found[name].astype(np.float64) for name in found.files]
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
    hulls = [(convex_hull(each, most_triangles), each) for each in points if len(each)]
    if not 0 < len(hulls) <= most_parts:
        return None
    parts = [box_around(p) if h is None else mesh_of_hull(h, h.offsets) for h, p in hulls]
    miss = find_worst_miss(triangles, parts)
    if miss > _WORST_MISS * float(np.ptp(triangles.vertices, axis=0).max()):
        return None
    if miss <= limits.tolerance:
        return tuple(parts)
    return tuple(
        part if hull is None else mesh_of_hull(hull, hull.offsets + miss)
        for part, (hull, _) in zip(parts, hulls, strict=True)
    )
