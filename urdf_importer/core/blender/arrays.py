# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of Blender's collections as arrays."""

from typing import Any

import numpy as np


def read_array(items: Any, name: str, width: int = 1, kind: Any = np.float32) -> Any:
    """Reads a field of all items of a collection: (n,) numbers, or (n, width) of a wider field.
    Numbers of another kind than Blender's own take a hundred times as long."""
    found = np.empty(len(items) * width, dtype=kind)
    if len(items):
        items.foreach_get(name, found)
    return found if width == 1 else found.reshape(-1, width)


def hide_in_renders(items: Any) -> None:
    """Hides all objects of a collection in renders. To be called before a view layer has them: for
    each object that is hidden by itself, Blender looks up all objects of all view layers."""
    items.foreach_set("hide_render", np.ones(len(items), dtype=bool))
