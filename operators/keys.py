# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that the extension adds to Blender's, and takes out again."""

from dataclasses import dataclass, field
from typing import Any

import bpy

from .session import recall_state

TAB = "Robot"
"""The sidebar's tab."""


@dataclass(slots=True)
class _Keys:
    """Key maps, and the items that were added to them."""

    added: list[tuple[Any, Any]] = field(default_factory=list)


def add_key(keymap: str, operator: str, key: str, **held: bool) -> Any | None:
    """Adds a key to one of Blender's key maps; returns its item, None in a session without windows,
    which has no keys."""
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        return None
    found = config.keymaps.new(name=keymap)
    item = found.keymap_items.new(operator, key, "PRESS", **held)
    recall_state(_Keys).added.append((found, item))
    return item


def remove_keys() -> None:
    """Takes all of them out again."""
    added = recall_state(_Keys).added
    while added:
        keymap, item = added.pop()
        keymap.keymap_items.remove(item)
