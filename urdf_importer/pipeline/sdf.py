# SPDX-License-Identifier: GPL-3.0-or-later
"""SDF out: (extract ->) place the files -> edit the text or write it anew."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostics, MeshError, quote
from ..files.outputs import suggest_stem
from ..files.packages import PackageResolver
from ..geometry.mesh_data import MeshData
from ..meshes import RobotFiles
from ..meshes.write_files import MeshFormat
from ..model import (
    IDENTITY,
    Collision,
    Cone,
    Ellipsoid,
    Extra,
    Extrusion,
    Geometry,
    Inertia,
    Inertial,
    Link,
    Mesh,
    Pose,
    Robot,
)
from ..model.world import Thing
from ..options import ImportOptions
from ..readers import SDF, Description
from ..reshape import move_zero
from ..writers.formats import OpenExport, OutputKind, WriterFormat, Written
from ..writers.masses import measure_collisions
from ..writers.sdf.export import SUFFIX, SdfReading, SdfRequest, export_sdf
from ..writers.sdf.options import SdfOptions as SdfOptions
from ..writers.start import read_positions
from ..writers.urdf.meshes import NewFiles, find_free_name
from .named_files import (
    MeshFinder,
    convert_meshes,
    draw_solids,
    find_file,
    find_texture,
    fit_shapes,
    name_meshes,
)
from .urdf import shown_positions

_FORMAT: MeshFormat = "obj"
_READ_BY_GAZEBO = (".dae", ".obj", ".stl", ".gltf", ".glb")
_BARE = (".stl",)
_KNOWN: tuple[type[Geometry], ...] = (Mesh, Ellipsoid, Cone, Extrusion)


def write_sdf(found: OpenExport[SdfOptions], path: Path) -> Written:
    """Writes a description, or a rig with the changes made in Blender, as a file or as a folder."""
    options, diagnostics = found.options, found.diagnostics
    positions = read_positions(options)
    if positions:
        diagnostics.warning(
            "sdf-start",
            f"{len(positions)} joints start where they are at zero: SDF has no other start",
            subject=next(iter(positions)),
        )
    with _open_edited(found) as (robot, new, place):
        request = SdfRequest(
            path=path,
            options=options,
            diagnostics=diagnostics,
            place=None if place == IDENTITY else place,
            strict=found.strict,
        )
        return _write(found, request, robot, new)


def report_pose(found: OpenExport[SdfOptions]) -> None:
    """Reports that the pose of a rig is lost, unless it becomes the zero."""
    from ..blender.extract.positions import extract_positions

    shown = extract_positions(found.armature, found.robot)
    moved = [name for name, text in shown if any(map(float, text.split(",")))]
    if moved and found.options.poses == "zero":
        found.diagnostics.warning(
            "sdf-start",
            f"robot {quote(found.robot.name)} starts with its joints at zero: SDF has no other "
            "start; poses='start' makes the pose shown the zero",
            subject=moved[0],
        )


def write_model(found: OpenExport[SdfOptions], path: Path, prefix: str, *, name: str) -> Written:
    """Writes a rig as a model of a world: called `name`, at its place there, with its meshes
    beside it, under names that begin with `prefix`."""
    with _open_edited(found) as (robot, new, place):
        request = _request_model(found, path, place, prefix)
        return _write(found, request, replace(robot, name=name), new)


def write_thing(found: OpenExport[SdfOptions], thing: Thing, path: Path, prefix: str) -> Written:
    """Writes a thing as a model of a world; `found` has its files."""
    names: dict[MeshData, str] = {}
    meshes: dict[str, MeshData] = {}
    images: set[str] = set()

    def name_mesh(shape: Any, part: str) -> Any:
        data = found.files.load_or_report(shape, thing.link)
        if data is None or not isinstance(shape.geometry, Mesh):
            return shape
        if data not in names:
            names[data] = find_free_name(data.name or thing.link.name, part, _FORMAT, meshes)
            meshes[names[data]] = data
        return replace(shape, geometry=Mesh(filename=names[data]))

    link = thing.link
    for visual in link.visuals:
        images.update(visual.material.images if visual.material else ())
    link = replace(
        link,
        inertial=link.inertial or Inertial(mass=1.0, inertia=Inertia(ixx=1.0, iyy=1.0, izz=1.0)),
        visuals=tuple(name_mesh(each, "visual") for each in link.visuals),
        collisions=tuple(name_mesh(each, "collision") for each in link.collisions),
    )
    said = ["<gazebo><static>true</static></gazebo>"] if thing.is_static else []
    if thing.friction is not None:
        said.append(f'<gazebo reference="link"><mu1>{thing.friction!r}</mu1></gazebo>')
    extras = tuple(Extra(tag="gazebo", xml=each) for each in said)
    robot = Robot(name=link.name, links=(replace(link, name="link"),), extras=extras)
    request = _request_model(found, path, thing.place, prefix)
    return _write(found, request, robot, NewFiles(meshes=meshes, images=frozenset(images)))


def _request_model(
    found: OpenExport[SdfOptions], path: Path, place: Pose, prefix: str
) -> SdfRequest:
    options = replace(found.options, style="plain", meshes="copy")
    return SdfRequest(
        path=path, options=options, diagnostics=found.diagnostics, place=place, prefix=prefix
    )


def _write(
    found: OpenExport[SdfOptions], request: SdfRequest, robot: Robot, new: NewFiles
) -> Written:
    options, diagnostics = request.options, request.diagnostics
    resolver = PackageResolver(robot.source, options.packages, options.package_paths)
    robot, new = fit_shapes(robot, new, resolver, options, diagnostics)
    files = RobotFiles(resolver, diagnostics)
    robot, drawn = draw_solids(robot, new, files, _FORMAT, _KNOWN)
    finder = MeshFinder(resolver, diagnostics)
    if options.meshes == "copy" and not drawn.meshes:
        robot, drawn = convert_meshes(robot, finder, _FORMAT, _READ_BY_GAZEBO)
    reading = SdfReading(
        read=partial(_read_text, robot, resolver),
        find_file=partial(find_file, resolver),
        find_mesh=finder,
        find_texture=partial(find_texture, resolver, diagnostics),
        has_materials=partial(_has_materials, RobotFiles(resolver, Diagnostics()), drawn),
        volume=partial(measure_collisions, load=partial(_peek, files)),
    )
    return export_sdf(robot, request, reading, drawn)


@contextmanager
def _open_edited(found: OpenExport[SdfOptions]) -> Iterator[tuple[Robot, NewFiles, Pose]]:
    """Gives the robot with its new files for as long as the block runs, and its place."""
    options = found.options
    place = Pose(xyz=options.translation, rpy=options.rotation)
    if found.armature is None:
        yield found.robot, NewFiles(), place
        return
    from ..blender.extract.edits import extract_edits
    from ..blender.extract.scene_source import find_place

    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        edited = extract_edits(
            found.armature,
            Path(folder),
            found.diagnostics,
            suffix=f".{_FORMAT}",
            shapes="shown" if options.meshes == "copy" else "edited",
        )
        xyz, rpy = find_place(found.armature, found.diagnostics)
        old = frozenset(name_meshes(found.robot))
        new = NewFiles(meshes=edited.meshes, images=edited.images, old=old)
        robot = edited.robot
        if options.poses == "start":
            robot = move_zero(robot, shown_positions(found.armature, robot))
        yield robot, new, Pose(xyz=xyz, rpy=rpy) if place == IDENTITY else place


def _read_text(robot: Robot, resolver: PackageResolver, data: bytes) -> Robot:
    return SDF.read(
        Description(
            data=data,
            source=robot.source,
            resolver=resolver,
            options=ImportOptions(),
            diagnostics=Diagnostics(robot.source),
        )
    )


def _has_materials(files: RobotFiles, new: NewFiles, mesh: Mesh) -> bool:
    """Whether a mesh file brings materials, which others in the visual would replace."""
    if mesh.filename in new.meshes:
        return bool(new.meshes[mesh.filename].materials)
    if os.path.splitext(mesh.filename)[1].lower() in _BARE or mesh.bare:
        return False
    try:
        return bool(files.peek(mesh).materials)
    except MeshError:
        return False


def _peek(files: RobotFiles, shape: Collision, link: Link) -> MeshData | None:
    try:
        return files.peek(shape.geometry)
    except MeshError:
        return None


SDF_WRITER = WriterFormat(
    name="sdf",
    label="SDF",
    title="SDF",
    text="SDF for Gazebo (.sdf) or a model folder",
    description="Write the robot as SDF for Gazebo and Drake: the text that was read, changed only "
    "where the robot was, or a model with its frames, sensors and meshes",
    kinds=(
        OutputKind(name="SDF", label="SDF", suffix=SUFFIX, text="A file, its meshes beside it"),
        OutputKind(
            name="MODEL", label="Model Folder", suffix="", text="A folder with a model.config"
        ),
    ),
    options=SdfOptions,
    write=write_sdf,
    suggest_name=suggest_stem,
)
