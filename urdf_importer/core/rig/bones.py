# SPDX-License-Identifier: GPL-3.0-or-later
"""The direction of a bone, and which of its channels hold the positions of its joints.

X is the joint's axis and cannot be chosen; Y, the way the bone points, may be anything orthogonal
to it. It follows the limb, as native IK, animators and game engines expect.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..diagnostics import Diagnostics, quote
from ..geometry.transforms import (
    Matrix,
    Vector,
    cross,
    length_of,
    plane_axes,
    rotations_about,
    unit,
)
from ..kinematics.motion import JointMotion
from ..kinematics.tree import KinematicTree
from ..model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Link, Sphere
from .rig_plan import BoneChannel, ExactAxes, JointPlan, Property
from .skeleton import BoneSeed, JointGroup, Skeleton, choose_target, find_targets, joint_axes

PARALLEL = 1e-3
"""Below this share of its length, the rest of a vector off the axis is noise of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoneSurroundings:
    """Hints for the direction of a bone, in the robot's frame.

    limb      from the head to where the limb continues; None where that is not clear
    bulk      from the head to the link's centre of mass or shapes; None where unknown
    parent    (3, 3) axes of the parent bone; None without parent
    joint     (3, 3) axes of the joint frame
    parent_turns  whether the parent's X is a joint axis
    """

    limb: Vector | None
    bulk: Vector | None
    parent: Matrix | None
    joint: Matrix
    parent_turns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """`axes` (3, 3) are the bone's X, Y, Z as columns. `length` along the limb, None where the bone
    does not follow it. `slots`: per joint of the bone, (index of its axis, sign)."""

    axes: Matrix
    length: float | None = None
    slots: tuple[tuple[int, int], ...] = ()


def direct_bone(group: JointGroup | None, frames: Matrix, around: BoneSurroundings) -> Direction:
    """Directs a bone; `frames` are the joint frames (N, 4, 4) of the group, all joints at zero."""
    if group is None:
        return _direct_fixed(around)
    kind = group.motions[0].kind
    if kind in ("floating", "spherical"):
        return Direction(axes=around.joint)
    if kind == "planar":
        normal = np.array(group.motions[0].axis)
        return Direction(axes=around.joint @ np.stack([normal, *plane_axes(normal)], axis=1))
    axes = joint_axes(group.motions, frames)
    lines = _find_lines(axes, [motion.kind for motion in group.motions])
    if len(lines) == 1:
        direction = _direct_single(axes[lines[0]], around)
    else:
        turning = sum(motion.kind == "revolute" for motion in group.motions)
        direction = _direct_combined([axes[line] for line in lines], turning, around)
    cosines = axes @ direction.axes
    slots = tuple(
        (int(np.argmax(np.abs(row))), 1 if row[np.argmax(np.abs(row))] > 0 else -1)
        for row in cosines
    )
    return Direction(axes=direction.axes, length=direction.length, slots=slots)


def _find_lines(axes: Matrix, kinds: Sequence[str]) -> list[int]:
    """Indices of axes that are not parallel to another, turning ones first."""
    lines: list[int] = []
    for index in sorted(range(len(kinds)), key=lambda i: kinds[i] != "revolute"):
        if all(abs(axes[index] @ axes[line]) < 0.5 for line in lines):
            lines.append(index)
    return lines


def _direct_single(axis: Vector, around: BoneSurroundings) -> Direction:
    if around.limb is not None:
        across = _reject(around.limb, axis)
        if across is not None:
            return Direction(axes=_frame(axis, across), length=length_of(across))
    return Direction(axes=_frame(axis, _choose_across(axis, around)))


def _choose_across(axis: Vector, around: BoneSurroundings) -> Vector:
    """Without a limb to follow: in the parent bone's plane, else to the bulk, else joint z or x."""
    bulk = None if around.bulk is None else _reject(around.bulk, axis)
    if around.parent is not None and around.parent_turns:
        shared = cross(axis, around.parent[:, 0])
        if length_of(shared) > PARALLEL:
            towards = [v for v in (bulk, around.parent[:, 1], around.limb) if v is not None]
            return _turn_towards(shared, towards)
    if bulk is not None:
        return bulk
    candidates = [] if around.parent is None else [around.parent[:, 1]]
    for vector in (*candidates, around.joint[:, 2], around.joint[:, 0]):
        across = _reject(vector, axis)
        if across is not None:
            return across
    raise AssertionError("z and x cannot both be parallel to the axis")


def _direct_combined(lines: list[Vector], turning: int, around: BoneSurroundings) -> Direction:
    """Axes on the bone's main axes: the one along the limb on Y, the first of the others on X."""
    spare = len(lines) == 2
    main = [*lines, cross(lines[0], lines[1])] if spare else lines
    along = main if turning >= 2 else main[1:]
    towards = around.limb
    if towards is None:
        hints = [v for v in (around.bulk, None if around.parent is None else around.parent[:, 1])]
        hint = next((v for v in hints if v is not None), np.zeros(3))
        rest = main[-1] if turning >= 2 else main[1]
        chosen = rest if rest @ hint >= -PARALLEL * length_of(hint) else -rest
    else:
        chosen = max(
            (sign * v for v in along for sign in (1, -1)), key=lambda v: float(v @ towards)
        )
    x = next(v for v in main if abs(v @ chosen) < 0.5)
    length = None if towards is None else float(chosen @ towards)
    return Direction(axes=_frame(x, chosen), length=length)


