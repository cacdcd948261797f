# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs of arms in a cell: random waypoints, and what an independent library sees of their plans.

Protocol: a job begins at taught positions, and goes on by lines, arcs and moves of joints of up to
0.15 m and 0.4 rad, some with blends, pauses, shares of speed and speeds of the tool. Pinocchio says
where the tool is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.arm_chains import ARMS, Arm
from urdf_importer import Plan, PlanOptions, Trajectory, Waypoint, plan_waypoints

NAMES = ("panda", "ur5", "xarm7", "iiwa14", "irb140")
BY_NAME = {arm.name: arm for arm in ARMS}
HZ, FINE_HZ = 240.0, 2000.0


def rotation_about(axis: Any, angle: float) -> Any:
    """(3, 3), by Rodrigues' formula."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k


def angle_between(one: Any, other: Any) -> float:
    """Radians between rotations (3, 3), exact for small ones too."""
    turn = one.T @ other
    axis = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    return math.atan2(float(np.linalg.norm(axis)), 0.5 * (float(np.trace(turn)) - 1.0))


def draw_job(arm: Arm, seed: int, count: int = 6) -> list[Waypoint]:
    """Waypoints that may be possible."""
    chance = np.random.default_rng(seed)
    middle = {name: 0.5 * (low + high) for name, (low, high) in arm.ranges.items()}
    taught = {
        name: float(middle[name] + chance.uniform(-0.2, 0.2) * min(high - low, 6.0))
        for name, (low, high) in arm.ranges.items()
    }
    points = [Waypoint(name="p0", positions=taught)]
    frame = arm.place(taught)
    for number in range(1, count):
        frame = frame.copy()
        away = chance.normal(size=3)
        frame[:3, 3] += away / np.linalg.norm(away) * chance.uniform(0.04, 0.15)
        turn = rotation_about(chance.normal(size=3), float(chance.uniform(0.0, 0.4)))
        frame[:3, :3] = frame[:3, :3] @ turn
        move = str(chance.choice(["linear", "linear", "circular", "joint"]))
        via = None
        if move == "circular":
            before = np.asarray(points[-1].pose if number > 1 else arm.place(taught))
            via = 0.5 * (before[:3, 3] + frame[:3, 3]) + chance.uniform(-0.04, 0.04, 3)
        points.append(
            Waypoint(
                name=f"p{number}",
                pose=frame,
                move=move,  # type: ignore[arg-type]
                via=via,
                blend=float(chance.choice([0.0, 0.01, 0.03])),
                speed=float(chance.choice([1.0, 0.5])),
                tool_speed=float(chance.choice([0.0, 0.1, 0.25])),
                pause=float(chance.choice([0.0, 0.0, 0.2])),
            )
        )
    return points


def plan_job(arm: Arm, points: Sequence[Waypoint], **more: Any) -> Plan:
    """The plan of a job, without contacts."""
    options = PlanOptions(link=arm.link, collisions=False, **more)
    return plan_waypoints(arm.robot, points, options=options)


def find_jobs(arm: Arm, count: int) -> list[tuple[list[Waypoint], Plan]]:
    """The first possible jobs of an arm, with their plans."""
    found = []
    for seed in range(40 * count):
        points = draw_job(arm, seed)
        plan = plan_job(arm, points)
        if plan.success:
            found.append((points, plan))
            if len(found) == count:
                return found
    raise AssertionError(f"{arm.name} has {len(found)} possible jobs only")


@dataclass(frozen=True)
class Curve:
    """A trajectory as a cubic spline, evaluated here and not by the library."""

    motion: Trajectory

    def at(self, times: Any) -> tuple[Any, Any, Any]:
        """Positions, velocities and accelerations (m, n)."""
        t, q, v = self.motion.times, self.motion.positions, self.motion.velocities
        assert v is not None
        k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
        h = (t[k + 1] - t[k])[:, None]
        u = (times - t[k])[:, None] / h
        a, b, c, d = q[k], q[k + 1], v[k] * h, v[k + 1] * h
        second, third = 3 * (b - a) - 2 * c - d, 2 * (a - b) + c + d
        return (
            ((third * u + second) * u + c) * u + a,
            ((3 * third * u + 2 * second) * u + c) / h,
            (6 * third * u + 2 * second) / h**2,
        )


def frames_of(arm: Arm, motion: Trajectory, times: Any) -> Any:
    """(m, 4, 4): where Pinocchio says that the tool is."""
    values, _, _ = Curve(motion).at(times)
    return np.array(
        [arm.place(dict(zip(motion.names, map(float, row), strict=True))) for row in values]
    )


def measure_off(points: Sequence[Waypoint], number: int, start: Any, frames: Any) -> Any:
    """(m, 2): how far frames are from the line or arc to a waypoint, in m and rad."""
    point = points[number]
    end = np.asarray(point.pose)
    shares, places = [], []
    if point.move == "linear":
        line = end[:3, 3] - start[:3, 3]
        shares = (frames[:, :3, 3] - start[:3, 3]) @ line / (line @ line)
        places = start[:3, 3] + shares[:, None] * line
    else:
        center, axis, angle = circle_of(start[:3, 3], np.asarray(point.via), end[:3, 3])
        away = start[:3, 3] - center
        side = np.cross(axis, away)
        rel = frames[:, :3, 3] - center
        turned = np.arctan2(rel @ side, rel @ away)
        turned = np.where(turned < -1e-3, turned + math.tau, turned)
        shares = turned / angle
        places = center + np.cos(turned)[:, None] * away + np.sin(turned)[:, None] * side
    whole = start[:3, :3].T @ end[:3, :3]
    full = angle_between(np.eye(3), whole)
    axis = np.array(
        [whole[2, 1] - whole[1, 2], whole[0, 2] - whole[2, 0], whole[1, 0] - whole[0, 1]]
    )
    off = []
    for share, place, frame in zip(shares, places, frames, strict=True):
        turn = rotation_about(axis, float(share) * full) if full > 1e-9 else np.eye(3)
        off.append(
            (
                float(np.linalg.norm(frame[:3, 3] - place)),
                angle_between(start[:3, :3] @ turn, frame[:3, :3]),
            )
        )
    return np.array(off).reshape(-1, 2)


def circle_of(first: Any, via: Any, last: Any) -> tuple[Any, Any, float]:
    """The centre, the axis and the angle of an arc: the centre is as far from all three points, and
    in their plane."""
    axis = np.cross(via - first, last - first)
    axis = axis / np.linalg.norm(axis)
    rows = np.array([via - first, last - first, axis])
    right = np.array([(via @ via - first @ first) / 2, (last @ last - first @ first) / 2,
                      axis @ first])  # fmt: skip
    center = np.linalg.solve(rows, right)
    away, there = first - center, last - center
    angle = math.atan2(float(np.cross(away, there) @ axis), float(away @ there))
    return center, axis, angle if angle > 0 else angle + math.tau
