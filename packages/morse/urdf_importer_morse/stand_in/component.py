# SPDX-License-Identifier: GPL-3.0-or-later
"""The common base of all components of a builder script, including their Blender objects and their
interfaces. Names and meanings are MORSE's."""

import logging
import sys
from collections.abc import Sequence
from os import PathLike
from typing import Any

from urdf_importer.core.diagnostics import quote

from ..game_engine.functions import is_alive
from ..game_engine.game_data import GameData, add_logic_brick
from ..game_engine.paint import paint_below
from ..game_engine.scene_objects import (
    add_empty,
    find_child,
    is_below,
    parent_to,
    select_only,
    show,
)
from ..game_engine.scene_setup import add_debug_property, game_settings
from ..game_engine.storage import check_value, get_property, set_property
from .errors import (
    ComponentNameError,
    ComponentTypeError,
    ParentError,
    ScriptError,
    UnexportableError,
)
from .models import append_model, find_model
from .script import SCRIPT, SIMULATION, find_kind, find_name, find_variables, note_component
from .streams import find_modifier, find_service, plan_stream, state_direction

logger = logging.getLogger(__name__)

_TAGS = {
    "calling.robot_action": ("Robot_Tag", "morse.core.robot.Robot"),
    "calling.sensor_action": ("Component_Tag", "morse.core.sensor.Sensor"),
    "calling.actuator_action": ("Component_Tag", "morse.core.actuator.Actuator"),
}
"""The game engine's names of MORSE's calls -> tag and class of such an object."""

_PROFILED = ("profile", "profile_action", "profile_modifiers", "profile_datastreams")


