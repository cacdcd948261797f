# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user can choose: the command's arguments and the operator's properties are made of it."""

from dataclasses import dataclass, field
from typing import Any, Literal

Profile = Literal["native", "morse"]
FixedJoints = Literal["bones", "fold"]
FixedLinks = Literal["keep", "merge"]
Base = Literal["auto", "static", "free"]
InertiaRepair = Literal["keep", "clamp", "volume"]
WebotsVersion = Literal["R2025a", "R2023b"]
MeshStyle = Literal["files", "vrml"]
CollisionKind = Literal[
    "exact", "hull", "box", "oriented_box", "cylinder", "capsule", "sphere", "auto"
]


def option(
    default: Any,
    label: str,
    text: str,
    *,
    group: str,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: dict[str, str] | None = None,
    separator: str | None = None,
    entries: str | None = None,
) -> Any:
    """A field with what the front ends show: `label`, help `text`, `group`, range, choices.

    Pairs of texts are written with `separator` between them; without one they are name=folder.
    `entries` names the numbers of a vector ("X Y Z") or what a text stands for ("LINK").
    """
    shown = {"label": label, "help": text, "group": group}
    bounds = {
        "minimum": minimum,
        "maximum": maximum,
        "choices": choices,
        "separator": separator,
        "entries": entries,
    }
    return field(
        default=default,
        metadata=shown | {key: value for key, value in bounds.items() if value is not None},
    )


def _packages_option() -> Any:
    return option(
        (),
        "Packages",
        "Where a package named in package:// lies, as name=folder",
        group="Files",
    )


