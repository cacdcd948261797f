# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame and length of every bone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..model import Box, Capsule, Cylinder, Geometry, Link, Sphere
from .directions import Direction, Surroundings, direct_bone
from .rig_plan import ExactAxes
from .seeds import BoneSeed, Skeleton, Target, choose_target, find_targets
from .transforms import Matrix, Vector, rotations_about
from .tree import KinematicTree

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
    tree: KinematicTree, frames: Matrix, skeleton: Skeleton, size: float
) -> list[BoneShape]:
    """One shape per bone of the skeleton, in its order. `frames`: all links, joints at zero."""
    targets = find_targets(tree, frames, skeleton, size)
    shapes: list[BoneShape] = []
    for seed, found in zip(skeleton.seeds, targets, strict=True):
        parent = shapes[seed.parent] if seed.parent >= 0 else None
        around = _look_around(tree, frames, skeleton, seed, found, parent)
        links = list(seed.group.links) if seed.group else [seed.link]
        direction = direct_bone(seed.group, frames[links], around)
        shapes.append(_give_length(frames[seed.link, :3, 3], direction, parent, size))
    return _unfold(skeleton, shapes)


def _unfold(skeleton: Skeleton, shapes: list[BoneShape]) -> list[BoneShape]:
    """Turns bones away from children that fold back on them almost, but not quite, exactly.

    Blender takes a bone within 2.5e-4 radians of its parent's -Y for one that is exactly there. A
    bone of one axis then gets another direction by itself; one of several axes has no choice, so
    its parent must give way, which may turn about its own X.
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
    """Which of a bone's axes its joints need exact."""
    if seed.group is None:
        return ""
    single = len(seed.group.motions) == 1 and seed.group.motions[0].is_scalar
    return "x" if single else "xyz"


def _look_around(
    tree: KinematicTree,
    frames: Matrix,
    skeleton: Skeleton,
    seed: BoneSeed,
    targets: Sequence[Target],
    parent: BoneShape | None,
) -> Surroundings:
    frame = frames[seed.link]
    last = seed.group.links[-1] if seed.group else seed.link
    above = skeleton.seeds[seed.parent].group if seed.parent >= 0 else None
    return Surroundings(
        limb=choose_target(frame[:3, 3], targets),
        bulk=_find_bulk(tree.links[last], frames[last]),
        parent=None if parent is None else parent.axes,
        joint=frame[:3, :3],
        parent_turns=above is not None and above.motions[0].is_scalar,
    )


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


def _find_bulk(link: Link, frame: Matrix) -> Vector | None:
    """From the link's origin to its centre of mass, or to the middle of its shapes' origins."""
    if link.inertial is not None and any(link.inertial.origin.xyz):
        offset = np.array(link.inertial.origin.xyz)
    else:
        shapes = link.visuals or link.collisions
        points = [shape.origin.xyz for shape in shapes if any(shape.origin.xyz)]
        if not points:
            return None
        offset = np.array(points).mean(axis=0)
    bulk: Vector = frame[:3, :3] @ offset
    return bulk if np.linalg.norm(bulk) > NEVER_SHORTER else None


def measure_robot(tree: KinematicTree, frames: Matrix) -> float:
    """A length typical of the whole robot: the diagonal around its link origins and primitive
    shapes, joints at zero; one metre where there is nothing to measure."""
    low = frames[:, :3, 3].min(axis=0)
    high = frames[:, :3, 3].max(axis=0)
    widest = max((_shape_size(shape.geometry) for link in tree.links
                  for shape in link.visuals or link.collisions), default=0.0)  # fmt: skip
    size = max(float(np.linalg.norm(high - low)), min(widest, 1e3))
    return size if size > 10 * NEVER_SHORTER else 1.0


def _shape_size(geometry: Geometry) -> float:
    match geometry:
        case Box(size=size):
            return max(size)
        case Sphere(radius=radius):
            return 2 * radius
        case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
            return max(2 * radius, length)
        case _:
            return 0.0
