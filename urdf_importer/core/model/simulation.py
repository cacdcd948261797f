# SPDX-License-Identifier: GPL-3.0-or-later
"""A description's data for simulators and controllers beyond URDF, as numbers and names."""

from dataclasses import dataclass, field

from .material import Material


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A parameter of one simulator's physics. `name` is in lower case, `written` as in the file."""

    name: str
    written: str
    text: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A program that a simulator loads; it runs nowhere else."""

    name: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationSettings:
    """The settings in one element for a link or joint, or for the whole robot.

    reference  the name of the link or joint; "" for the robot
    friction   coefficients, one for each written direction; none where it has none
    material   the colour of all visuals of the link; None where it has none
    settings   the other parameters of the simulator's physics, in the order of the file
    """

    reference: str = ""
    friction: tuple[float, ...] = ()
    material: Material | None = None
    settings: tuple[Setting, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointControl:
    """The commands of ros2_control to a joint, and the states that it reads of it: names of
    interfaces, such as "position"."""

    joint: str
    command_interfaces: tuple[str, ...] = ()
    state_interfaces: tuple[str, ...] = ()
