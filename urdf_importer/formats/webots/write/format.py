# SPDX-License-Identifier: GPL-3.0-or-later
"""Webots in the table of formats."""

from pathlib import Path

from ....core.writers.formats import OpenExport, OutputKind, WorldWriter, WriterFormat
from .export import export_webots
from .names import make_proto_name
from .options import WebotsOptions
from .results import ExportResult
from .scene import write_webots_world


def _write(found: OpenExport[WebotsOptions], path: Path) -> ExportResult:
    with found.as_shown() as shown:
        return export_webots(shown, path)


WEBOTS = WriterFormat(
    name="webots",
    label="Webots",
    title="Webots",
    text="a Webots PROTO (.proto), a world with it (.wbt) or a project folder",
    description="Write the active robot for the simulator Webots, in its state in the scene: "
    "a PROTO with its meshes, a world with it, or a project with controllers and "
    "ROS 2",
    kinds=(
        OutputKind(
            name="PROTO",
            label="PROTO",
            suffix=".proto",
            text="The robot as a node for worlds (.proto), its meshes beside it",
        ),
        OutputKind(
            name="WORLD",
            label="World",
            suffix=".wbt",
            text="A world with the robot in it (.wbt), its PROTO beside it",
        ),
        OutputKind(
            name="PROJECT",
            label="Project",
            suffix="",
            text="A folder with PROTO, world, controller and ROS 2 package",
        ),
    ),
    options=WebotsOptions,
    write=_write,
    suggest_name=make_proto_name,
    write_world=WorldWriter(suffixes=(".wbt",), write=write_webots_world),
)
