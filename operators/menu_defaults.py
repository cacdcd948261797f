# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import through the menu or by drag-and-drop starts with, where a user has not said it.

In this order: what was chosen last (Blender keeps that as long as it runs; the folders of packages
and descriptions are kept for the next time too), what the preferences say. A preference that was
changed since counts more than what was chosen last. Scripts get none of this: what they do not say
is the option's own default.
"""

import os
from typing import Any

import bpy

from . import remembered
from .preferences import preference_options, preference_package_paths

_LASTING = ("packages", "package_paths")

_seen: dict[str, Any] = {}
"""The preferences as they were at the last import of this session."""


def offer_defaults(operator: Any, context: Any) -> None:
    """Sets the properties that were not given in the call."""
    lasting = remembered.load()
    for name in _LASTING:
        if not _is_set(operator, name, also_last_time=True):
            setattr(operator, name, lasting.get(name, ""))
    preferred = preference_options(context)
    for name, value in preferred.items():
        changed = name not in _seen or _seen[name] != value
        if name not in _LASTING and changed and not _is_set(operator, name, also_last_time=False):
            setattr(operator, name, value)
    _seen.update(preferred)


def first_folder() -> str:
    """Where to look for a description: beside the last one, with a slash at the end. Empty (then
    Blender decides) where that is gone or a file is open, which has a place of its own."""
    folder = remembered.load().get("folder", "")
    return os.path.join(folder, "") if os.path.isdir(folder) and not bpy.data.filepath else ""


def keep_choices(operator: Any, paths: list[str]) -> None:
    """Remembers the folders for the next time, in this session and later ones."""
    kept = {name: getattr(operator, name) for name in _LASTING}
    remembered.save(kept | {"folder": os.path.dirname(paths[0]) if paths else ""})


def add_preferred_folders(package_paths: str, context: Any) -> str:
    """The folders of a text, then those of the preferences."""
    given = [part for part in package_paths.replace("\n", ";").split(";") if part.strip()]
    return "; ".join([*given, *preference_package_paths(context)])


def _is_set(operator: Any, name: str, *, also_last_time: bool) -> bool:
    return bool(operator.properties.is_property_set(name, ghost=not also_last_time))