def _direct_fixed(around: BoneSurroundings) -> Direction:
    limb = around.limb
    y = unit(limb) if limb is not None else around.joint[:, 2]
    sides = [] if around.parent is None else [around.parent[:, 0]]
    across = next(
        found
        for vector in (*sides, around.joint[:, 0], around.joint[:, 1])
        if (found := _reject(vector, y)) is not None
    )
    x = unit(across)
    axes = np.array((x, y, cross(x, y))).T.copy()
    return Direction(axes=axes, length=None if limb is None else length_of(limb))


def _reject(vector: Vector, axis: Vector) -> Vector | None:
    """A vector without its part along the axis; None where nothing remains."""
    across: Vector = vector - (vector @ axis) * axis
    return across if length_of(across) > PARALLEL * length_of(vector) else None


def _turn_towards(vector: Vector, towards: Sequence[Vector]) -> Vector:
    """`vector` or its opposite, whichever leads to the first of `towards` that says."""
    for other in towards:
        side = float(vector @ other)
        if abs(side) > PARALLEL * (length_of(other) * length_of(vector)):
            return vector if side > 0 else -vector
    return vector


def _frame(x: Vector, towards: Vector) -> Matrix:
    """Right-handed axes with X exactly `x` and Y as near to `towards` as can be."""
    y = unit(towards - (towards @ x) * x)
    return np.array((x, y, cross(x, y))).T.copy()


LONGEST_SUBSTITUTE = 0.08
SHORTEST_SUBSTITUTE = 0.02
SHORTEST = 0.003
"""Lengths as shares of the robot's size. Bones with no limb to follow take 0.6 of their parent's
length within the first two; shorter limbs than the last get such a length too: a bone's direction
is only as good as 6e-8 times its distance from the origin divided by its length."""

NEVER_SHORTER = 1e-5
"""Metres. Blender before 5.0 drops edit bones under about 1e-6 when edit mode is left."""


