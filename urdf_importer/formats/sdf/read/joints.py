# SPDX-License-Identifier: GPL-3.0-or-later
"""<joint>: its frame and axes, and the joints of the model that it becomes.

A joint's pose is in the frame of its child; the file's version decides the frame of its axis: up to
1.4 the model's, later the joint's or a named one. In 1.5 and 1.6 `use_parent_model_frame` makes it
the model's, whatever is named.
"""

from dataclasses import dataclass, field, replace
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Matrix, Vector
from ....core.markup.xml import Element
from ....core.model import Dynamics, Extra, Joint, Limit, Mimic, Vector3
from .page import UNBOUNDED, Page, find
from .scope import MODEL, WORLD, FramedElement

_SINGLE = ("revolute", "continuous", "prismatic")
DOUBLE_TYPES = ("universal", "revolute2")
_DYNAMICS = {
    "damping": "damping",
    "friction": "friction",
    "stiffness": "spring_stiffness",
    "reference": "spring_reference",
}
ROTOR = ("drake:rotor_inertia", "drake:gear_ratio")
TYPES = (*_SINGLE, *DOUBLE_TYPES, "fixed", "ball", "screw", "gearbox")


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """`vector` (3,) has unit length, in the joint's frame; None where it is written as zero.
    `mimic` names the leader by its full name; of a joint with two axes it follows the second where
    `follows_second`."""

    vector: Vector3 | None
    limit: Limit | None
    has_range: bool
    dynamics: Dynamics | None
    mimic: Mimic | None = None
    follows_second: bool = False


@dataclass(slots=True, kw_only=True, eq=False)
class Drafted:
    """A joint between links that are known: `parent` and `child` are the names of links, `frame` is
    its frame in the whole robot's frame (4, 4) at zero. `given` is the joint itself, where another
    format's reader read it. `turned` means that the file has parent and child the other way
    round."""

    node: FramedElement
    type: str
    parent: str
    child: str
    frame: Matrix
    axes: list[Axis] = field(default_factory=list)
    given: Joint | None = None
    turned: bool = False

    @property
    def name(self) -> str:
        return self.node.full_name


def draft_joint(node: FramedElement, root: Matrix) -> Drafted | None:
    """Reads a joint of a scope at `root` (4, 4) in the robot. None, and reported, where it connects
    nothing."""
    ends = _find_ends(node)
    if ends is None:
        return None
    parent, child = ends
    place = node.scope.pose_of(node.name)
    if place is None:
        node.scope.say_lost(node)
        return None
    kind = _read_type(node)
    axes = [] if kind in ("fixed", "ball") else _read_axes(node, place, kind)
    return Drafted(node=node, type=kind, parent=parent, child=child, frame=root @ place, axes=axes)


def _find_ends(node: FramedElement) -> tuple[str, str] | None:
    names = [node.page.text(node.element, tag).strip() for tag in ("parent", "child")]
    ends: list[str] = []
    for tag, name in zip(("parent", "child"), names, strict=True):
        link = node.scope.link_of(name) if name else None
        if link is not None:
            ends.append(link.full_name)
        elif name == WORLD:
            ends.append(WORLD)
        else:
            finding = f"connects {quote(name)}, and no link is called so"
            finding = finding if name else f"names no {tag}"
            node.error("sdf-unknown-link", f"{finding}; it is left out")
            return None
    parent, child = ends
    if parent == child:
        node.error("self-parent", f"connects link {quote(child)} to itself; it is left out")
        return None
    if child == WORLD:
        node.warning("sdf-world-child", "has 'world' as its child; parent and child are swapped")
    return parent, child


def _read_type(node: FramedElement) -> str:
    kind = node.element.attributes.get("type", "").strip().lower()
    if kind in TYPES:
        return kind
    what = f"has the type {quote(kind)}" if kind else "has no type"
    node.error("sdf-joint-type", f"{what}; it is read as fixed")
    return "fixed"


# Axes


def _read_axes(node: FramedElement, place: Matrix, kind: str) -> list[Axis]:
    tags = ("axis", "axis2") if kind in (*DOUBLE_TYPES, "gearbox") else ("axis",)
    axes = [_read_axis(find(node.element, tag), node, place) for tag in tags]
    return [_add_rotor(axes[0], node)] if len(axes) == 1 else axes


def _read_axis(element: Element | None, node: FramedElement, place: Matrix) -> Axis:
    page = node.page
    written = np.array(page.vector(element, "xyz", default=(0.0, 0.0, 1.0)))
    turned = _turn_axis(element, written, node, place)
    length = float(np.linalg.norm(turned))
    vector: Vector3 | None = None
    if length > 1e-9:
        x, y, z = (float(number) + 0.0 for number in turned / length)
        vector = (x, y, z)
    else:
        finding = "has an axis of length zero; treated as fixed"
        node.error("zero-axis", finding, element or node.element)
    limit, has_range = _read_limit(element, page)
    return Axis(
        vector=vector,
        limit=limit,
        has_range=has_range,
        dynamics=_read_dynamics(element, page),
        mimic=_read_mimic(element, node),
        follows_second=_follows_second(element),
    )


