# SPDX-License-Identifier: GPL-3.0-or-later
"""<drake:ball_constraint> of a model: two points of two bodies that Drake holds together."""

from collections.abc import Collection, Iterator

from ...diagnostics import quote
from ...markup.xml import Element
from ...model import LoopJoint, Pose
from ...names import Claims
from .page import find
from .scope import Scope

BALL_CONSTRAINT = "drake:ball_constraint"


def read_ball_constraints(
    top: Scope, links: Collection[str], taken: Collection[str]
) -> Iterator[LoopJoint]:
    """Yields the ball joints that close loops between `links`, none of which is called as one of
    `taken`; reports those that connect nothing. Raises ReadError for what is not a number."""
    claims = Claims()
    for name in taken:
        claims.claim(name)
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
