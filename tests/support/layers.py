# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of rooms in docs/explanation/architecture.md, and what the code imports really."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from support.paths import MORSE, ROOT
from support.source_tree import Source, walk_with_depth

PAGE = ROOT / "docs" / "explanation" / "architecture.md"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
SHELVES = ("core", "formats", "features")
_ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \|([^|]*)\|([^|]*)\|$", re.MULTILINE)
_PART = re.compile(r"^### `?(\w+)[^\n]*\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one room of urdf_importer may import.

    `shelf` is core, formats, features or doors; `ours` are other rooms, `others` are libraries
    beside Python's own; those of `late` only inside functions.
    """

    shelf: str = "core"
    ours: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    late: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Import:
    """`target` is the dotted name from the checkout (ours) or from sys.path (others)."""

    target: tuple[str, ...]
    relative: bool
    deferred: bool
    place: str


@cache
def read_layers() -> dict[str, Row]:
    """Returns room -> row, in the order of the page: lower rooms first."""
    table: dict[str, Row] = {}
    for shelf, part in _PART.findall(PAGE.read_text("utf-8")):
        for name, ours, libraries in _ROW.findall(part):
            others, _, late = libraries.partition("late:")
            table[name] = Row(
                shelf=shelf.lower(),
                ours=frozenset(re.findall(r"`(\w+)`", ours)),
                others=frozenset(re.findall(r"\w+", others)),
                late=frozenset(re.findall(r"\w+", late)),
            )
    return table


def imports_of(source: Source) -> Iterator[Import]:
    """Yields every import of a file, with what it names resolved to modules where there are any."""
    for node, deferred in walk_with_depth(source.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(tuple(alias.name.split(".")), False, deferred, source.place(node))
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            if not node.level:
                yield Import(module, False, deferred, source.place(node))
                continue
            climbs = node.level - 1
            assert climbs <= len(source.package), f"{source.place(node)} climbs above the checkout"
            target = source.package[: len(source.package) - climbs] + module
            # `from . import x` means the module x where there is one
            for alias in node.names:
                full = (*target, alias.name)
                yield Import(
                    full if is_module(full) else target, True, deferred, source.place(node)
                )


def is_module(parts: tuple[str, ...]) -> bool:
    path = (MORSE if parts[0] == "urdf_importer_morse" else ROOT).joinpath(*parts)
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def room_of(parts: tuple[str, ...]) -> str:
    """Returns the room of a dotted name that starts with urdf_importer: a folder or file on a
    shelf, or a door."""
    if len(parts) > 2 and parts[1] in SHELVES:
        return parts[2]
    return parts[1] if len(parts) > 1 else "__init__"


def shelf_of(parts: tuple[str, ...]) -> str:
    """Returns the shelf of such a name; what stands on none is a door."""
    return parts[1] if len(parts) > 1 and parts[1] in SHELVES else "doors"


def needs_blender(parts: tuple[str, ...]) -> bool:
    """Returns whether a module of this name stands in a folder that needs Blender."""
    return "blender" in parts


def draw_architecture() -> str:
    """Returns the picture of the three shelves, as the folders are now, as the text of an SVG
    file."""
    table = read_layers()
    rooms = {
        shelf: [name for name, row in table.items() if row.shelf == shelf]
        for shelf in ("doors", "features", "formats", "core")
    }
    lines, top = list[str](), _MARGIN
    for shelf, names in rooms.items():
        rows = [names[first : first + _BOXES] for first in range(0, len(names), _BOXES)]
        height = _TITLE + len(rows) * _STOREY
        lines.append(
            f'<rect x="{_MARGIN}" y="{top}" width="{_WIDTH - 2 * _MARGIN}" height="{height}" '
            f'rx="8" fill="{_FILLS[shelf]}" stroke="#57606a"/>\n'
            f'<text x="{_MARGIN + 14}" y="{top + 24}" font-weight="bold">{_TITLES[shelf]}</text>'
        )
        for row, boxes in enumerate(rows):
            for column, name in enumerate(boxes):
                lines.append(_draw_box(name, column, top + _TITLE + row * _STOREY))
        top += height + _GAP
        if shelf != "core":
            middle = _WIDTH / 2
            lines.append(
                f'<path d="M{middle:g},{top - _GAP} L{middle:g},{top}" stroke="#57606a" '
                'stroke-width="2" marker-end="url(#tip)"/>'
            )
    return "\n".join(
        (_HEAD.format(width=_WIDTH, height=top - _GAP + _MARGIN), *lines, "</svg>", "")
    )


_WIDTH, _MARGIN, _GAP, _TITLE, _STOREY, _BOXES = 960, 16, 34, 36, 40, 7
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"
  font-family="sans-serif" font-size="15">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"
  orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#57606a"/></marker></defs>
<rect width="100%" height="100%" fill="#ffffff"/>"""
_FILLS = {"doors": "#d9f2dd", "features": "#fff2d8", "formats": "#f3e4fa", "core": "#dbe9fb"}
_TITLES = {
    "doors": "doors: names and commands, gathered from the records below",
    "features": "features: one folder each; any can be removed",
    "formats": "formats: one folder each; any but urdf can be removed",
    "core": "core: needed by every robot; imports nothing outside",
}
_NAMES = {"__init__": "public API"}


def _draw_box(room: str, column: int, top: float) -> str:
    step = (_WIDTH - 2 * _MARGIN - 28) / _BOXES
    x = _MARGIN + 14 + column * step
    return (
        f'<rect x="{x:g}" y="{top:g}" width="{step - 10:g}" height="30" rx="6" fill="#ffffff" '
        f'stroke="#57606a"/>\n<text x="{x + step / 2 - 5:g}" y="{top + 20:g}" '
        f'text-anchor="middle">{_NAMES.get(room, room)}</text>'
    )
