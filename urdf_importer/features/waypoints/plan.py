# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints become a motion: ends -> lines -> blends -> times -> contacts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...core.arguments import diagnostics_of, options_of, positions_of, robot_or_rig_of
from ...core.diagnostics import Diagnostics, KinematicsError, quote
from ...core.model import Robot
from ..collisions.check import check_collisions
from ..collisions.options import CheckOptions
from ..collisions.report import LinkContact
from ..motion.motions import Limits, find_robot_limits
from .assemble import ProgramRun, run_program
from .ends import Stop, choose_states
from .machine import suggest_tool
from .model import Plan, PlanProblem, Waypoint
from .options import PlanOptions
from .programs import schedule, sort_programs
from .setup import (
    Cell,
    build_machine,
    make_stops,
    name_of,
    open_cell,
    report_assumed,
    report_unused,
)


def plan_waypoints(
    robot_or_armature: Any,
    waypoints: Iterable[Waypoint] | None = None,
    *,
    start_positions: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    options: PlanOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Plan:
    """Returns the motion of a `Robot` or an imported robot through waypoints, as fast as its limits
    allow; of an imported robot, None are its own waypoints.

    Lines and arcs of the tool are straight and round between samples too, to the tolerance of the
    `options`; corners with a blend are cut within its radius, and all others are stops. Taught
    configurations are kept. The motion begins at the first waypoint, or at `start_positions`, from
    where it goes there by joints; of a robot these are also the positions of joints that are not
    planned. `limits` are as check_trajectory takes them. Times are as retime_trajectory finds them.

    An impossible motion is an answer without success, which lists all of its problems. Raises
    KinematicsError for unknown names, fewer than two waypoints, two of one name, and where a joint
    has no limit of velocity; ReadError for a file of limits that makes no sense; BuildError for an
    object that is not an imported robot.
    """
    given, options = robot_or_rig_of(robot_or_armature), options_of(options, PlanOptions)
    diagnostics = diagnostics_of(diagnostics)
    start = dict(positions_of(start_positions))
    robot, shown, held = _open(given, start)
    points = _list(given, waypoints)
    programs = sort_programs(points)
    _, found = find_robot_limits(robot, limits, diagnostics)
    cell = open_cell(robot, shown, found, {*held, *options.hold})
    runs, problems = [], []
    for numbers in programs.values():
        own = [points[each] for each in numbers]
        run, wrong = _plan_program(cell, own, (start, options), diagnostics)
        problems += [replace(each, waypoint=numbers[each.waypoint]) for each in wrong]
        runs += [] if run is None else [replace(run, numbers=_number(run, numbers))]
    problems.sort(key=lambda each: each.waypoint)
    if problems:
        return _refuse(problems)
    report_unused(cell, {name for run in runs for name in run.machine.names}, points, diagnostics)
    return _finish(given, runs, len(points), (options, diagnostics))


def _list(given: Any, waypoints: Any) -> tuple[Waypoint, ...]:
    """Returns the waypoints, of None the rig's own."""
    if waypoints is None:
        if isinstance(given, Robot):
            raise KinematicsError("a robot without a scene has no waypoints of its own: give some")
        from .blender.objects import get_waypoints

        return get_waypoints(given)
    points = tuple(waypoints) if isinstance(waypoints, Iterable) else (waypoints,)
    for each in points:
        if not isinstance(each, Waypoint):
            raise KinematicsError(f"waypoints must be a list of Waypoint, not {each!r:.60}")
    return points


def _open(given: Any, start: Mapping[str, Any]) -> tuple[Robot, dict[str, Any], frozenset[str]]:
    """Returns the robot, the positions of its joints, and the held ones."""
    if isinstance(given, Robot):
        return given, dict(start), frozenset()
    from ...core.blender.standing.joints import list_held
    from ...core.blender.standing.pose import get_joint_positions
    from ..ik.blender.solve import recall_rig

    robot = recall_rig(given).robot
    moving = {joint.name for joint in robot.joints}
    shown = {name: at for name, at in get_joint_positions(given).items() if name in moving}
    mimics = {joint.name for joint in robot.joints if joint.mimic is not None}
    shown = {name: at for name, at in shown.items() if name not in mimics}
    return robot, shown | dict(start), list_held(given) & shown.keys()


def _number(run: ProgramRun, numbers: Sequence[int]) -> tuple[int, ...]:
    """Returns the numbers that the waypoints of a program have in the list; -1 for the start, and
    for the first once more at the end."""
    known = [-1, *numbers] if run.points[0].name == _START else [*numbers]
    return tuple([*known, *[-1] * (len(run.points) - len(known))])


_START = "\0start"
_BACK = "\0back"


def _plan_program(
    cell: Cell,
    points: Sequence[Waypoint],
    asked: tuple[Mapping[str, Any], PlanOptions],
    diagnostics: Diagnostics,
) -> tuple[ProgramRun | None, list[PlanProblem]]:
    start, options = asked
    links = {each.link for each in points if each.link}
    if len(links) > 1:
        names = " and ".join(sorted(map(quote, links)))
        raise KinematicsError(f"one program leads one tool, not {names}")
    link = next(iter(links), options.link)
    if not link:
        link = suggest_tool(cell.tree)
        report_assumed(points, link, diagnostics)
    machine = build_machine(cell, link, options, diagnostics)
    whole = _complete(points, machine.names, start, options)
    stops, problems = make_stops(cell, machine, whole, options)
    near = np.array([float(cell.start[name]) for name in machine.names])  # type: ignore[arg-type]
    states = choose_states(machine, stops, near)
    if options.loop and stops[-1].taught is None:
        stops = _close(stops, states, int(whole[0].name == _START))
        states = choose_states(machine, stops, near)
    known = {each.waypoint for each in problems}
    problems += [
        state.problem for state in states
        if state.problem is not None and state.problem.waypoint not in known
    ]  # fmt: skip
    if not problems:
        run = run_program(machine, whole, states, options.tolerance, diagnostics)
        if isinstance(run, ProgramRun):
            return run, []
        problems = [run]
    shift, last = int(whole[0].name == _START), len(points) - 1
    return None, [
        replace(each, waypoint=min(max(each.waypoint - shift, 0), last)) for each in problems
    ]


def _close(stops: Sequence[Stop], states: Sequence[Any], first: int) -> list[Stop]:
    """Returns the stops of a loop, which closes in the configuration in which it began."""
    ends, values = (first, len(stops) - 1), states[first].values
    return [replace(each, taught=values) if each.number in ends else each for each in stops]


def _complete(
    points: Sequence[Waypoint],
    names: Sequence[str],
    start: Mapping[str, Any],
    options: PlanOptions,
) -> list[Waypoint]:
    """Returns the waypoints of a program with the way from the start, and back to the first."""
    whole = [replace(each, name=name_of(each, number)) for number, each in enumerate(points)]
    # A rest is needed where a move waits for another program.
    whole = [
        replace(each, blend=0.0) if number + 1 < len(whole) and whole[number + 1].after else each
        for number, each in enumerate(whole)
    ]
    if options.loop:
        whole.append(replace(whole[0], name=_BACK, pause=0.0, after=""))
    own = {name: float(at) for name, at in start.items() if name in names}
    if own:
        whole = [Waypoint(name=_START, positions=own), replace(whole[0], move="joint"), *whole[1:]]
    return whole


def _refuse(problems: Sequence[PlanProblem]) -> Plan:
    first = problems[0].message
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return Plan(success=False, problems=tuple(problems), message=f"{first}{more}")


def _finish(
    given: Any, runs: Sequence[ProgramRun], count: int, asked: tuple[PlanOptions, Diagnostics]
) -> Plan:
    options, diagnostics = asked
    found = schedule(runs, count)
    contacts: tuple[LinkContact, ...] = ()
    if options.collisions:
        objects: Any = () if isinstance(given, Robot) else "visible"
        report = check_collisions(
            given, found.trajectory, objects=objects, options=CheckOptions(),
            diagnostics=diagnostics,
        )  # fmt: skip
        contacts = report.contacts
    duration = float(found.trajectory.times[-1])
    message = f"{count} waypoints, cycle time {duration:.2f} s"
    if contacts:
        message += f", {len(contacts)} contact{'s' * (len(contacts) > 1)}"
    return Plan(
        success=True, trajectory=found.trajectory, times=found.times, duration=duration,
        moves=found.moves, contacts=contacts, message=message,
    )  # fmt: skip