class AbstractComponent:
    """An object of Blender that MORSE knows by its name: robot, sensor, actuator or shape.

    obj       the object, if there is one already
    filename  the .blend that holds its objects
    category  robots, sensors, actuators, environments
    """

    components = SCRIPT.components
    """Everything that the script made so far."""

    _bpy_object: Any
    parent: "AbstractComponent"

    def __init__(
        self, obj: Any = None, filename: str | PathLike[str] | None = "", category: str = ""
    ) -> None:
        self.set_blender_object(obj)
        self._blender_filename = filename
        self._category = category
        self.basename: str | None = None
        self.children: list[AbstractComponent] = []
        self._exportable = True
        self._asked_as = ""
        note_component(self)

    def set_blender_object(self, obj: Any) -> None:
        """Lets an object of Blender represent the component, and shows it."""
        if obj is not None:
            obj.matrix_parent_inverse.identity()
            show(obj)
        self._bpy_object = obj

    @property
    def _game(self) -> GameData:
        """The game engine's data of its object."""
        return GameData(self._bpy_object)

    def has_object(self) -> bool:
        """Tells whether it was given an object, still there or not."""
        return self._bpy_object is not None

    def is_alive(self) -> bool:
        """Tells whether it has an object that is still in the file."""
        return self.has_object() and is_alive(self._bpy_object)

    def append(self, obj: "AbstractComponent", child: str | None = None, level: int = 1) -> None:
        """Parents a component to this one, or to one of the objects below this by its name.

        The component gets the name of the variable that holds it, unless it has one: of the caller,
        `level` calls up. Raises ScriptError for an unknown child, ParentError if the component
        already carries this one, ComponentTypeError for anything but a component.
        """
        if not isinstance(obj, AbstractComponent):
            raise ComponentTypeError(f"only components can be appended, not {quote(repr(obj))}")
        if not obj.is_alive():
            raise ScriptError("the object of the component to append is gone from the file")
        holder = self._bpy_object if not child else self.get_child(child)
        if holder is None:
            raise ScriptError(f"{quote(self.name)} has no child {quote(str(child))}")
        if is_below(holder, obj._bpy_object):
            raise ParentError(
                f"{quote(obj.name)} cannot be appended to itself or to an object below it"
            )
        parent_to(obj._bpy_object, holder)
        obj.parent = self
        self.children.append(obj)
        if not obj.basename:
            obj.basename = find_name(obj, find_variables(sys._getframe(level))) or None

    @property
    def name(self) -> str:
        """Of its object. Raises ComponentNameError for one with dots, which separate the names of
        robot and component."""
        name: str = self._bpy_object.name
        return name

    @name.setter
    def name(self, value: str) -> None:
        if value:
            if "." in value:
                raise ComponentNameError(
                    f"the name {quote(value)} has dots, which no name may have"
                )
            if self.name == self._asked_as:
                logger.warning(
                    "%s becomes %s, but its streams and services stay under its old name, as in"
                    " MORSE: name components before you add them",
                    quote(self.name),
                    quote(value),
                )
            self.basename = value
            self._bpy_object.name = value

    def rename(self, name: str) -> None:
        """Renames its object, dots and all, and moves the configuration of the old name."""
        SCRIPT.configuration.rename(self.name, name)
        self._bpy_object.name = name

    @property
    def location(self) -> Any:
        """In its parent, in metres."""
        return self._bpy_object.location

    @location.setter
    def location(self, xyz: Sequence[float]) -> None:
        self._bpy_object.location = xyz

    @property
    def scale(self) -> Any:
        return self._bpy_object.scale

    @scale.setter
    def scale(self, xyz: Sequence[float]) -> None:
        self._bpy_object.scale = xyz

    @property
    def rotation_euler(self) -> Any:
        """In its parent, in radians."""
        return self._bpy_object.rotation_euler

    @rotation_euler.setter
    def rotation_euler(self, xyz: Sequence[float]) -> None:
        self._bpy_object.rotation_euler = xyz

    def translate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Moves it by this much, in metres."""
        old = self._bpy_object.location
        self._bpy_object.location = (old[0] + x, old[1] + y, old[2] + z)

    def rotate(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        """Turns it by this much: adds to its Euler angles, in radians."""
        old = self._bpy_object.rotation_euler
        self._bpy_object.rotation_euler = (old[0] + x, old[1] + y, old[2] + z)

    def property_value(self, name: str) -> Any:
        """Returns the value of a game property; None if there is none."""
        return get_property(self._bpy_object, name)

    def properties(self, **kwargs: Any) -> None:
        """Sets game properties: bool, int, float, str, or timer. Raises TypeError for other
        values."""
        for value in kwargs.values():
            check_value(value)
        for name, value in kwargs.items():
            set_property(self._bpy_object, name, value, find_kind(value))

    def select(self) -> None:
        """Selects it, and nothing else."""
        select_only(self._bpy_object)

    def get_child(
        self, name: str, objects: Sequence[Any] | None = None, recursive: bool = True
    ) -> Any:
        """Returns the object below this one (or among `objects`, or below these) with that name, or
        with a name that begins so; None if there is none."""
        among = self._bpy_object.children if objects is None else objects
        found = find_child(among, name, recursive=recursive)
        if len(found) > 1:
            names = ", ".join(quote(each.name) for each in found)
            logger.warning("%s may mean %s; the first is taken", quote(name), names)
        return found[0] if found else None

    def add_stream(
        self,
        datastream: str,
        method: str | None = None,
        path: str | None = None,
        classpath: str | None = None,
        direction: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Streams its data over an interface: socket, ros, yarp, text, pocolibs, moos ...

            method     the class that does so, and `path` its module; MORSE's own if none
            classpath  the class of component whose stream this is; its own if none
            direction  IN or OUT; depends on whether it is a sensor or an actuator if none
            kwargs     settings of the stream, such as topic

        If MORSE has no such stream, none is added and an error is logged. Raises UnexportableError
        for a component without data, UnknownNameError for an unknown level.
        """
        if not self._exportable:
            raise UnexportableError(f"{quote(self.name)} has no data that could be streamed")
        stream = plan_stream(self, datastream, method, path, classpath, direction)
        if stream is not None:
            found = SCRIPT.configuration.datastream.setdefault(self._ask(), [])
            found.append([*stream, kwargs])

    def add_service(
        self,
        interface: str,
        component: "AbstractComponent | str | None" = None,
        config: str | None = None,
    ) -> None:
        """Answers requests over an interface, by the manager `config` if given. Raises
        UnknownNameError for an interface without services."""
        if component == SIMULATION:
            name = SIMULATION
        else:
            asking = component if isinstance(component, AbstractComponent) else self
            name = asking._ask()
        manager = config or find_service(interface)
        SCRIPT.configuration.service.setdefault(name, []).append(manager)

    def add_interface(self, interface: str, **kwargs: Any) -> None:
        """Adds services and, if it has data, a stream."""
        self.add_service(interface)
        if self._exportable:
            self.add_stream(interface, **kwargs)

    def add_overlay(
        self, datastream: str, overlay: str, config: str | None = None, **kwargs: Any
    ) -> None:
        """Puts a class before its services on an interface. Raises UnknownNameError."""
        manager = config or find_service(datastream)
        SCRIPT.configuration.overlay.setdefault(manager, {})[self._ask()] = [overlay, kwargs]

    def alter(
        self,
        modifier_name: str | None = None,
        classpath: str | None = None,
        direction: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Changes its data on the way: NED, feet, UTM, Noise ..., or by a class of your own.
        Raises UnknownNameError where MORSE has no such modifier for it."""
        own = self.property_value("classpath")
        way = direction or state_direction(self, own)
        if way:
            modifier = classpath or find_modifier(modifier_name, own)
            found = SCRIPT.configuration.modifier.setdefault(self._ask(), [])
            found.append([modifier, way, kwargs])

    def _ask(self) -> str:
        """Returns the name under which something is configured, and remembers it."""
        self._asked_as = self.name
        return self._asked_as

    def level(self, level: str) -> None:
        """Sets how realistic its data is, for components that have several levels."""
        self.properties(abstraction_level=level)

    def frequency(self, frequency: float | None = None) -> None:
        """Sets how often it acts, in Hz."""
        if frequency:
            SCRIPT.configuration.frequency[self.name] = frequency
            self.properties(frequency=frequency)

    def profile(self) -> None:
        """Shows the time it takes while the simulation runs."""
        if self._category != "sensors":
            logger.warning("%s is not a sensor; only sensors are profiled", quote(self.name))
        for name in _PROFILED:
            add_debug_property(self._bpy_object, name, "0")
        game_settings().show_debug_properties = True

    def is_morseable(self) -> bool:
        """Tells whether its object has logic bricks that call MORSE all the time."""
        return any(
            sensor.type == "ALWAYS"
            and controller.type == "PYTHON"
            and controller.module.startswith("calling.")
            for sensor in self._game.sensors
            for controller in sensor.controllers
        )

    def morseable(self, calling_module: str | None = None) -> None:
        """Gives its object the tag and the logic bricks by which MORSE finds and calls it."""
        calling = calling_module or f"calling.{self._category[:-1]}_action"
        if calling in _TAGS:
            tag, classpath = _TAGS[calling]
            self.properties(**{tag: True, "classpath": classpath})
        else:
            logger.warning("%s: MORSE has no %s to call", quote(self.name), quote(calling))
        self.select()
        add_logic_brick(self._bpy_object, "sensors", "ALWAYS", "MORSE_LOGIC")
        sensor = self._game.sensors[-1]
        sensor.use_pulse_true_level = True
        add_logic_brick(self._bpy_object, "controllers", "PYTHON")
        controller = self._game.controllers[-1]
        controller.mode = "MODULE"
        controller.module = calling
        controller.link(sensor=sensor)

    def append_meshes(
        self,
        objects: Sequence[str] | None = None,
        component: str | PathLike[str] | None = None,
        prefix: str | None = None,
    ) -> list[Any]:
        """Puts the objects of its .blend into the scene and returns them, the root first; an Empty
        where it has none.

        objects    their names; all except names that begin with "_" if none
        component  another .blend
        prefix     only objects whose names begin so

        Raises MissingModelError if there is no such file.
        """
        filename = component or self._blender_filename
        if not filename:
            return [add_empty()]
        return append_model(find_model(filename), objects, prefix or "")

    def set_color(self, r: float, g: float, b: float) -> None:
        """Paints everything below it that already has a material."""
        if self._bpy_object:
            paint_below(self._bpy_object, (r, g, b))

    def is_exportable(self) -> bool:
        """Tells whether it has data that can be streamed."""
        return self._exportable

    def mark_unexportable(self) -> None:
        self._exportable = False

    def __str__(self) -> str:
        return self.name
