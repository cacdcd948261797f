# SPDX-License-Identifier: GPL-3.0-or-later
"""The format SimMechanics: CAD assemblies of both generations, recognized by their root elements
alone: their suffix is .xml, like many others'."""

from functools import partial

from ...diagnostics import Diagnostics, MeshError
from ...files.packages import PackageResolver
from ...meshes import RobotFiles
from ...model import Robot
from ..formats import Description, Overview, ReaderFormat
from .advice import advise_scale
from .read import ROOT_TAGS, AssemblyReading, read_assembly
from .showing import edges_of_assembly, write_starter_parameters


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
    advise_scale(reading, RobotFiles(given.resolver, Diagnostics()), given.diagnostics)
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
