# SPDX-License-Identifier: GPL-3.0-or-later
"""<actuator>: the driven joints, their actuators and limits.

They become transmissions, since descriptions use these for motors: by them the free joints of loops
are chosen and motors are written. The elements themselves are kept word for word beside.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from ....core.model import Joint, Limit, Transmission
from ....core.readers.transmissions import Drive, make_transmission
from .document import Compiler, MjcfElement
from .models import Model

_KINDS: dict[str, Drive | Literal[""]] = {
    "position": "Position",
    "intvelocity": "Position",
    "velocity": "Velocity",
    "motor": "Effort",
    "general": "Effort",
    "damper": "Effort",
    "cylinder": "Effort",
    "muscle": "Effort",
    "dcmotor": "Effort",
    "adhesion": "",
    "plugin": "",
}
_ONE_AXIS = ("revolute", "continuous", "prismatic")


_Maxima = tuple[float | None, float | None]
"""The greatest effort and speed of a drive, None where unknown."""


def read_actuators(
    model: Model, joints: Iterable[Joint]
) -> tuple[tuple[Transmission, ...], tuple[Joint, ...]]:
    """Returns the transmissions of the joints with one axis, and all joints with the effort and
    speed that their motors give them, where they have no own. Raises ReadError for text that is not
    a number."""
    found = {joint.name: joint for joint in joints}
    transmissions: list[Transmission] = []
    maxima: dict[str, list[_Maxima]] = {}
    for node in (node for section in model.root.all("actuator") for node in section.children):
        resolved = _resolve(model, node)
        name = resolved.text("joint") or resolved.text("jointinparent")
        joint = found.get(name)
        if joint is not None and joint.type in _ONE_AXIS and _KINDS.get(node.tag):
            transmission, most = _read_drive(resolved, name, model.compiler)
            transmissions.append(transmission)
            maxima.setdefault(name, []).append(most)
    for name, own in maxima.items():
        found[name] = _limit(found[name], own)
    return tuple(transmissions), tuple(found.values())


def _resolve(model: Model, node: MjcfElement) -> MjcfElement:
    """Returns an actuator with its class's attributes: all kinds are `general` there."""
    of_all = model.defaults.resolve(replace(node, tag="general"))
    own = model.defaults.resolve(node)
    return replace(own, attributes={**of_all.attributes, **own.attributes})


def _read_drive(node: MjcfElement, joint: str, compiler: Compiler) -> tuple[Transmission, _Maxima]:
    gear = node.number("gear", 1.0)
    kind = _KINDS[node.tag] or "Effort"
    if node.tag == "general" and node.text("biastype") == "affine":
        kind = "Position"
    most, control = (
        None if bounds is None else max(map(abs, bounds))
        for bounds in (compiler.limits(node, "force"), compiler.limits(node, "ctrl"))
    )
    if node.tag == "motor" and control is not None:
        most = control if most is None else min(most, control)
    speed = None
    if node.tag == "velocity" and control is not None and gear:
        speed = control / abs(gear)
    name = node.text("name") or joint
    effort = None if most is None else most * abs(gear)
    return make_transmission(name, joint, kind, gear, node.line), (effort, speed)


def _limit(joint: Joint, drives: list[_Maxima]) -> Joint:
    """Returns a joint with the maxima of its motors; its own limits count first."""
    limit = joint.limit or Limit()
    efforts = [effort for effort, _ in drives if effort]
    speeds = [speed for _, speed in drives if speed]
    effort = limit.effort if limit.effort is not None or not efforts else max(efforts)
    velocity = limit.velocity if limit.velocity is not None or not speeds else max(speeds)
    if (effort, velocity) == (limit.effort, limit.velocity):
        return joint
    return replace(joint, limit=replace(limit, effort=effort, velocity=velocity))
