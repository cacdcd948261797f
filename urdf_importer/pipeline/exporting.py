# SPDX-License-Identifier: GPL-3.0-or-later
"""Export: (extract ->) plan -> write."""

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, overload

from ..arguments import diagnostics_of, robot_or_rig_of
from ..diagnostics import ArgumentError, Diagnostics, MeshError, quote, quote_value
from ..files.packages import AnyPath
from ..meshes import RobotFiles
from ..model import Mesh, Robot
from ..options import FileOptions, StartOptions
from ..reshape import seat_links
from ..writers.formats import OpenExport
from ..writers.formats import WriterFormat as WriterFormat
from ..writers.formats import Written as Written
from ..writers.webots import WEBOTS
from ..writers.webots import ExportResult as ExportResult
from ..writers.webots import WebotsOptions as WebotsOptions
from .extracting import extract_robot
from .files import find_files, open_files
from .formats import find_writer

Options = TypeVar("Options", bound=FileOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions(WebotsOptions):
    """The options of all formats in one, as they were once; deprecated."""

    def __post_init__(self) -> None:
        WebotsOptions.__post_init__(self)
        warnings.warn(
            "ExportOptions is deprecated; each format has options of its own, such as "
            "WebotsOptions and MorseOptions",
            DeprecationWarning,
            stacklevel=3,
        )


@overload
def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    options: WebotsOptions,
    diagnostics: Diagnostics | None = None,
    *,
    strict: bool = False,
) -> ExportResult: ...


@overload
def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
    *,
    strict: bool = False,
) -> Written: ...


def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
    *,
    strict: bool = False,
) -> Written:
    """Writes a robot in the format that the suffix of `path` stands for: for Webots a PROTO
    (.proto), with its meshes in the folder <name>_meshes beside it, a world (.wbt), with the PROTO
    beside it, or a project folder (one that is there, or a name with / at its end); a builder
    script of MORSE (.py); or another of writer_formats().
    Existing files are overwritten.

    `robot` is a description, and no Blender is needed; or the armature of an imported robot, which
    is written as it stands in the scene: its shapes as they are shown there, its joints starting
    where they are, its root where the armature stands. What `options` says about joints and root
    takes precedence. They are those of the format, or what all formats share (FileOptions,
    StartOptions).

    `diagnostics` fills while the work goes on, also when it fails; with `strict` it has to stay
    empty. Raises KinematicsError where the robot is not a tree or an option names a joint or link
    that it does not have, WriteError where the files cannot be written, BuildError for an object
    that is not an imported robot; nothing is written then. Raises ArgumentError, a TypeError, for
    the options of another format.
    """
    robot = robot_or_rig_of(robot)
    found = find_writer(path, options)
    return write_format(found, robot, path, options, diagnostics, strict=strict)


def write_format(
    kind: WriterFormat[Any],
    robot: Robot | Any,
    path: AnyPath,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
    *,
    strict: bool = False,
) -> Written:
    """Writes a robot in a format of the table, as export_robot does."""
    robot = robot_or_rig_of(robot)
    chosen = _fit_options(options, kind)
    if kind.find_variant is not None:
        kind = kind.find_variant(chosen, Path(path))
    with open_export(
        robot,
        chosen,
        diagnostics,
        strict=strict,
        reads_scene=not kind.reads_rigs,
        keeps_seats=kind.keeps_seats,
    ) as found:
        if not kind.reads_rigs:
            is_scene = found.robot is not found.described
            described = found.described
            if not kind.keeps_seats:
                described = seat_links(described)
            robot = found.robot if is_scene else described
            robot = found.files.draw(robot, (Mesh, *kind.solids))
            found = replace(found, described=described, robot=robot)
        if not kind.keeps_loops:
            _report_open_loops(found, kind.label)
        return kind.write(found, Path(path))


