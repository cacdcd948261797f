# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of rooms in docs/explanation/architecture.md, and what the code imports really."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from support.paths import MORSE, ROOT
from support.source_tree import Source, sources_of, walk_with_depth

PAGE = ROOT / "docs" / "explanation" / "architecture.md"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
_ROW = re.compile(r"^\| `(\w+)` \| [^|]+ \|([^|]*)\|([^|]*)\|$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one room of urdf_importer may import.

    `ours` are other rooms ("urdf_importer" is the public API), `others` are libraries beside
    Python's own; those of `late` only inside functions.
    """

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
    for name, ours, libraries in _ROW.findall(PAGE.read_text("utf-8")):
        others, _, late = libraries.partition("late:")
        table[name] = Row(
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
    """Returns the room of a dotted name that starts with urdf_importer."""
    return parts[1] if len(parts) > 1 else "__init__"


def draw_architecture() -> str:
    """Returns the picture of the rooms, as the imports are now, as the text of an SVG file."""
    arrows = _without_shortcuts(_find_arrows())
    levels = _find_levels(arrows)
    rows = [
        sorted(room for room in levels if levels[room] == level)
        for level in range(max(levels.values()), -1, -1)
    ]
    places = {
        room: (
            _WIDTH / 2 + (_STEP * (place - (len(row) - 1) / 2)),
            _MARGIN + _BOX_HEIGHT / 2 + number * _STOREY,
        )
        for number, row in enumerate(rows)
        for place, room in enumerate(row)
    }
    height = 2 * _MARGIN + _STOREY * (len(rows) - 1) + _BOX_HEIGHT
    lines = [
        _draw_arrow(places[upper], places[lower])
        for upper, targets in sorted(arrows.items())
        for lower in sorted(targets)
    ]
    boxes = [_draw_box(room, place) for room, place in places.items()]
    return "\n".join((_HEAD.format(width=_WIDTH, height=height), *lines, *boxes, "</svg>", ""))


_WIDTH, _STEP, _STOREY, _BOX_WIDTH, _BOX_HEIGHT, _MARGIN = 960, 150, 76, 124, 32, 16
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"
  font-family="sans-serif" font-size="15">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8"
  orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#7d8590"/></marker></defs>
<rect width="100%" height="100%" fill="#ffffff"/>"""
_STARTERS = frozenset(("__main__", "headless", "morse"))
_FRONT = frozenset(("cli", "command"))
_NAMES = {"__init__": "public API"}


def _draw_box(room: str, place: tuple[float, float]) -> str:
    fill = "#fff2d8" if room in _FRONT else "#dbe9fb" if room != "__init__" else "#d9f2dd"
    x, y = place[0] - _BOX_WIDTH / 2, place[1] - _BOX_HEIGHT / 2
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="6" '
        f'fill="{fill}" stroke="#57606a"/>\n'
        f'<text x="{place[0]:g}" y="{place[1] + 5:g}" text-anchor="middle">'
        f"{_NAMES.get(room, room)}</text>"
    )


def _draw_arrow(upper: tuple[float, float], lower: tuple[float, float]) -> str:
    """Draws a curve that leaves downwards and arrives from above."""
    (x, y), (to_x, to_y) = upper, lower
    y, to_y = y + _BOX_HEIGHT / 2, to_y - _BOX_HEIGHT / 2
    bend = (to_y - y) / 2
    return (
        f'<path d="M{x:g},{y:g} C{x:g},{y + bend:g} {to_x:g},{to_y - bend:g} {to_x:g},{to_y:g}" '
        'fill="none" stroke="#7d8590" stroke-width="1.2" marker-end="url(#tip)"/>'
    )


def _find_arrows() -> dict[str, set[str]]:
    """Returns room -> rooms that it imports, those of functions too. What only starts the command
    or another package is left out."""
    arrows: dict[str, set[str]] = {room: set() for room in read_layers() if room not in _STARTERS}
    for source in sources_of("urdf_importer"):
        room = room_of(source.parts)
        if room in _STARTERS:
            continue
        for found in imports_of(source):
            if found.target[0] == "urdf_importer":
                arrows[room].add(room_of(found.target))
        arrows[room].discard(room)
    return arrows


def _without_shortcuts(arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Returns the arrows that do not follow from others."""
    reached: dict[str, set[str]] = {}
    for room in arrows:
        _reach(room, arrows, reached)
    return {
        room: {each for each in targets if not any(each in reached[other] for other in targets)}
        for room, targets in arrows.items()
    }


def _reach(room: str, arrows: Mapping[str, set[str]], reached: dict[str, set[str]]) -> set[str]:
    if room not in reached:
        below = [_reach(each, arrows, reached) for each in arrows[room]]
        reached[room] = arrows[room].union(*below)
    return reached[room]


def _find_levels(arrows: Mapping[str, set[str]]) -> dict[str, int]:
    """Returns how high each room stands: above everything that it imports."""
    levels: dict[str, int] = {}
    while len(levels) < len(arrows):
        for room, targets in arrows.items():
            if targets <= levels.keys():
                levels[room] = 1 + max((levels[each] for each in targets), default=-1)
    return levels
