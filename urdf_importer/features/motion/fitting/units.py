# SPDX-License-Identifier: GPL-3.0-or-later
"""The units of recorded numbers, joint by joint: position = shift + factor * number."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....core.diagnostics import KinematicsError, name_choices, quote
from ....core.kinematics.motion import JointMotion
from .servos import Servo

TURNING = {"rad": 1.0, "deg": math.pi / 180.0, "turns": math.tau}
SLIDING = {"m": 1.0, "cm": 0.01, "mm": 0.001}
UNITS = (*TURNING, *SLIDING, "percent", "signed", "counts")
EVERY = "*"
Units = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Scale:
    """Radians or metres: `shift` + `factor` * number."""

    factor: float = 1.0
    shift: float = 0.0


def check_units(units: Units) -> dict[str, str]:
    """Returns name -> unit. Raises KinematicsError for an unknown unit, and a name that comes
    twice."""
    found: dict[str, str] = {}
    for name, unit in units:
        if unit not in UNITS:
            raise KinematicsError(f"a unit is {name_choices(UNITS)}, not {quote(unit)}")
        if name in found:
            raise KinematicsError(f"the unit of {quote(name)} is given twice")
        found[name] = unit
    return found


def choose_unit(units: Mapping[str, str], joint: JointMotion, recorded: str) -> tuple[str, bool]:
    """Returns the unit of a joint, "" for radians or metres, and whether it is given by name. Units
    of `*` touch the joints that can have them. Raises KinematicsError for a named unit that a joint
    cannot have."""
    turns = joint.kind == "revolute"
    own, others = (TURNING, SLIDING) if turns else (SLIDING, TURNING)
    for name in (joint.joint.name, recorded):
        unit = units.get(name, "")
        if unit in others:
            does = "turns" if turns else "slides"
            choices = name_choices([*own, "percent", "signed", "counts"])
            raise KinematicsError(
                f"joint {quote(joint.joint.name)} {does}: its unit is {choices}, not {unit}"
            )
        if unit:
            return unit, True
    unit = units.get(EVERY, "")
    return ("" if unit in others else unit), False


def is_gripper(name: str, unit: str, is_named: bool) -> bool:
    """Whether a joint of a LeRobot dataset is a gripper, whose numbers are percent where all
    others are degrees or signed."""
    return unit in ("deg", "signed") and not is_named and "gripper" in name.lower()


def find_scale(unit: str, joint: JointMotion, servo: Servo | None) -> Scale:
    """Returns how a number in a unit becomes the position of a joint. `percent` is 0 to 100 of its
    limits, of a servo's counts where it has none; `signed` is -100 to 100 of a servo's counts, of
    the limits without one. Raises KinematicsError where neither is there."""
    factor = (TURNING | SLIDING).get(unit or "rad")
    if factor is not None:
        return Scale(factor)
    name = quote(joint.joint.name)
    if unit == "counts":
        if servo is None:
            raise KinematicsError(f"the table of servos has no joint {name}, whose unit is counts")
        return _scale_of_counts(servo)
    lower, upper = joint.ends
    has_limits = math.isfinite(upper - lower)
    if servo is not None and (unit == "signed" or not has_limits):
        counts = _scale_of_counts(servo)
        least, most = (servo.most, servo.least) if servo.is_turned else (servo.least, servo.most)
        lower, upper = (counts.shift + counts.factor * each for each in (least, most))
    elif not has_limits:
        raise KinematicsError(
            f"joint {name} has no limits, so {unit} means nothing: name a table of servos"
        )
    if unit == "percent":
        return Scale((upper - lower) / 100.0, lower)
    return Scale((upper - lower) / 200.0, (lower + upper) / 2.0)


def _scale_of_counts(servo: Servo) -> Scale:
    return Scale(1.0 / servo.scale, -servo.zero / servo.scale)


def counts_of(servo: Servo, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the whole counts of positions (m,), and how far each was beyond its ends."""
    exact = np.rint(servo.zero + servo.scale * positions)
    held = np.clip(exact, servo.least, servo.most)
    return held.astype(np.int64), exact - held
