# SPDX-License-Identifier: GPL-3.0-or-later
"""wm.append as builder scripts use it: with the game engine's data, parents before children."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from ..records import KEY, Record, write_game

ReadGame = Callable[[Path], Mapping[str, Record]]
"""Gives what the game engine kept in a .blend: name of an object in the file -> record."""


def append(read_game: ReadGame, directory: str, **options: Any) -> set[str]:
    """wm.append, after which every new object has what the game engine kept of it in the file.

    Blender drops that, and renames what is there already; so what is there gives its names away
    while the file is read. Raises RuntimeError as the operator does.
    """
    path = Path(directory.rstrip("/\\")).parent
    games = read_game(path)
    there = set(bpy.data.objects)
    with _names_kept_free(path):
        done: set[str] = bpy.ops.wm.append(directory=directory, **options)
        for item in bpy.data.objects:
            if item not in there and item.name in games and KEY not in item:
                write_game(item, dict(games[item.name]))
    return done


def parents_first(items: Iterable[Any]) -> list[Any]:
    """The order in which Blender 2.7 had them in a scene, on which MORSE relies: what was appended
    begins with its root. By name where nothing hangs on anything."""
    return sorted(items, key=lambda item: (_depth(item), item.name.casefold(), item.name))


@contextmanager
def _names_kept_free(path: Path) -> Iterator[None]:
    """No object has a name that one in the file has, until the end. Then those that were there have
    their own again, and Blender numbers the new ones."""
    with bpy.data.libraries.load(str(path)) as (source, _):
        names: Sequence[str] = source.objects
    found = (_find_local(name) for name in names)
    renamed = {item: item.name for item in found if item is not None}
    for number, item in enumerate(renamed):
        item.name = f".{number}.{item.name}"
    try:
        yield
    finally:
        for item, name in renamed.items():
            new = _find_local(name)
            if new is not None:
                new.name = f"..{name}"
            item.name = name
            if new is not None:
                new.name = name


def _find_local(name: str) -> Any | None:
    """Objects that are linked from other files have names of their own."""
    return bpy.data.objects.get((name, None))


def _depth(item: Any) -> int:
    depth = 0
    while item.parent is not None:
        item, depth = item.parent, depth + 1
    return depth
