# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts displaced parts of a rig back to where its description has them.

A part's place under its parent follows from the description and the bones at rest alone, so the
pose does not matter and nothing needs to be remembered. An import locks the transforms of parts
against hands that meant a joint; a part that a user unlocked was moved on purpose.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arguments import rig_of
from ...geometry.transforms import Matrix, invert, matrix_from_pose
from ...kinematics.forward import zero_frames
from ...kinematics.tree import retrace_tree
from ...model import Link, Robot
from ..build.links import is_locked, place
from ..extract.robot import extract_robot, find_link_empties, group_children, read_shape
from ..standing import properties
from ..standing.armatures import frames_at_rest, held_frame

_SAME = 3e-6
"""Places this near, per metre, are one place in Blender's single precision."""


def reset_parts(armature: Any, *, locked_only: bool = False) -> int:
    """Puts links, shapes and inertial frames that were displaced back to where the description has
    them, in any pose; returns how many there were. With `locked_only` parts that a user unlocked
    stay. Raises BuildError."""
    armature = rig_of(armature)
    moved = 0
    for item, wanted in _list_places(armature):
        if locked_only and not is_locked(item):
            continue
        now = np.array(item.matrix_parent_inverse) @ np.array(item.matrix_basis)
        if np.abs(now - wanted).max() > _SAME * (1.0 + np.abs(wanted[:3, 3]).max()):
            item.matrix_parent_inverse.identity()
            item.scale = item.delta_scale = (1.0, 1.0, 1.0)
            item.delta_location = item.delta_rotation_euler = (0.0, 0.0, 0.0)
            item.delta_rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
            place(item, wanted)
            moved += 1
    return moved


def _list_places(armature: Any) -> Iterator[tuple[Any, Matrix]]:
    """Yields parts and their frames (4, 4) under their parents."""
    robot = extract_robot(armature)
    empties = find_link_empties(armature)
    yield from _place_links(armature, robot, empties)
    children = group_children()
    links = {link.name: link for link in robot.links}
    for name, empty in empties.items():
        for item in children.get(empty, ()):
            frame = _find_frame(item, links[name])
            if frame is not None:
                yield item, frame


def _place_links(
    armature: Any, robot: Robot, empties: dict[str, Any]
) -> Iterator[tuple[Any, Matrix]]:
    if len(robot.links) < len(armature[properties.ROBOT].get("links", ())):
        return  # Without the deleted links the places of the others are unknown.
    tree = retrace_tree(robot)
    armatures = frames_at_rest(armature)
    for link, frame in zip(tree.links, zero_frames(tree), strict=True):
        empty = empties[link.name]
        if empty.parent in armatures:
            bone = empty.parent_bone if empty.parent_type == "BONE" else ""
            yield empty, invert(held_frame(armatures[empty.parent], empty.parent, bone)) @ frame


def _find_frame(item: Any, link: Link) -> Matrix | None:
    """Finds the frame (4, 4) of a part in its link's; None for a user's own object."""
    part = item.get(properties.PART)
    if part == properties.INERTIALS:
        return matrix_from_pose(link.inertial.origin) if link.inertial is not None else None
    shape = read_shape(item) if part is not None else None
    return matrix_from_pose(shape.origin) if shape is not None else None
