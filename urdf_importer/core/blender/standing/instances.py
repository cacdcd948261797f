# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of collections that hold a robot: Blender's asset browser drags them in so.

An instance is an empty that shows a collection in its pose. To be posed itself it needs objects of
its own: overrides of a linked collection's, else the collection's or copies of them.
"""

from typing import Any

import bpy
from mathutils import Matrix

from ...diagnostics import BuildError, quote
from ..memory import forget
from .armatures import is_robot
from .selection import select_objects
from .whole import duplicate_robot


def find_instanced(item: Any) -> Any | None:
    """Finds the main armature of the first robot that an empty shows; None for other objects."""
    if item is None or item.instance_type != "COLLECTION" or item.instance_collection is None:
        return None
    shown = item.instance_collection.all_objects
    return next((each for each in shown if is_robot(each)), None)


def make_posable(holder: Any) -> Any:
    """Puts objects in the place of an instance of a robot, and selects the robot; returns its main
    armature. Objects that move the instance, or are attached to it, stay: then the robot is
    attached to it too.

    Raises BuildError where the empty shows no robot, or cannot be changed.
    """
    collection: Any = holder.instance_collection
    if find_instanced(holder) is None or not holder.is_editable:
        raise BuildError(f"{quote(holder.name)} is not an instance of a robot that can be changed")
    bpy.context.view_layer.update()
    place = holder.matrix_world @ Matrix.Translation(-collection.instance_offset)
    override = collection.library is not None
    roots = _override(collection) if override else _take(holder, collection)
    (robot, *_) = [each for each in roots if is_robot(each)]
    _put(holder, roots, place)
    forget()
    select_objects([robot])
    return robot


def _override(collection: Any) -> list[Any]:
    """Overrides a linked collection, while its instance still shows it: Blender 5.3 makes no
    override of a collection that is nowhere in the scene."""
    made = collection.override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )
    if made is None:
        raise BuildError(f"Blender can make no library override of {quote(collection.name)}")
    return _roots_of(made)


def _take(holder: Any, collection: Any) -> list[Any]:
    """Takes the collection itself where nothing else shows it, else copies of its robots."""
    scene = bpy.context.scene
    here = any(each == collection for each in scene.collection.children_recursive)
    shown = any(
        each.instance_collection == collection for each in bpy.data.objects if each != holder
    )
    if not here:
        scene.collection.children.link(collection)
        bpy.context.view_layer.update()
    if not (here or shown):
        return _roots_of(collection)
    robots = [each for each in collection.all_objects if is_robot(each)]
    roots = [duplicate_robot(robot) for robot in robots]
    if not here:
        scene.collection.children.unlink(collection)
    return roots


def _roots_of(collection: Any) -> list[Any]:
    own = set(collection.all_objects)
    return [item for item in collection.all_objects if item.parent not in own]


def _put(holder: Any, roots: list[Any], place: Matrix) -> None:
    """Puts objects without a parent where the instance was, and removes the instance."""
    bpy.context.view_layer.update()
    kept = holder.animation_data or holder.constraints or holder.parent or holder.children
    holder.instance_type, holder.instance_collection = "NONE", None
    for root in roots:
        target = place @ root.matrix_world
        if kept:
            root.parent = holder
        root.matrix_world = target
    if not kept:
        bpy.data.objects.remove(holder)
    bpy.context.view_layer.update()
