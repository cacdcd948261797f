# SPDX-License-Identifier: GPL-3.0-or-later
"""<actuator>: the driven joints, their actuators and limits.

They become transmissions, since descriptions use these for motors: by them the free joints of loops
are chosen and motors are written. The elements themselves are kept word for word beside.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ...model import Joint, Limit, Transmission
from ..transmissions import Drive, make_transmission
from .document import MjcfElement
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drive:
    """The drive of a joint: `effort` and `speed` are its maxima, None where unknown."""

    name: str
    joint: str
    kind: Drive
    gear: float
    effort: float | None
    speed: float | None
    line: int


class ActuatorReader:
    """Reads the actuators of a model's joints with one axis."""

    def __init__(self, joints: Mapping[str, Joint]) -> None:
        self._joints = joints

    def read(self, model: Model) -> tuple[tuple[Transmission, ...], tuple[Joint, ...]]:
        """Returns the transmissions, and the joints with the effort and speed that their motors
        give them, where they have no own. Raises ReadError for text that is not a number."""
        drives = list(self._list_drives(model))
        joints = dict(self._joints)
        for name in dict.fromkeys(each.joint for each in drives):
            own = [each for each in drives if each.joint == name]
            joints[name] = _limit(joints[name], own)
        return tuple(map(_make_transmission, drives)), tuple(joints.values())

    def _list_drives(self, model: Model) -> Iterator[_Drive]:
        for section in model.root.all("actuator"):
            for node in section.children:
                resolved = _resolve(model, node)
                name = resolved.text("joint") or resolved.text("jointinparent")
                joint = self._joints.get(name)
                if joint is not None and joint.type in _ONE_AXIS and _KINDS.get(node.tag):
                    yield _read_drive(resolved, name, model.compiler.autolimits)


def _resolve(model: Model, node: MjcfElement) -> MjcfElement:
    """Returns an actuator with its class's attributes: all kinds are `general` there."""
    of_all = model.defaults.resolve(replace(node, tag="general"))
    return replace(model.defaults.resolve(node), attributes={
        **of_all.attributes, **model.defaults.resolve(node).attributes
    })  # fmt: skip


def _read_drive(node: MjcfElement, joint: str, autolimits: bool) -> _Drive:
    gear = node.number("gear", 1.0)
    kind = _KINDS[node.tag] or "Effort"
    if node.tag == "general" and node.text("biastype") == "affine":
        kind = "Position"
    most = _read_most(node, "force", autolimits)
    control = _read_most(node, "ctrl", autolimits)
    if node.tag == "motor" and control is not None:
        most = control if most is None else min(most, control)
    speed = None
    if node.tag == "velocity" and control is not None and gear:
        speed = control / abs(gear)
    return _Drive(
        name=node.text("name") or joint,
        joint=joint,
        kind=kind,
        gear=gear,
        effort=None if most is None else most * abs(gear),
        speed=speed,
        line=node.line,
    )


def _read_most(node: MjcfElement, what: str, autolimits: bool) -> float | None:
    """Returns the greatest number of a range that counts."""
    low, high = node.vector(f"{what}range", 2) or (0.0, 0.0)
    word = node.text(f"{what}limited", "auto")
    counts = word == "true" or (word == "auto" and autolimits and low < high)
    return max(abs(low), abs(high)) if counts else None


def _limit(joint: Joint, drives: list[_Drive]) -> Joint:
    """Returns a joint with the maxima of its motors; its own limits count first."""
    limit = joint.limit or Limit()
    efforts = [each.effort for each in drives if each.effort]
    speeds = [each.speed for each in drives if each.speed]
    effort = limit.effort if limit.effort is not None or not efforts else max(efforts)
    velocity = limit.velocity if limit.velocity is not None or not speeds else max(speeds)
    if (effort, velocity) == (limit.effort, limit.velocity):
        return joint
    return replace(joint, limit=replace(limit, effort=effort, velocity=velocity))


def _make_transmission(drive: _Drive) -> Transmission:
    return make_transmission(drive.name, drive.joint, drive.kind, drive.gear, drive.line)
