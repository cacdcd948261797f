# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer plan: waypoints of an arm as a motion, with its cycle time."""

import argparse
from dataclasses import asdict
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
)
from ...core.command.blends import is_blend
from ...core.command.jobs import save
from ...core.command.loading import add_reading, add_robot, load_robot, plan_robot, read_checked
from ...core.command.report import Work
from ...core.command.summary import describe_rows
from ...core.command.task import BLEND, Task, TaskOutput
from ...core.diagnostics import KinematicsError, quote
from ..motion.motions import write_trajectory
from ..motion.recordings.formats import MOTION
from ..motion.trajectory import Trajectory
from .files import read_waypoints
from .model import Plan, Waypoint
from .options import PlanOptions
from .plan import plan_waypoints
from .programs import sample_evenly
from .setup import name_of, report_assumed

_COLUMNS = ("waypoint", "move", "metres", "reached", "m/s", "joint")
_HZ = 240.0


def add_commands(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "plan",
        _plan,
        help="plan the motion of an arm through waypoints",
        description="Plans a motion through waypoints as fast as the robot's limits allow, and "
        "prints, for each waypoint, the move to it, the metres of the tool, when it is reached, "
        "the greatest speed of the tool, and the joint that is nearest to its limit. The exit "
        "status is 1 where there is a problem or a contact. Of a .blend the robot's own waypoints "
        "are planned where no file is given.",
    )
    add_robot(parser)
    parser.add_argument(
        "waypoints", nargs="?", metavar="WAYPOINTS", help="the waypoints: .yaml or .csv"
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", help=f"the motion: {' '.join(MOTION)}, .blend, folder"
    )
    parser.add_argument(
        "--limits", metavar="FILE", help="MoveIt's joint_limits.yaml: it overrides the description"
    )
    for name, flag, text in (
        ("group", "--joint", "a joint that moves; without any, all that move the tool"),
        ("hold", "--hold", "a joint that stays, beside locked ones"),
    ):
        text = f"{text} (may be repeated)"
        add_own_argument(parser, name, flag, action="append", metavar="JOINT", help=text)
    add_option_arguments(parser, PlanOptions, but=("group", "hold"))
    add_reading(parser)


def _plan(given: argparse.Namespace) -> list[Task]:
    output = TaskOutput(path=given.output, suffixes=(*MOTION, *BLEND))
    beside = () if given.waypoints is None else (given.waypoints,)
    return plan_robot(given, _run, output, beside=beside)


def _run(given: argparse.Namespace, work: Work) -> None:
    options = read_options(given, PlanOptions)
    # Read first: an unreadable file costs no robot.
    points = None if given.waypoints is None else read_waypoints(given.waypoints)
    _check_tool(points or (), options.link)
    to_blend = given.output is not None and is_blend(given.output)
    in_scene = to_blend or is_blend(given.robot)
    robot = load_robot(given, "planning", work) if in_scene else read_checked(given, work)
    how: Any = {"limits": given.limits, "options": options, "diagnostics": work.diagnostics}
    with work.clock("plan"):
        if to_blend:
            from ..ik.blender.solve import suggest_link
            from .blender.bake import bake_waypoints
            from .blender.objects import get_waypoints, set_waypoints

            if points is not None:
                set_waypoints(robot, points, link=options.link)
                if not options.link:
                    report_assumed(points, suggest_link(robot), work.diagnostics)
            plan = bake_waypoints(robot, **how)
            points = get_waypoints(robot)
        else:
            plan = plan_waypoints(robot, points, **how)
            if points is None:
                from .blender.objects import get_waypoints

                points = get_waypoints(robot)
    _report(plan, points, work)
    if plan.trajectory is None or given.output is None:
        return
    if to_blend:
        save(given.output, work)
        return
    motion: Trajectory = plan.trajectory
    if given.output.lower().endswith(".csv"):
        # A table has no velocities: its lines are short.
        motion = sample_evenly(motion, _HZ)
    work.hold()
    work.add(*write_trajectory(motion, given.output))


def _check_tool(points: tuple[Waypoint, ...], link: str) -> None:
    """Raises KinematicsError where a file's waypoints are another tool's than the one asked for."""
    for place, point in enumerate(points):
        if link and point.link and point.link != link:
            raise KinematicsError(
                f"{name_of(point, place)} leads {quote(point.link)} by its file, not "
                f"{quote(link)}: leave out --link, or change the file"
            )


def _report(plan: Plan, points: tuple[Waypoint, ...], work: Work) -> None:
    rows = [
        (
            name_of(points[move.waypoint], move.waypoint),
            move.move,
            f"{move.length:.3f}",
            f"{move.end:.3f} s",
            f"{move.tool_speed:.3g}",
            move.joint or "-",
        )
        for move in plan.moves
    ]
    work.rows += describe_rows([_COLUMNS, *rows], numbers=(2, 4)) if rows else []
    for problem in plan.problems:
        work.diagnostics.error("impossible-motion", problem.message, subject=problem.joint)
    for contact in plan.contacts:
        work.diagnostics.warning(
            "contact-on-the-way",
            f"{contact.link1} touches {contact.link2} from {contact.start:.3f} to "
            f"{contact.end:.3f} s",
            subject=contact.link1,
        )
    work.facts = {
        "duration": plan.duration,
        "times": list(plan.times),
        "moves": [asdict(each) for each in plan.moves],
        "problems": [asdict(each) for each in plan.problems],
        "contacts": [
            {"link1": each.link1, "link2": each.link2, "start": each.start, "end": each.end}
            for each in plan.contacts
        ],
    }
    work.status = 1 if plan.problems or plan.contacts else 0
    work.summary = f"cycle time {plan.duration:.3f} s" if plan.success else plan.message
