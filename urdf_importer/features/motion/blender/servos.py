# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of servos that a rig keeps, so that a .blend says how its robot is driven."""

from dataclasses import replace
from typing import Any, TypeVar

from ....core.arguments import rig_of
from ....core.blender.standing import properties
from ....core.files.packages import AnyPath
from ..datasets.episodes import EpisodeOptions
from ..fitting.servos import load_table, read_servos_text
from ..options import MotionOptions

Kind = TypeVar("Kind", MotionOptions, EpisodeOptions)


def find_servos(armature: Any) -> str:
    """Finds the text of the table that an imported robot keeps; empty for none."""
    kept = rig_of(armature).get(properties.SERVOS)
    return kept if isinstance(kept, str) else ""


def with_servos(options: Kind, armature: Any) -> Kind:
    """Returns options whose table of servos is the robot's own where they name none."""
    return options if options.servos else replace(options, servos=find_servos(armature))


def keep_servos(armature: Any, table: AnyPath) -> bool:
    """Keeps a table on a robot, of its path, in place of an earlier one. Returns whether that
    changed anything. Raises ReadError for a table that makes no sense."""
    text = load_table(table)
    read_servos_text(text)
    if find_servos(armature) == text:
        return False
    armature[properties.SERVOS] = text
    return True
