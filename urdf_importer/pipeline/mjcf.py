# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF out: (extract ->) read the SRDF -> write."""

from pathlib import Path

from ..files.outputs import suggest_stem
from ..model import Ellipsoid, Semantics
from ..options import ImportOptions
from ..writers.formats import OpenExport, OutputKind, WriterFormat
from ..writers.mjcf.export import MjcfExport as MjcfExport
from ..writers.mjcf.export import export_mjcf
from ..writers.mjcf.options import MjcfOptions as MjcfOptions
from .srdf import read_own_srdf


def _write(found: OpenExport[MjcfOptions], path: Path) -> MjcfExport:
    return export_mjcf(found, path, _find_semantics(found))


def _find_semantics(found: OpenExport[MjcfOptions]) -> Semantics | None:
    """Returns the SRDF of the options, else that of the rig, else what the description says of
    that; None where there is none. Raises ReadError."""
    options = found.options
    if not options.srdf and found.armature is not None:
        from ..blender.semantics.apply import extract_semantics

        return extract_semantics(found.armature)
    reading = ImportOptions(
        srdf=options.srdf, packages=options.packages, package_paths=options.package_paths
    )
    return read_own_srdf(found.described.source, found.described, reading, found.diagnostics)


MJCF_WRITER = WriterFormat(
    name="mjcf",
    label="MuJoCo",
    title="MuJoCo",
    text="MJCF for MuJoCo (.xml, .mjcf)",
    description="Write the active robot for the simulator MuJoCo, as it stands in the scene: "
    "bodies, joints, masses, shapes, motors and sensors, its meshes beside it",
    kinds=(
        OutputKind(name="XML", label="XML", suffix=".xml", text="MJCF as MuJoCo calls its files"),
        OutputKind(
            name="MJCF", label="MJCF", suffix=".mjcf", text="The same file under another name"
        ),
    ),
    options=MjcfOptions,
    write=_write,
    suggest_name=suggest_stem,
    keeps_loops=True,
    keeps_seats=True,
    solids=(Ellipsoid,),
)
