# SPDX-License-Identifier: GPL-3.0-or-later
"""Times of a path: as fast as limits, shares of speed and speeds of the tool allow."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.geometry.transforms import Matrix, Vector
from ..motion.retime import PathBounds, follow_path
from ..motion.series import fastest
from .machine import PlannedArm
from .model import Waypoint
from .nodes import Route
from .pieces import PathPiece

_SLOW = 0.1
"""A tool is at a singularity where it could go at this share of the move's median speed alone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timed:
    """A program on its own clock: (k,) seconds, positions and velocities (k, n); `knots` (m,) are
    the seconds at the knots of its route."""

    times: Vector
    positions: Matrix
    velocities: Matrix
    knots: Vector


def time_route(
    machine: PlannedArm, route: Route, pieces: Sequence[PathPiece], points: Sequence[Waypoint]
) -> Timed:
    """Follows the route within the limits, and the speeds of the waypoints that its pieces lead
    to."""
    bounds = PathBounds(
        velocities=machine.velocities, accelerations=machine.accelerations, jerks=machine.jerks
    )
    timed = follow_path(route.path, bounds, _cap(machine, route, pieces, points))
    assert timed.velocities is not None
    path = route.path
    parameters = np.append(path.starts, path.starts[-1] + path.lengths[-1])
    return Timed(
        times=timed.times, positions=timed.positions, velocities=timed.velocities,
        knots=np.interp(parameters, timed.old, timed.times),
    )  # fmt: skip


def _cap(
    machine: PlannedArm, route: Route, pieces: Sequence[PathPiece], points: Sequence[Waypoint]
) -> Vector:
    """Returns the greatest growth of the parameter (m - 1,)."""
    joints, tools = measure_speeds(machine, route)
    shares, metres = np.ones(len(pieces)), np.full(len(pieces), np.inf)
    for number, piece in enumerate(pieces):
        both = [points[piece.number]]
        if piece.then is not None:
            both.append(points[(piece.number + 1) % len(points)])
        shares[number] = min(each.speed for each in both)
        # Joint moves heed no speed of the tool, and blends to lines do.
        bounds = [each.tool_speed for each in both if each.tool_speed and each.move != "joint"]
        metres[number] = min(bounds, default=np.inf)
    share, metre = shares[route.pieces], metres[route.pieces]
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(share < 1.0, share / joints, np.inf)
        limit = np.where(np.isfinite(metre), metre / np.maximum(tools, 1e-300), np.inf)
    found: Vector = np.minimum(most, limit)
    return found


def measure_speeds(machine: PlannedArm, route: Route) -> tuple[Vector, Vector]:
    """Returns, for each segment and unit of the parameter's growth, the greatest share of a
    velocity limit (m - 1,), and the greatest speed of the tool (m - 1,)."""
    path = route.path
    _, peaks = fastest(path.cubics)
    joints = (np.abs(peaks) / machine.velocities).max(axis=1)
    tools = np.zeros(len(path.lengths))
    for values, slopes in (
        (path.values[:-1], path.begin),
        (path.values[1:], path.end),
        _middle(route),
    ):
        tools = np.maximum(tools, np.linalg.norm(machine.move(values, slopes), axis=1))
    return joints, tools


def _middle(route: Route) -> tuple[Matrix, Matrix]:
    path = route.path
    span = path.lengths[:, None]
    values = 0.5 * (path.values[1:] + path.values[:-1]) + span / 8.0 * (path.begin - path.end)
    slopes = 1.5 * np.diff(path.values, axis=0) / span - 0.25 * (path.begin + path.end)
    return values, slopes


def find_slow(machine: PlannedArm, route: Route, piece: int) -> tuple[int, float] | None:
    """Returns the joint that makes the tool slow in a piece, and the share of it where it does so
    the most; None where it slows down nowhere."""
    own = np.flatnonzero(route.pieces == piece)
    joints, tools = (each[own] for each in measure_speeds(machine, route))
    speeds = tools / np.maximum(joints, 1e-300)
    if len(own) < 3 or not tools.max() > 1e-9:
        return None
    worst = int(speeds.argmin())
    if speeds[worst] >= _SLOW * float(np.median(speeds)):
        return None
    _, slopes = _middle(route)
    joint = int((np.abs(slopes[own[worst]]) / machine.velocities).argmax())
    return joint, (worst + 0.5) / len(own)
