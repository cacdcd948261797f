# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit mode. The only module that switches modes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy


def leave_modes() -> None:
    """Object mode, whatever the user was doing."""
    active = bpy.context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


@contextmanager
def edit_bones_of(armature: Any) -> Iterator[Any]:
    """The edit bones of an armature object that is in the view layer; active afterwards."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        yield armature.data.edit_bones
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
