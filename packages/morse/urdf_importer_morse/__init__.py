# SPDX-License-Identifier: GPL-3.0-or-later
"""Imported robots in builder scripts of the MORSE simulator.

    import urdf_importer.morse

    urdf_importer.morse.enable()                 # MORSE's builder, on today's Blender
    from urdf_importer.morse.builder import *    # its classes, or stand-alone ones

    robot = URDFRobot("arm.urdf")
    arm = robot.armature()
    robot.append(VideoCamera(), link="hand")
    env = Environment("empty")
    env.create()

Nothing of MORSE is loaded, and nothing in Blender changed, before one of these names is used.
Documented in docs/project/morse.md.
"""

from importlib import import_module
from os import PathLike
from typing import Any

from urdf_importer.core.diagnostics import BuildError
from urdf_importer.core.shelves import Part

__all__ = [
    "SensorSuggestion",
    "URDFRobot",
    "check_morse_profile",
    "disable",
    "enable",
    "forget_components",
    "suggest_sensors",
    "write_builder_script",
]


def enable(root: str | PathLike[str] | None = None) -> None:
    """Makes MORSE's own builder run in this Blender, and lets its Robot take descriptions:
    Robot("arm.urdf") is a URDFRobot then.

    `root` is the folder that holds MORSE's lib/ and share/ ("/usr"); if it is None, the variable
    MORSE_ROOT decides, or wherever Python finds MORSE. Raises BuildError if there is none. If
    Blender has its game engine, only the robots are new.
    """
    builder = _load("locate").find_morse(root)
    _load("compat").install()
    _load("patches").accept_descriptions(builder)


def disable() -> None:
    """Takes back the effects of enable(); built objects stay."""
    _load("patches").refuse_descriptions()
    _load("compat").uninstall()


def forget_components() -> None:
    """Lets MORSE's builder and the stand-in forget all components, to build another scene in the
    same session."""
    for name in ("compat", "stand_in.script"):
        _load(name).forget_components()


def _load(name: str) -> Any:
    """Imports a module of this part. The extension holds the modules that write builder scripts,
    not modules that run them. Raises BuildError for one that is not there."""
    try:
        return import_module(f".{name}", __name__)
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith(f"{__name__}."):
            raise
        raise BuildError(
            "the extension writes builder scripts and does not run them: scripts run with the "
            "Python package, `pip install 'urdf-importer[blender,morse]'`"
        ) from missing


PART = Part(
    name="morse",
    names={
        "formats": ("MorseOptions",),
        "profile.check": ("check_morse_profile",),
        "script.export": ("write_builder_script",),
    },
    writer="formats:MORSE",
)
_PLACES = {
    "SensorSuggestion": "sensors",
    "URDFRobot": "builder",
    "suggest_sensors": "sensors",
    **{name: module for module, names in PART.names.items() for name in names},
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(_load(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
