# SPDX-License-Identifier: GPL-3.0-or-later
"""MJCF in the table of formats."""

from pathlib import Path

from ....core.files.outputs import suggest_stem
from ....core.model import Ellipsoid
from ....core.writers.formats import OpenExport, OutputKind, WorldWriter, WriterFormat
from .export import MjcfExport, export_mjcf
from .options import MjcfOptions
from .world import write_mujoco_world

_WORLDS = WorldWriter(
    suffixes=(".xml", ".mjcf"), write=write_mujoco_world, solids=(Ellipsoid,), keeps_seats=True
)


def _write(found: OpenExport[MjcfOptions], path: Path) -> MjcfExport:
    with _WORLDS.open_robot(found) as shown:
        return export_mjcf(shown, path, found.semantics(), checks_start=True)


MJCF = WriterFormat(
    name="mjcf",
    label="MuJoCo",
    title="MuJoCo",
    text="MJCF for MuJoCo (.xml, .mjcf)",
    description="Write the active robot for the simulator MuJoCo, in its state in the scene: "
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
    write_world=_WORLDS,
)
