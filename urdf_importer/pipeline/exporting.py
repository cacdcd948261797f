# SPDX-License-Identifier: GPL-3.0-or-later
"""Export: (extract ->) plan -> write."""

import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar, overload

from ..arguments import diagnostics_of, robot_or_rig_of
from ..diagnostics import ArgumentError, Diagnostics, MeshError, quote, quote_value
from ..files.packages import AnyPath
from ..model import Mesh, Robot, Semantics, Solid
from ..options import ExportOptions, FileOptions, ImportOptions, StartOptions
from ..progress import Progress, finish
from ..reshape import seat_links
from ..writers.formats import OpenExport
from ..writers.formats import WriterFormat as WriterFormat
from ..writers.formats import Written as Written
from ..writers.webots import ExportResult as ExportResult
from ..writers.webots import WebotsOptions as WebotsOptions
from .extracting import extract_robot
from .files import find_files, open_files
from .fitting import fit_if_asked
from .formats import find_writer
from .srdf import read_own_srdf

Options = TypeVar("Options", bound=FileOptions)


@overload
def export_robot(
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: WebotsOptions,
    diagnostics: Diagnostics | None = None,
) -> ExportResult: ...


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
    kind: WriterFormat[Any],
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Written:
    """Writes a robot in a format of the table, as export_robot does."""
    steps = write_format_steps(
        kind, robot, path, strict=strict, options=options, diagnostics=diagnostics
    )
    return finish(steps)


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


def open_export(
    robot: Robot | Any,
    options: Options,
    diagnostics: Diagnostics | None,
    *,
    strict: bool = False,
) -> OpenExport[Options]:
    """Opens a description, or a rig, for export."""
    robot = robot_or_rig_of(robot)
    described = robot if isinstance(robot, Robot) else extract_robot(robot)
    diagnostics = diagnostics_of(diagnostics)
    diagnostics.source = diagnostics.source or described.source
    resolver = find_files(described.source, options)
    return OpenExport(
        robot=described,
        files=open_files(resolver, diagnostics, described, options),
        options=options,
        diagnostics=diagnostics,
        open_scene=_open_drawn,
        find_semantics=find_semantics,
        armature=None if described is robot else robot,
        convert_image=_convert_image,
        strict=strict,
    )


@contextmanager
def _open_drawn(
    found: OpenExport[Options], keeps_seats: bool, solids: tuple[type[Solid], ...]
) -> Iterator[OpenExport[Options]]:
    with open_scene(found, keeps_seats=keeps_seats) as shown:
        robot = finish(fit_if_asked(shown.robot, shown.files, found.options, found.diagnostics))
        if found.armature is None and not keeps_seats:
            robot = seat_links(robot)
        yield replace(shown, robot=shown.files.draw(robot, (Mesh, *solids)))


@contextmanager
def open_scene(
    found: OpenExport[Options], *, keeps_seats: bool = False
) -> Iterator[OpenExport[Options]]:
    """Gives an export of a rig in its state in the scene, whose images are files for as long as the
    block runs; a description is given unchanged. With `keeps_seats` links of a scene stay away from
    their joints where the description has them so."""
    if found.armature is None:
        yield found
        return
    from ..blender.extract.scene_source import extract_scene

    armature, robot = found.armature, found.robot
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        scene = extract_scene(
            armature, robot, Path(folder), found.diagnostics, keeps_seats=keeps_seats
        )
        files = found.files.with_shown(scene.shapes, scene.images)
        start = _start_as_posed(armature, robot, found.options, found.diagnostics)
        yield replace(found, robot=scene.robot, files=files, options=start)


def find_semantics(found: OpenExport[Any]) -> Semantics | None:
    """Finds the SRDF of an export: of a rig its own, else the one that its options name."""
    options, robot = found.options, found.robot
    srdf: str = getattr(options, "srdf", "")
    if not srdf and found.armature is not None:
        from ..blender.semantics.apply import extract_semantics

        return extract_semantics(found.armature)
    reading = ImportOptions(
        srdf=srdf, packages=options.packages, package_paths=options.package_paths
    )
    return read_own_srdf(robot.source, robot, reading, found.diagnostics)


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
