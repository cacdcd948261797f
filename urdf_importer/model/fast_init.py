# SPDX-License-Identifier: GPL-3.0-or-later
"""Frozen dataclasses that are made by the ten thousand.

A frozen class sets each field by a call, past its own `__setattr__`; for a joint these calls took
longer than reading its numbers. Here an object belongs, while it is filled, to a class of the same
slots that is not frozen. The price: text is made and run, as dataclasses do themselves, and CPython
has to let two classes of equal layout change places. It takes a twentieth off imports without
meshes (benchmarks/compare_trees.py).
"""

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_become: Callable[[object, type], None] = object.__dict__["__class__"].__set__


def fast_init(cls: type[T]) -> type[T]:
    """Gives a dataclass that is frozen, slotted and keyword-only an `__init__` that does the same
    in a third of the time; pays from three fields on. No class may inherit it."""
    made = _write_function(cls, "self, ", "_become(self, _Draft)", "None")
    made.__name__, made.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    made.__annotations__ = cls.__init__.__annotations__
    cls.__init__ = made  # type: ignore[method-assign]
    return cls


def derive_maker(cls: Callable[P, T]) -> Callable[P, T]:
    """Returns a function that does what calling such a dataclass does, again in half the time."""
    assert isinstance(cls, type)
    return _write_function(cls, "", "self = _Draft()", "self")


def _write_function(cls: type, first: str, begin: str, result: str) -> Callable[..., Any]:
    slots = tuple(field.name for field in fields(cls))
    if hasattr(cls, "__post_init__") or cls.__dict__.get("__slots__") != slots:
        raise TypeError(f"{cls.__name__} is more than its fields")
    draft = type(cls.__name__, (), {"__slots__": slots, "__module__": cls.__module__})
    values: dict[str, Any] = {"_become": _become, "_Frozen": cls, "_Draft": draft}
    arguments = []
    for field in fields(cls):
        if field.default_factory is not MISSING or not field.init or not field.kw_only:
            raise TypeError(f"{cls.__name__}.{field.name} is more than a keyword")
        has_default = field.default is not MISSING
        arguments.append(f"{field.name}=_default_{field.name}" if has_default else field.name)
        values[f"_default_{field.name}"] = field.default
    lines = [
        f"def made({first}*, {', '.join(arguments)}):",
        begin,
        *(f"self.{name} = {name}" for name in slots),
        "self.__class__ = _Frozen",
        f"return {result}",
    ]
    exec("\n ".join(lines), values)
    function: Callable[..., Any] = values["made"]
    return function
