# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a description, or a rig as it stands, as a builder script."""

from pathlib import Path
from typing import Any

from ...diagnostics import Diagnostics
from ...files.packages import AnyPath
from ...model import Robot
from ...options import ExportOptions
from ...pipeline.exporting import extract_robot, open_export
from .literals import make_module_name
from .write import BuilderScript, write_script


def write_builder_script(
    robot: Robot | Any,
    path: AnyPath,
    options: ExportOptions | None = None,
    diagnostics: Diagnostics | None = None,
    *,
    strict: bool = False,
) -> BuilderScript:
    """Writes a robot for MORSE: a builder script (.py) that makes it anew, with its meshes, and
    needs no other file. An existing file is overwritten. Joints that stand in armatures of their
    own do so again; those that MORSE would not read otherwise get one each.

    `robot`, `diagnostics` and `strict` are as for export_robot, so is what is raised. Of the
    options count `positions`, `translation`, `rotation`, `sensors` and those about packages.
    """
    with open_export(robot, options, diagnostics) as found:
        return write_script(
            found.robot,
            found.source,
            Path(path),
            found.options,
            found.diagnostics,
            _groups_of(robot),
            strict=strict,
        )


def suggest_script_name(robot: Robot | Any) -> str:
    """Returns a name, without suffix, for the builder script of this robot, or of this armature's:
    builder scripts can import it by that."""
    if not isinstance(robot, Robot):
        robot = extract_robot(robot)
    return make_module_name(robot.name)


def _groups_of(robot: Robot | Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns (name, joints) of the armatures beside a rig's main one."""
    if isinstance(robot, Robot):
        return ()
    from ..split.plan import extract_groups

    return extract_groups(robot)
