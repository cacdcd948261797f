# SPDX-License-Identifier: GPL-3.0-or-later
"""The standing rig, found by its properties: the importer's parts and the user's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...model import Collision, Link, Mesh, Robot, Visual
from ...options import ImportOptions
from ..extract.robot import extract_robot, find_link_empties, group_children, read_shape
from ..standing import properties
from ..standing.display import find_collection

SHAPE_PARTS = (properties.VISUALS, properties.COLLISIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRig:
    """The importer's objects of one rig.

    `marks` are by their joints, `sensors` by their names. `shapes[part, link]` are in the order of
    the description, None where the user removed the object; copies that the user made are the
    user's. `children` are all objects by their parent.
    """

    armature: Any
    robot: Robot
    collection: Any
    parts: dict[str, Any]
    links: dict[str, Any]
    inertials: dict[str, Any] = field(default_factory=dict)
    marks: dict[str, Any] = field(default_factory=dict)
    sensors: dict[str, Any] = field(default_factory=dict)
    shapes: dict[tuple[str, str], list[Any | None]] = field(default_factory=dict)
    children: dict[Any, list[Any]] = field(default_factory=dict)

    def objects(self) -> Iterator[Any]:
        """Yields all of them except the armature."""
        for group in (self.links, self.inertials, self.marks, self.sensors):
            yield from group.values()
        for shapes in self.shapes.values():
            yield from filter(None, shapes)

    def meshes(self) -> list[Any]:
        """Lists the meshes that the importer made, each once; the user's own have no
        fingerprint."""
        found = (shape.data for shape in self.objects() if shape.type == "MESH")
        return list(dict.fromkeys(mesh for mesh in found if properties.FINGERPRINT in mesh))

    def used_elsewhere(self) -> set[Any]:
        """Collects the meshes and materials of all other objects of the file: robots share them."""
        own = set(self.objects())
        found: set[Any] = set()
        for item in bpy.data.objects:
            if item.type == "MESH" and item not in own:
                found.add(item.data)
                found.update(slot.material for slot in item.material_slots)
        return found

    def materials(self) -> list[Any]:
        """Lists the importer's materials in the present slots of its shapes, each once."""
        found = (slot.material for shape in self.objects() for slot in shape.material_slots)
        return list(dict.fromkeys(each for each in found if each and properties.LOOK in each))


def find_standing(armature: Any) -> StandingRig:
    """Finds the parts of the rig. Raises BuildError for an object that is not an imported robot."""
    robot = extract_robot(armature)
    children = group_children()
    collection = find_collection(armature)
    if collection is None:
        collection = next(iter(armature.users_collection), bpy.context.scene.collection)
    parts = reversed(list(collection.children))  # Of two the first counts.
    standing = StandingRig(
        armature=armature,
        robot=robot,
        collection=collection,
        parts={each[properties.PART]: each for each in parts if properties.PART in each},
        links=find_link_empties(armature),
        children=children,
    )
    described = {link.name: link for link in robot.links}
    for name, empty in standing.links.items():
        below = children.get(empty, [])
        for item in below:
            if item.get(properties.PART) == properties.INERTIALS:
                standing.inertials.setdefault(name, item)
            if properties.LIMITS_OF in item:
                standing.marks.setdefault(item[properties.LIMITS_OF], item)
            if properties.SENSOR in item:
                standing.sensors.setdefault(item[properties.SENSOR], item)
        if name in described:
            for part in SHAPE_PARTS:
                standing.shapes[part, name] = _find_shapes(described[name], below, part)
    return standing


def find_fingerprints(
    standing: StandingRig, robot: Robot, options: ImportOptions
) -> Iterator[tuple[Visual | Collision, Mesh, str | None]]:
    """Finds the shapes of mesh files that both the rig and `robot` have, with the fingerprint of
    their mesh; None where an empty replaces the file. Meshes that the user put in are left out."""
    wanted = {
        (part, shape.geometry)
        for link in robot.links
        for part in SHAPE_PARTS
        for shape in getattr(link, part.lower())
        if getattr(options, part.lower())
    }
    for (part, _), objects in standing.shapes.items():
        for item in filter(None, objects):
            shape = read_shape(item)
            if shape is None or not isinstance(shape.geometry, Mesh):
                continue
            if (part, shape.geometry) not in wanted:
                continue
            if item.type == "EMPTY":
                yield shape, shape.geometry, None
            elif properties.FINGERPRINT in item.data:
                yield shape, shape.geometry, item.data[properties.FINGERPRINT]


def _find_shapes(link: Link, below: Sequence[Any], part: str) -> list[Any | None]:
    """Finds the object of each described shape."""
    left = {item: read_shape(item) for item in below if item.get(properties.PART) == part}
    found: list[Any | None] = []
    for shape in getattr(link, part.lower()):
        found.append(next((item for item, described in left.items() if described == shape), None))
        left.pop(found[-1], None)
    return found
