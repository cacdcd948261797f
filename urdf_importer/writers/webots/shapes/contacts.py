# SPDX-License-Identifier: GPL-3.0-or-later
"""Gazebo's friction as contact materials.

Webots keeps friction for pairs of materials, in the world. Links of one friction share a material;
what has none is of Webots' "default", as the floor is. Between two, Gazebo takes the smaller
friction, and so does this. Nothing bounces, as in Gazebo; Webots alone would let things bounce.

Gazebo has two directions of friction, Webots only on boxes, cylinders and planes, along other
directions: the smaller one counts in all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....diagnostics import Diagnostics, quote
from ....markup.elements import Element, parse_extra
from ....model import Robot
from ...claims import Claims
from ..vrml import Node, Value

DEFAULT = "default"
DEFAULT_FRICTION = 1.0
"""Both of Gazebo and of Webots."""
_MOST = 1e6
_SELF_COLLISION = ("selfcollide", "self_collide")
# What else descriptions tell Gazebo of links, and Webots cannot be told of a Solid.
_LOST = (
    "kp",
    "kd",
    "maxvel",
    "mindepth",
    "maxcontacts",
    "dampingfactor",
    "fdir1",
    "turngravityoff",
    "gravity",
    "selfcollide",
    "self_collide",
    "laserretro",
    "provide_feedback",
    "providefeedback",
    "disable_fixed_joint_lumping",
    "disablefixedjointlumping",
    "implicitspringdamper",
    "springstiffness",
    "springreference",
    "stopcfm",
    "stoperp",
    "fudgefactor",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactPlan:
    """`materials`: link name -> its contact material; `friction`: material -> its coefficient."""

    materials: Mapping[str, str]
    friction: Mapping[str, float]


def plan_contacts(robot: Robot, diagnostics: Diagnostics) -> ContactPlan:
    """Reads mu1 and mu2 (or mu) from <gazebo reference="link">. What else stands there and cannot
    be had is reported, each tag once."""
    links = {link.name for link in robot.links}
    claims = Claims()
    claims.claim(DEFAULT)
    names: dict[float, str] = {}
    materials: dict[str, str] = {}
    lost: dict[str, tuple[int, Element]] = {}
    settings = list(_settings(robot))
    for link, element in settings:
        friction = _read_friction(link, element, diagnostics)
        if friction is not None and link in links:
            if friction not in names:
                names[friction] = claims.claim(f"{robot.name} friction {friction:g}")
            materials.setdefault(link, names[friction])
        for child in element.walk():
            if child.tag in _LOST:
                count, first = lost.get(child.tag, (0, child))
                lost[child.tag] = count + 1, first
    _report(lost, diagnostics)
    _report_plugins([element for _, element in settings], diagnostics)
    return ContactPlan(materials=materials, friction={name: value for value, name in names.items()})


def contact_nodes(plan: ContactPlan, *, self_collision: bool) -> list[Node]:
    """The ContactProperties of a world: of each material with the default one, and with each other
    where the robot can touch itself."""
    friction = {DEFAULT: DEFAULT_FRICTION, **plan.friction}
    names = list(friction)
    pairs = [(DEFAULT, DEFAULT), *((name, DEFAULT) for name in plan.friction)]
    if self_collision:
        own = names[1:]
        pairs += [(one, other) for index, one in enumerate(own) for other in own[index:]]
    return [_pair(one, other, min(friction[one], friction[other])) for one, other in pairs]


def _pair(one: str, other: str, friction: float) -> Node:
    fields: dict[str, Value] = {
        "material1": one,
        "material2": other,
        "coulombFriction": [friction],
        "bounce": 0.0,
        # The defaults are files that Webots fetches.
        "bumpSound": "",
        "rollSound": "",
        "slideSound": "",
    }
    return Node("ContactProperties", fields)


def _settings(robot: Robot) -> Iterator[tuple[str, Element]]:
    """What <gazebo reference="..."> says of links and joints."""
    for extra in robot.extras:
        if extra.tag == "gazebo":
            element = parse_extra(extra)
            if element is not None:
                yield element.attributes.get("reference", "").strip(), element


def _read_friction(link: str, element: Element, diagnostics: Diagnostics) -> float | None:
    found = [
        abs(number)
        for child in element.walk()
        for number in (_mu(child),)
        if number is not None and child.tag in ("mu", "mu1", "mu2")
    ]
    if not found:
        return None
    if min(found) != max(found):
        diagnostics.warning(
            "webots-friction-changed",
            f"link {quote(link)} has the frictions {min(found):g} and {max(found):g}; the smaller "
            "one counts in all directions",
            subject=link,
            line=element.line,
        )
    return min(*found, _MOST)


def _mu(element: Element) -> float | None:
    """The number that a tag holds, as text or as the attribute `value`."""
    holder = Element("", {"value": element.text or element.attributes.get("value", "")}, 0)
    return holder.number("value")


def _report(lost: Mapping[str, tuple[int, Element]], diagnostics: Diagnostics) -> None:
    for tag, (count, first) in lost.items():
        is_ours = tag in _SELF_COLLISION
        instead = "; the option self_collision is for the whole robot" if is_ours else ""
        times = "once" if count == 1 else f"{count} times, first here"
        diagnostics.warning(
            "webots-gazebo-setting",
            f"Gazebo's <{first.written}> ({times}) has no counterpart in Webots and is left out"
            f"{instead}",
            subject=first.written,
            line=first.line,
        )


def _report_plugins(settings: Sequence[Element], diagnostics: Diagnostics) -> None:
    """Those of the model; those of sensors tell how ROS gets their data."""
    plugins = [
        child
        for element in settings
        for child in element.children
        if child.tag == "plugin" or child.prefix == "controller"
    ]
    if plugins:
        names = dict.fromkeys(p.attributes.get("name", "") or p.tag for p in plugins)
        shown = ", ".join(quote(name) for name in list(names)[:5])
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        diagnostics.warning(
            "webots-plugin-dropped",
            f"plugins of Gazebo do not run in Webots and are left out: {shown}{more}",
            line=plugins[0].line,
        )
