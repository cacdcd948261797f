# SPDX-License-Identifier: GPL-3.0-or-later
"""The open file: a new one, and saving it."""

from os import PathLike

import bpy

from ..diagnostics import WriteError, quote
from ..outputs import replace_file


def new_file() -> None:
    """Opens an empty file of Blender's own settings: no cube, camera or light, metric units."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def save_scene(path: str | PathLike[str]) -> None:
    """Saves what is open as a compressed .blend, whole or not at all, without backups.

    An existing file is overwritten. What is open keeps its own name. Raises WriteError.
    """
    with replace_file(path) as temporary:
        try:
            bpy.ops.wm.save_as_mainfile(
                filepath=str(temporary), copy=True, compress=True, check_existing=False
            )
        except RuntimeError as error:
            reason = str(error).strip().rsplit(": ", 1)[-1]
            raise WriteError(f"cannot write {quote(str(path))}: {reason}") from error
