# SPDX-License-Identifier: GPL-3.0-or-later
"""The options that exports share."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from .fields import (
    BASES,
    FitCollisions,
    Options,
    UpAxis,
    fit_collisions_option,
    option,
    package_paths_option,
    packages_option,
    up_axis_option,
)

Style = Literal["keep", "plain"]
PoseMode = Literal["zero", "start"]
FixedLinks = Literal["keep", "merge"]


def style_option() -> Any:
    """Makes the option of formats whose text is edited."""
    return option(
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


def poses_option(group: str) -> Any:
    """Makes the option of formats that have no start of joints."""
    return option(
        "zero",
        "Joints at Zero",
        "The zero position of the joints of a robot in Blender, since the format has no other "
        "start",
        group=group,
        choices={
            "zero": "Where the description has them: poses change nothing",
            "start": "Where they are shown now: the pose becomes the new zero, and limits and "
            "offsets are counted from there",
        },
    )


def base_option(group: str, body: str = "the robot", where: str = "") -> Any:
    """Makes the option of simulators in which a robot may be free to move."""
    text = f"Whether {body} is fixed in the world{where}"
    return option("auto", "Base", text, group=group, choices=BASES)


def fixed_links_option(group: str, where: str = "") -> Any:
    """Makes the option of simulators whose bodies may hold several links."""
    return option(
        "keep",
        "Fixed Joints",
        f"Treatment of links with mass on fixed joints{where}",
        group=group,
        choices={
            "keep": "A body of their own with their own mass",
            "merge": "A frame in their parent body, which takes their mass",
        },
    )


def small_mass_option(group: str) -> Any:
    """Makes the option of simulators that must have a mass wherever something moves."""
    return option(
        0.001,
        "Small Mass",
        "The mass in kg of links that have none and must have one to move",
        group=group,
        bounds=(1e-9, 1e6),
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
