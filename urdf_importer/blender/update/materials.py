# SPDX-License-Identifier: GPL-3.0-or-later
"""Distinguishes unmodified materials of the importer from the user's own."""

from collections.abc import Iterable
from typing import Any

from ..build.sharing import is_as_made
from ..standing import properties


def find_touched(materials: Iterable[Any]) -> set[Any]:
    """Finds the importer's materials that the user changed."""
    return {material for material in materials if not is_as_made(material)}


def is_users(material: Any | None, look: str | None, touched: set[Any]) -> bool:
    """Whether the user put a material into a slot that was given `look` (None: nothing), or changed
    it. `look` is a description by describe_material."""
    if material is None:
        return look is not None
    return material.get(properties.LOOK) != look or material in touched


def find_users_slots(item: Any, touched: set[Any]) -> dict[int, tuple[str, Any]]:
    """Finds the slots of an object whose material is the user's: slot -> (whether the object or its
    mesh holds it, material)."""
    on_object = list(item.get(properties.LOOKS, ()))
    on_mesh = list(item.data.get(properties.LOOKS, ()))
    found = {}
    for index, slot in enumerate(item.material_slots):
        looks = on_object or on_mesh
        given = looks[index] if index < len(looks) else None
        if slot.link == "OBJECT" and not on_object and on_mesh:
            given = None
        if is_users(slot.material, given, touched):
            found[index] = (slot.link, slot.material)
    return found