def _package_paths_option() -> Any:
    return option(
        (),
        "Package Folders",
        "Folders in which to look for packages; files in them may be read",
        group="Files",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How a description becomes a rig. Every field has a sensible default."""

    profile: Profile = option(
        "native",
        "Rig Profile",
        "What the rig is made for",
        group="Rig",
        choices={
            "native": "Posing, animation and IK in Blender, as the other options say",
            "morse": "MORSE's Armature actuator: one bone of one axis per joint, no others, "
            "whatever Combine Joints and Fixed Joints say",
        },
    )
    combine_joints: bool = option(
        True,
        "Combine Joints",
        "Make one bone of joints that turn about one point, such as the three of a hip, "
        "where that is exact",
        group="Rig",
    )
    fixed_joints: FixedJoints = option(
        "bones",
        "Fixed Joints",
        "What becomes of fixed joints with moving joints beyond them",
        group="Rig",
        choices={
            "bones": "A locked bone in the hidden bone collection Fixed",
            "fold": "No bone; what hangs on the joint follows the nearest moving joint",
        },
    )
    enforce_limits: bool = option(
        True,
        "Enforce Limits",
        "Hold joints within their limits by bone constraints and while transforming",
        group="Rig",
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
    visuals: bool = option(True, "Visuals", "Import what the robot looks like", group="Geometry")
    collisions: bool = option(
        True, "Collisions", "Import collision shapes, hidden and drawn as wire", group="Geometry"
    )
    convex_collisions: bool = option(
        False,
        "Convex Collisions",
        "Replace the meshes of collision shapes by their convex hulls",
        group="Geometry",
    )
    smooth_angle: float = option(
        30.0,
        "Smooth Angle",
        "Shade edges smooth up to this angle in degrees, in meshes without normals of their own",
        group="Geometry",
        minimum=0.0,
        maximum=180.0,
    )
    most_triangles: int = option(
        0,
        "Most Triangles",
        "Reduce every mesh file of more triangles to about this many; 0 keeps all",
        group="Geometry",
        minimum=0,
        maximum=100_000_000,
    )
    inertials: bool = option(
        True,
        "Inertial Frames",
        "Mark each link's centre of mass and inertial frame by a hidden empty",
        group="Physics",
    )
    rigid_bodies: bool = option(
        False,
        "Rigid Bodies",
        "Make the collision shapes rigid bodies with the link's mass that follow the rig",
        group="Physics",
    )
    packages: tuple[tuple[str, str], ...] = _packages_option()
    package_paths: tuple[str, ...] = _package_paths_option()
    xacro_args: tuple[tuple[str, str], ...] = option(
        (),
        "Xacro Arguments",
        "An argument of a xacro file, as name:=value",
        group="Files",
        separator=":=",
    )
    max_links: int = option(
        20_000,
        "Most Links",
        "Refuse robots of more links than this: Blender becomes unusable with very many bones",
        group="Rig",
        minimum=1,
        maximum=1_000_000,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """How a robot becomes Webots files. Every field has a sensible default."""

    version: WebotsVersion = option(
        "R2025a",
        "Webots Version",
        "The version of Webots to write for",
        group="Webots",
        choices={"R2025a": "Webots R2025a", "R2023b": "Webots R2023b"},
    )
    base: Base = option(
        "auto",
        "Base",
        "Whether the robot stands fixed in the world",
        group="Structure",
        choices={
            "auto": "Fixed where the root link is named world and something is fixed to it",
            "static": "Fixed in the world, without mass",
            "free": "Free to move and to fall",
        },
    )
    fixed_joints: FixedLinks = option(
        "keep",
        "Fixed Joints",
        "What becomes of links with mass that hang on fixed joints",
        group="Structure",
        choices={
            "keep": "A Solid of their own with their own mass",
            "merge": "A frame in the Solid that they hang on, which takes their mass",
        },
    )
    multi_axis_joints: bool = option(
        True,
        "Multi-Axis Joints",
        "Make one Hinge2Joint or BallJoint of revolute joints that turn about one point with "
        "nothing between them, where that is exact",
        group="Structure",
    )
    self_collision: bool = option(
        False, "Self Collision", "Let the parts of the robot collide", group="Structure"
    )
    tool_slot: str = option(
        "",
        "Tool Slot",
        "The link in whose frame a world may hang tools on the robot; none if empty",
        group="Structure",
        entries="LINK",
    )
    translation: tuple[float, float, float] = option(
        (0.0, 0.0, 0.0),
        "Translation",
        "Where the robot's root link stands, in metres",
        group="Start",
        entries="X Y Z",
    )
    rotation: tuple[float, float, float] = option(
        (0.0, 0.0, 0.0),
        "Rotation",
        "How the robot's root link is turned: roll, pitch and yaw in radians",
        group="Start",
        entries="ROLL PITCH YAW",
    )
    positions: tuple[tuple[str, str], ...] = option(
        (),
        "Joint Positions",
        "Where a joint starts, in radians or metres, as joint:=value; joints of several degrees "
        "of freedom take their numbers with commas between them",
        group="Start",
        separator=":=",
    )
    geometry: MeshStyle = option(
        "files",
        "Meshes",
        "Where the meshes go",
        group="Shapes",
        choices={
            "files": "Mesh files in a folder beside the robot's file",
            "vrml": "Into the robot's file, as IndexedFaceSet nodes",
        },
    )
    collision: CollisionKind = option(
        "exact",
        "Collision Shapes",
        "What the meshes of collision shapes become; simple shapes are stabler and faster",
        group="Shapes",
        choices={
            "exact": "The meshes as they are",
            "hull": "Their convex hulls",
            "box": "The smallest boxes along the axes of their frames",
            "oriented_box": "Small boxes in any direction",
            "cylinder": "Small cylinders in any direction",
            "capsule": "Small capsules in any direction",
            "sphere": "The smallest spheres",
            "auto": "The simple shape of least volume where it fits well, else the convex hull",
        },
    )
    collision_overrides: tuple[tuple[str, str], ...] = option(
        (),
        "Collision Shapes of Links",
        "A link whose collision meshes become something else than all others, as link:=kind",
        group="Shapes",
        separator=":=",
    )
    collision_triangles: int = option(
        0,
        "Collision Triangles",
        "The most triangles of one collision mesh or hull; 0 keeps all",
        group="Shapes",
        minimum=0,
        maximum=100_000_000,
    )
    inertia: InertiaRepair = option(
        "keep",
        "Inertia",
        "What becomes of inertias that no real body has",
        group="Physics",
        choices={
            "keep": "They stay where Webots can take them, else the nearest that it can",
            "clamp": "The nearest inertia that a real body can have",
            "volume": "That of the link's collision shapes with the link's mass",
        },
    )
    small_mass: float = option(
        0.001,
        "Small Mass",
        "The mass in kg of links that have none and must have one to move",
        group="Physics",
        minimum=1e-9,
        maximum=1e6,
    )
    linear_damping: float = option(
        0.0,
        "Linear Damping",
        "The share of its speed that each body loses in a second, as in thick air",
        group="Physics",
        minimum=0.0,
        maximum=1.0,
    )
    angular_damping: float = option(
        0.0,
        "Angular Damping",
        "The share of its angular speed that each body loses in a second",
        group="Physics",
        minimum=0.0,
        maximum=1.0,
    )
    default_effort: float = option(
        1000.0,
        "Default Effort",
        "The most torque in N m, or force in N, of motors whose joint states none",
        group="Motors",
        minimum=1e-9,
        maximum=1e12,
    )
    default_velocity: float = option(
        10.0,
        "Default Velocity",
        "The greatest speed in rad/s or m/s of motors whose joint states none",
        group="Motors",
        minimum=1e-9,
        maximum=1e12,
    )
    effort_scale: float = option(
        1.0,
        "Effort Scale",
        "What the effort limits of all joints are multiplied by",
        group="Motors",
        minimum=1e-9,
        maximum=1e9,
    )
    velocity_scale: float = option(
        1.0,
        "Velocity Scale",
        "What the velocity limits of all joints are multiplied by",
        group="Motors",
        minimum=1e-9,
        maximum=1e9,
    )
    damping_scale: float = option(
        1.0,
        "Damping Scale",
        "What the damping of all joints is multiplied by",
        group="Motors",
        minimum=0.0,
        maximum=1e9,
    )
    friction_scale: float = option(
        1.0,
        "Friction Scale",
        "What the friction of all joints is multiplied by",
        group="Motors",
        minimum=0.0,
        maximum=1e9,
    )
    sensors: bool = option(
        True,
        "Sensors",
        "Make devices of the description's sensors",
        group="Sensors",
    )
    time_step: float = option(
        8.0,
        "Time Step",
        "How many milliseconds a world simulates at once: less is slower and more exact",
        group="World",
        minimum=0.1,
        maximum=1000.0,
    )
    packages: tuple[tuple[str, str], ...] = _packages_option()
    package_paths: tuple[str, ...] = _package_paths_option()
