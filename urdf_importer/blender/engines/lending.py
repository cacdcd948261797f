# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in an exported file, lent by the user's datablocks for the moment."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def lending_names(items: Any, names: Sequence[str]) -> Iterator[None]:
    """Takes names away from the user's datablocks among `items`, a collection of bpy.data, for as
    long as the block runs."""
    lent = [(item, item.name) for item in map(items.get, names) if item is not None]
    lent = [(item, name) for item, name in lent if item.library is None]
    for item, name in lent:
        item.name = f"~ {name}"
    try:
        yield
    finally:
        for item, name in lent:
            item.name = name
