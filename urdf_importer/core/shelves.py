# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of formats and features: the core finds them by these, and knows none by name.

A shelf is a folder of the library whose NAMES list its folders in their order. Each of these offers
its record, a Part, as PART; a folder that was removed is passed over. Other distributions add
formats by entry points of the group `urdf_importer.parts`. Hooks are few:

    read_text(text, source, diagnostics)               the robot of a text of URDF
    write_text(robot)                                  a robot as plain URDF
    list_arguments(resolver, options, seconds)         the arguments that a description declares
    read_semantics(path, robot, options, diagnostics)  the SRDF of an import or export, or None
    fit_robot(robot, files, options, diagnostics)      steps to the robot with fitted shapes
    disable_pairs(robot, semantics, drawn, options, diagnostics)
                                                       steps to an SRDF with disabled pairs
    before_update(armature), after_update(armature)    around the update of a rig
    after_renaming(armature, links, joints)            after an update gave links and joints other
                                                       names: old name -> new name
    before_delete(armature)                            before a robot leaves the scene
    before_removal(objects)                            before objects of robots are removed
    find_recorded(source, diagnostics)                 the URDF in a recording, or of a running
                                                       node at an address, or None
    find_running(address, topic, diagnostics)          the URDF of a running node
    add_import_arguments(parser), add_export_arguments(parser), add_check_arguments(parser)
                                                       more arguments of these commands
    plan_import(given, job), plan_export(given)        the Task that these ask for, or None
    plan_check(given, tasks)                           the tasks of a check, with more outputs
    look_further(given, robot, work)                   more that a check finds about a robot
    finish_check(given, reports)                       after the last robot of a check
    follow_exports(given, tasks)                       the tasks of exports, with more to do after
    export_options()                                   options of all export dialogs in Blender

A public function of a part is a hook of its own name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .diagnostics import RobotError
from .public_names import MODULES, NAMES

SHELVES = ("formats", "features")
_LIBRARY = __package__.removesuffix(".core")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The record of a format or a feature. Modules are named from its own folder, and loaded when
    they are needed.

    name      the name of its folder
    names     module -> the public names of the library that are in it
    commands  the module whose add_commands(parsers) adds the part's commands
    hooks     name of a hook -> "module:function"
    reader    "module:NAME" of its ReaderFormat, for a format that robots are read from
    writer    "module:NAME" of its WriterFormat, for a format that robots are written in
    meshes    "module:NAME" of a table, suffix -> loader, for meshes in its files
    """

    name: str
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    commands: str = ""
    hooks: Mapping[str, str] = field(default_factory=dict)
    reader: str = ""
    writer: str = ""
    meshes: str = ""


@cache
def list_parts(shelf: str) -> tuple[tuple[str, Part], ...]:
    """Returns the package and the record of each folder that is there, in the order of the shelf;
    formats of other distributions come last."""
    home = f"{_LIBRARY}.{shelf}"
    packages = [f"{home}.{name}" for name in import_module(home).NAMES]
    # A folder that only caches are left in has no origin.
    found = [(each, find_spec(each)) for each in packages]
    present = [each for each, spec in found if spec is not None and spec.origin is not None]
    if shelf == "formats":
        present += _list_installed()
    return tuple((each, import_module(each).PART) for each in present)


def _list_installed() -> list[str]:
    """Lists the packages of other distributions. They import the Python package, so the extension
    has none: its library has another name."""
    if _LIBRARY != "urdf_importer":
        return []
    from importlib.metadata import entry_points

    return sorted({each.value for each in entry_points(group="urdf_importer.parts")})


@cache
def list_names() -> Mapping[str, tuple[str, str]]:
    """Returns the public names of the core and of the parts that are there, each with the package
    and the place in it that load takes."""
    core = Part(name="core", names=NAMES)
    parts = [(__package__, core), *(each for shelf in SHELVES for each in list_parts(shelf))]
    return {name: (__package__, name) for name in MODULES} | {
        name: (package, f"{module}:{name}")
        for package, part in parts
        for module, names in part.names.items()
        for name in names
    }


def load(package: str, place: str) -> Any:
    """Returns the object of a place "module:NAME" in a part's package, or the module of a place
    "module"."""
    module, _, name = place.partition(":")
    loaded = import_module(f"{package}.{module}")
    return getattr(loaded, name) if name else loaded


def find_hooks(name: str) -> Iterator[Callable[..., Any]]:
    """Yields the functions that hold to a hook, formats before features."""
    for package, place in _list_places(name):
        yield load(package, place)


def has_hook(name: str) -> bool:
    """Whether a part holds to a hook; loads none."""
    return any(_list_places(name))


def _list_places(hook: str) -> Iterator[tuple[str, str]]:
    for package, part in (each for shelf in SHELVES for each in list_parts(shelf)):
        if hook in part.hooks:
            yield package, part.hooks[hook]
        yield from (
            (package, f"{module}:{hook}") for module in part.names if hook in part.names[module]
        )


def find_hook(name: str, purpose: str = "this") -> Callable[..., Any]:
    """Returns the first function that holds to a hook. Raises RobotError where its part is absent;
    `purpose` begins that sentence."""
    found = next(find_hooks(name), None)
    if found is None:
        raise RobotError(f"{purpose} needs a part of the library that is not installed")
    return found
