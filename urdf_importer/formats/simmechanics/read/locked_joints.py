# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that only loops hold still: fixed in the CAD system, free in the file.

For small motions about the assembled pose, each loop is a set of linear conditions on the speeds of
the tree's joints. A joint whose speed is zero in all of their common null space cannot move.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from ....core.diagnostics import Diagnostics, KinematicsError, quote
from ....core.kinematics.loops.freedom import group_loops
from ....core.kinematics.loops.newton import zero_pose
from ....core.kinematics.loops.plan import name_variables, plan_linkage
from ....core.kinematics.tree import KinematicTree, retrace_tree
from ....core.model import LoopJoint, Robot
from .assembly import Assembly, AssemblyJoint
from .mechanism.freedom import null_space
from .tree import SpanningTree

# Files have six digits: conditions that differ by less are one.
_TOLERANCE = 1e-4
# Larger linkages would take minutes, and there are none.
MOST_STEPS = 400_000
MOST_COLUMNS = 600


def find_held(assembly: Assembly, tree: SpanningTree, robot: Robot) -> list[AssemblyJoint]:
    """Returns the moving joints of the tree that its loops hold still, in the order of the tree."""
    try:
        still = set(_find_still(retrace_tree(robot), assembly.diagnostics))
    except KinematicsError:
        return []  # Planning the robot reports the reason.
    above = {joint.child: joint for joint in robot.joints}
    found = []
    for body in tree.bodies():
        branch = tree.branches.get(body)
        if branch is None or branch.joint is None:
            continue
        link, names = assembly.link_name(body), set[str]()
        while link != assembly.link_name(branch.parent):
            names.add(above[link].name)
            link = above[link].parent
        if names <= still:
            found.append(branch.joint)
    return found


def _find_still(tree: KinematicTree, diagnostics: Diagnostics) -> Iterator[str]:
    """The joints of a robot whose speed is zero however the loops' other joints move."""
    loops = tree.robot.loops
    if sum(len(name_variables(tree, loop)) for loop in loops) > MOST_STEPS:
        _report_unjudged(loops[0], "the loops go over too many joints", diagnostics)
        return
    for group in group_loops(tree):
        names = {name for loop in group for name in name_variables(tree, loop)}
        if len(names) > MOST_COLUMNS:
            finding = f"the loops share {len(names)} joints, too many"
            _report_unjudged(group[0], finding, diagnostics)
            continue
        linkage = plan_linkage(tree, group)
        if linkage is None:
            continue
        free = null_space(linkage.measure(zero_pose(linkage))[1], _TOLERANCE)
        for variable in linkage.variables:
            if not (np.abs(free[:, variable.columns]) > _TOLERANCE).any():
                yield variable.motion.joint.name


def _report_unjudged(loop: LoopJoint, finding: str, diagnostics: Diagnostics) -> None:
    message = f"{finding} to find out which of these cannot move"
    diagnostics.warning("loops-not-judged", message, subject=loop.name, line=loop.line)


def report_held(joints: Iterable[AssemblyJoint], diagnostics: Diagnostics) -> None:
    """Reports each, with the line of a parameter file that fixes it."""
    for joint in joints:
        diagnostics.warning(
            "held-joint",
            f"joint {quote(joint.name)} cannot move: the loops around it hold it still; to fix "
            f"it, write `freeze: [{joint.name}]` or `freezeHeld: true`",
            subject=joint.name,
            line=joint.line,
        )
