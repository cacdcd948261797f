# SPDX-License-Identifier: GPL-3.0-or-later
"""How a robot becomes URDF."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...options import FileOptions, option

UrdfStyle = Literal["keep", "plain"]
MeshMode = Literal["link", "keep", "copy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfOptions(FileOptions):
    """How a robot becomes URDF. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Text", "Files")

    style: UrdfStyle = option(
        "keep",
        "Style",
        "Whether the text that was read is edited or written anew",
        group="Text",
        choices={
            "keep": "The text that was read, changed only where the robot was: comments, white "
            "space and spelling stay. Plain where there is no such text",
            "plain": "Every element anew, one a line, numbers with all their digits",
        },
    )
    complete: bool = option(
        False,
        "Complete for Others",
        "Fill what strict readers ask for: effort 1000 and velocity 10 of limits, limits of joints "
        "that have none, k_velocity 0, masses of 0.001 kg for moving links that have none; turn "
        "quaternions into rpy",
        group="Text",
    )
    meshes: MeshMode = option(
        "link",
        "Meshes",
        "What becomes of the files that the robot names",
        group="Files",
        choices={
            "link": "Left where they are; relative paths are written from the new file's folder",
            "keep": "Named as they were, whatever that means in another folder",
            "copy": "Copied beside the new file, into the folder meshes, with what they refer to",
        },
    )
    ros_package: str = option(
        "",
        "ROS Package",
        "Name of a ROS package to make of the folder: package.xml beside the file, and meshes, "
        "which are copied then, named by package://NAME",
        group="Files",
        entries="NAME",
    )
