# SPDX-License-Identifier: GPL-3.0-or-later
"""How a robot becomes SDF."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ....core.options import (
    Base,
    PoseMode,
    StartOptions,
    Style,
    base_option,
    option,
    poses_option,
    small_mass_option,
    style_option,
)

MeshMode = Literal["copy", "keep", "link"]
Fixed = Literal["keep", "lump"]
Repair = Literal["repair", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SdfOptions(StartOptions):
    """How a robot becomes SDF. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Text", "SDF", "Start", "Files")

    style: Style = style_option()
    fixed_joints: Fixed = option(
        "keep",
        "Links on Fixed Joints",
        "Treatment of links with a mass on fixed joints. Links without mass become "
        "frames in any case",
        group="SDF",
        choices={
            "keep": "Links and fixed joints",
            "lump": "One body with their parents, as Gazebo makes it of a URDF: the names of "
            "links and joints stay as frames",
        },
    )
    base: Base = base_option("SDF", "the root link")
    inertia: Repair = option(
        "repair",
        "Inertias",
        "Treatment of impossible inertias, for which Gazebo refuses a model",
        group="SDF",
        choices={"repair": "The nearest that a body can have", "keep": "As described"},
    )
    small_mass: float = small_mass_option("SDF")
    poses: PoseMode = poses_option("Start")
    meshes: MeshMode = option(
        "copy",
        "Meshes",
        "Treatment of the files that the robot names",
        group="Files",
        choices={
            "copy": "Copied beside the new file, into the folder meshes; formats that Gazebo "
            "cannot read become OBJ",
            "keep": "Under their old names, whatever these mean in another folder",
            "link": "Left where they are; relative paths are written from the new file's folder",
        },
    )
