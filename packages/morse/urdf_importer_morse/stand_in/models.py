# SPDX-License-Identifier: GPL-3.0-or-later
"""The .blend files of components. MORSE's own are available only with MORSE."""

import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from urdf_importer.core.diagnostics import quote

from ..blend_file.read import read_legacy_game
from ..game_engine.appending import append_objects, append_scene
from .errors import MissingModelError


def find_model(filename: str | PathLike[str]) -> Path:
    """Finds a .blend by its path, from the working folder; else below the folders of the variable
    MORSE_RESOURCE_PATH. Raises MissingModelError."""
    given = str(filename)
    places = [Path(given)] if given.endswith(".blend") else []
    resources = os.environ.get("MORSE_RESOURCE_PATH", "").split(os.pathsep)
    places += [Path(folder, given) for folder in resources if folder]
    for place in places:
        if place.is_file():
            return place.absolute()
    raise MissingModelError(f"there is no model {quote(given)}; MORSE's own models need MORSE")


def append_model(
    path: Path, names: Sequence[str] | None = None, prefix: str = "", scene: str = ""
) -> list[Any]:
    """Appends the objects of a .blend, or of one of its scenes, with the game engine's data of
    Blender 2.7; returns them, roots first. Raises BuildError and ReadError."""
    if scene:
        return append_scene(path, read_legacy_game, scene)
    return append_objects(path, read_legacy_game, names, prefix)
