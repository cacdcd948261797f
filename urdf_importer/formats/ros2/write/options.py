# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's options of packages of ROS 2."""

import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from ....core.diagnostics import ArgumentError, quote
from ....core.options import ExportOptions, option

Hardware = Literal["mock", "gz", "mujoco", "topic"]
DescriptionMode = Literal["write", "use"]
MoveItMode = Literal["auto", "never"]
DriveMode = Literal["auto", "diff", "mecanum", "ackermann", "never"]
HARDWARE = {
    "mock": "Joints that go where they are sent: no simulator",
    "gz": "Gazebo, by gz_ros2_control",
    "mujoco": "MuJoCo, by mujoco_ros2_control; its model is written too",
    "topic": "Another program, by topics of joint states: Isaac Sim, a driver of your own",
}
_MAINTAINER = re.compile(r"[^<>@]*[^<>@\s][^<>@]*<[^<>@\s]+@[^<>@\s.]+(?:\.[^<>@\s.]+)+>").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Ros2Options(ExportOptions):
    """How a robot becomes packages of ROS 2. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Packages", "Control", "MoveIt", "Files")

    name: str = option(
        "",
        "Name",
        "The first part of the packages' names: small letters, digits and single _, a letter first",
        group="Packages",
        entries="NAME",
        blank="made of the robot's name",
    )
    description: DescriptionMode = option(
        "write",
        "Description",
        "Where the packages take the robot's description from",
        group="Packages",
        choices={
            "write": "A description package of its own, with the meshes",
            "use": "The package that the robot was read from, which stays unchanged",
        },
    )
    maintainer: str = option(
        "",
        "Maintainer",
        "Who maintains the packages, as NAME <MAIL>",
        group="Packages",
        entries="NAME <MAIL>",
        blank="maintainer <maintainer@example.com>",
    )
    license: str = option(
        "unknown", "License", "The license of the packages", group="Packages", entries="NAME"
    )
    hardware: Hardware = option(
        "mock",
        "Hardware",
        "The default of the launch argument hardware; the packages have all of them",
        group="Control",
        choices=HARDWARE,
    )
    drive: DriveMode | bool = option(
        "auto",
        "Drive",
        "How the robot's wheels drive it",
        group="Control",
        choices={
            "diff": "Wheels on the left and the right, which turn it by different speeds",
            "mecanum": "Four wheels with oblique rollers",
            "ackermann": "Two steered wheels, as a car's",
            "never": "Not at all: wheels are joints like any other",
            "auto": "By the wheels that are found",
        },
    )
    moveit: MoveItMode | bool = option(
        "auto",
        "MoveIt",
        "Whether there is a package with the configuration of MoveIt",
        group="MoveIt",
        choices={
            "auto": "Where the robot has a group of joints to plan for",
            "never": "No such package",
        },
    )
    srdf: str = option(
        "",
        "SRDF",
        "An SRDF file of the robot: its groups, states, hands and pairs are taken as they are. "
        "'auto' takes the one near the description. A robot in Blender has its own",
        group="MoveIt",
        entries="FILE",
    )
    collision_samples: int = option(
        10_000,
        "Collision Samples",
        "Random poses in which pairs of links are tried that MoveIt can skip; only where the "
        "SRDF names none; 0 leaves the search at 200 poses",
        group="MoveIt",
        bounds=(0, 10_000_000),
    )
    acceleration: float = option(
        2.0,
        "Acceleration",
        "The greatest acceleration of a joint as this times its greatest velocity, in 1/s",
        group="MoveIt",
        bounds=(1e-6, 1e6),
    )

    @property
    def person(self) -> tuple[str, str]:
        """The name and the mail of the maintainer. Raises ArgumentError for another text."""
        if self.maintainer and not _MAINTAINER(self.maintainer):
            raise ArgumentError(f"maintainer is NAME <MAIL>, not {quote(self.maintainer)}")
        name, _, mail = (self.maintainer or "maintainer <maintainer@example.com>").partition("<")
        return name.strip(), mail.rstrip(">")
