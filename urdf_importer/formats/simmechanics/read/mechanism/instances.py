# SPDX-License-Identifier: GPL-3.0-or-later
"""<InstanceTree> of the second generation: the places of parts."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from .....core.diagnostics import quote
from .....core.geometry.transforms import make_frame
from .....core.markup.xml import Element
from .graph import BodyColors, Matrix
from .parts import Units, read_look
from .values import XmlPage


@dataclass(slots=True, eq=False)
class Instance:
    """A place of the instance tree; `body` is the index of its body, -1 for assemblies."""

    name: str
    uid: str
    entity: str
    matrix: Matrix
    line: int
    parent: "Instance | None" = None
    children: dict[str, "Instance"] = field(default_factory=dict)
    body: int = -1
    is_grounded: bool = False
    is_rigid: bool = False
    is_visible: bool = True
    look: BodyColors | None = None
    # The first body below it, and the first that is grounded all the way from here.
    first_body: int = -1
    grounded_body: int = -1

    @property
    def stands_for(self) -> int:
        """The body that a path to here means; -1 where there is none below."""
        if self.body >= 0:
            return self.body
        return self.grounded_body if self.grounded_body >= 0 else self.first_body


def read_instances(
    assembly: Element, units: Units, page: XmlPage
) -> tuple[Instance, list[Instance]]:
    """Returns the root, and all instances below it in the order of the document."""
    root = Instance(
        name=assembly.attributes.get("name", ""),
        uid="",
        entity=assembly.attributes.get("uid", ""),
        matrix=np.eye(4),
        line=assembly.line,
    )
    root.is_grounded = True
    found: list[Instance] = []
    open_entities = {root.entity}
    trees = [child for child in assembly if child.tag == "InstanceTree"]
    stack = [(element, root) for tree in reversed(trees) for element in reversed(tree)]
    leaving: dict[int, str] = {}
    while stack:
        element, parent = stack.pop()
        if element.tag != "Instance":
            open_entities.discard(leaving.pop(id(element), ""))
            continue
        instance = _read_instance(element, parent, units, page)
        if instance.entity in open_entities and instance.entity:
            finding = f"instance {quote(instance.name)} is within its own assembly; it is left out"
            page.error("recursive-instance", finding, instance.name, instance.line)
            continue
        parent.children.setdefault(instance.uid, instance)
        found.append(instance)
        below = [child for child in element if child.tag == "Instance"]
        if below:
            open_entities.add(instance.entity)
            leave = Element()
            leave.tag = ""
            leaving[id(leave)] = instance.entity
            stack.append((leave, instance))
            stack.extend((child, instance) for child in reversed(below))
    return root, found


def _read_instance(element: Element, parent: Instance, units: Units, page: XmlPage) -> Instance:
    attributes = element.attributes
    name = attributes.get("name", "").strip() or attributes.get("uid", "").strip() or "part"
    fields = page.fields(element)
    look = read_look(fields["VisualProperties"], page) if "VisualProperties" in fields else None
    what = f"instance {quote(name)}"
    local = read_transform(fields.get("Transform"), units.length, what, page)
    return Instance(
        name=name,
        uid=attributes.get("uid", ""),
        entity=attributes.get("entityUid", ""),
        matrix=parent.matrix @ local,
        line=element.line,
        parent=parent,
        is_grounded=attributes.get("grounded") == "true",
        is_rigid=attributes.get("rigid") == "true",
        is_visible=attributes.get("visible") != "false" and parent.is_visible,
        look=look or parent.look,
    )


def read_transform(element: Element | None, length: float, what: str, page: XmlPage) -> Matrix:
    """Returns (4, 4) of a <Transform>, its rotation row by row; missing parts move nothing. Raises
    ReadError for invalid numbers."""
    rotation, point = np.eye(3), np.zeros(3)
    for child in element if element is not None else ():
        if child.tag == "Rotation":
            rotation = page.rotation(child, what, by_columns=False)
        elif child.tag == "Translation":
            point = page.point(child, length, f"the translation of {what}")
    return make_frame(rotation, point)


def find_anchors(root: Instance, instances: list[Instance]) -> None:
    """Returns the first body below each place, and the first that is grounded; from the leaves
    up."""
    for instance in reversed([root, *instances]):
        if instance.body >= 0:
            instance.first_body = instance.grounded_body = instance.body
            continue
        for child in instance.children.values():
            if instance.first_body < 0:
                instance.first_body = child.first_body
            if instance.grounded_body < 0 and child.is_grounded:
                instance.grounded_body = child.grounded_body


def bodies_below(instance: Instance) -> Iterator[int]:
    """Yields the bodies of a place, in the order of the document."""
    stack = [instance]
    while stack:
        place = stack.pop()
        if place.body >= 0:
            yield place.body
        stack.extend(reversed(place.children.values()))
