# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a robot's meshes lie on their sides because the axis that their files call up is ignored.

Joints and centres of mass are the evidence: they lie within the shapes of their link, or near them.
Of robots whose COLLADA files say Y, nearly all fit unturned, since RViz ignores it; the few that
were made for viewers that heed it fit only when turned.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import Diagnostics, MeshError, quote
from ..geometry.mesh_data import MeshData, find_upright
from ..geometry.transforms import matrix_from_pose
from ..model import Collision, Link, Mesh, Robot, Visual
from .robot_files import RobotFiles

Points = NDArray[np.float64]
Shapes = Sequence[Visual] | Sequence[Collision]

_NOTICED = 0.1
"""Of the diagonal of a link's shapes: a point that comes nearer to them by this counts."""
_LEAST_LINKS = 2
_OVERLAP = 0.4
"""Of two boxes, the part of their union that they share: how much that must grow to count."""


def suggest_upright(robot: Robot, files: RobotFiles, diagnostics: Diagnostics) -> None:
    """Warns, once, where the meshes of several links fit the robot only when turned as their files
    say. `files` hold them as imported, with the axis ignored; they are loaded already."""
    joints: dict[str, list[Points]] = {}
    for joint in robot.joints:
        place = matrix_from_pose(joint.origin)[:3, 3]
        if np.any(place):
            joints.setdefault(joint.parent, []).append(place)
    better, worse = [], 0
    for link in robot.links:
        if all(data.up == "Z" for _, data in _peek(link.visuals, files)):
            continue
        gain = _judge(link, joints.get(link.name, []), files)
        if gain > 0:
            better.append(link)
        worse += gain < 0
    if len(better) < max(_LEAST_LINKS, 2 * worse + 1):
        return
    diagnostics.warning(
        "ignored-up-axis",
        f"the meshes of {len(better)} links, such as {quote(better[0].name)}, fit the joints only "
        "when turned as their COLLADA files say; import with Up Axis: File",
        subject=better[0].name,
        line=better[0].visuals[0].line,
    )


def _peek(shapes: Shapes, files: RobotFiles) -> Iterator[tuple[Visual | Collision, MeshData]]:
    """Yields the shapes that can be loaded, and their arrays."""
    for shape in shapes:
        with suppress(MeshError):
            yield shape, files.peek(shape.geometry)


def _judge(link: Link, joints: Sequence[Points], files: RobotFiles) -> int:
    """Returns 1 where the link's visuals fit better when turned, -1 where worse, else 0."""
    ignored = _find_box(link.visuals, files, upright=False)
    turned = _find_box(link.visuals, files, upright=True)
    if ignored is None or turned is None:
        return 0
    points = list(joints)
    if link.inertial is not None and link.inertial.mass:
        points.append(matrix_from_pose(link.inertial.origin)[:3, 3])
    gain = sum(_distance(point, ignored) - _distance(point, turned) for point in points)
    if abs(gain) > _NOTICED:
        return 1 if gain > 0 else -1
    shape = _find_box(link.collisions, files, upright=False)
    upright = _find_box(link.collisions, files, upright=True)
    if shape is None or upright is None:
        return 0
    shared = _overlap(turned, upright) - _overlap(ignored, shape)
    return 0 if abs(shared) < _OVERLAP else 1 if shared > 0 else -1


def _find_box(shapes: Shapes, files: RobotFiles, *, upright: bool) -> Points | None:
    """Returns the lowest and highest corner (2, 3) of the shapes in the link's frame; None where
    there is nothing."""
    corners: list[Points] = []
    for shape, data in _peek(shapes, files):
        if not len(data.vertices):
            continue
        ends = np.stack([data.vertices.min(axis=0), data.vertices.max(axis=0)]).astype(np.float64)
        points = np.array(np.meshgrid(*ends.T)).reshape(3, -1).T
        if upright and isinstance(shape.geometry, Mesh):
            scale = np.array(shape.geometry.scale)
            points = points / scale @ find_upright(data.up).T * scale
        frame = matrix_from_pose(shape.origin)
        corners.append(points @ frame[:3, :3].T + frame[:3, 3])
    if not corners:
        return None
    every = np.concatenate(corners)
    return np.stack([every.min(axis=0), every.max(axis=0)])


def _distance(point: Points, box: Points) -> float:
    """Returns how far a point lies outside a box, as a part of its diagonal."""
    low, high = box
    outside = np.maximum(np.maximum(low - point, point - high), 0.0)
    diagonal = float(np.linalg.norm(high - low))
    return float(np.linalg.norm(outside)) / diagonal if diagonal > 0 else 0.0


def _overlap(one: Points, other: Points) -> float:
    """Returns the part of the union of two boxes that they share; 0 for flat ones."""
    low, high = np.maximum(one[0], other[0]), np.minimum(one[1], other[1])
    shared = float(np.prod(np.maximum(high - low, 0.0)))
    union = float(np.prod(one[1] - one[0]) + np.prod(other[1] - other[0])) - shared
    return shared / union if union > 0 else 0.0
