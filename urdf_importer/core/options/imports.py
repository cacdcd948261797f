# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of imports."""

from dataclasses import dataclass
from typing import Literal

from .fields import (
    FitCollisions,
    Options,
    UpAxis,
    fit_collisions_option,
    option,
    package_paths_option,
    packages_option,
    up_axis_option,
)

Profile = Literal["native", "morse"]
CombineJoints = Literal["never", "balls", "exact"]
FixedJoints = Literal["bones", "fold"]
StaticModels = Literal["objects", "rigs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions(Options):
    """How a description becomes a rig. Every field has a sensible default."""

    profile: Profile = option(
        "native",
        "Rig Profile",
        "The purpose of the rig",
        group="Rig",
        choices={
            "native": "Posing, animation and IK in Blender, as the other options say",
            "morse": "MORSE's Armature actuator: one bone of one axis per joint, no others, "
            "whatever Combine Joints and Fixed Joints say",
        },
    )
    combine_joints: CombineJoints | bool = option(
        "exact",
        "Combine Joints",
        "Which joints at one point become one bone",
        group="Rig",
        choices={
            "never": "A bone for each joint: each has a channel with its own name, and IK may use "
            "all of them",
            "balls": "Only three joints that turn about one point, as in hips and shoulders",
            "exact": "All joints at one point that one bone can hold exactly, such as two of an "
            "ankle",
        },
    )
    fixed_joints: FixedJoints = option(
        "bones",
        "Fixed Joints",
        "How to treat fixed joints with moving joints beyond them",
        group="Rig",
        choices={
            "bones": "A locked bone in the hidden bone collection Fixed",
            "fold": "No bone; parts on the joint follow the nearest moving joint",
        },
    )
    enforce_limits: bool = option(
        True,
        "Enforce Limits",
        "Hold joints within their limits by bone constraints and while transforming",
        group="Rig",
    )
    close_loops: bool = option(
        True,
        "Close Loops",
        "Let the joints of closed loops follow the free joint, by drivers",
        group="Rig",
    )
    loop_seconds: float = option(
        2.0,
        "Loop Seconds",
        "How long the closing of loops may be planned for each robot, in seconds of an "
        "ordinary computer: loops that take longer stay open, at 0 all",
        group="Rig",
        bounds=(0.0, 3600.0),
    )
    bone_shapes: bool = option(
        True,
        "Bone Shapes",
        "Draw bones as rings, sliders and handles that show how their joints move",
        group="Rig",
    )
    limit_arcs: bool = option(
        False,
        "Limit Arcs",
        "Show the range of each joint by an arc or a line beside it",
        group="Rig",
    )
    visuals: bool = option(True, "Visuals", "Import the robot's appearance", group="Geometry")
    collisions: bool = option(
        True, "Collisions", "Import collision shapes, hidden and drawn as wire", group="Geometry"
    )
    fit_collisions: FitCollisions | bool = fit_collisions_option("Geometry")
    smooth_angle: float = option(
        30.0,
        "Smooth Angle (°)",
        "Shade edges smooth up to this angle in degrees, in meshes without normals of their own",
        group="Geometry",
        bounds=(0.0, 180.0),
    )
    most_triangles: int = option(
        0,
        "Decimate Above (0 = Off)",
        "Reduce every mesh file of more triangles to about this many; 0 keeps all",
        group="Geometry",
        bounds=(0, 100_000_000),
    )
    up_axis: UpAxis = up_axis_option("Geometry")
    merge_materials: bool = option(
        True,
        "Merge Equal Materials",
        "Make one material of equal-looking ones in mesh files, named after the colour where "
        "the files name them differently",
        group="Geometry",
    )
    share_data: bool = option(
        True,
        "Share Data",
        "Use meshes and materials of robots that are in the file already, where they are equal "
        "and not edited since",
        group="Geometry",
    )
    pack_textures: bool = option(
        True,
        "Pack Textures",
        "Keep the images of textures in the .blend, so that it needs no other files",
        group="Geometry",
    )
    inertials: bool = option(
        True,
        "Inertial Frames",
        "Mark each link's centre of mass and inertial frame by a hidden empty",
        group="Physics",
    )
    sensors: bool = option(
        False,
        "Sensors",
        "Make an object of each sensor: Blender cameras with the described lenses, the rays of "
        "scanners, and an empty in the frame of every other sensor",
        group="Physics",
    )
    rigid_bodies: bool = option(
        False,
        "Rigid Bodies",
        "Make the collision shapes rigid bodies with the link's mass that follow the rig",
        group="Physics",
    )
    packages: tuple[tuple[str, str], ...] = packages_option()
    package_paths: tuple[str, ...] = package_paths_option()
    xacro_args: tuple[tuple[str, str], ...] = option(
        (),
        "Xacro Arguments",
        "An argument of a xacro file, as name:=value",
        group="Files",
        separator=":=",
    )
    xacro_env: tuple[tuple[str, str], ...] = option(
        (),
        "Xacro Environment",
        "A variable of the environment for $(env ...) and $(optenv ...) of a xacro file, as "
        "name:=value; the user's own variables are not read",
        group="Files",
        separator=":=",
    )
    srdf: str = option(
        "",
        "SRDF",
        "An SRDF file of the robot: groups, named poses, end effectors. 'auto' takes the one near "
        "the description",
        group="Files",
        entries="FILE",
    )
    parameters: str = option(
        "",
        "Parameters",
        "The parameter file (.yaml) of a SimMechanics file: names, frames, meshes, sensors",
        group="SimMechanics",
        entries="FILE",
    )
    joint_parameters: str = option(
        "",
        "Joint Parameters",
        "The table (.csv) of limits, in degrees, and of losses of the joints of a SimMechanics "
        "file",
        group="SimMechanics",
        entries="FILE",
    )
    model: str = option(
        "",
        "Model",
        "Which model of an SDF or USD file is read, by its name, where the file has several",
        group="Files",
        entries="NAME",
    )
    static_models: StaticModels = option(
        "objects",
        "Static Models",
        "How models of a whole world without moving joints, motors or sensors are imported",
        group="Files",
        choices={
            "objects": "As plain objects; exports of worlds keep them plain",
            "rigs": "As robots, with their links",
        },
    )
    variants: tuple[tuple[str, str], ...] = option(
        (),
        "Variants",
        "A choice among the variants of a USD file, as SET:=CHOICE, in place of the file's own",
        group="Files",
        separator=":=",
    )
    max_links: int = option(
        20_000,
        "Max Links",
        "Refuse robots of more links than this: Blender becomes unusable with very many bones",
        group="Rig",
        bounds=(1, 1_000_000),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementOptions(Options):
    """The place of imported robots in the scene, and their size. The rig stays as described: only
    the armature object is placed and scaled, and the view aimed.

    They apply to imports by hand. `import_robot` leaves a robot's root frame at the origin of the
    world, at its true size, so that frames in the world equal the description's.
    """

    stand_on_ground: bool = option(
        True,
        "Stand on Ground",
        "Lift or lower the robot until its lowest point is at height 0, or at the 3D cursor's "
        "height; off: its root link is at that height",
        group="Placement",
    )
    at_cursor: bool = option(
        False,
        "At 3D Cursor",
        "Put the robot where the 3D cursor is, not at the origin",
        group="Placement",
    )
    frame: bool = option(
        True,
        "Frame",
        "Aim the 3D views of the window at the imported robots",
        group="Placement",
    )
    scale: float = option(
        1.0,
        "Scale",
        "How many times its true size the robot has in the scene; joints and exports keep the "
        "description's measures",
        group="Placement",
        bounds=(0.0001, 10_000.0),
    )
    scene_unit: bool = option(
        False,
        "Apply Scene Unit",
        "Divide by the scene's Unit Scale, so that a robot of one metre is one metre long in a "
        "scene whose units are centimetres",
        group="Placement",
    )
