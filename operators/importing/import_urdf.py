# SPDX-License-Identifier: GPL-3.0-or-later
"""The user interface before an import: the file browser, or the dialog of dropped files."""

import os
from dataclasses import dataclass, field
from typing import Any

import bpy

from ...urdf_importer import ImportOptions, RobotError
from .. import preferences as remembered
from ..active_robot import ask, browse
from ..option_properties import read_options
from ..preferences import preference_options, preference_package_paths
from ..session import session_state
from .import_choices import ImportChoices, copy_choices, find_paths, take_offers
from .run_import import import_at_once
from .xacro_fields import XacroFields

_LASTING = ("packages", "package_paths")


@dataclass(slots=True)
class LastImport:
    """The preferences at the last import of this session."""

    preferred: dict[str, Any] = field(default_factory=dict)


def offer_defaults(operator: Any, context: Any) -> None:
    """Sets the properties that were not given in the call."""
    lasting = remembered.load()
    for name in _LASTING:
        if not _is_set(operator, name, also_last_time=True):
            setattr(operator, name, lasting.get(name, ""))
    preferred, seen = preference_options(context), session_state(LastImport).preferred
    for name, value in preferred.items():
        changed = name not in seen or seen[name] != value
        if name not in _LASTING and changed and not _is_set(operator, name, also_last_time=False):
            setattr(operator, name, value)
    seen.update(preferred)
    take_offers(operator)


def first_folder() -> str:
    """Returns where to look for a description: beside the last one, with a slash at the end. It is
    empty, so that Blender decides, if that folder is gone or an open file has a folder of its
    own."""
    folder = remembered.load().get("folder", "")
    return os.path.join(folder, "") if os.path.isdir(folder) and not bpy.data.filepath else ""


def keep_choices(operator: Any, paths: list[str]) -> None:
    """Remembers the folders for the next time, in this session and later ones."""
    kept = {name: getattr(operator, name) for name in _LASTING}
    kept |= {"folder": os.path.dirname(paths[0]) if paths else ""}
    remembered.save(remembered.load() | kept)


def add_preferred_folders(package_paths: str, context: Any) -> str:
    """Returns the folders of a text, then the preferences'."""
    given = [part for part in package_paths.replace("\n", ";").split(";") if part.strip()]
    return "; ".join([*given, *preference_package_paths(context)])


def _is_set(operator: Any, name: str, *, also_last_time: bool) -> bool:
    return bool(operator.properties.is_property_set(name, ghost=not also_last_time))


class ShownImport(ImportChoices):
    """Scripts that call it get the finished robots when it returns, from their arguments alone.

    It makes no undo step: in scripts operators never do, and for users the operator that does the
    import makes it.
    """

    _shown: XacroFields | None = None
    """Returns the fields that a user sees; None if a script calls."""

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        self._shown = XacroFields()
        offer_defaults(self, context)
        paths = find_paths(self)
        if not paths:
            self.filepath = first_folder()
            return browse(self, context)
        self.check(context)
        return ask(self, context, width=400, title=_name_files(paths), confirm_text="Import")

    def check(self, context: Any) -> bool:
        """Updates the fields when another file or option is chosen. Blender calls it."""
        if self._shown is None:
            self._shown = XacroFields()
        folders = add_preferred_folders(self.package_paths, context)  # type: ignore[attr-defined]
        try:
            options = read_options(self, ImportOptions, package_paths=folders)
        except RobotError:  # An entry that is not written to its end.
            return False
        return self._shown.update(self.xacro_fields, find_paths(self), options)

    def execute(self, context: Any) -> set[str]:
        if self._shown is None or bpy.app.background:
            return import_at_once(self, context)
        self.check(context)
        keep_choices(self, find_paths(self))
        choices = copy_choices(self)
        choices["package_paths"] = add_preferred_folders(
            self.package_paths,  # type: ignore[attr-defined]
            context,
        )
        bpy.ops.import_scene.urdf_run("INVOKE_DEFAULT", **choices)
        return {"FINISHED"}


def _name_files(paths: list[str]) -> str:
    if len(paths) == 1:
        return f"Import {bpy.path.basename(paths[0])}"
    return f"Import {len(paths)} Robots"
