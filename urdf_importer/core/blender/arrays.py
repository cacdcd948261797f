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
