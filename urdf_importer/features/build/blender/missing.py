# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts that a rig's robot lacks; objects that users put on its links count as shapes."""

from dataclasses import replace
from typing import Any

from ....core.blender.extract.robot import find_link_empties, group_children
from ....core.blender.extract.shapes import shape_objects
from ....core.blender.memory import recall
from ....core.blender.standing import properties
from ....core.diagnostics import Diagnostic
from ....core.model import Mesh, Visual
from ....core.pipeline.extracting import find_reshaped
from ....core.reshape import list_missing


def recall_missing(armature: Any) -> tuple[Diagnostic, ...]:
    """Returns list_missing of a rig, remembered until it changes."""
    found: tuple[Diagnostic, ...] = recall(armature, "missing", list_shown_missing, shaped=True)
    return found


def list_shown_missing(armature: Any) -> tuple[Diagnostic, ...]:
    """Returns list_missing of a rig, whose objects count without being read."""
    robot, children = find_reshaped(armature), group_children()
    empties = find_link_empties(armature)
    links = []
    for link in robot.links:
        found = shape_objects(empties[link.name], children) if link.name in empties else ()
        made = [item for item, _ in found if properties.PART not in item]
        shapes = tuple(Visual(geometry=Mesh(filename=item.name)) for item in made)
        links.append(replace(link, visuals=(*link.visuals, *shapes)))
    return list_missing(replace(robot, links=tuple(links)))
