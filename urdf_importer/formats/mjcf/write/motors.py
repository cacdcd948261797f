# SPDX-License-Identifier: GPL-3.0-or-later
"""The actuators of the joints, by a documented rule, since descriptions name motors and no gains.

Driven are the joints of one axis that follow no other and are not passive in the SRDF: joints that
ros2_control commands, else joints in transmissions, else all. A motor's control is its torque or
force. A position servo gives its whole effort at a stated distance from its target and is damped
critically; a velocity servo gives it at a difference of the joint's greatest speed.
"""

from collections.abc import Iterable, Iterator, Mapping

from ....core.diagnostics import Diagnostics, quote
from ....core.markup.write import Value
from ....core.model import Joint, Robot, Semantics
from .options import MjcfOptions
from .plan import MjcfJoint, PlannedElement, StructurePlan

_EFFORT = 100.0
"""N m or N, of joints that state none."""
_SLIDING = 0.1
"""Metres that count as a radian."""
_STEP = 0.002
"""Seconds of MuJoCo's steps, where a file does not say others, as ours do not."""
_KINDS = {"position": "position", "velocity": "velocity", "effort": "motor"}


def plan_actuators(
    plan: StructurePlan, options: MjcfOptions, semantics: Semantics | None
) -> Iterator[PlannedElement]:
    """Yields the actuators, in the order of the joints."""
    if options.actuators == "none":
        return
    named = find_commands(plan.tree.robot)
    passive = {each.name for each in semantics.passive_joints} if semantics is not None else set()
    for joint in plan.all_joints():
        motion = joint.of
        if motion is None or not motion.is_scalar or motion.mimic is not None:
            continue
        name = motion.joint.name
        if name in passive or (named and name not in named) or joint.held is not None:
            continue
        kind = named.get(name, "motor") if options.actuators == "auto" else options.actuators
        yield _plan_actuator(kind, joint, motion.joint, options)


def find_armatures(
    actuators: Iterable[PlannedElement], stated: float, diagnostics: Diagnostics
) -> dict[str, float]:
    """Returns joint -> the inertia of its rotor with which a servo is stable, where that is more
    than the `stated` one. A step must turn no inertia back: kp dt^2 / inertia is at most a quarter,
    where a servo with critical damping has kv dt / inertia at 1, as one of velocity has."""
    found: dict[str, float] = {}
    for each in actuators:
        kp, kv = each.attributes.get("kp", 0.0), each.attributes.get("kv", 0.0)
        assert isinstance(kp, float) and isinstance(kv, float)
        least = max(4.0 * kp * _STEP**2, kv * _STEP)
        if least > stated:
            found[str(each.attributes["joint"])] = least
    if found:
        diagnostics.remark(
            "mjcf-servo-armature",
            f"joints with servos ({len(found)}) get an armature of at least "
            f"{min(found.values()):.3g}, with which MuJoCo's step of {_STEP:g} s is stable: "
            f"{', '.join(map(quote, found))}",
            subject=next(iter(found)),
        )
    return found


def find_commands(robot: Robot) -> Mapping[str, str]:
    """Returns joint -> motor, position or velocity, as ros2_control or else the transmissions
    command it; motor where they do not say."""
    found = {
        control.joint: _find_kind(control.command_interfaces)
        for control in robot.controls
        if control.command_interfaces
    }
    if found:
        return found
    for transmission in robot.transmissions:
        own = [name for motor in transmission.actuators for name in motor.hardware_interfaces]
        for joint in transmission.joints:
            found.setdefault(joint.name, _find_kind((*joint.hardware_interfaces, *own)))
    return found


def _find_kind(interfaces: tuple[str, ...]) -> str:
    """The first that says it: "position", "hardware_interface/PositionJointInterface"."""
    for interface in interfaces:
        for word, kind in _KINDS.items():
            if word in interface.lower():
                return kind
    return "motor"


def _plan_actuator(
    kind: str, plan: MjcfJoint, joint: Joint, options: MjcfOptions
) -> PlannedElement:
    limit = joint.limit
    effort = limit.effort if limit is not None and (limit.effort or 0.0) > 0.0 else None
    speed = limit.velocity if limit is not None and (limit.velocity or 0.0) > 0.0 else None
    most = [-effort, effort] if effort is not None else None
    attributes: dict[str, Value] = {"name": plan.name, "joint": plan.name}
    if kind == "motor":
        attributes["ctrlrange"] = most
    elif kind == "position":
        error = options.position_error * (1.0 if plan.kind == "hinge" else _SLIDING)
        attributes |= {"kp": (effort or _EFFORT) / error, "dampratio": 1.0}
        attributes |= {"ctrlrange": plan.limits, "forcerange": most}
    else:
        attributes["kv"] = (effort or _EFFORT) / (speed or 1.0)
        attributes["ctrlrange"] = [-speed, speed] if speed is not None else None
        attributes["forcerange"] = most
    return PlannedElement(kind, attributes)
