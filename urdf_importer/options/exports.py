# SPDX-License-Identifier: GPL-3.0-or-later
"""The options that exports share."""

from dataclasses import dataclass
from typing import ClassVar

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions(Options):
    """Options that all exports share: the locations of the robot's files. A format's own options
    extend this."""

    packages: tuple[tuple[str, str], ...] = packages_option()
    package_paths: tuple[str, ...] = package_paths_option()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions(FileOptions):
    """Options that exports of robots share: the shapes that collide."""

    fit_collisions: FitCollisions | bool = fit_collisions_option("Collisions")


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions(ExportOptions):
    """Options that exports to simulators share: the start of the robot and its joints."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Start", "Files")

    translation: tuple[float, float, float] = option(
        (0.0, 0.0, 0.0),
        "Translation",
        "Position of the robot's root link, in metres",
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
    up_axis: UpAxis = up_axis_option("Files")
