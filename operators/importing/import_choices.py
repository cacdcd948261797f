# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the importing operators: their properties, and the jobs made from them."""

import os
from functools import lru_cache
from typing import Any

import bpy

from ...urdf_importer import ImportOptions, RobotError, list_models, reader_formats
from ...urdf_importer.core.command.jobs import ImportJob
from ...urdf_importer.core.shelves import find_hook, has_hook
from .. import props
from ..active_robot import PolledOperator
from ..option_properties import add_option_properties, draw_options, option_names, read_options
from ..preferences import shows_morse
from ..stepping import is_busy
from ..wrapped_text import draw_rest
from .xacro_fields import FIELD_NAMES, XacroField, apply_xacro_fields, draw_xacro_fields

SUFFIXES = (*(suffix for each in reader_formats() for suffix in each.suffixes), ".xml")
"""Of files that may be descriptions. The content of an .xml decides when it is read."""


@add_option_properties
class ImportChoices(PolledOperator):
    """Properties of an operator that imports: the files, the options, the xacro arguments."""

    filepath: props.file("The robot description to import")
    directory: props.text(
        "Folder", "The folder of the files in Files", subtype="DIR_PATH", options=props.OF_THIS_TIME
    )
    files: bpy.props.CollectionProperty(
        name="Files",
        description="Names of several files to import, in Folder",
        type=bpy.types.OperatorFileListElement,
        options=props.OF_THIS_TIME,
    )
    use_parameters: props.switch(
        "Use the Parameter File Beside It", "Take the .yaml of the same name beside a "
        "SimMechanics file for its parameters", options={"SKIP_SAVE", "SKIP_PRESET"},
    )  # fmt: skip
    use_joint_parameters: props.switch(
        "Use the Joint Parameters Beside It", "Take the .csv of the same name beside a "
        "SimMechanics file for the limits of its joints", options={"SKIP_SAVE", "SKIP_PRESET"},
    )  # fmt: skip
    use_srdf: props.switch(
        "Use the SRDF Near It", "Take the SRDF that lies near the description: groups become bone "
        "collections, named states pose assets", options={"SKIP_SAVE", "SKIP_PRESET"},
    )  # fmt: skip
    whole_world: props.switch(
        "Whole World", "Import all models of a file of SDF or MuJoCo at their places, with "
        "lights, camera, background and gravity; else one model",
        options={"SKIP_SAVE", "SKIP_PRESET"},
    )  # fmt: skip
    xacro_fields: bpy.props.CollectionProperty(
        name="Arguments of the File",
        description="The arguments that the chosen xacro files declare",
        type=XacroField,
        options=props.OF_THIS_TIME,
    )

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        scene = context.scene
        if scene is None:
            return "There is no scene to import into"
        if not scene.is_editable:
            return "The scene is linked from another file; go to a scene of this file"
        return "Other work is running; wait for it or press Esc" if is_busy() else ""

    def draw(self, context: Any) -> None:
        layout = self.layout  # type: ignore[attr-defined]
        draw_xacro_fields(layout, self)
        _draw_world(layout, self)
        _draw_offers(layout, self)
        draw_options(layout, self, hidden=_find_useless(self, context))


def find_paths(operator: Any) -> list[str]:
    """Returns the absolute paths of the chosen files."""
    folder = operator.directory or os.path.dirname(operator.filepath)
    names = [item.name for item in operator.files if item.name]
    chosen = [os.path.join(folder, name) for name in names] or [operator.filepath]
    return [bpy.path.abspath(path) for path in chosen if path]


_STAGES = next((each.suffixes for each in reader_formats() if each.name == "usd"), ())
_WORLDS = (".sdf", ".world")
_ONLY = {
    "model": (*_WORLDS, *_STAGES),
    "static_models": (*_WORLDS, ".mjcf", ".xml"),
    "variants": _STAGES,
    "xacro_args": (".xacro",),
    "xacro_env": (".xacro",),
}
"""Option -> the endings of the only files with a use for it."""


def _find_useless(operator: Any, context: Any) -> set[str]:
    """Finds the options, and the groups, without a use for the chosen files."""
    paths = [path for path in find_paths(operator) if os.path.isfile(path)]
    names = [path.lower() for path in paths]
    found = {name for name, ends in _ONLY.items() if not any(path.endswith(ends) for path in names)}
    if not any(_takes_parameters(path, os.stat(path).st_mtime_ns) for path in paths):
        found.add("SimMechanics")
    if find_models(operator):
        found.add("model")  # It is drawn below Whole World.
    return found if shows_morse(context) else found | {"profile"}


_MOST_NAMED = 12


def find_models(operator: Any) -> tuple[str, ...]:
    """Returns the names of the models in the only chosen file, where it has several."""
    paths = find_paths(operator)
    if len(paths) != 1 or not paths[0].lower().endswith(_WORLDS):
        return ()
    if not os.path.isfile(paths[0]):
        return ()
    found = _list_models(paths[0], os.stat(paths[0]).st_mtime_ns)
    return found if len(found) > 1 else ()


