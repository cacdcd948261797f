# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that only loops hold still: fixed in the CAD system, free in the file.

For small motions about the assembled pose, each loop is a set of linear conditions on the speeds of
the tree's joints. A joint whose speed is zero in all of their common null space cannot move.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...diagnostics import Diagnostics, quote
from .assembly import Assembly, Connection
from .mechanism.freedom import null_space
from .mechanism.graph import Matrix
from .placing import Placed, steps_of, twists_of_steps
from .tree import SpanningTree

# Files have six digits: conditions that differ by less are one.
_TOLERANCE = 1e-4
# Anything bigger would take minutes, and no linkage is.
MOST_STEPS = 400_000
MOST_COLUMNS = 600


@dataclass(slots=True, kw_only=True, eq=False)
class _Loop:
    joint: Connection
    path: list[tuple[int, float]]


def find_held(
    assembly: Assembly, tree: SpanningTree, placed: Mapping[int, Placed]
) -> list[Connection]:
    """Returns the moving joints of the tree that its loops hold still, in the order of the tree."""
    loops: list[_Loop] = []
    depths = _depths(tree)
    steps = 0
    for joint in tree.loops:
        path = _path(joint, tree, depths)
        steps += len(path)
        if steps > MOST_STEPS:
            assembly.diagnostics.warning(
                "loops-not-judged",
                "the loops go over too many joints to find out which of these cannot move",
                subject=joint.name,
                line=joint.line,
            )
            return []
        loops.append(_Loop(joint=joint, path=path))
    held: set[int] = set()
    for group in _groups(loops):
        held |= _held_bodies(group, assembly, placed)
    found = []
    for body in tree.bodies():
        hang = tree.hangs.get(body)
        if body in held and hang is not None and hang.joint is not None:
            found.append(hang.joint)
    return found


def report_held(joints: Iterable[Connection], diagnostics: Diagnostics) -> None:
    """Reports each, with the line of a parameter file that fixes it."""
    for joint in joints:
        diagnostics.warning(
            "held-joint",
            f"joint {quote(joint.name)} cannot move: the loops around it hold it still; to fix "
            f"it, write `freeze: [{joint.name}]` or `freezeHeld: true`",
            subject=joint.name,
            line=joint.line,
        )


def _depths(tree: SpanningTree) -> dict[int, int]:
    depths = {tree.root: 0}
    for body in tree.bodies():
        if body != tree.root:
            depths[body] = depths[tree.hangs[body].parent] + 1
    return depths


def _path(
    joint: Connection, tree: SpanningTree, depths: Mapping[int, int]
) -> list[tuple[int, float]]:
    """The links whose joints lie between both ends of a loop, with the sign by which each moves the
    follower against the base."""
    one, other = joint.follower, joint.base
    path: list[tuple[int, float]] = []
    while one != other:
        if depths[one] >= depths[other]:
            path.append((one, 1.0))
            one = tree.hangs[one].parent
        else:
            path.append((other, -1.0))
            other = tree.hangs[other].parent
    return path


def _groups(loops: list[_Loop]) -> list[list[_Loop]]:
    """Loops that share joints, together."""
    leader: dict[int, int] = {}

    def find(body: int) -> int:
        while leader.setdefault(body, body) != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    for loop in loops:
        first = loop.path[0][0]
        for body, _ in loop.path:
            leader[find(body)] = find(first)
    groups: dict[int, list[_Loop]] = {}
    for loop in loops:
        groups.setdefault(find(loop.path[0][0]), []).append(loop)
    return list(groups.values())


def _held_bodies(loops: list[_Loop], assembly: Assembly, placed: Mapping[int, Placed]) -> set[int]:
    """The links of a group of loops whose joints cannot move."""
    bodies = list(dict.fromkeys(body for loop in loops for body, _ in loop.path))
    points = np.array([placed[body].point for body in bodies])
    center = points.mean(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-6)
    columns: dict[int, slice] = {}
    twists: dict[int, Matrix] = {}
    count = 0
    for body in bodies:
        point = (placed[body].point - center) / size
        twists[body] = twists_of_steps(placed[body].steps, point)
        columns[body] = slice(count, count + len(twists[body]))
        count = columns[body].stop
    if count > MOST_COLUMNS:
        assembly.diagnostics.warning(
            "loops-not-judged",
            f"the loops share {count} degrees of freedom, too many to find out which of them "
            "cannot move",
            subject=loops[0].joint.name,
            line=loops[0].joint.line,
        )
        return set()
    if not count:
        return set()
    rows: list[Matrix] = []
    for loop in loops:
        point = (loop.joint.frame[:3, 3] - center) / size
        blocked = _blocked(loop.joint, point, assembly)
        row = np.zeros((len(blocked), count))
        for body, sign in loop.path:
            row[:, columns[body]] += sign * (blocked @ twists[body].T)
        rows.append(row)
    free = null_space(np.vstack(rows), _TOLERANCE)
    held = set()
    for body in bodies:
        part = free[:, columns[body]]
        if part.shape[1] and (not part.size or float(np.abs(part).max()) < _TOLERANCE):
            held.add(body)
    return held


def _blocked(joint: Connection, point: Matrix, assembly: Assembly) -> Matrix:
    """(N, 6) conditions on the twist of its links that a joint at a point does not allow."""
    rotation = assembly.mechanism.bodies[joint.follower].part[:3, :3]
    steps = steps_of(joint, rotation, assembly.frames, is_reversed=False)
    allowed = twists_of_steps(steps, point)
    return null_space(allowed) if len(allowed) else np.eye(6)
