# SPDX-License-Identifier: GPL-3.0-or-later
"""From a tree and its loops to the linkage that they make."""

from collections.abc import Sequence

import numpy as np

from ...geometry.transforms import Matrix, Vector, matrices_from_poses, matrix_from_pose, plane_axes
from ...model import BALL_TYPES, LoopJoint
from ...progress import Budget
from ..forward import zero_frames
from ..motion import JointMotion
from ..tree import KinematicTree
from .gap import find_axis
from .linkage import Closure, Linkage, Variable

_ALL, _NONE = np.eye(3), np.empty((0, 3))
_PER_LOOP = 5e-5
"""Seconds of planning a loop, or placing a link."""
_LEAST_SIZE = 1e-6
"""Metres. Smaller loops do not count: sizes are divided by."""


_Asked = tuple[LoopJoint, tuple[Matrix, Vector | None]]
"""A loop, and the motions that its joint blocks, as _find_blocked returns them."""


def plan_linkage(
    tree: KinematicTree, loops: Sequence[LoopJoint], budget: Budget | None = None
) -> Linkage | None:
    """Returns the linkage of these loops; None where none of them constrains anything. Work on it
    is counted by `budget`.

    Loops whose links are not in the tree, or whose joint leaves all free or has an unknown type,
    are passed over.
    """
    budget = budget or Budget()
    budget.spend(_PER_LOOP * (len(loops) + len(tree.links)))
    known = [(loop, allowed) for loop in loops if (allowed := _find_asked(tree, loop)) is not None]
    return _assemble(tree, known, budget) if known else None


def name_variables(tree: KinematicTree, loop: LoopJoint) -> frozenset[str]:
    """Returns the names of the variables of a loop's linkage; none of a loop that plan_linkage
    passes over."""
    if _find_asked(tree, loop) is None:
        return frozenset()
    motions = (tree.motions[place] for place in _find_way(tree, loop))
    return frozenset(_lead(tree, motion).joint.name for motion in motions if motion is not None)


def _find_asked(tree: KinematicTree, loop: LoopJoint) -> tuple[Matrix, Vector | None] | None:
    if loop.link1 not in tree.index or loop.link2 not in tree.index:
        return None
    return _find_blocked(loop)


def _assemble(tree: KinematicTree, known: Sequence[_Asked], budget: Budget) -> Linkage:
    ways = [_find_way(tree, loop) for loop, _ in known]
    passed = {place for way in ways for place in way}
    places = sorted({above for place in passed for above in _joints_above(tree, place)})
    number = {place: index for index, place in enumerate(places)}
    moving = [tree.motions[place] if place in passed else None for place in places]
    rows = [
        (index, row)
        for index, motion in enumerate(moving)
        if motion is not None
        for row in _rows_of(motion)
    ]
    owners = [places[index] for index, _ in rows]
    zero = zero_frames(tree)
    closures = tuple(
        _plan_closure(tree, asked, number, zero, [way.get(place, 0.0) for place in owners])
        for asked, way in zip(known, ways, strict=True)
    )
    variables = _list_variables(tree, [motion for motion in moving if motion is not None])
    mixing, offsets = _mix(tree, [(moving[index], row[2]) for index, row in rows], variables)
    turning = np.array([row[0] for _, row in rows], dtype=bool)
    # Where everything is on one spot, as nuts on their screws are, slides alone have a length.
    extent = _measure_extent(zero, closures, places)
    size = extent if extent > _LEAST_SIZE else _measure_travel(moving)
    motions = [tree.motions[place] for place in places]
    joints = [motion.joint for motion in motions if motion is not None]
    return Linkage(
        motions=tuple(moving),
        parents=tuple(number.get(tree.parents[place], -1) for place in places),
        before=matrices_from_poses([joint.origin for joint in joints]),
        after=matrices_from_poses([joint.child_origin for joint in joints]),
        movers=np.array([index for index, _ in rows], dtype=np.intp),
        turning=turning,
        axes=np.array([row[1] for _, row in rows]).reshape(-1, 3),
        mixing=mixing,
        offsets=offsets,
        units=_find_units(variables, size, mixing, turning),
        variables=variables,
        closures=closures,
        size=size,
        budget=budget,
    )


def _plan_closure(
    tree: KinematicTree, asked: _Asked, number: dict[int, int], zero: Matrix, signs: Sequence[float]
) -> Closure:
    loop, (blocked, axis) = asked
    return Closure(
        joint=loop,
        ends=_ends_of(tree, loop, number),
        frames=_frames_of(tree, loop, number, zero),
        signs=np.array(signs),
        blocked=blocked,
        axis=axis,
    )


def _find_blocked(loop: LoopJoint) -> tuple[Matrix, Vector | None] | None:
    """Returns the rows (K, 6) of shift and turn that a loop's joint blocks, and the axis about
    which it may turn; None where it blocks nothing."""
    kind = "revolute" if loop.type == "continuous" else loop.type
    if kind == "fixed":
        return _block(_ALL, _ALL), None
    if kind in BALL_TYPES:
        return _block(_ALL, _NONE), None
    axis = find_axis(loop)
    if kind not in ("revolute", "prismatic", "planar", "cylindrical") or axis is None:
        return None
    across = np.array(plane_axes(axis))
    if kind == "prismatic":
        return _block(across, _ALL), None
    shifts = {"revolute": _ALL, "planar": axis[None], "cylindrical": across}[kind]
    return _block(shifts, across), axis


