# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's options of MJCF files."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ....core.options import Base, StartOptions, base_option, option, small_mass_option

StartContacts = Literal["keep", "exclude"]
Actuators = Literal["auto", "none", "motor", "position", "velocity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MjcfOptions(StartOptions):
    """How a robot becomes MJCF. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("MuJoCo", "Start", "Shapes", "Physics", "Motors", "Files")

    base: Base = base_option("MuJoCo", "the root link")
    scene: bool = option(
        False,
        "Scene",
        "Write a second file beside the robot's, NAME_scene.xml: the robot on a floor, with light",
        group="MuJoCo",
    )
    srdf: str = option(
        "",
        "SRDF",
        "An SRDF file of the robot: pairs of links that need no check touch nothing, named poses "
        "become keyframes, passive joints get no motor. 'auto' takes the one near the description. "
        "A robot in Blender has its own",
        group="MuJoCo",
        entries="FILE",
    )
    visuals: bool = option(True, "Visuals", "Write the robot's visuals", group="Shapes")
    collisions: bool = option(
        True, "Collisions", "Write the robot's collision shapes", group="Shapes"
    )
    start_contacts: StartContacts = option(
        "keep",
        "Contacts at Start",
        "How links are treated that touch each other at the start and are not neighbours",
        group="Shapes",
        choices={
            "keep": "They collide, and a warning names them",
            "exclude": "They never touch each other",
        },
    )
    rotor_inertia: float = option(
        0.0,
        "Rotor Inertia",
        "The inertia of each joint's rotor behind its gear, in kg m^2 (kg for sliding joints), "
        "where the description has none; a little of it makes stiff motors stable",
        group="Physics",
        bounds=(0.0, 1e6),
    )
    small_mass: float = small_mass_option("Physics")
    actuators: Actuators = option(
        "auto",
        "Actuators",
        "The actuators of the joints that ros2_control, transmissions or, where "
        "there are none, all joints of one axis that follow no other",
        group="Motors",
        choices={
            "auto": "As ros2_control or the transmissions command, else motors",
            "none": "Nothing",
            "motor": "Motors: the control is the torque or force",
            "position": "Servos: the control is the position",
            "velocity": "Servos: the control is the velocity",
        },
    )
    position_error: float = option(
        0.1,
        "Position Error",
        "How far in rad a joint is from its target when a position servo gives all its effort; a "
        "tenth of it in m for sliding joints",
        group="Motors",
        bounds=(1e-6, 1e3),
    )
    sensors: bool = option(
        True,
        "Sensors",
        "Write the description's sensors",
        group="Motors",
    )
