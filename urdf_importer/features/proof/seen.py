# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as a reader of a file sees it, in numbers that can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...core.geometry.inertia import BodyMass, body_of
from ...core.geometry.transforms import Matrix, invert, matrix_from_pose
from ...core.kinematics.forward import place_links
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ...core.meshes import RobotFiles
from ...core.model import Robot
from .options import LintOptions
from .survey import RobotSurvey, find_extremes

Positions = Mapping[str, float]
Range = tuple[float | None, float | None, float | None, float | None]
"""Lower and upper end, effort and velocity; None for one that is not there."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """The view of a reader; empty where it cannot say.

    frames    per pose, link -> (4, 4) in a frame that all links share; none where it sees no places
    parents   link -> the link above it
    masses    link -> its mass, in the frame of the first pose
    ranges    joint -> its limits
    points    link -> (N, 3) corners of its shapes, in the frame of the first pose
    shapes    link -> number of its visuals and of its collision shapes
    joints    link -> the joint above it
    facts     sentence about the file -> whether all is well
    """

    frames: Sequence[Mapping[str, Matrix]]
    parents: Mapping[str, str] = field(default_factory=dict)
    masses: Mapping[str, BodyMass] | None = None
    ranges: Mapping[str, Range] | None = None
    points: Mapping[str, Matrix] | None = None
    shapes: Mapping[str, tuple[int, int]] | None = None
    joints: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, tuple[bool, str]] = field(default_factory=dict)


def draw_poses(tree: KinematicTree, number: int, seed: int) -> list[dict[str, float]]:
    """Returns zero and so many random positions of the independent scalar joints, within their
    limits."""
    rng = np.random.default_rng(seed)
    free = [m for m in tree.joint_motions if m.is_scalar and m.mimic is None]
    poses: list[dict[str, float]] = [{}]
    for _ in range(number):
        pose = {}
        for motion in free:
            low, high = np.clip(motion.ends, -1.0, 1.0)
            pose[motion.joint.name] = float(rng.uniform(low, max(low, high)))
        poses.append(pose)
    return poses


def see_robot(
    robot: Robot,
    files: RobotFiles | None,
    poses: Sequence[Positions],
    original: KinematicTree | None = None,
) -> Seen:
    """Returns a description as it is; without `files` its shapes stay unseen. Joints that it does
    not have keep their zero; one with another name than in the `original` is known by the link that
    it moves. Raises KinematicsError where it is not a tree."""
    tree = retrace_tree(robot)
    names = tree.motion_of
    own = {name: name for name in names}
    for motion in original.joint_motions if original is not None else ():
        above = tree.joint_above(motion.joint.child)
        if motion.joint.name not in own and above is not None:
            own[motion.joint.name] = above.name
    frames = [
        place_links(
            tree, {own[n]: q for n, q in pose.items() if n in own and names[own[n]].is_scalar}
        )
        for pose in poses
    ]
    parents = {
        link.name: tree.links[parent].name
        for link, parent in zip(tree.links, tree.parents, strict=True)
        if parent >= 0
    }
    joints = {m.joint.child: m.joint.name for m in tree.joint_motions}
    return Seen(
        frames=frames,
        parents=parents,
        joints=joints,
        masses={
            link.name: body_of(link.inertial, frames[0][link.name])
            for link in tree.links
            if link.inertial is not None and (link.has_mass or link.inertial.inertia is not None)
        },
        ranges={
            m.joint.name: (m.lower, m.upper, getattr(m.joint.limit, "effort", None),
                           getattr(m.joint.limit, "velocity", None))
            for m in names.values() if m.is_scalar
        },
        points=None if files is None else _see_points(robot, files, frames[0]),
        shapes={link.name: (len(link.visuals), len(link.collisions)) for link in robot.links},
    )  # fmt: skip


def _see_points(robot: Robot, files: RobotFiles, frames: Mapping[str, Matrix]) -> dict[str, Matrix]:
    survey = RobotSurvey(robot, files, LintOptions())
    found: dict[str, list[Matrix]] = {}
    for link, shape in survey.shapes():
        measure = survey.measure(shape)
        if measure is not None:
            place = frames[link.name] @ matrix_from_pose(shape.origin)
            vertices = files.load(shape, link).vertices.astype(np.float64)
            points = vertices @ place[:3, :3].T + place[:3, 3]
            # Along the axes of all, the boxes of parts join to the box of the whole.
            found.setdefault(link.name, []).append(find_extremes(points))
    return {name: np.concatenate(points) for name, points in found.items()}


def seen_from(seen: Seen, link: str, original: Seen) -> Seen:
    """Returns the same, with a link where the original has it in each pose."""
    backs = [
        before[link] @ invert(frames[link])
        for before, frames in zip(original.frames, seen.frames, strict=False)
    ]
    first = backs[0]
    return replace(
        seen,
        frames=[
            {name: back @ frame for name, frame in frames.items()}
            for back, frames in zip(backs, seen.frames, strict=False)
        ],
        masses=seen.masses and {name: body.moved(first) for name, body in seen.masses.items()},
        points=seen.points
        and {name: points @ first[:3, :3].T + first[:3, 3] for name, points in seen.points.items()},
    )
