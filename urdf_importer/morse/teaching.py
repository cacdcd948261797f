# SPDX-License-Identifier: GPL-3.0-or-later
"""How a builder's Robot, MORSE's own or the stand-alone one, comes to take descriptions."""

from types import ModuleType
from typing import Any

from .robot import DescribedRobot, forget, is_description


def make_robot_class(builder: ModuleType) -> type[Any]:
    """URDFRobot over the Robot of a builder: the module morse.builder, or the stand-alone one."""
    return _extend_class(builder.Robot, builder, "URDFRobot")


def teach_builder(builder: ModuleType) -> None:
    """Lets the builder's Robot, and classes derived from it, take a description for their file."""
    if "append_meshes" in vars(builder.Robot):
        return

    def append_meshes(
        robot: Any, objects: Any = None, component: Any = None, prefix: Any = None
    ) -> list[Any]:
        if not is_description(component or robot._blender_filename):
            found: list[Any] = plain(robot, objects, component, prefix)
            return found
        adopt_description(robot, builder)
        try:
            made: list[Any] = robot.append_meshes(objects, component, prefix)
        except BaseException:
            forget(robot)
            raise
        return made

    plain = builder.Robot.append_meshes
    builder.Robot.append_meshes = append_meshes
    _taught.append(builder)


def unteach_builder() -> None:
    """Takes back what teach_builder did."""
    while _taught:
        del _taught.pop().Robot.append_meshes


def adopt_description(robot: Any, builder: ModuleType) -> None:
    """Gives a builder's robot, which is being made from a description, URDFRobot's methods too."""
    kind = type(robot)
    if not issubclass(kind, DescribedRobot):
        robot.__class__ = _extend_class(kind, builder, kind.__name__)


_extended: dict[type[Any], type[Any]] = {}
_taught: list[ModuleType] = []


def _extend_class(base: type[Any], builder: ModuleType, name: str) -> type[Any]:
    if base not in _extended:
        members = {"__doc__": DescribedRobot.__doc__, "_builder": builder}
        _extended[base] = type(name, (DescribedRobot, base), members)
    return _extended[base]
