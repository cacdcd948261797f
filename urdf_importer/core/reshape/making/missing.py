# SPDX-License-Identifier: GPL-3.0-or-later
"""list_missing: the parts that a robot lacks for simulators, controllers and planners."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from ...arguments import robot_of
from ...diagnostics import Diagnostic, Severity, quote
from ...geometry.inertia import find_fault
from ...geometry.volumes import tensor_of
from ...kinematics.tree import KinematicTree, retrace_tree
from ...model import Joint, Link, Robot
from .steps import DEFAULT_LIMITS

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*").fullmatch
_MOVING = ("revolute", "continuous", "prismatic", "planar")


def list_missing(robot: Robot) -> tuple[Diagnostic, ...]:
    """Lists the parts that a robot lacks to be complete, its links in their order, then its joints:
    each diagnostic names its link or joint as `subject`. Nothing for a complete robot.

    Links that fixed joints hold together count as one body, so frames on these may be bare. Raises
    KinematicsError where the robot is not a tree.
    """
    robot = robot_of(robot)
    tree = retrace_tree(robot)
    found = [*_check_bodies(tree)]
    for link in robot.links:
        found += _check_inertia(link)
    for joint in robot.joints:
        found += _check_joint(joint)
    for kind, parts in (("link", robot.links), ("joint", robot.joints)):
        for each in parts:
            if not _PLAIN(each.name):
                text = f"{kind} {quote(each.name)} has a name that ROS does not take"
                found.append(_lack("unfit-name", each, text))
    return tuple(replace(each, source=robot.source) for each in found)


def _lack(code: str, part: Link | Joint, text: str) -> Diagnostic:
    return Diagnostic(
        severity=Severity.WARNING, code=code, message=text, subject=part.name, line=part.line
    )


def _check_bodies(tree: KinematicTree) -> Iterator[Diagnostic]:
    """Checks links by their rigid bodies; a root that is bare is the world."""
    bodies: dict[int, list[Link]] = defaultdict(list)
    for link, body in zip(tree.links, tree.bodies, strict=True):
        bodies[body].append(link)
    for place, links in bodies.items():
        link, is_root = tree.links[place], tree.motions[place] is None
        if is_root and all(each.is_bare for each in links):
            continue
        if not is_root and not any(each.has_mass for each in links):
            yield _lack("missing-mass", link, f"link {quote(link.name)} has no mass")
        for part in ("visual", "collision"):
            if not any(getattr(each, f"{part}s") for each in links):
                text = f"link {quote(link.name)} has no {part} shape"
                yield _lack(f"missing-{part}", link, text)


def _check_inertia(link: Link) -> Iterator[Diagnostic]:
    if not link.has_mass or link.inertial is None:
        return
    inertia = link.inertial.inertia
    tensor = tensor_of(inertia)
    if inertia is None or not tensor.any():
        text = f"link {quote(link.name)} has a mass and no inertia"
        yield _lack("missing-inertia", link, text)
    elif fault := find_fault(tensor):
        text = f"the inertia of link {quote(link.name)} {fault}"
        yield _lack("impossible-inertia", link, text)


def _check_joint(joint: Joint) -> Iterator[Diagnostic]:
    name, limit = joint.name, joint.limit
    if joint.type in _MOVING and joint.axis is not None and not math.hypot(*joint.axis):
        yield _lack("zero-axis", joint, f"joint {quote(name)} has an axis without length")
    if joint.type not in DEFAULT_LIMITS:
        return
    default = DEFAULT_LIMITS[joint.type]
    bounds = None if limit is None else (limit.lower, limit.upper)
    if bounds in (None, (None, None)):
        yield _lack("default-limit", joint, f"joint {quote(name)} has no limits")
    elif bounds == (default.lower, default.upper):
        text = f"the limits of joint {quote(name)} are the default"
        yield _lack("default-limit", joint, text)
    for word in ("effort", "velocity"):
        if limit is None or not getattr(limit, word):
            text = f"the limit of joint {quote(name)} has no {word}"
            yield _lack(f"missing-{word}", joint, text)
