# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and materials of a standing rig and their twins in the staged one.

A mesh whose fingerprint is the same stays, also where the user edited it; another one gives way to
its twin. A material that the user changed, or put into a slot, stays in the slot; all others follow
the description.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..standing import properties
from .materials import find_touched, is_users
from .names import NamesAside
from .standing import StandingRig


class Wardrobe:
    """The materials and meshes of the rig as it stood; to be made before objects are merged."""

    def __init__(self, standing: StandingRig, names: NamesAside) -> None:
        self._names = names
        self._materials = standing.materials()
        self._touched = find_touched(self._materials)
        self._meshes = standing.meshes()
        self._reused: set[Any] = set()
        self._spent_meshes: list[Any] = []
        self._spent_materials: list[Any] = []

    def reuse(self, pairs: Sequence[tuple[Any, Any]], new: Sequence[Any]) -> None:
        """Staged objects take the old materials and meshes where these are for the same thing.
        Which mesh that is, `pairs` of (old object, twin) say: two files may hold the same mesh."""
        twins = [*(twin for _, twin in pairs), *new]
        shapes = [twin for twin in twins if twin.type == "MESH" and properties.SHAPE in twin]
        for material in _distinct(_slot_materials(shapes)):
            old = self._find_material(material[properties.LOOK])
            if old is not None:
                self._names.take(old, material)
                material.user_remap(old)
                self._spent_materials.append(material)
        for mesh, old in self._match_meshes(pairs).items():
            self._update_slots(old, mesh)
            self._names.take(old, mesh)
            mesh.user_remap(old)
            self._spent_meshes.append(mesh)

    def _match_meshes(self, pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
        """Staged mesh -> the old one that stays in its place."""
        found: dict[Any, Any] = {}
        for item, twin in pairs:
            if item.type != "MESH" or twin.type != "MESH" or properties.SHAPE not in twin:
                continue
            old, mesh = item.data, twin.data
            alike = old.get(properties.FINGERPRINT) == mesh[properties.FINGERPRINT]
            if alike and mesh not in found and old not in self._reused:
                found[mesh] = old
                self._reused.add(old)
        return found

    def _find_material(self, look: str) -> Any | None:
        alike = [m for m in self._materials if m[properties.LOOK] == look]
        untouched = [m for m in alike if m not in self._touched]
        return next(iter([*untouched, *alike]), None)

    def _update_slots(self, old: Any, mesh: Any) -> None:
        """Slots of a mesh that stays; those of the user stay too."""
        given, wanted = _looks(old), _looks(mesh)
        for index, material in enumerate(mesh.materials):
            if index >= len(old.materials):
                old.materials.append(material)
            elif given[index : index + 1] != wanted[index : index + 1] and not is_users(
                old.materials[index], _at(given, index), self._touched
            ):
                old.materials[index] = material
        _note(old, wanted)

    def dress(self, old: Any, twin: Any) -> None:
        """An old object gets its twin's mesh and material, but for what is the user's."""
        if old.type != "MESH" or properties.SHAPE not in twin:
            self._take_data(old, twin)
            return
        own = self._find_own(old)
        before = old.data.get(properties.FINGERPRINT)
        same_shape = old[properties.SHAPE]["geometry"] == twin[properties.SHAPE]["geometry"]
        is_users_mesh = before is None and same_shape
        is_copy = before == twin.data[properties.FINGERPRINT] and old.data not in self._reused
        if is_copy:
            self._update_slots(old.data, twin.data)
        changes_mesh = old.data != twin.data and not (is_users_mesh or is_copy)
        if not changes_mesh and _looks(old) == _looks(twin):
            return
        worn = _undress(old)
        if changes_mesh:
            looks = _looks(old.data)
            old.data = twin.data
            self._keep_own(old, own, looks)
        self._dress_object(old, twin, own, worn)

    def _find_own(self, old: Any) -> dict[int, tuple[str, Any]]:
        """Slot -> (where it is, material) of slots that hold something of the user's."""
        on_object, on_mesh = _looks(old), _looks(old.data)
        found = {}
        for index, slot in enumerate(old.material_slots):
            given = _at(on_object, index) if on_object else _at(on_mesh, index)
            if slot.link == "OBJECT" and not on_object and on_mesh:
                given = None
            if is_users(slot.material, given, self._touched):
                found[index] = (slot.link, slot.material)
        return found

    def _keep_own(self, old: Any, own: dict[int, tuple[str, Any]], before: list[str]) -> None:
        """Materials of the user on a mesh that gave way: in the slot of the same look, else in that
        of the same place."""
        after = _looks(old.data)
        for index, (link, material) in own.items():
            if link == "OBJECT":
                continue
            look = _at(before, index)
            place = after.index(look) if look in after else index
            while place >= len(old.data.materials):
                old.data.materials.append(None)
            old.data.materials[place] = material

    def _dress_object(
        self, old: Any, twin: Any, own: dict[int, tuple[str, Any]], worn: dict[int, Any]
    ) -> None:
        """Materials that sit on the object: the user's as before, else as the twin has it."""
        given, wanted = _looks(old), _looks(twin)
        put = {i: material for i, material in worn.items() if i in own}
        if wanted and 0 not in own:
            put[0] = worn[0] if given == wanted and 0 in worn else twin.material_slots[0].material
        for index, material in put.items():
            while index >= len(old.data.materials):
                old.data.materials.append(None)
            old.material_slots[index].link = "OBJECT"
            old.material_slots[index].material = material

    def note_spent(self, items: Iterable[Any]) -> None:
        """The importer's meshes and materials of objects that go may be without use then."""
        for item in items:
            is_own = properties.SHAPE in item or properties.LIMITS_OF in item
            if is_own and item.type == "MESH":
                if properties.SHAPE not in item or properties.FINGERPRINT in item.data:
                    self._spent_meshes.append(item.data)
                given = (slot.material for slot in item.material_slots)
                self._spent_materials += (m for m in given if m and properties.LOOK in m)

    def spent_meshes(self) -> list[Any]:
        """Old and staged meshes that may go if nothing uses them; none of the user's."""
        return _distinct([*self._spent_meshes, *self._meshes])

    def spent_materials(self) -> list[Any]:
        """Old and staged materials, but for those that the user changed."""
        spent = _distinct([*self._spent_materials, *self._materials])
        return [material for material in spent if material not in self._touched]

    def _take_data(self, old: Any, twin: Any) -> None:
        """Of limit marks, which nobody edits."""
        if old.type == "MESH":
            self._spent_meshes.append(old.data)
            old.data = twin.data


def _undress(old: Any) -> dict[int, Any]:
    """Slot -> material, of those that sat on the object. Before a mesh is changed: Blender forgets
    to count down the users of materials in slots that the new mesh does not have."""
    worn = {}
    for index, slot in enumerate(old.material_slots):
        if slot.link == "OBJECT":
            worn[index] = slot.material
            slot.material = None
            slot.link = "DATA"
    return worn


def _slot_materials(shapes: Iterable[Any]) -> Iterable[Any]:
    for shape in shapes:
        for slot in shape.material_slots:
            if slot.material is not None:
                yield slot.material


def _distinct(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def _looks(owner: Any) -> list[str]:
    return list(owner.get(properties.LOOKS, ()))


def _at(looks: list[str], index: int) -> str | None:
    return looks[index] if index < len(looks) else None


def _note(owner: Any, looks: list[str]) -> None:
    owner.pop(properties.LOOKS, None)
    if looks:
        owner[properties.LOOKS] = looks
