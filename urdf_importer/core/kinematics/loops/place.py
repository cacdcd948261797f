# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of robots whose loops stay closed."""

from collections.abc import Mapping

from ...arguments import positions_of, robot_of
from ...diagnostics import Diagnostics, quote
from ...geometry.transforms import Matrix
from ...model import BALL_TYPES, Robot
from ..forward import Positions, place_links
from ..tree import KinematicTree, retrace_tree
from .gap import frame_between, measure_gap
from .solve import LoopResult, recall_closer

_OPEN = 1e-4
"""Metres or radians, from which on a loop counts as open."""
_MEASURED = ("revolute", "continuous", "prismatic", "fixed", *BALL_TYPES)


def forward_kinematics(
    robot: Robot,
    positions: Positions | None = None,
    *,
    close_loops: bool = True,
    diagnostics: Diagnostics | None = None,
) -> dict[str, Matrix]:
    """Returns the frame of every link, link name -> (4, 4) in the frame of the root link.

    `positions` maps joint names to radians (revolute, continuous) or metres (prismatic), to (x, y,
    yaw) for planar joints, (x, y, z, qx, qy, qz, qw) for floating ones and (qx, qy, qz, qw) for
    ball joints. Joints not named are at zero; joints that mimic another follow it, even if they are
    named. Several roots are all at the origin.

    Joints that closed loops move follow the free ones, as in close_loops; an unreachable pose is
    replaced by the nearest reachable one, and reported as `loop-out-of-reach`. Without
    `close_loops` every joint is where `positions` put it, and loops may be open.

    Raises KinematicsError for an unknown joint, a wrong kind of position, a robot without root.
    """
    robot, positions = robot_of(robot), positions_of(positions)
    if not (robot.loops and close_loops):
        return place_links(retrace_tree(robot), positions)
    closer = recall_closer(robot)
    found = closer.close(positions)
    if diagnostics is not None:
        report_missed(robot, found, diagnostics)
    return place_links(closer.tree, found.positions)


def start_closed(
    tree: KinematicTree,
    positions: Mapping[str, float | tuple[float, ...]],
    diagnostics: Diagnostics,
    *,
    start: Positions | None = None,
) -> Mapping[str, float | tuple[float, ...]]:
    """Returns the positions, as forward_kinematics takes them, at which a program starts that keeps
    loops closed by forces: joints that loops move follow the free ones, as in close_loops. Reports
    free joints that are elsewhere for it, and as `loop-starts-open` the loops that are open all the
    same. Raises KinematicsError as close_loops does."""
    if not tree.robot.loops:
        return positions
    found = recall_closer(tree).close(positions, start=start)
    report_missed(tree.robot, found, diagnostics)
    frames = place_links(tree, found.positions)
    for loop in tree.robot.loops:
        if loop.type not in _MEASURED or not {loop.link1, loop.link2} <= frames.keys():
            continue
        gap = measure_gap(loop, frame_between(loop, frames[loop.link1], frames[loop.link2]))
        if gap > _OPEN:
            unit = "m" if loop.type in BALL_TYPES else "m or rad"
            diagnostics.warning(
                "loop-starts-open",
                f"joint {quote(loop.name)}, which closes a loop, is {gap:.4g} {unit} apart "
                "at the start, since no pose near it closes the loop; it begins with a jerk",
                subject=loop.name,
                line=loop.line,
            )
    return found.positions


def report_missed(robot: Robot, found: LoopResult, diagnostics: Diagnostics) -> None:
    """Reports free joints that their loops keep from where they were asked to be, once."""
    if found.reached:
        return
    first = found.missed[0]
    lines = {joint.name: joint.line for joint in robot.joints}
    position = found.positions[first]
    there = f" and is at {position:.4g}" if isinstance(position, float) else ""
    others = f", and {len(found.missed) - 1} more" if len(found.missed) > 1 else ""
    reason = (
        f"joint {quote(found.limited[0])} would pass its limits"
        if found.limited
        else "its loop would not close"
    )
    diagnostics.warning(
        "loop-out-of-reach",
        f"joint {quote(first)} cannot reach the requested position, since {reason}"
        f"{there}{others}: the nearest pose that closes is used",
        subject=first,
        line=lines.get(first, 0),
    )
