# SPDX-License-Identifier: GPL-3.0-or-later
"""PhysicalModelingXMLFile -> Mechanism: the first format of SimMechanics Link and its successor.

<PhysicalModelingXMLFile> <name/>
  <SimMechanics> or <SimscapeMultibody>
    <bodies> <Body/>... <joints> <SimpleJoint/>... <grounds> <Ground/>... <subsystems> again
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ....diagnostics import quote
from ....markup.xml import Element
from .frames_in_file import FrameTable, WrittenFrame, read_frame
from .graph import Body, BodyColors, BodyKind, Edge, Frame, Matrix, Mechanism, Primitive, Vector
from .values import NoNumberError, XmlPage, inertia_unit, mass_unit, read_number, read_numbers

ROOT_TAG = "PhysicalModelingXMLFile"
ROOT_PART = "RootPart"

_ROUNDING = 1e-4
_PRIMITIVES = ("weld", "revolute", "prismatic", "spherical")


class FirstGeneration:
    """The target of parse_xml: the children of the root as they come in."""

    def __init__(self, page: XmlPage) -> None:
        self.page = page
        self.name = ""
        self.line = 0
        self.bodies: list[_WrittenBody] = []
        self.joints: list[Element] = []
        self.order: list[tuple[bool, int]] = []
        self.frames = FrameTable(page)

    def read_root(self, element: Element) -> None:
        self.line = element.line

    def read_child(self, element: Element) -> None:
        if element.tag == "name" and not self.name:
            self.name = self.page.text(element)
            return
        for child in _walk(element):
            if child.tag == "Body":
                self._add_body(child, "part")
            elif child.tag == "Ground":
                self._add_body(child, "ground")
            else:
                self.order.append((False, len(self.joints)))
                self.joints.append(child)

    def _add_body(self, element: Element, kind: BodyKind) -> None:
        page, index = self.page, len(self.bodies)
        fields = _fields(element)
        name = page.text(fields["name"]) if "name" in fields else ""
        frames = [read_frame(frame, page) for frame in _find_frames(element)]
        for frame in frames:
            self.frames.add(index, frame)
        if kind == "part" and _is_root_part(name, fields, page):
            kind = "placement"
        default = "world" if kind == "ground" else "body"
        self.order.append((True, index))
        self.bodies.append(
            _WrittenBody(
                name=name or default, kind=kind, frames=frames, fields=fields, line=element.line
            )
        )

    def mechanism(self) -> Mechanism:
        """Returns the graph of the parsed elements. Raises ReadError where there is no body, or a
        frame has invalid numbers."""
        page = self.page
        if not any(body.kind == "part" for body in self.bodies):
            raise page.refusal("the file has no body", self.line)
        written = [
            joint
            for index, element in enumerate(self.joints)
            if (joint := _read_ends(element, index, self))
        ]
        self.frames.resolve(
            {joint.base_ref: joint.follower_ref for joint in written}
            | {joint.follower_ref: joint.base_ref for joint in written}
        )
        bodies = tuple(self._body(body) for body in self.bodies)
        edges = {joint.index: self._edge(joint) for joint in written}
        position = {index: place for place, index in enumerate(edges)}
        return Mechanism(
            name=self.name,
            bodies=bodies,
            edges=tuple(edges.values()),
            order=tuple(
                (is_body, index if is_body else position[index])
                for is_body, index in self.order
                if is_body or index in position
            ),
            generation=1,
            unit=self.frames.unit,
            source=page.source,
        )

    def _body(self, body: "_WrittenBody") -> Body:
        page = self.page
        resolved = [(frame, self.frames.matrix(frame)) for frame in body.frames]
        named = {frame.name: matrix for frame, matrix in reversed(resolved)}
        part = named.get("CS1")
        if part is None:
            part = named.get("CG", np.eye(4))
            if body.kind == "part":
                page.diagnostics.warning(
                    "missing-part-frame",
                    f"body {quote(body.name)} has no frame CS1, in which its mesh would be "
                    f"written; {'CG' if 'CG' in named else 'WORLD'} takes its place",
                    subject=body.name,
                    line=body.line,
                )
        mass, inertia = (None, None) if body.kind != "part" else _read_mass(body, page)
        fields = body.fields
        return Body(
            name=body.name,
            kind=body.kind,
            part=part,
            center=named.get("CG"),
            mass=mass,
            inertia=inertia,
            frames=tuple(_as_frame(frame, matrix) for frame, matrix in resolved),
            geometry=page.text(fields["geometryFileName"]) if "geometryFileName" in fields else "",
            look=_read_look(fields.get("MaterialProp"), page),
            line=body.line,
        )

    def _edge(self, joint: "_WrittenJoint") -> Edge:
        base, base_frame = self.frames.find(joint.base_ref)
        follower, follower_frame = self.frames.find(joint.follower_ref)
        ends = (self.frames.matrix(base_frame), self.frames.matrix(follower_frame))
        return Edge(
            name=joint.name,
            number=joint.base_ref,
            base=base,
            follower=follower,
            base_frame=_as_frame(base_frame, ends[0]),
            follower_frame=_as_frame(follower_frame, ends[1]),
            primitives=tuple(
                _read_primitive(element, joint, ends, self.page) for element in joint.primitives
            ),
            line=joint.line,
        )


@dataclass(slots=True, kw_only=True)
class _WrittenBody:
    name: str
    kind: BodyKind
    frames: list[WrittenFrame]
    fields: dict[str, Element]
    line: int


@dataclass(slots=True, kw_only=True)
class _WrittenJoint:
    index: int
    name: str
    base_ref: str
    follower_ref: str
    primitives: list[Element] = field(default_factory=list)
    line: int


def _walk(element: Element) -> Iterator[Element]:
    """Bodies, joints and grounds in the order of the document, however deep subsystems nest."""
    stack = [element]
    while stack:
        element = stack.pop()
        if element.tag in ("Body", "Ground", "SimpleJoint"):
            yield element
        else:
            stack.extend(reversed(element))


def _find_all(element: Element, tag: str) -> Iterator[Element]:
    stack = list(reversed(element))
    while stack:
        child = stack.pop()
        if child.tag == tag:
            yield child
        else:
            stack.extend(reversed(child))


def _find_frames(element: Element) -> Iterator[Element]:
    """The frames of a body or ground; a plain <frame> that holds <Frame> is only a wrapper."""
    return _find_all(element, "Frame")


def _fields(element: Element) -> dict[str, Element]:
    """Tag -> first child with that tag."""
    return {child.tag: child for child in reversed(element)}


def _is_root_part(name: str, fields: dict[str, Element], page: XmlPage) -> bool:
    node = page.text(fields["nodeID"]) if "nodeID" in fields else ""
    if name != ROOT_PART and not node.endswith("/" + ROOT_PART):
        return False
    return "geometryFileName" not in fields or not page.text(fields["geometryFileName"])


def _as_frame(frame: WrittenFrame, matrix: Matrix) -> Frame:
    return Frame(matrix=matrix, name=frame.name, label=frame.label, ref=frame.ref, line=frame.line)


def _read_mass(body: _WrittenBody, page: XmlPage) -> tuple[float | None, Matrix | None]:
    """Mass and inertia; None, and an ERROR diagnostic, where they are no numbers. Raises ReadError
    for an unknown unit."""
    fields = body.fields
    if "mass" not in fields:
        return None, None
    mass_scale = _unit(body, "massUnits", mass_unit, page)
    inertia_scale = _unit(body, "inertiaUnits", inertia_unit, page)
    try:
        mass = read_number(page.text(fields["mass"])) * mass_scale
        inertia = None
        if "inertia" in fields:
            numbers = read_numbers(page.text(fields["inertia"]), 9)
            inertia = np.array(numbers).reshape(3, 3) * inertia_scale
    except NoNumberError as problem:
        page.diagnostics.error(
            "bad-mass",
            f"mass or inertia of body {quote(body.name)} {problem}; the body has none",
            subject=body.name,
            line=fields["mass"].line,
        )
        return None, None
    return mass, None if inertia is None else _symmetric(inertia, body, page)


def _unit(
    body: _WrittenBody, tag: str, known: Callable[[str], float | None], page: XmlPage
) -> float:
    text = page.text(body.fields[tag]) if tag in body.fields else ""
    if not text:
        return 1.0
    unit = known(text)
    if unit is None:
        raise page.refusal(
            f"{tag} of body {quote(body.name)} is {quote(text)}, an unknown unit",
            body.fields[tag].line,
        )
    return unit


def _symmetric(inertia: Matrix, body: _WrittenBody, page: XmlPage) -> Matrix:
    gap = float(np.abs(inertia - inertia.T).max())
    if gap > _ROUNDING * float(np.abs(inertia).max()):
        page.diagnostics.warning(
            "asymmetric-inertia",
            f"the inertia of body {quote(body.name)} is not symmetric; the mean of both halves "
            "is used",
            subject=body.name,
            line=body.fields["inertia"].line,
        )
    result: Matrix = (inertia + inertia.T) / 2.0
    return result


def _read_look(element: Element | None, page: XmlPage) -> BodyColors | None:
    """The look of a part; None where it has no colour that can be read."""
    if element is None:
        return None
    fields = _fields(element)
    try:
        red, green, blue = (
            _share(number) for number in read_numbers(page.text(fields["color"]), 3)
        )
        shares = {
            tag: _share(read_number(page.text(fields[tag])))
            for tag in ("ambient", "diffuse", "specular", "emission", "transparency")
            if tag in fields and page.text(fields[tag])
        }
    except (KeyError, NoNumberError):
        page.diagnostics.warning(
            "bad-color",
            "a MaterialProp has no colour that can be read; a colour of the palette takes its "
            "place",
            line=element.line,
        )
        return None
    return BodyColors(
        color=(red, green, blue),
        alpha=1.0 - shares.get("transparency", 0.0),
        ambient=shares.get("ambient"),
        diffuse=shares.get("diffuse"),
        specular=shares.get("specular"),
        emission=shares.get("emission"),
    )


def _share(number: float) -> float:
    return min(max(number, 0.0), 1.0)


def _read_ends(element: Element, index: int, reader: FirstGeneration) -> _WrittenJoint | None:
    """A joint between two bodies; None, and an ERROR diagnostic, where an end is lost."""
    page = reader.page
    fields = _fields(element)
    name = page.text(fields["name"]) if "name" in fields else ""
    name = name or f"joint_{element.line}"
    refs = [
        next((f.attributes["ref"] for f in _find_frames(fields[side]) if "ref" in f.attributes), "")
        if side in fields
        else ""
        for side in ("base", "follower")
    ]
    for ref, side in zip(refs, ("base", "follower"), strict=True):
        if not reader.frames.knows(ref):
            what = f"frame {quote(ref)}, which no body has" if ref else "no frame"
            page.diagnostics.error(
                "lost-frame",
                f"the {side} of joint {quote(name)} names {what}; the joint is left out",
                subject=name,
                line=element.line,
            )
            return None
    if reader.frames.find(refs[0])[0] == reader.frames.find(refs[1])[0]:
        page.diagnostics.error(
            "self-joint",
            f"joint {quote(name)} connects a body to itself; it is left out",
            subject=name,
            line=element.line,
        )
        return None
    primitives = (
        list(_find_all(fields["primitives"], "Primitive")) if "primitives" in fields else []
    )
    return _WrittenJoint(
        index=index,
        name=name,
        base_ref=refs[0],
        follower_ref=refs[1],
        primitives=primitives,
        line=element.line,
    )


def _read_primitive(
    element: Element, joint: _WrittenJoint, ends: tuple[Matrix, Matrix], page: XmlPage
) -> Primitive:
    fields = _fields(element)
    written = page.text(fields["name"]) if "name" in fields else ""
    word = written.lower()
    if word not in _PRIMITIVES:
        return Primitive(kind="unknown", word=written)
    if word == "weld":
        return Primitive(kind="weld", word=written)
    if word == "spherical":
        return Primitive(kind="spherical", word=written)
    axis = _read_axis(fields, joint, ends, page)
    if axis is None:
        return Primitive(kind="unknown", word=f"{written} without an axis")
    return Primitive(
        kind="revolute" if word == "revolute" else "prismatic", axis=axis, word=written
    )


def _read_axis(
    fields: dict[str, Element], joint: _WrittenJoint, ends: tuple[Matrix, Matrix], page: XmlPage
) -> Vector | None:
    """The unit axis in the world; None where it has no direction. Raises ReadError for an axis in
    an unknown frame."""
    if "axis" not in fields:
        return None
    try:
        axis = np.array(read_numbers(page.text(fields["axis"]), 3))
    except NoNumberError:
        return None
    length = float(np.linalg.norm(axis))
    if not 1e-9 < length < 1e30:
        return None
    frame = page.text(fields["referenceFrame"]) if "referenceFrame" in fields else ""
    frames = {"": None, "WORLD": None, "BASE": ends[0], "FOLLOWER": ends[1]}
    if frame not in frames:
        raise page.refusal(
            f"the axis of joint {quote(joint.name)} is given in the frame {quote(frame)}; only "
            "WORLD, BASE and FOLLOWER are known",
            fields["referenceFrame"].line,
        )
    matrix = frames[frame]
    turned = axis if matrix is None else matrix[:3, :3] @ axis
    result: Vector = turned / length
    return result
