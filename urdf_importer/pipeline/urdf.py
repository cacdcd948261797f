# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF out: (extract ->) place the files -> edit the text or write it anew."""

import tempfile
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ..arguments import diagnostics_of, options_of, robot_or_rig_of
from ..diagnostics import Diagnostic, Diagnostics
from ..files.outputs import suggest_stem
from ..files.packages import AnyPath, PackageResolver
from ..geometry.tidy import tidy_angle
from ..kinematics.forward import Position
from ..meshes import RobotFiles
from ..model import Ellipsoid, Joint, Robot
from ..readers.urdf.located import read_located
from ..readers.urdf.robot import read_robot_text
from ..reshape import move_zero, resize, seat_links
from ..reshape.balls import split_balls
from ..reshape.compare import Change, compare_robots
from ..writers.formats import OpenExport, OutputKind, WriterFormat, Written, count_robot
from ..writers.urdf.export import UrdfReading, UrdfRequest, export_urdf
from ..writers.urdf.meshes import NewFiles
from ..writers.urdf.options import UrdfOptions as UrdfOptions
from .extracting import extract_robot, read_text
from .named_files import (
    MeshFinder,
    convert_meshes,
    draw_solids,
    find_file,
    find_texture,
    fit_shapes,
    name_meshes,
)


@dataclass(frozen=True, kw_only=True)
class UrdfResult:
    """The result of writing a URDF.

    path         the .urdf file
    files        all files that were written
    robot        the content of the file
    diagnostics  everything that was changed or lost, in the order of the work
    """

    path: Path
    files: tuple[Path, ...]
    robot: Robot
    diagnostics: tuple[Diagnostic, ...]

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Differences from the text that the robot was read from, which is read again for it; empty
        without one."""
        before = read_text(self.robot)
        return () if before is None else compare_robots(before, self.robot)


def write_urdf(
    robot: Robot | Any,
    path: AnyPath,
    *,
    strict: bool = False,
    options: UrdfOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> UrdfResult:
    """Writes a robot as URDF. Reading the file gives an equal robot, but for the names of files.

    `robot` is a description, and no Blender is needed; or the armature of an imported robot,
    described by its properties, with the changes made in Blender since (`options` may leave these
    out). Where the robot was read from plain URDF, that text is edited and all that stays the same
    keeps its bytes, unless `options` asks for another style. Else each ball joint, which URDF does
    not know, becomes three continuous joints. Existing files are overwritten, all or none.

    `diagnostics` fills while the work runs, also when it fails; with `strict` it must stay
    empty. Raises WriteError where no file can express the robot or it cannot be written, BuildError
    for an object that is not an imported robot.
    """
    robot = robot_or_rig_of(robot)
    options = options_of(options, UrdfOptions)
    diagnostics = diagnostics_of(diagnostics)
    request = UrdfRequest(path=Path(path), options=options, diagnostics=diagnostics, strict=strict)
    if isinstance(robot, Robot):
        diagnostics.source = diagnostics.source or robot.source
        new = NewFiles()
        if options.meshes == "export":
            finder = MeshFinder(_make_resolver(robot, options), diagnostics)
            robot, new = convert_meshes(robot, finder, options.mesh_format)
        return _write(robot, request, new)
    return _write_rig(robot, request)


def _write_rig(armature: Any, request: UrdfRequest) -> UrdfResult:
    from ..blender.extract.edits import extract_edits
    from ..blender.extract.scene_source import find_place

    options, diagnostics = request.options, request.diagnostics
    described = extract_robot(armature)
    diagnostics.source = diagnostics.source or described.source
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        robot, new, scale = described, NewFiles(), 1.0
        if options.edits:
            suffix = f".{options.mesh_format}"
            writes_meshes = options.ros_package or options.meshes in ("copy", "export")
            edited = extract_edits(
                armature,
                Path(folder),
                diagnostics,
                suffix=suffix,
                shapes="shown" if writes_meshes else "edited",
            )
            robot, scale = edited.robot, edited.scale
            old = frozenset(name_meshes(described))
            new = NewFiles(meshes=edited.meshes, images=edited.images, old=old)
        if options.poses == "start":
            robot = move_zero(robot, shown_positions(armature, robot))
        if options.apply_scale and scale != 1.0:
            robot = resize(robot, scale=scale, diagnostics=diagnostics)
        else:
            find_place(armature, diagnostics)
        return _write(robot, request, new)


def shown_positions(armature: Any, robot: Robot) -> dict[str, Position]:
    """Returns where the rig shows the joints, as a person would have written the numbers."""
    from ..blender.standing.pose import get_joint_positions

    names = {joint.name for joint in robot.joints}
    shown = get_joint_positions(armature)
    return {
        name: tidy_angle(each) if isinstance(each, float) else each
        for name, each in shown.items()
        if name in names
    }


def _write(robot: Robot, request: UrdfRequest, new: NewFiles) -> UrdfResult:
    robot = seat_links(robot)
    if not robot.text_of("urdf"):
        robot = split_balls(robot)
    resolver = _make_resolver(robot, request.options)
    robot, new = fit_shapes(robot, new, resolver, request.options, request.diagnostics)
    files = RobotFiles(resolver, request.diagnostics)
    leaves = (leaf.tag for link in robot.links for shape in link.shapes for leaf in shape.leaves)
    known = (Ellipsoid,) if "drake:ellipsoid" in leaves else ()
    robot, new = draw_solids(robot, new, files, request.options.mesh_format, known)
    written = export_urdf(robot, request, _open_reading(robot, request), new)
    return UrdfResult(
        path=written.path,
        files=written.files,
        robot=written.robot,
        diagnostics=tuple(request.diagnostics),
    )


def _write_format(found: OpenExport[UrdfOptions], path: Path) -> Written:
    robot = found.robot
    result = write_urdf(
        found.armature if found.armature is not None else robot,
        path,
        options=found.options,
        diagnostics=found.diagnostics,
        strict=found.strict,
    )
    moving = [joint for joint in robot.joints if joint.type != "fixed"]
    counts = count_robot(
        robot,
        links=len(robot.links),
        moving_joints=len(moving),
        degrees_of_freedom=sum(_degrees(joint) for joint in moving),
    )
    return Written(
        path=result.path,
        files=result.files,
        robot=robot.name,
        facts=counts | {"changes": [str(change) for change in result.changes]},
        diagnostics=result.diagnostics,
    )


def _degrees(joint: Joint) -> int:
    sizes = {"planar": 3, "floating": 6, "ball": 3, "spherical": 3}
    return 0 if joint.mimic is not None else sizes.get(joint.type, 1)


URDF_WRITER = WriterFormat(
    name="urdf",
    label="URDF",
    title="URDF",
    text="URDF (.urdf)",
    description="Write the robot as URDF: the text that was read, changed only where the robot was",
    kinds=(OutputKind(name="urdf", label="URDF", suffix=".urdf"),),
    options=UrdfOptions,
    write=_write_format,
    suggest_name=suggest_stem,
    lists_changes=True,
)


def _open_reading(robot: Robot, request: UrdfRequest) -> UrdfReading:
    options, diagnostics = request.options, request.diagnostics
    resolver = _make_resolver(robot, options)
    source = str(request.path)  # A robot without a name is called after its file.
    return UrdfReading(
        locate=lambda data: read_located(data, source),
        read=lambda data: read_robot_text(data, source, Diagnostics(source)),
        find_file=partial(find_file, resolver),
        find_mesh=MeshFinder(resolver, diagnostics),
        find_texture=partial(find_texture, resolver, diagnostics),
    )


def _make_resolver(robot: Robot, options: UrdfOptions) -> PackageResolver:
    return PackageResolver(robot.source, options.packages, options.package_paths)
