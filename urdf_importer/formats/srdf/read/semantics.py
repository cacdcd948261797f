# SPDX-License-Identifier: GPL-3.0-or-later
"""<robot> of an SRDF, one read_<element> function per element.

Nothing that the file says is lost: elements and attributes that SRDF does not define are kept word
for word. Elements that name a link or joint that the robot does not have are kept too, with an
error, and have no effect.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ....core.diagnostics import Diagnostics
from ....core.files.packages import AnyPath, PackageResolver
from ....core.files.regular import read_regular_file
from ....core.markup.encoding import decode_text
from ....core.markup.lenient import read_leniently
from ....core.markup.xml import Element, parse_xml, verbatim
from ....core.model import Attributes, Chain, Extra, LinkSphere, Robot, Semantics, Vector3
from ....core.model.semantic import ELEMENTS
from ...urdf.xacro.expand import expand_xacro, is_xacro
from .checks import check_semantics

_LARGEST = 1e30
_NAME = frozenset({"name"})
_ENDS = ("base_link", "tip_link")


def read_srdf(
    path: AnyPath,
    robot: Robot,
    diagnostics: Diagnostics,
    *,
    resolver: PackageResolver | None = None,
    xacro_env: Iterable[tuple[str, str]] = (),
) -> Semantics:
    """Returns the content of the SRDF file at `path`; xacro is expanded first, with the
    variables `xacro_env`.

    Raises ReadError, with file and line, where the file is not SRDF. Oddities, and names unknown to
    the robot, go to `diagnostics`.
    """
    source = str(path)
    data = read_regular_file(source)
    diagnostics.source = diagnostics.source or source
    if is_xacro(data, source):
        resolver = resolver or PackageResolver(source)
        data = expand_xacro(data, source, resolver, (), diagnostics, environment=xacro_env)
    return read_srdf_text(data, robot, source, diagnostics)


def read_srdf_text(
    data: bytes, robot: Robot | None, source: str, diagnostics: Diagnostics
) -> Semantics:
    """Returns the content of the SRDF text `data`; without a robot its names are not checked.
    Raises ReadError as read_srdf does."""

    def read(text: bytes) -> _Reader:
        reader = _Reader(text, source)
        parse_xml(text, source, reader)
        return reader

    reader, findings = read_leniently(decode_text(data, source).data, read)
    for code, message, line in findings:
        diagnostics.warning(code, message, line=line)
    semantics = reader.semantics(data)
    if robot is not None:
        check_semantics(semantics, robot, diagnostics)
    return semantics


class _Reader:
    """The children of <robot> as they come in."""

    def __init__(self, data: bytes, source: str) -> None:
        self._data = data
        self._source = source
        self._name = ""
        self._attributes: Attributes = ()
        self._found: dict[str, list[Any]] = {}

    def read_root(self, element: Element) -> None:
        self._name = _text(element, "name")
        self._attributes = _others(element, ("name",))

    def read_child(self, element: Element) -> None:
        kind, needed = _KINDS.get(element.tag, (None, ()))
        texts = {name: _text(element, name) for name in kind.names} if kind is not None else {}
        if kind is None or not all([texts[name] for name in needed]):
            self._found.setdefault("extras", []).append(self._extra(element))
            return
        if "value" in texts:
            texts["value"] = element.attributes["value"]
        if "type" in texts:
            texts["type"] = texts["type"].lower()
        within = _WITHIN.get(element.tag)
        made = kind.kind(
            **texts,
            **(within(self, element) if within else {"extras": self._children(element)}),
            attributes=_others(element, kind.names),
            line=element.line,
        )
        self._found.setdefault(kind.field, []).append(made)

    def semantics(self, text: bytes) -> Semantics:
        return Semantics(
            name=self._name,
            **{field: tuple(found) for field, found in self._found.items()},
            attributes=self._attributes,
            source=self._source,
            text=text,
        )

    def read_members(self, element: Element) -> dict[str, Any]:
        """Reads the members of a group."""
        found: dict[str, list[Any]] = {}
        for child in element:
            is_plain = child.attributes.keys() == _NAME and not child
            if child.tag in ("joint", "link", "group") and is_plain:
                found.setdefault(f"{child.tag}s", []).append(_text(child, "name"))
            elif child.tag == "chain" and not child and all(_text(child, end) for end in _ENDS):
                ends = {end: _text(child, end) for end in _ENDS}
                chain = Chain(**ends, attributes=_others(child, _ENDS))
                found.setdefault("chains", []).append(chain)
            else:
                found.setdefault("extras", []).append(self._extra(child))
        return {field: tuple(members) for field, members in found.items()}

    def read_positions(self, element: Element) -> dict[str, Any]:
        """Reads where a state of a group has its joints."""
        positions: list[tuple[str, tuple[float, ...]]] = []
        extras: list[Extra] = []
        for child in element:
            numbers = _numbers(child.attributes.get("value", ""))
            is_plain = child.attributes.keys() == {"name", "value"} and not child
            if child.tag == "joint" and is_plain and numbers:
                positions.append((_text(child, "name"), numbers))
            else:
                extras.append(self._extra(child))
        return {"positions": tuple(positions), "extras": tuple(extras)}

    def read_spheres(self, element: Element) -> dict[str, Any]:
        """Reads the spheres that stand for a link."""
        spheres: list[LinkSphere] = []
        extras: list[Extra] = []
        for child in element:
            center = _numbers(child.attributes.get("center", ""))
            radius = _numbers(child.attributes.get("radius", ""))
            if child.tag == "sphere" and not child and len(center) == 3 and len(radius) == 1:
                place: Vector3 = (center[0], center[1], center[2])
                others = _others(child, ("center", "radius"))
                spheres.append(LinkSphere(center=place, radius=radius[0], attributes=others))
            else:
                extras.append(self._extra(child))
        return {"spheres": tuple(spheres), "extras": tuple(extras)}

    def _children(self, element: Element) -> tuple[Extra, ...]:
        return tuple([self._extra(child) for child in element]) if element else ()

    def _extra(self, element: Element) -> Extra:
        return Extra(tag=element.tag, xml=verbatim(element, self._data), line=element.line)


_KINDS = {
    each.tag: (each, tuple(name for name in each.names if name not in each.optional))
    for each in ELEMENTS
}
"""Tag -> its element, and the attributes that it needs."""
_WITHIN: dict[str, Callable[[_Reader, Element], dict[str, Any]]] = {
    "group": _Reader.read_members,
    "group_state": _Reader.read_positions,
    "link_sphere_approximation": _Reader.read_spheres,
}


def _text(element: Element, attribute: str) -> str:
    return element.attributes.get(attribute, "").strip()


def _others(element: Element, known: tuple[str, ...]) -> Attributes:
    if len(element.attributes) <= len(known) and all(name in known for name in element.attributes):
        return ()
    return tuple([item for item in element.attributes.items() if item[0] not in known])


def _numbers(text: str) -> tuple[float, ...]:
    """The numbers of a text; none where a word is not a decimal number."""
    if len(text) > 1000 or not text.isascii() or "_" in text:
        return ()
    try:
        numbers = tuple([float(word) for word in text.split()])
    except ValueError:
        return ()
    return numbers if all(-_LARGEST <= number <= _LARGEST for number in numbers) else ()
