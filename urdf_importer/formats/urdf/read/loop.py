# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that close loops, as children of <robot>.

    <loop_joint name type> <link1 link xyz rpy/> <link2 link xyz rpy/> <axis xyz/>
    <drake:ball_constraint> _body_A name, _body_B name, _p_AP value, _p_BQ value, as elements

The first is Drake's old spelling, which Isaac has taken over; Isaac's own documentation writes
<link1> twice: the two ends are taken in their order. The second is Drake's newer one. Other
programs skip both. An unreadable loop is kept word for word.
"""

from ....core.diagnostics import quote
from ....core.markup.xml import Element
from ....core.model import Dynamics, LoopJoint, Pose, Robot, Vector3
from .document import Document
from .extras import read_attributes
from .joint import read_axis, read_end, read_joint_type, read_limit, read_numbers
from .numbers import (
    FARTHEST,
    LARGEST,
    MOST_CHARACTERS,
    OddNumberError,
    is_infinite,
    split_numbers,
    to_number,
)
from .pose import read_origin

BALL_CONSTRAINT = "drake:ball_constraint"

_ENDS = ("link1", "link2")
_KNOWN = frozenset({"axis", "limit", "dynamics"})


class FaultError(ValueError):
    """Why a joint cannot be read; its message continues after the joint's name."""


def read_loop_joint(element: Element, document: Document) -> LoopJoint | None:
    """Returns the loop; None where it names no links, or says more than a loop can hold: then it is
    kept word for word, as anything that URDF does not define."""
    ends = [child for child in element if child.tag in _ENDS]
    others = [child for child in element if child.tag not in _ENDS]
    document.kind = "loop_joint"
    document.name = name = document.name_of(element)
    fault = _find_fault(element, ends, others)
    if fault:
        report_unread(document, document.describe(element), fault, element.line)
        return None
    links = [read_end(end, document) for end in ends]
    first = {child.tag: child for child in others}
    return LoopJoint(
        name=name or "_to_".join(links),
        type=read_joint_type(element, document),
        link1=links[0],
        link2=links[1],
        origin1=read_origin(ends[0], document),
        origin2=read_origin(ends[1], document),
        axis=read_axis(first.get("axis"), document),
        limit=read_limit(first.get("limit"), document),
        dynamics=read_numbers(Dynamics, first.get("dynamics"), document),
        extras=tuple(document.extra(child) for child in others if child.tag not in _KNOWN),
        line=element.line,
    )


def _find_fault(element: Element, ends: list[Element], others: list[Element]) -> str:
    """Returns why something would be lost by reading it; empty where nothing is."""
    known = [child for child in others if child.tag in _KNOWN]
    if len(ends) != 2:
        return f"needs two ends and has {len(ends)}"
    if not all(end.attributes.get("link") for end in ends):
        return "has an end that names no link"
    if len({child.tag for child in known}) < len(known):
        return "has one of its elements twice"
    if any(child.tag == "axis" and "xyz" not in child.attributes for child in known):
        return "has an axis without numbers"
    if any(read_attributes(each) for each in (element, *ends, *known)):
        return "has attributes that no loop has"
    if any(len(each) for each in (*ends, *known)):
        return "has elements where a loop has none"
    return ""


# Drake's


def read_ball_constraint(element: Element, document: Document) -> LoopJoint | None:
    """Returns the ball joint; None, and an ERROR diagnostic, where it names no links, or no point:
    then it is kept word for word."""
    try:
        parts = _read_parts(element)
        ends = [_name_of(parts[f"body_{end}"]) for end in "AB"]
        points = [to_point(parts[name].attributes.get("value", "")) for name in ("p_AP", "p_BQ")]
    except FaultError as fault:
        report_unread(document, "the ball constraint", str(fault), element.line)
        return None
    return LoopJoint(
        name=document.name_of(element) or "_to_".join(ends),
        type="ball",
        link1=ends[0],
        link2=ends[1],
        origin1=Pose(xyz=points[0]),
        origin2=Pose(xyz=points[1]),
        notation="drake",
        line=element.line,
    )


def _read_parts(element: Element) -> dict[str, Element]:
    wanted = {f"{BALL_CONSTRAINT}_{name}": name for name in ("body_A", "body_B", "p_AP", "p_BQ")}
    parts = {wanted[child.tag]: child for child in element if child.tag in wanted}
    for tag, name in wanted.items():
        if name not in parts:
            raise FaultError(f"has no <{tag}>")
    if len(parts) < len(element) or not {"name"}.issuperset(element.attributes):
        raise FaultError("says more than its two bodies and points")
    return parts


def _name_of(element: Element) -> str:
    name = element.attributes.get("name", "")
    if not name:
        raise FaultError(f"has a <{element.tag}> without a name")
    return name


def to_point(text: str) -> Vector3:
    x, y, z = to_numbers(text, 3)
    return x, y, z


def check_loops(robot: Robot, document: Document) -> None:
    """Reports loops that connect missing links; these stay as written."""
    links = {link.name for link in robot.links}
    links.update(name for joint in robot.joints for name in (joint.parent, joint.child))
    for loop in robot.loops:
        lost = [name for name in (loop.link1, loop.link2) if name not in links]
        if lost or loop.link1 == loop.link2:
            fault = f"connects {quote(lost[0])}, and no link is called so" if lost else ""
            fault = fault or f"connects link {quote(loop.link1)} to itself"
            report_unread(document, f"joint {quote(loop.name)}", fault, loop.line)


def report_unread(document: Document, what: str, fault: str, line: int) -> None:
    document.diagnostics.error(
        "loop-not-read", f"{what} {fault}; it is kept as it is, and closes nothing", line=line
    )


# Numbers


def to_numbers(text: str, count: int) -> list[float]:
    """Returns so many finite numbers of a text. Raises FaultError for anything else."""
    try:
        words, _ = split_numbers(text, count)
    except OddNumberError as problem:
        raise FaultError(f"has a list of numbers which {problem}") from None
    if len(words) != count:
        raise FaultError(f"has {len(words)} numbers where {count} belong")
    return [_to_finite(word, FARTHEST) for word in words]


def to_number_or_infinity(word: str) -> float:
    return float(word) if is_infinite(word) else _to_finite(word, LARGEST)


def _to_finite(word: str, largest: float) -> float:
    if len(word) > MOST_CHARACTERS:
        raise FaultError(f"has a number of {len(word)} characters")
    try:
        return to_number(word, largest)
    except OddNumberError as problem:
        raise FaultError(f"has {quote(word)}, which {problem}") from None
