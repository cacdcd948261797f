# SPDX-License-Identifier: GPL-3.0-or-later
"""Which links touch, by Pinocchio."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pinocchio as pin

from support.real_robots import ROOT

Pair = tuple[str, str]


def _load(path: Path) -> tuple[Any, Any, list[str]]:
    model = pin.buildModelFromUrdf(str(path))
    folders = [str(ROOT), str(ROOT.parents[1])]
    shapes = pin.buildGeomFromUrdf(
        model, str(path), pin.GeometryType.COLLISION, package_dirs=folders
    )
    shapes.addAllCollisionPairs()
    return model, shapes, [model.frames[each.parentFrame].name for each in shapes.geometryObjects]


def _place(model: Any, pose: dict[str, float]) -> Any:
    q = pin.neutral(model)
    for name, position in pose.items():
        joint = model.joints[model.getJointId(name)]
        continuous = joint.nq == 2
        q[joint.idx_q : joint.idx_q + joint.nq] = (
            (math.cos(position), math.sin(position)) if continuous else position
        )
    return q


def touching_by_pinocchio(path: Path, poses: list[dict[str, float]]) -> Iterator[set[Pair]]:
    """Yields the pairs of links of a description that touch in each pose, each in order."""
    model, shapes, owners = _load(path)
    data, seen = model.createData(), pin.GeometryData(shapes)
    for pose in poses:
        pin.computeCollisions(model, data, shapes, seen, _place(model, pose), False)
        found = set()
        for pair, result in zip(shapes.collisionPairs, seen.collisionResults, strict=True):
            a, b = sorted((owners[pair.first], owners[pair.second]))
            if result.isCollision() and a != b:
                found.add((a, b))
        yield found


def distances_by_pinocchio(
    path: Path, poses: list[dict[str, float]]
) -> Iterator[dict[Pair, float]]:
    """Yields the distances of all pairs of links in each pose, in metres; no pose begins where the
    one before it ended."""
    model, shapes, owners = _load(path)
    for pose in poses:
        data, seen = model.createData(), pin.GeometryData(shapes)
        pin.computeDistances(model, data, shapes, seen, _place(model, pose))
        found: dict[Pair, float] = {}
        for pair, result in zip(shapes.collisionPairs, seen.distanceResults, strict=True):
            a, b = sorted((owners[pair.first], owners[pair.second]))
            found[a, b] = min(result.min_distance, found.get((a, b), math.inf))
        yield found
