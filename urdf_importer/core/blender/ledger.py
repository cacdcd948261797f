# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that an import makes, so that a failed or cancelled one leaves nothing behind."""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy


def drop_mesh(mesh: Any) -> None:
    """Removes a mesh without a user that no view has shown yet. It takes no search for users, in
    the file or in editors, which would walk through all objects."""
    bpy.data.meshes.remove(mesh, do_unlink=False, do_ui_user=False)


def remove_unseen(datablocks: Iterable[Any]) -> None:
    """Removes datablocks that this call of the library made and that no view has shown yet.

    For each datablock, Blender searches all notices of changes that no window has read. Without
    windows these are all since the file was opened, so datablocks that nothing uses go past them.
    """
    going = list(datablocks)
    free = _find_free(going) if bpy.app.background else set()
    # These first: Blender follows their references, which may lead to the others.
    rest = [each for each in going if each not in free]
    if rest:
        bpy.data.batch_remove(rest)
    for each in free:
        home = bpy.data.objects if each.id_type == "OBJECT" else bpy.data.meshes
        home.remove(each, do_unlink=False, do_ui_user=False)


def _find_free(going: Sequence[Any]) -> set[Any]:
    """Finds objects and meshes to which nothing refers but other objects that go."""
    for layer in (layer for scene in bpy.data.scenes for layer in scene.view_layers):
        # Asked for it, a view layer drops objects that are in no collection any more.
        getattr(layer.objects, "active", None)
    free = {each for each in going if each.id_type in ("OBJECT", "MESH") and not each.users}
    users = bpy.data.user_map(subset=free) if free else {}
    held = [each for each in free if not users.get(each, set()) <= free]
    while held:  # Their parents stay for the moment, too.
        free -= {*held}
        held = [each for each in free if not users.get(each, set()) <= free]
    return free


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
        return datablock
