# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's options of Webots files."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ....core.options import (
    Base,
    FixedLinks,
    StartOptions,
    base_option,
    fixed_links_option,
    option,
    small_mass_option,
)
from ....core.writers.formats import OptionsOf
from .results import ExportResult

InertiaRepair = Literal["keep", "clamp", "volume"]
WebotsVersion = Literal["R2025a", "R2023b"]
MeshStyle = Literal["files", "vrml"]
CollisionKind = Literal[
    "exact", "hull", "box", "oriented_box", "cylinder", "capsule", "sphere", "auto"
]


def _factor(label: str, values: str, least: float = 0.0) -> Any:
    text = f"Factor on the {values} of all joints"
    return option(1.0, f"{label} Scale", text, group="Motors", bounds=(least, 1e9))


@dataclass(frozen=True, slots=True, kw_only=True)
class WebotsOptions(StartOptions, OptionsOf[ExportResult]):
    """How a robot becomes Webots files. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = (
        "Webots",
        "Structure",
        "Start",
        "Shapes",
        "Physics",
        "Motors",
        "Sensors",
        "World",
        "Files",
    )

    version: WebotsVersion = option(
        "R2025a",
        "Webots Version",
        "The version of Webots to write for",
        group="Webots",
        choices={"R2025a": "Webots R2025a", "R2023b": "Webots R2023b"},
    )
    base: Base = base_option("Structure")
    fixed_joints: FixedLinks = fixed_links_option("Structure")
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
        "The link to which a world can attach tools; none if empty",
        group="Structure",
        entries="LINK",
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
        "Form of the meshes of collision shapes; simple shapes are stabler and faster",
        group="Shapes",
        choices={
            "exact": "The meshes themselves",
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
        "A link whose collision meshes get a bounding object of their own kind, as link:=kind",
        group="Shapes",
        separator=":=",
    )
    collision_triangles: int = option(
        0,
        "Collision Triangles",
        "The most triangles of one collision mesh or hull; 0 keeps all",
        group="Shapes",
        bounds=(0, 100_000_000),
    )
    inertia: InertiaRepair = option(
        "keep",
        "Inertia",
        "Treatment of inertias that no real body has",
        group="Physics",
        choices={
            "keep": "They stay where Webots can take them, else the nearest that it can",
            "clamp": "The nearest inertia that a real body can have",
            "volume": "The inertia of the link's collision shapes with the link's mass",
        },
    )
    small_mass: float = small_mass_option("Physics")
    linear_damping: float = option(
        0.0,
        "Linear Damping",
        "The share of its speed that each body loses in a second, as in thick air",
        group="Physics",
        bounds=(0.0, 1.0),
    )
    angular_damping: float = option(
        0.0,
        "Angular Damping",
        "The share of its angular speed that each body loses in a second",
        group="Physics",
        bounds=(0.0, 1.0),
    )
    default_effort: float = option(
        1000.0,
        "Default Effort",
        "The most torque in N m, or force in N, of motors whose joint states none",
        group="Motors",
        bounds=(1e-9, 1e12),
    )
    default_velocity: float = option(
        10.0,
        "Default Velocity",
        "The greatest speed in rad/s or m/s of motors whose joint states none",
        group="Motors",
        bounds=(1e-9, 1e12),
    )
    effort_scale: float = _factor("Effort", "effort limits", least=1e-9)
    velocity_scale: float = _factor("Velocity", "velocity limits", least=1e-9)
    damping_scale: float = _factor("Damping", "damping")
    friction_scale: float = _factor("Friction", "friction")
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
        bounds=(0.1, 1000.0),
    )
