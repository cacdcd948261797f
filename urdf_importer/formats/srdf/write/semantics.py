# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF, as its readers read it: edited where there is a text that was read, else written anew."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path

from ....core.diagnostics import Diagnostics, ReadError, WriteError
from ....core.files.outputs import replace_file
from ....core.files.packages import AnyPath
from ....core.markup.edit import XmlEditor
from ....core.markup.encoding import decode_text, open_text
from ....core.markup.lenient import mend_text
from ....core.markup.patch import NodeWriter, Patcher, Rules, UnpatchableError, WrittenNode
from ....core.markup.write import Value, XmlWriter
from ....core.markup.xml import parse_whole
from ....core.model import Attributes, Group, GroupState, LinkSpheres, Semantics
from ....core.model.semantic import ELEMENTS

ReadSemantics = Callable[[bytes], Semantics]


def write_srdf(
    semantics: Semantics, path: AnyPath, read: ReadSemantics, diagnostics: Diagnostics
) -> Path:
    """Writes an SRDF, whole or not at all; returns its path. `read` reads SRDF.

    The text that was read is edited, so that all that stays the same keeps its bytes. Raises
    WriteError where no file can express it, or it cannot be written.
    """
    text = None
    if semantics.text:
        text = patch_semantics_text(semantics, read)
        if text is None:
            diagnostics.warning(
                "source-changed",
                "the SRDF that was read cannot be edited to express this; it is written anew, "
                "without comments",
            )
    if text is None:
        text = write_semantics_text(semantics).encode("utf-8")
    with replace_file(path) as temporary:
        temporary.write_bytes(text)
    return Path(path)


def write_semantics_text(semantics: Semantics) -> str:
    """Returns the SRDF, written anew. Raises WriteError for text that no XML file can hold and
    numbers that are not finite."""
    xml = XmlWriter()
    xml.declare()
    write_semantics(semantics, xml)
    return xml.text()


def patch_semantics_text(semantics: Semantics, read: ReadSemantics) -> bytes | None:
    """Returns the text that was read with the differences; None where that cannot be."""
    try:
        raw = mend_text(semantics.text, semantics.source, "robot")
        old = read(raw)
        if old == semantics:
            return raw
        data, encode = open_text(raw, semantics.source)
        parsed = decode_text(raw, semantics.source).data
        editor = XmlEditor(data)
        root = parse_whole(parsed, "")
        Patcher(editor, parsed, _RULES).patch(root, _node(old), _node(semantics))
        patched = encode(editor.apply())
        return patched if read(patched) == semantics else None
    except (ReadError, UnpatchableError):
        return None


def _node(semantics: Semantics) -> WrittenNode:
    writer = NodeWriter()
    write_semantics(semantics, writer)
    return writer.root.children[0]


def _key(node: WrittenNode) -> Hashable:
    """Elements with names by these; pairs, chains and verbatim elements by their whole content."""
    if node.xml:
        return node.xml
    name = node.attributes.get("name")
    if name is not None:
        return (node.tag, name, node.attributes.get("group", ""))
    return (node.tag, tuple(sorted(node.attributes.items())))


_RULES = Rules(defaults={}, optional=frozenset(), key=_key, is_read=lambda element: True)


def write_semantics(semantics: Semantics, xml: XmlWriter) -> None:
    """Writes <robot> with all that is in it. Raises WriteError as write_semantics_text does."""
    try:
        with xml.element("robot", _joined({"name": semantics.name}, semantics.attributes)):
            _write_parts(semantics, xml)
    except ValueError as problem:
        raise WriteError(f"the SRDF cannot be written: {problem}") from None


def _write_parts(semantics: Semantics, xml: XmlWriter) -> None:
    for kind in ELEMENTS:
        for part in getattr(semantics, kind.field):
            known = {name: getattr(part, name) for name in kind.names}
            for name in kind.optional:
                known[name] = known[name] or None
            xml.open(kind.tag, _joined(known, part.attributes))
            for tag, attributes in _children(part):
                xml.leaf(tag, attributes)
            xml.verbatim(*[extra.xml for extra in part.extras])
            xml.close()
    xml.verbatim(*(extra.xml for extra in semantics.extras))


def _children(part: object) -> Iterator[tuple[str, Mapping[str, Value]]]:
    """Yields the tags and attributes of the elements within a part."""
    if isinstance(part, Group):
        for tag, names in (("joint", part.joints), ("link", part.links)):
            yield from ((tag, {"name": name}) for name in names)
        for chain in part.chains:
            ends = {"base_link": chain.base_link, "tip_link": chain.tip_link}
            yield "chain", _joined(ends, chain.attributes)
        yield from (("group", {"name": name}) for name in part.groups)
    elif isinstance(part, GroupState):
        for joint, numbers in part.positions:
            yield "joint", {"name": joint, "value": numbers}
    elif isinstance(part, LinkSpheres):
        for sphere in part.spheres:
            place: dict[str, Value] = {"center": sphere.center, "radius": sphere.radius}
            yield "sphere", _joined(place, sphere.attributes)


def _joined(known: Mapping[str, Value], others: Attributes) -> Mapping[str, Value]:
    if not others:
        return known  # The usual case: writers leave out the attributes that are None.
    given = {name: value for name, value in known.items() if value is not None}
    for name, text in others:
        given.setdefault(name, text)
    return given