_UNFOLDING = rotations_about(np.array([[1.0, 0.0, 0.0]]), np.array([0.034]))[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoneShape:
    """`axes` (3, 3): X, Y, Z as columns. `slots`: per joint, (index of its axis, sign)."""

    head: Vector
    axes: Matrix
    length: float
    slots: tuple[tuple[int, int], ...] = ()


def shape_bones(
    tree: KinematicTree, links: Matrix, frames: Matrix, skeleton: Skeleton, size: float
) -> list[BoneShape]:
    """Returns one shape per bone of the skeleton, in its order. `links` are the frames of all
    links, `frames` the frames of the joints above them, with all joints at zero."""
    targets = find_targets(tree, links, frames, skeleton, size)
    shapes: list[BoneShape] = []
    for seed, found in zip(skeleton.seeds, targets, strict=True):
        parent = shapes[seed.parent] if seed.parent >= 0 else None
        above = skeleton.seeds[seed.parent].group if parent is not None else None
        held = list(seed.group.links) if seed.group else [seed.link]
        frame, last = frames[seed.link], held[-1]
        around = BoneSurroundings(
            limb=choose_target(frame[:3, 3], found),
            bulk=_find_bulk(tree.links[last], links[last], frames[last]),
            parent=None if parent is None else parent.axes,
            joint=frame[:3, :3],
            parent_turns=above is not None and above.motions[0].is_scalar,
        )
        direction = direct_bone(seed.group, frames[held], around)
        shapes.append(_give_length(frame[:3, 3], direction, parent, size))
    return _unfold(skeleton, shapes)


def _unfold(skeleton: Skeleton, shapes: list[BoneShape]) -> list[BoneShape]:
    """Turns bones away from children that fold back on them almost, but not quite, exactly.

    Blender treats a bone within 2.5e-4 radians of its parent's -Y as exactly there. A bone of one
    axis then gets another direction by itself; a bone of several axes has no choice, so its parent
    must give way, which may turn about its own X.
    """
    for seed, shape in zip(skeleton.seeds, shapes, strict=True):
        if seed.parent < 0 or exact_axes(seed) != "xyz":
            continue
        parent = shapes[seed.parent]
        x, y, z = parent.axes.T @ shape.axes[:, 1]
        folds = y < 0 and 1e-7 < np.hypot(x, z) < 5e-3
        if folds and exact_axes(skeleton.seeds[seed.parent]) != "xyz":
            shapes[seed.parent] = replace(parent, axes=parent.axes @ _UNFOLDING)
    return shapes


def exact_axes(seed: BoneSeed) -> ExactAxes:
    """Returns which of a bone's axes its joints need exact."""
    if seed.group is None:
        return ""
    single = len(seed.group.motions) == 1 and seed.group.motions[0].is_scalar
    return "x" if single else "xyz"


def _give_length(
    head: Vector, direction: Direction, parent: BoneShape | None, size: float
) -> BoneShape:
    length = direction.length
    if length is None or length < SHORTEST * size:
        wished = 0.6 * parent.length if parent is not None else LONGEST_SUBSTITUTE * size
        length = min(max(wished, SHORTEST_SUBSTITUTE * size), LONGEST_SUBSTITUTE * size)
    return BoneShape(
        head=head,
        axes=direction.axes,
        length=max(length, NEVER_SHORTER),
        slots=direction.slots,
    )


def _find_bulk(link: Link, frame: Matrix, joint: Matrix) -> Vector | None:
    """From the joint's origin to the link's centre of mass, or to the middle of its shapes'
    origins."""
    if link.inertial is not None and any(link.inertial.origin.xyz):
        offset = np.array(link.inertial.origin.xyz)
    else:
        shapes = link.visuals or link.collisions
        points = [shape.origin.xyz for shape in shapes if any(shape.origin.xyz)]
        if not points:
            return None
        offset = np.array(points).mean(axis=0)
    bulk: Vector = frame[:3, :3] @ offset
    bulk = bulk + (frame[:3, 3] - joint[:3, 3])
    return bulk if length_of(bulk) > NEVER_SHORTER else None


def measure_robot(tree: KinematicTree, frames: Matrix) -> float:
    """Returns a length typical of the whole robot: the diagonal around its link origins and
    primitive shapes, joints at zero; one metre where there is nothing to measure."""
    low = frames[:, :3, 3].min(axis=0)
    high = frames[:, :3, 3].max(axis=0)
    widest = max((_shape_size(shape.geometry) for link in tree.links
                  for shape in link.visuals or link.collisions), default=0.0)  # fmt: skip
    size = max(length_of(high - low), min(widest, 1e3))
    return size if size > 10 * NEVER_SHORTER else 1.0


def _shape_size(geometry: Geometry) -> float:
    match geometry:
        case Box(size=size):
            return max(size)
        case Sphere(radius=radius):
            return 2 * radius
        case (
            Cylinder(radius=radius, length=length)
            | Capsule(radius=radius, length=length)
            | Cone(radius=radius, length=length)
        ):
            return max(2 * radius, length)
        case Ellipsoid(radii=radii):
            return 2 * max(radii)
        case _:
            return 0.0


_ALL_OF = {
    "planar": (("location", 1), ("location", 2), ("rotation_euler", 0)),
    "floating": (*(("location", i) for i in range(3)), *(("rotation_euler", i) for i in range(3))),
    "spherical": tuple(("rotation_euler", i) for i in range(3)),
}


def plan_joints(
    group: JointGroup, shape: BoneShape, bone: str, diagnostics: Diagnostics
) -> list[JointPlan]:
    """Plans the joints of one bone, outermost first."""
    if not group.motions[0].is_scalar:
        return [_plan_free(group.motions[0], bone)]
    return [
        _plan_scalar(motion, bone, slot, diagnostics)
        for motion, slot in zip(group.motions, shape.slots, strict=True)
    ]


def rotation_mode(joints: Sequence[JointPlan]) -> str:
    """Returns Blender's Euler order for the joints of a bone.

    The outermost joint is last in Blender's name. Two turning joints leave the middle place to the
    axis about which nothing turns: with nothing in the middle there is no gimbal lock.
    """
    turning = [j.channels[0].index for j in joints if j.kind == "revolute"]
    if len(turning) < 2:
        return "XYZ"
    spare = [index for index in range(3) if index not in turning]
    order = [turning[0], *spare, turning[1]] if spare else turning
    return "".join("XYZ"[index] for index in reversed(order))


def _plan_scalar(
    motion: JointMotion, bone: str, slot: tuple[int, int], diagnostics: Diagnostics
) -> JointPlan:
    prop: Property = "rotation_euler" if motion.kind == "revolute" else "location"
    initial = 0.0 if motion.mimic else motion.nearest_valid(0.0)
    if initial != 0.0:
        diagnostics.remark(
            "zero-outside-limits",
            f"joint {quote(motion.joint.name)} cannot be at zero "
            f"({motion.lower:g} to {motion.upper:g}); it starts at {initial:g}"
            if motion.lower is not None and motion.upper is not None
            else f"joint {quote(motion.joint.name)} cannot be at zero; it starts at {initial:g}",
            subject=motion.joint.name,
            line=motion.joint.line,
        )
    return JointPlan(
        joint=motion.joint,
        kind=motion.kind,
        channels=(BoneChannel(bone=bone, property=prop, index=slot[0]),),
        sign=slot[1],
        lower=motion.lower,
        upper=motion.upper,
        initial=initial,
        mimics=motion.mimic.joint if motion.mimic else "",
    )


def _plan_free(motion: JointMotion, bone: str) -> JointPlan:
    channels = tuple(
        BoneChannel(bone=bone, property=prop, index=index)  # type: ignore[arg-type]
        for prop, index in _ALL_OF[motion.kind]
    )
    return JointPlan(
        joint=motion.joint,
        kind=motion.kind,
        channels=channels,
        mimics=motion.mimic.joint if motion.mimic else "",
    )
