# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's own builder on today's Blender.

MORSE 1.4 was written for Blender 2.7 and its game engine. install() provides the missing parts:
attributes of data-blocks that are gone (Object.game keeps its data in a custom property, so it is
saved), and replacements for functions of MORSE's module bpymorse that call missing parts. Each
piece is added only if Blender lacks it, and uninstall() takes all of them back; the data that
scripts left stays.
"""

import atexit
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from .blend_file.read import read_legacy_game
from .locate import BUILDER, find_morse
from .patches import (
    create_left_environments,
    forget_environments,
    install_methods,
    python_ends,
)

if TYPE_CHECKING:
    from .game_engine.replacements import Replacements

_CONFIGURATIONS = (
    *("datastream", "stream_manager", "modifier"),
    *("service", "overlay", "frequency"),
)


class _Installed(NamedTuple):
    blender: "Replacements"
    morse: "Replacements"


_installed: list[_Installed] = []


def install() -> ModuleType:
    """Makes MORSE's builder run in this Blender and returns the package morse.builder.

    Does nothing if that is done already. Raises BuildError where MORSE is not found.
    """
    builder = find_morse()
    if _installed:
        return builder
    from .game_engine.attributes import install_attributes
    from .game_engine.functions import install_functions
    from .game_engine.replacements import Replacements, install_handlers

    made = _Installed(Replacements(), Replacements())
    _installed.append(made)
    try:
        install_attributes(made.blender)
        install_functions(made.morse, builder.bpymorse, _read_game)
        install_methods(made.morse, builder)
        install_handlers(opening=forget_components, saving=create_left_environments)
    except BaseException:
        uninstall()
        raise
    atexit.register(_leave_blender)
    return builder


def uninstall() -> None:
    """Restores Blender's types and MORSE's modules to their state before install(). Environments
    that are not created yet never will be."""
    if not _installed:
        return
    from .game_engine.replacements import remove_handlers

    atexit.unregister(_leave_blender)
    forget_environments()
    remove_handlers()
    made = _installed.pop()
    made.morse.undo()
    made.blender.undo()


def forget_components() -> None:
    """Lets MORSE's builder forget all components and their configuration.

    MORSE ran one script in a process; in a session of Blender another may follow, and would find
    the components of the previous one in its own configuration. Opening another file forgets them
    too. Does nothing if MORSE is not loaded.
    """
    builder = sys.modules.get(BUILDER)
    if builder is None:
        return
    forget_environments()
    components = builder.AbstractComponent.components
    for component in components:
        # A script's variables may hold it still. The builder looks only at variables without a
        # parent.
        if not hasattr(component, "parent"):
            component.parent = None
    components.clear()
    builder.Environment.multinode_distribution.clear()
    for name in _CONFIGURATIONS:
        getattr(builder.abstractcomponent.Configuration, name).clear()


def _leave_blender() -> None:
    """Tidies up before Python goes, which outlives Blender. Used as a module, Blender before 5
    crashes or freezes at that point if one of its types has an attribute of ours, or one of its
    lists of handlers a function."""
    from .game_engine.replacements import is_module, remove_handlers

    python_ends()
    if is_module():
        remove_handlers()
        _installed[-1].blender.undo()


def _read_game(path: Path) -> Mapping[str, Any]:
    return read_legacy_game(path)
