# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a standing rig and their twins in the staged one.

An object that has a twin stays, with all that the user did to it, and takes over the description's
data: the importer's properties, the link's frame, an origin that changed. An object without a twin
goes; a twin without an old one is new and moves in.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...options import ImportOptions
from ...reshape.compare import match_shapes
from ..build.build import Rig
from ..build.links import is_locked
from ..build.sensors import copy_lens
from ..extract.robot import group_children, read_shape
from ..standing import properties
from ..standing.armatures import group_homes
from .standing import SHAPE_PARTS, StandingRig

_OWN = "urdf_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """`pairs`: (old, twin). `new` objects have no old one. `removed` twins belong to shapes that
    the user removed. `going` have no twin.
    """

    pairs: list[tuple[Any, Any]] = field(default_factory=list)
    new: list[Any] = field(default_factory=list)
    removed: list[Any] = field(default_factory=list)
    going: list[Any] = field(default_factory=list)

    def add(self, old: Any | None, twin: Any | None) -> None:
        if old is not None and twin is not None:
            self.pairs.append((old, twin))
        elif twin is not None:
            self.new.append(twin)
        elif old is not None:
            self.going.append(old)


def pair_objects(
    standing: StandingRig, staged: Rig, before: ImportOptions, after: ImportOptions
) -> Pairing:
    """Pairs links and inertial frames by the link's name, limit marks by the joint's, sensors by
    their own, and shapes by their descriptions. Only the importer's own objects are paired."""
    found = Pairing()
    marks = {
        item[properties.LIMITS_OF]: item
        for items in group_children().values()
        for item in items
        if properties.LIMITS_OF in item and item.parent in staged.links.values()
    }
    for old, new in (
        (standing.links, staged.links),
        (standing.inertials, staged.inertials),
        (standing.marks, marks),
        (standing.sensors, staged.sensors),
    ):
        for name in new | old:
            found.add(old.get(name), new.get(name))
    for part in SHAPE_PARTS:
        built = all(getattr(options, part.lower()) for options in (before, after))
        _pair_shapes(standing, staged, part, found, keep_removed=built)
    return found


def _pair_shapes(
    standing: StandingRig, staged: Rig, part: str, found: Pairing, *, keep_removed: bool
) -> None:
    twins: dict[str, list[Any]] = getattr(staged, part.lower())
    described = {link.name: link for link in standing.robot.links}
    for name, objects in twins.items():
        old = standing.shapes.get((part, name), [])
        before_shapes = getattr(described[name], part.lower()) if name in described else ()
        after_shapes: list[Any] = [read_shape(item) for item in objects]
        matches = match_shapes(before_shapes, after_shapes)
        for index, twin in enumerate(objects):
            before = old[matches[index]] if index in matches else None
            is_removed = index in matches and before is None and keep_removed
            if is_removed and before_shapes[matches[index]] == after_shapes[index]:
                found.removed.append(twin)
            else:
                found.add(before, twin)
        for index, item in enumerate(old):
            if index not in matches.values():
                found.add(item, None)
    for (kind, name), objects in standing.shapes.items():
        if kind == part and name not in twins:
            for item in objects:
                found.add(item, None)