def _turn_axis(element: Element | None, axis: Vector, node: FramedElement, place: Matrix) -> Vector:
    """Returns an axis in the joint's frame, from the frame that the version says it is in."""
    page, xyz = node.page, find(element, "xyz")
    version = page.origin(node.element if xyz is None else xyz).version
    in_model = version <= (1, 4)
    if version in ((1, 5), (1, 6)):
        in_model = page.flag(element, "use_parent_model_frame")
    named = "" if xyz is None else xyz.attributes.get("expressed_in", "").strip()
    old = find(element, "use_parent_model_frame")
    if old is not None and version >= (1, 7):
        finding = f"the axis of joint {quote(node.full_name)} has use_parent_model_frame, which"
        finding = f"{finding} expressed_in replaces; it is not heeded"
        page.warning("sdf-deprecated", finding, old, node.full_name)
    if in_model:
        named = MODEL
    if not named:
        return axis
    frame = node.scope.pose_of(named)
    if frame is None:
        finding = f"the axis of joint {quote(node.full_name)} is in frame {quote(named)}, which is"
        finding = f"{finding} not there; read as in the joint's own"
        page.error("sdf-unknown-frame", finding, xyz or node.element, node.full_name)
        return axis
    turned: Vector = place[:3, :3].T @ frame[:3, :3] @ axis
    return turned


def _read_limit(element: Element | None, page: Page) -> tuple[Limit | None, bool]:
    """Returns the limit, and whether it bounds the position on any side."""
    limit = find(element, "limit")
    if limit is None:
        return None, False
    lower, upper = page.number(limit, "lower"), page.number(limit, "upper")
    low = -UNBOUNDED if lower is None else max(lower, -UNBOUNDED)
    high = UNBOUNDED if upper is None else min(upper, UNBOUNDED)
    has_range = low > -UNBOUNDED or high < UNBOUNDED
    found = Limit(
        lower=low if has_range else None,
        upper=high if has_range else None,
        effort=_bound(page.number(limit, "effort")),
        velocity=_bound(page.number(limit, "velocity")),
    )
    return (found if found != Limit() else None), has_range


def _bound(number: float | None) -> float | None:
    """A bound of effort or velocity; negative and endless ones do not count."""
    return None if number is None or number < 0.0 or number >= UNBOUNDED else number


def _read_dynamics(element: Element | None, page: Page) -> Dynamics | None:
    dynamics = find(element, "dynamics")
    if dynamics is None:
        return None
    others = [each for each in dynamics if each.tag not in _DYNAMICS.values()]
    numbers: dict[str, Any] = {n: page.number(dynamics, tag) for n, tag in _DYNAMICS.items()}
    return Dynamics(**numbers, extras=tuple(page.extra(each) for each in others))


def _add_rotor(axis: Axis, node: FramedElement) -> Axis:
    """Adds the rotor that Drake's tags describe: its inertia as the joint feels it."""
    rotor = node.page.number(node.element, ROTOR[0])
    if not rotor:
        return axis
    gear = node.page.number(node.element, ROTOR[1])
    felt = rotor * (1.0 if gear is None else gear) ** 2
    return replace(axis, dynamics=replace(axis.dynamics or Dynamics(), armature=felt))


def _read_mimic(element: Element | None, node: FramedElement) -> Mimic | None:
    """follower = multiplier (leader - reference) + offset."""
    page, mimic = node.page, find(element, "mimic")
    if mimic is None:
        return None
    leader = mimic.attributes.get("joint", "").strip()
    found = node.scope.look_up(leader)
    name = leader if found is None else found[0].prefix + found[1]
    multiplier = page.size(mimic, "multiplier", default=1.0)
    reference = page.size(mimic, "reference", default=0.0)
    offset = page.size(mimic, "offset", default=0.0) - multiplier * reference
    return Mimic(joint=name, multiplier=multiplier, offset=offset)


def _follows_second(element: Element | None) -> bool:
    mimic = find(element, "mimic")
    return mimic is not None and mimic.attributes.get("axis", "axis") == "axis2"


# Further content


def wrap_extras(page: Page, elements: list[Element], reference: str) -> list[Extra]:
    """Returns elements, word for word, as Gazebo's data about a link or joint; or about the robot
    without a reference. Nothing for none."""
    if not elements:
        return []
    said = "\n".join(f"  {page.verbatim(each)}" for each in elements)
    start = f"<gazebo reference={quoteattr(reference)}>" if reference else "<gazebo>"
    return [Extra(tag="gazebo", xml=f"{start}\n{said}\n</gazebo>", line=elements[0].line)]
