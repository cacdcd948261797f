# SPDX-License-Identifier: GPL-3.0-or-later
"""The model's classes, made five times as fast as by calling them.

A frozen dataclass fills each field through object.__setattr__, which at a hundred thousand fields
costs more than parsing the file. Here an unfrozen class of the same slots is filled and then given
the frozen class as its own. The price: this relies on CPython letting two classes of equal layout
change places, and on model classes that do nothing but hold their fields; `_assembler` refuses all
others.
"""

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, ParamSpec, TypeVar

from ... import model

P = ParamSpec("P")
T = TypeVar("T")


def _assembler(cls: Callable[P, T]) -> Callable[P, T]:
    """A function with the arguments and the result of `cls(...)`."""
    assert isinstance(cls, type)
    slots = tuple(field.name for field in fields(cls))
    if hasattr(cls, "__post_init__") or getattr(cls, "__slots__", None) != slots:
        raise TypeError(f"{cls.__name__} is more than its fields.")
    scope: dict[str, Any] = {"Frozen": cls, "Plain": type("Plain", (), {"__slots__": slots})}
    arguments = []
    for field in fields(cls):
        if field.default_factory is not MISSING:
            raise TypeError(f"{cls.__name__}.{field.name} has a default factory.")
        if field.default is MISSING:
            arguments.append(field.name)
        else:
            scope[f"default_{field.name}"] = field.default
            arguments.append(f"{field.name}=default_{field.name}")
    lines = [
        f"def assemble(*, {', '.join(arguments)}):",
        "self = Plain()",
        *(f"self.{name} = {name}" for name in slots),
        "self.__class__ = Frozen",
        "return self",
    ]
    exec("\n ".join(lines), scope)
    assemble: Callable[P, T] = scope["assemble"]
    return assemble


make_box = _assembler(model.Box)
make_collision = _assembler(model.Collision)
make_cylinder = _assembler(model.Cylinder)
make_dynamics = _assembler(model.Dynamics)
make_extra = _assembler(model.Extra)
make_inertia = _assembler(model.Inertia)
make_inertial = _assembler(model.Inertial)
make_joint = _assembler(model.Joint)
make_limit = _assembler(model.Limit)
make_link = _assembler(model.Link)
make_material = _assembler(model.Material)
make_mesh = _assembler(model.Mesh)
make_pose = _assembler(model.Pose)
make_visual = _assembler(model.Visual)
