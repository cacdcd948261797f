# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a description, or a rig in its present state, as a builder script."""

from pathlib import Path
from typing import Any

from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.files.packages import AnyPath
from urdf_importer.core.model import Robot
from urdf_importer.core.options import FileOptions
from urdf_importer.core.pipeline.exporting import write_format
from urdf_importer.core.writers.formats import OpenExport

from ..formats import MORSE, MorseOptions
from .write import BuilderScript, write_script


def write_builder_script(
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> BuilderScript:
    """Writes a robot for MORSE: a builder script (.py) that makes it anew, with its meshes, and
    needs no other file. An existing file is overwritten. Joints in armatures of their own stay
    there; others that MORSE would misread get one each.

    `options` is a MorseOptions. `robot`, `diagnostics` and `strict` are as for export_robot, and so
    are the errors raised.
    """
    written = write_format(
        MORSE, robot, path, options=options, diagnostics=diagnostics, strict=strict
    )
    assert isinstance(written, BuilderScript)
    return written


def write_opened(found: OpenExport[MorseOptions], path: Path) -> BuilderScript:
    """Writes the content of an export."""
    with found.as_shown() as shown:
        shown.report_open_loops(MORSE.label)
        return write_script(shown, path, _groups_of(found.armature))


def _groups_of(armature: Any | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns (name, joints) of the armatures beside a rig's main one."""
    if armature is None:
        return ()
    from ..split.plan import extract_groups

    return extract_groups(armature)
