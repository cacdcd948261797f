# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user can choose. The command's arguments and the operator's properties are made of these fields."""

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
) -> Any:
    """A field with what the front ends show: `label`, help `text`, `group`, range, choices."""
    shown = {"label": label, "help": text, "group": group}
    bounds = {"minimum": minimum, "maximum": maximum, "choices": choices}
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
    visuals: bool = option(True, "Visuals", "Import what the robot looks like", group="Geometry")
    collisions: bool = option(
        True, "Collisions", "Import collision shapes, hidden and drawn as wire", group="Geometry"
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
    max_links: int = option(
        20_000,
        "Most Links",
        "Refuse robots of more links than this: Blender becomes unusable with very many bones",
        group="Rig",
        minimum=1,
        maximum=1_000_000,
    )
