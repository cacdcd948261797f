# SPDX-License-Identifier: GPL-3.0-or-later
"""How a robot becomes URDF."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...meshes.write_files import MeshFormat
from ...options import ExportOptions, option

UrdfStyle = Literal["keep", "plain"]
MeshMode = Literal["link", "keep", "copy", "export"]
Completion = Literal["converted", "always", "never"]
PoseMode = Literal["zero", "start"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfOptions(ExportOptions):
    """How a robot becomes URDF. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Text", "Scene", "Files")

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
    complete: Completion | bool = option(
        "converted",
        "Complete for Others",
        "Fill in elements that strict readers require: effort 1000 and velocity "
        "10 of limits, limits of joints that have none, k_velocity 0; "
        "quaternions become rpy, and capsules cylinders with two spheres",
        group="Text",
        choices={
            "converted": "Of robots that were read from another format than URDF",
            "always": "Of all robots, and moving links without mass get 0.001 kg",
            "never": "The robot unchanged",
        },
    )
    edits: bool = option(
        True,
        "Write Edits",
        "Of a robot in Blender: write the changes made there: moved bones and "
        "shapes, meshes, colours, limits, masses. Off: the description that is "
        "in its properties alone",
        group="Scene",
    )
    poses: PoseMode = option(
        "zero",
        "Joints at Zero",
        "The zero position of the joints of a robot in Blender",
        group="Scene",
        choices={
            "zero": "Where the description has them: poses change nothing",
            "start": "Where they are shown now: the pose becomes the new zero, and limits and "
            "offsets are counted from there",
        },
    )
    apply_scale: bool = option(
        False,
        "Apply Scale",
        "Of a robot in Blender whose armature is scaled: write a robot in that "
        "size, with scaled masses",
        group="Scene",
    )
    meshes: MeshMode = option(
        "link",
        "Meshes",
        "Treatment of the files that the robot names. Meshes that were changed "
        "in Blender are always written as new files beside the new one, in the "
        "folder meshes",
        group="Files",
        choices={
            "link": "Left where they are; relative paths are written from the new file's folder",
            "keep": "Under their old names, whatever these mean in another folder",
            "copy": "Copied beside the new file, into the folder meshes, with the files "
            "they refer to",
            "export": "Of a description: written anew in the mesh format, into the folder "
            "meshes, where they have another. Of a robot in Blender: only "
            "changed meshes, the rest is left where it is",
        },
    )
    mesh_format: MeshFormat = option(
        "stl",
        "Mesh Format",
        "The format of new mesh files",
        group="Files",
        choices={
            "stl": "STL, binary: read by everything; without colours of faces and images",
            "obj": "Wavefront OBJ, with materials and images beside it",
            "glb": "glTF in one binary file, with materials and images in it",
            "dae": "COLLADA, with images beside it: coloured in RViz and Gazebo",
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
