# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of MORSE's builder, and URDFRobot, for builder scripts:

    from urdf_importer.morse.builder import *

With MORSE they are MORSE's own, and enable() is called; without it they are the stand-in's. Which
of them is decided when a script takes a name, not before.
"""

import math
import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from urdf_importer.core.diagnostics import BuildError

# Scripts also get these from MORSE's builder by the star, and use them.
_COMMON: Mapping[str, Any] = {"math": math, "os": os, "sys": sys}


def find_builder() -> ModuleType:
    """Returns MORSE's builder, enabled, or the stand-in. This is the only place that chooses.

    Raises BuildError if the variable MORSE_ROOT names a folder without MORSE.
    """
    from . import enable, stand_in
    from .locate import BUILDER, VARIABLE
    from .patches import accept_descriptions

    try:
        enable()
    except BuildError:
        if os.environ.get(VARIABLE):
            raise
        accept_descriptions(stand_in)
        return stand_in
    return sys.modules[BUILDER]


def _find_names() -> dict[str, Any]:
    """Returns the names for scripts."""
    from . import stand_in
    from .patches import make_robot_class

    builder = find_builder()
    if builder is stand_in:
        found = {name: getattr(stand_in, name) for name in stand_in.__all__}
        found |= stand_in.TABLES
    else:
        found = {name: value for name, value in vars(builder).items() if name[:1] != "_"}
        found["timer"] = builder.abstractcomponent.timer
    return {**_COMMON, **found, "URDFRobot": make_robot_class(builder)}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_find_names())
    if not name.startswith("_"):
        found = _find_names()
        if name in found:
            return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
