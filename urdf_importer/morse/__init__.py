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
    from .compat import install
    from .locate import find_morse
    from .patches import accept_descriptions

    builder = find_morse(root)
    install()
    accept_descriptions(builder)


def disable() -> None:
    """Takes back what enable() did; what was built stays."""
    from .compat import uninstall
    from .patches import refuse_descriptions

    refuse_descriptions()
    uninstall()


def forget_components() -> None:
    """Lets MORSE's builder and the stand-in forget all components, to build another scene in the
    same session."""
    from . import compat
    from .stand_in import script

    compat.forget_components()
    script.forget_components()


_PLACES = {
    "BuilderScript": "script.write",
    "MorseOptions": "formats",
    "SensorSuggestion": "sensors",
    "URDFRobot": "builder",
    "WRITERS": "formats",
    "check_morse_profile": "profile.check",
    "suggest_script_name": "script.export",
    "suggest_sensors": "sensors",
    "write_builder_script": "script.export",
}
OFFERED = (
    "BuilderScript",
    "MorseOptions",
    "check_morse_profile",
    "suggest_script_name",
    "write_builder_script",
)
"""Names that are public names of the whole library too."""


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(f".{_PLACES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