class Mover:
    """Moves staged objects into the standing rig. `scale` is the change of the robot's size: (old,
    new), for empties whose size the user left alone."""

    def __init__(self, standing: StandingRig, staged: Rig, scale: tuple[float, float]) -> None:
        self._standing = standing
        self._staged = staged
        self._scale = scale
        self._stands_for: dict[Any, Any] = {staged.armature: standing.armature}

    def merge(self, pairing: Pairing) -> list[Any]:
        """Merges the staged objects into the rig. Returns the old objects that their twins
        replaced, being of another type."""
        replaced = []
        for old, twin in pairing.pairs:
            if old.type == twin.type:
                self._stands_for[twin] = old
            else:
                _replace(old, twin)
                replaced.append(old)
        parts = [*self._staged.collection.children, *self._standing.parts.values()]
        homes = group_homes(dict.fromkeys(parts))
        for old, twin in pairing.pairs:
            if old.type == twin.type:
                self._update(old, twin)
            else:
                self._move_in(twin, homes.get(twin, []))
        for twin in pairing.new:
            self._move_in(twin, homes.get(twin, []))
        links = self._staged.links
        self._standing.links.update({name: self.final(twin) for name, twin in links.items()})
        return replaced

    def _update(self, old: Any, twin: Any) -> None:
        if properties.SHAPE not in twin or is_locked(old) or _origin(old) != _origin(twin):
            names = ["rotation_mode", "rotation_quaternion", "location"]
            _copy_changed(old, twin, names + ["scale"] * is_locked(old))
        if properties.LINK in twin:
            old.matrix_parent_inverse.identity()
        self._adopt(old, twin)
        if old.type == "EMPTY":
            self._resize(old, twin)
        elif old.type == "CAMERA":
            copy_lens(old.data, twin.data)
        copy_properties(old, twin)

    def _adopt(self, old: Any, twin: Any) -> None:
        wanted = {"parent": self.final(twin.parent)}
        wanted |= {name: getattr(twin, name) for name in ("parent_type", "parent_bone")}
        for name, value in wanted.items():
            if getattr(old, name) != value:
                setattr(old, name, value)

    def _resize(self, old: Any, twin: Any) -> None:
        before, after = self._scale
        if abs(old.empty_display_size * after - twin.empty_display_size * before) < 1e-6 * after:
            old.empty_display_size = twin.empty_display_size

    def _move_in(self, twin: Any, homes: list[Any]) -> None:
        """Moves a twin from the staged parts among `homes`, which hold it, to the rig's own."""
        self._adopt(twin, twin)
        for collection in homes:
            home = self._standing.parts.get(collection[properties.PART])
            if home is not None and home != collection:
                if home not in homes:
                    home.objects.link(twin)
                collection.objects.unlink(twin)

    def final(self, twin: Any) -> Any:
        return self._stands_for.get(twin, twin)


def _copy_changed(old: Any, twin: Any, names: Iterable[str]) -> None:
    """Copies properties that differ. Each one that is set, Blender evaluates and announces. Its
    vectors are equal where their numbers nearly are; here they must be exactly."""
    for name in names:
        value = getattr(twin, name)
        if _exact(getattr(old, name)) != _exact(value):
            setattr(old, name, value)


def _exact(value: Any) -> Any:
    return value if isinstance(value, str) else tuple(value)


def _origin(item: Any) -> Any:
    origin = item[properties.SHAPE].get("origin") if properties.SHAPE in item else None
    return origin.to_dict() if origin is not None else None


def _replace(old: Any, twin: Any) -> None:
    """Redirects all that points at the old object to its twin, which also gets the user's
    settings."""
    for key in old.keys():  # noqa: SIM118
        if not key.startswith(_OWN):
            twin[key] = old[key]
    hidden = (old.hide_viewport, old.hide_get())
    parent, collections = old.parent, list(old.users_collection)
    old.user_remap(twin)
    twin.parent = parent
    for collection in collections:
        if twin.name not in collection.objects:
            collection.objects.link(twin)
    twin.hide_viewport = hidden[0]
    if twin.name in bpy.context.view_layer.objects:
        twin.hide_set(hidden[1])


def copy_properties(old: Any, twin: Any) -> None:
    """Copies the importer's properties of the twin to the old object, and removes its others."""
    for key in [key for key in old.keys() if key.startswith(_OWN)]:  # noqa: SIM118
        if key not in twin and key not in properties.USERS:
            del old[key]
    for key in twin.keys():  # noqa: SIM118
        if key.startswith(_OWN):
            old[key] = twin[key]


def move_parts(standing: StandingRig, staged: Rig) -> set[str]:
    """Moves parts of the robot's collection that the old one does not have. Returns the names of
    all that the new rig has. The armature stays where it is: in earlier files it has no
    collection of its own."""
    names = set()
    for part in list(staged.collection.children):
        name = part[properties.PART]
        names.add(name)
        if name not in standing.parts and name != properties.RIG:
            staged.collection.children.unlink(part)
            standing.collection.children.link(part)
            standing.parts[name] = part
    return names


def pairs_of_collections(standing: StandingRig, staged: Rig) -> Iterator[tuple[Any, Any]]:
    if standing.collection != bpy.context.scene.collection:
        yield standing.collection, staged.collection
    for part in staged.collection.children:
        name = part.get(properties.PART)
        if name in standing.parts and standing.parts[name] != part:
            yield standing.parts[name], part
