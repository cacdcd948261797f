# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens with the builder's state when files are opened and saved."""

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.handlers import persistent

_installed: list[tuple[Any, Callable[..., None]]] = []


def install_handlers(opening: Callable[[], Any], saving: Callable[[], Any]) -> None:
    """Calls `opening` before another file is opened and `saving` before one is saved."""
    _add(bpy.app.handlers.load_pre, opening)
    _add(bpy.app.handlers.save_pre, saving)


def remove_handlers() -> None:
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
    """Whether Blender is a module of Python's, not a program that has Python inside."""
    return bool(getattr(bpy.app, "module", not bpy.app.binary_path))
