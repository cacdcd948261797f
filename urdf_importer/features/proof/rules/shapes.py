# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that are turned inside out, double, open or too heavy; links that are within others."""

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from ....core.diagnostics import Diagnostics, MeshError, quote
from ....core.geometry.hulls import convex_hull
from ....core.geometry.volumes import polyhedron_mass
from ....core.kinematics.tree import KinematicTree
from ....core.model import Collision, Link, Mesh
from ...collisions.checker import find_standing
from ...collisions.disabled_pairs import find_tester
from ...collisions.matrix import find_adjacent
from ...collisions.parts import load_parts
from ..survey import Measure, RobotSurvey, Shape
from .rule import NOTE, WARNING, Fault, Rule

_FREE = ("gazebo", "mujoco", "isaac")
_MOST_OVERLAPS = 200
"""Links; beyond it a look at all pairs takes too long."""


def is_inside_out(measure: Measure) -> bool:
    """Whether the faces of a shape look inwards, also of an open one."""
    return measure.volume < -0.05 * measure.box


def _name(shape: Shape, link: Link) -> str:
    assert isinstance(shape.geometry, Mesh)
    return f"mesh {quote(shape.geometry.filename)} of link {quote(link.name)}"


def _inside_out(survey: RobotSurvey) -> Iterator[Fault]:
    for link, shape, measure in survey.meshes():
        if is_inside_out(measure):
            yield Fault(
                link,
                f"{_name(shape, link)} encloses {measure.volume:.3g} m3, "
                f"{measure.volume / measure.box:.0%} of its box (below -5 %): its faces look "
                "inwards; mirrored without turning them?",
                shape.line,
            )


def _heavy(survey: RobotSurvey) -> Iterator[Fault]:
    most = survey.options.most_collision_triangles
    for link, shape, measure in survey.meshes():
        if isinstance(shape, Collision) and measure.triangles > most:
            text = (
                f"{_name(shape, link)} collides with {measure.triangles:,} triangles, above "
                f"{most:,}; the mesh that is shown?"
            )
            yield Fault(link, text, shape.line)


def _concave(survey: RobotSurvey) -> Iterator[Fault]:
    for link, shape, measure in survey.meshes():
        if not isinstance(shape, Collision) or not survey.weld(shape, link)[1]:
            continue
        data = survey.files.load(shape, link)
        hull = convex_hull(data.vertices[np.unique(data.corners)].astype(np.float64))
        mass = None if hull is None else polyhedron_mass(hull.vertices, hull.triangles)
        own = abs(measure.volume)
        if mass is not None and mass.volume > 2.0 * own > 0.0:
            yield Fault(
                link,
                f"{_name(shape, link)} collides, and its hull has {mass.volume / own:.1f} "
                "times its volume (2 is the bound): MuJoCo, Isaac and Drake take hulls",
                shape.line,
            )


def _duplicate(survey: RobotSurvey) -> Iterator[Fault]:
    for link, shape, _ in survey.meshes():
        faces, _ = survey.weld(shape, link)
        distinct = len(np.unique(np.sort(faces, axis=1), axis=0))
        share = 2.0 * (1.0 - distinct / max(len(faces), 1))
        if share > 0.3:
            text = f"{share:.0%} of the faces of {_name(shape, link)} are there twice (above 30 %)"
            yield Fault(link, f"{text}; exported from both sides?", shape.line)


def _open(survey: RobotSurvey) -> Iterator[Fault]:
    for link, shape, measure in survey.meshes():
        if isinstance(shape, Collision) and not survey.weld(shape, link)[1]:
            text = (
                f"{_name(shape, link)} collides and is not closed: its {measure.triangles:,} "
                "triangles have edges of one side alone"
            )
            yield Fault(link, text, shape.line)


def _overlap(survey: RobotSurvey) -> Iterator[Fault]:
    tree = survey.tree
    if tree is None or len(tree.links) > _MOST_OVERLAPS:
        return
    with suppress(MeshError):
        parts = load_parts(survey.robot.links, survey.files)
        adjacent = {frozenset(pair) for pair in find_adjacent(tree, parts)}
        standing = find_standing(tree, parts, find_tester(Diagnostics())) - adjacent
        for one, other in sorted(map(sorted, standing)):
            if _are_joined(tree, one, other):
                continue
            text = f"links {quote(one)} and {quote(other)} touch with all joints at zero"
            yield Fault(tree.links[tree.index[one]], f"{text}, and they are not neighbours")


def _are_joined(tree: KinematicTree, one: str, other: str) -> bool:
    """Whether two links belong to one rigid body, or to two that a joint joins."""
    upper, lower = sorted(tree.bodies[tree.index[name]] for name in (one, other))
    return upper == lower or tree.bodies[tree.parents[lower]] == upper


def _ground(survey: RobotSurvey) -> Iterator[Fault]:
    if survey.tree is None or any(link.name == "world" for link in survey.tree.links[:1]):
        return
    lowest = [
        (float((body.collisions @ frame[2, :3]).min() + frame[2, 3]), body)
        for body in survey.bodies
        if len(body.collisions)
        for frame in (survey.frames[survey.tree.index[body.links[0].name]],)
    ]
    if not lowest:
        return
    height, body = min(lowest, key=lambda each: each[0])
    if not -0.01 <= height <= 0.2:
        where = "below" if height < 0.0 else "above"
        yield Fault(
            body.heavy,
            f"link {quote(body.heavy.name)} is {abs(height):.3g} m {where} the root's z = 0 (from "
            "0.01 m below to 0.2 m above is usual); place the robot where it is spawned",
        )


SHAPES = (
    Rule("mesh-inside-out", WARNING, _inside_out),
    Rule("collision-heavy", NOTE, _heavy),
    Rule("collision-concave", NOTE, _concave),
    Rule("duplicate-faces", NOTE, _duplicate),
    Rule("mesh-open", NOTE, _open),
    Rule("links-overlap", NOTE, _overlap),
    Rule("base-off-ground", NOTE, _ground, _FREE),
)
