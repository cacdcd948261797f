# SPDX-License-Identifier: GPL-3.0-or-later
"""Local views show what was in them; a robot imported meanwhile would not be seen."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..urdf_importer import ImportResult


def show_in_local_views(context: Any, results: Sequence[ImportResult]) -> None:
    """Adds the robots to the 3D views of the window that are in local view."""
    if context.window is None:
        return
    for area in context.window.screen.areas:
        view = area.spaces.active
        if area.type == "VIEW_3D" and view.local_view is not None:
            for shown in _objects_of(results):
                shown.local_view_set(view, True)


def _objects_of(results: Sequence[ImportResult]) -> Iterator[Any]:
    for result in results:
        yield result.armature
        yield from result.armature.children_recursive
