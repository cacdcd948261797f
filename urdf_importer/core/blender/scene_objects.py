# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene that are the user's: named by callers, and freed from robots."""

from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import numpy as np

from ..diagnostics import ArgumentError, quote_value, unknown_name
from .standing import properties

VISIBLE = "visible"
_ROUNDING = 1e-6
"""Of a place in the world, in single precision."""


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


def free_objects(items: Iterable[Any]) -> None:
    """Takes objects from their parents; they stay in their places in the world. Where an object's
    own numbers say this place already, they stay to the last digit."""
    worlds = [(item, item.matrix_world.copy()) for item in items]
    for item, world in worlds:
        item.parent = None
        item.matrix_parent_inverse.identity()
        if not np.allclose(item.matrix_basis, world, rtol=_ROUNDING, atol=_ROUNDING):
            item.matrix_world = world
