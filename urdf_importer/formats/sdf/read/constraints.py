# SPDX-License-Identifier: GPL-3.0-or-later
"""Ties that are not joints: gearboxes, and <drake:ball_constraint>, two points of two bodies that
Drake holds together."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Matrix, matrix_from_pose
from ....core.markup.xml import Element
from ....core.model import Joint, LoopJoint, Mimic, Pose
from ....core.names import Claims
from .joints import Drafted
from .page import find
from .scope import WORLD, Scope

BALL_CONSTRAINT = "drake:ball_constraint"
_SCALAR = ("revolute", "continuous")
_PARALLEL = 1e-6


def read_ball_constraints(
    top: Scope, links: Collection[str], taken: Collection[str]
) -> Iterator[LoopJoint]:
    """Yields the ball joints that close loops between `links`, none with a name in `taken`; reports
    joints that connect nothing. Raises ReadError for text that is not a number."""
    claims = Claims(taken=taken)
    for scope in top.walk():
        for element in scope.element:
            if element.tag == BALL_CONSTRAINT:
                yield from _read_constraint(element, scope, links, claims)


def _read_constraint(
    element: Element, scope: Scope, links: Collection[str], claims: Claims
) -> Iterator[LoopJoint]:
    page, ends = scope.page, []
    for letter in "AB":
        name = page.text(element, f"{BALL_CONSTRAINT}_body_{letter}").strip()
        link = scope.link_of(name) if name else None
        if link is None or link.full_name not in links or link.full_name in ends:
            finding = f"body {letter} of a ball constraint, {quote(name)}, is not a second link"
            page.error("loop-not-read", f"{finding}; it closes nothing", element)
            return
        ends.append(link.full_name)
    points = []
    for letter in ("AP", "BQ"):
        tag = f"{BALL_CONSTRAINT}_p_{letter}"
        if find(element, tag) is None:
            finding = f"a ball constraint has no <{tag}>"
            page.error("loop-not-read", f"{finding}; it closes nothing", element)
            return
        points.append(page.vector(element, tag, default=(0.0, 0.0, 0.0)))
    yield LoopJoint(
        name=claims.claim("_to_".join(ends)),
        type="ball",
        link1=ends[0],
        link2=ends[1],
        origin1=Pose(xyz=points[0]),
        origin2=Pose(xyz=points[1]),
        line=element.line,
    )


# Gearboxes


def couple(
    gearbox: Drafted,
    joints: Sequence[Joint],
    places: Mapping[str, Matrix],
    tails: Mapping[str, str],
) -> list[Joint]:
    """Returns the joints as a gearbox has them: theta2 = -ratio theta1, where theta1 turns the
    parent and theta2 the child against the reference body, so the child's joint follows the
    parent's. `places` are the frames of links (4, 4); `tails` link -> the link fixed to it. A
    gearbox that couples nothing is reported."""
    page, element = gearbox.node.page, gearbox.node.element
    one, other = (_find_turning(gearbox, number, joints, places, tails) for number in (0, 1))
    if one is None or other is None or one[0].name == other[0].name or other[0].mimic is not None:
        finding = f"gearbox {quote(gearbox.name)} couples links that do not turn on its reference"
        page.error("sdf-gearbox", f"{finding} body; it is left out", element, gearbox.name)
        return list(joints)
    ratio = page.size(element, "gearbox_ratio", default=1.0)
    named = (("gearbox", gearbox.name),)
    multiplier = -ratio * one[1] * other[1]
    follows = Mimic(joint=one[0].name, multiplier=multiplier, attributes=named)
    return [replace(joint, mimic=follows) if joint is other[0] else joint for joint in joints]


def find_geared(gearbox: Drafted) -> tuple[set[str], set[str]]:
    """Returns the two ends of the joints that a gearbox couples, each with its reference body."""
    reference = _find_reference(gearbox)
    return {reference, gearbox.parent}, {reference, gearbox.child}


def _find_reference(gearbox: Drafted) -> str:
    node = gearbox.node
    name = node.page.text(node.element, "gearbox_reference_body").strip()
    link = node.scope.link_of(name) if name else None
    return WORLD if link is None else link.full_name


def _find_turning(
    gearbox: Drafted,
    number: int,
    joints: Sequence[Joint],
    places: Mapping[str, Matrix],
    tails: Mapping[str, str],
) -> tuple[Joint, float] | None:
    """Finds the joint between the reference body and an end, and which way it turns the end about
    the gearbox's axis."""
    reference, wanted = _find_reference(gearbox), gearbox.axes[number].vector
    link = (gearbox.parent, gearbox.child)[number]
    for joint in joints:
        ends = (joint.parent, tails.get(joint.child, joint.child))
        if joint.type not in _SCALAR or joint.axis is None or wanted is None:
            continue
        if ends not in ((reference, link), (link, reference)):
            continue
        frame = places[joint.parent] @ matrix_from_pose(joint.origin)
        cosine = float((frame[:3, :3] @ joint.axis) @ (gearbox.frame[:3, :3] @ np.array(wanted)))
        if abs(abs(cosine) - 1.0) < _PARALLEL:
            sign = 1.0 if cosine > 0.0 else -1.0
            return joint, sign if ends[0] == reference else -sign
    return None
