# SPDX-License-Identifier: GPL-3.0-or-later
"""Additions of the extension to Blender: classes, properties, entries of menus, handlers, keys,
timers and drawings. Each is taken out again when the extension goes, the last one first."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any

import bpy
from bpy_extras.io_utils import poll_file_object_drop

from .session import session_state

_Undo = Callable[[], Any]


@dataclass(slots=True)
class _Added:
    """How to take each addition out, in the order in which they were made; all hooks and timers."""

    undo: dict[_Undo, None] = field(default_factory=dict)
    hooks: dict[str, list[Callable[..., Any]]] = field(default_factory=dict)
    timers: set[Callable[[], float | None]] = field(default_factory=set)


def at_end(undo: _Undo) -> None:
    """Has a function called when the extension goes; once, however often it is given."""
    session_state(_Added).undo[undo] = None


def take_out() -> None:
    """Takes all additions out of Blender."""
    added = session_state(_Added)
    while added.undo:
        added.undo.popitem()[0]()
    for timer in filter(bpy.app.timers.is_registered, added.timers):
        bpy.app.timers.unregister(timer)


def list_classes(part: ModuleType) -> list[Any]:
    """Lists the classes for Blender that a module has made, alone or in tuples, in its order."""
    found: dict[Any, None] = {}
    for value in vars(part).values():
        for each in value if isinstance(value, tuple) else (value,):
            own = isinstance(each, type) and each.__module__ == part.__name__
            if own and issubclass(each, bpy.types.bpy_struct):
                found[each] = None
    return list(found)


def add_part(part: ModuleType) -> None:
    """Registers the classes of a module, then calls its `register`, where it has one."""
    for kind in list_classes(part):
        bpy.utils.register_class(kind)
        at_end(partial(bpy.utils.unregister_class, kind))
    if hasattr(part, "register"):
        part.register()


def add_property(owner: Any, name: str, value: Any) -> None:
    """Gives a class of Blender's a property."""
    setattr(owner, name, value)
    at_end(partial(delattr, owner, name))


def add_to_menus(draw: Callable[[Any, Any], None], *menus: str, first: bool = False) -> None:
    """Has a function draw at the end of menus and panels, or at their beginning."""
    for menu in (getattr(bpy.types, name) for name in menus):
        (menu.prepend if first else menu.append)(draw)
        at_end(partial(menu.remove, draw))


def add_hook(name: str, function: Callable[..., Any]) -> None:
    """Has call_hooks call a function by a name: the interface of the core uses features without
    knowing them."""
    functions = session_state(_Added).hooks.setdefault(name, [])
    functions.append(function)
    at_end(partial(functions.remove, function))


def call_hooks(name: str, *given: Any) -> Iterator[Any]:
    """Calls the functions of a hook; yields their results."""
    return (function(*given) for function in session_state(_Added).hooks.get(name, ()))


def is_known(name: str) -> bool:
    """Whether an operator of this name is registered."""
    family, _, operator = name.partition(".")
    return hasattr(bpy.types, f"{family.upper()}_OT_{operator}")


def draw_operator(layout: Any, name: str, **shown: Any) -> None:
    """Draws the button of an operator by its name; nothing where its feature was removed."""
    if is_known(name):
        layout.operator(name, **shown)


def add_handler(handlers: Any, function: Callable[..., None]) -> None:
    """Adds a function to one of the lists of bpy.app.handlers, for all files."""
    handlers.append(bpy.app.handlers.persistent(function))
    at_end(partial(handlers.remove, function))


def add_key(keymap: str, operator: str, key: str, value: str = "PRESS", **held: bool) -> Any | None:
    """Adds a key to one of Blender's key maps; returns its item, None in a session without windows,
    which has no keys."""
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        return None
    space = "VIEW_3D" if keymap.startswith("3D View") else "EMPTY"
    items = config.keymaps.new(name=keymap, space_type=space).keymap_items
    item = items.new(operator, key, value, **held)
    at_end(partial(items.remove, item))
    return item


def find_key(keymap: str, fits: Callable[[Any], bool]) -> str:
    """Finds the key of the first item that fits in one of Blender's key maps, as the user has it:
    "Shift Alt R"; empty where it is switched off, removed or unassigned."""
    config = bpy.context.window_manager.keyconfigs.user
    found = config.keymaps.get(keymap) if config is not None else None
    items = found.keymap_items if found is not None else ()
    return next((str(each.to_string()) for each in items if each.active and fits(each)), "")


def call_later(function: Callable[[], float | None], seconds: float = 0.0) -> None:
    """Has Blender call a function soon, unless it will already."""
    session_state(_Added).timers.add(function)
    if not bpy.app.timers.is_registered(function):
        bpy.app.timers.register(function, first_interval=seconds)


class Drawers:
    """Functions that draw over 3D views, from `start` until `stop`."""

    def __init__(self) -> None:
        self._handles: list[Any] = []

    def start(self, **draws: Callable[[], None]) -> None:
        """Begins, with functions by the time of their drawing: POST_VIEW, POST_PIXEL."""
        if self._handles or bpy.app.background:
            return
        for when, draw in draws.items():
            handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", when)
            self._handles.append(handle)
        at_end(self.stop)

    def stop(self) -> None:
        """Ends it. Calling it again does no harm."""
        while self._handles:
            bpy.types.SpaceView3D.draw_handler_remove(self._handles.pop(), "WINDOW")


class _OnViews:
    """Where a drop counts: on the 3D view and on the outliner. Blender asks extensions by the
    suffix of a dropped file, so a folder without one never reaches them."""

    @classmethod
    def poll_drop(cls, context: Any) -> bool:
        return bool(poll_file_object_drop(context))


def make_drop_handler(
    module: str, name: str, label: str, operator: str, suffixes: Sequence[str]
) -> type[Any]:
    """Returns the class of a file handler, for a module: Blender calls the operator for dropped
    files with these suffixes."""
    members = {
        "__module__": module,
        "bl_idname": name,
        "bl_label": label,
        "bl_import_operator": operator,
        "bl_file_extensions": ";".join(suffixes),
    }
    return type(name, (_OnViews, bpy.types.FileHandler), members)
