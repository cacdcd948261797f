# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods of MORSE's builder that need more than another Blender below them, and its Robot, which
learns to read descriptions."""

import gc
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from .call_stack import without_sources
from .locate import quiet_import
from .robot import DescribedRobot, forget, is_description

if TYPE_CHECKING:
    from .game_engine.replacements import Replacements

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
    """Forgets the environments that are not created yet; they never will be."""
    for environment in _environments:
        environment._created = True
        # The builder looks only at the variables of a script that have no parent.
        environment.parent = None
    _environments.clear()


def create_left_environments() -> None:
    """Creates the environments of scripts that have ended. Python does not notice at once that
    nothing needs them: the variables of a script with a function refer to each other."""
    if any(not environment._created for environment in _environments):
        gc.collect()


def python_ends() -> None:
    """Notes that Blender is gone from now on."""
    _ended.append(True)


def _noting_environment(begin: Callable[[Any], None]) -> Callable[[Any], None]:
    """Wraps a method so that the environment is noted. MORSE removes environments from its list of
    components so that they go with the script."""

    @wraps(begin)
    def noted(environment: Any) -> None:
        _environments.add(environment)
        begin(environment)

    return noted


def _creating_once(create: Callable[..., None]) -> Callable[..., None]:
    """Wraps create() so that an environment that failed is not created again when it goes."""

    @wraps(create)
    def created(environment: Any, *args: Any, **options: Any) -> None:
        environment._created = True
        create(environment, *args, **options)

    return created


def _create_at_last(environment: Any) -> None:
    """Replaces Environment.__del__. MORSE creates an environment when the script that made it ends,
    unless the script did. This does not if the environment was never complete, its file was closed,
    or Blender is gone."""
    if getattr(environment, "_created", True) or _ended or sys.is_finalizing():
        return
    from .game_engine.functions import is_alive

    if is_alive(environment._bpy_object):
        environment.create()


def _loading_quietly(load: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps the function that loads MORSE's other modules when a script needs them."""

    @wraps(load)
    def loaded(*args: Any) -> Any:
        with quiet_import():
            return load(*args)

    return without_sources(loaded)


def _color_head(robot: Any, color: tuple[float, float, float] = (0.0, 0.0, 0.8)) -> None:
    """Replaces BarePR2.set_color. The head of MORSE's PR2 has a material inside the nodes of
    another one, which Blender no longer has. The outer one takes the colour."""
    slots = robot.get_child(_PR2_HEAD).material_slots
    slots[_PR2_PAINT].material.diffuse_color = color


def make_robot_class(builder: ModuleType) -> type[Any]:
    """Returns URDFRobot over the Robot of a builder: the module morse.builder, or the stand-in."""
    return _extend_class(builder.Robot, builder, "URDFRobot")


def accept_descriptions(builder: ModuleType) -> None:
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
    _accepting.append(builder)


def refuse_descriptions() -> None:
    """Takes back the effects of accept_descriptions."""
    while _accepting:
        del _accepting.pop().Robot.append_meshes


def adopt_description(robot: Any, builder: ModuleType) -> None:
    """Gives a builder's robot that is being made from a description URDFRobot's methods too."""
    kind = type(robot)
    if not issubclass(kind, DescribedRobot):
        robot.__class__ = _extend_class(kind, builder, kind.__name__)


_extended: dict[type[Any], type[Any]] = {}
_accepting: list[ModuleType] = []


def _extend_class(base: type[Any], builder: ModuleType, name: str) -> type[Any]:
    if base not in _extended:
        members = {"__doc__": DescribedRobot.__doc__, "_builder": builder}
        _extended[base] = type(name, (DescribedRobot, base), members)
    return _extended[base]
