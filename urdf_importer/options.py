# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user can choose: the command's arguments and the operator's properties are made of it."""

from dataclasses import dataclass, field
from typing import Any, Literal

FixedJoints = Literal["bones", "fold"]


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
) -> Any:
    """A field with what the front ends show: `label`, help `text`, `group`, range, choices.

    Pairs of texts are written with `separator` between them; without one they are name=folder.
    """
    shown = {"label": label, "help": text, "group": group}
    bounds = {
        "minimum": minimum,
        "maximum": maximum,
        "choices": choices,
        "separator": separator,
    }
    return field(
        default=default,
        metadata=shown | {key: value for key, value in bounds.items() if value is not None},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How a description becomes a rig. Every field has a sensible default."""

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
    packages: tuple[tuple[str, str], ...] = option(
        (),
        "Packages",
        "Where a package named in package:// lies, as name=folder",
        group="Files",
    )
    package_paths: tuple[str, ...] = option(
        (),
        "Package Folders",
        "Folders in which to look for packages; files in them may be read",
        group="Files",
    )
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
