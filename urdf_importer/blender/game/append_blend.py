# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of another .blend, copied into the scene."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ...diagnostics import BuildError, quote
from ..modes import leave_modes
from .blender27.appending import ReadGame, append, parents_first
from .scene_objects import deselect

_LEFT_OUT = "_"


def append_objects(
    path: Path, read_game: ReadGame, names: Sequence[str] | None = None, prefix: str = ""
) -> list[Any]:
    """The objects of a file, and what those hang on, those first that hang on nothing.

    `names` are the wanted ones, all if None; only those with the `prefix`, and none that begins
    with "_". `read_game` gives what the file keeps of them as objects of games. Raises BuildError
    where the file has no such object, or is no .blend; nothing is left then.
    """
    found = _choose(path, "objects", names)
    wanted = [name for name in found if name.startswith(prefix) and name[:1] != _LEFT_OUT]
    if not wanted:
        return []
    _append(path, read_game, "Object", wanted)
    return parents_first(bpy.context.selected_objects)


def append_scene(path: Path, read_game: ReadGame, name: str) -> list[Any]:
    """The objects of a scene of a file, added to the scene that is shown. Raises BuildError."""
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
    """Those of a kind that the file has; the wanted ones, of which none may be missing."""
    try:
        with bpy.data.libraries.load(str(path)) as (source, _):
            there = list(getattr(source, kind))
    except OSError as error:
        raise BuildError("this is no .blend that Blender can read", source=str(path)) from error
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
