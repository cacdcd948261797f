# SPDX-License-Identifier: GPL-3.0-or-later
"""PhysicalModelingXMLFile -> Mechanism: the first format of SimMechanics Link and its successor.

<PhysicalModelingXMLFile> <name/>
  <SimMechanics> or <SimscapeMultibody>
    <bodies> <Body/>... <joints> <SimpleJoint/>... <grounds> <Ground/>... <subsystems> again
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from .....core.diagnostics import quote
from .....core.markup.xml import Element
from .frames_in_file import FrameTable, WrittenFrame
from .graph import (
    Body,
    BodyColors,
    BodyKind,
    Edge,
    Matrix,
    Mechanism,
    Primitive,
    PrimitiveKind,
    Vector,
)
from .values import (
    Fields,
    NoNumberError,
    XmlPage,
    clamp_share,
    inertia_unit,
    mass_unit,
    read_number,
    read_numbers,
)

ROOT_TAG = "PhysicalModelingXMLFile"
ROOT_PART = "RootPart"

_ROUNDING = 1e-4
_PRIMITIVES: dict[str, PrimitiveKind] = {word: word for word in get_args(PrimitiveKind)[:4]}


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
        for child in _find_all([element], "Body", "Ground", "SimpleJoint"):
            if child.tag == "SimpleJoint":
                self.order.append((False, len(self.joints)))
                self.joints.append(child)
            else:
                self.order.append((True, len(self.bodies)))
                self.bodies.append(self._read_body(child))

    def _read_body(self, element: Element) -> "_WrittenBody":
        fields = self.page.fields(element)
        name = fields.text("name")
        kind: BodyKind = "part" if element.tag == "Body" else "ground"
        if kind == "part" and _is_root_part(name, fields):
            kind = "placement"
        return _WrittenBody(
            name=name or ("world" if kind == "ground" else "body"),
            kind=kind,
            # A plain <frame> that holds <Frame> is only a wrapper.
            frames=[
                self.frames.read(frame, len(self.bodies)) for frame in _find_all(element, "Frame")
            ],
            fields=fields,
            line=element.line,
        )

    def mechanism(self) -> Mechanism:
        """Returns the graph of the parsed elements. Raises ReadError where there is no body, or a
        frame has invalid numbers."""
        page = self.page
        if not any(body.kind == "part" for body in self.bodies):
            raise page.refusal("the file has no body", self.line)
        written = {
            index: ends
            for index, element in enumerate(self.joints)
            if (ends := self._find_ends(element))
        }
        refs = [(base.ref, follower.ref) for base, follower in written.values()]
        self.frames.resolve(dict(refs) | {follower: base for base, follower in refs})
        position = {index: place for place, index in enumerate(written)}
        return Mechanism(
            name=self.name,
            bodies=tuple(self._body(body) for body in self.bodies),
            edges=tuple(self._edge(self.joints[index], ends) for index, ends in written.items()),
            order=tuple(
                (is_body, index if is_body else position[index])
                for is_body, index in self.order
                if is_body or index in position
            ),
            generation=1,
            unit=self.frames.unit or 1.0,
            source=page.source,
        )

    def _body(self, body: "_WrittenBody") -> Body:
        fields = body.fields
        named = {frame.name: frame.frame.matrix for frame in reversed(body.frames)}
        if "CS1" not in named and body.kind == "part":
            finding = "has no frame CS1, in which its mesh would be written"
            instead = f"{'CG' if 'CG' in named else 'WORLD'} takes its place"
            message = f"body {quote(body.name)} {finding}; {instead}"
            self.page.warning("missing-part-frame", message, body.name, body.line)
        mass, inertia = (None, None) if body.kind != "part" else _read_mass(body, self.page)
        return Body(
            name=body.name,
            kind=body.kind,
            part=named.get("CS1", named.get("CG", np.eye(4))),
            center=named.get("CG"),
            mass=mass,
            inertia=inertia,
            frames=tuple(frame.frame for frame in body.frames),
            geometry=fields.text("geometryFileName"),
            look=_read_look(fields.get("MaterialProp"), self.page),
            line=body.line,
        )

    def _find_ends(self, element: Element) -> "_Ends | None":
        """Finds the ends of a joint between two bodies; None, and an ERROR diagnostic, where one is
        lost."""
        fields, line = self.page.fields(element), element.line
        name = _name_joint(fields, line)
        ends = []
        for side in ("base", "follower"):
            frames = _find_all(fields.get(side, ()), "Frame")
            ref = next((f.attributes["ref"] for f in frames if "ref" in f.attributes), "")
            end = self.frames.find(ref)
            if end is None:
                what = f"frame {quote(ref)}, which no body has" if ref else "no frame"
                finding = f"the {side} of joint {quote(name)} names {what}; the joint is left out"
                self.page.error("lost-frame", finding, name, line)
                return None
            ends.append(end)
        base, follower = ends
        if base.body == follower.body:
            finding = f"joint {quote(name)} connects a body to itself; it is left out"
            self.page.error("self-joint", finding, name, line)
            return None
        return base, follower

    def _edge(self, element: Element, ends: "_Ends") -> Edge:
        fields, (base, follower) = self.page.fields(element), ends
        name = _name_joint(fields, element.line)
        primitives = _find_all(fields.get("primitives", ()), "Primitive")
        return Edge(
            name=name,
            number=base.ref,
            base=base.body,
            follower=follower.body,
            base_frame=base.frame,
            follower_frame=follower.frame,
            primitives=tuple(
                _read_primitive(self.page.fields(each), name, ends, self.page)
                for each in primitives
            ),
            line=element.line,
        )


@dataclass(slots=True, kw_only=True)
class _WrittenBody:
    name: str
    kind: BodyKind
    frames: list[WrittenFrame]
    fields: Fields
    line: int


_Ends = tuple[WrittenFrame, WrittenFrame]
"""Base and follower of a joint."""


def _name_joint(fields: Fields, line: int) -> str:
    return fields.text("name") or f"joint_{line}"


def _find_all(elements: Sequence[Element], *tags: str) -> Iterator[Element]:
    """Yields the elements with these tags in the order of the document, however deep it is."""
    stack = list(reversed(elements))
    while stack:
        child = stack.pop()
        if child.tag in tags:
            yield child
        else:
            stack.extend(reversed(child))


def _is_root_part(name: str, fields: Fields) -> bool:
    is_named_so = name == ROOT_PART or fields.text("nodeID").endswith("/" + ROOT_PART)
    return is_named_so and not fields.text("geometryFileName")


def _read_mass(body: _WrittenBody, page: XmlPage) -> tuple[float | None, Matrix | None]:
    """Mass and inertia; None, and an ERROR diagnostic, where they are not numbers. Raises ReadError
    for an unknown unit."""
    fields = body.fields
    if "mass" not in fields:
        return None, None
    name = quote(body.name)
    mass_scale, inertia_scale = (
        page.unit(
            fields.text(tag), known, f"{tag} of body {name}",
            fields.get(tag, fields["mass"]).line,
        )
        for tag, known in (("massUnits", mass_unit), ("inertiaUnits", inertia_unit))
    )  # fmt: skip
    try:
        mass = read_number(fields.text("mass")) * mass_scale
        inertia = None
        if "inertia" in fields:
            numbers = read_numbers(fields.text("inertia"), 9)
            inertia = np.array(numbers).reshape(3, 3) * inertia_scale
    except NoNumberError as problem:
        finding = f"mass or inertia of body {name} {problem}; the body has none"
        page.error("bad-mass", finding, body.name, fields["mass"].line)
        return None, None
    return mass, None if inertia is None else _symmetric(inertia, body, page)


def _symmetric(inertia: Matrix, body: _WrittenBody, page: XmlPage) -> Matrix:
    gap = float(np.abs(inertia - inertia.T).max())
    if gap > _ROUNDING * float(np.abs(inertia).max()):
        finding = "is not symmetric; the mean of both halves is used"
        message = f"the inertia of body {quote(body.name)} {finding}"
        page.warning("asymmetric-inertia", message, body.name, body.fields["inertia"].line)
    result: Matrix = (inertia + inertia.T) / 2.0
    return result


def _read_look(element: Element | None, page: XmlPage) -> BodyColors | None:
    """The look of a part; None where it has no colour that can be read."""
    if element is None:
        return None
    fields = page.fields(element)
    shares: dict[str, float] = {}
    try:
        red, green, blue = (clamp_share(part) for part in read_numbers(fields.text("color"), 3))
        for tag in ("ambient", "diffuse", "specular", "emission", "transparency"):
            if fields.text(tag):
                shares[tag] = clamp_share(read_number(fields.text(tag)))
    except NoNumberError:
        page.report_bad_color("a MaterialProp", element.line)
        return None
    alpha = 1.0 - shares.pop("transparency", 0.0)
    return BodyColors(color=(red, green, blue), alpha=alpha, shares=shares)


def _read_primitive(fields: Fields, joint: str, ends: _Ends, page: XmlPage) -> Primitive:
    word = fields.text("name")
    kind = _PRIMITIVES.get(word.lower(), "unknown")
    if kind not in ("revolute", "prismatic"):
        return Primitive(kind=kind, word=word)
    axis = _read_axis(fields, joint, ends, page)
    if axis is None:
        return Primitive(kind="unknown", word=f"{word} without an axis")
    return Primitive(kind=kind, axis=axis, word=word)


def _read_axis(fields: Fields, joint: str, ends: _Ends, page: XmlPage) -> Vector | None:
    """The unit axis in the world; None where it has no direction. Raises ReadError for an axis in
    an unknown frame."""
    try:
        axis = np.array(read_numbers(fields.text("axis"), 3))
    except NoNumberError:
        return None
    length = float(np.linalg.norm(axis))
    if not 1e-9 < length < 1e30:
        return None
    word = fields.text("referenceFrame")
    frames = {"BASE": ends[0].frame, "FOLLOWER": ends[1].frame}
    if word in frames:
        axis = frames[word].matrix[:3, :3] @ axis
    elif word not in ("", "WORLD"):
        raise page.refusal(
            f"the axis of joint {quote(joint)} is given in the frame {quote(word)}; only "
            "WORLD, BASE and FOLLOWER are known",
            fields["referenceFrame"].line,
        )
    result: Vector = axis / length
    return result
