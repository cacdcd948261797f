# SPDX-License-Identifier: GPL-3.0-or-later
"""wm.append as builder scripts use it: with the game engine's data, parents before children."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from urdf_importer.core.blender.modes import leave_modes
from urdf_importer.core.diagnostics import BuildError, quote

from .scene_objects import deselect
from .storage import KEY, GameRecord, write_game

ReadGame = Callable[[Path], Mapping[str, GameRecord]]
"""Reads the game engine's data in a .blend: name of an object in the file -> record."""


def append(read_game: ReadGame, directory: str, **options: Any) -> set[str]:
    """Calls wm.append, then gives every new object its game engine's data in the file.

    Blender drops that data, and renames objects whose name is taken; so existing objects give up
    their names while the file is read. Raises RuntimeError as the operator does.
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
    """Sorts objects as Blender 2.7 had them in a scene, on which MORSE relies: appended objects
    begin with their root. Objects at the same depth are sorted by name."""
    return sorted(items, key=lambda item: (_depth(item), item.name.casefold(), item.name))


@contextmanager
def _names_kept_free(path: Path) -> Iterator[None]:
    """Frees all names that objects in the file have, until the end. Then the objects that were
    there get their own names back, and Blender numbers the new ones."""
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
    """Finds an object of this file. Objects linked from other files may have the same name."""
    return bpy.data.objects.get((name, None))


def _depth(item: Any) -> int:
    depth = 0
    while item.parent is not None:
        item, depth = item.parent, depth + 1
    return depth


_LEFT_OUT = "_"


def append_objects(
    path: Path, read_game: ReadGame, names: Sequence[str] | None = None, prefix: str = ""
) -> list[Any]:
    """Appends objects of a file, and their parents; roots come first.

    `names` are the wanted ones, all if None; only names with the `prefix`, without names that begin
    with "_". `read_game` gives the game engine's data of the file. Raises BuildError if the file
    has no such object or is not a .blend; nothing is left behind then.
    """
    found = _choose(path, "objects", names)
    wanted = [name for name in found if name.startswith(prefix) and name[:1] != _LEFT_OUT]
    if not wanted:
        return []
    _append(path, read_game, "Object", wanted)
    return parents_first(bpy.context.selected_objects)


def append_scene(path: Path, read_game: ReadGame, name: str) -> list[Any]:
    """Appends the objects of a file's scene to the scene that is shown. Raises BuildError."""
    wanted = _choose(path, "scenes", [name])
    there = set(bpy.data.scenes)
    _append(path, read_game, "Scene", wanted)
    collection = bpy.context.view_layer.active_layer_collection.collection
    made = []
    for scene in set(bpy.data.scenes) - there:
        made += list(scene.objects)
        bpy.data.scenes.remove(scene)
    for item in made:
        collection.objects.link(item)
    return parents_first(made)


def _choose(path: Path, kind: str, names: Sequence[str] | None) -> list[str]:
    """Returns the names of a kind in the file: the wanted ones, none missing, or all."""
    try:
        with bpy.data.libraries.load(str(path)) as (source, _):
            there = list(getattr(source, kind))
    except OSError as error:
        raise BuildError("this is not a .blend that Blender can read", source=str(path)) from error
    for name in names or ():
        if name not in there:
            raise BuildError(f"{quote(name)} is not among the {kind} of the file", source=str(path))
    return there if names is None else list(names)


def _append(path: Path, read_game: ReadGame, kind: str, names: Sequence[str]) -> None:
    leave_modes()
    deselect()
    append(
        read_game,
        directory=f"{path}/{kind}/",
        autoselect=True,
        files=[{"name": name} for name in names],
    )
