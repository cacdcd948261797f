# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses and inertias of rigid bodies against their shapes."""

import math
from collections.abc import Iterator

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Matrix, Vector
from ....core.model import Link
from ..survey import RobotSurvey
from .rule import NOTE, WARNING, Fault, Rule

_DENSEST, _LIGHTEST, _LIGHTEST_BOX = 25_000.0, 10.0, 5.0
"""kg/m3: beyond all materials; lighter than any foam, in the shapes and in their box."""
_TOKEN = 0.005
"""Of the reach: smaller visuals take the place of none."""


def _line(link: Link) -> int:
    return link.inertial.line if link.inertial is not None else 0


def _density(survey: RobotSurvey) -> Iterator[Fault]:
    whole = _box_of_robot(survey)
    for body, mass in survey.heavy_bodies:
        box = float(np.ptp(body.points, axis=0).prod())
        if box <= 0.0:
            continue
        name = f"link {quote(body.heavy.name)} weighs {mass.mass:.6g} kg"
        if mass.mass > _DENSEST * box:
            yield Fault(
                body.heavy,
                f"{name} in a box of {box:.3g} m3: {mass.mass / box:,.0f} kg/m3, and no material "
                f"has above {_DENSEST:,.0f}; grams, or shapes that are too small?",
                _line(body.heavy),
            )
        elif (
            mass.mass < _LIGHTEST * body.solid
            and mass.mass < _LIGHTEST_BOX * box
            and box > 0.003 * whole
        ):
            yield Fault(
                body.heavy,
                f"{name} in {body.solid:.3g} m3: {mass.mass / body.solid:.3g} kg/m3, and no robot "
                f"has below {_LIGHTEST:g}; tonnes, or shapes that are too large?",
                _line(body.heavy),
            )


def _box_of_robot(survey: RobotSurvey) -> float:
    """The volume of the box of all bodies at zero; an upper bound."""
    ends = [np.ptp(body.points, axis=0) for body in survey.bodies if len(body.points)]
    return float(np.sum(ends, axis=0).prod()) if ends else 0.0


def _inertia(survey: RobotSurvey) -> Iterator[Fault]:
    for body, mass in survey.heavy_bodies:
        most = float(np.linalg.eigvalsh(mass.inertia)[-1])
        far = float(np.linalg.norm(body.points - mass.center, axis=1).max())
        if most <= 0.0 or far <= 0.0:
            continue
        radius = math.sqrt(most / mass.mass)
        share = radius / far
        if 0.02 <= share <= 1.5:
            continue
        bound, cause = "0.02 times", "grams for the mass, or a token inertia"
        if share > 1.0:
            bound, cause = "5 times", "g mm2, a placeholder, or about another point"
        yield Fault(
            body.stiff,
            f"link {quote(body.stiff.name)} has an inertia of up to {most:.3g} kg m2 at "
            f"{mass.mass:.6g} kg: as if all were {radius:.3g} m from the centre, and its shapes "
            f"end at {far:.3g} m ({share:.3g} times; {bound} is the bound); {cause}?",
            _line(body.stiff),
            None if share < 0.02 or share > 5.0 else NOTE,
        )


def _axes(survey: RobotSurvey) -> Iterator[Fault]:
    for body, mass in survey.heavy_bodies:
        inertial = body.stiff.inertial
        given = inertial.inertia if inertial is not None else None
        if given is None or [given.ixx, given.iyy, given.izz].count(0.0) == 2:
            continue
        spread = 0.5 * np.trace(mass.inertia) * np.eye(3) - mass.inertia
        one, own = _long_axis(spread, 3.0)
        other, shown = _long_axis(np.cov(body.points.T), 4.0)
        if one is None or other is None:
            continue
        angle = math.degrees(math.acos(min(1.0, abs(float(one @ other)))))
        if angle > 80.0:
            yield Fault(
                body.stiff,
                f"link {quote(body.stiff.name)} is {shown:.1f} times as long as wide, and its "
                f"inertia fits to a body {own:.1f} times as long, {angle:.0f} degrees from "
                "there (80 is the bound); axes swapped, or the origin not turned?",
                _line(body.stiff),
            )


def _long_axis(spread: Matrix, least: float) -> tuple[Vector | None, float]:
    """Returns the long axis of a second moment (3, 3), and how many times as long as wide the body
    is; None for less than `least` times."""
    values, axes = np.linalg.eigh(spread)
    ratio = math.sqrt(max(values[2], 0.0) / max(values[1], 1e-9 * abs(values[2]), 1e-300))
    return (axes[:, 2] if ratio > least else None), ratio


def _centre(survey: RobotSurvey) -> Iterator[Fault]:
    for body, mass in survey.heavy_bodies:
        low, high = body.points.min(axis=0), body.points.max(axis=0)
        away = np.maximum(0.0, np.maximum(low - mass.center, mass.center - high))
        distance, diagonal = float(np.linalg.norm(away)), float(np.linalg.norm(high - low))
        if distance > 0.5 * diagonal:
            yield Fault(
                body.heavy,
                f"the centre of mass of link {quote(body.heavy.name)} is {distance:.3g} m outside "
                f"the box of its shapes, which is {diagonal:.3g} m long (half of it is the bound); "
                "millimetres, or given in another frame?",
                _line(body.heavy),
            )


def _collision_unlike(survey: RobotSurvey) -> Iterator[Fault]:
    for body in survey.bodies:
        if not body.is_whole or not len(body.visuals) or not len(body.collisions):
            continue
        low, high = body.visuals.min(axis=0), body.visuals.max(axis=0)
        under, above = body.collisions.min(axis=0), body.collisions.max(axis=0)
        gap = float(np.linalg.norm(np.maximum(0.0, np.maximum(low - above, under - high))))
        shown, solid = (float(np.linalg.norm(each)) for each in (high - low, above - under))
        link = max(body.links, key=lambda each: len(each.collisions))
        line = link.collisions[0].line
        name = f"the collision shapes of link {quote(link.name)}"
        if gap > 0.3 * max(shown, solid):
            text = (
                f"{name} are {gap:.3g} m away from its visuals, which are {shown:.3g} m long (0.3 "
                "of it is the bound); a lost or another origin?"
            )
            yield Fault(link, text, line)
        elif solid > max(8.0 * shown, 0.05 * survey.reach) and shown > _TOKEN * survey.reach:
            text = (
                f"{name} are {solid:.3g} m long and its visuals {shown:.3g} m (8 times is the "
                "bound); another scale?"
            )
            yield Fault(link, text, line)


def _no_collision(survey: RobotSurvey) -> Iterator[Fault]:
    total = survey.robot.total_mass()
    if not any(link.collisions for link in survey.robot.links):
        return
    for body in survey.bodies:
        has_none = len(body.visuals) and not any(link.collisions for link in body.links)
        if has_none and body.mass is not None and body.mass.mass > 0.01 * total:
            yield Fault(
                body.heavy,
                f"link {quote(body.heavy.name)} has visuals and {body.mass.mass:.3g} kg, above 1 % "
                "of the robot, and no collision shape; forgotten?",
            )


BODIES = (
    Rule("density-unlikely", WARNING, _density),
    Rule("inertia-unlikely", WARNING, _inertia),
    Rule("inertia-axes", WARNING, _axes),
    Rule("centre-outside", WARNING, _centre),
    Rule("collision-unlike-visual", WARNING, _collision_unlike),
    Rule("no-collision", NOTE, _no_collision),
)
