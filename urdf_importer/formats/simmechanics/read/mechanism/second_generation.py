# SPDX-License-Identifier: GPL-3.0-or-later
"""SimscapeMultibodyImportXML -> Mechanism: the format of Onshape and today's Simscape Multibody
Link.

<ModelUnits/> <DataUnits/>
<RootAssembly> <InstanceTree> <Instance> <Instance/>... <Joints/> <Constraints/>
<Assemblies> <Assembly> <Joints/> <Constraints/>     of every instance of it
<Parts> <Part> mass, geometry, look
"""

from .....core.diagnostics import quote
from .....core.geometry.transforms import make_frame
from .....core.markup.xml import Element
from .connections import Connections
from .graph import Body, Mechanism
from .instances import Instance, find_anchors, read_instances
from .parts import Units, WeighedPart, read_part, read_units
from .values import XmlPage

ROOT_TAG = "SimscapeMultibodyImportXML"


class SecondGeneration:
    """The target of parse_xml: the children of the root as they come in."""

    def __init__(self, page: XmlPage) -> None:
        self.page = page
        self.line = 0
        self.units: dict[str, Units] = {}
        self.assembly: Element | None = None
        self.assemblies: dict[str, Element] = {}
        self.parts: dict[str, WeighedPart] = {}

    def read_root(self, element: Element) -> None:
        self.line = element.line

    def read_child(self, element: Element) -> None:
        if element.tag in ("ModelUnits", "DataUnits"):
            self.units.setdefault(element.tag, read_units(element, self.page))
        elif element.tag == "RootAssembly" and self.assembly is None:
            self.assembly = element
        elif element.tag == "Assemblies":
            for child in element:
                self.assemblies.setdefault(child.attributes.get("uid", ""), child)
        elif element.tag == "Parts":
            data_units = self.units.get("DataUnits")
            model_units = self.units.get("ModelUnits", Units())
            for child in element:
                part = read_part(child, data_units, model_units, self.page)
                self.parts.setdefault(child.attributes.get("uid", ""), part)

    def mechanism(self) -> Mechanism:
        """Returns the graph of the parsed elements. Raises ReadError where there is no body."""
        page, assembly = self.page, self.assembly
        if assembly is None:
            raise page.refusal("the file has no <RootAssembly>", self.line)
        units = self.units.get("DataUnits") or self.units.get("ModelUnits", Units())
        root, instances = read_instances(assembly, units, page)
        bodies = self._bodies(instances)
        if not bodies:
            raise page.refusal("the assembly has no part", assembly.line)
        find_anchors(root, instances)
        connections = Connections(page, bodies)
        for instance in (root, *instances):
            connections.add_rigid_group(instance)
            connections.add_grounded(instance)
        for instance in (root, *instances):
            element = assembly if instance is root else self.assemblies.get(instance.entity)
            if element is not None and (instance is root or instance.body < 0):
                connections.add_assembly(element, instance, units)
        edges = connections.edges()
        return Mechanism(
            name=assembly.attributes.get("name", "").strip(),
            bodies=tuple(bodies),
            edges=tuple(edges),
            order=(
                *((True, index) for index in range(len(bodies))),
                *((False, index) for index in range(len(edges))),
            ),
            generation=2,
            unit=self.units.get("ModelUnits", units).length,
            root=root.grounded_body,
            source=page.source,
        )

    def _bodies(self, instances: list[Instance]) -> list[Body]:
        bodies: list[Body] = []
        for instance in instances:
            part = self.parts.get(instance.entity)
            if instance.children or part is None:
                if not instance.children and instance.entity not in self.assemblies:
                    self._report_lost(instance)
                continue
            instance.body = len(bodies)
            center = part.center
            bodies.append(
                Body(
                    name=instance.name,
                    part=instance.matrix,
                    center=None if center is None else instance.matrix @ make_frame(point=center),
                    mass=part.mass,
                    inertia=part.inertia,
                    geometry=part.geometry,
                    look=instance.look or part.look,
                    is_visible=instance.is_visible,
                    line=instance.line,
                )
            )
        return bodies

    def _report_lost(self, instance: Instance) -> None:
        part = f"the part {quote(instance.entity)}, which the file does not have"
        message = f"instance {quote(instance.name)} has {part}; it is left out"
        self.page.error("lost-part", message, instance.name, instance.line)
