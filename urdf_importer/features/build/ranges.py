# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of joints from a search: each joint moves by itself until links touch."""

import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.arguments import diagnostics_of, options_of, robot_or_rig_of
from ...core.diagnostics import Diagnostic, Diagnostics
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ...core.model import Joint, Robot
from ...core.pipeline.extracting import find_reshaped
from ...core.progress import Progress, finish
from ...core.reshape.making.steps import OPEN_LIMIT
from ...core.reshape.references import need_joints
from ..collisions.check import avoid_collisions, check_collisions
from ..collisions.options import CheckOptions
from .options import RangeOptions

Range = tuple[float | None, float | None]
Pair = tuple[str, str]
_FINE = 1e-4
_MOST_SLIDE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRanges:
    """The result of find_ranges.

    ranges       joint -> its lower and upper limit in radians or metres, None where it is free
    contacts     joint -> the links that touch beyond each
    robot        the robot with these limits
    diagnostics  meshes that were not found
    """

    ranges: dict[str, Range]
    contacts: dict[str, tuple[Pair | None, Pair | None]]
    robot: Robot
    diagnostics: tuple[Diagnostic, ...]


def find_ranges(
    robot_or_armature: Robot | Any,
    *,
    options: RangeOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> FoundRanges:
    """Finds how far each joint can move from the shown pose, or from zero, before links touch that
    do not touch there, and changes nothing: `update_robot(armature, robot=found.robot)` puts the
    limits in. Neighbours count where there is a gap between them; followers go along.

    A joint that is free both ways keeps its limits, and is continuous where it has none. Contacts
    narrower than a step may be missed. Raises KinematicsError for an unknown joint, BuildError for
    an object that is not an imported robot.
    """
    return finish(range_steps(robot_or_armature, options, diagnostics))


def range_steps(
    robot_or_armature: Any, options: RangeOptions | None, diagnostics: Diagnostics | None = None
) -> Generator[Progress, None, FoundRanges]:
    """Runs find_ranges in steps, for progress bars."""
    given = robot_or_rig_of(robot_or_armature)
    options, diagnostics = options_of(options, RangeOptions), diagnostics_of(diagnostics)
    robot = given if isinstance(given, Robot) else find_reshaped(given)
    need_joints(robot, options.joints)
    tree = retrace_tree(robot)
    yield Progress(share=0.0, text="shapes")
    start = _find_start(given, tree)
    touching = _make_probe(given, options, diagnostics, start)
    searched = [
        motion.joint
        for motion in tree.joint_motions
        if motion.is_scalar
        and motion.joint.name not in tree.masters
        and (not options.joints or motion.joint.name in options.joints)
    ]
    ranges: dict[str, Range] = {}
    contacts: dict[str, tuple[Pair | None, Pair | None]] = {}
    for number, joint in enumerate(searched):
        yield Progress(share=number / len(searched), text=f"limits of {joint.name}")
        sides = [_search(joint, side, start, options, touching) for side in (-1.0, 1.0)]
        ranges[joint.name] = (sides[0][0], sides[1][0])
        contacts[joint.name] = (sides[0][1], sides[1][1])
    joints = tuple(
        _put_range(each, ranges[each.name], start[each.name], options)
        if each.name in ranges
        else each
        for each in robot.joints
    )
    return FoundRanges(
        ranges=ranges,
        contacts=contacts,
        robot=replace(robot, joints=joints),
        diagnostics=tuple(diagnostics),
    )


Probe = Callable[[Mapping[str, Any]], Pair | None]


def _find_start(given: Any, tree: KinematicTree) -> dict[str, Any]:
    """Returns the shown pose; of a description zero, or the nearest that limits allow."""
    if not isinstance(given, Robot):
        from ...core.blender.standing.pose import get_joint_positions

        return dict(get_joint_positions(given))
    start: dict[str, Any] = {}
    for motion in tree.joint_motions:
        if motion.is_scalar:
            lower, upper = _bounds(motion.joint)
            start[motion.joint.name] = min(max(0.0, lower), upper)
    return start


def _bounds(joint: Joint) -> tuple[float, float]:
    limit = joint.limit
    if limit is None or joint.type == "continuous":
        return -math.inf, math.inf
    lower = -math.inf if limit.lower is None else limit.lower
    return lower, math.inf if limit.upper is None else limit.upper


def _make_probe(
    given: Any, options: RangeOptions, diagnostics: Diagnostics, start: Mapping[str, Any]
) -> Probe:
    """Returns a function that gives the links that touch in a pose, but for pairs that touch at the
    start."""
    files: Any = {"packages": options.packages, "package_paths": options.package_paths}
    looking = CheckOptions(disabled="none", **files)
    first = avoid_collisions(given, options=looking, diagnostics=diagnostics)
    first(start)
    allowed = first.touching
    if options.gap:
        near = replace(looking, margin=options.gap)
        report = check_collisions(given, start, options=near)
        allowed = tuple({(each.link1, each.link2) for each in report.contacts})

        def check(positions: Mapping[str, Any]) -> Pair | None:
            wanted = replace(near, allowed=allowed)
            found = check_collisions(given, positions, options=wanted).contacts
            return (found[0].link1, found[0].link2) if found else None

        return check
    tester = avoid_collisions(given, options=replace(looking, allowed=allowed))

    def touch(positions: Mapping[str, Any]) -> Pair | None:
        return tester.touching[0] if tester(positions) else None

    return touch


def _search(
    joint: Joint, side: float, start: Mapping[str, Any], options: RangeOptions, touching: Probe
) -> tuple[float | None, Pair | None]:
    """Returns the limit on one side, and the links that touch beyond it; None for both where the
    joint is free."""
    slides = joint.type == "prismatic"
    step = options.slide_step if slides else options.step
    most = _find_most(joint, options)
    margin = options.slide_margin if slides else options.margin
    free, reached, pair = 0.0, 0.0, None
    while pair is None and reached < most:
        free, reached = reached, min(reached + step, most)
        pair = touching({**start, joint.name: start[joint.name] + side * reached})
    if pair is None:
        return None, None
    while reached - free > _FINE:
        middle = 0.5 * (free + reached)
        found = touching({**start, joint.name: start[joint.name] + side * middle})
        if found is None:
            free = middle
        else:
            reached, pair = middle, found
    return start[joint.name] + side * max(free - margin, 0.0), pair


def _find_most(joint: Joint, options: RangeOptions) -> float:
    return min(options.most, _MOST_SLIDE) if joint.type == "prismatic" else options.most


def _put_range(joint: Joint, found: Range, start: float, options: RangeOptions) -> Joint:
    lower, upper = found
    limit = joint.limit or OPEN_LIMIT
    bounds = _bounds(joint)
    if lower is None and upper is None:
        if joint.type == "revolute" and not any(map(math.isfinite, bounds)):
            return replace(joint, type="continuous", limit=limit)
        return joint
    most = _find_most(joint, options)
    low, high = (each if math.isfinite(each) else None for each in bounds)
    if lower is None:
        lower = min(start - most if low is None else low, start)
    if upper is None:
        upper = max(start + most if high is None else high, start)
    type = "revolute" if joint.type == "continuous" else joint.type
    return replace(joint, type=type, limit=replace(limit, lower=lower, upper=upper))