def _report_open_loops(found: OpenExport[Any], label: str) -> None:
    """Reports each joint that closes a loop, which a format without loops cannot hold."""
    for loop in found.robot.loops:
        found.diagnostics.warning(
            "loop-left-open",
            f"joint {quote(loop.name)} closes a loop between links {quote(loop.link1)} and "
            f"{quote(loop.link2)}; the loop is left open for {label}",
            subject=loop.name,
            line=loop.line,
        )


def _fit_options(options: FileOptions | None, kind: WriterFormat[Options]) -> Options:
    """Returns the options of a format; what all formats share is taken from other options."""
    wanted = kind.options
    shared = (FileOptions, StartOptions, ExportOptions)
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


def suggest_proto_name(robot: Robot | Any) -> str:
    """Returns a name that Webots accepts for a PROTO of this robot, or of this armature's robot."""
    return suggest_name(WEBOTS, robot)


def suggest_name(kind: WriterFormat[Any], robot: Robot | Any) -> str:
    """Returns a name, without suffix, for the file of this robot, or of this armature's robot, in a
    format. Raises BuildError for an object that is not an imported robot."""
    robot = robot_or_rig_of(robot)
    if isinstance(robot, Robot):
        return kind.suggest_name(robot.name)
    from ..blender.extract.robot import extract_name

    return kind.suggest_name(extract_name(robot))


@contextmanager
def open_export(
    robot: Robot | Any,
    options: Options,
    diagnostics: Diagnostics | None,
    *,
    strict: bool = False,
    reads_scene: bool = True,
    keeps_seats: bool = False,
) -> Iterator[OpenExport[Options]]:
    """Opens a description for export; or a rig as it stands in the scene, whose images are files
    for as long as the block runs. Without `reads_scene` the rig is left to the writer; with
    `keeps_seats` links of a scene stand away from their joints where the description has them so.
    """
    robot = robot_or_rig_of(robot)
    described = robot if isinstance(robot, Robot) else extract_robot(robot)
    diagnostics = diagnostics_of(diagnostics)
    diagnostics.source = diagnostics.source or described.source
    resolver = find_files(described.source, options)
    opened = OpenExport(
        robot=described,
        described=described,
        files=open_files(resolver, diagnostics, described, options),
        options=options,
        diagnostics=diagnostics,
        convert_image=_convert_image,
        strict=strict,
    )
    if described is robot or not reads_scene:
        yield opened if described is robot else replace(opened, armature=robot)
        return
    from ..blender.extract.scene_source import extract_scene

    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        scene = extract_scene(robot, described, Path(folder), diagnostics, keeps_seats=keeps_seats)
        files = RobotFiles(resolver, diagnostics, shown=scene.shapes, images=scene.images)
        start = _start_as_posed(robot, scene.robot, options, diagnostics)
        yield replace(opened, robot=scene.robot, files=files, options=start, armature=robot)


def _start_as_posed(
    armature: Any, robot: Robot, options: Options, diagnostics: Diagnostics
) -> Options:
    """Returns the options with the joint positions and the place of the rig, unless they give their
    own."""
    from ..blender.extract.positions import extract_positions
    from ..blender.extract.scene_source import find_place

    if not isinstance(options, StartOptions):
        return options
    given = {name for name, _ in options.positions}
    shown = extract_positions(armature, robot)
    posed = tuple(pair for pair in shown if pair[0] not in given)
    translation, rotation = find_place(armature, diagnostics)
    if any((*options.translation, *options.rotation)):
        translation, rotation = options.translation, options.rotation
    return replace(
        options, positions=posed + options.positions, translation=translation, rotation=rotation
    )


def _convert_image(content: bytes, name: str) -> bytes:
    """Lets Blender convert an image, where it is installed. Raises MeshError where it is not, or
    where it cannot read the image either."""
    try:
        from ..blender.convert import convert_image
    except ImportError:
        message = f"only Blender can convert images such as {quote(name)}, and there is none here"
        raise MeshError(message, code="unreadable-texture") from None
    return convert_image(content, name)
