# SPDX-License-Identifier: GPL-3.0-or-later
"""<material>: colours and textures, and whether their names mean one thing only."""

from ....core.diagnostics import Diagnostics, quote
from ....core.markup.xml import Element
from ....core.model import Color, Material, Robot
from ....core.model.robot import written_materials
from .document import Document
from .extras import read_attributes, read_leaves
from .numbers import padded, plain_number

_KNOWN = frozenset({"color", "texture"})
_LEAVES = ("color", "texture")
# A colour above 1 but not above this is too bright; above it, it counts from 0 to 255.
_BRIGHTEST = 2.0


def read_material(element: Element, document: Document) -> Material:
    """Reads the material as one place writes it; often a mere reference by name."""
    name = document.name_of(element)
    if not element:
        if not name:
            finding = "has neither name nor color; it changes nothing"
            document.remark("empty-material", finding, element)
        attributes = read_attributes(element)
        return Material(name=name, attributes=attributes, line=element.line)
    first, extras = document.children(element, _KNOWN)
    return Material(
        name=name,
        color=read_color(first["color"], document) if "color" in first else None,
        texture=read_texture(first["texture"], document) if "texture" in first else None,
        attributes=read_attributes(element),
        leaves=read_leaves(first, _LEAVES, extras, document),
        extras=extras,
        line=element.line,
    )


def read_color(element: Element, document: Document) -> Color | None:
    """Returns red, green, blue, alpha in 0..1; None where no number is given."""
    text = element.attributes.get("rgba")
    if text is None:
        finding = "has no rgba; it is read as if it were not there"
        document.remark("missing-color", finding, element)
        return None
    try:
        numbers = [plain_number(word) for word in text.split()]
    except ValueError:
        numbers = []
    if len(numbers) != 4 or not text.isascii():
        substitute = "the missing ones are zero, alpha is 1"
        numbers = document.number_list(element, "rgba", text, 4, substitute=substitute)
        if not numbers:
            return None
        if len(numbers) < 4:
            numbers = [*padded(numbers, 3), 1.0]
    red, green, blue, alpha = numbers
    if min(numbers) < 0.0 or max(numbers) > 1.0:
        return _in_range(numbers, element, document)
    return red, green, blue, alpha


def _in_range(numbers: list[float], element: Element, document: Document) -> Color:
    """The colour brought into 0..1, with a warning."""
    how = "it is cut to 0..1"
    if max(numbers) > _BRIGHTEST:
        how = "it is divided by 255"
        *colors, alpha = numbers
        numbers = [*(part / 255.0 for part in colors), alpha / 255.0 if alpha > 1.0 else alpha]
    document.remark("color-range", f"is outside 0..1; {how}", element, "rgba")
    red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in numbers)
    return red, green, blue, alpha


def read_texture(element: Element, document: Document) -> str | None:
    """Reads the texture's path or URI as written; None where it is empty, as some exporters leave
    it in every material: one diagnostic covers them all."""
    filename = document.filename(element)
    if filename and not filename.isspace():
        return filename
    document.empty_textures.add(element.line, document.name)
    return None


def check_materials(robot: Robot, diagnostics: Diagnostics) -> None:
    """Warns of names that mean two things, and of names that mean nothing.

    Names are looked up in the whole description: references may come before definitions.
    """
    definitions: dict[str, Material] = {}
    references: dict[str, tuple[Material, str]] = {}
    for material, subject in written_materials(robot):
        name = material.name
        if not name:
            continue
        if material.is_reference:
            references.setdefault(name, (material, subject))
        elif not _looks_alike(definitions.setdefault(name, material), material):
            diagnostics.warning(
                "material-redefined",
                f"material {quote(name)} is defined differently in line "
                f"{definitions[name].line}, and that counts",
                subject=subject or name,
                line=material.line,
            )
    for name, (material, subject) in references.items():
        if name not in definitions:
            diagnostics.warning(
                "undefined-material",
                f"material {quote(name)} is defined nowhere; the default is used",
                subject=subject or name,
                line=material.line,
            )


def _looks_alike(one: Material, other: Material) -> bool:
    return one.color == other.color and one.texture == other.texture
