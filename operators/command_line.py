# SPDX-License-Identifier: GPL-3.0-or-later
"""The command urdf-importer import as one of Blender's own:

    blender --command urdf_import robot.urdf robot.blend

Its arguments, messages and exit status are the command's. The package folders of the preferences
come after the arguments' own; import options are the command's own defaults, not the preferences',
so that a script gives the same robot on every machine.
"""

import os
import signal
from collections.abc import Sequence
from functools import partial

import bpy

from .preferences import preference_package_paths
from .registration import at_end

COMMAND = "urdf_import"


def register() -> None:
    """Adds the command to Blender."""
    handle = bpy.utils.register_cli_command(COMMAND, run_command)
    at_end(partial(bpy.utils.unregister_cli_command, handle))


def run_command(words: Sequence[str]) -> int:
    """Runs the command; its result becomes Blender's exit status."""
    # Not before it is needed: a session with a window does without.
    from ..urdf_importer.cli import main

    # Blender takes Ctrl-C as a request to stop rendering; here it must stop the work.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return main(["import", *add_package_folders(words, _existing_folders())])
    except SystemExit as ended:
        # Wrong usage or --help, already printed. Blender prints a traceback where a command exits.
        return ended.code if isinstance(ended.code, int) else 1


def add_package_folders(words: Sequence[str], folders: Sequence[str]) -> list[str]:
    """Returns the arguments with more folders, which come last and yet before `--`: words after it
    are not options."""
    end = words.index("--") if "--" in words else len(words)
    added = [word for folder in folders for word in ("--package-path", folder)]
    return [*words[:end], *added, *words[end:]]


def _existing_folders() -> list[str]:
    """Drops folders that do not exist. The command refuses such folders, since a user has just
    typed them; one of the preferences may be on a drive that is not mounted today."""
    return [folder for folder in preference_package_paths(bpy.context) if os.path.isdir(folder)]
