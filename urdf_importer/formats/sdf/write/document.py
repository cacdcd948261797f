# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of a file of SDF: one model, and the models within."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....core.diagnostics import WriteError
from ....core.markup.edit import XmlEditor
from ....core.markup.write import XmlWriter, format_number, format_numbers, format_value
from ....core.markup.xml import parse_fragment, text_of, verbatim
from ....core.model import Cone, Dynamics, Inertia, Inertial, Link, Pose
from ....core.names import Claims
from ...urdf.write.loops import write_pose
from .extras import GazeboData, nest, own_elements
from .nesting import Addresses, Nest
from .parts import MODEL, WORLD, FramePart, JointPart, LinkPart, ModelPlan, SdfAxis
from .shapes import ShapeText

OLD, NEW = "1.9", "1.11"
"""The version that old programs read too, and the first with mimic joints and cones."""
JOINT = "urdf:joint"
"""The attribute of a frame that names the fixed joint that it replaces. Other programs are
silent on names with a prefix."""
NAMESPACE = "https://wiki.ros.org/urdf"
_DRAKE = "http://drake.mit.edu"
_TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_TURNS = 6.283185307179586


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SdfDocument:
    """All that the file says. `place` is the pose of the model in its world; None where there is
    none."""

    name: str
    plan: ModelPlan
    addresses: Addresses
    data: GazeboData
    shapes: ShapeText
    place: Pose | None = None
    lumps: bool = False


def write_document(document: SdfDocument, xml: XmlWriter) -> None:
    """Writes <sdf>. Raises WriteError for names and numbers that XML cannot hold."""
    try:
        version = NEW if _needs_new(document.plan) else OLD
        with xml.element("sdf", {"version": version, "xmlns:urdf": NAMESPACE}):
            _ModelWriter(document, document.addresses, document.data, xml).write_top()
    except ValueError as problem:
        raise WriteError(f"the robot cannot be written: {problem}") from None


def _needs_new(plan: ModelPlan) -> bool:
    for part in plan.parts:
        if isinstance(part, JointPart) and (part.travel or any(a.mimic for a in part.axes)):
            return True
        for link in part.carried if isinstance(part, LinkPart) else ():
            if any(isinstance(each.geometry, Cone) for each in link.shapes):
                return True
    return False


