# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that were sites in a model of MuJoCo become sites again."""

import math
import re
from collections.abc import Mapping

from ....core.markup.write import Value
from ....core.markup.xml import Element, parse_fragment
from ....core.model import Link
from ....core.names import Claims
from .plan import WORLD, StructurePlan

SITE = "site"
_KINDS = ("capsule", "cylinder", "box", "ellipsoid")
_SIZES = {"size": (1, 2, 3), "rgba": (4,), "group": (1,)}


def plan_sites(plan: StructurePlan, names: Claims) -> Mapping[int, Mapping[str, Value]]:
    """Plans which bodies are but sites, by their places, with their attributes; their names come
    before other sites' names. Bodies that move, carry or are named by anything are not."""
    named = {name for loop in plan.tree.robot.loops for name in (loop.link1, loop.link2)}
    named |= {sensor.reference for sensor in plan.tree.robot.sensors}
    carriers = {body.parent for body in plan.bodies}
    found: dict[int, Mapping[str, Value]] = {}
    for place, body in enumerate(plan.bodies):
        if place in carriers or body.joints or body.is_world or body.link.name in named:
            continue
        element = _find_site(body.link)
        if element is not None and plan.tree.parents[place] >= 0:
            found[place] = {
                "name": names.claim(element.attributes.get("name", "")),
                **_read_look(element),
            }
            body.name = WORLD if body.parent < 0 else plan.bodies[body.parent].name
    return found


def _find_site(link: Link) -> Element | None:
    """Returns the element that a link was, by whose name it is called, with a number where others
    had the name; None where it has become more."""
    if not link.is_bare or len(link.extras) != 1:
        return None
    (extra,) = link.extras
    element = parse_fragment(extra.xml.encode()) if extra.tag == SITE else None
    name = "" if element is None else element.attributes.get("name", "")
    return element if name and re.fullmatch(re.escape(name) + r"(_\d+)?", link.name) else None


def _read_look(element: Element) -> dict[str, Value]:
    kind = element.attributes.get("type", "")
    look: dict[str, Value] = {"type": kind} if kind in _KINDS else {}
    for name, sizes in _SIZES.items():
        numbers = _read_numbers(element.attributes.get(name, ""))
        if len(numbers) in sizes:
            look[name] = numbers
    return look


def _read_numbers(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(map(float, text.split()))
    except ValueError:
        return ()
    return numbers if all(map(math.isfinite, numbers)) else ()
