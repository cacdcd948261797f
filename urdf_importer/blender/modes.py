# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes and selection. The only module that switches modes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a user had selected and was doing: `mode` is the active object's, of `in_mode` too."""

    active: Any
    selected: tuple[Any, ...]
    mode: str
    in_mode: tuple[Any, ...]


def remember_standing() -> Standing:
    """As it is now."""
    objects = bpy.context.view_layer.objects
    mode = "OBJECT" if objects.active is None else objects.active.mode
    in_mode = (each for each in objects if each.mode == mode) if mode != "OBJECT" else ()
    return Standing(
        active=objects.active,
        selected=tuple(objects.selected),
        mode=mode,
        in_mode=tuple(in_mode),
    )


def restore_standing(standing: Standing) -> None:
    """Makes it as it was. Hidden objects cannot go back to their mode."""
    # Until then the places of removed objects stay in the view layer, empty.
    bpy.context.view_layer.update()
    objects = bpy.context.view_layer.objects
    objects.active = standing.active
    if standing.mode != "OBJECT" and standing.active.visible_get():
        # Blender takes along what is selected.
        _select(standing.in_mode)
        bpy.ops.object.mode_set(mode=standing.mode)
    _select(standing.selected)


def deselect_all() -> None:
    """Also before going to edit mode, which takes along every selected armature."""
    _select(())


def _select(wanted: Iterable[Any]) -> None:
    for each in bpy.context.view_layer.objects.selected:
        each.select_set(False)
    for each in wanted:
        each.select_set(True)


def leave_modes() -> None:
    """Object mode, whatever the user was doing."""
    active = bpy.context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@contextmanager
def edit_bones_of(armature: Any) -> Iterator[Any]:
    """The edit bones of an armature object that is in the view layer; active afterwards."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        yield armature.data.edit_bones
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def enter_pose_mode(armature: Any) -> None:
    """Pose mode of an armature object that is in the view layer; active afterwards."""
    bpy.context.view_layer.objects.active = armature
    if armature.mode != "POSE":
        bpy.ops.object.mode_set(mode="POSE")
