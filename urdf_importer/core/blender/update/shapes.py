# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and materials of a standing rig and their twins in the staged one.

A mesh whose fingerprint is the same stays, even if the user edited it, also on a link that another
was melted into. An edited mesh of another size now is scaled. Any other is replaced by its twin. A
material that the user changed, or put into a slot, stays in the slot; all others follow the
description.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import mathutils
import numpy as np

from ..build.sharing import find_users_slots, is_as_made, is_users
from ..extract.fingerprints import fingerprint_content
from ..standing import properties
from .names import NamesAside
from .standing import StandingRig


class ShapeUpdater:
    """Updates the meshes and materials of a rig; to be made before objects are merged."""

    def __init__(self, standing: StandingRig, names: NamesAside) -> None:
        self._names = names
        self._materials = standing.materials()
        self._touched = {each for each in self._materials if not is_as_made(each)}
        self._meshes = standing.meshes()
        self._elsewhere = standing.used_elsewhere()
        self._objects = [item for item in standing.objects() if item.type == "MESH"]
        self._reused: set[Any] = set()
        self._scaled: dict[tuple[Any, Any], Any] = {}
        self._spent_meshes: list[Any] = []
        self._spent_materials: list[Any] = []

    def reuse(self, pairs: Sequence[tuple[Any, Any]], new: Sequence[Any]) -> None:
        """Gives staged objects the old materials and meshes where these still fit. `pairs` of (old
        object, twin) decide which mesh that is, since two files may hold the same mesh."""
        twins = [*(twin for _, twin in pairs), *new]
        shapes = [twin for twin in twins if twin.type == "MESH" and properties.SHAPE in twin]
        given = (slot.material for shape in shapes for slot in shape.material_slots)
        for material in filter(None, _distinct(given)):
            old = self._find_material(material[properties.LOOK])
            if old is not None:
                self._names.hand_over(old, material)
                material.user_remap(old)
                self._spent_materials.append(material)
        matched = self._match_meshes(pairs)
        matched |= self._match_edited(pairs, shapes, matched.keys())
        kept = {mesh: self._update_slots(old, mesh) for mesh, old in matched.items()}
        # Blender's user_remap looks through all datablocks of the file for each mesh.
        for shape in shapes:
            if shape.data in kept:
                shape.data = kept[shape.data]
        for mesh, old in kept.items():
            self._names.hand_over(old, mesh)
            self._spent_meshes.append(mesh)

    def _match_meshes(self, pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
        """Returns staged mesh -> the old one that stays in its place."""
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

    def _match_edited(
        self, pairs: Sequence[tuple[Any, Any]], shapes: Sequence[Any], taken: Set[Any]
    ) -> dict[Any, Any]:
        """Returns the same for meshes that the user edited and whose objects go, since their shapes
        belong to other links now."""
        standing = {item for item, _ in pairs}
        going = [item for item in self._objects if item not in standing]
        edited = {
            item.data[properties.FINGERPRINT]: item.data
            for item in going
            if item.data not in self._reused and is_edited(item.data)
        }
        found: dict[Any, Any] = {}
        for mesh in _distinct(twin.data for twin in shapes):
            if mesh not in taken and mesh[properties.FINGERPRINT] in edited:
                found[mesh] = edited.pop(mesh[properties.FINGERPRINT])
                self._reused.add(found[mesh])
        return found

    def _find_material(self, look: str) -> Any | None:
        alike = [m for m in self._materials if m[properties.LOOK] == look]
        untouched = [m for m in alike if m not in self._touched]
        return next(iter([*untouched, *alike]), None)

    def _update_slots(self, old: Any, mesh: Any) -> Any:
        """Updates the slots of a mesh that stays; the user's slots stay too. Returns the mesh, or a
        copy where other robots use it and must not change."""
        wanted, materials = _looks(mesh), self._wanted_materials(old, mesh)
        if materials == list(old.materials) and _looks(old) == wanted:
            return old
        kept = self._copy_if_shared(old, mesh.name)
        for index, material in enumerate(materials):
            if index >= len(kept.materials):
                kept.materials.append(material)
            elif kept.materials[index] != material:
                kept.materials[index] = material
        _note(kept, wanted)
        return kept

    def _wanted_materials(self, old: Any, mesh: Any) -> list[Any]:
        given, wanted, materials = _looks(old), _looks(mesh), list(old.materials)
        for index, material in enumerate(mesh.materials):
            if index >= len(materials):
                materials.append(material)
            elif given[index : index + 1] != wanted[index : index + 1] and not is_users(
                materials[index], _at(given, index), self._touched
            ):
                materials[index] = material
        return materials

    def _copy_if_shared(self, mesh: Any, name: str) -> Any:
        if mesh not in self._elsewhere:
            return mesh
        copy = mesh.copy()
        self._names.put(copy, name)
        if mesh in self._reused:
            self._reused.add(copy)
        for item in self._objects:
            if item.data == mesh:
                item.data = copy
        return copy

    def update(self, old: Any, twin: Any) -> None:
        """Gives an old object its twin's mesh and material, except where they are the user's."""
        if old.type != "MESH" or properties.SHAPE not in twin:
            if old.type == "MESH":  # Of a limit mark: users do not edit it.
                self._spent_meshes.append(old.data)
                old.data = twin.data
            return
        own = find_users_slots(old, self._touched)
        before = old.data.get(properties.FINGERPRINT)
        # Groups of properties equal nothing but themselves.
        shapes = [each[properties.SHAPE]["geometry"].to_dict() for each in (old, twin)]
        same_shape = shapes[0] == shapes[1]
        is_users_mesh = before is None and same_shape
        is_copy = before == twin.data[properties.FINGERPRINT] and old.data not in self._reused
        if is_copy:
            self._update_slots(old.data, twin.data)
        changes_mesh = old.data != twin.data and not (is_users_mesh or is_copy)
        if not changes_mesh and _looks(old) == _looks(twin):
            return
        cleared = _clear_object_materials(old)
        if changes_mesh:
            looks, scaled = _looks(old.data), self._scale_edited(old, twin)
            old.data = scaled or twin.data
            if scaled is None:
                self._keep_own(old, own, looks)
        self._set_object_materials(old, twin, own, cleared)

    def _scale_edited(self, old: Any, twin: Any) -> Any | None:
        """Returns the mesh that the user edited in the present size of its shape; None for an
        unedited mesh, and where the shape is another one."""
        before, after = (item[properties.SHAPE]["geometry"].to_dict() for item in (old, twin))
        ratio = _find_ratio(before, after)
        if ratio is None or not is_edited(old.data):
            return None
        key = (old.data, twin.data)
        if key not in self._scaled:
            made = old.data.copy()
            self._names.put(made, twin.data.name)
            made.transform(mathutils.Matrix.Diagonal((*ratio, 1.0)))
            if np.prod(ratio) < 0.0:
                made.flip_normals()
            for name in (properties.FINGERPRINT, properties.CONTENT):
                made[name] = twin.data[name]
            self._update_slots(made, twin.data)
            self._scaled[key] = made
        return self._scaled[key]

    def _keep_own(self, old: Any, own: dict[int, tuple[str, Any]], before: list[str]) -> None:
        """Keeps the user's materials of a mesh that was replaced: in the slot that was given the
        same material, else in that with the same index."""
        after = _looks(old.data)
        for index, (link, material) in own.items():
            if link == "OBJECT":
                continue
            look = _at(before, index)
            place = after.index(look) if look in after else index
            while place >= len(old.data.materials):
                old.data.materials.append(None)
            old.data.materials[place] = material

    def _set_object_materials(
        self, old: Any, twin: Any, own: dict[int, tuple[str, Any]], cleared: dict[int, Any]
    ) -> None:
        """Sets the materials that are on the object: the user's as before, others as the twin has
        them."""
        given, wanted = _looks(old), _looks(twin)
        put = {i: material for i, material in cleared.items() if i in own}
        if wanted and 0 not in own:
            is_kept = given == wanted and 0 in cleared
            put[0] = cleared[0] if is_kept else twin.material_slots[0].material
        for index, material in put.items():
            while index >= len(old.data.materials):
                old.data.materials.append(None)
            old.material_slots[index].link = "OBJECT"
            old.material_slots[index].material = material

    def note_spent(self, items: Iterable[Any]) -> None:
        """Remembers the importer's meshes and materials of objects that go: they may be unused
        afterwards."""
        for item in items:
            is_own = properties.SHAPE in item or properties.LIMITS_OF in item
            if is_own and item.type == "MESH":
                if properties.SHAPE not in item or properties.FINGERPRINT in item.data:
                    self._spent_meshes.append(item.data)
                given = (slot.material for slot in item.material_slots)
                self._spent_materials += (m for m in given if m and properties.LOOK in m)

    def spent_meshes(self) -> list[Any]:
        """Returns old and staged meshes that may go if nothing uses them; none of the user's."""
        return _distinct([*self._spent_meshes, *self._meshes])

    def spent_materials(self) -> list[Any]:
        """Returns old and staged materials, except materials that the user changed."""
        spent = _distinct([*self._spent_materials, *self._materials])
        return [material for material in spent if material not in self._touched]


def is_edited(mesh: Any) -> bool:
    """Whether a mesh differs from an import's or update's result for its shape."""
    return properties.CONTENT in mesh and mesh[properties.CONTENT] != fingerprint_content(mesh)


def _find_ratio(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[float] | None:
    """Returns how much larger a geometry became along each axis; None where it is another one, or
    of a kind that cannot be scaled so."""
    kinds = before["type"], after["type"], before.get("filename") == after.get("filename")
    if kinds[0] != kinds[1] or not kinds[2] or kinds[0] not in _SIZES:
        return None
    sizes = [[float(each) for each in _SIZES[kinds[0]](geometry)] for geometry in (before, after)]
    if not all(np.all(np.isfinite(size)) and np.all(size) for size in sizes):
        return None
    return [new / old for old, new in zip(*sizes, strict=True)]


_SIZES: Mapping[str, Callable[[Mapping[str, Any]], Sequence[float]]] = {
    "mesh": lambda geometry: geometry["scale"],
    "box": lambda geometry: geometry["size"],
    "sphere": lambda geometry: [geometry["radius"]] * 3,
    "cylinder": lambda geometry: [geometry["radius"], geometry["radius"], geometry["length"]],
}
"""Kinds of geometry -> the three numbers that make up its size along its axes."""


def _clear_object_materials(old: Any) -> dict[int, Any]:
    """Takes the materials off the object and returns them by slot. To be called before a mesh is
    changed: Blender forgets to count down the users of materials in slots that the new mesh does
    not have."""
    cleared = {}
    for index, slot in enumerate(old.material_slots):
        if slot.link == "OBJECT":
            cleared[index] = slot.material
            slot.material = None
            slot.link = "DATA"
    return cleared


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
