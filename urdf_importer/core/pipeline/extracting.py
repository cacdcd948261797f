# SPDX-License-Identifier: GPL-3.0-or-later
"""Extract: a rig in Blender -> its robot, with or without the user's changes."""

from collections.abc import Callable
from typing import Any, Literal

from ..arguments import rig_of
from ..diagnostics import Diagnostics
from ..gazebo import interpret_extras
from ..model import Robot
from ..reshape.compare import Change, compare_robots
from ..shelves import find_hook


def extract_robot(armature: Any, *, edits: bool = False) -> Robot:
    """Returns the robot that a rig in Blender describes, exactly, from its properties alone: also
    in a re-opened .blend. Links whose empty was deleted are not in it, nor are their joints.

    With `edits` changes in Blender since the import count too: bones and empties that were moved,
    limits, masses, shapes; poses do not. Meshes that were changed are named as write_urdf would
    name them.

    Raises BuildError for an object that is not an imported robot.
    """
    armature = rig_of(armature)
    return _extract_edited(armature) if edits else _extract(armature)


def find_reshaped(armature: Any) -> Robot:
    """Returns the robot of a rig as input for functions of `reshape`: as described, with bones that
    were moved, limits and masses that were changed in Blender; shapes stay described, since
    update_robot leaves the user's changes to them alone. Raises BuildError for an object that is
    not an imported robot."""
    return _extract_edited(rig_of(armature), "described")


def compare_with_description(armature: Any) -> tuple[Change, ...]:
    """Returns the changes to a robot in Blender, which write_urdf would write: against the text
    that was read or, where the .blend has none, against the rig's own properties.

    compare_with_source has the other direction: changes of the file since the import. Raises
    BuildError for an object that is not an imported robot.
    """
    armature = rig_of(armature)
    described = _extract(armature)
    robot = _edit(armature, described, "edited")
    return compare_robots(read_text(robot) or described, robot)


def read_text(robot: Robot) -> Robot | None:
    """Reads the URDF that a robot came from; None where there is none."""
    text = robot.text_of("urdf")
    if not text:
        return None
    read: Callable[[bytes, str, Diagnostics], Robot] = find_hook("read_text")
    return read(text, robot.source, Diagnostics(robot.source))


def _extract(armature: Any) -> Robot:
    from ..blender.extract import robot as extract

    return interpret_extras(extract.extract_robot(armature))


def _extract_edited(armature: Any, shapes: Literal["described", "edited"] = "edited") -> Robot:
    return _edit(armature, _extract(armature), shapes)


def _edit(armature: Any, described: Robot, shapes: Literal["described", "edited"]) -> Robot:
    from ..blender.extract.edits import open_edits

    with open_edits(armature, described, Diagnostics(), shapes=shapes) as edited:
        return interpret_extras(edited.robot)
