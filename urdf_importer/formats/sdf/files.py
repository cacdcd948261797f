# SPDX-License-Identifier: GPL-3.0-or-later
"""SDF out: (extract ->) place the files -> edit the text or write it anew."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...core.diagnostics import Diagnostics, quote
from ...core.files.outputs import suggest_stem
from ...core.files.packages import PackageResolver
from ...core.geometry.mesh_data import MeshData
from ...core.meshes.write_files import MeshFormat
from ...core.model import (
    IDENTITY,
    Cone,
    Ellipsoid,
    Extra,
    Extrusion,
    Geometry,
    Inertia,
    Inertial,
    Mesh,
    Pose,
    Robot,
)
from ...core.model.world import Thing
from ...core.names import Claims
from ...core.options import ImportOptions
from ...core.pipeline.opening import convert_meshes, finish_shapes, open_edited
from ...core.readers.formats import Description
from ...core.writers.formats import (
    OpenExport,
    OutputKind,
    WorldRequest,
    WorldWriter,
    WriterFormat,
    Written,
)
from ...core.writers.named_files import find_free_name
from ...core.writers.start import read_positions
from .read.format import SDF
from .write.export import SUFFIX, SdfRequest, export_sdf
from .write.options import SdfOptions as SdfOptions
from .write.world import ModelFile, write_sdf_world

_FORMAT: MeshFormat = "obj"
_READ_BY_GAZEBO = (".dae", ".obj", ".stl", ".gltf", ".glb")
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
    with _open_placed(found) as (edited, place):
        return _write(edited, path, place=None if place == IDENTITY else place)


def _write_world(request: WorldRequest[SdfOptions]) -> Generator[str, None, Written]:
    """Writes each robot and each thing as a model. Yields as write_sdf_world does."""
    claims = Claims(taken=["world"])
    names, models = {}, []
    for robot in request.robots:
        name = names[robot.name] = claims.claim(robot.name.replace("::", "_"))
        write = partial(_write_model, robot.found, name=name)
        models.append(ModelFile(name=name, write=write))
        _report_pose(robot.found)
    for thing in request.world.things:
        name = claims.claim(thing.link.name.replace("::", "_"))
        called = replace(thing, link=replace(thing.link, name=name))
        models.append(ModelFile(name=name, write=partial(_write_thing, request.around, called)))
    return write_sdf_world(request, models, names)


def _report_pose(found: OpenExport[SdfOptions]) -> None:
    """Reports that the pose of a rig is lost, unless it becomes the zero."""
    from ...core.blender.extract.positions import extract_positions

    shown = extract_positions(found.armature, found.robot)
    moved = [name for name, text in shown if any(map(float, text.split(",")))]
    if moved and found.options.poses == "zero":
        found.diagnostics.warning(
            "sdf-start",
            f"robot {quote(found.robot.name)} starts with its joints at zero: SDF has no other "
            "start; poses='start' makes the pose shown the zero",
            subject=moved[0],
        )


def _write_model(found: OpenExport[SdfOptions], path: Path, prefix: str, *, name: str) -> Written:
    """Writes a rig as a model of a world: called `name`, at its place there, with its meshes
    beside it, under names that begin with `prefix`."""
    with _open_placed(found) as (edited, place):
        model = replace(_as_model(edited), robot=replace(edited.robot, name=name))
        return _write(model, path, place=place, prefix=prefix)


def _write_thing(found: OpenExport[SdfOptions], thing: Thing, path: Path, prefix: str) -> Written:
    """Writes a thing as a model of a world; `found` has its files."""
    names: dict[MeshData, str] = {}
    meshes: dict[str, MeshData] = {}

    def name_mesh(shape: Any, part: str) -> Any:
        data = found.files.load_or_report(shape, thing.link)
        if data is None or not isinstance(shape.geometry, Mesh):
            return shape
        if data not in names:
            names[data] = find_free_name(data.name or thing.link.name, part, _FORMAT, meshes)
            meshes[names[data]] = data
        return replace(shape, geometry=Mesh(filename=names[data]))

    link = thing.link
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
    model = replace(_as_model(found), robot=robot, files=found.files.with_new(meshes))
    return _write(model, path, place=thing.place, prefix=prefix)


def _as_model(found: OpenExport[SdfOptions]) -> OpenExport[SdfOptions]:
    options = replace(found.options, style="plain", meshes="copy")
    return replace(found, options=options, strict=False)


def _write(
    found: OpenExport[SdfOptions], path: Path, *, place: Pose | None, prefix: str = ""
) -> Written:
    found = finish_shapes(found, _FORMAT, _KNOWN)
    if found.options.meshes == "copy":
        found = convert_meshes(found, _FORMAT, _READ_BY_GAZEBO)
    read = partial(_read_text, found.robot.source, found.files.resolver)
    return export_sdf(found, SdfRequest(path=path, read=read, place=place, prefix=prefix))


@contextmanager
def _open_placed(
    found: OpenExport[SdfOptions],
) -> Iterator[tuple[OpenExport[SdfOptions], Pose]]:
    """Gives the export with the changes made in Blender, for as long as the block runs, and the
    place of the robot."""
    options = found.options
    place = Pose(xyz=options.translation, rpy=options.rotation)
    with open_edited(found, _FORMAT, shown=options.meshes == "copy") as (edited, _):
        if found.armature is not None:
            from ...core.blender.extract.scene_source import find_place

            xyz, rpy = find_place(found.armature, found.diagnostics)
            place = Pose(xyz=xyz, rpy=rpy) if place == IDENTITY else place
        yield edited, place


def _read_text(source: str, resolver: PackageResolver, data: bytes) -> Robot:
    return SDF.read(
        Description(
            data=data,
            source=source,
            resolver=resolver,
            options=ImportOptions(),
            diagnostics=Diagnostics(source),
        )
    )


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
    write_world=WorldWriter(
        suffixes=(SUFFIX, ".world"),
        write=_write_world,
        solids=(Ellipsoid, Cone, Extrusion),
        shown=False,
    ),
)
