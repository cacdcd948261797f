# SPDX-License-Identifier: GPL-3.0-or-later
"""How a robot becomes URDF."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ....core.meshes.write_files import WantedFormat
from ....core.options import ExportOptions, PoseMode, Style, option, poses_option, style_option

MeshMode = Literal["link", "keep", "copy", "export"]
Completion = Literal["converted", "always", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UrdfOptions(ExportOptions):
    """How a robot becomes URDF. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Text", "Scene", "Files")

    style: Style = style_option()
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
    poses: PoseMode = poses_option("Scene")
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
            "changed and decimated meshes, the rest is left where it is",
        },
    )
    mesh_format: WantedFormat = option(
        "auto",
        "Mesh Format",
        "The format of new mesh files",
        group="Files",
        choices={
            "auto": "STL; COLLADA for a mesh of several colours or with an image",
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
