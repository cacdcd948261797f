# SPDX-License-Identifier: GPL-3.0-or-later
"""The format SimMechanics: CAD assemblies of both generations, recognized by their root elements
alone: their suffix is .xml, like many others'."""

from functools import partial

import numpy as np

from ....core.diagnostics import Diagnostics, MeshError, quote
from ....core.files.packages import PackageResolver
from ....core.meshes import RobotFiles
from ....core.model import Mesh, Robot
from ....core.readers.formats import Description, Overview, ReaderFormat
from .read import ROOT_TAGS, AssemblyReading, read_assembly
from .starter_file import edges_of_assembly, write_starter_parameters

# STL has no unit, and CAD systems write millimetres or inches: meshes and the places of parts may
# disagree.
_MOST_MESHES = 3
_TOO_LARGE = 20.0
_FITTING = 3.0


def read_simmechanics(given: Description) -> AssemblyReading:
    """Reads the assembly that a CAD system wrote, with the robot that it makes. Raises
    ReadError."""
    reading = read_assembly(
        given.data,
        given.source,
        given.diagnostics,
        parameters=given.options.parameters,
        joint_parameters=given.options.joint_parameters,
        has_file=partial(_has_file, given.resolver),
    )
    _advise_scale(reading, RobotFiles(given.resolver, Diagnostics()), given.diagnostics)
    return reading


def _read_robot(given: Description) -> Robot:
    return read_simmechanics(given).robot


def _examine(given: Description) -> Overview:
    found = read_simmechanics(given)
    return Overview(
        robot=found.robot,
        edges=edges_of_assembly(found),
        parameters=write_starter_parameters(found),
    )


def _has_file(resolver: PackageResolver, filename: str) -> bool:
    """Whether a mesh can be found; its loader reports the details."""
    try:
        resolver.resolve_file(filename, lambda code, message: None)
    except MeshError:
        return False
    return True


def _advise_scale(reading: AssemblyReading, files: RobotFiles, diagnostics: Diagnostics) -> None:
    """Warns where the first meshes are a factor of a unit too large for the frames, with the line
    to write. Nothing is ever scaled silently."""
    assembly, placed, robot = reading.assembly, reading.placed, reading.robot
    bodies = assembly.mechanism.bodies
    points = [bodies[index].part[:3, 3] for index in placed]
    centers = (bodies[index].center for index in placed)
    points += [center[:3, 3] for center in centers if center is not None]
    points += [frame.point for index in placed for frame in bodies[index].frames]
    size = float(np.ptp(np.array(points), axis=0).max())
    unit = assembly.mechanism.unit if assembly.mechanism.unit != 1.0 else 0.001
    if size < 1e-6:
        return
    meshes = [
        (link.name, visual.geometry, visual.line)
        for link in robot.links
        for visual in link.visuals
        if isinstance(visual.geometry, Mesh) and visual.geometry.filename.lower().endswith(".stl")
    ]
    for name, mesh, line in meshes[:_MOST_MESHES]:
        extent = _measure(files, mesh.filename)
        shown = None if extent is None else extent * max(map(abs, mesh.scale))
        if shown is None or shown < _TOO_LARGE * size or shown * unit > _FITTING * size:
            continue
        diagnostics.warning(
            "suspicious-mesh-scale",
            f"mesh {quote(mesh.filename)} of link {quote(name)} is {shown:.3g} m long, while all "
            f"parts are within {size:.3g} m; if it is not in metres, set its unit in a "
            f'parameter file: `scale: "{unit:g} {unit:g} {unit:g}"`',
            subject=name,
            line=line,
        )
        return


def _measure(files: RobotFiles, filename: str) -> float | None:
    """The greatest extent along an axis of a mesh file, in the file's unit; None where it cannot be
    found or read, which its loader reports."""
    try:
        points = files.peek(Mesh(filename=filename)).vertices
    except MeshError:
        return None
    return float(np.ptp(points, axis=0).max()) if len(points) else None


SIMMECHANICS = ReaderFormat(
    name="simmechanics",
    label="SimMechanics",
    description="Load CAD assemblies, as Simscape Multibody Link and Onshape export them, as "
    "armatures: a bone for each moving joint, and an empty in the frame of each link",
    suffixes=(),
    roots=ROOT_TAGS,
    read=_read_robot,
    examine=_examine,
)
