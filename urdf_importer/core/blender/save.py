# SPDX-License-Identifier: GPL-3.0-or-later
"""The open file: a new one, another one, and saving it."""

from pathlib import Path

import bpy

from ..diagnostics import ReadError, WriteError, quote_path
from ..files.outputs import need_suffix, replace_file
from ..files.packages import AnyPath


def new_file() -> None:
    """Opens an empty file of Blender's own settings: no cube, camera or light, metric units."""
    if bpy.data.filepath:
        # Blender continues without window layouts where a file was opened so. It then keeps each
        # notice of a change, and looks through all of them for each thing that goes: ever more
        # slowly, until it reads a layout, and the factory's file brings none.
        bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def open_blend(path: AnyPath) -> None:
    """Opens a .blend in Blender, without its window layout and without running its scripts. The
    open file is lost. Raises ReadError; the open file stays then."""
    if not Path(path).is_file():
        raise ReadError("there is no such file", source=str(path))
    try:
        bpy.ops.wm.open_mainfile(
            filepath=str(Path(path).absolute()), load_ui=False, use_scripts=False
        )
    except RuntimeError as error:
        raise ReadError("this is not a .blend that Blender can open", source=str(path)) from error


def save_blend(path: AnyPath) -> None:
    """Saves the open file as a compressed .blend, whole or not at all, without backups.

    An existing file is overwritten. Raises WriteError, also for a name that does not end in .blend.
    """
    need_suffix(path, ".blend", "the file of a scene")
    with replace_file(path) as temporary:
        try:
            bpy.ops.wm.save_as_mainfile(
                filepath=str(temporary), copy=True, compress=True, check_existing=False
            )
        except RuntimeError as error:
            reason = str(error).strip().rsplit(": ", 1)[-1]
            raise WriteError(f"cannot write {quote_path(path)}: {reason}") from error
