# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods of MORSE's builder that need more than another Blender below them."""

import gc
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from .finding import quiet_import
from .frames import without_sources

if TYPE_CHECKING:
    from ..blender.game.blender27.replacements import Replacements

_PR2_HEAD, _PR2_PAINT = "head_tilt_link", "HeadTilt"

_environments: WeakSet[Any] = WeakSet()
_ended: list[bool] = []


def install_methods(made: "Replacements", builder: ModuleType) -> None:
    """Replaces them in the package morse.builder."""
    component, environment = builder.AbstractComponent, builder.Environment
    loading = builder.abstractcomponent
    made.put(component, "append", without_sources(component.append))
    for name, change in (
        ("_rename_components", without_sources),
        ("_handle_default_interface", _noting_environment),
        ("create", _creating_once),
    ):
        made.put(environment, name, change(getattr(environment, name)))
    made.put(environment, "__del__", _create_at_last)
    for name in ("get_class", "load_module_attribute"):
        made.put(loading, name, _loading_quietly(getattr(loading, name)))
    made.put(builder.BarePR2, "set_color", _color_head)


def forget_environments() -> None:
    """Those that are not created yet never will be."""
    for environment in _environments:
        environment._created = True
        # The builder looks only at those variables of a script that have no parent.
        environment.parent = None
    _environments.clear()


def create_left_environments() -> None:
    """Those of scripts that have ended. Python does not see at once that nothing needs them: the
    variables of a script with a function hold each other."""
    if any(not environment._created for environment in _environments):
        gc.collect()


def python_ends() -> None:
    """From now on Blender is no more."""
    _ended.append(True)


def _noting_environment(begin: Callable[[Any], None]) -> Callable[[Any], None]:
    """MORSE takes environments out of its list of components, so that they go with the script."""

    @wraps(begin)
    def noted(environment: Any) -> None:
        _environments.add(environment)
        begin(environment)

    return noted


def _creating_once(create: Callable[..., None]) -> Callable[..., None]:
    """An environment that could not be created is not created again when it goes."""

    @wraps(create)
    def created(environment: Any, *args: Any, **options: Any) -> None:
        environment._created = True
        create(environment, *args, **options)

    return created


def _create_at_last(environment: Any) -> None:
    """Environment.__del__: MORSE creates an environment when the script that made it ends, if it
    did not itself. Not if it was never complete, its file was closed, or Blender is gone."""
    if getattr(environment, "_created", True) or _ended or sys.is_finalizing():
        return
    from ..blender.game.blender27.functions import is_alive

    if is_alive(environment._bpy_object):
        environment.create()


def _loading_quietly(load: Callable[..., Any]) -> Callable[..., Any]:
    """MORSE's other modules are loaded when a script needs them."""

    @wraps(load)
    def loaded(*args: Any) -> Any:
        with quiet_import():
            return load(*args)

    return without_sources(loaded)


def _color_head(robot: Any, color: tuple[float, float, float] = (0.0, 0.0, 0.8)) -> None:
    """BarePR2.set_color: the head of MORSE's PR2 has a material inside the nodes of another one,
    which Blender has no more. The outer one takes the colour."""
    slots = robot.get_child(_PR2_HEAD).material_slots
    slots[_PR2_PAINT].material.diffuse_color = color
