# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes and handlers that are put in place and can be taken back."""

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.handlers import persistent

_MISSING = object()


class Replacements:
    """A list of attributes that were set, with their former values."""

    def __init__(self) -> None:
        self._made: list[tuple[Any, str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._made)

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute of a module or a class."""
        self._made.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Restores all of them, the last first."""
        while self._made:
            owner, name, former = self._made.pop()
            if former is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, former)


_installed: list[tuple[Any, Callable[..., None]]] = []


def install_handlers(opening: Callable[[], Any], saving: Callable[[], Any]) -> None:
    """Calls `opening` before another file is opened and `saving` before one is saved."""
    _add(bpy.app.handlers.load_pre, opening)
    _add(bpy.app.handlers.save_pre, saving)


def remove_handlers() -> None:
    """Removes the handlers."""
    while _installed:
        handlers, handler = _installed.pop()
        if handler in handlers:
            handlers.remove(handler)


def _add(handlers: Any, function: Callable[[], Any]) -> None:
    @persistent  # type: ignore[untyped-decorator]
    def handler(*_: Any) -> None:
        function()

    handlers.append(handler)
    _installed.append((handlers, handler))


def is_module() -> bool:
    """Tells whether Blender runs as a module in Python, not as a program with Python inside."""
    return bool(getattr(bpy.app, "module", not bpy.app.binary_path))
