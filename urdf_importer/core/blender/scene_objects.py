# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene that callers name."""

from collections.abc import Iterator
from typing import Any

import bpy

from ..diagnostics import ArgumentError, quote_value, unknown_name
from .standing import properties

VISIBLE = "visible"


def choose_objects(objects: Any) -> Iterator[Any]:
    """Yields the objects of the scene that are given by themselves or by name, each once; "visible"
    means all visible meshes that belong to no robot. Raises KinematicsError, ArgumentError."""
    scene = bpy.context.scene
    if isinstance(objects, str) and objects == VISIBLE:
        yield from (
            item
            for item in scene.objects
            if item.type == "MESH" and item.visible_get() and not _is_of_robot(item)
        )
        return
    alone = isinstance(objects, str) or hasattr(objects, "session_uid")
    try:
        every = [objects] if alone else list(objects)
    except TypeError:
        raise ArgumentError(f"objects are given by name, not as {quote_value(objects)}") from None
    for each in dict.fromkeys(every):
        name = each if isinstance(each, str) else getattr(each, "name", None)
        if name is None:
            raise ArgumentError(f"objects are given by name, not as {quote_value(each)}")
        if name not in scene.objects:
            raise unknown_name("the scene has no object", name, scene.objects.keys())
        yield scene.objects[name]


def _is_of_robot(item: Any) -> bool:
    """Whether an object is attached to a robot, or is there for one: a marker or a custom shape."""
    return item is not None and (
        properties.ROBOT in item or properties.WIDGET in item or _is_of_robot(item.parent)
    )