def _block(shifts: Matrix, turns: Matrix) -> Matrix:
    rows = np.zeros((len(shifts) + len(turns), 6))
    rows[: len(shifts), :3] = shifts
    rows[len(shifts) :, 3:] = turns
    return rows


def _find_way(tree: KinematicTree, loop: LoopJoint) -> dict[int, float]:
    """Returns place of a joint -> by which sign it moves the second link against the first."""
    path = tree.path(loop.link1, loop.link2)
    return {
        int(place): float(sign)
        for place, sign in zip(path.places, path.signs, strict=True)
        if (motion := tree.motions[place]) is not None and motion.moves
    }


def _joints_above(tree: KinematicTree, place: int) -> list[int]:
    return [above for above in tree.ancestors(place) if tree.motions[above] is not None]


def _ends_of(tree: KinematicTree, loop: LoopJoint, number: dict[int, int]) -> tuple[int, int]:
    first, second = (_carrier(tree, link, number) for link in (loop.link1, loop.link2))
    return number.get(first, -1), number.get(second, -1)


def _carrier(tree: KinematicTree, link: str, number: dict[int, int]) -> int:
    """Returns the place of the joint of the linkage that moves a link; -1 where none does."""
    place = tree.index[link]
    return next((above for above in tree.ancestors(place) if above in number), -1)


def _frames_of(
    tree: KinematicTree, loop: LoopJoint, number: dict[int, int], zero: Matrix
) -> Matrix:
    """Returns (2, 4, 4) the joint's frames where the linkage knows them: below its joints there are
    only fixed ones. `zero` are the frames of all links at zero."""
    frames = []
    for link, origin in ((loop.link1, loop.origin1), (loop.link2, loop.origin2)):
        carrier = _carrier(tree, link, number)
        frame = zero[tree.index[link]] @ matrix_from_pose(origin)
        frames.append(frame if carrier < 0 else np.linalg.solve(zero[carrier], frame))
    return np.array(frames)


def _rows_of(motion: JointMotion) -> list[tuple[bool, Vector, int]]:
    """Returns per degree of freedom: whether it turns, its axis, its number in the joint."""
    axis = np.array(motion.axis)
    if motion.is_scalar:
        return [(motion.kind == "revolute", axis, 0)]
    if motion.kind == "planar":
        u, v = plane_axes(axis)
        return [(False, u, 0), (False, v, 1), (True, axis, 2)]
    slides = [(False, row, index) for index, row in enumerate(_ALL)]
    turns = [(True, row, index) for index, row in enumerate(_ALL)]
    if motion.kind == "spherical":
        return turns
    return slides + [(turning, row, index + 3) for turning, row, index in turns]


def _list_variables(tree: KinematicTree, motions: Sequence[JointMotion]) -> tuple[Variable, ...]:
    """Lists the joints that these depend on: themselves, or the joints that they follow."""
    found: dict[str, JointMotion] = {}
    for motion in motions:
        motion = _lead(tree, motion)
        found.setdefault(motion.joint.name, motion)
    variables, count = [], 0
    for motion in found.values():
        size = len(_rows_of(motion))
        variables.append(Variable(motion=motion, columns=slice(count, count + size)))
        count += size
    return tuple(variables)


def _lead(tree: KinematicTree, motion: JointMotion) -> JointMotion:
    """Returns the joint that a joint follows by mimic, or itself."""
    return tree.motion_of[tree.lead(motion.joint.name).joint]


def _mix(
    tree: KinematicTree,
    freedoms: Sequence[tuple[JointMotion | None, int]],
    variables: Sequence[Variable],
) -> tuple[Matrix, Vector]:
    columns = {each.motion.joint.name: each.columns for each in variables}
    mixing = np.zeros((len(freedoms), sum(len(_rows_of(each.motion)) for each in variables)))
    offsets = np.zeros(len(freedoms))
    for row, (motion, number) in enumerate(freedoms):
        assert motion is not None
        mimic = tree.lead(motion.joint.name)
        mixing[row, columns[mimic.joint].start + number] = mimic.multiplier
        offsets[row] = mimic.offset
    return mixing, offsets


def _measure_extent(zero: Matrix, closures: Sequence[Closure], places: Sequence[int]) -> float:
    """Returns how far apart joints and ends of the loops are, in metres."""
    points = [zero[place][:3, 3] for place in places]
    for closure in closures:
        for end, frame in zip(closure.ends, closure.frames, strict=True):
            home = np.eye(4) if end < 0 else zero[places[end]]
            points.append((home @ frame)[:3, 3])
    return float(np.ptp(np.array(points), axis=0).max())


def _find_units(
    variables: Sequence[Variable], size: float, mixing: Matrix, turning: Vector
) -> Vector:
    """Returns (n,) how far each variable goes until a joint of the linkage moves by 1 rad or by the
    size: a motor behind a gear turns further than its joint, and a screw may travel far."""
    units = [
        1.0 if turns else size
        for variable in variables
        for turns, _, _ in _rows_of(variable.motion)
    ]
    worth = np.where(turning, 1.0, size)
    most = (np.abs(mixing) / worth[:, None]).max(axis=0, initial=0.0)
    return np.where(most > 0.0, 1.0 / np.where(most > 0.0, most, 1.0), units)


def _measure_travel(motions: Sequence[JointMotion | None]) -> float:
    """Returns metres that slides go by their limits, the longest of them; 1 where none says it."""
    spans = [
        motion.upper - motion.lower
        for motion in motions
        if motion is not None and motion.kind == "prismatic"
        if motion.lower is not None and motion.upper is not None
    ]
    return max(spans, default=0.0) or 1.0