@lru_cache(maxsize=16)
def _list_models(path: str, changed: int) -> tuple[str, ...]:
    """Remembered until the file changes. A file that cannot be read has none: importing it gives
    the reason."""
    try:
        return list_models(path)
    except RobotError:
        return ()


def _is_world(operator: Any) -> bool:
    """Whether the only chosen file is a world, even one whose models are not found."""
    if not has_hook("import_world_steps"):
        return False
    paths = find_paths(operator)
    return bool(find_models(operator)) or (len(paths) == 1 and paths[0].lower().endswith(".world"))


def _draw_world(layout: Any, operator: Any) -> None:
    """Draws the choice of a world: all of it, or one of its models."""
    if not _is_world(operator):
        return
    layout.prop(operator, "whole_world")
    models = find_models(operator)
    if models and not operator.whole_world:
        layout.prop(operator, "model")
        column = layout.column(align=True)
        column.scale_y = 0.75
        for name in models[:_MOST_NAMED]:
            column.label(text=name, icon="DOT", translate=False)
        draw_rest(column, models, _MOST_NAMED)


_OFFERS = {"parameters": (".yaml", ".yml"), "joint_parameters": (".csv",), "srdf": ()}
"""Option -> the suffixes of files beside an .xml that may be meant by it."""
_MOST_READ = 65_536
"""Bytes of a file in which its first tag is looked for."""


def find_offers(operator: Any) -> dict[str, str]:
    """Returns option -> the file of the same name near the only chosen description. Scripts must
    ask for it; users see that it is taken, and can say no."""
    paths = find_paths(operator)
    if len(paths) != 1 or not os.path.isfile(paths[0]):
        return {}
    srdf = _find_srdf(paths[0], os.stat(os.path.dirname(paths[0]) or os.curdir).st_mtime_ns)
    found: dict[str, str] = {"srdf": srdf} if srdf else {}
    if not _takes_parameters(paths[0], os.stat(paths[0]).st_mtime_ns):
        return found
    stem = os.path.splitext(paths[0])[0]
    for name, suffixes in _OFFERS.items():
        for suffix in suffixes:
            if os.path.isfile(stem + suffix):
                found.setdefault(name, stem + suffix)
    return found


@lru_cache(maxsize=16)
def _find_srdf(path: str, changed: int) -> str:
    """Remembered until the folder changes: this is asked whenever the dialog is drawn."""
    found = find_hook("find_srdf")(path) if has_hook("find_srdf") else None
    return "" if found is None else str(found)


@lru_cache(maxsize=16)
def _takes_parameters(path: str, changed: int) -> bool:
    """Whether the format of a file has parameters; others refuse them. Remembered, as above."""
    kinds = [each for each in reader_formats() if each.examine is not None]
    if not path.lower().endswith(".xml"):
        return False
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_READ)
    except OSError:
        return False
    return any(each.is_of(data, path) for each in kinds)


def take_offers(operator: Any) -> None:
    """Says yes to all offers that the call does not answer."""
    for name in _OFFERS:
        if not operator.properties.is_property_set(f"use_{name}"):
            setattr(operator, f"use_{name}", True)
    if not operator.properties.is_property_set("whole_world"):
        operator.whole_world = _is_world(operator) and not operator.model


def read_files(operator: Any) -> dict[str, str]:
    """Returns option -> the absolute path of the file that belongs to the chosen description: the
    one written, else the one beside it where the user takes the offer; empty for none."""
    found = {name: bpy.path.abspath(getattr(operator, name)) for name in _OFFERS}
    for name, path in find_offers(operator).items():
        if not found[name] and getattr(operator, f"use_{name}"):
            found[name] = path
    return found


def _draw_offers(layout: Any, operator: Any) -> None:
    for name, path in find_offers(operator).items():
        if not getattr(operator, name):
            layout.prop(operator, f"use_{name}", text=f"Use {os.path.basename(path)}")


def read_jobs(operator: Any) -> list[ImportJob]:
    """Reads the jobs from an operator's properties. Raises RobotError."""
    options = read_options(operator, ImportOptions, **read_files(operator))
    paths = find_paths(operator)
    if not paths:
        raise RobotError("no file is chosen; give one as filepath")
    return [
        ImportJob(
            input=path,
            options=apply_xacro_fields(options, operator.xacro_fields, path),
        )
        for path in paths
    ]


def copy_choices(operator: Any) -> dict[str, Any]:
    """Returns an operator's properties as arguments for another one. Paths become absolute."""
    copied = {name: getattr(operator, name) for name in option_names()}
    return copied | {
        **read_files(operator),
        **{f"use_{name}": False for name in _OFFERS},
        "whole_world": operator.whole_world,
        "filepath": bpy.path.abspath(operator.filepath),
        "directory": bpy.path.abspath(operator.directory),
        "files": [{"name": item.name} for item in operator.files],
        "xacro_fields": [
            {key: getattr(item, key) for key in FIELD_NAMES} for item in operator.xacro_fields
        ],
    }