@dataclass(frozen=True, slots=True, eq=False)
class _ModelWriter:
    _document: SdfDocument
    _addresses: Addresses
    _data: GazeboData
    _xml: XmlWriter

    def write_top(self) -> None:
        document, xml = self._document, self._xml
        with xml.element("model", {"name": document.name}):
            said = document.data.model
            if document.place is not None:
                write_pose(document.place, "", xml)
            for tag, text in said:
                if tag != "pose":
                    xml.verbatim(text)
                elif document.place is None:
                    _write_place(text, xml)
            self._write_nest(document.addresses.top)

    def _write_nest(self, nest: Nest) -> None:
        for part in nest.parts:
            if isinstance(part, LinkPart):
                self._write_link(part)
            elif isinstance(part, FramePart):
                self._write_frame(part)
            elif isinstance(part, JointPart):
                self._write_joint(part)
        for name, inner in nest.inner.items():
            with self._xml.element("model", {"name": name}):
                self._write_nest(inner)

    def _write_frame(self, part: FramePart) -> None:
        holder = self._addresses.link_name(part.holder, part)
        base, pose = self._addresses.find_pose(part)
        attributes = {"name": self._addresses.name(part), "attached_to": holder or MODEL}
        with self._xml.element("frame", attributes | _tell(part)):
            write_pose(pose, "" if base and base == holder else base or MODEL, self._xml)

    def _write_link(self, part: LinkPart) -> None:
        xml, attributes = self._xml, {"name": self._addresses.name(part)}
        base, pose = self._addresses.find_pose(part)
        with xml.element("link", attributes | _tell(part)):
            write_pose(pose, base, xml)
            if part.inertial is not None:
                _write_inertial(part.inertial, xml)
            # As Gazebo counts them: a_visual, a_visual_1. libsdformat refuses a visual and a
            # collision of one name.
            names = Claims(first=1)
            for link in part.carried:
                self._write_shapes(link, part, names)
            for link in part.carried:
                self._write_extras(link, part, names)

    def _write_shapes(self, link: Link, part: LinkPart, names: Claims) -> None:
        shapes, addresses = self._document.shapes, self._addresses
        lumped = self._document.lumps and link.name != part.name
        lump = f"{part.name}_fixed_joint_lump__" if lumped else ""
        # Sensors name collisions: these come first.
        solid = [
            names.claim(lump + (each.name or f"{link.name}_collision")) for each in link.collisions
        ]
        for visual in link.visuals:
            name = names.claim(lump + (visual.name or f"{link.name}_visual"))
            placed = addresses.shape_base(link.name, part, visual.origin)
            shapes.write_visual(name, visual, link, placed, self._xml)
        for name, collision in zip(solid, link.collisions, strict=True):
            placed = addresses.shape_base(link.name, part, collision.origin)
            shapes.write_collision(name, collision, link, placed, self._xml)

    def _write_extras(self, link: Link, part: LinkPart, names: Claims) -> None:
        """Writes the further elements of a link; of a link that is but a frame its sensors and
        plugins."""
        is_own = link.name == part.name
        for tag, text in own_elements(self._data.about(link.name), listed=not is_own):
            if tag == "sensor":
                text = _rename(text, names)
                base, _ = self._addresses.shape_base(link.name, part, Pose())
                text = _place_sensor(text, base) if base else text
            self._xml.verbatim(text)

    # Joints

    def _write_joint(self, part: JointPart) -> None:
        addresses, xml = self._addresses, self._xml
        base, pose = addresses.find_pose(part)
        with xml.element("joint", {"name": addresses.name(part), "type": part.type}):
            write_pose(pose, base or MODEL, xml)
            xml.leaf("parent", text=addresses.link_name(part.parent, part) or WORLD)
            xml.leaf("child", text=addresses.link_name(part.child, part) or WORLD)
            for tag, axis in zip(("axis", "axis2"), part.axes, strict=False):
                with xml.element(tag):
                    self._write_axis(axis, part)
            if part.travel is not None:
                # Old programs know the second alone: radians in a metre, with the opposite sign.
                xml.leaf("screw_thread_pitch", text=format_number(_TURNS * part.travel))
                if part.travel:
                    xml.leaf("thread_pitch", text=format_number(-1.0 / part.travel))
            if part.gear is not None:
                xml.leaf("gearbox_ratio", text=format_number(part.gear[1]))
                reference = addresses.link_name(part.gear[0], part) or WORLD
                xml.leaf("gearbox_reference_body", text=reference)
            rotor = part.rotor
            if rotor:
                drake = {"xmlns:drake": _DRAKE}
                xml.leaf("drake:rotor_inertia", drake, format_number(rotor))
            self._write_joint_extras(part)

    def _write_joint_extras(self, part: JointPart) -> None:
        said = self._data.about(part.joint)
        if said.physics:
            self._xml.verbatim(f"<physics>{nest(said.physics)}</physics>")
        for tag, text in own_elements(said):
            if tag not in ("screw_thread_pitch", "thread_pitch"):
                self._xml.verbatim(text)

    def _write_axis(self, axis: SdfAxis, part: JointPart) -> None:
        xml = self._xml
        base = self._addresses.joint_name(axis.expressed_in, part) if axis.expressed_in else None
        xml.leaf("xyz", {"expressed_in": base}, format_numbers(axis.xyz))
        limit = axis.limit
        bounds = {"lower": axis.lower, "upper": axis.upper}
        if limit is not None:
            bounds |= {"effort": limit.effort, "velocity": limit.velocity}
        self._write_group("limit", bounds)
        dynamics = axis.dynamics or Dynamics()
        numbers: dict[str, str | float | None]
        numbers = {"damping": dynamics.damping, "friction": dynamics.friction}
        numbers |= {"spring_reference": dynamics.reference, "spring_stiffness": dynamics.stiffness}
        texts = self._data.about(axis.joint).dynamics
        self._write_group("dynamics", numbers | texts, [extra.xml for extra in dynamics.extras])
        mimic = axis.mimic
        leader = None if mimic is None else self._addresses.joint_name(mimic.joint, part)
        if mimic is None or leader is None:
            return
        followed = "axis2" if axis.follows_second else "axis"
        with xml.element("mimic", {"joint": leader, "axis": followed}):
            xml.leaf("multiplier", text=format_number(mimic.multiplier))
            xml.leaf("offset", text=format_number(mimic.offset))
            xml.leaf("reference", text="0")

    def _write_group(
        self, tag: str, said: Mapping[str, str | float | None], kept: Sequence[str] = ()
    ) -> None:
        """Writes an element and its content; nothing where there is none."""
        texts = {name: format_value(value) for name, value in said.items()}
        given = {name: text for name, text in texts.items() if text is not None}
        if given or kept:
            with self._xml.element(tag):
                for name, text in given.items():
                    self._xml.leaf(name, text=text)
                self._xml.verbatim(*kept)


def _write_place(text: str, xml: XmlWriter) -> None:
    """Writes the <pose> of a model as it was read."""
    data = text.encode()
    element = parse_fragment(data)
    if element is not None:
        xml.leaf("pose", element.attributes, text_of(element, data))


def _tell(part: LinkPart | FramePart) -> dict[str, str]:
    """The attribute that names a fixed joint, unless a reader calls it so anyway."""
    told = part.fixed_by
    return {JOINT: told} if told and told != f"{part.name}_fixed" else {}


def _write_inertial(inertial: Inertial, xml: XmlWriter) -> None:
    with xml.element("inertial"):
        write_pose(inertial.origin, "", xml)
        xml.leaf("mass", text=format_number(inertial.mass or 0.0))
        with xml.element("inertia"):
            tensor = inertial.inertia or Inertia()
            for tag in _TENSOR:
                xml.leaf(tag, text=format_number(getattr(tensor, tag)))


def _rename(text: str, names: Claims) -> str:
    """Returns an element with a name that nothing else in its link has."""
    data = text.encode()
    element = parse_fragment(data)
    if element is None:
        return text
    said = element.attributes.get("name", "")
    name = names.claim(said or "sensor")
    if name == said:
        return text
    editor = XmlEditor(data)
    editor.set_attribute(element, "name", name)
    return editor.apply().decode()


def _place_sensor(text: str, base: str) -> str:
    """Returns a sensor with its pose in a frame."""
    data = text.encode()
    element = parse_fragment(data)
    if element is None:
        return text
    xml = XmlWriter()
    pose = next((child for child in element if child.tag == "pose"), None)
    if pose is None:
        write_pose(Pose(), base, xml)
        start = text.index(">") + 1
        return text[:start] + xml.lines()[0] + text[start:] if element else text
    said = verbatim(pose, data)
    if "relative_to" in pose.attributes:
        return text
    xml.leaf("pose", {**pose.attributes, "relative_to": base}, text_of(pose, data))
    return text.replace(said, xml.lines()[0], 1)
