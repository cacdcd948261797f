# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF out: (extract ->) place the files -> edit the text or write it anew."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ...core.arguments import options_of, robot_or_rig_of
from ...core.diagnostics import Diagnostic, Diagnostics
from ...core.files.outputs import suggest_stem
from ...core.files.packages import AnyPath
from ...core.model import Ellipsoid, Robot
from ...core.pipeline.extracting import read_text
from ...core.pipeline.opening import convert_meshes, finish_shapes, open_edited, open_export
from ...core.reshape import resize, seat_links
from ...core.reshape.balls import split_balls
from ...core.reshape.compare import Change, compare_robots
from ...core.writers.formats import OpenExport, OutputKind, WriterFormat, Written, count_described
from .read.located import read_located
from .write.export import export_urdf
from .write.options import UrdfOptions as UrdfOptions


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
    robot, options = robot_or_rig_of(robot), options_of(options, UrdfOptions)
    return write_opened(open_export(robot, options, diagnostics, strict=strict), Path(path))


def write_opened(found: OpenExport[UrdfOptions], path: Path) -> UrdfResult:
    """Writes a robot that is open for export, as write_urdf does."""
    options, diagnostics, copying = found.options, found.diagnostics, ("copy", "export")
    shown = bool(options.ros_package) or options.meshes in copying
    with open_edited(found, options.mesh_format, shown=shown) as (edited, scale):
        if found.armature is None and options.meshes == "export":
            edited = convert_meshes(edited, options.mesh_format)
        robot = edited.robot
        if options.apply_scale and scale != 1.0:
            robot = resize(robot, scale=scale, diagnostics=diagnostics)
        elif found.armature is not None:
            from ...core.blender.extract.scene_source import report_scale

            report_scale(found.armature, diagnostics)
        robot = seat_links(robot)
        if not robot.text_of("urdf"):
            robot = split_balls(robot)
        leaves = [leaf.tag for link in robot.links for each in link.shapes for leaf in each.leaves]
        known = (Ellipsoid,) if "drake:ellipsoid" in leaves else ()
        edited = finish_shapes(replace(edited, robot=robot), options.mesh_format, known)
        # A robot without a name is called after its file.
        robot, files = export_urdf(edited, path, partial(read_located, source=str(path)))
    return UrdfResult(path=path, files=files, robot=robot, diagnostics=tuple(diagnostics))


def _write_format(found: OpenExport[UrdfOptions], path: Path) -> Written:
    result = write_opened(found, path)
    return Written(
        path=result.path,
        files=result.files,
        robot=result.robot.name,
        facts=count_described(result.robot) | {"changes": [str(each) for each in result.changes]},
        diagnostics=result.diagnostics,
    )


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
