# SPDX-License-Identifier: GPL-3.0-or-later
"""Violations of a robot's limits in a few words."""

import math
from typing import Any

from ...urdf_importer import Violation
from ...urdf_importer.blender.standing.robot_table import recall_table

_DIGITS = 3, 4


def describe_violation(robot: Any, each: Violation) -> str:
    """Describes a violation in a few words, in degrees where the joint turns: the unit
    distinguishes a velocity from a position, in the little width that there is."""
    joint = recall_table(robot).joints.get(each.joint)
    if each.kind == "effort" or joint is None:
        return f"{each.joint}: {each.kind} {_compare(each.value, each.limit)}"
    unit = "°" if joint.channels[0].turns else " m"
    factor = math.degrees(1.0) if joint.channels[0].turns else 1.0
    per = {"position": "", "velocity": "/s", "acceleration": "/s²", "jerk": "/s³"}[each.kind]
    return f"{each.joint}: {_compare(factor * each.value, factor * each.limit)}{unit}{per}"


def _compare(value: float, limit: float) -> str:
    """Returns both where few digits distinguish them, else the limit alone: digits take width."""
    for digits in _DIGITS:
        texts = _round(value, digits), _round(limit, digits)
        if texts[0] != texts[1]:
            return " of ".join(texts)
    return f"{'>' if value > limit else '<'} {_round(limit, _DIGITS[-1])}"


def _round(number: float, digits: int) -> str:
    """Returns a number with its whole part in full."""
    return f"{number + 0.0:.{max(digits, len(f'{abs(number):.0f}'))}g}"
