# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that an import makes, so that a failed or cancelled one leaves nothing behind."""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy

from .memory import drop_unshown, is_unshown, note_unshown


def drop_mesh(mesh: Any) -> None:
    """Removes a mesh without a user that no view has shown yet. It takes no search for users, in
    the file or in editors, which would walk through all objects."""
    bpy.data.meshes.remove(mesh, do_unlink=False, do_ui_user=False)


_VIEW_POINTERS = ("camera", "lock_object", "pin_id")
"""Pointers by which a script lets a view refer to an object."""


def remove_datablocks(datablocks: Iterable[Any]) -> None:
    """Removes datablocks and all references to them.

    For each of them Blender searches all notices of changes that no window has read. Without
    windows these are all since the file was opened, so objects and meshes that were made meanwhile
    go past them. They must be in no collection any more.
    """
    going = list(datablocks)
    free = _sort_free(going)
    # These first: Blender follows their references, which may lead to the others.
    kept = set(free)
    rest = [each for each in going if each not in kept]
    if rest:
        bpy.data.batch_remove(rest)
    for each in free:
        drop_unshown(each)
        home = bpy.data.objects if each.id_type == "OBJECT" else bpy.data.meshes
        home.remove(each, do_unlink=False, do_ui_user=False)


def _sort_free(going: Sequence[Any]) -> list[Any]:
    """Finds objects and meshes to which nothing refers but other objects that go; an object comes
    before its mesh and its parent."""
    free = {each for each in going if is_unshown(each) and each.id_type in ("OBJECT", "MESH")}
    if not free:
        return []
    for layer in (layer for scene in bpy.data.scenes for layer in scene.view_layers):
        # Asked for it, a view layer drops objects that are in no collection any more.
        getattr(layer.objects, "active", None)
    free = {each for each in free if not each.users} - _find_viewed()
    users = {each: found - {each} for each, found in bpy.data.user_map(subset=free).items()}
    uses: dict[Any, list[Any]] = {}
    for each in free:
        for user in users[each]:
            uses.setdefault(user, []).append(each)
    found = [each for each in free if not users[each]]
    for each in found:  # It grows; objects used from outside or in a circle stay out.
        for used in uses.get(each, ()):
            users[used].discard(each)
            if not users[used]:
                found.append(used)
    return found


def _find_viewed() -> set[Any]:
    areas = (area for screen in bpy.data.screens for area in screen.areas)
    spaces = [space for area in areas for space in area.spaces]
    return {getattr(space, name, None) for space in spaces for name in _VIEW_POINTERS}


class Ledger:
    """Makes datablocks and remembers them."""

    def __init__(self) -> None:
        self._made: dict[Any, None] = {}
        self._shared: list[Any] = []

    def new_object(self, name: str, data: Any) -> Any:
        return self.note(bpy.data.objects.new(name, data))

    def new_collection(self, name: str) -> Any:
        return self.note(bpy.data.collections.new(name))

    def new_armature(self, name: str) -> Any:
        return self.note(bpy.data.armatures.new(name))

    def new_mesh(self, name: str) -> Any:
        return self.note(bpy.data.meshes.new(name))

    def new_camera(self, name: str) -> Any:
        return self.note(bpy.data.cameras.new(name))

    def remove(self, datablock: Any) -> None:
        """Removes something that was made only for a while."""
        del self._made[datablock]
        if datablock.id_type == "MESH" and not datablock.users:
            drop_mesh(datablock)
        else:
            bpy.data.batch_remove([datablock])

    def remove_all(self) -> None:
        """Removes the created datablocks, in one go: removing one by one takes quadratic time."""
        bpy.data.batch_remove(list(self._made))
        self._made.clear()
        for datablock in reversed(self._shared):
            if not datablock.users:
                bpy.data.batch_remove([datablock])
        self._shared.clear()

    def share(self, datablock: Any) -> Any:
        """Remembers a datablock that other robots may come to use as well: it is removed only if
        none does. A datablock that uses another comes after it."""
        self._shared.append(datablock)
        return datablock

    def note(self, datablock: Any) -> Any:
        """Remembers a datablock that Blender made differently."""
        self._made[datablock] = None
        note_unshown(datablock)
        return datablock
