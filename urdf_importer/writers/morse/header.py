# SPDX-License-Identifier: GPL-3.0-or-later
"""The comment at the top of a script: what it is, how it is used, what MORSE can not do."""

from collections.abc import Sequence
from pathlib import Path

from ...model import Robot
from .literals import comment, printable

_NOT_AT_ZERO = (
    "When a simulation starts, the Armature actuator drives all joints to zero, whatever their "
    "limits and where they start, unless it is sent other positions."
)
_PHYSICS = (
    "Collision shapes stop other bodies and go where the joints carry them; the robot as a whole "
    "is moved by MORSE's actuators only. set_rigid_body() and set_collision_bounds() make it a "
    "body of these shapes that falls."
)
_TOOLS = (
    "Forces, velocities, damping and friction of joints have no place in the Armature actuator: "
    "its speeds are the properties radial_speed and linear_speed."
)


def write_header(robot: Robot, name: str, path: Path, findings: Sequence[str]) -> str:
    """`name` is that of the class, `findings` is what MORSE makes otherwise of this robot."""
    source = Path(robot.source).name
    made_from = f", made from {source}" if source else ""
    parts = [
        comment(
            f"The robot {robot.name} for the MORSE simulator{made_from}. This file needs MORSE 1.4 "
            "and no other file."
        ),
        *_tell_use(name, path),
        "#\n# What MORSE makes of it otherwise than its description says:\n",
        *(comment(note, first="* ") for note in (*findings, _NOT_AT_ZERO, _TOOLS, _PHYSICS)),
    ]
    return "".join(parts)


def _tell_use(name: str, path: Path) -> list[str]:
    """With names of strangers only where no line can end."""
    stem = path.stem
    rename = "" if stem.isidentifier() and stem.isascii() else " (rename it first)"
    module = "NAME" if rename else stem
    return [
        "#\n",
        f"#     morse run {printable(path.name)}\n",
        "#\n",
        comment(
            "runs it in an empty world. In a builder script of its own, with this file where "
            f"Python looks for modules{rename}, beside that script or in the folder src of a MORSE "
            "environment:"
        ),
        "#\n",
        "#     from morse.builder import *\n",
        f"#     from {module} import {name}\n",
        f"#     robot = {name}()\n",
    ]
