# SPDX-License-Identifier: GPL-3.0-or-later
"""<loop_joint>: a joint that closes a loop, in Drake's old spelling, which Isaac has taken over.

    <loop_joint name type> <link1 link xyz rpy/> <link2 link xyz rpy/> <axis xyz/>

Other programs skip the element. Isaac's own documentation writes <link1> twice: the two ends are
taken in their order.
"""

from ...markup.xml import Element
from ...model import LoopJoint
from .beyond import read_attributes
from .document import Document
from .joint import read_axis, read_dynamics, read_end, read_joint_type, read_limit
from .pose import read_origin

_ENDS = ("link1", "link2")
_KNOWN = frozenset({"axis", "limit", "dynamics"})


def read_loop_joint(element: Element, document: Document) -> LoopJoint | None:
    """Returns the loop; None where it does not say what it connects, or says more than a loop can
    hold: then it is kept as it is, as anything that URDF does not define."""
    ends = [child for child in element if child.tag in _ENDS]
    others = [child for child in element if child.tag not in _ENDS]
    if not _is_plain(element, ends, others):
        return None
    document.kind = "loop_joint"
    document.name = name = document.name_of(element)
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
        dynamics=read_dynamics(first.get("dynamics"), document),
        extras=tuple(document.extra(child) for child in others if child.tag not in _KNOWN),
        line=element.line,
    )


def _is_plain(element: Element, ends: list[Element], others: list[Element]) -> bool:
    """Whether nothing is lost by reading it."""
    known = [child for child in others if child.tag in _KNOWN]
    return (
        len(ends) == 2
        and all(end.attributes.get("link") for end in ends)
        and len({child.tag for child in known}) == len(known)
        and not any(read_attributes(each) for each in (element, *ends, *known))
        and not any(len(each) for each in (*ends, *known))
        and ("axis" not in {child.tag for child in known} or _has_axis(known))
    )


def _has_axis(known: list[Element]) -> bool:
    return any(child.tag == "axis" and "xyz" in child.attributes for child in known)
