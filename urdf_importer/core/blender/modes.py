# SPDX-License-Identifier: GPL-3.0-or-later
"""Modes and selection. The only module that switches modes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import bpy


@dataclass(frozen=True, slots=True, kw_only=True)
class UserState:
    """A user's selection and mode: `mode` is the active object's, of `in_mode` too."""

    active: Any
    selected: tuple[Any, ...]
    mode: str
    in_mode: tuple[Any, ...]


def remember_state() -> UserState:
    """Remembers the present selection and mode."""
    objects = bpy.context.view_layer.objects
    mode = "OBJECT" if objects.active is None else objects.active.mode
    in_mode = (each for each in objects if each.mode == mode) if mode != "OBJECT" else ()
    return UserState(
        active=objects.active,
        selected=tuple(objects.selected),
        mode=mode,
        in_mode=tuple(in_mode),
    )


def restore_state(state: UserState) -> None:
    """Restores the remembered state. Hidden objects cannot go back to their mode."""
    # Before an update, removed objects leave empty places in the view layer.
    bpy.context.view_layer.update()
    objects = bpy.context.view_layer.objects
    objects.active = state.active
    if state.mode != "OBJECT" and state.active.visible_get():
        # Blender takes the selection along.
        select(state.in_mode)
        bpy.ops.object.mode_set(mode=state.mode)
    select(state.selected)


def select(wanted: Iterable[Any]) -> None:
    """Selects these objects alone; none also before edit mode, which takes along every selected
    armature."""
    for each in bpy.context.view_layer.objects.selected:
        # A removed object leaves an empty place until the view layer is updated.
        if each is not None:
            each.select_set(False)
    for each in wanted:
        each.select_set(True)


def separate_mesh(item: Any, by: str) -> None:
    """Lets Blender split a mesh object into "loose" parts, by "material", or its "selection" from
    the rest. The new objects are selected afterwards, in object mode."""
    leave_modes()
    select([item])
    bpy.context.view_layer.objects.active = item
    settings = bpy.context.tool_settings
    before = tuple(settings.mesh_select_mode)
    kinds = {"loose": "LOOSE", "material": "MATERIAL", "selection": "SELECTED"}
    # In a mode of vertices, faces between selected ones would be selected too.
    settings.mesh_select_mode = (False, False, True)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        if by != "selection":
            bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.separate(type=kinds[by])
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
        settings.mesh_select_mode = before


def leave_modes() -> None:
    """Goes to object mode, whatever the user was doing."""
    active = bpy.context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@contextmanager
def edit_bones_of(armature: Any) -> Iterator[Any]:
    """Gives the edit bones of an armature object that is in the view layer; it is active
    afterwards.

    Every operator evaluates the view layer that it runs in, with all robots that are there. So the
    bones are edited in an empty scene, made for the moment.
    """
    bpy.context.view_layer.objects.active = armature
    scene = bpy.data.scenes.new("~ bones")
    scene.collection.objects.link(armature)
    layer = scene.view_layers[0]
    layer.objects.active = armature
    try:
        # Done twice: without a window for that scene, Blender finds the active object elsewhere.
        with bpy.context.temp_override(
            scene=scene, view_layer=layer, object=armature, active_object=armature
        ):
            bpy.ops.object.mode_set(mode="EDIT")
            try:
                yield armature.data.edit_bones
            finally:
                bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        bpy.data.scenes.remove(scene)


def enter_pose_mode(armature: Any) -> None:
    """Enters pose mode of an armature object that is in the view layer; it is active afterwards."""
    bpy.context.view_layer.objects.active = armature
    if armature.mode != "POSE":
        bpy.ops.object.mode_set(mode="POSE")


@contextmanager
def selection_kept(armature: Any) -> Iterator[None]:
    """Works in object mode with nothing selected. Afterwards selection, active object and mode are
    as before, except for objects that are gone: `armature` takes the place of the active one."""
    before = remember_state()
    leave_modes()
    select(())
    try:
        yield
    finally:
        if before.active is not None and not _is_alive(before.active):
            before = replace(before, active=armature, mode="OBJECT", in_mode=())
        restore_state(
            replace(
                before,
                selected=tuple(filter(_is_alive, before.selected)),
                in_mode=tuple(filter(_is_alive, before.in_mode)),
            )
        )


def _is_alive(item: Any) -> bool:
    try:
        return item.name in bpy.context.view_layer.objects
    except ReferenceError:
        return False


@contextmanager
def reachable(armature: Any) -> Iterator[None]:
    """Keeps the armature visible in this view layer, which edit mode requires, wherever it is."""
    scene = bpy.context.scene
    hidden = armature.hide_viewport
    collection = bpy.data.collections.new("~ reachable")
    scene.collection.children.link(collection)
    collection.objects.link(armature)
    concealed = armature.hide_get()
    armature.hide_viewport = False
    armature.hide_set(False)
    try:
        yield
    finally:
        armature.hide_viewport = hidden
        armature.hide_set(concealed)
        bpy.data.collections.remove(collection)
