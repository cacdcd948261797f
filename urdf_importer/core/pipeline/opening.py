# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots opened for exports, once: described, as a scene shows them, or as they were edited there.

Formats that keep their text, URDF and SDF, have one way: (edits ->) fit shapes -> draw unknown ones
-> convert meshes.
"""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from ..arguments import diagnostics_of, robot_or_rig_of
from ..diagnostics import Diagnostics, MeshError, quote
from ..geometry.mesh_data import MeshData
from ..geometry.rounding import tidy_angle
from ..meshes.write_files import WantedFormat, choose_format
from ..model import Geometry, Mesh, Robot, Semantics, Solid
from ..model.file_names import name_files
from ..options import ExportOptions, FileOptions, ImportOptions, StartOptions
from ..progress import finish
from ..reshape import move_zero, seat_links
from ..writers.formats import OpenExport
from ..writers.named_files import find_free_name
from .extracting import extract_robot
from .files import find_files, open_files
from .hooks import fit_robot, read_semantics

Options = TypeVar("Options", bound=FileOptions)
_Fitted = TypeVar("_Fitted", bound=ExportOptions)


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
        robot = finish(fit_robot(shown.robot, shown.files, found.options, found.diagnostics))
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
        from ..blender.semantics.apply import extract_semantics_of

        return extract_semantics_of(found.armature, robot)
    reading = ImportOptions(
        srdf=srdf, packages=options.packages, package_paths=options.package_paths
    )
    return read_semantics(robot.source, robot, reading, found.diagnostics)


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


@contextmanager
def open_edited(
    found: OpenExport[_Fitted], format: WantedFormat, *, shown: bool
) -> Iterator[tuple[OpenExport[_Fitted], float]]:
    """Gives the export of a rig with the changes made in Blender, for as long as the block runs,
    and the scale of its armature; a description comes unchanged. New meshes are named as files of
    this format; with `shown` meshes that the import decimated are new, too."""
    armature, options = found.armature, found.options
    if armature is None:
        yield found, 1.0
        return
    from ..blender.extract.edits import open_edits
    from ..blender.standing.pose import get_joint_positions

    def pose(robot: Robot) -> Robot:
        """Where the rig shows the joints, as a person would have written the numbers."""
        if getattr(options, "poses", "zero") == "zero":
            return robot
        names = {joint.name for joint in robot.joints}
        shown = get_joint_positions(armature).items()
        positions = {
            name: tidy_angle(each) if isinstance(each, float) else each
            for name, each in shown
            if name in names
        }
        return move_zero(robot, positions)

    if not getattr(options, "edits", True):
        yield replace(found, robot=pose(found.robot)), 1.0
        return
    with open_edits(
        armature,
        found.robot,
        found.diagnostics,
        format=format,
        shapes="shown" if shown else "edited",
    ) as edited:
        files = found.files.with_new(edited.meshes, edited.images)
        yield replace(found, robot=pose(edited.robot), files=files), edited.scale


def finish_shapes(
    found: OpenExport[_Fitted], format: WantedFormat, known: Collection[type[Geometry]] = ()
) -> OpenExport[_Fitted]:
    """Returns the export with the collision shapes that its options want, and with mesh files of
    their own for shapes that a format does not know (ellipsoids, parts of mesh files), unless they
    are `known`."""
    files, before = found.files, frozenset(found.files.drawn)
    robot = finish(fit_robot(found.robot, files, found.options, found.diagnostics))
    drawn = files.draw(robot, known)
    if drawn is robot:
        return replace(found, robot=robot)
    meshes: dict[str, MeshData] = {}
    names: dict[tuple[str, str], str] = {}

    def rename(mesh: Mesh, link: str, line: int, part: str) -> str:
        key = (mesh.filename, part)
        if mesh.filename in before or mesh.filename not in files.drawn:
            return mesh.filename
        if key not in names:
            stem = mesh.filename.partition(":")[2]
            data = files.peek(mesh)
            taken = (*before, *files.named, *meshes)
            names[key] = find_free_name(stem, part, choose_format(data, format), taken)
            meshes[names[key]] = data
        return names[key]

    robot = name_files(drawn, rename, lambda name: name)
    return replace(found, robot=robot, files=files.with_new(meshes))


def convert_meshes(
    found: OpenExport[_Fitted], format: WantedFormat, known: Collection[str] = ()
) -> OpenExport[_Fitted]:
    """Gives the meshes of a robot that have neither this format nor a `known` suffix new names, for
    files of this format."""
    files = found.files
    names: dict[tuple[str, str], str] = {}
    meshes: dict[str, MeshData] = {}

    def convert(mesh: Mesh, link: str, line: int, part: str) -> str:
        loss = "the file keeps its name"
        opened = files.open_named(mesh, link, line, loss)
        if opened is None:
            return mesh.filename
        data = opened[1].result
        if isinstance(data, MeshError):
            message = f"{data.message}; {loss}"
            found.diagnostics.error(data.code, message, subject=link, line=line)
            return mesh.filename
        path = PurePosixPath(mesh.filename.strip().replace("\\", "/"))
        chosen = choose_format(data, format, plain=True)
        if path.suffix.lower() in (f".{chosen}", *known):
            return mesh.filename
        name = find_free_name(path.stem, part, chosen, (*files.drawn, *files.named, *meshes))
        meshes[name] = data
        return name

    def rename(mesh: Mesh, link: str, line: int, part: str) -> str:
        key = (mesh.filename, part)
        if mesh.filename in files.drawn:
            return mesh.filename
        if key not in names:
            names[key] = convert(mesh, link, line, part)
        return names[key]

    robot = name_files(found.robot, rename, lambda name: name)
    return replace(found, robot=robot, files=files.with_new(meshes))
