# SPDX-License-Identifier: GPL-3.0-or-later
"""The optional parts of the library, which stand above all others and may be absent."""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

OPTIONAL_PARTS = ("morse",)
"""The only place that knows their names. Each lists in OFFERED what the library offers of it."""

_LIBRARY = __package__.removesuffix(".pipeline")


def find_offered(name: str) -> Any:
    """Returns what an optional part offers under `name`. Raises AttributeError where none does."""
    for part in _present_parts():
        if name in part.OFFERED:
            return getattr(part, name)
    raise AttributeError(f"module {_LIBRARY!r} has no attribute {name!r}")


def _present_parts() -> list[ModuleType]:
    names = [f"{_LIBRARY}.{part}" for part in OPTIONAL_PARTS]
    return [import_module(name) for name in names if find_spec(name) is not None]
