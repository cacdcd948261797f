# SPDX-License-Identifier: GPL-3.0-or-later
"""Export: (extract ->) plan -> write."""

from collections.abc import Generator
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, overload

from ..arguments import robot_or_rig_of
from ..diagnostics import ArgumentError, Diagnostics, quote_value
from ..files.packages import AnyPath
from ..model import Robot
from ..options import ExportOptions, FileOptions, StartOptions
from ..progress import Progress, finish
from ..writers.formats import OptionsOf, Result
from ..writers.formats import WriterFormat as WriterFormat
from ..writers.formats import Written as Written
from .formats import find_writer
from .opening import open_export

Options = TypeVar("Options", bound=FileOptions)


@overload
def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: OptionsOf[Result],
    diagnostics: Diagnostics | None = None,
) -> Result: ...


@overload
def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Written: ...


def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Written:
    """Writes a robot in the format of the suffix of `path`: for Webots a PROTO (.proto), with its
    meshes in the folder <name>_meshes beside it, a world (.wbt), with the PROTO beside it, or a
    project folder (one that is there, or a name with / at its end); a builder script of MORSE
    (.py); or another of writer_formats().
    Existing files are overwritten.

    `robot` is a description, and no Blender is needed; or the armature of an imported robot, which
    is written in its state in the scene: its shapes as shown there, its joints starting at their
    present positions, its root at the armature's place. Joints and root in `options` take
    precedence. They are the format's own options, or the options that all formats share
    (FileOptions, ExportOptions, StartOptions).

    `diagnostics` fills while the work runs, also when it fails; with `strict` it must stay
    empty. Raises KinematicsError where the robot is not a tree or an option names a joint or link
    that it does not have, WriteError where the files cannot be written, BuildError for an object
    that is not an imported robot; nothing is written then. Raises ArgumentError, a TypeError, for
    the options of another format.
    """
    robot = robot_or_rig_of(robot)
    found = find_writer(path, options=options)
    return write_format(found, robot, path, options=options, diagnostics=diagnostics, strict=strict)


def write_format(
    kind: WriterFormat[Any], robot: Robot | Any, path: AnyPath, **wishes: Any
) -> Written:
    """Writes a robot in a format of the table, as export_robot does; `wishes` are keywords of
    write_format_steps."""
    return finish(write_format_steps(kind, robot, path, **wishes))


def write_format_steps(
    kind: WriterFormat[Any],
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, Written]:
    """Runs write_format in steps, for progress bars; closed before its end it writes nothing. Most
    formats are one step."""
    robot = robot_or_rig_of(robot)
    chosen, place = fit_options(options, kind), Path(path)
    yield Progress(share=0.0, text=place.name)
    found = open_export(robot, chosen, diagnostics, strict=strict)
    if kind.write_steps is None:
        return kind.write(found, place)
    written = yield from kind.write_steps(found, place)
    return written


def fit_options(options: FileOptions | None, kind: WriterFormat[Options]) -> Options:
    """Returns the options of a format; options that all formats share are taken from other
    options."""
    wanted = kind.options
    shared = (FileOptions, ExportOptions, StartOptions)
    if options is None:
        return wanted()
    if type(options) in shared:
        names = {each.name for each in fields(wanted)}
        given = (each.name for each in fields(options) if each.name in names)
        return wanted(**{name: getattr(options, name) for name in given})
    if not isinstance(options, wanted):
        raise ArgumentError(
            f"{kind.label} is written with {wanted.__name__}, not {quote_value(options)}"
        )
    return options


def suggest_name(robot: Robot | Any, kind: WriterFormat[Any]) -> str:
    """Returns a name, without suffix, for the file of this robot, or of this armature's robot, in a
    format. Raises BuildError for an object that is not an imported robot."""
    robot = robot_or_rig_of(robot)
    if isinstance(robot, Robot):
        return kind.suggest_name(robot.name)
    from ..blender.extract.robot import extract_name

    return kind.suggest_name(extract_name(robot))
