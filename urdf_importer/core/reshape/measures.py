# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of a robot as a table, to be edited and given to resize."""

import json
import math
from decimal import Decimal, localcontext

from ..arguments import robot_of
from ..kinematics.conventions import Convention, read_axes
from ..model import Robot

_DIGITS = 40


def measure(robot: Robot, *, lengths: bool = False, axes: str = "xyz", unit: float = 1.0) -> str:
    """Returns the origins of all joints as a table in YAML, each with its distance from its parent
    link's frame; with `lengths` these distances alone, of joints that have one. `axes` and `unit`
    (metres) define a convention: the numbers are in it.

    The table of origins, unchanged, changes nothing, in any decimal unit. Raises KinematicsError
    for invalid axes and units.
    """
    robot = robot_of(robot)
    basis, unit = read_axes(axes), Convention(axes, unit).unit
    lines = ["lengths:" if lengths else "origins:"]
    for joint in robot.joints:
        length = _in_unit(math.hypot(*joint.origin.xyz), unit)
        name = json.dumps(joint.name, ensure_ascii=False)
        if not lengths:
            # Each row of `basis` is one of the robot's axes along theirs.
            theirs = (basis.T @ joint.origin.xyz).tolist()
            numbers = ", ".join(_in_unit(number, unit) for number in theirs)
            lines.append(f"  {name}: [{numbers}]  # {length} from {json.dumps(joint.parent)}")
        elif any(joint.origin.xyz):
            lines.append(f"  {name}: {length}")
    if len(lines) == 1:
        lines[0] += " {}"
    if (axes, unit) != ("xyz", 1.0):
        lines.append(f"convention: {{axes: {axes}, unit: {unit!r}}}")
    return "\n".join(lines) + "\n"


def measure_csv(robot: Robot, *, lengths: bool = False) -> str:
    """Returns the same as rows of joint,x,y,z or joint,length, in the robot's axes and metres."""
    robot = robot_of(robot)
    rows = ["joint,length" if lengths else "joint,x,y,z"]
    for joint in robot.joints:
        numbers = [math.hypot(*joint.origin.xyz)] if lengths else joint.origin.xyz
        if not lengths or any(joint.origin.xyz):
            rows.append(",".join([_cell(joint.name), *(_plain(number) for number in numbers)]))
    return "\n".join(rows) + "\n"


def _in_unit(number: float, unit: float) -> str:
    """In decimals, as people write them: 0.832 m are 83.2 cm, and not a little less."""
    if unit == 1.0:
        return _plain(number)
    with localcontext() as context:
        context.prec = _DIGITS
        return _plain(float(Decimal(repr(number)) / Decimal(repr(unit))))


def _plain(number: float) -> str:
    text = repr(number + 0.0)
    # YAML 1.2 takes 1e-05 for a number, older readers want the point.
    text = text.replace("e", ".0e") if "e" in text and "." not in text else text
    return text.removesuffix(".0")


def _cell(name: str) -> str:
    if any(letter in name for letter in ',"\n\r'):
        return '"' + name.replace('"', '""') + '"'
    return name
