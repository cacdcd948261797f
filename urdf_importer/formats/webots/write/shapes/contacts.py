# SPDX-License-Identifier: GPL-3.0-or-later
"""Gazebo's friction as contact materials.

Webots keeps friction for pairs of materials, in the world. Links of one friction share a material;
links without friction use Webots' "default", as the floor does. Between two, Gazebo takes the
smaller friction, and so does this. Nothing bounces, as in Gazebo; Webots alone would let things
bounce.

Gazebo has two directions of friction, Webots only on boxes, cylinders and planes, along other
directions: the smaller one counts in all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .....core.diagnostics import Diagnostics, quote
from .....core.model import Plugin, Robot, Setting, SimulationSettings
from .....core.names import Claims
from ..vrml import Node, Value

DEFAULT = "default"
DEFAULT_FRICTION = 1.0
"""Both of Gazebo and of Webots."""
_MOST = 1e6
_SELF_COLLISION = ("selfcollide", "self_collide")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactPlan:
    """`materials`: link name -> its contact material; `friction`: material -> its coefficient."""

    materials: Mapping[str, str]
    friction: Mapping[str, float]


def plan_contacts(robot: Robot, diagnostics: Diagnostics) -> ContactPlan:
    """Plans the materials of links by their friction. Other settings of links and joints for
    Gazebo, which Webots cannot have, are reported, each once."""
    links = {link.name for link in robot.links}
    claims = Claims(taken=[DEFAULT])
    names: dict[float, str] = {}
    materials: dict[str, str] = {}
    lost: dict[str, tuple[int, Setting]] = {}
    for said in robot.settings:
        friction = _choose_friction(said, diagnostics)
        if friction is not None and said.reference in links:
            if friction not in names:
                names[friction] = claims.claim(f"{robot.name} friction {friction:g}")
            materials.setdefault(said.reference, names[friction])
        for setting in said.settings:
            count, first = lost.get(setting.name, (0, setting))
            lost[setting.name] = count + 1, first
    _report(lost, diagnostics)
    _report_plugins([plugin for said in robot.settings for plugin in said.plugins], diagnostics)
    return ContactPlan(materials=materials, friction={name: value for value, name in names.items()})


def contact_nodes(plan: ContactPlan, *, self_collision: bool) -> list[Node]:
    """Returns the ContactProperties of a world: of each material with the default one, and with
    each other where the robot can touch itself."""
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


def _choose_friction(said: SimulationSettings, diagnostics: Diagnostics) -> float | None:
    """Returns the coefficient of a link; None where it has none."""
    found = said.friction
    if not found:
        return None
    if min(found) != max(found):
        diagnostics.warning(
            "webots-friction-changed",
            f"link {quote(said.reference)} has the frictions {min(found):g} and {max(found):g}; "
            "the smaller one counts in all directions",
            subject=said.reference,
            line=said.line,
        )
    return min(*found, _MOST)


def _report(lost: Mapping[str, tuple[int, Setting]], diagnostics: Diagnostics) -> None:
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


def _report_plugins(plugins: Sequence[Plugin], diagnostics: Diagnostics) -> None:
    """Reports the plugins of the model; a sensor's plugins define how ROS gets its data."""
    if plugins:
        names = dict.fromkeys(plugin.name for plugin in plugins)
        shown = ", ".join(quote(name) for name in list(names)[:5])
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        diagnostics.warning(
            "webots-plugin-dropped",
            f"plugins of Gazebo do not run in Webots and are left out: {shown}{more}",
            line=plugins[0].line,
        )
